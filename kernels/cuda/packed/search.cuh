/* Searches on packed rows that are resident: programs of which the first contribution suffices.
 * What reaches a vertex becomes its value at once, so that a level is one walk and one kernel that
 * ends it: the bitmap of those reached becomes that of the active ones, and the host learns how
 * many they are.
 *
 * Active vertices push along their out-edges (frontier.cuh); where many are active, open vertices
 * look for one of them along their in-edges instead, and stop there. A warp finds out which of its
 * tiles have open rows before it looks into any. Rows that turn out to have no in-edges are open no
 * longer. */
#pragma once

#include "kernels/cuda/packed/frontier.cuh"
#include "kernels/cuda/sweep/loop.cuh"

/* Look from below when more than one vertex in so many is active, */
#define PACKED_BELOW_SHARE 32
/* or more than one edge in so many begins at one. */
#define PACKED_BELOW_EDGES 20
/* So few active vertices (one in so many) are not worth counting their edges. */
#define PACKED_COUNT_SHARE 2048
/* Tiles of a warp, at most. */
#ifndef PACKED_BELOW_TILES
#define PACKED_BELOW_TILES 4
#endif

static_assert(PACKED_BELOW_TILES <= 32, "a lane each");

namespace {

/* What kernels tell the host. */
struct packed_told {
  unsigned int active, open;
  unsigned long long edges; /* that begin at active vertices, where it is asked */
};

/* The host's side of a run. */
struct packed_search {
  struct sweep_run *run;
  struct packed_told *told; /* pinned */
  bool below;               /* in this level */
};

inline enum qn_status walk_all(struct sweep_run *run, struct qn_error *error);

/* ---- From below ------------------------------------------------------------------------ */

/* Rows without edges, a lane's in ascending order: they are open no longer. */
struct packed_closing {
  uint32_t *open;
  uint32_t word, bits;

  __device__ void flush() {
    if (bits)
      atomicAnd(&open[word], ~bits);
    bits = 0;
  }

  __device__ void add(uint32_t vertex) {
    if (vertex / 32 != word)
      flush();
    word = vertex / 32;
    bits |= 1u << vertex % 32;
  }
};

QN_DEVICE_INLINE void look_at_tile(const struct sweep_state &state,
                                   const struct qn_program_context &context, uint64_t tile,
                                   struct packed_share *share) {
  const struct packed_tiles &tiles = state.layout.below;
  const struct packed_place place = packed_place_of(tiles, tile);
  const struct packed_weights weights = packed_weights_of(tiles, tile);
  /* The rows at either end may have edges in other tiles. */
  const uint32_t first = !qn_packed_begins_range(tiles.rows, tile);
  const uint32_t last = place.num_rows - (tile + 1 < tiles.num_tiles &&
                                          !qn_packed_begins_range(tiles.rows, tile + 1));
  struct packed_closing closing = {state.layout.open, 0, 0};
  packed_walk_rows<true>(
      place, tiles.num_vertices, share, QN_PACKED_TILE,
      [&](uint32_t row, uint32_t length, bool there) {
        const uint32_t vertex = place.first_row + row;
        const bool is_open = qn_bit_has(state.layout.open, vertex);
        if (there && is_open && length == 0 && row >= first && row < last)
          closing.add(vertex);
        return is_open;
      },
      [&](uint32_t sender) { return sweep_is_active(state, sender); },
      [&](uint32_t row, uint32_t edge, uint32_t sender) {
        packed_reach(state, context, sender, packed_weight(weights, edge), place.first_row + row);
      });
  closing.flush();
}

__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS, PACKED_ROW_BLOCKS)
    look_below(const struct sweep_state state, const struct qn_program_context context) {
  QN_SHARED(struct packed_share, shares, PACKED_ROW_WARPS);
  const struct packed_tiles &tiles = state.layout.below;
  const uint64_t warps = (uint64_t)gridDim.x * PACKED_ROW_WARPS;
  const uint64_t first = (uint64_t)blockIdx.x * PACKED_ROW_WARPS + qn_warp();
  const uint64_t own = first + qn_lane() * warps;
  const bool looks = qn_lane() < PACKED_BELOW_TILES && own < tiles.num_tiles &&
                     tile_has_bit(tiles, own, state.layout.open);
  for (unsigned left = __ballot_sync(QN_FULL_WARP, looks); left; left &= left - 1) {
    const unsigned lane = (unsigned)__ffs((int)left) - 1;
    look_at_tile(state, context, first + lane * warps, &shares[qn_warp()]);
    __syncwarp(); /* the share is written anew */
  }
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
                           [&](uint32_t row, uint32_t length, bool there) {
                             const bool counts = sweep_is_active(state, place.first_row + row);
                             count += counts && there ? length : 0;
                             return false;
                           },
                           [](uint32_t) { return false; }, [](uint32_t, uint32_t, uint32_t) {});
                       for (int step = 16; step > 0; step /= 2)
                         count += __shfl_xor_sync(QN_FULL_WARP, count, step);
                       if (qn_lane() == 0 && count > 0)
                         atomicAdd(state.layout.edges, (unsigned long long)count);
                     });
}

