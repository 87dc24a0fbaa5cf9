/* Rows and edges of a CSR cut into tiles of equal work: a merge path (Merrill and
 * Garland: Merge-Based Parallel Sparse Matrix-Vector Multiplication, SC 2016) through
 * the list of row ends and the list of edges. Every tile is QN_TILE steps of that
 * path, so a hub with a million in-edges and a million empty rows cost what they weigh.
 *
 * What bounds a pull: an edge moves 4 bytes of column index from device memory (read once,
 * streaming), and gathers one message from a random place, which moves a 32-byte sector out
 * of L2 whatever the message's size. With messages that fit in L2 the rate of such gathers is
 * the wall; so each thread has QN_TILE_ITEMS of them in flight, without a branch
 * between, and nothing else is done per edge in that phase: contributions go to shared
 * memory, where rows are added up afterwards. Wider loads of column indices were left out: a
 * warp's 32 indices are one 128-byte request against up to 32 sectors of gathers.
 *
 * A row's contributions are combined in an order that depends on its place in the tiles alone:
 * sums of reals are the same in every run. */
#ifndef QN_KERNELS_CUDA_CSR_TILES_CUH
#define QN_KERNELS_CUDA_CSR_TILES_CUH

#include "kernels/cuda/combine.cuh"
#include "kernels/cuda/csr_device.cuh"
#include "kernels/cuda/partial.cuh"

#ifndef QN_TILE_THREADS
#define QN_TILE_THREADS 256
#endif
#define QN_TILE_ITEMS 8
#define QN_TILE (QN_TILE_THREADS * QN_TILE_ITEMS)
/* A row that ends this many tiles after it began has its tiles added up by a whole block. */
#define QN_LONG_SPAN 32

namespace {

struct csr_tiles {
  struct qn_csr csr; /* in device memory */
  uint32_t num_tiles;
  uint32_t num_long;              /* rows that span more than QN_LONG_SPAN tiles */
  const uint32_t *first_rows;     /* [num_tiles + 1] the row that each tile begins in */
  const uint32_t *long_ends;      /* [num_long] tiles in which such rows end */
  program_accumulator *carries;   /* [num_tiles] of the row that a tile leaves unfinished */
  program_accumulator *row_heads; /* [num_tiles] of the row that began before it and ends in it */
};

/* The row in which step `diagonal` of the path lies. */
QN_DEVICE_INLINE uint32_t tile_row(const uint64_t *offsets, uint64_t num_rows, uint64_t num_edges,
                                   uint64_t diagonal) {
  uint64_t low = diagonal > num_edges ? diagonal - num_edges : 0;
  uint64_t high = diagonal < num_rows ? diagonal : num_rows;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (offsets[middle + 1] <= diagonal - middle - 1)
      low = middle + 1;
    else
      high = middle;
  }
  return (uint32_t)low;
}

/* The tile in which a row begins. */
QN_DEVICE_INLINE uint32_t tile_of_row(const uint64_t *offsets, uint32_t row) {
  return (uint32_t)((offsets[row] + row) / QN_TILE);
}

__global__ void find_tiles(const struct qn_csr csr, uint32_t num_tiles, uint32_t *first_rows) {
  const uint64_t tile = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (tile > num_tiles)
    return;
  const uint64_t steps = csr.num_vertices + csr.num_edges, step = tile * QN_TILE;
  first_rows[tile] =
      tile_row(csr.row_offsets, csr.num_vertices, csr.num_edges, step < steps ? step : steps);
}

/* Does a row that began in an earlier tile end in this one? */
QN_DEVICE_INLINE bool tile_ends_span(const struct csr_tiles &tiles, uint32_t tile) {
  const uint32_t row = tiles.first_rows[tile];
  return tiles.first_rows[tile + 1] > row &&
         tiles.csr.row_offsets[row] < (uint64_t)tile * QN_TILE - row;
}

