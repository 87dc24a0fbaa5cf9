/* Frontier programs on packed rows that are resident: active vertices push along their out-edges. A
 * warp takes a tile, of which it walks the rows that it must (rows.cuh). Where many push, and where
 * a tile has few rows, a block takes it (engine.cuh). Searches, where the first that is found
 * suffices, also look from below (search.cuh). */
#pragma once

#include "kernels/cuda/edges/row_queue.cuh"
#include "kernels/cuda/packed/rows.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

#define PACKED_BLOCKS 6     /* of a multiprocessor: of 4 to 8 the fastest on an H200 */
#define PACKED_ROW_WARPS 8  /* of a block, a tile each */
#define PACKED_ROW_BLOCKS 4 /* of a multiprocessor: faster than 5 there */
/* A tile of so few rows is for a block if one of them is active: a search's is done with it sooner
 * than a warp with the rest of a hub's row. */
#define PACKED_WHOLE_ROWS (PROGRAM_FIRST_SUFFICES ? 64 : 16)
/* Push from whole tiles when more than one vertex in so many is active. */
#define PACKED_TILES_SHARE 8
namespace {

/* The weights of a tile that is not moved. */
QN_DEVICE_INLINE struct packed_weights packed_weights_of(const struct packed_tiles &tiles,
                                                         uint64_t tile) {
  const void *data = tiles.codes.there ? tiles.code_words : tiles.weights.data;
  return packed_weights_from(tiles, data, 0, tiles.edges[tile]);
}

#if SWEEP_FRONTIER

/* Is a vertex of the tile's rows active? Every warp finds out alone. */
QN_DEVICE_INLINE bool tile_has_sender(const struct sweep_state &state,
                                      const struct packed_place &place) {
  const uint32_t begin = place.first_row, end = begin + place.num_rows;
  bool any = false;
  for (uint32_t base = begin / 32; base * 32ull < end; base += 32) {
    const uint32_t word = base + qn_lane();
    uint32_t bits = word * 32ull < end ? state.active[word] : 0;
    if (word == begin / 32)
      bits &= ~0u << begin % 32;
    if (word == end / 32)
      bits &= ~(~0u << end % 32);
    any = any || bits != 0;
  }
  return __any_sync(QN_FULL_WARP, any);
}

/* A contribution reaches a vertex, if it is the first one: of those that a vertex gets in one
 * iteration all are equal, so that it can have its new value at once. */
QN_DEVICE_INLINE void packed_reach(const struct sweep_state &state,
                                   const struct qn_program_context &context, uint32_t sender,
                                   program_weight weight, uint32_t receiver) {
#if PROGRAM_FIRST_SUFFICES
  const program_value seen = __ldcg(&state.values[receiver]);
  if (!program_open(&context, seen))
    return;
  const program_message message =
      program_send(&context, state.values[sender], sweep_out_degree(state, sender));
  const program_accumulator contribution =
      program_contribution(&context, message, weight, state.values, receiver);
  if (program_refuses(contribution))
    return;
  const program_value value = program_apply(&context, seen, contribution);
  if (program_active(&context, seen, value) && !qn_bit_insert(state.received, receiver))
    return; /* somebody else was first */
  state.values[receiver] = value;
#else
  (void)state, (void)context, (void)sender, (void)weight, (void)receiver;
#endif
}

/* `at_once`: of a search that is resident. */
template <bool at_once>
QN_DEVICE_INLINE void packed_push(const struct sweep_state &state,
                                  const struct qn_program_context &context, uint32_t sender,
                                  program_weight weight, uint32_t receiver) {
  if (at_once)
    packed_reach(state, context, sender, weight, receiver);
  else
    sweep_collect(state, context, state.messages[sender], weight, receiver);
}

/* A search's bitmap tells it of many receivers. */
template <bool at_once>
QN_DEVICE_INLINE bool packed_may_reach(const struct sweep_state &state, uint32_t receiver) {
  return !at_once || qn_bit_has(state.layout.open, receiver);
}

template <bool at_once>
QN_DEVICE_INLINE void
push_tile(const struct sweep_state &state, const struct qn_program_context &context,
          const struct packed_place &place, const struct packed_weights &weights) {
  struct packed_edges edges;
  if (!tile_has_sender(state, place))
    return;
  packed_decode(state.layout.tiles.num_vertices, place, &edges);
  if (edges.count == 0)
    return;
  uint32_t row = edges.row_before, pushed = 0;
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) { /* loads that do not wait for each other */
    row = edges.starts >> i & 1 ? packed_mark(edges, i) : row;
    const bool active = sweep_is_active(state, place.first_row + row);
    const bool open = packed_may_reach<at_once>(state, edges.columns[i]);
    pushed |= (unsigned)(active && open && (uint32_t)i < edges.count) << i;
  }
  if (!pushed)
    return;
  row = edges.row_before;
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    row = edges.starts >> i & 1 ? packed_mark(edges, i) : row;
    const uint32_t sender = place.first_row + row;
    if (pushed >> i & 1)
      packed_push<at_once>(state, context, sender,
                           packed_weight(weights, threadIdx.x * PACKED_ITEMS + i),
                           edges.columns[i]);
  }
}

/* `walk(tile, place, share)` of every tile, by a warp each. */
template <class Walk>
QN_DEVICE_INLINE void packed_each_tile(const struct packed_tiles &tiles, Walk walk) {
  QN_SHARED(struct packed_share, shares, PACKED_ROW_WARPS);
  const uint64_t tile = (uint64_t)blockIdx.x * PACKED_ROW_WARPS + qn_warp();
  if (tile < tiles.num_tiles)
    walk(tile, packed_place_of(tiles, tile), &shares[qn_warp()]);
}

