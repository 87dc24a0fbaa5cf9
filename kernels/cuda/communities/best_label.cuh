/* The best of the labels around each of some vertices: whose edges of one label together gain most.
 * Weights are summed in a hash table: up to SHORT_ENTRIES by a warp that compares all with all, up
 * to WIDE_LABELS in shared memory by a block, more in device memory by a block with a table of its
 * own. Sums are of whole numbers, and of labels that gain the same the least is taken: the same
 * whatever the order.
 *
 * What is asked is a struct `Look`:
 *
 *   bool wants(v)                  is the vertex looked at?
 *   uint32_t label(v, other)       of a neighbour; NO_LABEL: it does not count
 *   double gain(v, label, weight)  of all edges to the label; at most NO_GAIN: out of the question
 *   void take(v, choice)           by one thread; label NO_LABEL if there was none
 *
 * Bytes: an entry moves 12 and a sector of L2 for its end's label; summing costs two atomics of
 * shared memory. */
#pragma once

#include <math.h>

#include "kernels/cuda/communities/level.cuh"
#include "kernels/cuda/edges/label_choice.cuh"

#define SHORT_ENTRIES 32
#ifndef WIDE_LABELS
#define WIDE_LABELS 1024
#endif
#define WIDE_SLOTS (2 * WIDE_LABELS)
#define LOOK_THREADS 256
#define NO_GAIN (-INFINITY)
#define MOST_TABLES 256

