/* A weighted undirected graph on its way through Leiden's levels, on a device: what
 * kernels/cpu/communities/level.h says, but for its weights. These are whole numbers of 64 bits, so
 * that sums of them do not depend on the order of threads: those of the file as they are, or real
 * ones in units of about 2^-62 of their sum (fixed_weights.cuh). */
#pragma once

#include "kernels/cuda/device/primitives.cuh"
#include "kernels/cuda/edges/row_steps.cuh"

typedef unsigned long long fixed_weight;

/* Each edge stands in both rows. An entry of a vertex with itself counts in `degrees` alone. In
 * device memory, all but the counts. */
struct level {
  struct qn_csr csr;           /* rows and neighbours alone */
  const fixed_weight *weights; /* [num_edges] NULL: all 1 */
  fixed_weight *degrees;       /* [V] sum of the weights of a vertex's edge ends: a loop has two */
  struct qn_unit_queue queue;  /* of all rows, */
  qn_queue_size *queued;       /* so large */
};

namespace {

QN_DEVICE_INLINE fixed_weight level_weight(const struct level &level, uint64_t entry) {
  return level.weights ? level.weights[entry] : 1;
}

/* Memory that is kept for further levels, which are smaller. */
inline enum qn_status level_room(struct qn_cuda_memory *memory, struct qn_cuda_scratch *room,
                                 uint64_t count, uint64_t size, const char *what, void *out,
                                 struct qn_error *error) {
  if (!room->bytes || count * size > room->size) {
    if (room->bytes)
      qn_cuda_release(memory, room->bytes);
    room->bytes = NULL;
    room->size = 0;
    enum qn_status status = qn_cuda_alloc(memory, &room->bytes, count, size, what, error);
    if (status)
      return status;
    room->size = count * size;
  }
  *(void **)out = room->bytes;
  return QN_OK;
}

__global__ void queue_rows_of_level(const struct level level) {
  qn_queue_rows(level.csr, level.queue, level.queued, [](uint64_t) { return true; });
}

/* Cut all rows, for level_visit. */
inline enum qn_status level_cut(struct qn_cuda_memory *memory, const struct level *level,
                                struct qn_error *error) {
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(level->queued, 0, sizeof *level->queued, NULL), "clearing a counter", error);
  if (status)
    return status;
  QN_LAUNCH(queue_rows_of_level, qn_run_blocks(memory, level->csr.num_vertices), QN_QUEUE_THREADS,
            0, NULL, *level);
  return qn_cuda_launched("cutting rows", error);
}

/* A thread an entry, QN_UNIT_EDGES threads a piece of a row: all threads of a block call
 * visit(there, v, other, entry), `there` if they have one, and visit.end(). */
template <class Visit>
__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    visit_entries(const struct level level, const Visit given) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  struct qn_unit_tile *tile = tiles;
  Visit visit = given;
  const uint32_t num_rows = qn_queue_entries(*level.queued);
  qn_unit_tiles(qn_queue_units(*level.queued), [&](uint32_t first, uint32_t units) {
    const uint32_t loaded = qn_unit_load(level.queue, num_rows, level.csr.row_offsets, first, tile);
    for (uint32_t begin = 0; begin < units; begin += QN_QUEUE_THREADS / QN_UNIT_EDGES) {
      const uint32_t unit = begin + threadIdx.x / QN_UNIT_EDGES;
      bool there = false;
      uint32_t v = 0, other = 0;
      uint64_t entry = 0;
      if (unit < units) {
        const uint32_t row = qn_unit_entry(tile, loaded, unit);
        v = tile->vertices[row];
        entry = qn_unit_edge(tile, row, unit);
        there = entry < tile->ends[row];
        other = there ? level.csr.column_indices[entry] : 0;
      }
      visit(there, v, other, entry);
    }
    __syncthreads();
  });
  visit.end();
}

template <class Visit>
enum qn_status level_visit(struct qn_cuda_memory *memory, const struct level *level,
                           const Visit &visit, struct qn_error *error) {
  const uint64_t pieces = level->csr.num_edges / QN_UNIT_EDGES + level->csr.num_vertices;
  QN_LAUNCH((visit_entries<Visit>), qn_run_blocks(memory, pieces), QN_QUEUE_THREADS, 0, NULL,
            *level, visit);
  return qn_cuda_launched("visiting edges", error);
}

/* The sum over the threads of a piece, in the first of them. */
QN_DEVICE_INLINE fixed_weight piece_sum(fixed_weight value) {
  for (int step = QN_UNIT_EDGES / 2; step > 0; step /= 2)
    value += __shfl_down_sync(QN_FULL_WARP, value, step, QN_UNIT_EDGES);
  return value;
}

/* Degrees, of entries; a loop counts twice. */
struct sum_degrees {
  struct level level;
  __device__ void operator()(bool there, uint32_t v, uint32_t other, uint64_t entry) {
    const fixed_weight weight = there ? level_weight(level, entry) * (v == other ? 2 : 1) : 0;
    const fixed_weight sum = piece_sum(weight);
    if (threadIdx.x % QN_UNIT_EDGES == 0 && sum > 0)
      atomicAdd(&level.degrees[v], sum);
  }
  __device__ void end() {}
};

} /* namespace */
