/* What a session holds. */
#pragma once

#include <pthread.h>

#include "library/id_index.h"
#include "library/sized.h"
#include "runtime/run_input.h"
#include <quern/lookup.h>
#include <quern/properties.h>
#include <quern/session.h>

struct qn_session {
  unsigned references; /* by __atomic functions: the caller's, and those of results */
  struct qn_container *container;
  char *path;
  bool in_memory;
  /* What is found when it is first needed; found once, under the lock, and then left as it is. */
  pthread_mutex_t lock;
  enum qn_verify verified; /* 0: nothing was */
  bool trusted;
  struct qn_run_input input; /* viewed from the beginning */
  bool has_order;
  bool has_checked_ids; /* by __atomic functions */
  bool has_index;       /* of ids that ascend; by __atomic functions */
  struct qn_id_index index;
  bool has_graph;        /* also the layout graph's, from the beginning */
  struct qn_graph graph; /* in place, or restored in memory */
  bool has_properties;
  struct qn_properties properties;
  char (*type_names[2])[QN_PROPERTY_TYPE_BYTES]; /* of the columns of vertices, and of edges */
  struct qn_graph in;           /* the transpose in its out-edges, where it had to be computed */
  uint64_t num_edges;           /* each undirected edge once, after they were counted */
  const struct qn_csr *rows[2]; /* by enum qn_rows: what look-ups found, by __atomic functions */
};

/* A session on a container that it takes over, even on failure. `path` is what it is called. */
enum qn_status qn_session_take(struct qn_container *container, const char *path, bool in_memory,
                               bool trusted, struct qn_session **out, struct qn_error *error);

/* The following are called in the work of a call (call.h). */

enum qn_status qn_session_ensure_verified(struct qn_session *session, enum qn_verify what,
                                          struct qn_error *error);
/* The input of runs, checked and with its order. */
enum qn_status qn_session_ensure_input(struct qn_session *session, struct qn_error *error);
/* The graph, all checked as makers of other files must have it. */
enum qn_status qn_session_ensure_graph(struct qn_session *session, enum qn_verify what,
                                       struct qn_error *error);

/* Ids, checked and with their order. */
enum qn_status qn_session_ensure_ids(struct qn_session *session, struct qn_error *error);
/* Before ids are read where they lie: they are verified once, unless the session is trusted. */
enum qn_status qn_session_check_ids(struct qn_session *session, struct qn_error *error);

/* Ids, checked, and if they are ascending numbers their index. */
enum qn_status qn_session_ensure_index(struct qn_session *session, struct qn_error *error);

/* The rows of destinations, found or made. */
enum qn_status qn_session_ensure_in_edges(struct qn_session *session, const struct qn_csr **in,
                                          struct qn_error *error);

/* Are these rows in the mapping? Then nothing need be ensured. And the rows, once they are. */
bool qn_session_has_rows(const struct qn_session *session, enum qn_rows which);
const struct qn_csr *qn_session_rows(const struct qn_session *session, enum qn_rows which);

struct qn_session *qn_session_refer(struct qn_session *session);

/* `json` (NULL: memory ran out while making it), taken over, as a text. */
struct json_t;
enum qn_status qn_text_of_json(struct json_t *json, char **text, struct qn_error *error);
