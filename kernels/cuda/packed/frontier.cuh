/* Frontier programs on packed rows that are resident: a warp a tile, of which it walks the rows
 * that it must (rows.cuh). Active vertices push along their out-edges; where many are active and
 * the first that is found suffices, open vertices look for one along their in-edges instead, and
 * stop there. Where many push, a block takes a tile (engine.cuh). */
#ifndef QN_KERNELS_CUDA_PACKED_FRONTIER_CUH
#define QN_KERNELS_CUDA_PACKED_FRONTIER_CUH

#include "kernels/cuda/packed/rows.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

#define PACKED_ROW_WARPS 8 /* of a block, a tile each */
/* Push from whole tiles when more than one vertex in so many is active. */
#define PACKED_TILES_SHARE 8
#if PROGRAM_FIRST_SUFFICES
/* Look from below when more than one vertex in so many is active, */
#define PACKED_BELOW_SHARE 16
/* or more than one edge in so many begins at one. */
#define PACKED_BELOW_EDGES 20
/* So few active vertices (one in so many) are not worth counting their edges. */
#define PACKED_COUNT_SHARE 2048
#endif

namespace {

/* The weights of a tile that is resident. */
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

/* `walk(tile, place, share)` by the warp whose tile it is. */
template <class Walk>
QN_DEVICE_INLINE void packed_each_tile(const struct packed_tiles &tiles, Walk walk) {
  QN_SHARED(struct packed_share, shares, PACKED_ROW_WARPS);
  const uint64_t tile = (uint64_t)blockIdx.x * PACKED_ROW_WARPS + qn_warp();
  if (tile < tiles.num_tiles)
    walk(tile, packed_find(tiles, tile, tiles.words + tiles.starts[tile], UINT64_MAX),
         &shares[qn_warp()]);
}

#define PACKED_LAUNCH_ROWS(kernel, run, tiles)                                                     \
  QN_LAUNCH(kernel, (unsigned)(((tiles).num_tiles + PACKED_ROW_WARPS - 1) / PACKED_ROW_WARPS),     \
            32 * PACKED_ROW_WARPS, 0, NULL, (run)->state, (run)->context)

__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS)
    push_rows(const struct sweep_state state, const struct qn_program_context context) {
  const struct packed_tiles &tiles = state.layout.tiles;
  packed_each_tile(
      tiles, [&](uint64_t tile, const struct packed_place &place, struct packed_share *share) {
        if (!tile_has_sender(state, place))
          return;
        const struct packed_weights weights = packed_weights_of(tiles, tile);
        packed_walk_rows(
            place, tiles.num_vertices, share, QN_PACKED_TILE,
            [&](uint32_t row, uint32_t) { return sweep_is_active(state, place.first_row + row); },
            [&](uint32_t row, uint32_t edge, uint32_t receiver) {
              sweep_collect(state, context, state.messages[place.first_row + row],
                            packed_weight(weights, edge), receiver);
              return false;
            });
      });
}

#if PROGRAM_FIRST_SUFFICES

/* All that is stored in a row's sum is the same, whichever of its tiles finds it. */
__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS)
    look_below(const struct sweep_state state, const struct qn_program_context context) {
  const struct packed_tiles &tiles = state.layout.below;
  packed_each_tile(
      tiles, [&](uint64_t tile, const struct packed_place &place, struct packed_share *share) {
        const struct packed_weights weights = packed_weights_of(tiles, tile);
        packed_walk_rows(
            place, tiles.num_vertices, share, QN_PACKED_TILE,
            [&](uint32_t row, uint32_t) {
              return sweep_may_receive(state, context, place.first_row + row);
            },
            [&](uint32_t row, uint32_t edge, uint32_t sender) {
              const uint32_t vertex = place.first_row + row;
              if (!sweep_is_active(state, sender))
                return false;
              state.sums[vertex] =
                  program_gather(&context, state.messages[sender], packed_weight(weights, edge));
              sweep_mark_received(state, vertex);
              return true;
            });
      });
}

/* How many edges do active vertices have? */
__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS)
    count_edges(const struct sweep_state state, const struct qn_program_context) {
  const struct packed_tiles &tiles = state.layout.tiles;
  packed_each_tile(tiles,
                   [&](uint64_t, const struct packed_place &place, struct packed_share *share) {
                     if (!tile_has_sender(state, place))
                       return;
                     uint32_t count = 0;
                     packed_walk_rows(
                         place, tiles.num_vertices, share, QN_PACKED_TILE,
                         [&](uint32_t row, uint32_t length) {
                           count += sweep_is_active(state, place.first_row + row) ? length : 0;
                           return false;
                         },
                         [](uint32_t, uint32_t, uint32_t) { return true; });
                     for (int step = 16; step > 0; step /= 2)
                       count += __shfl_xor_sync(QN_FULL_WARP, count, step);
                     if (qn_lane() == 0 && count > 0)
                       atomicAdd(state.layout.edges, (unsigned long long)count);
                   });
}

/* Is it time to look from below? */
inline enum qn_status looks_below(struct sweep_run *run, bool *below, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  const enum qn_direction direction = run->request->direction;
  const uint64_t num_vertices = run->context.num_vertices;
  unsigned long long edges = 0;
  *below = device->below.words && direction != QN_DIRECTION_PUSH &&
           (direction == QN_DIRECTION_PULL || run->num_active > num_vertices / PACKED_BELOW_SHARE);
  if (*below || !device->below.words || direction == QN_DIRECTION_PUSH ||
      run->num_active <= num_vertices / PACKED_COUNT_SHARE)
    return QN_OK;
  enum qn_status status = sweep_clear(device->edges, 0, error);
  if (status)
    return status;
  PACKED_LAUNCH_ROWS(count_edges, run, device->tiles);
  status = sweep_read(run, &edges, device->edges, 1, sizeof edges, error);
  *below = edges > run->context.num_edges / PACKED_BELOW_EDGES;
  return status;
}

#endif

/* Walk rows of a warp a tile, if few are to be walked. */
inline enum qn_status walk_some_rows(struct sweep_run *run, bool *walked, struct qn_error *error) {
  enum qn_status status = QN_OK;
  *walked = run->num_active <= run->context.num_vertices / PACKED_TILES_SHARE;
#if PROGRAM_FIRST_SUFFICES
  bool below;
  status = looks_below(run, &below, error);
  if (!status && below) {
    *walked = true;
    PACKED_LAUNCH_ROWS(look_below, run, run->state.layout.below);
    return qn_cuda_launched("looking from below", error);
  }
#endif
  if (!status && *walked) {
    PACKED_LAUNCH_ROWS(push_rows, run, run->state.layout.tiles);
    status = qn_cuda_launched("pushing", error);
  }
  return status;
}

#endif

} /* namespace */

#endif
