/* What schedules do with all vertices, or with those of a frontier. Part of the engines on the CPU
 * (state.h). */
#pragma once

#include "kernels/cpu/loop/combine.h"
#include "kernels/cpu/loop/state.h"

/* How many edges ahead receivers are prefetched: an atomic operation waits for all loads and stores
 * that are under way. */
#define PUSH_AHEAD 16

/* What a vertex sends now, while other threads may combine into its value. */
static inline program_message sweep_current_message(const struct engine_state *state,
                                                    uint64_t vertex) {
#if PROGRAM_IN_PLACE
  return program_send(&state->context, program_load_atomic(&state->values[vertex]),
                      sweep_out_degree(state->view, vertex));
#else
  return sweep_message(state, vertex);
#endif
}

/* Accumulators [V], each of which begins as the identity. */
static inline enum qn_status sweep_sums_create(program_accumulator **sums, uint64_t num_vertices,
                                               struct qn_error *error) {
  enum qn_status status = qn_pages_alloc(sums, num_vertices, sizeof **sums, "accumulators", error);
  if (status)
    return status;
  program_accumulator *first = *sums;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    first[v] = program_identity();
  return QN_OK;
}

/* Out-edges of the vertices of a queue. */
static inline uint64_t sweep_queue_edges(const struct engine_state *state,
                                         const struct qn_frontier *frontier) {
  uint64_t edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : edges) if (frontier->count > 4096)
  for (uint64_t i = 0; i < frontier->count; i++)
    edges += engine_out_degree(state->view, frontier->queue[i]);
  return edges;
}

/* Mark the vertices that cannot change any more in `closed` [V / 64 + 1]. */
static inline void sweep_find_closed(const struct engine_state *state, uint64_t *closed) {
  uint64_t num_vertices = state->context.num_vertices;
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word <= num_vertices / 64; word++) {
    uint64_t bits = 0;
    for (uint64_t v = word * 64; v < word * 64 + 64 && v < num_vertices; v++)
      if (!sweep_is_open(state, v))
        bits |= (uint64_t)1 << (v % 64);
    closed[word] = bits;
  }
}

/* What all senders of a step contribute, where it is the same: then nobody looks at their values,
 * which lie anywhere. */
struct common_message {
  bool is_known;
  program_accumulator contribution;
};

static inline struct common_message find_common_message(const struct engine_state *state,
                                                        const struct qn_frontier *senders,
                                                        bool alike) {
  struct common_message common = {.is_known = false};
#if PROGRAM_FIRST_SUFFICES && !PROGRAM_USES_WEIGHTS
  const uint64_t *bits = senders->bits, words = qn_frontier_words(senders);
  uint64_t first = 0;
  while (first < words && !bits[first])
    first++;
  if (first == words)
    return common;
  const program_message one =
      sweep_message(state, first * 64 + (uint64_t)__builtin_ctzll(bits[first]));
  bool same = true;
#pragma omp parallel for schedule(static) reduction(&& : same) if (!alike)
  for (uint64_t word = first; word < (alike ? first : words); word++)
    for (uint64_t left = bits[word]; left; left &= left - 1) {
      const program_message message =
          sweep_message(state, word * 64 + (uint64_t)__builtin_ctzll(left));
      same = same && memcmp(&message, &one, sizeof message) == 0;
    }
  common.is_known = same;
  common.contribution = program_gather(&state->context, one, 1);
#else
  (void)state, (void)senders, (void)alike;
#endif
  return common;
}
