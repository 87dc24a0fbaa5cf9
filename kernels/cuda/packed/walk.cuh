/* What a program does along packed rows, resident or streamed: a block decodes a tile into its
 * registers (decode.cuh) and consumes it there. Part of engine.cuh.
 *
 * All-active programs pull along in-edges: a tile's rows are summed up by the block, in a fixed
 * order, and so are, after all tiles, the parts of rows that reach into several. Per edge what the
 * tile takes (10 to 14 bits), and one message from anywhere: a 32-byte sector within the L2 cache,
 * which is the limit while messages fit there.
 *
 * Frontier programs push along out-edges, from tiles that have an active vertex: 4 bytes for every
 * 32 rows of the others, per edge of the tile its bits, and of active rows one accumulator to
 * combine into. Where few are active only their rows are decoded, and a search looks from below
 * (frontier.cuh).
 *
 * A unit of streaming is a few tiles, up to 128 KiB, and their weights; of one of which little is
 * needed that alone is read (read_in_place.cuh). */
#pragma once

#include "formats/layouts/packed_tile.h"
#include "formats/layouts/packed_weights.h"
#include "kernels/cuda/edges/edge_tiles.cuh"
#include "kernels/cuda/edges/warp_rows.cuh"
#include "kernels/cuda/packed/decode.cuh"
#include "kernels/cuda/packed/frontier.cuh"
#include "kernels/cuda/packed/read_in_place.cuh"
#include "kernels/cuda/sweep/loop.cuh"
#include "kernels/cuda/sweep/near_far.cuh"
#include "kernels/cuda/sweep/senders.cuh"
#include "kernels/work_division/packed_units.h"

#ifndef PACKED_UNIT_BYTES
#define PACKED_UNIT_BYTES ((uint64_t)128 << 10)
#endif
#define PACKED_UNIT_BLOCKS 8 /* that share a unit */

static_assert(QN_TILE_THREADS == PACKED_THREADS, "carry_scan is over as many threads");

namespace {

/* ---- A tile ---------------------------------------------------------------------- */

#if !SWEEP_FRONTIER

/* What a tile's rows come to: those that are its own go to their sums, the first one of a tile that
 * does not begin a range waits for the others of its row. */
struct packed_storing {
  const struct sweep_state &state;
  uint64_t tile;
  uint32_t first_row;
  bool begins;

  __device__ void operator()(uint32_t row, program_accumulator total) const {
    if (row == 0 && !begins)
      state.layout.heads[tile] = total;
    else
      state.sums[first_row + row] = total;
  }
};

QN_DEVICE_INLINE void pull_tile(const struct sweep_state &state,
                                const struct qn_program_context &context, uint64_t tile,
                                const struct packed_place &place,
                                const struct packed_weights &weights) {
  struct packed_edges edges;
  program_accumulator parts[PACKED_ITEMS];
  const packed_storing finish{state, tile, place.first_row,
                              qn_packed_begins_range(state.layout.tiles.rows, tile)};
  if (threadIdx.x == 0 && !finish.begins)
    state.layout.heads[tile] = program_identity();
  packed_decode(state.layout.tiles.num_vertices, place, &edges);
  if (edges.count == PACKED_ITEMS) { /* without a branch between the gathers */
    QN_UNROLL
    for (int i = 0; i < PACKED_ITEMS; i++)
      parts[i] = program_gather(&context, state.messages[edges.columns[i]],
                                packed_weight(weights, threadIdx.x * PACKED_ITEMS + i));
  } else {
    QN_UNROLL
    for (int i = 0; i < PACKED_ITEMS; i++)
      parts[i] = (uint32_t)i < edges.count
                     ? program_gather(&context, state.messages[edges.columns[i]],
                                      packed_weight(weights, threadIdx.x * PACKED_ITEMS + i))
                     : program_identity();
  }
  program_accumulator sum = program_identity(), head = program_identity(), tail;
  uint32_t row = edges.row_before;
  bool began = false;
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    if ((uint32_t)i >= edges.count)
      break;
    if (edges.starts >> i & 1) {
      if (began)
        finish(row, sum);
      else
        head = sum;
      began = true;
      sum = program_identity();
      row = packed_mark(edges, i);
    }
    program_combine(&sum, parts[i]);
  }
  program_accumulator carry = carry_scan(began, sum, &tail);
  if (began && !(threadIdx.x == 0 && (edges.starts & 1))) { /* the row before ends here */
    program_combine(&carry, head);
    finish(edges.row_before, carry);
  }
  /* The thread with the tile's last edge knows its last row. */
  const uint32_t last = place.num_edges ? (place.num_edges - 1) / PACKED_ITEMS : 0;
  if (threadIdx.x == last && edges.count)
    finish(row, tail);
}

