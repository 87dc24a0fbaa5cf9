/* A queue of rows of a CSR whose edges can be cut into equal pieces, for pushes and for
 * sums over some rows.
 *
 * An entry is a vertex and the number of *units* of up to QN_UNIT_EDGES edges that the entries
 * before it have. Blocks reserve entries and units together, with one 64-bit atomic, so
 * both ascend along the queue and no scan over it is needed. Blocks that work on the queue take
 * QN_TILE_UNITS units each and find their vertices by binary search. That balances a hub against a
 * thousand leaves without the three size classes of TWC (Merrill, Garland, Grimshaw: Scalable
 * GPU Graph Traversal, PPoPP 2012), whose block-sized class still gives a hub to one block.
 *
 * All units of a queue together must be fewer than 2^32. */
#pragma once

#include "kernels/cuda/device/block.cuh"
#include <quern/graph.h>

#ifndef QN_QUEUE_THREADS
#define QN_QUEUE_THREADS 256
#endif
#define QN_UNIT_EDGES 8                /* one 32-byte sector of column indices */
#define QN_TILE_UNITS QN_QUEUE_THREADS /* of a block's tile: at most so many entries overlap it */

struct qn_unit_queue {
  uint32_t *vertices; /* [V] */
  uint32_t *units;    /* [V] units of the entries before */
};

/* Units and entries reserved so far, and how to tell them apart. */
typedef unsigned long long qn_queue_size;
static inline __host__ __device__ uint32_t qn_queue_entries(qn_queue_size size) {
  return (uint32_t)size;
}
static inline __host__ __device__ uint32_t qn_queue_units(qn_queue_size size) {
  return (uint32_t)(size >> 32);
}

QN_DEVICE_INLINE uint32_t qn_units_of(uint64_t degree) {
  return (uint32_t)((degree + QN_UNIT_EDGES - 1) / QN_UNIT_EDGES);
}

/* Put `vertex` into the queue for every thread with units > 0. The whole block calls. */
QN_DEVICE_INLINE void qn_queue_put(const struct qn_unit_queue &queue, qn_queue_size *size,
                                   uint32_t units, uint32_t vertex) {
  QN_SHARED(qn_queue_size, base, 1);
  qn_queue_size total;
  qn_queue_size place = qn_block_scan(units ? (qn_queue_size)units << 32 | 1u : 0, &total);
  if (threadIdx.x == 0)
    base[0] = total ? atomicAdd(size, total) : 0;
  __syncthreads();
  if (units) {
    place += base[0];
    queue.vertices[qn_queue_entries(place)] = vertex;
    queue.units[qn_queue_entries(place)] = qn_queue_units(place);
  }
  __syncthreads(); /* before the next call writes `base` */
}

/* Queue the rows of `csr` that `wants(v)` and that have edges. The whole grid calls. */
template <class Wants>
QN_DEVICE_INLINE void qn_queue_rows(const struct qn_csr &csr, const struct qn_unit_queue &queue,
                                    qn_queue_size *size, Wants wants) {
  qn_block_steps(csr.num_vertices, [&](uint64_t v, bool there) {
    const uint64_t degree = there && wants(v) ? csr.row_offsets[v + 1] - csr.row_offsets[v] : 0;
    if (__syncthreads_or(degree > 0))
      qn_queue_put(queue, size, qn_units_of(degree), (uint32_t)v);
  });
}

/* The last entry whose units begin at or before `unit`: a search by a whole warp, which
 * narrows the range 32 times a step. */
QN_DEVICE_INLINE uint32_t qn_queue_find(const uint32_t *units, uint32_t num_entries,
                                        uint32_t unit) {
  uint32_t low = 0, length = num_entries; /* the answer is in [low, low + length) */
  while (length > 1) {
    const uint32_t stride = (length + 31) / 32;
    const uint64_t probe = (uint64_t)stride * qn_lane();
    const bool before = probe < length && units[low + probe] <= unit;
    const uint32_t chosen = 31 - __clz((int)__ballot_sync(QN_FULL_WARP, before));
    const uint32_t rest = length - chosen * stride;
    low += chosen * stride;
    length = rest < stride ? rest : stride;
  }
  return low;
}

/* The entries that a block's tile overlaps. In shared memory. */
struct qn_unit_tile {
  uint32_t vertices[QN_TILE_UNITS];
  uint32_t starts[QN_TILE_UNITS]; /* first unit of the entry, counted from the tile's */
  uint64_t begins[QN_TILE_UNITS]; /* the edge that this unit begins with */
  uint64_t ends[QN_TILE_UNITS];   /* of the entry's row */
};

