/* A direction of a plain CSR graph in device memory, for engines and kernels. */
#ifndef QN_KERNELS_CUDA_CSR_DEVICE_CUH
#define QN_KERNELS_CUDA_CSR_DEVICE_CUH

#include "formats/graph.h"
#include "kernels/cuda/memory.cuh"

/* Row offsets and column indices on the device, as `csr` says them; weights too if `weighted`.
 * The struct's pointers are device memory, owned by `memory`. */
static inline enum qn_status qn_cuda_csr_upload(struct qn_cuda_memory *memory,
                                                const struct qn_csr *csr, bool weighted,
                                                struct qn_csr *device, struct qn_error *error) {
  *device = *csr;
  device->weights.u32 = NULL;
  device->weights.f32 = NULL;
  enum qn_status status =
      qn_cuda_copy_of(memory, &device->row_offsets, csr->row_offsets, csr->num_vertices + 1, 0,
                      sizeof *csr->row_offsets, "row offsets", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->column_indices, csr->column_indices, csr->num_edges,
                             0, sizeof *csr->column_indices, "column indices", error);
  if (status || !weighted || csr->weights.type == QN_WEIGHT_NONE)
    return status;
  const bool whole = csr->weights.type == QN_WEIGHT_U32;
  const void *weights = whole ? (const void *)csr->weights.u32 : (const void *)csr->weights.f32;
  void *copy;
  status = qn_cuda_copy_of(memory, &copy, weights, csr->num_edges, 0, 4, "weights", error);
  if (whole)
    device->weights.u32 = (const uint32_t *)copy;
  else
    device->weights.f32 = (const float *)copy;
  return status;
}

#endif