/* Of `tiles`, if there are any. */
#define PACKED_LAUNCH_ROWS(kernel, tiles, ...)                                                     \
  if ((tiles).num_tiles > 0)                                                                       \
  QN_LAUNCH(kernel, (unsigned)(((tiles).num_tiles + PACKED_ROW_WARPS - 1) / PACKED_ROW_WARPS),     \
            32 * PACKED_ROW_WARPS, 0, NULL, __VA_ARGS__)

/* ---- Tiles with active vertices -------------------------------------------------------- */

/* Is a bit of the tile's rows set? A thread alone finds out, some words at once. */
QN_DEVICE_INLINE bool tile_has_bit(const struct packed_tiles &tiles, uint64_t tile,
                                   const uint32_t *bits) {
  const uint64_t begin = tiles.rows[tile];
  const uint64_t past = begin + qn_packed_num_rows(tiles.rows, tile, tiles.num_vertices);
  const uint64_t end = past < tiles.num_vertices ? past : tiles.num_vertices;
  for (uint64_t first = begin / 32; first * 32 < end; first += 4) {
    uint32_t any = 0;
    QN_UNROLL
    for (uint64_t word = first; word < first + 4; word++) {
      uint32_t mask = word == begin / 32 ? ~0u << begin % 32 : ~0u;
      mask &= word == end / 32 ? ~(~0u << end % 32) : ~0u;
      any |= word * 32 < end ? bits[word] & mask : 0;
    }
    if (any)
      return true;
  }
  return false;
}

/* List them: those of few rows from the front on, whose edges are for a block, the others from the
 * back on. A thread a tile. */
__global__ void list_tiles(const struct sweep_state state, const struct qn_program_context) {
  const struct packed_tiles &tiles = state.layout.tiles;
  const uint64_t tile = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  const bool listed = tile < tiles.num_tiles && tile_has_bit(tiles, tile, state.active);
  const bool whole =
      listed && qn_packed_num_rows(tiles.rows, tile, tiles.num_vertices) <= PACKED_WHOLE_ROWS;
  const uint32_t front = qn_warp_reserve(&state.layout.num_listed[0], listed && whole);
  const uint32_t back = qn_warp_reserve(&state.layout.num_listed[1], listed && !whole);
  if (listed)
    state.layout.listed[whole ? front : tiles.num_tiles - 1 - back] = (uint32_t)tile;
}

/* `walk(tile, place, share)` of the others, by warps. */
template <class Walk>
QN_DEVICE_INLINE void packed_each_listed(const struct engine_device &device, Walk walk) {
  QN_SHARED(struct packed_share, shares, PACKED_ROW_WARPS);
  const uint32_t warps = gridDim.x * PACKED_ROW_WARPS;
  for (uint32_t i = blockIdx.x * PACKED_ROW_WARPS + qn_warp(); i < device.num_listed[1];
       i += warps) {
    const uint32_t tile = device.listed[device.tiles.num_tiles - 1 - i];
    walk(tile, packed_place_of(device.tiles, tile), &shares[qn_warp()]);
    __syncwarp(); /* the share is written anew */
  }
}

/* Walk those of few rows by blocks, the others by warps. */
__global__ void __launch_bounds__(PACKED_THREADS, PACKED_ROW_BLOCKS)
    push_listed(const struct sweep_state state, const struct qn_program_context context) {
  const struct engine_device &device = state.layout;
  const struct packed_tiles &tiles = device.tiles;
  for (uint32_t i = blockIdx.x; i < device.num_listed[0]; i += gridDim.x) {
    const uint32_t tile = device.listed[i];
    push_tile<PROGRAM_FIRST_SUFFICES>(state, context, packed_place_of(tiles, tile),
                                      packed_weights_of(tiles, tile));
    __syncthreads(); /* shared memory is written anew */
  }
  packed_each_listed(device, [&](uint64_t tile, const struct packed_place &place,
                                 struct packed_share *share) {
    const struct packed_weights weights = packed_weights_of(tiles, tile);
    packed_walk_rows<false>(
        place, tiles.num_vertices, share, QN_PACKED_TILE,
        [&](uint32_t row, uint32_t, bool) { return sweep_is_active(state, place.first_row + row); },
        [&](uint32_t receiver) {
          return packed_may_reach<PROGRAM_FIRST_SUFFICES>(state, receiver);
        },
        [&](uint32_t row, uint32_t edge, uint32_t receiver) {
          packed_push<PROGRAM_FIRST_SUFFICES>(state, context, place.first_row + row,
                                              packed_weight(weights, edge), receiver);
        });
  });
}

inline unsigned listed_blocks(const struct sweep_run *run) {
  return qn_grid(run->state.layout.tiles.num_tiles, 1, run->memory.device.multiprocessors,
                 PACKED_ROW_BLOCKS);
}

/* List them, after counters were cleared. */
inline enum qn_status list_active(struct sweep_run *run, struct qn_error *error) {
  const uint64_t num_tiles = run->state.layout.tiles.num_tiles;
  QN_LAUNCH(list_tiles, (unsigned)((num_tiles + SWEEP_THREADS - 1) / SWEEP_THREADS), SWEEP_THREADS,
            0, NULL, run->state, run->context);
  return qn_cuda_launched("listing tiles", error);
}

/* Walk some tiles or rows alone. */
inline enum qn_status walk_listed(struct sweep_run *run, struct qn_error *error) {
  QN_LAUNCH(push_listed, listed_blocks(run), PACKED_THREADS, 0, NULL, run->state, run->context);
  return qn_cuda_launched("pushing", error);
}

/* Are so few active that it pays? */
inline bool few_active(const struct sweep_run *run) {
  return run->num_active <= run->context.num_vertices / PACKED_TILES_SHARE;
}

#endif

} /* namespace */
