/* The set of ids that occur in edges which do not stay in memory. Internal to the edge list and the
 * builder.
 *
 * Ids below a bound are marked in a bitmap; the far ones are kept sorted. So memory goes by how
 * many different ids there are, and by the bound, not by the edges. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "converters/edges/id_sets.h"

struct qn_id_collector {
  uint64_t near_end;         /* ids below it are marked */
  struct qn_id_marks *marks; /* [near_end / 64], touched where ids are */
  uint64_t max_far;          /* how many far ids memory allows */
  pthread_mutex_t mutex;     /* guards what follows */
  uint64_t *far;             /* [num_far] ascending */
  uint64_t num_far, far_capacity;
  uint64_t *waiting; /* [num_waiting] in any order */
  uint64_t num_waiting, waiting_capacity;
  bool full; /* there are more: those from the bound on are not known any more */
};

/* Take up to about half of `memory`. Owned until destroy (NULL is allowed). */
enum qn_status qn_id_collector_create(uint64_t memory, struct qn_id_collector **out,
                                      struct qn_error *error);
void qn_id_collector_destroy(struct qn_id_collector *collector);

/* Add a block's ids, from any thread. If there are more far ids than memory allows it is full from
 * then on, which who needs all of them has to look at. */
enum qn_status qn_id_collector_add(struct qn_id_collector *collector, struct qn_edge_block *block,
                                   struct qn_error *error);
enum qn_status qn_id_collector_add_ids(struct qn_id_collector *collector, const uint64_t *ids,
                                       uint64_t count, struct qn_error *error);

/* When all are added: sort in those that wait. */
enum qn_status qn_id_collector_finish(struct qn_id_collector *collector, struct qn_error *error);
/* QN_SYSTEM: it is full. */
enum qn_status qn_id_collector_check(const struct qn_id_collector *collector,
                                     struct qn_error *error);