namespace {

enum row_class { SHORT_ROWS, WIDE_ROWS, HUGE_ROWS, ROW_CLASSES };

using choice = label_choice<double>; /* by gain */

/* Vertices to look at, by the lengths of their rows; tables for the longest. */
struct looking {
  struct step_list lists[ROW_CLASSES];
  uint64_t num_slots; /* of a table, a power of two */
  uint32_t *keys;     /* [num_tables][num_slots] */
  fixed_weight *sums;
  unsigned num_tables;
};

QN_DEVICE_INLINE uint64_t row_length(const struct qn_csr &csr, uint64_t v) {
  return csr.row_offsets[v + 1] - csr.row_offsets[v];
}

template <class Look>
__global__ void look_sort_out(const struct level level, const struct looking looking,
                              const Look look) {
  qn_block_steps(level.csr.num_vertices, [&](uint64_t v, bool there) {
    const uint64_t length = there ? row_length(level.csr, v) : 0;
    const bool looks = length > 0 && look.wants((uint32_t)v);
    step_put(looking.lists[SHORT_ROWS], looks && length <= SHORT_ENTRIES, (uint32_t)v);
    step_put(looking.lists[WIDE_ROWS], looks && length > SHORT_ENTRIES && length <= WIDE_LABELS,
             (uint32_t)v);
    step_put(looking.lists[HUGE_ROWS], looks && length > WIDE_LABELS, (uint32_t)v);
  });
}

/* Every lane has an entry, and adds up the weights of those of its label. */
template <class Look>
__global__ void __launch_bounds__(LOOK_THREADS)
    look_short(const struct level level, const struct step_list list, const Look look) {
  const uint32_t count = *list.count, warps = LOOK_THREADS / 32;
  for (uint64_t i = (uint64_t)blockIdx.x * warps + qn_warp(); i < count;
       i += (uint64_t)gridDim.x * warps) {
    const uint32_t v = list.vertices[i], length = (uint32_t)row_length(level.csr, v);
    const uint64_t entry = level.csr.row_offsets[v] + qn_lane();
    uint32_t label = NO_LABEL;
    fixed_weight weight = 0, sum = 0;
    if (qn_lane() < length) {
      label = look.label(v, level.csr.column_indices[entry]);
      weight = level_weight(level, entry);
    }
    for (uint32_t other = 0; other < length; other++) {
      const uint32_t others = __shfl_sync(QN_FULL_WARP, label, (int)other);
      const fixed_weight more = __shfl_sync(QN_FULL_WARP, weight, (int)other);
      sum += others == label ? more : 0;
    }
    choice best = {NO_GAIN, NO_LABEL};
    if (label != NO_LABEL && sum > 0)
      best = {look.gain(v, label, sum), label};
    best = best_of_warp(best);
    if (qn_lane() == 0)
      look.take(v, best);
  }
}

/* Sum the weights to the labels around v in a table that nobody else uses, by a whole block. */
template <class Look>
QN_DEVICE_INLINE void look_in(const struct level &level, uint32_t v, uint64_t num_slots,
                              uint32_t *keys, fixed_weight *sums, const Look &look) {
  const uint64_t begin = level.csr.row_offsets[v], end = level.csr.row_offsets[v + 1];
  for (uint64_t slot = threadIdx.x; slot < num_slots; slot += LOOK_THREADS) {
    keys[slot] = NO_LABEL;
    sums[slot] = 0;
  }
  __syncthreads();
  for (uint64_t entry = begin + threadIdx.x; entry < end; entry += LOOK_THREADS) {
    const uint32_t label = look.label(v, level.csr.column_indices[entry]);
    if (label != NO_LABEL)
      atomicAdd(&sums[slot_of(keys, num_slots, label)], level_weight(level, entry));
  }
  __syncthreads();
  choice best = {NO_GAIN, NO_LABEL};
  for (uint64_t slot = threadIdx.x; slot < num_slots; slot += LOOK_THREADS) {
    if (keys[slot] == NO_LABEL || sums[slot] == 0)
      continue;
    const choice here = {look.gain(v, keys[slot], sums[slot]), keys[slot]};
    if (is_better(here, best))
      best = here;
  }
  best = best_of_block(best);
  if (threadIdx.x == 0)
    look.take(v, best);
}

template <class Look>
__global__ void __launch_bounds__(LOOK_THREADS)
    look_wide(const struct level level, const struct step_list list, const Look look) {
  QN_SHARED(uint32_t, keys, WIDE_SLOTS);
  QN_SHARED(fixed_weight, sums, WIDE_SLOTS);
  const uint32_t count = *list.count;
  for (uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const uint32_t v = list.vertices[i];
    const uint64_t slots = slots_for(row_length(level.csr, v));
    look_in(level, v, slots < WIDE_SLOTS ? slots : WIDE_SLOTS, keys, sums, look);
  }
}

template <class Look>
__global__ void __launch_bounds__(LOOK_THREADS)
    look_huge(const struct level level, const struct looking looking, const Look look) {
  const struct step_list list = looking.lists[HUGE_ROWS];
  const uint32_t count = *list.count;
  const uint64_t table = (uint64_t)blockIdx.x * looking.num_slots;
  for (uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const uint32_t v = list.vertices[i];
    const uint64_t slots = slots_for(row_length(level.csr, v));
    look_in(level, v, slots < looking.num_slots ? slots : looking.num_slots, looking.keys + table,
            looking.sums + table, look);
  }
}

/* Have all vertices look that want to. */
template <class Look>
enum qn_status look_around(struct qn_cuda_memory *memory, const struct level *level,
                           const struct looking *looking, const Look &look,
                           struct qn_error *error) {
  const int multiprocessors = memory->device.multiprocessors;
  const uint64_t V = level->csr.num_vertices;
  enum qn_status status =
      qn_cuda_status(cudaMemsetAsync(looking->lists[SHORT_ROWS].count, 0,
                                     ROW_CLASSES * sizeof *looking->lists[SHORT_ROWS].count, NULL),
                     "clearing counters", error);
  if (status)
    return status;
  QN_LAUNCH((look_sort_out<Look>), qn_run_blocks(memory, V), QN_QUEUE_THREADS, 0, NULL, *level,
            *looking, look);
  QN_LAUNCH((look_short<Look>), qn_grid(V, LOOK_THREADS / 32, multiprocessors, 8), LOOK_THREADS, 0,
            NULL, *level, looking->lists[SHORT_ROWS], look);
  QN_LAUNCH((look_wide<Look>), qn_grid(level->csr.num_edges, SHORT_ENTRIES, multiprocessors, 6),
            LOOK_THREADS, 0, NULL, *level, looking->lists[WIDE_ROWS], look);
  if (looking->num_tables > 0)
    QN_LAUNCH((look_huge<Look>), looking->num_tables, LOOK_THREADS, 0, NULL, *level, *looking,
              look);
  return qn_cuda_launched("summing weights to communities", error);
}

} /* namespace */