#endif

/* ---- Kernels ----------------------------------------------------------------------- */

/* `at_once`: what is resident of a search. */
template <bool at_once>
QN_DEVICE_INLINE void
walk_tile(const struct sweep_state &state, const struct qn_program_context &context, uint64_t tile,
          const struct packed_place &place, const struct packed_weights &weights) {
#if SWEEP_FRONTIER
  push_tile<at_once>(state, context, place, weights);
#else
  pull_tile(state, context, tile, place, weights);
#endif
}

__global__ void __launch_bounds__(PACKED_THREADS, PACKED_BLOCKS)
    walk_tiles(const struct sweep_state state, const struct qn_program_context context) {
  const struct engine_device &device = state.layout;
  const uint64_t tile = device.first_tile + blockIdx.x;
  walk_tile<PROGRAM_FIRST_SUFFICES>(state, context, tile, packed_place_of(device.tiles, tile),
                                    packed_weights_of(device.tiles, tile));
}

/* walk(tile, place, weights) of tiles of the units that were moved, which blocks share. */
template <class Walk>
QN_DEVICE_INLINE void each_moved_tile(const struct engine_device &device,
                                      const struct qn_unit_entry *entries, Walk walk) {
  const struct packed_tiles &tiles = device.tiles;
  const struct qn_unit_entry &entry = entries[blockIdx.x];
  const uint32_t first = device.unit_tiles[entry.unit], end = device.unit_tiles[entry.unit + 1];
  const uint32_t *words = (const uint32_t *)entry.pieces[0];
  const uint64_t all = entry.bytes[0] / 4 - QN_PACKED_BEHIND;
  const bool has_weights = !tiles.codes.there || tiles.codes.bits > 0; /* else any words do */
  for (uint32_t tile = first + blockIdx.y; tile < end; tile += gridDim.y) {
    const uint64_t start = tiles.starts[tile] - tiles.starts[first];
    walk(tile, packed_find(tiles, tile, words + start, start < all ? all - start : 0),
         packed_weights_from(tiles, entry.pieces[has_weights], tiles.edges[first],
                             tiles.edges[tile] - tiles.edges[first]));
    __syncthreads(); /* shared memory is written anew */
  }
}

__global__ void __launch_bounds__(PACKED_THREADS)
    walk_units(const struct sweep_state state, const struct qn_program_context context,
               const struct qn_unit_entry *entries) {
  each_moved_tile(
      state.layout, entries,
      [&](uint32_t tile, const struct packed_place &place, const struct packed_weights &weights) {
        walk_tile<false>(state, context, tile, place, weights);
      });
}

#if PROGRAM_FIRST_SUFFICES
__global__ void __launch_bounds__(PACKED_THREADS)
    search_units(const struct sweep_state state, const struct qn_program_context context,
                 const struct qn_unit_entry *entries) {
  each_moved_tile(
      state.layout, entries,
      [&](uint32_t tile, const struct packed_place &place, const struct packed_weights &weights) {
        search_tile_part(state, context, place, weights);
      });
}
#endif

#if !SWEEP_FRONTIER
/* The rows of which several tiles have a part: a warp adds up what each tile has kept, in an order
 * that depends on the tiles alone. */
