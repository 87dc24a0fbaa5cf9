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
#pragma once

#include <omp.h>

#include "kernels/cpu/loop/sweeps.h"

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
