/* Kernels of their own that read edges where these lie: on the device, or in pinned memory of the
 * host. */
#pragma once

#include "kernels/cuda/edges/run_device.cuh"
#include "support/memory_plan.h"

/* A kernel that needs `bytes` beside its edges reads these in pinned memory of the host, where they
 * take `edge_bytes`, over the bus, 32 bytes at a time (Min, Mailthody, Qureshi, Xiong, Ebrahimi,
 * Hwu: EMOGI, PVLDB 2020): may it? */
static inline enum qn_status qn_run_read(struct qn_cuda_memory *memory,
                                         const struct qn_run_request *request,
                                         const char *algorithm, uint64_t bytes, uint64_t edge_bytes,
                                         struct qn_error *error) {
  const struct qn_stream_options *options = &request->device->streaming;
  struct qn_stream_plan *plan = &request->device->report.plan;
  const uint64_t host = options->host_memory ? options->host_memory : qn_memory_available();
  char what[64], needed[32], given[32];
  snprintf(what, sizeof what, "even reading edges from the host, %s", algorithm);
  if (bytes > qn_cuda_plannable_bytes(&memory->device, memory->cap))
    return qn_run_too_large(memory, what, bytes, error);
  if (edge_bytes > host)
    return qn_fail(error, QN_DEVICE,
                   "not enough device memory for the edges: %s needs %s of pinned host memory for "
                   "them, and %s may be used; allow more with --device-memory or --host-memory, or "
                   "use --device cpu",
                   algorithm, qn_size_text(edge_bytes, needed, sizeof needed),
                   qn_size_text(host, given, sizeof given));
  memory->reads_edges = true;
  plan->streams = true;
  plan->attribute_bytes = bytes;
  plan->topology_bytes = plan->pin_bytes = edge_bytes;
  if (options->on_plan)
    options->on_plan(options->user, plan);
  return QN_OK;
}

/* The same of one that needs `bytes`, of which `edge_bytes` may be on the host, unless there is
 * room for all. */
static inline enum qn_status qn_run_fit_or_read(struct qn_cuda_memory *memory,
                                                const struct qn_run_request *request,
                                                const char *algorithm, uint64_t bytes,
                                                uint64_t edge_bytes, struct qn_error *error) {
  return bytes <= qn_cuda_plannable_bytes(&memory->device, memory->cap)
             ? QN_OK
             : qn_run_read(memory, request, algorithm, bytes - edge_bytes, edge_bytes, error);
}

/* Pinned memory of the host, which kernels reach over the bus. */
static inline enum qn_status qn_run_host_alloc(struct qn_cuda_memory *memory, void *out,
                                               uint64_t bytes, const char *what,
                                               struct qn_error *error) {
  void *block = NULL;
  char action[160], needed[32];
  if (memory->num_blocks == QN_CUDA_MAX_BLOCKS)
    return qn_fail(error, QN_DEVICE, "the run has too many arrays for %s", what);
  snprintf(action, sizeof action, "allocating %llu bytes of pinned host memory for %s",
           (unsigned long long)bytes, what);
  const cudaError_t result = cudaHostAlloc(&block, bytes ? bytes : 1, cudaHostAllocPortable);
  if (result == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return qn_fail(error, QN_DEVICE,
                   "not enough device memory for the edges, and the host has no %s of pinned "
                   "memory for %s; allow more with --device-memory, or use --device cpu",
                   qn_size_text(bytes, needed, sizeof needed), what);
  }
  enum qn_status status = qn_cuda_status(result, action, error);
  if (status)
    return status;
  memory->blocks[memory->num_blocks] = block;
  memory->block_bytes[memory->num_blocks++] = 0;
  *(void **)out = block;
  return QN_OK;
}

static inline enum qn_status qn_run_host_copy(struct qn_cuda_memory *memory, void *out,
                                              const void *from, uint64_t bytes, const char *what,
                                              struct qn_error *error) {
  char *block;
  enum qn_status status = qn_run_host_alloc(memory, &block, bytes, what, error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (unsigned part = 0; part < qn_threads(); part++) {
    uint64_t begin, end;
    qn_part_of(bytes, qn_threads(), part, &begin, &end);
    memcpy(block + begin, (const char *)from + begin, end - begin);
  }
  *(void **)out = block;
  return QN_OK;
}

/* An array with something of every edge, where the kernel reads it. */
static inline enum qn_status qn_run_edges_of(struct qn_cuda_memory *memory, void *out,
                                             const void *from, uint64_t count, uint64_t size,
                                             const char *what, struct qn_error *error) {
  return memory->reads_edges ? qn_run_host_copy(memory, out, from, count * size, what, error)
                             : qn_cuda_copy_of(memory, out, from, count, 0, size, what, error);
}

/* Rows without weights; the struct's pointers are owned by `memory`. */
static inline enum qn_status qn_run_rows_of(struct qn_cuda_memory *memory, const struct qn_csr *csr,
                                            struct qn_csr *device, struct qn_error *error) {
  *device = *csr;
  device->weights.data = NULL;
  enum qn_status status =
      qn_cuda_copy_of(memory, &device->row_offsets, csr->row_offsets, csr->num_vertices + 1, 0,
                      sizeof *csr->row_offsets, "row offsets", error);
  return status
             ? status
             : qn_run_edges_of(memory, &device->column_indices, csr->column_indices, csr->num_edges,
                               sizeof *csr->column_indices, "column indices", error);
}
