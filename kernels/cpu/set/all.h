/* All-active programs on the parts of a set: each vertex of this process sums up its in-edges'
 * contributions, part by part; then all ranks have all values. Every rank makes the messages of all
 * vertices itself: they cost less than to send them. Part of engine.h. */
#ifndef QN_KERNELS_CPU_SET_ALL_H
#define QN_KERNELS_CPU_SET_ALL_H

#include "kernels/cpu/set/view.h"

#include "kernels/cpu/loop/gather.h"
#include "kernels/cpu/loop/iterations.h"
#include "kernels/cpu/loop/sweeps.h"
#include "kernels/cpu/set/share.h"

/* Edges of a hub that one thread combines at a time. */
#define HUB_SEGMENT ((uint64_t)1 << 16)

struct engine_work {
  program_message *messages; /* [V] */
  struct qn_sum sent;        /* aggregate, by sweep chunk */
  struct qn_sum chunks;      /* change of a part, by chunk of its rows */
  struct qn_sum changed;     /* change, by part of the set: the same whoever walks them */
};

static inline double pull_vertex(struct engine_state *state, uint64_t v, program_accumulator sum) {
  program_value old_value = state->values[v];
  state->values[v] = program_apply(&state->context, old_value, sum);
#if PROGRAM_CONVERGES
  return program_change(&state->context, old_value, state->values[v]);
#else
  return 0;
#endif
}

static inline program_accumulator pull_row(const struct engine_state *state,
                                           const program_message *messages,
                                           const struct qn_csr *csr, uint64_t begin, uint64_t end) {
  return engine_gather(&state->context, messages, csr->column_indices, &csr->weights, begin, end);
}

/* The rows of a chunk but for hubs; returns the change. */
static inline double pull_chunk(struct engine_state *state, const program_message *messages,
                                const struct qn_part_rows *part, uint64_t first, uint64_t last) {
  const uint64_t *offsets = part->csr->row_offsets;
  double change = 0;
  for (uint64_t v = first; v < last; v++)
    if (offsets[v + 1] - offsets[v] <= QN_HUB_EDGES)
      change +=
          pull_vertex(state, v, pull_row(state, messages, part->csr, offsets[v], offsets[v + 1]));
  return change;
}

/* All threads share a hub's edges, in segments of which each few are combined in order. */
static inline double pull_hub(struct engine_state *state, const program_message *messages,
                              const struct qn_csr *csr, uint64_t v) {
  enum { MOST = 64 };
  program_accumulator segments[MOST], sum = program_identity();
  uint64_t end = csr->row_offsets[v + 1];
  for (uint64_t begin = csr->row_offsets[v]; begin < end; begin += MOST * HUB_SEGMENT) {
    uint64_t count = (end - begin + HUB_SEGMENT - 1) / HUB_SEGMENT;
    count = count < MOST ? count : MOST;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
      uint64_t first = begin + i * HUB_SEGMENT, last = first + HUB_SEGMENT;
      segments[i] = pull_row(state, messages, csr, first, last < end ? last : end);
    }
    for (uint64_t i = 0; i < count; i++)
      program_combine(&sum, segments[i]);
  }
  return pull_vertex(state, v, sum);
}

static inline double pull_part(struct engine_state *state, const program_message *messages,
                               uint64_t index, struct qn_sum *changes) {
  const struct qn_part_rows *part = &state->view->parts[index];
  const struct qn_row_chunks *chunks = &state->walk.chunks[index];
  double change = 0;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
    changes->parts[chunk] = pull_chunk(state, messages, part, part->begin + chunks->bounds[chunk],
                                       part->begin + chunks->bounds[chunk + 1]);
  for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
    change += changes->parts[chunk];
  for (uint64_t hub = 0; hub < chunks->num_hubs; hub++)
    change += pull_hub(state, messages, part->csr, part->begin + chunks->hubs[hub]);
  return change;
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  const engine_view *view = state->view;
  sweep_send(state, work->messages, &work->sent);
  for (uint64_t i = 0; i < view->num_parts; i++)
    work->changed.parts[view->parts[i].index] = pull_part(state, work->messages, i, &work->chunks);
  enum qn_status status = share_values(state, error);
  if (!status && PROGRAM_CONVERGES)
    status = share_array(view, view->first_parts, work->changed.parts, sizeof(double), error);
  step->mode = "pull";
  step->num_active = state->context.num_vertices;
  step->change = qn_sum_total(&work->changed);
  return status;
}

static inline enum qn_status work_keep(const struct engine_state *state, struct engine_work *work,
                                       struct qn_run_state *kept, struct qn_error *error) {
  (void)state, (void)work, (void)kept, (void)error; /* messages are made from the values */
  return QN_OK;
}

static inline uint64_t most_chunks(const struct engine_state *state) {
  uint64_t most = 0;
  for (uint64_t i = 0; i < state->view->num_parts; i++)
    most = state->walk.chunks[i].num_chunks > most ? state->walk.chunks[i].num_chunks : most;
  return most;
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status =
      qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
  if (!status)
    status = qn_sum_create(&work->sent, qn_sweep_chunks(num_vertices), error);
  if (!status)
    status = qn_sum_create(&work->chunks, most_chunks(state), error);
  return status ? status : qn_sum_create(&work->changed, state->view->num_all_parts, error);
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  qn_sum_destroy(&work->changed);
  qn_sum_destroy(&work->chunks);
  qn_sum_destroy(&work->sent);
  qn_pages_free(work->messages, state->context.num_vertices, sizeof *work->messages);
}

#endif
