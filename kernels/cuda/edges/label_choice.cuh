/* Amounts by label, summed up in a hash table, and the choice of one label: that of the largest
 * amount, of several the least, so that it is the same whatever the order of threads.
 *
 * A table is two arrays of a power of two of slots, in shared or device memory: labels, all
 * NO_LABEL at first, and amounts. It is at most half full, so that a free slot is always near. */
#pragma once

#include "kernels/cuda/device/block.cuh"

#define NO_LABEL UINT32_MAX /* a graph has fewer vertices */

namespace {

template <class Amount> struct label_choice {
  Amount amount;
  uint32_t label;
};

template <class Amount>
QN_DEVICE_INLINE bool is_better(label_choice<Amount> a, label_choice<Amount> b) {
  return a.amount > b.amount || (a.amount == b.amount && a.label < b.label);
}

/* The best of a warp, in every lane. */
template <class Amount>
QN_DEVICE_INLINE label_choice<Amount> best_of_warp(label_choice<Amount> best) {
  for (int step = 16; step > 0; step /= 2) {
    label_choice<Amount> other;
    other.amount = __shfl_xor_sync(QN_FULL_WARP, best.amount, step);
    other.label = __shfl_xor_sync(QN_FULL_WARP, best.label, step);
    if (is_better(other, best))
      best = other;
  }
  return best;
}

/* The best of a block, in every thread. */
template <class Amount>
QN_DEVICE_INLINE label_choice<Amount> best_of_block(label_choice<Amount> best) {
  QN_SHARED(label_choice<Amount>, bests, QN_MAX_WARPS);
  best = best_of_warp(best);
  if (qn_lane() == 0)
    bests[qn_warp()] = best;
  __syncthreads();
  for (unsigned warp = 0; warp < blockDim.x / 32; warp++)
    if (is_better(bests[warp], best))
      best = bests[warp];
  __syncthreads();
  return best;
}

/* The slots that so many labels want: a power of two of which they fill half at most. */
static inline __host__ __device__ uint64_t slots_for(uint64_t labels) {
  uint64_t slots = 64;
  while (slots < 2 * labels)
    slots *= 2;
  return slots;
}

/* The slot of a label, which takes a free one if it has none. */
QN_DEVICE_INLINE uint64_t slot_of(uint32_t *labels, uint64_t num_slots, uint32_t label) {
  const uint64_t mask = num_slots - 1;
  uint64_t slot = label * 0x9E3779B97F4A7C15u >> 32 & mask;
  for (uint32_t found;
       (found = atomicCAS(&labels[slot], NO_LABEL, label)) != NO_LABEL && found != label;)
    slot = (slot + 1) & mask;
  return slot;
}

} /* namespace */
