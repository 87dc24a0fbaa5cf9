/* All-active programs on the parts of a set: all ranks have the messages of all vertices, and each
 * vertex of this process sums up its in-edges' contributions, part by part. Part of engine.h. */
#ifndef QN_KERNELS_CPU_SET_ALL_H
#define QN_KERNELS_CPU_SET_ALL_H

#include "kernels/cpu/set/view.h"

#include "kernels/cpu/loop/gather.h"
#include "kernels/cpu/loop/iterations.h"
#include "kernels/cpu/loop/stateless.h"
#include "kernels/cpu/loop/sweeps.h"
#include "kernels/cpu/set/share.h"

/* Edges of a hub that one thread combines at a time. */
#define HUB_SEGMENT ((uint64_t)1 << 16)

/* What a part adds to sums over all vertices. */
struct part_sums {
  double sent;    /* aggregate, before the next iteration */
  double changed; /* change of this one */
};

struct engine_work {
  program_message *messages; /* [V] */
  struct qn_sum chunks;      /* of a part, by chunk of its vertices or rows */
  struct part_sums *sums;    /* [num_all_parts]: the same whoever walks them */
};

/* ---- Sending ---------------------------------------------------------------- */

/* The messages of a part's vertices; returns what it adds to the aggregate. */
static inline double send_part(const struct engine_state *state,
                               const struct qn_program_context *context, struct engine_work *work,
                               const struct qn_part_rows *part) {
  const uint64_t num_chunks = qn_sweep_chunks(part->end - part->begin);
  double sent = 0;
#pragma omp parallel for schedule(static)
  for (uint64_t chunk = 0; chunk < num_chunks; chunk++) {
    uint64_t begin = part->begin + chunk * QN_SWEEP_VERTICES, end = begin + QN_SWEEP_VERTICES;
    double sum = 0;
    for (uint64_t v = begin; v < (end < part->end ? end : part->end); v++) {
      uint64_t out_degree = sweep_out_degree(state->view, v);
      work->messages[v] = program_send(context, state->values[v], out_degree);
#if PROGRAM_AGGREGATE
      sum += program_aggregate(context, state->values[v], out_degree);
#endif
    }
    work->chunks.parts[chunk] = sum;
  }
  for (uint64_t chunk = 0; chunk < num_chunks; chunk++)
    sent += work->chunks.parts[chunk];
  return sent;
}

static inline void send_own(const struct engine_state *state,
                            const struct qn_program_context *context, struct engine_work *work) {
  for (uint64_t i = 0; i < state->view->num_parts; i++) {
    const struct qn_part_rows *part = &state->view->parts[i];
    work->sums[part->index].sent = send_part(state, context, work, part);
  }
}

/* All ranks learn what each part adds, if anybody asks. */
static inline enum qn_status share_sums(const struct engine_state *state, struct engine_work *work,
                                        struct part_sums *total, struct qn_error *error) {
  const engine_view *view = state->view;
  enum qn_status status = QN_OK;
  *total = (struct part_sums){0};
  if (!PROGRAM_AGGREGATE && !PROGRAM_CONVERGES)
    return QN_OK;
  status = share_array(view, view->first_parts, work->sums, sizeof *work->sums, error);
  for (uint64_t i = 0; !status && i < view->num_all_parts; i++) {
    total->sent += work->sums[i].sent;
    total->changed += work->sums[i].changed;
  }
  return status;
}

/* ---- Walking ---------------------------------------------------------------- */

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
  struct qn_program_context *context = &state->context, next = *context;
  struct part_sums total;
  enum qn_status status =
      share_array(view, view->first_vertices, work->messages, sizeof *work->messages, error);
  if (status)
    return status;
  for (uint64_t i = 0; i < view->num_parts; i++)
    work->sums[view->parts[i].index].changed = pull_part(state, work->messages, i, &work->chunks);
  next.iteration++;
  send_own(state, &next, work);
  status = share_sums(state, work, &total, error);
  step->mode = "pull";
  step->num_active = context->num_vertices;
  step->change = total.changed;
  sweep_begin(&next, total.sent);
  next.iteration--; /* engine_report counts it */
  *context = next;
  return status;
}

static inline uint64_t most_chunks(const struct engine_state *state) {
  uint64_t most = 0;
  for (uint64_t i = 0; i < state->view->num_parts; i++) {
    const struct qn_part_rows *part = &state->view->parts[i];
    const uint64_t sweep = qn_sweep_chunks(part->end - part->begin);
    const uint64_t rows = state->walk.chunks[i].num_chunks;
    most = sweep > most ? sweep : most;
    most = rows > most ? rows : most;
  }
  return most;
}

/* The messages of the first iteration; what they add up to may have been added up before. */
static inline enum qn_status send_first(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  double aggregate = state->context.aggregate;
  struct part_sums total;
  send_own(state, &state->context, work);
  enum qn_status status = share_sums(state, work, &total, error);
  if (!status)
    sweep_begin(&state->context, engine_resumed(state->request) ? aggregate : total.sent);
  return status;
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status =
      qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
  if (!status)
    status = qn_sum_create(&work->chunks, most_chunks(state), error);
  if (!status)
    status = qn_alloc_zeroed(&work->sums, state->view->num_all_parts, sizeof *work->sums,
                             "sums of parts", error);
  if (!status && !engine_is_finished(state->request, &state->context))
    status = send_first(state, work, error);
  return status;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  qn_free(work->sums);
  qn_sum_destroy(&work->chunks);
  qn_pages_free(work->messages, state->context.num_vertices, sizeof *work->messages);
}

#endif
