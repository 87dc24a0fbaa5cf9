/* All-active programs on shards. Part of engine.h. */
#ifndef QN_KERNELS_CPU_SHARDS_ALL_H
#define QN_KERNELS_CPU_SHARDS_ALL_H

#include "kernels/cpu/shards/engine.h"

#define ENGINE_NAME "shards, pull"

struct all_work {
  program_message *messages; /* [V] */
  struct qn_sum sent;        /* aggregate, by sweep chunk */
  struct qn_sum changed;     /* change, by chunk, and one part for the rows that are cut */
};

static inline program_accumulator pull_edges(const struct engine_state *state,
                                             const struct all_work *work, uint64_t begin,
                                             uint64_t end) {
  return engine_gather(&state->context, work->messages, state->view->in.column_indices,
                       &state->view->in.weights, begin, end);
}

/* Returns the change. */
static inline double apply_row(struct engine_state *state, uint64_t v, program_accumulator sum) {
  program_value old_value = state->values[v];
  state->values[v] = program_apply(&state->context, old_value, sum);
#if PROGRAM_CONVERGES
  return program_change(&state->context, old_value, state->values[v]);
#else
  return 0;
#endif
}

/* Apply the rows that lie in the chunk whole; what it has of others goes to its replicas. */
static inline double pull_chunk(struct engine_state *state, const struct all_work *work,
                                uint64_t index) {
  const struct qn_sh_chunk *chunk = &state->chunks.chunks[index];
  const uint64_t *offsets = state->view->in.row_offsets;
  struct chunk_replicas *replicas = &state->replicas[index];
  double change = 0;
  if (chunk->row_begin == chunk->row_end) {
    replicas->first = pull_edges(state, work, chunk->edge_begin, chunk->edge_end);
    return 0;
  }
  uint64_t v = chunk->row_begin;
  if (qn_sh_chunk_is_cut(state->view, chunk)) {
    replicas->first = pull_edges(state, work, chunk->edge_begin, offsets[v + 1]);
    v++;
  }
  for (; v < chunk->row_end; v++)
    change += apply_row(state, v, pull_edges(state, work, offsets[v], offsets[v + 1]));
  replicas->last = pull_edges(state, work, offsets[v], chunk->edge_end);
  return change;
}

/* Combine the replicas of a batch in the order of edges, and apply the rows they are of. */
static inline double apply_cut_rows(struct engine_state *state, uint64_t first, uint64_t last) {
  program_accumulator open = program_identity(); /* of the row that has not ended yet */
  double change = 0;
  for (uint64_t index = first; index < last; index++) {
    const struct qn_sh_chunk *chunk = &state->chunks.chunks[index];
    bool is_cut = qn_sh_chunk_is_cut(state->view, chunk);
    if (!is_cut)
      open = program_identity();
    if (chunk->row_begin == chunk->row_end) {
      program_combine(&open, state->replicas[index].first);
      continue;
    }
    if (is_cut) {
      program_combine(&open, state->replicas[index].first);
      change += apply_row(state, chunk->row_begin, open);
    }
    open = state->replicas[index].last;
  }
  return change;
}

static inline double pull_batch(struct engine_state *state, struct all_work *work, uint64_t batch) {
  uint64_t first = state->chunks.batches[batch], last = state->chunks.batches[batch + 1];
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = first; chunk < last; chunk++)
    work->changed.parts[chunk] = pull_chunk(state, work, chunk);
  return apply_cut_rows(state, first, last);
}

/* One iteration; returns the change. */
static inline double all_step(struct engine_state *state, struct all_work *work) {
  uint64_t num_chunks = state->chunks.num_chunks;
  double change = 0;
  sweep_send(&state->context, state->view, state->values, work->messages, &work->sent);
  for (uint64_t batch = 0; batch < state->chunks.num_batches; batch++)
    change += pull_batch(state, work, batch);
  work->changed.parts[num_chunks] = change;
  return qn_sum_total(&work->changed);
}

static inline enum qn_status all_iterations(struct engine_state *state, struct all_work *work,
                                            struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (bool finished = engine_is_finished(state->request, &state->context); !status && !finished;) {
    double begin = qn_seconds();
    double change = all_step(state, work);
    finished = engine_end_iteration(state->request, &state->context, state->result, "pull",
                                    state->context.num_vertices, change, begin);
    if (PROGRAM_CONVERGES && change < state->context.tolerance)
      finished = state->result->converged = true;
    if (!finished)
      status =
          sweep_keep(state->request, &state->context, state->result, state->values, NULL, error);
  }
  return status;
}

static inline void all_destroy(const struct engine_state *state, struct all_work *work) {
  qn_sum_destroy(&work->changed);
  qn_sum_destroy(&work->sent);
  qn_pages_free(work->messages, state->context.num_vertices, sizeof *work->messages);
}

static inline enum qn_status all_create(const struct engine_state *state, struct all_work *work,
                                        struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status =
      qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
  if (!status)
    status = qn_sum_create(&work->sent, qn_sweep_chunks(num_vertices), error);
  if (!status)
    status = qn_sum_create(&work->changed, state->chunks.num_chunks + 1, error);
  return status;
}

static inline enum qn_status engine_iterate(struct engine_state *state, struct qn_error *error) {
  struct all_work work = {0};
  enum qn_status status = all_create(state, &work, error);
  if (!status)
    status = all_iterations(state, &work, error);
  all_destroy(state, &work);
  return status;
}

#endif
