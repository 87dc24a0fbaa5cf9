/* Slotted pages on the CPU (view: struct qn_slotted_pages): the engine of GTS;
 * state.h tells how it works. */
#ifndef QN_KERNELS_CPU_SLOTTED_PAGES_ENGINE_H
#define QN_KERNELS_CPU_SLOTTED_PAGES_ENGINE_H

#include "kernels/cpu/slotted_pages/state.h"

static enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  struct engine_state state;
  double begin = qn_seconds();
  enum qn_status status = page_state_create(&state, request, result, error);
  if (!status) {
    sweep_init(request, &state.context, &state.view, state.values);
    status = engine_iterate(&state, begin, error);
  }
  if (!status)
    status = sweep_output(&state.context, &state.values, result, error);
  result->kernel_seconds = qn_seconds() - begin - result->prepare_seconds;
  page_state_destroy(&state);
  return status;
}

QN_DEFINE_KERNEL(QN_LAYOUT_SLOTTED_PAGES, QN_CPU, ENGINE_NAME, QN_KERNEL_DELTA);

#endif
