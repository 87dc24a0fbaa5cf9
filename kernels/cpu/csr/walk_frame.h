/* Walks of all rows of a layout at once: blocked CSR, hybrid. All-active programs send, walk,
 * apply. Frontier programs push along plain out-edges while the frontier is small, and walk with
 * its bitmap while it is large (frontier.h). Part of the engines on the CPU (loop/state.h) whose
 * struct engine_walk has
 *
 *   const struct qn_csr *out              plain out-edges to push along; NULL: none
 *   const program_message *messages       [V] of the walk; set here
 *   const struct qn_frontier *senders     who sends in a frontier program; set here
 *   program_accumulator *range_sums       [num_threads][WALK_RANGE] (walk_frame_create)
 *   unsigned num_threads
 *
 * and which define the functions declared below. */
#ifndef QN_KERNELS_CPU_CSR_WALK_FRAME_H
#define QN_KERNELS_CPU_CSR_WALK_FRAME_H

#include <omp.h>

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/loop/all_active.h"
#else
#include "kernels/cpu/csr/push.h"
#endif

/* Vertices that are applied together, a multiple of 64. */
#define WALK_RANGE 1024

/* Combine the messages along all edges; in a frontier program of the senders alone. */
static inline void walk_edges(struct engine_state *state);
/* What the vertices of range `range` received: `sums` [WALK_RANGE], identity for those that
 * received nothing; in a frontier program also whether they did, `received` [WALK_RANGE], which is
 * NULL in others. */
static inline void walk_collect(struct engine_state *state, uint64_t range,
                                program_accumulator *sums, uint8_t *received);
/* "pull" or "push": how edges are walked. */
static inline const char *walk_mode(const struct engine_state *state);

static inline uint64_t walk_num_ranges(const struct engine_state *state) {
  return (state->context.num_vertices + WALK_RANGE - 1) / WALK_RANGE;
}

/* The end of a range's vertices. */
static inline uint64_t walk_range_end(const struct engine_state *state, uint64_t range) {
  uint64_t end = (range + 1) * WALK_RANGE, num_vertices = state->context.num_vertices;
  return end < num_vertices ? end : num_vertices;
}

/* Stacks may be too small for the sums of a range: every thread has a place for them. */
static inline enum qn_status walk_frame_create(struct engine_state *state, struct qn_error *error) {
  state->walk.num_threads = qn_threads();
  return qn_pages_alloc(&state->walk.range_sums, state->walk.num_threads * (uint64_t)WALK_RANGE,
                        sizeof *state->walk.range_sums, "sums of ranges", error);
}

static inline void walk_frame_destroy(struct engine_state *state) {
  qn_pages_free(state->walk.range_sums, state->walk.num_threads * (uint64_t)WALK_RANGE,
                sizeof *state->walk.range_sums);
}

static inline program_accumulator *walk_own_sums(const struct engine_state *state) {
  return state->walk.range_sums + (uint64_t)omp_get_thread_num() * WALK_RANGE;
}

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE

static inline uint64_t walk_parts(const struct engine_state *state) {
  return walk_num_ranges(state);
}

static inline double apply_range(struct engine_state *state, uint64_t range,
                                 const program_accumulator *sums) {
  double change = 0;
  for (uint64_t first = range * WALK_RANGE, v = first; v < walk_range_end(state, range); v++)
    change += apply_vertex(state, v, sums[v - first]);
  return change;
}

static inline const char *walk_all(struct engine_state *state, struct engine_work *work) {
  state->walk.messages = work->messages;
  walk_edges(state);
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t range = 0; range < walk_num_ranges(state); range++) {
    program_accumulator *sums = walk_own_sums(state);
    walk_collect(state, range, sums, NULL);
    work->changed.parts[range] = apply_range(state, range, sums);
  }
  return walk_mode(state);
}

#else

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

#endif

#endif
