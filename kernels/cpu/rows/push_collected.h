/* Pushing along plain out-edges (frontier.h) in programs whose contributions are collected first,
 * and applied at the iteration's end. Part of the engines that include frontier.h. */
#pragma once

#include "kernels/cpu/rows/frontier.h"

static inline void collect_edges(const struct engine_state *state, struct engine_work *work,
                                 struct qn_queue_block *block, uint32_t u) {
  const struct qn_csr *out = state->walk.out;
  program_message message = sweep_message(state, u);
  for (uint64_t edge = out->row_offsets[u]; edge < out->row_offsets[u + 1]; edge++) {
    uint32_t v = out->column_indices[edge];
    program_accumulator contribution = program_contribution(
        &state->context, message, engine_weight(&out->weights, edge), state->values, v);
    if (program_refuses(contribution))
      continue;
    program_combine_atomic(&work->sums[v], contribution);
    if (qn_frontier_insert(&work->received, v))
      qn_frontier_push(&work->received, block, v);
  }
}

static inline void apply_sum(struct engine_state *state, struct engine_work *work,
                             struct frontier_share *share, uint32_t v, program_accumulator sum) {
  program_value old_value = state->values[v];
  state->values[v] = program_apply(&state->context, old_value, sum);
  if (program_active(&state->context, old_value, state->values[v])) {
    qn_frontier_insert(&work->next, v);
    share_push(state, work, share, v);
  }
}

static inline void frontier_push(struct engine_state *state, struct engine_work *work) {
#pragma omp parallel if (work->current_edges > PUSH_ALONE)
  {
    struct qn_queue_block block = {.count = 0};
    struct frontier_share share = {.block.count = 0};
#pragma omp for schedule(dynamic, push_chunk(work->current.count))
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
