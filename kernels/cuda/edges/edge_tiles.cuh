/* The edges of a CSR cut into tiles of QN_TILE, each summed up row by row by one block: a hub with
 * a million in-edges costs what they weigh, and rows without edges cost nothing, since they are
 * not among the rows that are walked. (After the segmented sums of Sengupta, Harris, Zhang, Owens:
 * Scan Primitives for GPU Computing, 2007.)
 *
 * What bounds a pull: an edge moves 4 bytes of column index from device memory (read once,
 * streaming), and gathers one message from a random place, which moves a 32-byte sector out
 * of L2 whatever the message's size. With messages that fit in L2 the rate of such gathers is
 * the wall. So each thread has its QN_TILE_ITEMS consecutive edges' gathers in flight at once,
 * loads their indices and weights 16 bytes at a time, and adds them up in registers; shared memory
 * holds one byte an edge, so that L1 keeps its size for the messages of hubs.
 *
 * A row's contributions are combined in an order that depends on its place in the tiles alone:
 * sums of reals are the same in every run. */
#pragma once

#include "kernels/cuda/device/primitives.cuh"
#include "kernels/cuda/edges/combine.cuh"
#include "kernels/cuda/edges/csr_device.cuh"
#include "kernels/cuda/edges/partial.cuh"
#include "kernels/cuda/edges/row_queue.cuh"

#ifndef QN_TILE_THREADS
#define QN_TILE_THREADS 256
#endif
#define QN_TILE_ITEMS 8 /* bytes of a uint64_t of flags */
#define QN_TILE (QN_TILE_THREADS * QN_TILE_ITEMS)
/* A row that reaches into more tiles than these has them added up by a whole block. */
#define QN_LONG_SPAN 32

namespace {

/* All pointers are device memory. */
struct edge_tiles {
  const uint32_t *sources; /* [num_edges] */
  struct qn_weights weights;
  uint64_t num_edges;
  uint64_t num_rows;       /* that have edges */
  const uint64_t *begins;  /* [num_rows + 1] */
  const uint32_t *row_ids; /* [num_rows] or NULL: themselves */
  uint32_t num_tiles;
  uint32_t num_long;          /* rows that reach into more than QN_LONG_SPAN further tiles */
  const uint32_t *first_rows; /* [num_tiles + 1] the first row that begins in the tile or later */
  const uint32_t *long_tiles; /* [num_long] in which such rows begin */
  program_accumulator *heads; /* [num_tiles] of the row that began before the tile */
  program_accumulator *tails; /* [num_tiles] of the last row that begins in it */
};

QN_DEVICE_INLINE uint32_t tile_row_id(const struct edge_tiles &tiles, uint64_t row) {
  return tiles.row_ids ? tiles.row_ids[row] : (uint32_t)row;
}

__global__ void find_first_rows(const struct edge_tiles tiles, uint32_t *first_rows) {
  const uint64_t tile = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (tile > tiles.num_tiles)
    return;
  uint64_t low = 0, high = tiles.num_rows;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (tiles.begins[middle] < tile * QN_TILE)
      low = middle + 1;
    else
      high = middle;
  }
  first_rows[tile] = (uint32_t)low;
}

/* How many tiles after this one its last row reaches into. */
QN_DEVICE_INLINE uint32_t tile_span(const struct edge_tiles &tiles, uint32_t tile) {
  const uint64_t end = tiles.begins[tiles.first_rows[tile + 1]];
  return (uint32_t)((end - 1) / QN_TILE) - tile;
}

QN_DEVICE_INLINE bool tile_has_start(const struct edge_tiles &tiles, uint32_t tile) {
  return tiles.first_rows[tile + 1] > tiles.first_rows[tile];
}

__global__ void find_long_spans(const struct edge_tiles tiles, uint32_t *long_tiles,
                                uint32_t *num_long) {
  const uint32_t tile = blockIdx.x * blockDim.x + threadIdx.x;
  const bool is_long = tile < tiles.num_tiles && tile_has_start(tiles, tile) &&
                       tile_span(tiles, tile) > QN_LONG_SPAN;
  const uint32_t slot = qn_warp_reserve(num_long, is_long);
  if (is_long)
    long_tiles[slot] = tile;
}

