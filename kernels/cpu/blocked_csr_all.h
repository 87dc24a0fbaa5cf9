/* All-active programs on blocked CSR. Part of blocked_csr_engine.h. */
#ifndef QN_KERNELS_CPU_BLOCKED_CSR_ALL_H
#define QN_KERNELS_CPU_BLOCKED_CSR_ALL_H

#include "kernels/cpu/blocked_csr_engine.h"

#define ENGINE_NAME "TOCAB pull or push"

static inline enum qn_status engine_iterate(struct engine_state *state, struct qn_error *error) {
  struct qn_sum sent;
  enum qn_status status = qn_sum_create(&sent, qn_sweep_chunks(state->context.num_vertices), error);
  if (status)
    return status;
  for (bool finished = state->request->max_iterations == 0; !finished;) {
    double begin = qn_seconds();
    sweep_send(&state->context, state->view, state->values, state->messages, &sent);
    walk_edges(state);
    walk_apply(state);
    double change = qn_sum_total(&state->changed);
    finished = engine_end_iteration(state->request, &state->context, state->result,
                                    state->view->has_pull ? "pull" : "push",
                                    state->context.num_vertices, change, begin);
    if (PROGRAM_CONVERGES && change < state->context.tolerance)
      finished = state->result->converged = true;
  }
  qn_sum_destroy(&sent);
  return QN_OK;
}

#endif
