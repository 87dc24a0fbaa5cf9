/* All-active programs on CSR: every vertex pulls from its in-edges. Part of engine.h.
 *
 * The messages of the next iteration are made as soon as a vertex has its new value, which
 * spares a sweep over all vertices; hence two arrays of them. */
#pragma once

#include "kernels/cpu/csr/view.h"

#include "kernels/cpu/loop/gather.h"
#include "kernels/cpu/loop/sending.h"
#include "support/search.h"

/* Edges of a hub that one thread combines at a time. */
#define HUB_SEGMENT ((uint64_t)1 << 16)

struct engine_work {
  program_message *messages;         /* [V] of this iteration */
  program_message *next_messages;    /* [V] */
  program_accumulator *hubs;         /* [num_hubs] accumulators of the hubs, and one of none */
  program_accumulator *hub_segments; /* [most segments of a hub] */
  struct qn_sum first_sent;          /* aggregate before the first iteration, by sweep chunk */
  struct qn_sum sent;                /* aggregate before the next iteration, by chunk of rows */
  struct qn_sum changed;             /* change, by chunk of rows */
};

static inline program_accumulator pull_edges(const struct engine_state *state,
                                             const program_message *messages, uint64_t begin,
                                             uint64_t end) {
  return engine_gather(&state->context, messages, state->walk.in->column_indices,
                       &state->walk.in->weights, begin, end);
}

static inline uint64_t most_segments(const struct engine_state *state) {
  return state->context.num_edges / HUB_SEGMENT + 1;
}

/* All threads share a hub's edges, in segments combined in order. */
static inline void pull_hubs(const struct engine_state *state, struct engine_work *work) {
  for (uint64_t hub = 0; hub < state->walk.chunks.num_hubs; hub++) {
    uint64_t begin = state->walk.in->row_offsets[state->walk.chunks.hubs[hub]];
    uint64_t end = state->walk.in->row_offsets[state->walk.chunks.hubs[hub] + 1];
    uint64_t num_segments = (end - begin + HUB_SEGMENT - 1) / HUB_SEGMENT;
    if (num_segments > most_segments(state)) /* of a file as it was checked */
      num_segments = 0;
#pragma omp parallel for schedule(static)
    for (uint64_t segment = 0; segment < num_segments; segment++) {
      uint64_t first = begin + segment * HUB_SEGMENT;
      uint64_t last = first + HUB_SEGMENT < end ? first + HUB_SEGMENT : end;
      work->hub_segments[segment] = pull_edges(state, work->messages, first, last);
    }
    work->hubs[hub] = program_identity();
    for (uint64_t segment = 0; segment < num_segments; segment++)
      program_combine(&work->hubs[hub], work->hub_segments[segment]);
  }
}

static inline program_accumulator hub_accumulator(const struct engine_state *state,
                                                  const struct engine_work *work, uint32_t vertex) {
  const struct qn_row_chunks *chunks = &state->walk.chunks;
  return work->hubs[qn_lower_bound_u32(chunks->hubs, 0, chunks->num_hubs, vertex)];
}

/* Pull and apply the rows of one chunk, and send for the next iteration. */
static inline void pull_chunk(const struct engine_state *state, struct engine_work *work,
                              const struct qn_program_context *next, uint64_t chunk) {
  const uint64_t *offsets = state->walk.in->row_offsets;
  double change = 0, sent = 0;
  for (uint32_t v = state->walk.chunks.bounds[chunk]; v < state->walk.chunks.bounds[chunk + 1];
       v++) {
    uint64_t begin = offsets[v], end = offsets[v + 1];
    program_accumulator sum = end - begin > QN_HUB_EDGES
                                  ? hub_accumulator(state, work, v)
                                  : pull_edges(state, work->messages, begin, end);
    program_value old_value = state->values[v];
    program_value new_value = program_apply(&state->context, old_value, sum);
    uint64_t out_degree = sweep_out_degree(state->view, v);
    state->values[v] = new_value;
    work->next_messages[v] = program_send(next, new_value, out_degree);
#if PROGRAM_CONVERGES
    change += program_change(&state->context, old_value, new_value);
#endif
#if PROGRAM_AGGREGATE
    sent += program_aggregate(next, new_value, out_degree);
#endif
  }
  work->changed.parts[chunk] = change;
  work->sent.parts[chunk] = sent;
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  struct qn_program_context *context = &state->context, next = *context;
  (void)error;
  next.iteration++;
  pull_hubs(state, work);
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = 0; chunk < state->walk.chunks.num_chunks; chunk++)
    pull_chunk(state, work, &next, chunk);
  program_message *done = work->messages;
  work->messages = work->next_messages;
  work->next_messages = done;
  step->mode = "pull";
  step->num_active = context->num_vertices;
  step->change = qn_sum_total(&work->changed);
  sweep_begin(&next, qn_sum_total(&work->sent));
  next.iteration--; /* engine_report counts it */
  *context = next;
  return QN_OK;
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  const struct qn_row_chunks *chunks = &state->walk.chunks;
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status =
      qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
  if (!status)
    status = qn_alloc(&work->hubs, chunks->num_hubs + 1, sizeof *work->hubs, "sums of hubs", error);
  if (!status)
    status = qn_alloc(&work->hub_segments, most_segments(state), sizeof *work->hub_segments,
                      "sums of hubs", error);
  if (!status)
    status = qn_pages_alloc(&work->next_messages, num_vertices, sizeof *work->messages, "messages",
                            error);
  if (!status)
    status = qn_sum_create(&work->first_sent, qn_sweep_chunks(num_vertices), error);
  if (!status)
    status = qn_sum_create(&work->sent, chunks->num_chunks, error);
  if (!status)
    status = qn_sum_create(&work->changed, chunks->num_chunks, error);
  return status;
}

/* The messages of the first iteration. */
static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  (void)error;
  if (!engine_is_finished(state->request, &state->context))
    sweep_begin_first(&state->context, sweep_send_all(state, work->messages, &work->first_sent));
  return QN_OK;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  uint64_t num_vertices = state->context.num_vertices;
  qn_sum_destroy(&work->changed);
  qn_sum_destroy(&work->sent);
  qn_sum_destroy(&work->first_sent);
  qn_free(work->hub_segments);
  qn_free(work->hubs);
  qn_pages_free(work->next_messages, num_vertices, sizeof *work->messages);
  qn_pages_free(work->messages, num_vertices, sizeof *work->messages);
}
