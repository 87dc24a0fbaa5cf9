/* Steps of frontier programs that collect contributions first and apply them at the
 * iteration's end. Part of frontier.h. */
#ifndef QN_KERNELS_CPU_CSR_COLLECT_H
#define QN_KERNELS_CPU_CSR_COLLECT_H

#include "kernels/cpu/csr/frontier.h"

static inline void collect_edges(const struct engine_state *state, struct frontier_work *work,
                                 struct qn_queue_block *block, uint32_t u) {
  const struct qn_csr *out = state->out;
  program_message message =
      program_send(&state->context, state->values[u], sweep_out_degree(state->view, u));
  for (uint64_t edge = out->row_offsets[u]; edge < out->row_offsets[u + 1]; edge++) {
    uint32_t v = out->column_indices[edge];
    program_combine_atomic(&work->sums[v], program_gather(&state->context, message,
                                                          engine_weight(&out->weights, edge)));
    if (qn_frontier_insert(&work->received, v))
      qn_frontier_push(&work->received, block, v);
  }
}

static inline void apply_sum(struct engine_state *state, struct frontier_work *work,
                             struct frontier_share *share, uint32_t v, program_accumulator sum) {
  program_value old_value = state->values[v];
  state->values[v] = program_apply(&state->context, old_value, sum);
  if (program_active(&state->context, old_value, state->values[v])) {
    qn_frontier_insert(&work->next, v);
    share_push(state, work, share, v);
  }
}

static inline void frontier_push(struct engine_state *state, struct frontier_work *work) {
#pragma omp parallel if (work->current_edges > 1024)
  {
    struct qn_queue_block block = {.count = 0};
    struct frontier_share share = {.block.count = 0};
#pragma omp for schedule(dynamic, 64)
    for (uint64_t i = 0; i < work->current.count; i++)
      collect_edges(state, work, &block, work->current.queue[i]);
    qn_frontier_flush(&work->received, &block);
#pragma omp barrier
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < work->received.count; i++) {
      uint32_t v = work->received.queue[i];
      apply_sum(state, work, &share, v, work->sums[v]);
      work->sums[v] = program_identity();
    }
    share_finish(work, &share);
  }
  qn_frontier_clear(&work->received);
}

#if !ENGINE_OWN_PULL

static inline void collect_vertex(struct engine_state *state, struct frontier_work *work,
                                  struct frontier_share *share, uint32_t v) {
  const struct qn_csr *in = state->in;
  program_accumulator sum = program_identity();
  bool received = false;
  for (uint64_t edge = in->row_offsets[v]; edge < in->row_offsets[v + 1]; edge++) {
    uint32_t u = in->column_indices[edge];
    if (!qn_frontier_has(&work->current, u))
      continue;
    program_combine(&sum, program_gather(&state->context, work->messages[u],
                                         engine_weight(&in->weights, edge)));
    received = true;
  }
  if (received)
    apply_sum(state, work, share, v, sum);
}

static inline void frontier_pull(struct engine_state *state, struct frontier_work *work) {
  const struct qn_row_chunks *chunks = &state->chunks;
  qn_frontier_enqueue(&work->current);
#pragma omp parallel
  {
    struct frontier_share share = {.block.count = 0};
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < work->current.count; i++) {
      uint32_t u = work->current.queue[i];
      work->messages[u] =
          program_send(&state->context, state->values[u], sweep_out_degree(state->view, u));
    }
#pragma omp for schedule(dynamic, 1)
    for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
      for (uint32_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++)
        collect_vertex(state, work, &share, v);
    share_finish(work, &share);
  }
}

#endif

static inline enum qn_status collect_create(struct frontier_work *work, uint64_t num_vertices,
                                            struct qn_error *error) {
  enum qn_status status = qn_frontier_create(&work->received, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&work->sums, num_vertices, sizeof *work->sums, "accumulators", error);
#if !ENGINE_OWN_PULL
  if (!status)
    status =
        qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
#endif
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    work->sums[v] = program_identity();
  return QN_OK;
}

static inline void collect_destroy(struct frontier_work *work, uint64_t num_vertices) {
#if !ENGINE_OWN_PULL
  qn_pages_free(work->messages, num_vertices, sizeof *work->messages);
#endif
  qn_pages_free(work->sums, num_vertices, sizeof *work->sums);
  qn_frontier_destroy(&work->received);
}

#endif
