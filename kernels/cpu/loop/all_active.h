/* The schedule of all-active programs: every vertex sends, the walk combines along all edges, every
 * vertex is applied. Part of the engines on the CPU (state.h), which define the functions declared
 * below. */
#pragma once

#include "kernels/cpu/loop/sending.h"
#include "kernels/cpu/loop/sweeps.h"

struct engine_work {
  program_message *messages; /* [V] */
  struct qn_sum sent;        /* aggregate, by sweep chunk */
  struct qn_sum changed;     /* change, in walk_parts(state) parts */
};

/* In how many parts a walk adds up the change. */
static inline uint64_t walk_parts(const struct engine_state *state);
/* Combine the messages along all edges, apply all vertices, and set every part of the change.
 * Returns how edges were walked: the step's mode. */
static inline const char *walk_all(struct engine_state *state, struct engine_work *work);

/* A vertex's new value; returns its change. */
static inline double apply_vertex(struct engine_state *state, uint64_t v, program_accumulator sum) {
  program_value old_value = state->values[v];
  state->values[v] = program_apply(&state->context, old_value, sum);
#if PROGRAM_CONVERGES
  return program_change(&state->context, old_value, state->values[v]);
#else
  return 0;
#endif
}

/* Apply the sums of all vertices, which become identities again; for walks that add up into one
 * array, and the change by sweep chunk. */
static inline void apply_sums(struct engine_state *state, program_accumulator *sums,
                              struct qn_sum *changed) {
  uint64_t num_vertices = state->context.num_vertices;
#pragma omp parallel for schedule(static)
  for (uint64_t chunk = 0; chunk < qn_sweep_chunks(num_vertices); chunk++) {
    uint64_t begin = chunk * QN_SWEEP_VERTICES, end = begin + QN_SWEEP_VERTICES;
    double change = 0;
    for (uint64_t v = begin; v < (end < num_vertices ? end : num_vertices); v++) {
      change += apply_vertex(state, v, sums[v]);
      sums[v] = program_identity();
    }
    changed->parts[chunk] = change;
  }
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status =
      qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
  if (!status)
    status = qn_sum_create(&work->sent, qn_sweep_chunks(num_vertices), error);
  if (!status)
    status = qn_sum_create(&work->changed, walk_parts(state), error);
  return status;
}

static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  (void)state, (void)work, (void)error;
  return QN_OK;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  qn_sum_destroy(&work->changed);
  qn_sum_destroy(&work->sent);
  qn_pages_free(work->messages, state->context.num_vertices, sizeof *work->messages);
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  (void)error;
  sweep_send(state, work->messages, &work->sent);
  step->mode = walk_all(state, work);
  step->num_active = state->context.num_vertices;
  step->change = qn_sum_total(&work->changed);
  return QN_OK;
}