__global__ void find_long_spans(const struct csr_tiles tiles, uint32_t *long_ends,
                                uint32_t *num_long) {
  const uint32_t tile = blockIdx.x * blockDim.x + threadIdx.x;
  const bool is_long =
      tile < tiles.num_tiles && tile_ends_span(tiles, tile) &&
      tile - tile_of_row(tiles.csr.row_offsets, tiles.first_rows[tile]) > QN_LONG_SPAN;
  const uint32_t slot = qn_warp_reserve(num_long, is_long);
  if (is_long)
    long_ends[slot] = tile;
}

QN_DEVICE_INLINE program_accumulator shuffle_up(program_accumulator from, int step) {
  program_lane *lanes = reinterpret_cast<program_lane *>(&from);
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    lanes[lane] = __shfl_up_sync(QN_FULL_WARP, lanes[lane], step);
  return from;
}

/* What is left after `before` and then `carry`, which begins anew if a row `finished` in it. */
QN_DEVICE_INLINE program_accumulator carry_on(program_accumulator before, program_accumulator carry,
                                              bool finished) {
  if (finished)
    return carry;
  program_combine(&before, carry);
  return before;
}

/* Running sums over a block's threads: what the threads since the last one that
 * finished a row have left over, in thread order. Returns what thread t - 1 hands to t;
 * *last gets what the block hands on. */
QN_DEVICE_INLINE program_accumulator carry_scan(bool finished, program_accumulator carry,
                                                program_accumulator *last) {
  QN_SHARED(program_accumulator, warp_carries, QN_TILE_THREADS / 32);
  QN_SHARED(int, warp_finished, QN_TILE_THREADS / 32);
  int any_finished = finished;
  for (int step = 1; step < 32; step *= 2) {
    const program_accumulator before = shuffle_up(carry, step);
    const int before_finished = __shfl_up_sync(QN_FULL_WARP, any_finished, step);
    if (qn_lane() >= (unsigned)step) {
      carry = carry_on(before, carry, any_finished);
      any_finished |= before_finished;
    }
  }
  if (qn_lane() == 31) {
    warp_carries[qn_warp()] = carry;
    warp_finished[qn_warp()] = any_finished;
  }
  const program_accumulator before = shuffle_up(carry, 1);
  const int before_finished = __shfl_up_sync(QN_FULL_WARP, any_finished, 1);
  __syncthreads();
  program_accumulator base = program_identity(), all = program_identity();
  for (unsigned warp = 0; warp < QN_TILE_THREADS / 32; warp++) {
    if (warp == qn_warp())
      base = all;
    all = carry_on(all, warp_carries[warp], warp_finished[warp]);
  }
  __syncthreads();
  *last = all;
  return qn_lane() == 0 ? base : carry_on(base, before, before_finished);
}

/* Phase 1 of a tile: the contributions of its edges, into shared memory. `contribution(source,
 * edge)` gives one; it is called for all edges of a thread before any is stored. */
template <class Contribution>
QN_DEVICE_INLINE void tile_gather(const struct qn_csr &csr, uint64_t first_edge, uint32_t num_edges,
                                  tile_partial *partials, Contribution contribution) {
  uint32_t sources[QN_TILE_ITEMS];
  QN_UNROLL
  for (int item = 0; item < QN_TILE_ITEMS; item++) {
    const uint32_t edge = threadIdx.x + item * QN_TILE_THREADS;
    sources[item] = edge < num_edges ? __ldcs(&csr.column_indices[first_edge + edge]) : 0;
  }
  tile_partial gathered[QN_TILE_ITEMS];
  QN_UNROLL
  for (int item = 0; item < QN_TILE_ITEMS; item++) {
    const uint32_t edge = threadIdx.x + item * QN_TILE_THREADS;
    if (edge < num_edges)
      gathered[item] = tile_store(contribution(sources[item], first_edge + edge));
  }
  QN_UNROLL
  for (int item = 0; item < QN_TILE_ITEMS; item++) {
    const uint32_t edge = threadIdx.x + item * QN_TILE_THREADS;
    if (edge < num_edges)
      partials[edge] = gathered[item];
  }
}

