#include "kernels/cuda/stream/copies.cuh"

#include <string.h>

/* Together, if this version of CUDA can, they take 3 us less each. */
cudaError_t qn_unit_copies_send(const struct qn_unit_copies *copies, cudaStream_t stream) {
  cudaError_t result = cudaSuccess;
#if CUDART_VERSION >= 13000
  struct cudaMemcpyAttributes attributes;
  size_t first = 0;
  memset(&attributes, 0, sizeof attributes);
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  if (copies->count > 1)
    return cudaMemcpyBatchAsync(copies->to, copies->from, copies->bytes, copies->count, &attributes,
                                &first, 1, stream);
#endif
  for (uint32_t i = 0; i < copies->count && result == cudaSuccess; i++)
    result = cudaMemcpyAsync(copies->to[i], copies->from[i], copies->bytes[i],
                             cudaMemcpyHostToDevice, stream);
  return result;
}

uint64_t qn_unit_copies_bytes(const struct qn_unit_copies *copies, uint64_t *direct) {
  uint64_t bytes = 0;
  *direct = 0;
  for (uint32_t i = 0; i < copies->count; i++) {
    bytes += copies->bytes[i];
    *direct += copies->from_stage[i] ? 0 : copies->bytes[i];
  }
  return bytes;
}
