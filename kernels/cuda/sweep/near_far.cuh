/* Vertices that are far from the first wait until no other is active; then the bound goes up
 * (Davidson, Baxter, Garland, Owens: Work-Efficient Parallel GPU Methods for Single-Source Shortest
 * Paths, IPDPS 2014, "near-far"). By then most have changed once more, and their edges are walked
 * once for all of it. For engines whose iterations cost what their active vertices cost, on one
 * device that has all of the graph: they ask for it by sweep_near_far_create.
 *
 * It takes a bit a vertex, which every iteration reads, and a pass over all bits a bound. */
#pragma once

#include "kernels/cuda/edges/mean_weight.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

namespace {

#if PROGRAM_PRIORITY

__global__ void sweep_least_waiting(const struct sweep_state state,
                                    const struct qn_program_context context) {
  double least = INFINITY;
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    if (valid && (state.waiting[v / 32] >> v % 32 & 1))
      least = fmin(least, program_priority(&context, state.values[v]));
  });
  least = qn_block_min(least);
  if (threadIdx.x == 0)
    atomicMin(state.least, qn_ordered_bits(least));
}

/* No vertex is active: those below the new bound become it. */
__global__ void sweep_wake_near(const struct sweep_state state,
                                const struct qn_program_context context) {
  unsigned count = 0;
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    const bool goes_on = sweep_goes_on(state, context, v, valid, false);
    sweep_store_word(state.active, v, valid, goes_on, &count);
  });
  sweep_add_count(state, count);
}

#endif

/* ---- The host's side ---------------------------------------------------------- */

/* The bytes that it takes. */
inline uint64_t sweep_near_far_bytes(uint64_t num_vertices) {
  return PROGRAM_PRIORITY ? qn_cuda_rounded(4 * (num_vertices / 32 + 1)) : 0;
}

/* The next bound; no vertex is active still if none waits. */
inline enum qn_status sweep_raise_bound(struct sweep_run *run, struct qn_error *error) {
  enum qn_status status = QN_OK;
#if PROGRAM_PRIORITY
  unsigned long long bits = 0;
  status = sweep_clear(run->state.least, 0xff, error);
  if (!status)
    SWEEP_LAUNCH(run, sweep_least_waiting);
  if (!status)
    status = sweep_read(run, &bits, run->state.least, 1, sizeof bits, error);
  const double least = qn_from_ordered_bits(bits);
  if (status || isinf(least))
    return status;
  run->state.bound = fmax(least + run->step, nextafter(least, (double)INFINITY));
  run->woken = true;
  status = sweep_clear(run->state.count, 0, error);
  if (!status)
    SWEEP_LAUNCH(run, sweep_wake_near);
  if (!status)
    status = sweep_read_count(run, &run->num_active, error);
#else
  (void)run, (void)error;
#endif
  return status;
}

/* Let vertices wait in this run, if the program has priorities: `mean_weight()` tells how far the
 * bound goes up. A state that is kept has no vertices that wait. */
template <class Mean>
enum qn_status sweep_near_far_create(struct sweep_run *run, Mean mean_weight,
                                     struct qn_error *error) {
  const struct qn_program_context *context = &run->context;
  const struct qn_run_request *request = run->request;
  if (!PROGRAM_PRIORITY || request->hooks.checkpointing || qn_state_resumed(request) ||
      request->direction == QN_DIRECTION_PULL)
    return QN_OK;
  run->raise_bound = sweep_raise_bound;
  run->step = near_far_step(request, mean_weight(), context->num_vertices, context->num_edges);
  run->state.bound = run->step;
  return qn_cuda_alloc_zeroed(&run->memory, &run->state.waiting, context->num_vertices / 32 + 1,
                              sizeof *run->state.waiting, "bits of vertices", error);
}

} /* namespace */
