/* Frontier programs that pull along plain in-edges. Part of engine.h. */
#ifndef QN_KERNELS_CPU_CSR_FRONTIER_PULL_H
#define QN_KERNELS_CPU_CSR_FRONTIER_PULL_H

#include <string.h>

#include "kernels/cpu/csr/view.h"

#include "kernels/cpu/csr/push.h"

static inline bool frontier_can_pull(const struct engine_state *state) {
  return state->walk.in != NULL;
}

static inline bool frontier_keeps_messages(void) {
  return !PROGRAM_IN_PLACE; /* values change while others pull */
}

#if PROGRAM_IN_PLACE

/* Write an accumulator that nobody else writes, but others read (lane by lane). */
static inline void program_store_atomic(program_accumulator *into, program_accumulator from) {
  for (int lane = 0; lane < PROGRAM_LANES; lane++) {
    lane_bits bits;
    memcpy(&bits, (const program_lane *)&from + lane, sizeof bits);
    __atomic_store_n((lane_bits *)into + lane, bits, __ATOMIC_RELAXED);
  }
}

/* What all senders of a step send, where it is the same: then nobody looks at their values, which
 * lie anywhere. */
struct common_message {
  bool is_known;
  program_message message;
};

#if PROGRAM_FIRST_SUFFICES

static inline struct common_message find_common_message(const struct engine_state *state,
                                                        const struct engine_work *work) {
  const uint64_t *bits = work->current.bits, words = qn_frontier_words(&work->current);
  struct common_message common = {.is_known = false};
  uint64_t first = 0;
  while (first < words && !bits[first])
    first++;
  if (first == words)
    return common;
  common.message = sweep_message(state, first * 64 + (uint64_t)__builtin_ctzll(bits[first]));
  bool same = true;
#pragma omp parallel for schedule(static) reduction(&& : same)
  for (uint64_t word = first; word < words; word++)
    for (uint64_t left = bits[word]; left; left &= left - 1) {
      const program_message message =
          sweep_message(state, word * 64 + (uint64_t)__builtin_ctzll(left));
      same = same && memcmp(&message, &common.message, sizeof message) == 0;
    }
  common.is_known = same;
  return common;
}

#else

static inline struct common_message find_common_message(const struct engine_state *state,
                                                        const struct engine_work *work) {
  (void)state, (void)work;
  return (struct common_message){.is_known = false};
}

#endif

/* Combine into `v` what the senders among its in-neighbours offer; whether it changed. Nobody else
 * writes its value. */
static inline bool pull_vertex(struct engine_state *state, const struct engine_work *work,
                               const struct common_message *common, uint32_t v) {
  const struct qn_csr *in = state->walk.in;
  const uint32_t *sources = in->column_indices;
  const struct qn_frontier senders = work->current; /* local: atomics make no reload necessary */
  uint64_t end = in->row_offsets[v + 1];
  program_value old_value = state->values[v], new_value = old_value;
  for (uint64_t edge = in->row_offsets[v]; edge < end; edge++) {
    if (!qn_frontier_has(&senders, sources[edge]))
      continue;
    program_message message =
        common->is_known ? common->message : sweep_current_message(state, sources[edge]);
    program_combine(&new_value,
                    program_gather(&state->context, message, engine_weight(&in->weights, edge)));
    if (PROGRAM_FIRST_SUFFICES)
      break;
  }
  if (!program_active(&state->context, old_value, new_value))
    return false;
  program_store_atomic(&state->values[v], new_value);
  return true;
}

/* The vertices of a word of the bitmap that are open and have in-edges. */
static inline uint64_t find_open(const struct engine_state *state, uint64_t word) {
  const uint64_t *offsets = state->walk.in->row_offsets;
  uint64_t num_vertices = state->context.num_vertices;
  uint64_t end = word * 64 + 64 < num_vertices ? word * 64 + 64 : num_vertices;
  uint64_t open = 0;
  for (uint64_t v = word * 64; v < end; v++)
    open |= (uint64_t)(sweep_is_open(state, v) & (offsets[v] < offsets[v + 1])) << (v % 64);
  return open;
}

/* Those that may be reached: after a pull they are what it has left. */
static inline uint64_t find_receivers(const struct engine_state *state,
                                      const struct engine_work *work, uint64_t word) {
#if PROGRAM_FIRST_SUFFICES
  if (work->open_in > 0 && work->open_in == state->context.iteration)
    return work->open[word];
#else
  (void)work;
#endif
  return find_open(state, word);
}

/* Which of the receivers of a word get something. Their first in-edges are asked for at once: one
 * after the other, each would be waited for. */
static inline uint64_t pull_word(struct engine_state *state, const struct engine_work *work,
                                 const struct common_message *common, uint64_t word,
                                 uint64_t receivers, uint64_t *edges) {
  const struct qn_csr *in = state->walk.in;
  uint64_t reached = 0;
  for (uint64_t left = receivers; left; left &= left - 1)
    __builtin_prefetch(
        &in->column_indices[in->row_offsets[word * 64 + (uint64_t)__builtin_ctzll(left)]]);
  for (uint64_t left = receivers; left; left &= left - 1) {
    uint32_t v = (uint32_t)(word * 64 + (uint64_t)__builtin_ctzll(left));
    if (!pull_vertex(state, work, common, v))
      continue;
    reached |= left & -left;
    *edges += engine_out_degree(state->view, v);
  }
  return reached;
}

static inline void frontier_pull(struct engine_state *state, struct engine_work *work) {
  const struct common_message common = find_common_message(state, work);
  uint64_t count = 0, edges = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : count, edges)
  for (uint64_t word = 0; word < qn_frontier_words(&work->next); word++) {
    uint64_t receivers = find_receivers(state, work, word);
    uint64_t reached = pull_word(state, work, &common, word, receivers, &edges);
    work->next.bits[word] = reached;
    count += (uint64_t)__builtin_popcountll(reached);
#if PROGRAM_FIRST_SUFFICES
    work->open[word] = receivers & ~reached;
#endif
  }
#if PROGRAM_FIRST_SUFFICES
  work->open_in = state->context.iteration + 1;
#endif
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