QN_DEVICE_INLINE program_accumulator shuffle_up(program_accumulator from, int step) {
  program_lane *lanes = reinterpret_cast<program_lane *>(&from);
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    lanes[lane] = __shfl_up_sync(QN_FULL_WARP, lanes[lane], step);
  return from;
}

/* What is left after `before` and then `carry`, which begins anew if a row `began` in it. */
QN_DEVICE_INLINE program_accumulator carry_on(program_accumulator before, program_accumulator carry,
                                              bool began) {
  if (began)
    return carry;
  program_combine(&before, carry);
  return before;
}

/* Running sums over a block's threads: what the threads since the last one in which a row began
 * have left over, in thread order. Returns what thread t - 1 hands to t; *last gets what the block
 * hands on. */
QN_DEVICE_INLINE program_accumulator carry_scan(bool began, program_accumulator carry,
                                                program_accumulator *last) {
  QN_SHARED(program_accumulator, warp_carries, QN_TILE_THREADS / 32);
  QN_SHARED(int, warp_began, QN_TILE_THREADS / 32);
  int any_began = began;
  for (int step = 1; step < 32; step *= 2) {
    const program_accumulator before = shuffle_up(carry, step);
    const int before_began = __shfl_up_sync(QN_FULL_WARP, any_began, step);
    if (qn_lane() >= (unsigned)step) {
      carry = carry_on(before, carry, any_began);
      any_began |= before_began;
    }
  }
  if (qn_lane() == 31) {
    warp_carries[qn_warp()] = carry;
    warp_began[qn_warp()] = any_began;
  }
  const program_accumulator before = shuffle_up(carry, 1);
  const int before_began = __shfl_up_sync(QN_FULL_WARP, any_began, 1);
  __syncthreads();
  program_accumulator base = program_identity(), all = program_identity();
  for (unsigned warp = 0; warp < QN_TILE_THREADS / 32; warp++) {
    if (warp == qn_warp())
      base = all;
    all = carry_on(all, warp_carries[warp], warp_began[warp]);
  }
  __syncthreads();
  *last = all;
  return qn_lane() == 0 ? base : carry_on(base, before, before_began);
}

/* Four words of what is read once; 16 bytes, aligned. */
QN_DEVICE_INLINE uint4 tile_words(const void *from) {
  return __ldcs(static_cast<const uint4 *>(from));
}

/* The thread's consecutive sources from `edge` on; 16 bytes at a time but for the last few. */
QN_DEVICE_INLINE void tile_sources(const struct edge_tiles &tiles, uint64_t edge, uint32_t *into) {
  if (edge + QN_TILE_ITEMS <= tiles.num_edges) {
    QN_UNROLL
    for (int i = 0; i < QN_TILE_ITEMS; i += 4) {
      const uint4 four = tile_words(tiles.sources + edge + i);
      into[i] = four.x, into[i + 1] = four.y, into[i + 2] = four.z, into[i + 3] = four.w;
    }
    return;
  }
  QN_UNROLL
  for (int i = 0; i < QN_TILE_ITEMS; i++)
    into[i] = edge + i < tiles.num_edges ? tiles.sources[edge + i] : 0;
}

QN_DEVICE_INLINE void tile_weights(const struct edge_tiles &tiles, uint64_t edge,
                                   program_weight *into) {
#if PROGRAM_USES_WEIGHTS
  const bool real = ENGINE_TAKES(QN_WEIGHT_F32) && tiles.weights.type == QN_WEIGHT_F32;
  const bool whole = ENGINE_TAKES(QN_WEIGHT_U32) && tiles.weights.type == QN_WEIGHT_U32;
  if (edge + QN_TILE_ITEMS <= tiles.num_edges && (real || whole)) {
    QN_UNROLL
    for (int i = 0; i < QN_TILE_ITEMS; i += 4) {
      const uint4 four = tile_words(tiles.weights.u32 + edge + i);
      const uint32_t words[] = {four.x, four.y, four.z, four.w};
      QN_UNROLL
      for (int j = 0; j < 4; j++)
        into[i + j] = real ? (program_weight)__uint_as_float(words[j]) : (program_weight)words[j];
    }
    return;
  }
#endif
  QN_UNROLL
  for (int i = 0; i < QN_TILE_ITEMS; i++)
    into[i] = edge + i < tiles.num_edges ? engine_weight(&tiles.weights, edge + i) : 0;
}

