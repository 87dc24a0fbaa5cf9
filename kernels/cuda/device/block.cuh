/* What a block of threads does together: sums and scans in shared memory. The
 * order of every combination is fixed, so real sums are the same in every run.
 * All threads of the block must call; blockDim.x is a multiple of 32, at most 1024.
 * Each function ends with a barrier, so it can be called again at once. */
#pragma once

#include <string.h>

#include "kernels/cuda/device/launch.cuh"

#define QN_DEVICE_INLINE static __device__ __forceinline__
#define QN_MAX_WARPS 32

QN_DEVICE_INLINE unsigned qn_lane() {
  return threadIdx.x % 32;
}
QN_DEVICE_INLINE unsigned qn_warp() {
  return threadIdx.x / 32;
}
QN_DEVICE_INLINE unsigned qn_lanes_below() {
  return (1u << qn_lane()) - 1;
}

/* The sum over the block, in every thread. */
template <class T> QN_DEVICE_INLINE T qn_block_sum(T value) {
  QN_SHARED(T, parts, QN_MAX_WARPS);
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(QN_FULL_WARP, value, step);
  if (qn_lane() == 0)
    parts[qn_warp()] = value;
  __syncthreads();
  T sum = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; warp++)
    sum += parts[warp];
  __syncthreads();
  return sum;
}

/* The least over the block, in every thread. */
template <class T> QN_DEVICE_INLINE T qn_block_min(T value) {
  QN_SHARED(T, parts, QN_MAX_WARPS);
  for (int step = 16; step > 0; step /= 2) {
    T other = __shfl_xor_sync(QN_FULL_WARP, value, step);
    value = other < value ? other : value;
  }
  if (qn_lane() == 0)
    parts[qn_warp()] = value;
  __syncthreads();
  T least = parts[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; warp++)
    least = parts[warp] < least ? parts[warp] : least;
  __syncthreads();
  return least;
}

/* The sum over the threads before this one; *total gets that over all. */
template <class T> QN_DEVICE_INLINE T qn_block_scan(T value, T *total) {
  QN_SHARED(T, parts, QN_MAX_WARPS);
  T inclusive = value;
  for (int step = 1; step < 32; step *= 2) {
    T before = __shfl_up_sync(QN_FULL_WARP, inclusive, step);
    if (qn_lane() >= (unsigned)step)
      inclusive += before;
  }
  if (qn_lane() == 31)
    parts[qn_warp()] = inclusive;
  __syncthreads();
  T base = 0, sum = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; warp++) {
    if (warp == qn_warp())
      base = sum;
    sum += parts[warp];
  }
  __syncthreads();
  *total = sum;
  return base + inclusive - value;
}

/* A slot for each thread of the warp that `wants` one, from a counter that all warps share: one
 * atomic a warp. The whole warp must call; the result is valid where `wants`. */
template <class Counter> QN_DEVICE_INLINE Counter qn_warp_reserve(Counter *counter, bool wants) {
  const unsigned takers = __ballot_sync(QN_FULL_WARP, wants);
  Counter base = 0;
  if (takers && qn_lane() == 0)
    base = atomicAdd(counter, (Counter)__popc(takers));
  base = __shfl_sync(QN_FULL_WARP, base, 0);
  return base + (Counter)__popc(takers & qn_lanes_below());
}

/* Doubles in an order-preserving integer form, for atomicMin. */
static inline __host__ __device__ unsigned long long qn_ordered_bits(double value) {
  unsigned long long bits;
  memcpy(&bits, &value, sizeof bits);
  return bits ^ (bits >> 63 ? ~0ull : 1ull << 63);
}
static inline __host__ __device__ double qn_from_ordered_bits(unsigned long long bits) {
  bits ^= bits >> 63 ? 1ull << 63 : ~0ull;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Blocks for a grid-stride loop over `items`, `per_block` at a time: enough to fill the device,
 * no more than there is work. */
static inline unsigned qn_grid(uint64_t items, uint64_t per_block, int multiprocessors,
                               int blocks_each) {
  const uint64_t needed = (items + per_block - 1) / per_block;
  const uint64_t most = (uint64_t)multiprocessors * (uint64_t)blocks_each;
  return (unsigned)(needed == 0 ? 1 : needed < most ? needed : most);
}
