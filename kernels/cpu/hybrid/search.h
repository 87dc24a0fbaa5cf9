/* Searches where one active neighbour suffices, so that each vertex pushes once at most: rows are
 * not put together as plain CSR, which takes longer than the search. Part of walk.h.
 *
 * A row is its ELL entries, and those of the COO part from where it begins there. Pushing along
 * `out`, which has the COO part alone, goes through the ELL part beside (push_in_place.h). */
#pragma once

#include "kernels/cpu/hybrid/view.h"

static inline void push_beside(struct engine_state *state, struct engine_work *work,
                               struct frontier_share *share, uint32_t u) {
  const struct qn_hybrid_matrix *out = &state->view->out;
  const program_message message = sweep_current_message(state, u);
  for (uint64_t k = 0, at = u; k < out->width; k++, at += out->pitch) {
    const uint32_t v = out->ell_columns[at];
    if (v == QN_HYBRID_PADDING)
      break;
    push_contribution(
        state, work, share,
        program_gather(&state->context, message, engine_weight(&out->ell_weights, at)), v);
  }
}

static inline void search_row(struct engine_state *state, uint64_t row) {
  const struct qn_hybrid_matrix *in = &state->view->in;
  const uint64_t *rest = state->walk.in_rest;
  ell_row(state, row);
  bool received = state->walk.received[row];
  if (received || !sweep_is_open(state, row))
    return;
  for (uint64_t i = rest[row]; i < rest[row + 1] && !received; i++)
    received = combine_entry(state, (uint32_t)row, in->coo_columns[i], &in->coo_weights, i,
                             &state->walk.sums[row]);
  state->walk.received[row] = received;
}

static inline void walk_edges(struct engine_state *state) {
  const uint64_t num_vertices = state->context.num_vertices;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t first = 0; first < num_vertices; first += WALK_RANGE)
    for (uint64_t row = first; row < first + WALK_RANGE && row < num_vertices; row++)
      search_row(state, row);
}

static inline enum qn_status walk_find_rows(struct engine_state *state, struct qn_error *error) {
  struct engine_walk *walk = &state->walk;
  const struct qn_hybrid *view = state->view;
  const bool is_directed = view->directedness != QN_UNDIRECTED;
  enum qn_status status = qn_hybrid_rest_offsets(&view->in, is_directed ? NULL : view->out_degrees,
                                                 &walk->in_rest, error);
  if (!status && is_directed && view->has_out)
    status = qn_hybrid_rest_offsets(&view->out, view->out_degrees, &walk->out_rest, error);
  walk->derived.out = (struct qn_csr){.num_vertices = view->out.num_vertices,
                                      .num_edges = view->out.num_coo,
                                      .row_offsets = is_directed ? walk->out_rest : walk->in_rest,
                                      .column_indices = view->out.coo_columns,
                                      .weights = view->out.coo_weights};
  if (view->has_out)
    walk->out = &walk->derived.out;
  return status;
}

static inline void walk_free_rows(struct engine_state *state) {
  const uint64_t count = state->context.num_vertices + 1;
  qn_pages_free(state->walk.in_rest, count, sizeof *state->walk.in_rest);
  qn_pages_free(state->walk.out_rest, count, sizeof *state->walk.out_rest);
}
