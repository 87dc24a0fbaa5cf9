/* Searches of undirected graphs where one active neighbour suffices, so that each vertex pushes
 * once at most, and few do: their rows are looked for in all blocks, rather than put together as
 * plain CSR, which takes longer than the search. Part of walk.h. */
#pragma once

#include "kernels/cpu/blocked_csr/view.h"
#include "support/search.h"

/* More are not looked through for each vertex. */
#define SEARCHED_BLOCKS 64

static inline bool searches_blocks(const struct engine_state *state) {
  const struct qn_blocked_csr *view = state->view;
  return !view->has_out && view->directedness == QN_UNDIRECTED && view->has_pull &&
         view->pull.num_blocks <= SEARCHED_BLOCKS;
}

/* `out` has no edges then. */
static inline enum qn_status search_create(struct engine_state *state, struct qn_error *error) {
  struct engine_walk *walk = &state->walk;
  const uint64_t num_vertices = state->view->num_vertices;
  enum qn_status status = qn_pages_alloc(&walk->no_edges, num_vertices + 1, sizeof *walk->no_edges,
                                         "row offsets", error);
  walk->searched = (struct qn_csr){.num_vertices = num_vertices, .row_offsets = walk->no_edges};
  walk->out = &walk->searched;
  return status;
}

static inline void push_beside(struct engine_state *state, struct engine_work *work,
                               struct frontier_share *share, uint32_t u) {
  const struct qn_blocking *pull = &state->view->pull;
  if (!state->walk.no_edges)
    return;
  const program_message message = sweep_current_message(state, u);
  for (uint64_t block = 0; block < pull->num_blocks; block++) {
    const uint32_t *starts = qn_block_ranges(pull, block) + u / QN_RANGE_VERTICES;
    const uint64_t first = pull->block_rows[block], end = first + starts[1];
    const uint64_t place = qn_lower_bound_u32(pull->id_map, first + starts[0], end, u);
    if (place >= end || pull->id_map[place] != u)
      continue;
    const uint32_t *offsets = qn_block_offsets(pull, block) + (place - first);
    const uint64_t edges = pull->block_edges[block];
    for (uint64_t edge = edges + offsets[0]; edge < edges + offsets[1]; edge++)
      push_contribution(
          state, work, share,
          program_gather(&state->context, message, engine_weight(&pull->weights, edge)),
          pull->columns[edge]);
  }
}
