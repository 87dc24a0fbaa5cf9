/* The edges of a list that go to disk instead of staying in memory. Internal to the edge list and
 * the builder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/edges/division.h"
#include "converters/edges/edge_list.h"
#include "converters/edges/id_collector.h"

/* What is taken beside edges and ids: by the process, and by each thread. */
#define QN_SPILL_FIXED_BYTES ((uint64_t)4 << 20)
#define QN_SPILL_THREAD_BYTES ((uint64_t)512 << 10)
/* Fewer edges at once are not worth beginning. */
#define QN_SPILL_LEAST_EDGES ((uint64_t)64 << 10)

struct qn_spill {
  struct qn_spill_options options;
  struct qn_division *division; /* NULL until the first edges come */
  struct qn_id_collector *ids;  /* NULL: not collected */
  uint64_t self_loops;          /* under the list's mutex */
};

enum qn_status qn_spill_create(const struct qn_spill_options *options, struct qn_spill **out,
                               struct qn_error *error);
void qn_spill_destroy(struct qn_spill *spill);

/* Take the edges of a block, whose `largest` is set, through the stream's divider, which is opened
 * if need be. The block may be used again. */
enum qn_status qn_spill_block(struct qn_edge_list *list, struct qn_edge_stream *stream,
                              struct qn_edge_block *block, struct qn_error *error);

/* Change the edges on all piles, which may move them to others. See qn_division_refill. */
enum qn_status qn_spill_change(struct qn_edge_list *list,
                               void (*change)(struct qn_edge_block *block, const void *context),
                               const void *context, struct qn_error *error);

/* The number of piles that memory allows while dividing with all threads. */
unsigned qn_spill_piles(const struct qn_spill *spill);
