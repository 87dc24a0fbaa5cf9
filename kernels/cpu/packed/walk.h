/* What a run on packed rows derives from the layout. Part of engine.h. */
#pragma once

#include "kernels/cpu/packed/view.h"

#include "kernels/cpu/loop/sweeps.h"

/* All-active programs pull, and so do real sums, which have one order; the others push where they
 * can, from the tiles of active vertices. Where the first contribution suffices each step chooses,
 * if it can. */
static inline enum qn_status find_rows(struct engine_state *state, struct qn_error *error) {
  const struct qn_packed *packed = state->walk.graph.packed;
  struct engine_walk *walk = &state->walk;
  walk->pulls = PROGRAM_SCHEDULE == QN_ALL_ACTIVE || sweep_is_ordered() || !packed->has_out;
  if (PROGRAM_FIRST_SUFFICES && !PROGRAM_USES_WEIGHTS && !walk->pulls && packed->has_in) {
    walk->in = &packed->in;
    walk->out = &packed->out;
  }
  return qn_packed_need(packed, walk->pulls ? QN_PACKED_IN : QN_PACKED_OUT, &walk->rows, error);
}

static inline enum qn_status walk_begin(struct engine_state *state, struct qn_error *error) {
  const struct qn_packed *packed = state->request->view;
  state->walk.graph.packed = packed;
  state->view = &state->walk.graph;
  engine_enter(state, packed->num_vertices, packed->num_edges);
  enum qn_status status = find_rows(state, error);
  return status ? status : qn_packed_check_weights(state->walk.rows, engine_check_weights, error);
}

static inline enum qn_status create_list(struct engine_walk *walk, struct qn_error *error) {
  const struct qn_packed_rows *rows = walk_pushed_rows(walk);
  if (!rows)
    return QN_OK;
  walk->num_tiles = rows->num_tiles;
  enum qn_status status =
      qn_pages_alloc(&walk->listed, walk->num_tiles, sizeof *walk->listed, "list of tiles", error);
  return status ? status
                : qn_alloc_zeroed(&walk->are_listed, walk->num_tiles / 64 + 1,
                                  sizeof *walk->are_listed, "set of tiles", error);
}

static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error) {
  struct engine_walk *walk = &state->walk;
  walk->num_heads = PACKED_IN_PLACE ? 0
                    : walk->in      ? walk->in->num_tiles
                    : walk->pulls   ? walk->rows->num_tiles
                                    : 0;
  walk->num_threads = qn_threads();
  enum qn_status status =
      qn_alloc(&walk->tiles, walk->num_threads, sizeof *walk->tiles, "tiles", error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = qn_packed_degrees_create(&walk->graph.degrees, walk->graph.packed, error);
  if (!status && PROGRAM_SCHEDULE == QN_ALL_ACTIVE)
    status = sweep_sums_create(&walk->sums, state->context.num_vertices, error);
  if (!status && PROGRAM_SCHEDULE == QN_ALL_ACTIVE)
    status = qn_alloc(&walk->bases, walk->num_threads * (uint64_t)QN_PACKED_RANGE,
                      sizeof *walk->bases, "rows of tiles", error);
  if (!status && walk->num_heads > 0)
    status =
        qn_pages_alloc(&walk->heads, walk->num_heads, sizeof *walk->heads, "sums of tiles", error);
  if (!status && PROGRAM_SCHEDULE == QN_FRONTIER)
    status = create_list(walk, error);
  if (!status && walk->num_heads > 0 && PROGRAM_SCHEDULE == QN_FRONTIER)
    status = qn_pages_alloc(&walk->head_received, walk->num_heads, 1, "sums of tiles", error);
  return status;
}

static inline void walk_destroy(struct engine_state *state) {
  struct engine_walk *walk = &state->walk;
  const uint64_t num_vertices = state->context.num_vertices;
  qn_pages_free(walk->head_received, walk->num_heads, 1);
  qn_pages_free(walk->listed, walk->num_tiles, sizeof *walk->listed);
  qn_free(walk->are_listed);
  qn_pages_free(walk->heads, walk->num_heads, sizeof *walk->heads);
  qn_pages_free(walk->sums, num_vertices, sizeof *walk->sums);
  qn_pages_free(walk->graph.degrees, num_vertices, sizeof *walk->graph.degrees);
  qn_free(walk->bases);
  qn_free(walk->tiles);
}
