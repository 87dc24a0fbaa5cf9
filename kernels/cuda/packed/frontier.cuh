/* Frontier programs on packed rows that are resident: a warp a tile, of which it walks the rows
 * that it must (rows.cuh). Active vertices push along their out-edges; where many are active and
 * the first that is found suffices, open vertices look for one along their in-edges instead, and
 * stop there. Where many push, a block takes a tile (engine.cuh). */
#ifndef QN_KERNELS_CUDA_PACKED_FRONTIER_CUH
#define QN_KERNELS_CUDA_PACKED_FRONTIER_CUH

#include "kernels/cuda/packed/rows.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

#define PACKED_BLOCKS 6     /* of a multiprocessor: of 4 to 8 the fastest on an H200 */
#define PACKED_ROW_WARPS 8  /* of a block, a tile each */
#define PACKED_ROW_BLOCKS 5 /* of a multiprocessor */
/* A tile of so few rows is for a block if one of them is active. */
#define PACKED_WHOLE_ROWS 16
/* Push from whole tiles when more than one vertex in so many is active. */
#define PACKED_TILES_SHARE 8
#if PROGRAM_FIRST_SUFFICES
/* Look from below when more than one vertex in so many is active, */
#define PACKED_BELOW_SHARE 32
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

QN_DEVICE_INLINE void push_tile(const struct sweep_state &state,
                                const struct qn_program_context &context,
                                const struct packed_place &place,
                                const struct packed_weights &weights) {
  struct packed_edges edges;
  if (!tile_has_sender(state, place))
    return;
  packed_decode(state.layout.tiles.num_vertices, place, &edges);
  QN_UNROLL
  for (int i = 0; i < PACKED_ITEMS; i++) {
    const uint32_t sender = place.first_row + edges.rows[i];
    if ((uint32_t)i < edges.count && sweep_is_active(state, sender))
      sweep_collect(state, context, state.messages[sender],
                    packed_weight(weights, threadIdx.x * PACKED_ITEMS + i), edges.columns[i]);
  }
}

QN_DEVICE_INLINE struct packed_place packed_place_of(const struct packed_tiles &tiles,
                                                     uint64_t tile) {
  return packed_find(tiles, tile, tiles.words + tiles.starts[tile], UINT64_MAX);
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

/* List them: those of few rows from the front on, whose edges are for a block, the others from the
 * back on. A thread a tile. */
__global__ void list_tiles(const struct sweep_state state, const struct qn_program_context) {
  const struct packed_tiles &tiles = state.layout.tiles;
  const uint64_t tile = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  bool listed = false, whole = false;
  if (tile < tiles.num_tiles) {
    const uint64_t begin = tiles.rows[tile];
    const uint64_t num_rows = qn_packed_num_rows(tiles.rows, tile, tiles.num_vertices);
    const uint64_t past = begin + num_rows;
    const uint64_t end = past < tiles.num_vertices ? past : tiles.num_vertices;
    for (uint64_t word = begin / 32; word * 32 < end && !listed; word++) {
      uint32_t bits = state.active[word];
      bits &= word == begin / 32 ? ~0u << begin % 32 : ~0u;
      bits &= word == end / 32 ? ~(~0u << end % 32) : ~0u;
      listed = bits != 0;
    }
    whole = num_rows <= PACKED_WHOLE_ROWS;
  }
  const uint32_t front = qn_warp_reserve(&state.layout.num_listed[0], listed && whole);
  const uint32_t back = qn_warp_reserve(&state.layout.num_listed[1], listed && !whole);
  if (listed)
    state.layout.listed[whole ? front : tiles.num_tiles - 1 - back] = (uint32_t)tile;
}

/* Walk those of few rows, by blocks. */
__global__ void __launch_bounds__(PACKED_THREADS)
    push_tiles(const struct sweep_state state, const struct qn_program_context context) {
  const struct engine_device &device = state.layout;
  for (uint32_t i = blockIdx.x; i < device.num_listed[0]; i += gridDim.x) {
    const uint32_t tile = device.listed[i];
    push_tile(state, context, packed_place_of(device.tiles, tile),
              packed_weights_of(device.tiles, tile));
    __syncthreads(); /* shared memory is written anew */
  }
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

__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS, PACKED_ROW_BLOCKS)
    push_rows(const struct sweep_state state, const struct qn_program_context context) {
  const struct packed_tiles &tiles = state.layout.tiles;
  packed_each_listed(state.layout, [&](uint64_t tile, const struct packed_place &place,
                                       struct packed_share *share) {
    const struct packed_weights weights = packed_weights_of(tiles, tile);
    packed_walk_rows<false>(
        place, tiles.num_vertices, share, QN_PACKED_TILE,
        [&](uint32_t row, uint32_t) { return sweep_is_active(state, place.first_row + row); },
        [](uint32_t) { return true; },
        [&](uint32_t row, uint32_t edge, uint32_t receiver) {
          sweep_collect(state, context, state.messages[place.first_row + row],
                        packed_weight(weights, edge), receiver);
        });
  });
}

inline unsigned listed_blocks(const struct sweep_run *run, unsigned tiles_each) {
  return qn_grid(run->state.layout.tiles.num_tiles, tiles_each, run->memory.device.multiprocessors,
                 PACKED_BLOCKS);
}

inline enum qn_status find_tiles(struct sweep_run *run, struct qn_error *error) {
  const uint64_t num_tiles = run->state.layout.tiles.num_tiles;
  enum qn_status status = sweep_clear(run->state.layout.num_listed, 0, error);
  if (status)
    return status;
  QN_LAUNCH(list_tiles, (unsigned)((num_tiles + SWEEP_THREADS - 1) / SWEEP_THREADS), SWEEP_THREADS,
            0, NULL, run->state, run->context);
  return qn_cuda_launched("listing tiles", error);
}

/* ---- From below ------------------------------------------------------------------------ */

#if PROGRAM_FIRST_SUFFICES

/* All that is stored in a row's sum is the same, whichever of its tiles or lanes finds it. */
__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS, PACKED_ROW_BLOCKS)
    look_below(const struct sweep_state state, const struct qn_program_context context) {
  const struct packed_tiles &tiles = state.layout.below;
  packed_each_tile(
      tiles, [&](uint64_t tile, const struct packed_place &place, struct packed_share *share) {
        const struct packed_weights weights = packed_weights_of(tiles, tile);
        packed_walk_rows<true>(
            place, tiles.num_vertices, share, QN_PACKED_TILE,
            [&](uint32_t row, uint32_t) {
              return sweep_may_receive(state, context, place.first_row + row);
            },
            [&](uint32_t sender) { return sweep_is_active(state, sender); },
            [&](uint32_t row, uint32_t edge, uint32_t sender) {
              const uint32_t vertex = place.first_row + row;
              state.sums[vertex] =
                  program_gather(&context, state.messages[sender], packed_weight(weights, edge));
              sweep_mark_received(state, vertex);
            });
      });
}