/* Load the entries that overlap units [first, first + QN_TILE_UNITS) into a tile, entry i by thread
 * i. Returns how many. The whole block of QN_QUEUE_THREADS calls; ends with a barrier. */
QN_DEVICE_INLINE uint32_t qn_unit_load(const struct qn_unit_queue &queue, uint32_t num_entries,
                                       const uint64_t *row_offsets, uint32_t first,
                                       struct qn_unit_tile *tile) {
  QN_SHARED(uint32_t, first_entry, 1);
  if (qn_warp() == 0) {
    const uint32_t entry = qn_queue_find(queue.units, num_entries, first);
    if (qn_lane() == 0)
      first_entry[0] = entry;
  }
  __syncthreads();
  const uint64_t entry = (uint64_t)first_entry[0] + threadIdx.x;
  const uint32_t unit = entry < num_entries ? queue.units[entry] : 0;
  const bool overlaps = entry < num_entries && (unit < first || unit - first < QN_TILE_UNITS);
  if (overlaps) {
    const uint32_t vertex = queue.vertices[entry];
    const uint32_t skipped = unit < first ? first - unit : 0; /* units that other tiles take */
    tile->vertices[threadIdx.x] = vertex;
    tile->starts[threadIdx.x] = skipped ? 0 : unit - first;
    tile->begins[threadIdx.x] = row_offsets[vertex] + (uint64_t)skipped * QN_UNIT_EDGES;
    tile->ends[threadIdx.x] = row_offsets[vertex + 1];
  }
  return (uint32_t)__syncthreads_count(overlaps);
}

/* The entry of a tile that a unit belongs to. */
QN_DEVICE_INLINE uint32_t qn_unit_entry(const struct qn_unit_tile *tile, uint32_t num_entries,
                                        uint32_t unit) {
  uint32_t low = 0, high = num_entries;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (tile->starts[middle] <= unit)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The edge of this thread in its unit, which QN_UNIT_EDGES neighbouring threads share; the end of
 * the row or more if there is none for it. */
QN_DEVICE_INLINE uint64_t qn_unit_edge(const struct qn_unit_tile *tile, uint32_t entry,
                                       uint32_t unit) {
  return tile->begins[entry] + (uint64_t)(unit - tile->starts[entry]) * QN_UNIT_EDGES +
         threadIdx.x % QN_UNIT_EDGES;
}

/* For all tiles of a queue, by whole blocks: visit(tile's first unit, its number of units). */
template <class Visit> QN_DEVICE_INLINE void qn_unit_tiles(uint32_t num_units, Visit visit) {
  for (uint64_t first = (uint64_t)blockIdx.x * QN_TILE_UNITS; first < num_units;
       first += (uint64_t)gridDim.x * QN_TILE_UNITS) {
    const uint32_t left = num_units - (uint32_t)first;
    visit((uint32_t)first, left < QN_TILE_UNITS ? left : (uint32_t)QN_TILE_UNITS);
  }
}

/* For all i < count, by whole blocks: visit(i, i < count). */
template <class Visit> QN_DEVICE_INLINE void qn_block_steps(uint64_t count, Visit visit) {
  for (uint64_t first = (uint64_t)blockIdx.x * blockDim.x; first < count;
       first += (uint64_t)gridDim.x * blockDim.x)
    visit(first + threadIdx.x, first + threadIdx.x < count);
}

/* For all bits that are set among the first `count`, by whole blocks: visit(bit, whether this
 * thread has one). Words without any cost little. */
template <class Visit>
QN_DEVICE_INLINE void qn_block_bits(const uint32_t *bits, uint64_t count, Visit visit) {
  qn_block_steps((count + 31) / 32, [&](uint64_t index, bool there) {
    uint32_t word = there ? bits[index] : 0;
    while (__syncthreads_or(word != 0)) {
      visit((uint32_t)index * 32 + (uint32_t)(__ffs((int)word) - 1), word != 0);
      word &= word - 1;
    }
  });
}

/* For all i < count, by single threads: visit(i). */
template <class Visit> QN_DEVICE_INLINE void qn_grid_steps(uint64_t count, Visit visit) {
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += (uint64_t)gridDim.x * blockDim.x)
    visit(i);
}

QN_DEVICE_INLINE bool qn_bit_has(const uint32_t *bits, uint32_t vertex) {
  return bits[vertex / 32] >> (vertex % 32) & 1u;
}

/* Set a bit; true if it was not set. */
QN_DEVICE_INLINE bool qn_bit_insert(uint32_t *bits, uint32_t vertex) {
  const uint32_t bit = 1u << (vertex % 32);
  return !(atomicOr(&bits[vertex / 32], bit) & bit);
}
