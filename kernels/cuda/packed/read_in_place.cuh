/* Tiles of which the rows that are needed are read where they lie, instead of moving their unit
 * (sweep/unit_reading.cuh): what crosses the bus of a tile tile_parts.cuh says. */
#pragma once

#include "kernels/cuda/packed/tile_parts.cuh"
#include "kernels/cuda/sweep/unit_reading.cuh"
#include "kernels/work_division/packed_units.h"

namespace {

/* The vertices of a unit: the last row of a tile may go on in the next unit. */
QN_DEVICE_INLINE struct unit_vertices engine_unit_vertices(const struct engine_device &device,
                                                           uint64_t unit) {
  const uint32_t first = device.unit_tiles[unit], last = device.unit_tiles[unit + 1] - 1;
  return {device.tiles.rows[first],
          device.tiles.rows[last] +
              qn_packed_num_rows(device.tiles.rows, last, device.tiles.num_vertices)};
}

#if SWEEP_FRONTIER

static_assert(SWEEP_THREADS == PACKED_THREADS, "a block reads tiles");

/* Words and weights of a tile. */
QN_DEVICE_INLINE struct unit_reads reads_of_tile(const struct packed_tiles &tiles, uint64_t words,
                                                 uint64_t num_edges) {
  const uint64_t bits = !PROGRAM_USES_WEIGHTS || tiles.weights.type == QN_WEIGHT_NONE ? 0
                        : tiles.codes.there ? tiles.codes.bits
                                            : 32;
  return unit_reads_both(unit_reads_of(1, 4 * words),
                         unit_reads_of(bits ? 1 : 0, (bits * num_edges + 7) / 8));
}

/* A lane's part of it: rows take what edges of the tile do on average, of a sector or more. */
QN_DEVICE_INLINE struct unit_needs needs_of_rows(const struct sweep_state &state,
                                                 const struct qn_program_context &context,
                                                 struct unit_rows rows,
                                                 const struct packed_place &place) {
  struct unit_needs needs = {0, {0, 0}};
  for (uint32_t i = qn_lane(); i < place.num_rows; i += 32) {
    const uint32_t row = place.first_row + i, length = state.layout.lengths[row];
    if (length == 0 || !unit_needs(state, context, rows, row))
      continue;
    const uint32_t here = length < place.num_edges ? length : place.num_edges;
    const uint64_t looked_at = unit_looked_at(rows, here);
    const uint64_t words = (place.num_words * looked_at + place.num_edges - 1) / place.num_edges;
    needs = {needs.edges + here,
             unit_reads_both(needs.reads, reads_of_tile(state.layout.tiles, words, looked_at))};
  }
  __syncwarp();
  return needs;
}

QN_DEVICE_INLINE struct unit_needs needs_of_tile(const struct sweep_state &state,
                                                 const struct qn_program_context &context,
                                                 struct unit_rows rows, uint64_t tile) {
  const struct packed_place place = packed_place_of(state.layout.host_tiles, tile);
  if (place.num_edges == 0)
    return {0, {0, 0}};
  const struct unit_needs lane = needs_of_rows(state, context, rows, place);
  const struct unit_reads reads = {unit_warp_sum(lane.reads.requests),
                                   unit_warp_sum(lane.reads.sectors)};
  if (qn_lane() > 0 || reads.requests == 0)
    return {lane.edges, {0, 0}};
  const struct unit_reads head =
      unit_reads_of(1, packed_code_bytes(place) + place.num_rows * PART_LENGTH_BITS / 8);
  return {lane.edges,
          unit_reads_least(unit_reads_both(head, reads),
                           reads_of_tile(state.layout.tiles, place.num_words, place.num_edges))};
}

QN_DEVICE_INLINE struct unit_needs engine_needs(const struct sweep_state &state,
                                                const struct qn_program_context &context,
                                                uint32_t unit, struct unit_rows rows) {
  const uint32_t *tiles = state.layout.unit_tiles;
  struct unit_needs needs = {0, {0, 0}};
  for (uint32_t tile = tiles[unit]; tile < tiles[unit + 1]; tile++) {
    const struct unit_needs more = needs_of_tile(state, context, rows, tile);
    needs = {needs.edges + more.edges, unit_reads_both(needs.reads, more.reads)};
  }
  return needs;
}

QN_DEVICE_INLINE uint64_t engine_read_unit(const struct sweep_state &state,
                                           const struct qn_program_context &context,
                                           uint32_t unit) {
  const struct engine_device &device = state.layout;
  const struct packed_tiles &tiles = device.host_tiles;
  uint64_t bytes = 0;
  for (uint32_t tile = device.unit_tiles[unit]; tile < device.unit_tiles[unit + 1]; tile++) {
    const struct packed_place place = packed_place_of(tiles, tile);
    const struct packed_weights weights = packed_weights_of(tiles, tile);
    if (tiles.edges[tile] > context.num_edges ||
        context.num_edges - tiles.edges[tile] < place.num_edges)
      continue; /* an input that changes */
#if PROGRAM_FIRST_SUFFICES
    if (device.in_place.searches)
      bytes += search_tile_part(state, context, place, weights);
    else
#endif
      bytes += push_tile_part(state, context, place, weights);
    __syncthreads(); /* shared memory is written anew */
  }
  return bytes;
}

#endif

/* ---- The host's side -------------------------------------------------------------------- */

inline enum qn_status engine_flag_units(struct sweep_run *run, struct qn_error *error) {
  struct unit_reading *reading = (struct unit_reading *)run->engine;
  return reading && reading->may_read ? flag_needed_units(run, reading, error)
                                      : sweep_flag_senders(run, error);
}

inline enum qn_status plan_reading(const struct qn_packed *view, struct sweep_run *run) {
  return unit_reading_plan((struct unit_reading *)run->engine, run,
                           view->directedness == QN_UNDIRECTED,
                           qn_cuda_rounded(view->num_vertices * sizeof(uint16_t)));
}

inline enum qn_status upload_lengths(const struct qn_packed *view, struct sweep_run *run,
                                     struct qn_error *error) {
  const uint64_t num_rows = view->num_vertices;
  uint32_t *lengths;
  uint16_t *capped = NULL;
  enum qn_status status = qn_packed_degrees_create(&lengths, view, error);
  if (status)
    return status;
  status = qn_pages_alloc(&capped, num_rows, sizeof *capped, "lengths of rows", error);
  if (!status) {
#pragma omp parallel for schedule(static)
    for (uint64_t row = 0; row < num_rows; row++)
      capped[row] = (uint16_t)std::min<uint32_t>(lengths[row], UINT16_MAX);
    status = qn_cuda_copy_of(&run->memory, &run->state.layout.lengths, capped, num_rows, 0,
                             sizeof *capped, "lengths of rows", error);
  }
  qn_pages_free(lengths, num_rows, sizeof *lengths);
  qn_pages_free(capped, num_rows, sizeof *capped);
  return status;
}

inline enum qn_status upload_reading(const struct qn_packed *view,
                                     const struct qn_packed_rows *rows, struct sweep_run *run,
                                     struct qn_error *error) {
  const struct unit_reading *reading = (const struct unit_reading *)run->engine;
  struct packed_tiles *tiles = &run->state.layout.host_tiles;
  *tiles = run->state.layout.tiles;
  tiles->words = rows->words;
  tiles->num_words = rows->num_words - QN_PACKED_PADDING;
  tiles->code_words = rows->codes.words;
  tiles->weights = rows->weights;
  enum qn_status status = unit_reading_upload(reading, run, error);
  return status || !reading->may_read ? status : upload_lengths(view, run, error);
}

/* The first tile that lists the row. */
inline uint64_t first_tile_of(const struct qn_packed_rows *rows, uint32_t row) {
  uint64_t tile = qn_packed_find(rows, row);
  while (tile > 0 &&
         (tile == rows->num_tiles || rows->tile_rows[tile] > row ||
          (rows->tile_rows[tile] == row && !qn_packed_begins_range(rows->tile_rows, tile))))
    tile--;
  return tile;
}

/* sweep_ends_soon's each_edge. */
template <class Visit>
bool each_edge_of_row(const struct qn_packed_rows *rows, uint32_t row, Visit visit) {
  struct qn_packed_tile tile;
  for (uint64_t number = first_tile_of(rows, row);
       number < rows->num_tiles && rows->tile_rows[number] <= row; number++) {
    qn_packed_decode(rows, number, &tile);
    const uint32_t i = std::min(row - tile.first_row, tile.num_rows);
    for (uint32_t edge = tile.begins[i]; i < tile.num_rows && edge < tile.begins[i + 1]; edge++)
      if (!visit(tile.columns[edge]))
        return false;
  }
  return true;
}

inline bool tiles_end_soon(const struct qn_run_request *request,
                           const struct qn_packed_rows *rows) {
  return SWEEP_MAY_END_SOON(request) &&
         sweep_ends_soon(request, request->inputs.sources[0], [&](uint32_t vertex, auto visit) {
           return each_edge_of_row(rows, vertex, visit);
         });
}

} /* namespace */
