/* Kernels of their own that read edges where these lie: on the device, or in pinned memory of the
 * host. */
#pragma once

#include "kernels/cuda/edges/row_team.cuh"
#include "kernels/cuda/edges/run_device.cuh"
#include "support/memory_plan.h"

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
  snprintf(what, sizeof what, "%s, which is not streamed on this layout,", algorithm);
  return qn_run_too_large(memory, what, bytes, error);
}

/* What is told of a vertex takes so many bytes (told_steps.cuh). */
#define QN_TOLD_BYTES 24

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
 * room for all. Of several devices each needs the edges of its rows alone, and what they tell each
 * other. It may need up to `more`, which it learns as it goes: edges rather stay on the host than
 * leave no room for that. */
static inline enum qn_status qn_run_fit_or_read(struct qn_cuda_memory *memory,
                                                const struct qn_run_request *request,
                                                const char *algorithm, uint64_t bytes,
                                                uint64_t edge_bytes, uint64_t more,
                                                struct qn_error *error) {
  const struct qn_stream_options *options = &request->device->streaming;
  const uint64_t host = options->host_memory ? options->host_memory : qn_memory_available();
  const uint64_t room = qn_cuda_plannable_bytes(&memory->device, memory->cap);
  if (memory->member) {
    const uint64_t own = qn_row_bytes(memory->member, edge_bytes);
    bytes -= edge_bytes - own;
    bytes += QN_TOLD_BYTES * ((const struct qn_graph *)request->view)->out.num_vertices;
    edge_bytes = own;
    qn_row_plan(memory, bytes - own, own);
  }
  if (bytes <= room && (more <= room - bytes || edge_bytes > host))
    return QN_OK;
  return qn_run_read(memory, request, algorithm, bytes - edge_bytes, edge_bytes, error);
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

namespace {

/* Of all rows but those whose edges are [first, end) nothing is there: they are empty. */
__global__ void keep_own_rows(uint64_t *offsets, uint64_t count, uint64_t first, uint64_t end) {
  qn_grid_steps(count, [&](uint64_t i) {
    const uint64_t offset = offsets[i] < end ? offsets[i] : end;
    offsets[i] = offset > first ? offset - first : 0;
  });
}

} /* namespace */

/* The rows of one of several devices, among all. */
static inline enum qn_status qn_run_own_rows_of(struct qn_cuda_memory *memory,
                                                const struct qn_csr *csr, struct qn_csr *device,
                                                struct qn_error *error) {
  const uint64_t count = csr->num_vertices + 1;
  uint64_t *offsets, begin, end;
  qn_row_range(memory->member, csr->num_vertices, &begin, &end);
  const uint64_t first = csr->row_offsets[begin], last = csr->row_offsets[end];
  enum qn_status status =
      qn_cuda_alloc(memory, &offsets, count, sizeof *offsets, "row offsets", error);
  if (!status)
    status = qn_cuda_upload(memory, offsets, csr->row_offsets, count, sizeof *offsets,
                            "row offsets", error);
  if (status)
    return status;
  QN_LAUNCH(keep_own_rows, qn_run_blocks(memory, count), QN_QUEUE_THREADS, 0, NULL, offsets, count,
            first, last);
  device->num_edges = last - first;
  device->row_offsets = offsets;
  status = qn_cuda_launched("keeping rows", error);
  return status
             ? status
             : qn_run_edges_of(memory, &device->column_indices, csr->column_indices + first,
                               last - first, sizeof *csr->column_indices, "column indices", error);
}

/* Rows without weights; the struct's pointers are owned by `memory`. */
static inline enum qn_status qn_run_rows_of(struct qn_cuda_memory *memory, const struct qn_csr *csr,
                                            struct qn_csr *device, struct qn_error *error) {
  *device = *csr;
  device->weights.data = NULL;
  if (memory->member)
    return qn_run_own_rows_of(memory, csr, device, error);
  enum qn_status status =
      qn_cuda_copy_of(memory, &device->row_offsets, csr->row_offsets, csr->num_vertices + 1, 0,
                      sizeof *csr->row_offsets, "row offsets", error);
  return status
             ? status
             : qn_run_edges_of(memory, &device->column_indices, csr->column_indices, csr->num_edges,
                               sizeof *csr->column_indices, "column indices", error);
}
