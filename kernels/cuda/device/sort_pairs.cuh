/* A device-wide sort of keys with values, as primitives.cuh has one of keys alone. */
#pragma once

#include "kernels/cuda/device/primitives.cuh"

/* By the lowest `bits` of the keys, beyond which they are zero; equal keys in the order of `keys`.
 */
enum qn_status qn_cuda_sort_pairs(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                                  const uint64_t *keys, uint64_t *keys_out, const uint64_t *values,
                                  uint64_t *values_out, uint64_t count, int bits,
                                  cudaStream_t stream, struct qn_error *error);
