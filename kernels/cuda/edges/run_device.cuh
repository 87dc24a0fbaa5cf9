/* What kernels of their own (kernel_*.cu) share on the host's side. */
#ifndef QN_KERNELS_CUDA_EDGES_RUN_DEVICE_CUH
#define QN_KERNELS_CUDA_EDGES_RUN_DEVICE_CUH

#include <stdio.h>
#include <string.h>

#include "kernels/cuda/edges/csr_device.cuh"
#include "kernels/cuda/edges/row_queue.cuh"
#include "kernels/registry.h"
#include "support/memory.h"
#include "support/sizes.h"
#include "support/threads.h"

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

/* The refusal of a run that needs `bytes` of device memory at least. `what` is "bc", "even
 * streaming, cc". */
static inline enum qn_status qn_run_too_large(const struct qn_cuda_memory *memory, const char *what,
                                              uint64_t bytes, struct qn_error *error) {
  char needed[32], may[32];
  return qn_fail(
      error, QN_DEVICE,
      "not enough device memory: %s on this graph needs %s or more, but %s of %s may be "
      "used; allow more with --device-memory, use a larger device, or --device cpu",
      what, qn_size_text(bytes, needed, sizeof needed),
      qn_size_text(qn_cuda_plannable_bytes(&memory->device, memory->cap), may, sizeof may),
      memory->device.name);
}

/* A kernel that is not streamed needs `bytes` at least: are they there? */
static inline enum qn_status qn_run_must_fit(const struct qn_cuda_memory *memory,
                                             const char *algorithm, uint64_t bytes,
                                             struct qn_error *error) {
  char what[64];
  if (bytes <= qn_cuda_plannable_bytes(&memory->device, memory->cap))
    return QN_OK;
  snprintf(what, sizeof what, "%s, which is not streamed on any layout,", algorithm);
  return qn_run_too_large(memory, what, bytes, error);
}

/* Does the queue of all rows of such a graph have fewer than 2^32 units? */
static inline enum qn_status qn_run_check_units(uint64_t num_vertices, uint64_t num_edges,
                                                struct qn_error *error) {
  if (num_edges / QN_UNIT_EDGES + num_vertices <= UINT32_MAX)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
}

#endif
