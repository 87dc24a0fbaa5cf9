/* Sums over the rows of a queue (row_queue.cuh): what the columns of each row offer. A thread adds
 * up a unit, whose columns it looks at all at once, so a hub is shared by many blocks. Short rows
 * are added up where their units were, if that was one block; the units of others leave their sums
 * in `partials`, from which a thread or a warp adds them up afterwards. The order depends on the
 * row's length alone, whatever its place in the queue: sums of real numbers are the same in every
 * run.
 *
 * Bytes: 4 of column index an edge, what `wants` looks at, and a random value where it does; for
 * rows that are not short 8 twice a unit. */
#pragma once

#include "kernels/cuda/edges/row_queue.cuh"
#include <quern/graph.h>

struct qn_unit_sums {
  struct qn_unit_queue queue;
  uint32_t num_rows, num_units; /* each row has at least one unit */
  double *partials;             /* [num_units] */
};

#define QN_SHORT_ROW 32 /* units of a row that a thread adds up */

/* The columns of a thread's unit, of which `count` are there. */
struct qn_unit_columns {
  uint32_t columns[QN_UNIT_EDGES];
  uint32_t count;
};

QN_DEVICE_INLINE struct qn_unit_columns qn_unit_columns(const struct qn_unit_tile *tile,
                                                        uint32_t entry, uint32_t unit,
                                                        const uint32_t *columns) {
  struct qn_unit_columns unit_columns;
  const uint64_t edge =
      tile->begins[entry] + (uint64_t)(unit - tile->starts[entry]) * QN_UNIT_EDGES;
  const uint64_t left = edge < tile->ends[entry] ? tile->ends[entry] - edge : 0;
  unit_columns.count = left < QN_UNIT_EDGES ? (uint32_t)left : QN_UNIT_EDGES;
  QN_UNROLL
  for (uint32_t i = 0; i < QN_UNIT_EDGES; i++)
    unit_columns.columns[i] = i < unit_columns.count ? __ldcs(&columns[edge + i]) : 0;
  return unit_columns;
}

/* The sum of a unit's columns that `wants(column)`, each with its `value(column)`. */
template <class Wants, class Value>
QN_DEVICE_INLINE double qn_unit_sum(const struct qn_unit_columns &unit, Wants wants, Value value) {
  bool counts[QN_UNIT_EDGES];
  double values[QN_UNIT_EDGES], sum = 0;
  QN_UNROLL
  for (uint32_t i = 0; i < QN_UNIT_EDGES; i++)
    counts[i] = i < unit.count && wants(unit.columns[i]);
  QN_UNROLL
  for (uint32_t i = 0; i < QN_UNIT_EDGES; i++)
    values[i] = counts[i] ? value(unit.columns[i]) : 0;
  QN_UNROLL
  for (uint32_t i = 0; i < QN_UNIT_EDGES; i++)
    sum += values[i];
  return sum;
}

/* For a grid of blocks of QN_QUEUE_THREADS: all units, and visit(vertex, its sum) for the short
 * rows that end before their tile does. */
template <class Wants, class Value, class Visit>
QN_DEVICE_INLINE void qn_unit_sum_tiles(const struct qn_unit_sums &sums, const struct qn_csr &csr,
                                        Wants wants, Value value, Visit visit) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  QN_SHARED(double, parts, QN_TILE_UNITS);
  QN_SHARED(bool, ends_here, QN_TILE_UNITS);
  struct qn_unit_tile *tile = tiles;
  qn_unit_tiles(sums.num_units, [&](uint32_t first, uint32_t units) {
    const uint32_t loaded = qn_unit_load(sums.queue, sums.num_rows, csr.row_offsets, first, tile);
    const uint32_t at = threadIdx.x;
    const uint32_t begin = at < loaded ? tile->starts[at] : 0;
    const uint32_t end = at + 1 < loaded ? tile->starts[at + 1] : begin;
    const bool ends = begin < end && end - begin <= QN_SHORT_ROW &&
                      (at > 0 || tile->begins[at] == csr.row_offsets[tile->vertices[at]]);
    ends_here[at] = ends;
    __syncthreads();
    if (at < units) {
      const uint32_t entry = qn_unit_entry(tile, loaded, at);
      const double sum =
          qn_unit_sum(qn_unit_columns(tile, entry, at, csr.column_indices), wants, value);
      if (ends_here[entry])
        parts[at] = sum;
      else
        sums.partials[first + at] = sum;
    }
    __syncthreads();
    if (ends) {
      double sum = 0;
      for (uint32_t unit = begin; unit < end; unit++)
        sum += parts[unit];
      visit(tile->vertices[at], sum);
    }
    __syncthreads();
  });
}

/* After that, by whole warps: the same for all other rows. */
template <class Visit>
QN_DEVICE_INLINE void qn_unit_sum_rest(const struct qn_unit_sums &sums, Visit visit) {
  const struct qn_unit_queue &queue = sums.queue;
  const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
  for (uint64_t step = (uint64_t)blockIdx.x * (blockDim.x / 32) + qn_warp();
       step < ((uint64_t)sums.num_rows + 31) / 32; step += warps) {
    const uint64_t row = step * 32 + qn_lane();
    const bool there = row < sums.num_rows, is_last = row + 1 >= sums.num_rows;
    const uint32_t begin = there ? queue.units[row] : 0;
    const uint32_t end = !there ? 0 : is_last ? sums.num_units : queue.units[row + 1];
    const bool is_short = end - begin <= QN_SHORT_ROW;
    if (is_short && there && (is_last || begin / QN_TILE_UNITS != end / QN_TILE_UNITS)) {
      double sum = 0;
      for (uint32_t unit = begin; unit < end; unit++)
        sum += sums.partials[unit];
      visit(queue.vertices[row], sum);
    }
    for (unsigned left = __ballot_sync(QN_FULL_WARP, !is_short); left; left &= left - 1) {
      const int whose = __ffs((int)left) - 1;
      const uint32_t its_end = __shfl_sync(QN_FULL_WARP, end, whose);
      double sum = 0;
      for (uint64_t unit = (uint64_t)__shfl_sync(QN_FULL_WARP, begin, whose) + qn_lane();
           unit < its_end; unit += 32)
        sum += sums.partials[unit];
      for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(QN_FULL_WARP, sum, half);
      if (qn_lane() == 0)
        visit(queue.vertices[step * 32 + (unsigned)whose], sum);
    }
  }
}
