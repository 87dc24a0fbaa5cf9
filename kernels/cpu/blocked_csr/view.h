/* Blocked CSR as the CPU's engine sees it (loop/state.h, rows/walk_frame.h). Template: needs a
 * completed program. */
#pragma once

#include "kernels/cpu/blocked_csr/block_tasks.h"
#include "kernels/cpu/loop/frontier.h"
#include "kernels/cpu/loop/partial.h"
#include "kernels/engine.h"
#include <quern/blocked_csr.h>

typedef struct qn_blocked_csr engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->out_degrees[vertex];
}

struct engine_walk {
  const struct qn_csr *out;
  struct qn_graph derived; /* where `out` is, */
  struct qn_csr searched;  /* or nothing, as rows are searched in the blocks (search.h): */
  uint64_t *no_edges;      /* [V + 1] zeros */
  const program_message *messages;
  const struct qn_frontier *senders;
  program_accumulator *range_sums;
  unsigned num_threads;
  /* Pulling */
  struct qn_block_tasks tasks;
  program_partial *partials; /* [L] what a local row collected */
  uint8_t *partial_received; /* [L] frontier: whether it collected anything */
  /* Pushing */
  program_accumulator *sums; /* [V] identity between iterations */
  uint8_t *sum_received;     /* [V] frontier: whether it holds anything; zero between iterations */
};