/* Which of the thread's edges begin a row: byte i is 1 if its edge i does. */
QN_DEVICE_INLINE uint64_t tile_starts(const struct edge_tiles &tiles, uint32_t tile) {
  QN_SHARED(uint64_t, flags, QN_TILE_THREADS);
  uint8_t *bytes = reinterpret_cast<uint8_t *>(flags);
  flags[threadIdx.x] = 0;
  __syncthreads();
  const uint64_t first_edge = (uint64_t)tile * QN_TILE;
  for (uint32_t row = tiles.first_rows[tile] + threadIdx.x; row < tiles.first_rows[tile + 1];
       row += QN_TILE_THREADS)
    bytes[tiles.begins[row] - first_edge] = 1;
  __syncthreads();
  return flags[threadIdx.x];
}

/* Sum up a tile. `contribution(source, weight)` gives an edge's; `finish(row, total)` is called for
 * the rows that begin in this tile, but for the last, which finish_spans finishes. */
template <class Contribution, class Finish>
QN_DEVICE_INLINE void tile_run(const struct edge_tiles &tiles, uint32_t tile,
                               Contribution contribution, Finish finish) {
  const uint64_t edge = (uint64_t)tile * QN_TILE + threadIdx.x * QN_TILE_ITEMS;
  uint32_t sources[QN_TILE_ITEMS];
  program_weight weights[QN_TILE_ITEMS];
  tile_partial parts[QN_TILE_ITEMS];
  tile_sources(tiles, edge, sources);
  tile_weights(tiles, edge, weights);
  if (edge + QN_TILE_ITEMS <= tiles.num_edges) { /* without a branch between the gathers */
    QN_UNROLL
    for (int i = 0; i < QN_TILE_ITEMS; i++)
      parts[i] = tile_store(contribution(sources[i], weights[i]));
  } else {
    QN_UNROLL
    for (int i = 0; i < QN_TILE_ITEMS; i++)
      parts[i] = tile_store(edge + i < tiles.num_edges ? contribution(sources[i], weights[i])
                                                       : program_identity());
  }
  const uint64_t starts = tile_starts(tiles, tile);
  uint32_t num_starts;
  const uint32_t rank = qn_block_scan((uint32_t)__popcll(starts), &num_starts);
  const uint32_t first_row = tiles.first_rows[tile];
  uint32_t row = first_row + rank; /* the next to begin */
  program_accumulator sum = program_identity(), head = program_identity();
  bool began = false;
  QN_UNROLL
  for (int i = 0; i < QN_TILE_ITEMS; i++) {
    if (starts >> 8 * i & 1) {
      if (began)
        finish(tile_row_id(tiles, row - 1), sum);
      else
        head = sum;
      began = true;
      sum = program_identity();
      row++;
    }
    program_combine(&sum, tile_load(parts[i]));
  }
  program_accumulator tail;
  program_accumulator carry = carry_scan(began, sum, &tail);
  if (began) {
    program_combine(&carry, head);
    if (rank > 0)
      finish(tile_row_id(tiles, first_row + rank - 1), carry);
    else
      tiles.heads[tile] = carry;
  }
  if (threadIdx.x == 0)
    (num_starts > 0 ? tiles.tails : tiles.heads)[tile] = tail;
}

/* For a kernel of qn_span_blocks(tiles) blocks of QN_TILE_THREADS after tile_run's: finish the last
 * row of each tile. The first num_long blocks take one long row each. */