/* Phase 2: each thread walks QN_TILE_ITEMS steps of the path, and leaves the totals of the rows
 * that end there in totals[row - first row]. `partials` and `totals` may be the same memory.
 * Returns the carry of the tile. */
QN_DEVICE_INLINE program_accumulator tile_reduce(const uint32_t *row_ends, uint32_t num_rows,
                                                 uint32_t num_edges, const tile_partial *partials,
                                                 tile_partial *totals) {
  const uint32_t steps = num_rows + num_edges;
  const uint32_t begin = threadIdx.x * QN_TILE_ITEMS < steps ? threadIdx.x * QN_TILE_ITEMS : steps;
  uint32_t row = begin > num_edges ? begin - num_edges : 0;
  uint32_t high = begin < num_rows ? begin : num_rows;
  while (row < high) {
    const uint32_t middle = row + (high - row) / 2;
    if (row_ends[middle] <= begin - middle - 1)
      row = middle + 1;
    else
      high = middle;
  }
  const uint32_t first_row = row;
  uint32_t edge = begin - row;
  program_accumulator sum = program_identity(), sums[QN_TILE_ITEMS];
  unsigned ended = 0; /* bit `item`: a row ended at that step */
  QN_UNROLL
  for (int item = 0; item < QN_TILE_ITEMS; item++) {
    if (begin + item >= steps)
      continue;
    if (row < num_rows && row_ends[row] <= edge) {
      sums[item] = sum;
      ended |= 1u << item;
      sum = program_identity();
      row++;
    } else {
      program_combine(&sum, tile_load(partials[edge]));
      edge++;
    }
  }
  program_accumulator tile_carry;
  program_accumulator carry = carry_scan(ended != 0, sum, &tile_carry);
  uint32_t out = first_row;
  QN_UNROLL
  for (int item = 0; item < QN_TILE_ITEMS; item++) {
    if (!(ended >> item & 1u))
      continue;
    if (out == first_row)
      program_combine(&carry, sums[item]);
    totals[out] = tile_store(out == first_row ? carry : sums[item]);
    out++;
  }
  __syncthreads();
  return tile_carry;
}

/* Both phases. `finish(row, total)` is called once for every row that begins and ends in this tile,
 * consecutive rows by consecutive threads. Rows in several tiles are finished by finish_span. */
template <class Contribution, class Finish>
QN_DEVICE_INLINE void tile_run(const struct csr_tiles &tiles, uint32_t tile,
                               Contribution contribution, Finish finish) {
  QN_SHARED(tile_partial, partials, QN_TILE + 1);
  QN_SHARED(uint32_t, row_ends, QN_TILE + 1);
  const uint64_t steps = tiles.csr.num_vertices + tiles.csr.num_edges;
  const uint64_t step = (uint64_t)tile * QN_TILE;
  const uint32_t num_steps = steps - step < QN_TILE ? (uint32_t)(steps - step) : QN_TILE;
  const uint32_t first_row = tiles.first_rows[tile];
  const uint32_t num_rows = tiles.first_rows[tile + 1] - first_row;
  const uint32_t num_edges = num_steps - num_rows;
  const uint64_t first_edge = step - first_row;
  for (uint32_t row = threadIdx.x; row < num_rows; row += QN_TILE_THREADS)
    row_ends[row] = (uint32_t)(tiles.csr.row_offsets[first_row + row + 1] - first_edge);
  tile_gather(tiles.csr, first_edge, num_edges, partials, contribution);
  __syncthreads();
  const program_accumulator carry = tile_reduce(row_ends, num_rows, num_edges, partials, partials);
  const bool cut = num_rows > 0 && tiles.csr.row_offsets[first_row] < first_edge;
  for (uint32_t row = threadIdx.x; row < num_rows; row += QN_TILE_THREADS) {
    if (row == 0 && cut)
      tiles.row_heads[tile] = tile_load(partials[0]);
    else
      finish(first_row + row, tile_load(partials[row]));
  }
  if (threadIdx.x == 0)
    tiles.carries[tile] = carry;
}

