/* All-active programs on packed rows: every row pulls along its in-edges. Rows whose edges are in
 * several tiles are added up in the tiles' order. Part of engine.h. */
#pragma once

#include "kernels/cpu/packed/view.h"

#include "kernels/cpu/loop/all_active.h"
#include "kernels/cpu/loop/gather.h"

static inline uint64_t walk_parts(const struct engine_state *state) {
  return qn_sweep_chunks(state->context.num_vertices);
}

static inline void pull_tile(const struct engine_state *state, const program_message *messages,
                             uint64_t number) {
  const struct engine_walk *walk = &state->walk;
  struct qn_packed_tile *tile = &walk->tiles[omp_get_thread_num()];
  uint32_t *bases = walk->bases + (uint64_t)omp_get_thread_num() * QN_PACKED_RANGE;
  qn_packed_decode_sums(walk->rows, number, tile, bases);
  const struct qn_weights weights = walk_weights(walk, tile);
  const bool begins = qn_packed_begins_range(walk->rows->tile_rows, number);
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    const uint32_t begin = tile->begins[row], end = tile->begins[row + 1];
    program_accumulator *sum =
        row == 0 && !begins ? &walk->heads[number] : &walk->sums[tile->first_row + row];
    if (begin < end || (row == 0 && !begins))
      *sum = engine_gather_from(&state->context, messages, tile->columns, bases[row], &weights,
                                begin, end);
  }
}

static inline const char *walk_all(struct engine_state *state, struct engine_work *work) {
  const struct engine_walk *walk = &state->walk;
  const struct qn_packed_rows *rows = walk->rows;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t tile = 0; tile < rows->num_tiles; tile++)
    pull_tile(state, work->messages, tile);
  for (uint64_t tile = 0; tile < rows->num_tiles; tile++)
    if (!qn_packed_begins_range(rows->tile_rows, tile))
      program_combine(&walk->sums[rows->tile_rows[tile]], walk->heads[tile]);
  apply_sums(state, walk->sums, &work->changed);
  return "pull";
}