/* How many edges do active vertices have? In the tiles of many rows, as they are, and full ones. */
__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS, PACKED_ROW_BLOCKS)
    count_edges(const struct sweep_state state, const struct qn_program_context) {
  const struct packed_tiles &tiles = state.layout.tiles;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    atomicAdd(state.layout.edges, (unsigned long long)state.layout.num_listed[0] * QN_PACKED_TILE);
  packed_each_listed(state.layout,
                     [&](uint64_t, const struct packed_place &place, struct packed_share *share) {
                       uint32_t count = 0;
                       packed_walk_rows<true>(
                           place, tiles.num_vertices, share, QN_PACKED_TILE,
                           [&](uint32_t row, uint32_t length) {
                             count += sweep_is_active(state, place.first_row + row) ? length : 0;
                             return false;
                           },
                           [](uint32_t) { return false; }, [](uint32_t, uint32_t, uint32_t) {});
                       for (int step = 16; step > 0; step /= 2)
                         count += __shfl_xor_sync(QN_FULL_WARP, count, step);
                       if (qn_lane() == 0 && count > 0)
                         atomicAdd(state.layout.edges, (unsigned long long)count);
                     });
}

/* Tiles are listed: do many edges begin at active vertices? */
inline enum qn_status many_edges(struct sweep_run *run, bool *many, struct qn_error *error) {
  unsigned long long *counter = run->state.layout.edges, edges = 0;
  enum qn_status status = sweep_clear(counter, 0, error);
  if (status)
    return status;
  QN_LAUNCH(count_edges, listed_blocks(run, PACKED_ROW_WARPS), 32 * PACKED_ROW_WARPS, 0, NULL,
            run->state, run->context);
  status = sweep_read(run, &edges, counter, 1, sizeof edges, error);
  *many = edges > run->context.num_edges / PACKED_BELOW_EDGES;
  return status;
}

/* Is it time to look from below? Where that takes their edges, tiles are listed. */
inline enum qn_status looks_below(struct sweep_run *run, bool *below, bool *listed,
                                  struct qn_error *error) {
  const uint64_t num_vertices = run->context.num_vertices, num_active = run->num_active;
  const bool can = run->state.layout.below.words;
  *below = can && num_active > num_vertices / PACKED_BELOW_SHARE;
  *listed = can && !*below && num_active > num_vertices / PACKED_COUNT_SHARE;
  if (!*listed)
    return QN_OK;
  enum qn_status status = find_tiles(run, error);
  return status ? status : many_edges(run, below, error);
}

#endif

/* Walk some rows or tiles alone, if few are to be walked. */
inline enum qn_status walk_some_rows(struct sweep_run *run, bool *walked, struct qn_error *error) {
  enum qn_status status = QN_OK;
  bool listed = false;
  *walked = run->num_active <= run->context.num_vertices / PACKED_TILES_SHARE;
#if PROGRAM_FIRST_SUFFICES
  bool below;
  status = looks_below(run, &below, &listed, error);
  if (!status && below) {
    *walked = true;
    PACKED_LAUNCH_ROWS(look_below, run->state.layout.below, run->state, run->context);
    return qn_cuda_launched("looking from below", error);
  }
#endif
  if (!status && *walked && !listed)
    status = find_tiles(run, error);
  if (!status && *walked) {
    QN_LAUNCH(push_tiles, listed_blocks(run, 1), PACKED_THREADS, 0, NULL, run->state, run->context);
    QN_LAUNCH(push_rows, listed_blocks(run, PACKED_ROW_WARPS), 32 * PACKED_ROW_WARPS, 0, NULL,
              run->state, run->context);
    status = qn_cuda_launched("pushing", error);
  }
  return status;
}

#endif

} /* namespace */

#endif
