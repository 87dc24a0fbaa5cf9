/* The schedule of frontier programs whose contributions are collected first and applied at the
 * iteration's end, on layouts that are walked by a bitmap of senders. Part of the engines on the
 * CPU (state.h), which define the functions declared below. */
#pragma once

#include "kernels/cpu/loop/rounds.h"
#include "kernels/cpu/loop/sweeps.h"

struct engine_work {
  struct sweep_rounds rounds;
  struct qn_frontier current;
  struct qn_frontier received; /* its queue only where walk_senders makes it */
  program_accumulator *sums;   /* [V] identity between iterations */
};

/* Combine what the vertices of `current` send into the sums, and mark the receivers in `received`,
 * which is empty; with few of both these may be queued, so that the step takes as long as they are
 * many. Returns how edges were walked: the step's mode. */
static inline const char *walk_senders(struct engine_state *state, struct engine_work *work);

/* Combine into the receiver's sum; true if it was not in `received`. Any thread may call. */
static inline bool work_receive(struct engine_state *state, struct engine_work *work,
                                uint64_t receiver, program_accumulator contribution) {
  (void)state;
  program_combine_atomic(&work->sums[receiver], contribution);
  return qn_frontier_insert(&work->received, receiver);
}

/* Queues of fewer are not worth waking other threads. */
#define COLLECT_PARALLEL 4096

/* Is the vertex active after what it received? */
static inline bool collect_apply(struct engine_state *state, struct engine_work *work, uint64_t v) {
  const program_value old_value = state->values[v];
  state->values[v] = program_apply(&state->context, old_value, work->sums[v]);
  work->sums[v] = program_identity();
  return program_active(&state->context, old_value, state->values[v]);
}

static inline void apply_queued(struct engine_state *state, struct engine_work *work) {
  struct qn_frontier *received = &work->received, *current = &work->current;
  qn_frontier_clear(current);
#pragma omp parallel if (received->count > COLLECT_PARALLEL)
  {
    struct qn_queue_block active;
    active.count = 0;
#pragma omp for schedule(static) nowait
    for (uint64_t i = 0; i < received->count; i++) {
      const uint32_t v = received->queue[i];
      if (collect_apply(state, work, v) && qn_frontier_insert(current, v))
        qn_frontier_push(current, &active, v);
    }
    qn_frontier_flush(current, &active);
  }
  qn_frontier_clear(received);
}

static inline void apply_marked(struct engine_state *state, struct engine_work *work) {
  uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (uint64_t word = 0; word < qn_frontier_words(&work->received); word++) {
    uint64_t active = 0;
    for (uint64_t bits = work->received.bits[word]; bits; bits &= bits - 1) {
      if (collect_apply(state, work, word * 64 + (uint64_t)__builtin_ctzll(bits)))
        active |= bits & -bits;
    }
    work->received.bits[word] = 0;
    work->current.bits[word] = active;
    count += (uint64_t)__builtin_popcountll(active);
  }
  work->current.count = count;
  work->current.queued = false;
}

/* Apply what was received; those that it activates are the current frontier from now on. */
static inline void apply_received(struct engine_state *state, struct engine_work *work) {
  if (work->received.queued)
    apply_queued(state, work);
  else
    apply_marked(state, work);
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
  work->received.queued = false;
  state->frontier = &work->current;
  return status;
}

static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  (void)state, (void)work, (void)error;
  return QN_OK;
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
