/* Edges in, sorted graph out: from an edge list to the sections of a `graph`
 * container (quern/graph.h).
 *
 *   struct qn_edge_list *list;                     edge_list.h; filled by a reader or generator
 *   struct qn_build build = {.num_vertices = QN_VERTICES_FROM_EDGES};
 *   struct qn_ledger ledger = {0};                 records and comments by the reader
 *   qn_writer_create(path, force, &writer, &error);
 *   qn_build_graph(list, &build, writer, &ledger, &error);
 *   ... ancillary sections ...
 *   qn_writer_commit(writer, &error);
 *
 * The result is the same for every number of threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/edges/edge_list.h"
#include "converters/edges/ledger.h"
#include <quern/container.h>
#include <quern/error.h>
#include <quern/ids.h>

/* What vertex an id of the edge list becomes. */
enum qn_id_choice {
  QN_ID_AUTO,    /* as QN_ID_KEEP if every id up to the largest occurs, else as QN_ID_COMPACT */
  QN_ID_KEEP,    /* itself: V = largest id + 1, or as declared */
  QN_ID_COMPACT, /* its rank among the ids that occur; the section original_ids has the ids */
};

enum qn_weight_choice {
  QN_WEIGHTS_AUTO, /* the first of u32, i64, f32 and f64 that holds every weight (numbers that are
                      not spelled as whole ones are real); none if the edges have none */
  QN_WEIGHTS_NONE, /* dropped */
  QN_WEIGHTS_U32,  /* QN_INVALID if a weight is none */
  QN_WEIGHTS_F32,
  QN_WEIGHTS_I64,
  QN_WEIGHTS_F64,
};

/* Can weights of `type` be taken where these are wanted? Others are converted at the end. */
static inline bool qn_weights_take(enum qn_weight_choice wanted, enum qn_weight_type type) {
  return (wanted != QN_WEIGHTS_U32 && wanted != QN_WEIGHTS_I64) || type <= QN_WEIGHT_U32 ||
         (wanted == QN_WEIGHTS_I64 && type == QN_WEIGHT_I64);
}

enum qn_self_loops { QN_SELF_LOOPS_KEEP, QN_SELF_LOOPS_REMOVE };

/* What becomes of edges with the same source and destination. */
enum qn_duplicates {
  QN_DUPLICATES_KEEP,   /* all stay, in input order */
  QN_DUPLICATES_REMOVE, /* the first in input order stays */
  QN_DUPLICATES_MIN,    /* one stays, with the least weight */
  QN_DUPLICATES_SUM,    /* one stays, with the sum of weights; QN_INVALID if it leaves the type */
};

#define QN_VERTICES_FROM_EDGES UINT64_MAX

struct qn_graph_arrays; /* quern/graph.h */

/* Rows that are written as they will lie, without a list of edges. */
struct qn_build_rows {
  uint64_t num_edges;
  enum qn_weight_type weight_type;
  /* Fill the arrays of the declared vertices and of so many edges, whose rows ascend and have no
   * edge twice. NULL: there are no such rows. */
  enum qn_status (*write)(void *context, const struct qn_graph_arrays *arrays,
                          struct qn_error *error);
  void *context;
};

/* How to build. All zero but num_vertices is: as is, directed. */
struct qn_build {
  /* V if the input declares it: ids must be below it (QN_INVALID otherwise), and are kept whatever
   * `ids` says unless that is QN_ID_COMPACT. Else QN_VERTICES_FROM_EDGES. */
  uint64_t num_vertices;
  /* Names of the declared vertices, copied to the container, or NULL: ids are their own names. Not
   * together with QN_ID_COMPACT. */
  const struct qn_ids *names;
  /* Ids that are vertices even where no edge has them, in any order; NULL if none. */
  const uint64_t *extra_ids;
  uint64_t num_extra_ids;
  /* Add the reverse of every edge that is no loop, with its weight; mark the graph undirected. */
  bool undirected;
  /* The list holds both directions already: mark the graph undirected without adding. */
  bool already_symmetric;
  bool check_symmetric; /* QN_INVALID if it does not */
  bool count_parallel;  /* of a directed graph, too */
  bool transpose; /* store in-edges too (an undirected graph's are its out-edges: nothing is added)
                   */
  enum qn_id_choice ids;
  enum qn_weight_choice weights;
  /* Take f32 for weights that are no u32, or with QN_WEIGHTS_F64 that type, and round those that it
   * does not hold, else QN_INVALID. */
  bool narrow_weights;
  bool *rounded; /* or NULL: set where that was the reason */
  enum qn_self_loops self_loops;
  enum qn_duplicates duplicates;
  bool duplicates_chosen; /* by the user: not for the builder */
  bool unique;            /* QN_INVALID if two edges have the same ends */
  uint64_t *repeated;     /* [2] or NULL: receives the ids of two such ends, as they were pushed */
  uint64_t *overflowed;   /* the same: the vertices of edges whose weights sum to more than the type
                             holds */
  /* Written instead of the list's edges, of which there are none then, so that nothing is asked for
   * that adds, removes, renumbers or converts any; NULL: the list is built. */
  const struct qn_build_rows *rows;
};

/* Check what can be checked before reading input: QN_USAGE for options that contradict. */
enum qn_status qn_build_check(const struct qn_build *build, struct qn_error *error);

/* What comes into the empty `list` will be built into `writer`, whose pages are taken meanwhile
 * (prefault.h). */
void qn_build_expect(struct qn_edge_list *list, const struct qn_build *build,
                     struct qn_writer *writer);

/* Write the graph sections and ids into `writer` (fresh) and fill its info. Consumes the edges of
 * `list`, whose memory is reused; destroy it afterwards. `ledger->edges_added` may hold reverses
 * that the reader pushed itself; edges_read and all after it are set here.
 * QN_INVALID for more than 2^32-1 vertices, for ids beyond the declared V, and for
 * weights that the wanted type cannot hold. */
enum qn_status qn_build_graph(struct qn_edge_list *list, const struct qn_build *build,
                              struct qn_writer *writer, struct qn_ledger *ledger,
                              struct qn_error *error);
