/* Vertices that wait for their turn, because they are far (near_far.h) or their round has not begun
 * (rounds.h). For programs that have priorities or rounds; others include never_waiting.h. Part of
 * the engines on the CPU (state.h). */
#pragma once

#include "kernels/cpu/loop/state.h"
#if PROGRAM_PRIORITY
#include "kernels/cpu/loop/near_far.h"
#endif
#if PROGRAM_ROUNDS
#include "kernels/cpu/loop/rounds.h"
#endif

struct sweep_waiting {
#if PROGRAM_ROUNDS
  struct sweep_rounds rounds;
#endif
#if PROGRAM_PRIORITY
  struct near_far far;
#endif
};

/* `delta` and `weights` as in near_far_create. */
static inline enum qn_status sweep_waiting_create(struct sweep_waiting *waiting,
                                                  struct engine_state *state, double delta,
                                                  const struct qn_weights *weights,
                                                  struct qn_error *error) {
  enum qn_status status = QN_OK;
#if PROGRAM_ROUNDS
  status = sweep_rounds_create(&waiting->rounds, state->context.num_vertices, error);
#endif
#if PROGRAM_PRIORITY
  if (!status)
    status = near_far_create(&waiting->far, delta, weights, state->context.num_vertices,
                             state->context.num_edges, error);
  state->parts.waiting = waiting->far.waiting;
  state->parts.limit = &waiting->far.limit;
#endif
  (void)waiting, (void)state, (void)delta, (void)weights, (void)error;
  return status;
}

/* A zeroed struct is allowed. */
static inline void sweep_waiting_destroy(struct sweep_waiting *waiting) {
#if PROGRAM_ROUNDS
  sweep_rounds_destroy(&waiting->rounds);
#endif
#if PROGRAM_PRIORITY
  near_far_destroy(&waiting->far);
#endif
  (void)waiting;
}

/* Where every step walks all in-edges, waiting would only add steps. */
static inline enum qn_status sweep_refuse_delta(const struct engine_state *state,
                                                struct qn_error *error) {
  if (!PROGRAM_PRIORITY || state->request->delta == 0)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "--delta has no effect on a container without out-edges, where every step walks "
                 "all in-edges; store them too (--direction both), or leave --delta out");
}

/* Must a vertex of this new value wait? Any thread may call. */
static inline bool sweep_waits(struct sweep_waiting *waiting, const struct engine_state *state,
                               program_value value, uint64_t vertex) {
#if PROGRAM_PRIORITY
  return near_far_waits(&waiting->far, &state->context, value, vertex);
#else
  (void)waiting, (void)state, (void)value, (void)vertex;
  return false;
#endif
}

/* When no vertex is active: set the bits of those whose turn it is in `frontier`, which is empty.
 * False if there are none. */
static inline bool sweep_wake(struct engine_state *state, struct sweep_waiting *waiting,
                              struct qn_frontier *frontier) {
#if PROGRAM_PRIORITY
  if (near_far_refill(&waiting->far, &state->context, state->values, frontier->bits)) {
    qn_frontier_adopt(frontier);
    return true;
  }
#endif
#if PROGRAM_ROUNDS
  return sweep_round(&state->context, state->values, &waiting->rounds, frontier);
#else
  (void)state, (void)waiting, (void)frontier;
  return false;
#endif
}
