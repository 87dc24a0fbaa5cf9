/* No vertex waits for its turn, where a program has neither priorities nor rounds (waiting.h). Part
 * of the engines on the CPU (state.h). */
#pragma once

#include "kernels/cpu/loop/state.h"

struct sweep_waiting {
  char nothing;
};

static inline enum qn_status sweep_waiting_create(struct sweep_waiting *waiting,
                                                  struct engine_state *state, double delta,
                                                  const struct qn_weights *weights,
                                                  struct qn_error *error) {
  (void)waiting, (void)state, (void)delta, (void)weights, (void)error;
  return QN_OK;
}

static inline void sweep_waiting_destroy(struct sweep_waiting *waiting) {
  (void)waiting;
}

static inline enum qn_status sweep_refuse_delta(const struct engine_state *state,
                                                struct qn_error *error) {
  (void)state, (void)error;
  return QN_OK;
}

static inline bool sweep_waits(struct sweep_waiting *waiting, const struct engine_state *state,
                               program_value value, uint64_t vertex) {
  (void)waiting, (void)state, (void)value, (void)vertex;
  return false;
}

static inline bool sweep_wake(struct engine_state *state, struct sweep_waiting *waiting,
                              struct qn_frontier *frontier) {
  (void)state, (void)waiting, (void)frontier;
  return false;
}
