/* A direction of a plain CSR graph in device memory, for engines and kernels. */
#pragma once

#include "kernels/cuda/device/memory.cuh"
#include <quern/graph.h>

/* Where the weight of an edge lies on the host; the graph has weights. */
static inline const void *qn_cuda_weights_at(const struct qn_weights *weights, uint64_t edge) {
  return (const char *)weights->data + edge * qn_weight_bytes(weights->type);
}

/* A copy of `count` weights; none if the graph has none. */
static inline enum qn_status qn_cuda_weights_upload(struct qn_cuda_memory *memory,
                                                    const struct qn_weights *weights,
                                                    uint64_t count, struct qn_weights *device,
                                                    struct qn_error *error) {
  *device = *weights;
  if (weights->type == QN_WEIGHT_NONE)
    return QN_OK;
  return qn_cuda_copy_of(memory, &device->data, weights->data, count, 0,
                         qn_weight_bytes(weights->type), "weights", error);
}

/* Row offsets and column indices on the device, as `csr` says them; weights too if `weighted`.
 * The struct's pointers are device memory, owned by `memory`. */
static inline enum qn_status qn_cuda_csr_upload(struct qn_cuda_memory *memory,
                                                const struct qn_csr *csr, bool weighted,
                                                struct qn_csr *device, struct qn_error *error) {
  *device = *csr;
  device->weights.data = NULL;
  enum qn_status status =
      qn_cuda_copy_of(memory, &device->row_offsets, csr->row_offsets, csr->num_vertices + 1, 0,
                      sizeof *csr->row_offsets, "row offsets", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->column_indices, csr->column_indices, csr->num_edges,
                             0, sizeof *csr->column_indices, "column indices", error);
  if (!status && weighted)
    status = qn_cuda_weights_upload(memory, &csr->weights, csr->num_edges, &device->weights, error);
  return status;
}
