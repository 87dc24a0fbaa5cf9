/* What a run on edge partitions derives from the layout. Part of engine.h. */
#pragma once

#include "kernels/cpu/edge_partitions/view.h"

#include "kernels/cpu/loop/state.h"
#if !PROGRAM_IN_PLACE
#include "kernels/cpu/edge_partitions/collect.h"
#endif

static inline enum qn_status walk_begin(struct engine_state *state, struct qn_error *error) {
  const struct qn_edge_partitions *layout = state->request->view;
  engine_enter(state, layout->num_vertices, layout->num_edges);
  return engine_check_weights(&layout->weights, layout->num_edges, layout->num_vertices, error);
}

/* From here on the request's positions are by dense number. */
static inline enum qn_status number_densely(struct engine_state *state, struct qn_error *error) {
  const struct qn_edge_partitions *layout = state->request->view;
  struct engine_walk *walk = &state->walk;
  const uint32_t *positions = state->request->positions;
  state->order = layout->new_to_old;
  walk->request = *state->request;
  walk->request.positions = layout->new_to_old;
  state->request = &walk->request;
  if (!positions)
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&walk->positions, layout->num_vertices,
                                         sizeof *walk->positions, "positions", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < layout->num_vertices; v++)
    walk->positions[v] = positions[layout->new_to_old[v]];
  walk->request.positions = walk->positions;
  return QN_OK;
}

static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error) {
  struct engine_walk *walk = &state->walk;
  enum qn_status status = number_densely(state, error);
  if (!status)
    status = qn_ep_index_create(&walk->index, state->request->view, error);
  state->view = &walk->index;
#if !PROGRAM_IN_PLACE
  if (!status)
    status = create_collecting(walk, error);
#endif
  return status;
}

static inline void walk_destroy(struct engine_state *state) {
  struct engine_walk *walk = &state->walk;
#if !PROGRAM_IN_PLACE
  destroy_collecting(walk, state->context.num_vertices);
#endif
  qn_ep_index_destroy(&walk->index);
  qn_pages_free(walk->positions, state->context.num_vertices, sizeof *walk->positions);
}
