/* Pushing along plain out-edges (frontier.h). Part of the engines that include frontier.h.
 *
 * Programs that combine into the value itself do: a value may be read while another thread improves
 * it; either is a value that the vertex had, and the improvement puts the vertex into the next
 * frontier. The others collect contributions, and apply them at the iteration's end. */
#ifndef QN_KERNELS_CPU_CSR_PUSH_H
#define QN_KERNELS_CPU_CSR_PUSH_H

#include "kernels/cpu/csr/frontier.h"
#include "kernels/cpu/loop/combine.h"

#if PROGRAM_IN_PLACE

/* Edges whose receivers are asked for while one waits for another: an atomic operation waits for
 * all that is under way. */
#define PUSH_AHEAD 16

static inline void push_edges(struct engine_state *state, struct engine_work *work,
                              struct frontier_share *share, program_message message, uint64_t begin,
                              uint64_t end) {
  const struct qn_csr *out = state->walk.out;
  for (uint64_t edge = begin; edge < end; edge++) {
    uint32_t v = out->column_indices[edge];
    if (end - edge > PUSH_AHEAD)
      __builtin_prefetch(&state->values[out->column_indices[edge + PUSH_AHEAD]]);
    program_accumulator contribution =
        program_gather(&state->context, message, engine_weight(&out->weights, edge));
    if (!program_combine_atomic(&state->values[v], contribution))
      continue;
    if (sweep_waits(&work->waiting, state, contribution, v))
      continue;
    /* A value that changes only once enters the frontier only once. */
    if (PROGRAM_FIRST_SUFFICES || qn_frontier_insert(&work->next, v))
      share_push(state, work, share, v);
  }
}

/* All threads share the edges of one vertex. */
static inline void push_hub(struct engine_state *state, struct engine_work *work, uint32_t u) {
  const uint64_t *offsets = state->walk.out->row_offsets;
  program_message message = sweep_current_message(state, u);
#pragma omp parallel
  {
    struct frontier_share share = {.block.count = 0};
#pragma omp for schedule(static)
    for (uint64_t edge = offsets[u]; edge < offsets[u + 1]; edge++)
      push_edges(state, work, &share, message, edge, edge + 1);
    share_finish(work, &share);
  }
}

static inline void frontier_push(struct engine_state *state, struct engine_work *work) {
  const uint64_t *offsets = state->walk.out->row_offsets;
  const struct qn_frontier *current = &work->current;
  bool has_hubs = false;
#pragma omp parallel if (work->current_edges > 1024)
  {
    struct frontier_share share = {.block.count = 0};
#pragma omp for schedule(dynamic, 64) reduction(|| : has_hubs)
    for (uint64_t i = 0; i < current->count; i++) {
      uint32_t u = current->queue[i];
      if (offsets[u + 1] - offsets[u] > QN_HUB_EDGES)
        has_hubs = true;
      else
        push_edges(state, work, &share, sweep_current_message(state, u), offsets[u],
                   offsets[u + 1]);
    }
    share_finish(work, &share);
  }
  for (uint64_t i = 0; has_hubs && i < current->count; i++)
    if (offsets[current->queue[i] + 1] - offsets[current->queue[i]] > QN_HUB_EDGES)
      push_hub(state, work, current->queue[i]);
  work->next.queued = true;
  work->next.marked = !PROGRAM_FIRST_SUFFICES;
}

#else

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

#endif

#endif
