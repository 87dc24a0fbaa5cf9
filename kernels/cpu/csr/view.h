/* Plain CSR as the CPU's engine sees it (loop/state.h). Template: needs a completed program. */
#pragma once

#include "kernels/engine.h"
#if !PROGRAM_IN_PLACE
#include "kernels/work_division/chunks.h"
#endif

typedef struct qn_graph engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->out.row_offsets[vertex + 1] - view->out.row_offsets[vertex];
}

struct engine_walk {
  const struct qn_csr *out;
  const struct qn_csr *in;    /* in-edges; NULL if the run does without */
  struct qn_graph transposed; /* where `in` is derived */
#if !PROGRAM_IN_PLACE
  struct qn_row_chunks chunks; /* of `in`: what one thread adds up at a time */
#endif
};
