/* What a run on shards derives from the layout. Part of engine.h. */
#pragma once

#include "kernels/cpu/shards/view.h"

#include "kernels/cpu/loop/state.h"

static inline enum qn_status walk_begin(struct engine_state *state, struct qn_error *error) {
  const engine_view *view = state->view = state->request->view;
  engine_enter(state, view->num_vertices, view->num_edges);
  return engine_check_weights(&view->in.weights, view->num_edges, view->num_vertices, error);
}

static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error) {
  struct engine_walk *walk = &state->walk;
  enum qn_status status = qn_sh_chunks_create(&walk->chunks, state->view, error);
  if (!status)
    status = qn_alloc(&walk->replicas, walk->chunks.num_chunks, sizeof *walk->replicas,
                      "replicas of cut rows", error);
  return status;
}

static inline void walk_destroy(struct engine_state *state) {
  qn_free(state->walk.replicas);
  qn_sh_chunks_destroy(&state->walk.chunks);
}