/* For a kernel of qn_span_blocks(tiles) blocks of QN_TILE_THREADS after tile_run's: finish the rows
 * that lie in several tiles. The first num_long blocks take one long row each. */
template <class Finish>
QN_DEVICE_INLINE void finish_spans(const struct csr_tiles &tiles, Finish finish) {
  if (blockIdx.x >= tiles.num_long) {
    const uint32_t tile = (blockIdx.x - tiles.num_long) * QN_TILE_THREADS + threadIdx.x;
    if (tile >= tiles.num_tiles || !tile_ends_span(tiles, tile))
      return;
    const uint32_t row = tiles.first_rows[tile];
    const uint32_t begin = tile_of_row(tiles.csr.row_offsets, row);
    if (tile - begin > QN_LONG_SPAN)
      return;
    program_accumulator sum = tiles.carries[begin];
    for (uint32_t middle = begin + 1; middle < tile; middle++)
      program_combine(&sum, tiles.carries[middle]);
    program_combine(&sum, tiles.row_heads[tile]);
    finish(row, sum);
    return;
  }
  const uint32_t tile = tiles.long_ends[blockIdx.x];
  const uint32_t row = tiles.first_rows[tile];
  const uint32_t begin = tile_of_row(tiles.csr.row_offsets, row);
  program_accumulator sum = program_identity(), all;
  for (uint32_t middle = begin + threadIdx.x; middle < tile; middle += QN_TILE_THREADS)
    program_combine(&sum, tiles.carries[middle]);
  carry_scan(false, sum, &all);
  if (threadIdx.x == 0) {
    program_combine(&all, tiles.row_heads[tile]);
    finish(row, all);
  }
}

static inline unsigned qn_span_blocks(const struct csr_tiles *tiles) {
  return tiles->num_long + (tiles->num_tiles + QN_TILE_THREADS - 1) / QN_TILE_THREADS;
}

/* Cut `csr`, whose pointers are device memory. */
inline enum qn_status csr_tiles_create(struct qn_cuda_memory *memory, const struct qn_csr *csr,
                                       struct csr_tiles *tiles, struct qn_error *error) {
  uint32_t *first_rows, *long_ends, *num_long;
  memset(tiles, 0, sizeof *tiles);
  tiles->csr = *csr;
  const uint64_t steps = csr->num_vertices + csr->num_edges;
  const uint64_t num_tiles = steps == 0 ? 1 : (steps + QN_TILE - 1) / QN_TILE;
  if (num_tiles > INT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
  tiles->num_tiles = (uint32_t)num_tiles;
  enum qn_status status = qn_cuda_alloc(memory, &first_rows, num_tiles + 1, sizeof *first_rows,
                                        "the tiles' rows", error);
  if (!status)
    status = qn_cuda_alloc(memory, &long_ends, num_tiles / QN_LONG_SPAN + 1, sizeof *long_ends,
                           "the long rows' tiles", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &num_long, 1, sizeof *num_long, "a counter", error);
  if (!status)
    status = qn_cuda_alloc(memory, &tiles->carries, num_tiles, sizeof *tiles->carries,
                           "the tiles' carries", error);
  if (!status)
    status = qn_cuda_alloc(memory, &tiles->row_heads, num_tiles, sizeof *tiles->row_heads,
                           "the tiles' carries", error);
  if (status)
    return status;
  tiles->first_rows = first_rows;
  tiles->long_ends = long_ends;
  const unsigned blocks = (unsigned)(num_tiles / 256 + 1);
  QN_LAUNCH(find_tiles, blocks, 256, 0, NULL, *csr, tiles->num_tiles, first_rows);
  QN_LAUNCH(find_long_spans, blocks, 256, 0, NULL, *tiles, long_ends, num_long);
  status = qn_cuda_launched("cutting the graph into tiles", error);
  if (!status)
    status = qn_cuda_download(memory, &tiles->num_long, num_long, 1, sizeof *num_long, "a counter",
                              error);
  qn_cuda_release(memory, num_long);
  return status;
}

} /* namespace */

#endif
