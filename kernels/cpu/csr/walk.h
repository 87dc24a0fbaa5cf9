/* What a run on plain CSR needs of the graph: its in-edges, where it pulls. Part of engine.h. */
#pragma once

#include "kernels/cpu/csr/view.h"

#include "kernels/cpu/loop/state.h"
#include "kernels/in_edges.h"

static inline enum qn_status walk_begin(struct engine_state *state, struct qn_error *error) {
  const struct qn_csr *out = &(state->view = state->request->view)->out;
  engine_enter(state, out->num_vertices, out->num_edges);
  return engine_check_weights(&out->weights, out->num_edges, out->num_vertices, error);
}

static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error) {
  struct engine_walk *walk = &state->walk;
  /* Who sends from everywhere cannot do without in-edges, nor can real sums. */
  const bool must_pull = PROGRAM_SCHEDULE == QN_ALL_ACTIVE || sweep_is_ordered();
  enum qn_status status = QN_OK;
  walk->out = &state->view->out;
  if (state->view->has_transpose ||
      (must_pull && !engine_is_finished(state->request, &state->context)))
    status = qn_find_in_edges(state->view, &walk->transposed, &walk->in, error);
#if !PROGRAM_IN_PLACE
  if (!status && walk->in)
    status =
        qn_row_chunks_create(&walk->chunks, walk->in->row_offsets, walk->in->num_vertices, error);
#endif
  return status;
}

static inline void walk_destroy(struct engine_state *state) {
#if !PROGRAM_IN_PLACE
  qn_row_chunks_destroy(&state->walk.chunks);
#endif
  qn_in_edges_free(&state->walk.transposed);
}