template <class Finish>
QN_DEVICE_INLINE void finish_spans(const struct edge_tiles &tiles, Finish finish) {
  if (blockIdx.x >= tiles.num_long) {
    const uint32_t tile = (blockIdx.x - tiles.num_long) * QN_TILE_THREADS + threadIdx.x;
    if (tile >= tiles.num_tiles || !tile_has_start(tiles, tile))
      return;
    const uint32_t span = tile_span(tiles, tile);
    if (span > QN_LONG_SPAN)
      return;
    program_accumulator sum = tiles.tails[tile];
    for (uint32_t next = tile + 1; next <= tile + span; next++)
      program_combine(&sum, tiles.heads[next]);
    finish(tile_row_id(tiles, tiles.first_rows[tile + 1] - 1), sum);
    return;
  }
  const uint32_t tile = tiles.long_tiles[blockIdx.x];
  const uint32_t last = tile + tile_span(tiles, tile);
  program_accumulator sum = program_identity(), all;
  for (uint32_t next = tile + 1 + threadIdx.x; next <= last; next += QN_TILE_THREADS)
    program_combine(&sum, tiles.heads[next]);
  carry_scan(false, sum, &all);
  if (threadIdx.x == 0) {
    program_combine(&all, tiles.tails[tile]);
    finish(tile_row_id(tiles, tiles.first_rows[tile + 1] - 1), all);
  }
}

/* A finish that stores the totals by row. */
struct tile_storing {
  tile_partial *totals;

  __device__ void operator()(uint32_t row, program_accumulator total) const {
    totals[row] = tile_store(total);
  }
};

static inline unsigned qn_span_blocks(const struct edge_tiles *tiles) {
  return tiles->num_long + (tiles->num_tiles + QN_TILE_THREADS - 1) / QN_TILE_THREADS;
}

/* ---- The host's side ---------------------------------------------------------- */

inline uint64_t edge_tiles_count(uint64_t num_edges) {
  return num_edges == 0 ? 1 : (num_edges + QN_TILE - 1) / QN_TILE;
}

/* Device memory that edge_tiles_cut takes and keeps. */
inline uint64_t edge_tiles_bytes(uint64_t num_edges) {
  const uint64_t num_tiles = edge_tiles_count(num_edges);
  return qn_cuda_rounded((num_tiles + 1) * sizeof(uint32_t)) +
         qn_cuda_rounded((num_tiles / QN_LONG_SPAN + 1) * sizeof(uint32_t)) +
         2 * qn_cuda_rounded(num_tiles * sizeof(program_accumulator));
}

/* Cut the edges; everything up to row_ids is given. */
inline enum qn_status edge_tiles_cut(struct qn_cuda_memory *memory, struct edge_tiles *tiles,
                                     struct qn_error *error) {
  uint32_t *first_rows, *long_tiles, *num_long;
  const uint64_t num_tiles = edge_tiles_count(tiles->num_edges);
  if (num_tiles > INT32_MAX || tiles->num_rows > UINT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
  tiles->num_tiles = (uint32_t)num_tiles;
  enum qn_status status = qn_cuda_alloc(memory, &first_rows, num_tiles + 1, sizeof *first_rows,
                                        "the tiles' rows", error);
  if (!status)
    status = qn_cuda_alloc(memory, &long_tiles, num_tiles / QN_LONG_SPAN + 1, sizeof *long_tiles,
                           "the long rows' tiles", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &num_long, 1, sizeof *num_long, "a counter", error);
  if (!status)
    status = qn_cuda_alloc(memory, &tiles->heads, num_tiles, sizeof *tiles->heads,
                           "the tiles' carries", error);
  if (!status)
    status = qn_cuda_alloc(memory, &tiles->tails, num_tiles, sizeof *tiles->tails,
                           "the tiles' carries", error);
  if (status)
    return status;
  tiles->first_rows = first_rows;
  tiles->long_tiles = long_tiles;
  const unsigned blocks = (unsigned)(num_tiles / 256 + 1);
  QN_LAUNCH(find_first_rows, blocks, 256, 0, NULL, *tiles, first_rows);
  QN_LAUNCH(find_long_spans, blocks, 256, 0, NULL, *tiles, long_tiles, num_long);
  status = qn_cuda_launched("cutting the graph into tiles", error);
  if (!status)
    status = qn_cuda_download(memory, &tiles->num_long, num_long, 1, sizeof *num_long, "a counter",
                              error);
  qn_cuda_release(memory, num_long);
  return status;
}

__global__ void find_nonempty(const uint64_t *offsets, uint64_t num_vertices, uint8_t *flags) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { flags[v] = offsets[v + 1] > offsets[v]; });
}

