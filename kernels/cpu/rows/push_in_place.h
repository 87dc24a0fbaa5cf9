/* Pushing along plain out-edges (frontier.h) in programs that combine into the value itself: a
 * value may be read while another thread improves it; either is a value that the vertex had, and
 * the improvement puts the vertex into the next frontier. Part of the engines that include
 * frontier.h; those that define WALK_PUSHES_BESIDE have edges that are not in walk.out. */
#pragma once

#include <omp.h>

#include "kernels/cpu/rows/frontier.h"

/* What comes to v along an edge. */
static inline void push_contribution(struct engine_state *state, struct engine_work *work,
                                     struct frontier_share *share, program_accumulator contribution,
                                     uint32_t v) {
  if (!program_combine_atomic(&state->values[v], contribution))
    return;
  if (sweep_waits(&work->waiting, state, contribution, v))
    return;
  /* A value that changes only once enters the frontier only once. */
  if (PROGRAM_FIRST_SUFFICES || qn_frontier_insert(&work->next, v))
    share_push(state, work, share, v);
}

static inline void push_edges(struct engine_state *state, struct engine_work *work,
                              struct frontier_share *share, program_message message, uint64_t begin,
                              uint64_t end) {
  const struct qn_csr *out = state->walk.out;
  for (uint64_t edge = begin; edge < end; edge++) {
    uint32_t v = out->column_indices[edge];
    if (end - edge > PUSH_AHEAD)
      __builtin_prefetch(&state->values[out->column_indices[edge + PUSH_AHEAD]]);
    push_contribution(state, work, share,
                      program_gather(&state->context, message, engine_weight(&out->weights, edge)),
                      v);
  }
}

#ifdef WALK_PUSHES_BESIDE
static inline void push_beside(struct engine_state *state, struct engine_work *work,
                               struct frontier_share *share, uint32_t u);
#endif

/* Rows that are long are shared by all threads; up to so many of them, as others are waiting. */
#define PUSH_LONG 4096
#define PUSH_LONG_ROWS 1024

struct push_long {
  uint64_t count; /* may be more than there is room for */
  uint32_t rows[PUSH_LONG_ROWS];
};

static inline void push_vertex(struct engine_state *state, struct engine_work *work,
                               struct frontier_share *share, struct push_long *shared, uint32_t u) {
  const uint64_t *offsets = state->walk.out->row_offsets;
#ifdef WALK_PUSHES_BESIDE
  push_beside(state, work, share, u);
#endif
  if (offsets[u + 1] - offsets[u] > PUSH_LONG) {
    const uint64_t place = __atomic_fetch_add(&shared->count, 1, __ATOMIC_RELAXED);
    if (place < PUSH_LONG_ROWS) {
      shared->rows[place] = u;
      return;
    }
  }
  push_edges(state, work, share, sweep_current_message(state, u), offsets[u], offsets[u + 1]);
}

/* This thread's parts of the long rows. */
static inline void push_long_rows(struct engine_state *state, struct engine_work *work,
                                  struct frontier_share *share, const struct push_long *shared) {
  const uint64_t *offsets = state->walk.out->row_offsets;
  for (uint64_t i = 0; i < shared->count && i < PUSH_LONG_ROWS; i++) {
    const uint32_t u = shared->rows[i];
    uint64_t begin, end;
    qn_part_of(offsets[u + 1] - offsets[u], (uint64_t)omp_get_num_threads(),
               (uint64_t)omp_get_thread_num(), &begin, &end);
    push_edges(state, work, share, sweep_current_message(state, u), offsets[u] + begin,
               offsets[u] + end);
  }
}

static inline void frontier_push(struct engine_state *state, struct engine_work *work) {
  const struct qn_frontier *current = &work->current;
  struct push_long shared;
  shared.count = 0;
#pragma omp parallel if (work->current_edges > PUSH_ALONE)
  {
    struct frontier_share share = {.block.count = 0};
#pragma omp for schedule(dynamic, push_chunk(current->count))
    for (uint64_t i = 0; i < current->count; i++)
      push_vertex(state, work, &share, &shared, current->queue[i]);
    push_long_rows(state, work, &share, &shared);
    share_finish(work, &share);
  }
  work->next.queued = true;
  work->next.marked = !PROGRAM_FIRST_SUFFICES;
}
