/* The schedule of frontier programs that combine into the value itself, on layouts that are walked
 * by a bitmap of senders. Part of the engines on the CPU (state.h), which define the function
 * declared below.
 *
 * A value may be read while another thread improves it; either is a value that the vertex had, and
 * the improvement puts the vertex into the next frontier. Of a program with a priority the vertices
 * that are far wait (near_far.h). */
#pragma once

#include <math.h>

#include "kernels/cpu/loop/sweeps.h"
#if PROGRAM_PRIORITY || PROGRAM_ROUNDS
#include "kernels/cpu/loop/waiting.h"
#else
#include "kernels/cpu/loop/never_waiting.h"
#endif

struct engine_work {
  struct qn_frontier current;
  struct qn_frontier received; /* the next one; its queue only where walk_senders makes it */
  struct sweep_waiting waiting;
};

/* Let receivers combine what the vertices of `current` send, and mark those that are active then in
 * `received`, which is empty; with few of both these may be queued, so that the step takes as long
 * as they are many. Returns how edges were walked: the step's mode. */
static inline const char *walk_senders(struct engine_state *state, struct engine_work *work);

/* The width of a step of the limit (near_far.h); INFINITY where every step walks all in-edges. */
static inline double walk_delta(const struct engine_state *state);

/* Combine into the receiver's value; true if it is active and was not in `received`. Any thread may
 * call. */
static inline bool work_receive(struct engine_state *state, struct engine_work *work,
                                uint64_t receiver, program_accumulator contribution) {
  return program_combine_atomic(&state->values[receiver], contribution) &&
         !sweep_waits(&work->waiting, state, contribution, receiver) &&
         qn_frontier_insert(&work->received, receiver);
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  const uint64_t num_vertices = state->context.num_vertices;
  const double delta = walk_delta(state);
  enum qn_status status = isinf(delta) ? sweep_refuse_delta(state, error) : QN_OK;
  if (!status)
    status = qn_frontier_create(&work->current, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work->received, num_vertices, error);
  if (!status)
    status = sweep_waiting_create(&work->waiting, state, delta, NULL, error);
  state->frontier = &work->current;
  return status;
}

static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  (void)state, (void)work, (void)error;
  return QN_OK;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  (void)state;
  sweep_waiting_destroy(&work->waiting);
  qn_frontier_destroy(&work->received);
  qn_frontier_destroy(&work->current);
}

/* `received` as a bitmap was filled: how many are in it? */
static inline void count_received(struct engine_work *work) {
  uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (uint64_t word = 0; word < qn_frontier_words(&work->received); word++)
    count += (uint64_t)__builtin_popcountll(work->received.bits[word]);
  work->received.count = count;
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  (void)error;
  step->is_over = work->current.count == 0 && !sweep_wake(state, &work->waiting, &work->current);
  if (step->is_over)
    return QN_OK;
  step->num_active = work->current.count;
  step->mode = walk_senders(state, work);
  if (!work->received.queued)
    count_received(work);
  work->received.marked = true;
  qn_frontier_swap(&work->current, &work->received);
  qn_frontier_clear(&work->received);
  step->num_next = work->current.count;
  return QN_OK;
}
