/* Device-wide primitives: CUB on a device; plain loops, in the stream's order, in the emulator
 * (tests/emulator). For the few types that are needed, so that only primitives.cu compiles CUB.
 * Temporary storage is kept in a scratch that grows: reserve first with the largest count to keep
 * allocation out of loops.
 *
 * All pointers are device memory. Everything is enqueued in `stream`. Results are the same in every
 * run. */
#pragma once

#include "kernels/cuda/device/memory.cuh"

/* Zero it before use; what it holds belongs to the qn_cuda_memory. */
struct qn_cuda_scratch {
  void *bytes;
  size_t size;
};

/* out[i] = in[0] + ... + in[i-1], for i < count; give count + 1 for the total too (in[count] is
 * then read, but of no effect on the rest). */
enum qn_status qn_cuda_exclusive_sum(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                                     const uint8_t *in, uint32_t *out, uint64_t count,
                                     cudaStream_t stream, struct qn_error *error);

/* The entries of `in` whose flag is not 0, in order, and how many in *out_count. */
enum qn_status qn_cuda_select(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                              const uint64_t *in, const uint8_t *flags, uint64_t *out,
                              uint64_t *out_count, uint64_t count, cudaStream_t stream,
                              struct qn_error *error);

enum qn_status qn_cuda_sort(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                            const uint64_t *in, uint64_t *out, uint64_t count, cudaStream_t stream,
                            struct qn_error *error);
