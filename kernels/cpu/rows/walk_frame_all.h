/* All-active programs where a walk goes through all rows (walk_frame.h): send, walk, apply. */
#pragma once

#include "kernels/cpu/loop/all_active.h"
#include "kernels/cpu/rows/walk_frame.h"

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
