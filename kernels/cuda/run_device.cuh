/* What kernels of their own (kernel_*.cu) share on the host's side. */
#ifndef QN_KERNELS_CUDA_RUN_DEVICE_CUH
#define QN_KERNELS_CUDA_RUN_DEVICE_CUH

#include <string.h>

#include "kernels/cuda/csr_device.cuh"
#include "kernels/cuda/unit_queue.cuh"
#include "kernels/registry.h"
#include "support/memory.h"
#include "support/threads.h"

#define QN_ALL_WEIGHT_TYPES (1u << QN_WEIGHT_NONE | 1u << QN_WEIGHT_U32 | 1u << QN_WEIGHT_F32)

/* Blocks of QN_QUEUE_THREADS threads for a loop over `items`, one a thread. */
static inline unsigned qn_run_blocks(const struct qn_cuda_memory *memory, uint64_t items) {
  return qn_grid(items, QN_QUEUE_THREADS, memory->device.multiprocessors, 8);
}

/* The result's values from the device's. */
static inline enum qn_status qn_run_download(struct qn_cuda_memory *memory,
                                             enum qn_result_type type, const void *values,
                                             uint64_t count, struct qn_run_result *result,
                                             struct qn_error *error) {
  const uint32_t size = qn_result_bytes(type);
  void *host;
  enum qn_status status = qn_pages_alloc(&host, count, size, "result values", error);
  if (status)
    return status;
  status = qn_cuda_download(memory, host, values, count, size, "result values", error);
  if (status) {
    qn_pages_free(host, count, size);
    return status;
  }
  result->type = type;
  result->num_values = count;
  result->values = host;
  return QN_OK;
}

/* Does the queue of all rows of such a graph have fewer than 2^32 units? */
static inline enum qn_status qn_run_check_units(uint64_t num_vertices, uint64_t num_edges,
                                                struct qn_error *error) {
  if (num_edges / QN_UNIT_EDGES + num_vertices <= UINT32_MAX)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
}

#endif