/* ---- Levels ------------------------------------------------------------------------------ */

/* Those reached are open no longer, and the bitmap of those that were active is cleared, for the
 * next level's. The last block tells the host, and clears the counters. */
__global__ void end_level(const struct sweep_state state, uint64_t num_words,
                          struct packed_told *told) {
  unsigned num_reached = 0, num_open = 0;
  qn_grid_steps(num_words, [&](uint64_t word) {
    const uint32_t reached = state.received[word], open = state.layout.open[word] & ~reached;
    state.active[word] = 0;
    if (reached)
      state.layout.open[word] = open;
    num_reached += (unsigned)__popc(reached);
    num_open += (unsigned)__popc(open);
  });
  num_reached = qn_block_sum(num_reached);
  num_open = qn_block_sum(num_open);
  if (threadIdx.x > 0)
    return;
  unsigned int *ended = state.layout.ended;
  atomicAdd(&ended[1], num_reached);
  atomicAdd(&ended[2], num_open);
  __threadfence();
  if (atomicAdd(&ended[0], 1u) < gridDim.x - 1)
    return;
  told->active = atomicExch(&ended[1], 0u);
  told->open = atomicExch(&ended[2], 0u);
  ended[0] = 0;
  state.layout.num_listed[0] = state.layout.num_listed[1] = 0;
}

/* What kernels told is there. */
inline enum qn_status search_wait(struct qn_error *error) {
  enum qn_status status = qn_cuda_launched("launching a level's kernels", error);
  return status ? status
                : qn_cuda_status(cudaStreamSynchronize(NULL), "a level on the device", error);
}

inline enum qn_status search_end_level(struct packed_search *search, struct qn_error *error) {
  struct sweep_run *run = search->run;
  const uint64_t num_words = run->context.num_vertices / 32 + 1;
  uint32_t *reached = run->state.received;
  QN_LAUNCH(end_level, qn_grid(num_words, SWEEP_THREADS, run->memory.device.multiprocessors, 2),
            SWEEP_THREADS, 0, NULL, run->state, num_words, search->told);
  enum qn_status status = search_wait(error);
  run->num_active = search->told->active;
  run->state.received = run->state.active;
  run->state.active = reached;
  return status;
}

__global__ void tell_edges(const struct sweep_state state, struct packed_told *told) {
  told->edges = atomicExch(state.layout.edges, 0ull);
}

/* Tiles are listed: do many edges begin at active vertices? */
inline enum qn_status many_edges(struct packed_search *search, bool *many, struct qn_error *error) {
  struct sweep_run *run = search->run;
  QN_LAUNCH(count_edges, listed_blocks(run), 32 * PACKED_ROW_WARPS, 0, NULL, run->state,
            run->context);
  QN_LAUNCH(tell_edges, 1, 1, 0, NULL, run->state, search->told);
  enum qn_status status = search_wait(error);
  *many = search->told->edges > run->context.num_edges / PACKED_BELOW_EDGES;
  return status;
}

