/* All-active programs on shards. Part of engine.h. */
#pragma once

#include "kernels/cpu/shards/view.h"

#include "kernels/cpu/loop/all_active.h"
#include "kernels/cpu/loop/gather.h"

static inline program_accumulator pull_edges(const struct engine_state *state,
                                             const struct engine_work *work, uint64_t begin,
                                             uint64_t end) {
  return engine_gather(&state->context, work->messages, state->view->in.column_indices,
                       &state->view->in.weights, begin, end);
}

/* Apply the rows that lie in the chunk whole; what it has of others goes to its replicas. */
static inline double pull_chunk(struct engine_state *state, const struct engine_work *work,
                                uint64_t index) {
  const struct qn_sh_chunk *chunk = &state->walk.chunks.chunks[index];
  const uint64_t *offsets = state->view->in.row_offsets;
  struct chunk_replicas *replicas = &state->walk.replicas[index];
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
    change += apply_vertex(state, v, pull_edges(state, work, offsets[v], offsets[v + 1]));
  replicas->last = pull_edges(state, work, offsets[v], chunk->edge_end);
  return change;
}

/* Combine the replicas of a batch in the order of edges, and apply the rows they are of. */
static inline double apply_cut_rows(struct engine_state *state, uint64_t first, uint64_t last) {
  program_accumulator open = program_identity(); /* of the row that has not ended yet */
  double change = 0;
  for (uint64_t index = first; index < last; index++) {
    const struct qn_sh_chunk *chunk = &state->walk.chunks.chunks[index];
    bool is_cut = qn_sh_chunk_is_cut(state->view, chunk);
    if (!is_cut)
      open = program_identity();
    if (chunk->row_begin == chunk->row_end) {
      program_combine(&open, state->walk.replicas[index].first);
      continue;
    }
    if (is_cut) {
      program_combine(&open, state->walk.replicas[index].first);
      change += apply_vertex(state, chunk->row_begin, open);
    }
    open = state->walk.replicas[index].last;
  }
  return change;
}

static inline double pull_batch(struct engine_state *state, struct engine_work *work,
                                uint64_t batch) {
  uint64_t first = state->walk.chunks.batches[batch], last = state->walk.chunks.batches[batch + 1];
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = first; chunk < last; chunk++)
    work->changed.parts[chunk] = pull_chunk(state, work, chunk);
  return apply_cut_rows(state, first, last);
}

/* By chunk, and one part for the rows that are cut. */
static inline uint64_t walk_parts(const struct engine_state *state) {
  return state->walk.chunks.num_chunks + 1;
}

/* The rows of a batch, which has whole pages, send what was applied to those of later batches.
 * Whatever the number of threads, a batch sees the same messages. */
static inline void send_batch(struct engine_state *state, struct engine_work *work,
                              uint64_t batch) {
  const struct qn_sh_chunks *chunks = &state->walk.chunks;
  uint64_t first = chunks->batches[batch], last = chunks->batches[batch + 1];
  if (first == last)
    return;
#pragma omp parallel for schedule(static)
  for (uint64_t v = chunks->chunks[first].row_begin; v < chunks->chunks[last - 1].row_end; v++)
    work->messages[v] = sweep_message(state, v);
}

static inline const char *walk_all(struct engine_state *state, struct engine_work *work) {
  double change = 0;
  for (uint64_t batch = 0; batch < state->walk.chunks.num_batches; batch++) {
    change += pull_batch(state, work, batch);
    if (state->request->asynchronous)
      send_batch(state, work, batch);
  }
  work->changed.parts[state->walk.chunks.num_chunks] = change;
  return "pull";
}