__global__ void finish_heads(const struct sweep_state state) {
  const struct engine_device &device = state.layout;
  const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
  for (uint64_t tile = device.first_tile + (uint64_t)blockIdx.x * (blockDim.x / 32) + qn_warp();
       tile < device.end_tile; tile += warps) {
    const uint32_t row = device.tiles.rows[tile];
    if (qn_packed_begins_range(device.tiles.rows, tile) ||
        (device.tiles.rows[tile - 1] == row &&
         !qn_packed_begins_range(device.tiles.rows, tile - 1)))
      continue; /* nothing to add up, or the tile before begins to */
    program_accumulator sum = program_identity();
    for (uint64_t next = tile + qn_lane(); next < device.end_tile; next += 32) {
      if (device.tiles.rows[next] != row)
        break;
      program_combine(&sum, device.heads[next]);
    }
    __syncwarp();
    sum = warp_combine(sum);
    if (qn_lane() == 0) {
      program_accumulator total = state.sums[row];
      program_combine(&total, sum);
      state.sums[row] = total;
    }
  }
}
#endif

/* ---- The host's side ---------------------------------------------------------------- */

inline enum qn_status engine_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                                  uint64_t count, cudaStream_t stream, struct qn_error *error) {
  const dim3 blocks((unsigned)count, PACKED_UNIT_BLOCKS);
#if PROGRAM_FIRST_SUFFICES
  if (run->state.layout.in_place.searches) {
    QN_LAUNCH(search_units, blocks, PACKED_THREADS, 0, stream, run->state, run->context, entries);
    return qn_cuda_launched("searching the tiles", error);
  }
#endif
  QN_LAUNCH(walk_units, blocks, PACKED_THREADS, 0, stream, run->state, run->context, entries);
  return qn_cuda_launched("walking the tiles", error);
}

inline uint64_t own_tiles(const struct sweep_run *run) {
  return run->state.layout.end_tile - run->state.layout.first_tile;
}

inline enum qn_status engine_complete(struct sweep_run *run, struct qn_error *error) {
#if SWEEP_FRONTIER
  struct unit_reading *reading = (struct unit_reading *)run->engine;
  return reading ? end_unit_reading(run, reading, error) : QN_OK;
#else
  const unsigned blocks =
      qn_grid(own_tiles(run), SWEEP_THREADS / 32, run->memory.device.multiprocessors, 8);
  QN_LAUNCH(finish_heads, blocks, SWEEP_THREADS, 0, NULL, run->state);
  return qn_cuda_launched("adding up the tiles", error);
#endif
}

inline enum qn_status walk_all(struct sweep_run *run, struct qn_error *error) {
  QN_LAUNCH(walk_tiles, (unsigned)own_tiles(run), PACKED_THREADS, 0, NULL, run->state,
            run->context);
  return qn_cuda_launched("walking the tiles", error);
}

inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  if (run->state.layout.tiles.num_tiles == 0)
    return QN_OK;
#if SWEEP_FRONTIER
  if (few_active(run)) {
    enum qn_status status = sweep_clear(run->state.layout.num_listed, 0, error);
    if (!status)
      status = list_active(run, error);
    return status ? status : walk_listed(run, error);
  }
#endif
  enum qn_status status = walk_all(run, error);
  return status ? status : engine_complete(run, error);
}

inline enum qn_status upload_degrees(const struct qn_packed *view, struct sweep_run *run,
                                     struct qn_error *error) {
  uint32_t *degrees;
  enum qn_status status = qn_packed_degrees_create(&degrees, view, error);
  if (status)
    return status;
  status = sweep_copy_of_held(run, &run->state.layout.degrees, degrees, 0, "out-degrees", error);
  qn_pages_free(degrees, view->num_vertices, sizeof *degrees);
  return status;
}

/* The values that codes of weights stand for. */
inline enum qn_status upload_values(const struct qn_packed_rows *rows,
                                    struct qn_cuda_memory *memory, struct packed_codes *codes,
                                    struct qn_error *error) {
  codes->there = PROGRAM_USES_WEIGHTS && rows->codes.kind != QN_PACKED_PLAIN;
  if (!codes->there)
    return QN_OK;
  codes->bits = rows->codes.bits;
  codes->most = rows->codes.most;
  codes->least = rows->codes.values.u32[0];
  if (rows->codes.kind == QN_PACKED_SUMS)
    return QN_OK;
  return qn_cuda_copy_of(memory, &codes->values, rows->codes.values.u32, rows->codes.num_values, 0,
                         sizeof *codes->values, "values of weights", error);
}