inline enum qn_status search_push(struct packed_search *search, bool listed,
                                  struct qn_error *error) {
  struct sweep_run *run = search->run;
  if (!few_active(run))
    return walk_all(run, error);
  enum qn_status status = listed ? QN_OK : list_active(run, error);
  return status ? status : walk_listed(run, error);
}

inline enum qn_status search_look_below(struct sweep_run *run, struct qn_error *error) {
  const uint64_t per_block = PACKED_ROW_WARPS * PACKED_BELOW_TILES;
  const uint64_t num_tiles = run->state.layout.below.num_tiles;
  QN_LAUNCH(look_below, (unsigned)((num_tiles + per_block - 1) / per_block), 32 * PACKED_ROW_WARPS,
            0, NULL, run->state, run->context);
  return qn_cuda_launched("bottom-up search", error);
}

/* ---- What the loop (iterations.cuh) asks -------------------------------------------------- */

/* A level from below is followed by others as long as many are active, or few are open; then by
 * pushes, as what is left has few edges. */
inline enum qn_status one_iteration(struct packed_search *search, double *,
                                    struct qn_error *error) {
  struct sweep_run *run = search->run;
  const uint64_t num_vertices = run->context.num_vertices;
  const bool can = run->state.layout.below.words, was_below = search->below;
  enum qn_status status = QN_OK;
  search->below = can && (run->num_active > num_vertices / PACKED_BELOW_SHARE ||
                          (was_below && search->told->open <= run->num_active));
  const bool asks = can && !search->below && !was_below && few_active(run) &&
                    run->num_active > num_vertices / PACKED_COUNT_SHARE;
  if (asks)
    status = list_active(run, error);
  if (!status && asks)
    status = many_edges(search, &search->below, error);
  if (!status)
    status = search->below ? search_look_below(run, error) : search_push(search, asks, error);
  return status ? status : search_end_level(search, error);
}

inline enum qn_status next_round(struct packed_search *search, struct qn_error *error) {
  return sweep_next_round(search->run, search->run, error);
}

inline bool iteration_finished(struct packed_search *search, uint64_t num_active, double change,
                               double begin) {
  struct qn_iteration report = {};
  report.mode = search->below ? "bottom-up" : "push";
  return tell_iteration(search->run, report, num_active, change, begin);
}

inline enum qn_status keep(struct packed_search *search, struct qn_error *error) {
  return sweep_keep(search->run, error);
}

inline bool may_wait(const struct packed_search *) {
  return false;
}

/* ---- The run ------------------------------------------------------------------------------ */

inline enum qn_status search_create(struct packed_search *search, struct sweep_run *run,
                                    struct qn_error *error) {
  const uint64_t num_words = run->context.num_vertices / 32 + 1;
  struct engine_device *device = &run->state.layout;
  search->run = run;
  enum qn_status status = qn_cuda_alloc(&run->memory, &device->open, num_words,
                                        sizeof *device->open, "bits of vertices", error);
  if (!status)
    status =
        qn_cuda_status(cudaMemsetAsync(device->open, 0xff, num_words * sizeof *device->open, NULL),
                       "setting a bitmap", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(&run->memory, &device->ended, 3, sizeof *device->ended,
                                  "counters", error);
  return status ? status
                : qn_cuda_status(cudaHostAlloc((void **)&search->told, sizeof *search->told,
                                               cudaHostAllocDefault),
                                 "allocating pinned memory", error);
}

inline enum qn_status search_levels(struct packed_search *search, struct qn_error *error) {
  struct sweep_run *run = search->run;
  enum qn_status status = sweep_first_values(run, run, error);
  return status ? status : iterate(search, run, error);
}

inline void search_destroy(struct packed_search *search) {
  if (search->told)
    cudaFreeHost(search->told);
}

} /* namespace */
