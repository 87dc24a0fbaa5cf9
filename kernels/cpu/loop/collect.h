/* The schedule of frontier programs whose contributions are collected first and applied at the
 * iteration's end, on layouts that are walked by a bitmap of senders. Part of the engines on the
 * CPU (state.h), which define the functions declared below. */
#ifndef QN_KERNELS_CPU_LOOP_COLLECT_H
#define QN_KERNELS_CPU_LOOP_COLLECT_H

#include "kernels/cpu/loop/iterations.h"
#include "kernels/cpu/loop/rounds.h"
#include "kernels/cpu/loop/sweeps.h"

struct engine_work {
  struct sweep_rounds rounds;
  struct qn_frontier current;  /* its queue only where a run or a round begins */
  struct qn_frontier received; /* its bitmap alone */
  program_accumulator *sums;   /* [V] identity between iterations */
};

/* Combine what the vertices of `current` send into the sums, and mark the receivers in `received`.
 * Returns how edges were walked: the step's mode. */
static inline const char *walk_senders(struct engine_state *state, struct engine_work *work);

/* Apply what was received; those that it activates are the current frontier from now on. */
static inline void apply_received(struct engine_state *state, struct engine_work *work) {
  uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (uint64_t word = 0; word < qn_frontier_words(&work->received); word++) {
    uint64_t active = 0;
    for (uint64_t bits = work->received.bits[word]; bits; bits &= bits - 1) {
      uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
      program_value old_value = state->values[v];
      state->values[v] = program_apply(&state->context, old_value, work->sums[v]);
      work->sums[v] = program_identity();
      if (program_active(&state->context, old_value, state->values[v]))
        active |= bits & -bits;
    }
    work->received.bits[word] = 0;
    work->current.bits[word] = active;
    count += (uint64_t)__builtin_popcountll(active);
  }
  work->current.count = count;
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status = qn_frontier_create(&work->current, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work->received, num_vertices, error);
  if (!status)
    status = sweep_rounds_create(&work->rounds, num_vertices, error);
  if (!status)
    status = sweep_sums_create(&work->sums, num_vertices, error);
  if (!status)
    sweep_start(state, &work->current);
  return status;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  qn_pages_free(work->sums, state->context.num_vertices, sizeof *work->sums);
  sweep_rounds_destroy(&work->rounds);
  qn_frontier_destroy(&work->received);
  qn_frontier_destroy(&work->current);
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  (void)error;
  if (work->current.count == 0 &&
      !sweep_round(&state->context, state->values, &work->rounds, &work->current)) {
    step->is_over = true;
    return QN_OK;
  }
  step->num_active = work->current.count;
  step->mode = walk_senders(state, work);
  apply_received(state, work);
  step->num_next = work->current.count;
  return QN_OK;
}

static inline enum qn_status work_keep(const struct engine_state *state, struct engine_work *work,
                                       struct qn_run_state *kept, struct qn_error *error) {
  (void)state, (void)error;
  kept->active = work->current.bits;
  return QN_OK;
}

#endif
