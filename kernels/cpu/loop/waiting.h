/* Vertices that wait for their turn, because they are far (near_far.h) or their round has not begun
 * (rounds.h): none, unless the program has priorities or rounds. Part of the engines on the CPU
 * (state.h). */
#ifndef QN_KERNELS_CPU_LOOP_WAITING_H
#define QN_KERNELS_CPU_LOOP_WAITING_H

#include "kernels/cpu/loop/near_far.h"
#include "kernels/cpu/loop/rounds.h"
#include "kernels/cpu/loop/state.h"

struct sweep_waiting {
  struct sweep_rounds rounds;
#if PROGRAM_PRIORITY
  struct near_far far;
#endif
};

/* As the run begins, or as the state that it goes on from says; `delta` and `weights` as in
 * near_far_create. */
static inline enum qn_status sweep_waiting_create(struct sweep_waiting *waiting,
                                                  const struct engine_state *state, double delta,
                                                  const struct qn_weights *weights,
                                                  struct qn_error *error) {
  const struct qn_program_context *context = &state->context;
  enum qn_status status = sweep_rounds_create(&waiting->rounds, context->num_vertices, error);
#if PROGRAM_PRIORITY
  if (!status)
    status = near_far_create(&waiting->far, delta, weights, context->num_vertices,
                             context->num_edges, error);
  if (!status)
    near_far_resume(&waiting->far, engine_resumed(state->request));
#else
  (void)delta, (void)weights;
#endif
  return status;
}

/* A zeroed struct is allowed. */
static inline void sweep_waiting_destroy(struct sweep_waiting *waiting) {
  sweep_rounds_destroy(&waiting->rounds);
#if PROGRAM_PRIORITY
  near_far_destroy(&waiting->far);
#endif
}

static inline void sweep_waiting_keep(const struct sweep_waiting *waiting,
                                      struct qn_run_state *kept) {
#if PROGRAM_PRIORITY
  near_far_keep(&waiting->far, kept);
#else
  (void)waiting, (void)kept;
#endif
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
  return sweep_round(&state->context, state->values, &waiting->rounds, frontier);
}

#endif
