/* The hybrid layout as the CPU's engine sees it (loop/state.h, rows/walk_frame.h). Template: needs
 * a completed program. */
#pragma once

#include "kernels/cpu/loop/frontier.h"
#include "kernels/engine.h"
#include <quern/hybrid.h>

typedef struct qn_hybrid engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->out_degrees[vertex];
}

struct engine_walk {
  const struct qn_csr *out;
  struct qn_graph derived; /* where `out` is */
  /* [V + 1] where rows of the COO parts begin, if `out` has that part alone. */
  uint64_t *out_rest, *in_rest;
  const program_message *messages;
  const struct qn_frontier *senders;
  program_accumulator *range_sums;
  unsigned num_threads;
  program_accumulator *sums; /* [V] y of the product */
  uint8_t *received;         /* [V] frontier: whether the row had an active neighbour */
  uint64_t num_shares;       /* of the COO part */
  /* [num_shares] what a share collected for the row that it shares with the one before it. */
  program_accumulator *carries;
  uint8_t *carried; /* [num_shares] whether there is any */
};
