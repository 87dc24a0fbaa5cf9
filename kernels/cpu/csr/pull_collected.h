/* Pulling along plain in-edges in frontier programs that do not combine into the value itself: the
 * rows of a chunk belong to one thread, so sums have one order. Part of engine.h. */
#pragma once

#include "kernels/cpu/csr/view.h"

#include "kernels/cpu/rows/push_collected.h"

static inline bool frontier_can_pull(const struct engine_state *state) {
  return state->walk.in != NULL;
}

static inline bool frontier_keeps_messages(void) {
  return true; /* values change while others pull */
}

static inline void collect_vertex(struct engine_state *state, struct engine_work *work,
                                  struct frontier_share *share, uint32_t v) {
  const struct qn_csr *in = state->walk.in;
  program_accumulator sum = program_identity();
  bool received = false;
  for (uint64_t edge = in->row_offsets[v]; edge < in->row_offsets[v + 1]; edge++) {
    uint32_t u = in->column_indices[edge];
    if (!qn_frontier_has(&work->current, u))
      continue;
    program_combine(&sum,
                    program_contribution(&state->context, work->messages[u],
                                         engine_weight(&in->weights, edge), state->values, v));
    received = true;
  }
  if (received)
    apply_sum(state, work, share, v, sum);
}

static inline void frontier_pull(struct engine_state *state, struct engine_work *work) {
  const struct qn_row_chunks *chunks = &state->walk.chunks;
  qn_frontier_enqueue(&work->current);
#pragma omp parallel
  {
    struct frontier_share share = {.block.count = 0};
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < work->current.count; i++) {
      uint32_t u = work->current.queue[i];
      work->messages[u] = sweep_message(state, u);
    }
#pragma omp for schedule(dynamic, 1)
    for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
      for (uint32_t v = chunks->bounds[chunk]; v < chunks->bounds[chunk + 1]; v++)
        collect_vertex(state, work, &share, v);
    share_finish(work, &share);
  }
}