inline enum qn_status upload_places(const struct qn_packed_rows *rows,
                                    struct qn_cuda_memory *memory, struct packed_tiles *tiles,
                                    struct qn_error *error) {
  const uint64_t count = rows->num_tiles + 1;
  tiles->num_vertices = rows->num_vertices;
  tiles->num_tiles = rows->num_tiles;
  tiles->weights.type = rows->weights.type;
  enum qn_status status = qn_cuda_copy_of(memory, &tiles->rows, rows->tile_rows, count, 0,
                                          sizeof *rows->tile_rows, "rows of tiles", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &tiles->edges, rows->tile_edges, count, 0,
                             sizeof *rows->tile_edges, "edges of tiles", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &tiles->starts, rows->tile_starts, count, 0,
                             sizeof *rows->tile_starts, "places of tiles", error);
  return status ? status : upload_values(rows, memory, &tiles->codes, error);
}

inline enum qn_status upload_words(const struct qn_packed_rows *rows, struct qn_cuda_memory *memory,
                                   struct packed_tiles *tiles, struct qn_error *error) {
  enum qn_status status = qn_cuda_copy_of(memory, &tiles->words, rows->words, rows->num_words, 0,
                                          sizeof *rows->words, "tiles", error);
  tiles->num_words = rows->num_words - QN_PACKED_PADDING;
  if (!status && tiles->codes.there)
    return qn_cuda_copy_of(memory, &tiles->code_words, rows->codes.words,
                           qn_packed_code_words(rows->num_edges, rows->codes.bits), 0,
                           sizeof *rows->codes.words, "codes of weights", error);
  if (!status && PROGRAM_USES_WEIGHTS)
    status =
        qn_cuda_weights_upload(memory, &rows->weights, rows->num_edges, &tiles->weights, error);
  return status;
}

/* What the places of tiles take, and what the tiles do. */
inline uint64_t place_bytes(const struct qn_packed_rows *rows) {
  const bool has_values = PROGRAM_USES_WEIGHTS && rows->codes.kind == QN_PACKED_DICTIONARY;
  const uint64_t values =
      has_values ? qn_cuda_rounded(rows->codes.num_values * sizeof(uint32_t)) : 0;
  return values + qn_cuda_rounded((rows->num_tiles + 1) * sizeof *rows->tile_rows) +
         2 * qn_cuda_rounded((rows->num_tiles + 1) * sizeof *rows->tile_edges);
}

inline uint64_t word_bytes(const struct qn_packed_rows *rows) {
  const uint64_t weight_bytes = PROGRAM_USES_WEIGHTS ? qn_packed_weight_bytes(rows) : 0;
  return qn_cuda_rounded(4 * rows->num_words) + (weight_bytes ? qn_cuda_rounded(weight_bytes) : 0);
}

/* Lists of tiles, and counters; a search's open vertices. */
inline uint64_t list_bytes(const struct qn_packed_rows *rows) {
  const uint64_t lists = qn_cuda_rounded(4 * rows->num_tiles) + 2 * qn_cuda_rounded(8) +
                         sweep_near_far_bytes(rows->num_vertices);
  const uint64_t open = qn_cuda_rounded(4 * (rows->num_vertices / 32 + 1)) + qn_cuda_rounded(12);
  return (SWEEP_FRONTIER ? lists : 0) + (PROGRAM_FIRST_SUFFICES ? open : 0);
}

/* Weights may be stored as codes. */
inline double packed_mean_weight(const struct qn_packed_rows *rows) {
  uint64_t loaded = 0;
  const struct qn_weights one = {rows->weights.type, {&loaded}};
  return mean_of_weights(rows->num_edges, [&](uint64_t edge) {
    qn_packed_load_weights(rows, edge, 1, &loaded);
    return engine_weight(&one, 0);
  });
}

