/* Sums over the rows of a queue (row_queue.cuh): what the columns of each row offer. A piece of a
 * row leaves its sum in `partials`, then a warp adds up a row's pieces, always in the same order,
 * so a hub is shared by many blocks and sums of real numbers are the same in every run.
 *
 * Bytes: 4 of column index and one random double (a sector of L2) an edge, 8 twice a piece. */
#ifndef QN_KERNELS_CUDA_EDGES_ROW_SUMS_CUH
#define QN_KERNELS_CUDA_EDGES_ROW_SUMS_CUH

#include "kernels/cuda/edges/row_queue.cuh"
#include <quern/graph.h>

struct qn_unit_sums {
  struct qn_unit_queue queue;
  uint32_t num_rows, num_units; /* each row has at least one unit */
  double *partials;             /* [num_units] */
};

/* The pieces, for a grid of blocks of QN_QUEUE_THREADS. */
QN_DEVICE_INLINE void qn_unit_sum_pieces(const struct qn_unit_sums &sums, const struct qn_csr &csr,
                                         const double *offers) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  struct qn_unit_tile *tile = tiles;
  qn_unit_tiles(sums.num_units, [&](uint32_t first, uint32_t units) {
    const uint32_t loaded = qn_unit_load(sums.queue, sums.num_rows, csr.row_offsets, first, tile);
    for (uint32_t unit = threadIdx.x / QN_UNIT_EDGES; unit < QN_TILE_UNITS;
         unit += QN_QUEUE_THREADS / QN_UNIT_EDGES) {
      double sum = 0;
      if (unit < units) {
        const uint32_t entry = qn_unit_entry(tile, loaded, unit);
        const uint64_t edge = qn_unit_edge(tile, entry, unit);
        if (edge < tile->ends[entry])
          sum = offers[__ldcs(&csr.column_indices[edge])];
      }
      for (int step = QN_UNIT_EDGES / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(QN_FULL_WARP, sum, step, QN_UNIT_EDGES);
      if (unit < units && threadIdx.x % QN_UNIT_EDGES == 0)
        sums.partials[first + unit] = sum;
    }
    __syncthreads();
  });
}

/* After that, by whole warps: visit(vertex, its sum) by one thread for every row. */
template <class Visit>
QN_DEVICE_INLINE void qn_unit_sum_rows(const struct qn_unit_sums &sums, Visit visit) {
  const struct qn_unit_queue &queue = sums.queue;
  for (uint64_t row = (uint64_t)blockIdx.x * (blockDim.x / 32) + qn_warp(); row < sums.num_rows;
       row += (uint64_t)gridDim.x * (blockDim.x / 32)) {
    const uint32_t begin = queue.units[row];
    const uint32_t end = row + 1 < sums.num_rows ? queue.units[row + 1] : sums.num_units;
    double sum = 0;
    for (uint64_t unit = (uint64_t)begin + qn_lane(); unit < end; unit += 32)
      sum += sums.partials[unit];
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_down_sync(QN_FULL_WARP, sum, step);
    if (qn_lane() == 0)
      visit(queue.vertices[row], sum);
  }
}

#endif
