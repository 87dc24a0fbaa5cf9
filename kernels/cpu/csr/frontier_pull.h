/* Frontier programs that pull along plain in-edges. Part of engine.h. */
#ifndef QN_KERNELS_CPU_CSR_FRONTIER_PULL_H
#define QN_KERNELS_CPU_CSR_FRONTIER_PULL_H

#include "kernels/cpu/csr/view.h"

#include "kernels/cpu/csr/push.h"

static inline bool frontier_can_pull(const struct engine_state *state) {
  return state->walk.in != NULL;
}

static inline bool frontier_keeps_messages(void) {
  return !PROGRAM_IN_PLACE; /* values change while others pull */
}

#if PROGRAM_IN_PLACE

/* Combine into `v` what the senders among its in-neighbours offer; whether it changed. */
static inline bool pull_vertex(struct engine_state *state, const struct engine_work *work,
                               uint32_t v) {
  const struct qn_csr *in = state->walk.in;
  const uint32_t *sources = in->column_indices;
  const struct qn_frontier senders = work->current; /* local: atomics make no reload necessary */
  uint64_t end = in->row_offsets[v + 1];
  program_value old_value = state->values[v], new_value = old_value;
  for (uint64_t edge = in->row_offsets[v]; edge < end; edge++) {
    if (!qn_frontier_has(&senders, sources[edge]))
      continue;
    program_combine(&new_value,
                    program_gather(&state->context, sweep_current_message(state, sources[edge]),
                                   engine_weight(&in->weights, edge)));
    if (PROGRAM_FIRST_SUFFICES)
      break;
  }
  if (!program_active(&state->context, old_value, new_value))
    return false;
  program_combine_atomic(&state->values[v], new_value);
  return true;
}

/* The vertices of a word of the bitmap that are open and have in-edges, whose first ones are asked
 * for at once: one after the other, each would be waited for. Returns their number. */
static inline uint32_t find_receivers(const struct engine_state *state, uint64_t word,
                                      uint32_t *receivers) {
  const uint64_t *offsets = state->walk.in->row_offsets;
  uint64_t num_vertices = state->context.num_vertices;
  uint64_t end = word * 64 + 64 < num_vertices ? word * 64 + 64 : num_vertices;
  uint32_t count = 0;
  for (uint64_t v = word * 64; v < end; v++) {
    receivers[count] = (uint32_t)v;
    count += sweep_is_open(state, v) & (offsets[v] < offsets[v + 1]);
  }
  for (uint32_t i = 0; i < count; i++)
    __builtin_prefetch(&state->walk.in->column_indices[offsets[receivers[i]]]);
  return count;
}

static inline void frontier_pull(struct engine_state *state, struct engine_work *work) {
  uint64_t count = 0, edges = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : count, edges)
  for (uint64_t word = 0; word < qn_frontier_words(&work->next); word++) {
    uint32_t receivers[64];
    uint32_t num_receivers = find_receivers(state, word, receivers);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < num_receivers; i++)
      if (pull_vertex(state, work, receivers[i])) {
        bits |= (uint64_t)1 << (receivers[i] % 64);
        edges += engine_out_degree(state->view, receivers[i]);
      }
    work->next.bits[word] = bits;
    count += (uint64_t)__builtin_popcountll(bits);
  }
  frontier_marked(work, count, edges);
}

#else

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

#endif

#endif