inline enum qn_status create_lists(const struct qn_packed_rows *rows, struct sweep_run *run,
                                   struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  enum qn_status status = qn_cuda_alloc(&run->memory, &device->listed, device->tiles.num_tiles,
                                        sizeof *device->listed, "a list of tiles", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(&run->memory, &device->num_listed, 2, sizeof *device->num_listed,
                                  "counters", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(&run->memory, &device->edges, 1, sizeof *device->edges,
                                  "a counter", error);
  return status ? status
                : sweep_near_far_create(
                      run, [&] { return packed_mean_weight(rows); }, error);
}

#if PROGRAM_FIRST_SUFFICES
/* In-edges to look along from below, if there are any, and room for them beside all else. */
inline enum qn_status upload_below(const struct qn_packed *view, struct sweep_run *run,
                                   uint64_t resident_bytes, struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  const uint64_t usable = qn_cuda_plannable_bytes(&run->memory.device, run->memory.cap);
  const uint64_t beside = resident_bytes + sweep_vertex_bytes(run, NULL);
  enum qn_status status = QN_OK;
  if (view->directedness == QN_UNDIRECTED)
    device->below = device->tiles;
  if (view->directedness == QN_UNDIRECTED || !view->has_in || beside > usable ||
      place_bytes(&view->in) + word_bytes(&view->in) > usable - beside)
    return status;
  status = upload_places(&view->in, &run->memory, &device->below, error);
  return status ? status : upload_words(&view->in, &run->memory, &device->below, error);
}
#endif

inline enum qn_status upload_layout(const struct qn_packed *view,
                                    const struct qn_packed_units *units,
                                    const struct qn_unit_source *source, struct sweep_run *run,
                                    struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  enum qn_status status = upload_places(units->rows, &run->memory, &device->tiles, error);
  device->end_tile = units->rows->num_tiles;
  if (!status && !SWEEP_FRONTIER)
    status = qn_cuda_alloc(&run->memory, &device->heads, units->rows->num_tiles,
                           sizeof *device->heads, "sums of tiles", error);
  if (!status && run->source)
    status = near_far_refuse(run->request, error);
  if (!status && run->source)
    status = qn_cuda_copy_of(&run->memory, &device->unit_tiles, units->bounds, units->count + 1, 0,
                             sizeof *units->bounds, "units", error);
  else if (!status)
    status = upload_words(units->rows, &run->memory, &device->tiles, error);
  if (!status && SWEEP_FRONTIER && !run->source)
    status = create_lists(units->rows, run, error);
  if (!status && run->source && run->engine)
    status = upload_reading(view, units->rows, run, error);
#if PROGRAM_FIRST_SUFFICES
  if (!status && !run->source)
    status = upload_below(view, run, source->resident_bytes, error);
#else
  (void)source;
#endif
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = upload_degrees(view, run, error);
  return status;
}

/* ---- Streaming --------------------------------------------------------------------- */

inline void describe_unit(const void *user, uint64_t unit, struct qn_unit *out) {
  const struct qn_packed_units *units = (const struct qn_packed_units *)user;
  const struct qn_packed_rows *rows = units->rows;
  const uint64_t first = units->bounds[unit];
  memset(out, 0, sizeof *out);
  out->num_pieces = 1;
  out->pieces[0] = {rows->words + rows->tile_starts[first], 4 * qn_packed_unit_words(units, unit),
                    0};
  uint64_t bytes;
  const void *weights = qn_packed_unit_weights(units, unit, &bytes);
  if (bytes)
    out->pieces[out->num_pieces++] = {weights, bytes, 0};
}

inline struct qn_unit_source unit_source(const struct qn_packed_units *units) {
  const struct qn_packed_rows *rows = units->rows;
  const uint64_t places = place_bytes(rows);
  const uint64_t heads =
      SWEEP_FRONTIER ? 0 : qn_cuda_rounded(rows->num_tiles * sizeof(program_accumulator));
  struct qn_unit_source source;
  memset(&source, 0, sizeof source);
  source.user = units;
  source.num_units = units->count;
  source.unit_bytes =
      qn_unit_rounded(4 * units->most_words) + qn_unit_rounded(units->most_weight_bytes);
  source.total_bytes = units->total_bytes;
  source.fixed_bytes = places + heads + qn_cuda_rounded((units->count + 1) * sizeof *units->bounds);
  source.vertex_bytes = PROGRAM_USES_OUT_DEGREE ? sizeof(uint32_t) : 0;
  source.resident_bytes = places + heads + word_bytes(rows) + list_bytes(rows);
  source.describe = describe_unit;
  return source;
}

} /* namespace */
