/* Frontier programs where a walk goes through all rows (walk_frame.h): push along plain out-edges
 * while the frontier is small, and walk with its bitmap while it is large (frontier.h). */
#pragma once

#include "kernels/cpu/rows/walk_frame.h"
#if PROGRAM_IN_PLACE
#include "kernels/cpu/rows/push_in_place.h"
#else
#include "kernels/cpu/rows/push_collected.h"
#endif

static inline bool frontier_keeps_messages(void) {
  return true;
}

static inline void walk_send(const struct engine_state *state, struct engine_work *work) {
  const struct qn_frontier *senders = &work->current;
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < qn_frontier_words(senders); word++)
    for (uint64_t bits = senders->bits[word]; bits; bits &= bits - 1) {
      uint64_t u = word * 64 + (uint64_t)__builtin_ctzll(bits);
      work->messages[u] = sweep_message(state, u);
    }
}

/* Apply what the vertices of a range received; those that it activates are in `next`. Counts them
 * and their out-edges. */
static inline void apply_range(struct engine_state *state, struct engine_work *work, uint64_t range,
                               const program_accumulator *sums, const uint8_t *received,
                               uint64_t *count, uint64_t *edges) {
  uint64_t *next = work->next.bits;
  for (uint64_t first = range * WALK_RANGE, v = first; v < walk_range_end(state, range); v++) {
    program_value old_value = state->values[v];
    if (v % 64 == 0)
      next[v / 64] = 0;
    if (!received[v - first])
      continue;
    state->values[v] = program_apply(&state->context, old_value, sums[v - first]);
    if (!program_active(&state->context, old_value, state->values[v]) ||
        sweep_waits(&work->waiting, state, state->values[v], v))
      continue;
    next[v / 64] |= (uint64_t)1 << (v % 64);
    *count += 1;
    *edges += engine_out_degree(state->view, v);
  }
}

static inline void frontier_pull(struct engine_state *state, struct engine_work *work) {
  uint64_t count = 0, edges = 0;
  state->walk.senders = &work->current;
  state->walk.messages = work->messages;
  walk_send(state, work);
  walk_edges(state);
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : count, edges)
  for (uint64_t range = 0; range < walk_num_ranges(state); range++) {
    program_accumulator *sums = walk_own_sums(state);
    uint8_t received[WALK_RANGE];
    walk_collect(state, range, sums, received);
    apply_range(state, work, range, sums, received, &count, &edges);
  }
  frontier_marked(work, count, edges);
}