__global__ void list_nonempty(const uint64_t *offsets, uint64_t num_vertices, const uint8_t *flags,
                              const uint32_t *places, uint32_t *row_ids, uint64_t *begins) {
  qn_grid_steps(num_vertices, [&](uint64_t v) {
    if (flags[v]) {
      row_ids[places[v]] = (uint32_t)v;
      begins[places[v]] = offsets[v];
    }
    if (v + 1 == num_vertices)
      begins[places[num_vertices]] = offsets[num_vertices];
  });
}

/* The rows of `csr`, whose pointers are device memory, that have edges. */
inline enum qn_status edge_tiles_list_rows(struct qn_cuda_memory *memory, const struct qn_csr *csr,
                                           struct edge_tiles *tiles, struct qn_error *error) {
  const uint64_t num_vertices = csr->num_vertices;
  const unsigned blocks = qn_grid(num_vertices, 256, memory->device.multiprocessors, 8);
  struct qn_cuda_scratch scratch = {NULL, 0};
  uint8_t *flags = NULL;
  uint32_t *places = NULL, *row_ids, num_rows = 0;
  uint64_t *begins;
  enum qn_status status =
      qn_cuda_alloc_zeroed(memory, &flags, num_vertices + 1, 1, "flags of rows", error);
  if (!status)
    status =
        qn_cuda_alloc(memory, &places, num_vertices + 1, sizeof *places, "places of rows", error);
  if (!status) {
    QN_LAUNCH(find_nonempty, blocks, 256, 0, NULL, csr->row_offsets, num_vertices, flags);
    status = qn_cuda_launched("looking for rows", error);
  }
  if (!status)
    status = qn_cuda_exclusive_sum(memory, &scratch, flags, places, num_vertices + 1, NULL, error);
  if (!status)
    status = qn_cuda_download(memory, &num_rows, places + num_vertices, 1, sizeof num_rows,
                              "the number of rows", error);
  tiles->num_rows = num_rows;
  if (!status)
    status = qn_cuda_alloc(memory, &row_ids, num_rows, sizeof *row_ids, "rows", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &begins, (uint64_t)num_rows + 1, sizeof *begins,
                                  "offsets of rows", error);
  if (!status) {
    QN_LAUNCH(list_nonempty, blocks, 256, 0, NULL, csr->row_offsets, num_vertices, flags, places,
              row_ids, begins);
    status = qn_cuda_launched("listing rows", error);
    tiles->row_ids = row_ids;
    tiles->begins = begins;
  }
  if (flags)
    qn_cuda_release(memory, flags);
  if (places)
    qn_cuda_release(memory, places);
  if (scratch.bytes)
    qn_cuda_release(memory, scratch.bytes);
  return status;
}

/* Tiles of `csr`, whose pointers are device memory. */
inline enum qn_status edge_tiles_of_csr(struct qn_cuda_memory *memory, const struct qn_csr *csr,
                                        struct edge_tiles *tiles, struct qn_error *error) {
  memset(tiles, 0, sizeof *tiles);
  tiles->sources = csr->column_indices;
  tiles->weights = csr->weights;
  tiles->num_edges = csr->num_edges;
  enum qn_status status = edge_tiles_list_rows(memory, csr, tiles, error);
  return status ? status : edge_tiles_cut(memory, tiles, error);
}

} /* namespace */
