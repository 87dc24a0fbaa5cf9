/* Checkpoints of kernels of their own (run_state.h), whose states have no frontier: they are marked
 * QN_KERNEL_NO_FRONTIER. */
#ifndef QN_KERNELS_OWN_STATE_H
#define QN_KERNELS_OWN_STATE_H

#include <stddef.h>

#include "kernels/registry.h"

/* The state that the run goes on from, or NULL. */
static inline const struct qn_run_state *qn_own_state(const struct qn_run_request *request) {
  return request->hooks.checkpointing ? request->hooks.checkpointing->resume : NULL;
}

/* How many iterations it has behind it. */
static inline uint64_t qn_own_iterations(const struct qn_run_request *request) {
  const struct qn_run_state *state = qn_own_state(request);
  return state ? state->registers[QN_STATE_ITERATIONS] : 0;
}

/* After an iteration that is not the last: is the state wanted? */
static inline bool qn_own_save_is_due(const struct qn_run_request *request, uint64_t iterations) {
  return request->hooks.checkpointing &&
         request->hooks.checkpointing->is_due(request->hooks.checkpointing->user, iterations);
}

/* A state after so many iterations; registers of the kernel's own are its to add. `values` has
 * [num_vertices] of value_bytes. */
static inline struct qn_run_state qn_own_state_of(uint64_t iterations, uint64_t num_vertices,
                                                  uint32_t value_bytes, const void *values) {
  struct qn_run_state state;
  __builtin_memset(&state, 0, sizeof state);
  state.registers[QN_STATE_ITERATIONS] = iterations;
  state.num_vertices = num_vertices;
  state.value_bytes = value_bytes;
  state.values = values;
  return state;
}

static inline enum qn_status qn_own_save(const struct qn_run_request *request,
                                         const struct qn_run_state *state, struct qn_error *error) {
  return request->hooks.checkpointing->save(request->hooks.checkpointing->user, state, error);
}

/* The same for a kernel without registers of its own, on the CPU: if a state is wanted. */
static inline enum qn_status qn_own_keep(const struct qn_run_request *request, uint64_t iterations,
                                         uint64_t num_vertices, uint32_t value_bytes,
                                         const void *values, struct qn_error *error) {
  if (!qn_own_save_is_due(request, iterations))
    return QN_OK;
  const struct qn_run_state state = qn_own_state_of(iterations, num_vertices, value_bytes, values);
  return qn_own_save(request, &state, error);
}

/* Put the values that the run goes on from in their place, if there are any. */
static inline void qn_own_restore(const struct qn_run_request *request, void *values,
                                  uint64_t num_vertices, uint32_t value_bytes) {
  const struct qn_run_state *state = qn_own_state(request);
  if (state && num_vertices > 0)
    __builtin_memcpy(values, state->values, num_vertices * value_bytes);
}

#endif
