/* The frame of a run on the CPU: engine_run, which every engine's kernels begin with. Part of the
 * engines (state.h): their engine.h includes it last, as it needs struct engine_work. */
#ifndef QN_KERNELS_CPU_LOOP_RUN_H
#define QN_KERNELS_CPU_LOOP_RUN_H

#include "kernels/cpu/loop/iterations.h"
#include "kernels/cpu/loop/sweeps.h"

/* What is derived from the layout counts as preparation, all else as the kernel. */
static enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  struct engine_state state = {.request = request, .result = result};
  struct engine_work work = {0};
  double begin = qn_seconds();
  enum qn_status status = walk_begin(&state, error);
  if (!status)
    status = walk_create(&state, error);
  if (!status)
    status = qn_pages_alloc(&state.values, state.context.num_vertices, sizeof *state.values,
                            "vertex values", error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  if (status)
    goto cleanup;
  begin = qn_seconds();
  sweep_init(&state);
  status = work_create(&state, &work, error);
  if (!status)
    status = engine_iterate(&state, &work, error);
  work_destroy(&state, &work);
  if (!status)
    status = sweep_output(&state, error);
  result->stats.kernel_seconds = qn_seconds() - begin;
cleanup:
  qn_pages_free(state.values, state.context.num_vertices, sizeof *state.values);
  walk_destroy(&state);
  return status;
}

#endif
