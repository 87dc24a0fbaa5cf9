/* Checkpoints of traversals on CSR: the state (run_state.h) between the device and the host.
 *
 * The queue leaves vertices without out-edges out, which are counted all the same: the count goes
 * into a register of its own, so that a run that goes on has as many iterations. */
#pragma once

#include "kernels/cuda/csr/queue.cuh"
#include "kernels/cuda/csr/run.cuh"
#include "support/memory.h"

namespace {

enum frontier_register {
  FRONTIER_EDGES_LEFT,
  FRONTIER_ACTIVE,
  FRONTIER_THRESHOLD, /* real */
};

/* A state's words have 64 bits, those of the device 32: the bytes are the same. */
inline uint64_t frontier_half_words(const struct csr_run *run) {
  return (run->context.num_vertices + 31) / 32;
}

/* The bits of the `count` vertices of a list on the device. */
inline enum qn_status frontier_download_list(struct csr_run *run, const uint32_t *list,
                                             uint64_t count, uint64_t *bits,
                                             struct qn_error *error) {
  uint32_t *vertices;
  enum qn_status status =
      qn_pages_alloc(&vertices, count, sizeof *vertices, "a checkpoint's vertices", error);
  if (!status && count > 0)
    status = qn_cuda_download(run->memory, vertices, list, count, sizeof *vertices,
                              "a list of vertices", error);
  for (uint64_t i = 0; !status && i < count; i++)
    bits[vertices[i] / 64] |= (uint64_t)1 << vertices[i] % 64;
  qn_pages_free(vertices, count, sizeof *vertices);
  return status;
}

#if PROGRAM_PRIORITY
/* Put the vertices that wait into the first far list. */
inline enum qn_status frontier_upload_far(struct csr_run *run, const struct frontier_state *state,
                                          const uint64_t *waiting, struct qn_error *error) {
  const uint64_t num_vertices = run->context.num_vertices;
  uint32_t *vertices;
  unsigned int count = 0;
  enum qn_status status =
      qn_pages_alloc(&vertices, num_vertices, sizeof *vertices, "waiting vertices", error);
  if (status)
    return status;
  for (uint64_t v = 0; v < num_vertices; v++)
    if (waiting[v / 64] >> v % 64 & 1)
      vertices[count++] = (uint32_t)v;
  if (count > 0)
    status = qn_cuda_upload(run->memory, state->far[0], vertices, count, sizeof *vertices,
                            "a list of vertices", error);
  if (!status)
    status = qn_cuda_upload(run->memory, state->far_bits, waiting, frontier_half_words(run),
                            sizeof *state->far_bits, "a bitmap", error);
  if (!status)
    status = qn_cuda_upload(run->memory, &state->counters->num_far[0], &count, 1, sizeof count,
                            "counters", error);
  qn_pages_free(vertices, num_vertices, sizeof *vertices);
  return status;
}
#endif

/* Before frontier_start: put the values and what waits in place; `*active` becomes the bitmap of
 * the vertices to begin with, on the device. */
inline enum qn_status frontier_upload_state(struct csr_run *run, const struct frontier_state *state,
                                            const struct qn_run_state *resumed,
                                            const uint32_t **active, struct qn_error *error) {
  enum qn_status status = qn_cuda_status(cudaDeviceSynchronize(), "preparing the run", error);
  if (!status)
    status = qn_cuda_upload(run->memory, run->values, resumed->values, run->context.num_vertices,
                            sizeof *run->values, "vertex values", error);
  if (!status)
    status = qn_cuda_copy_of(run->memory, active, resumed->active, frontier_half_words(run), 1,
                             sizeof **active, "bits of vertices", error);
#if PROGRAM_PRIORITY
  if (!status && resumed->waiting)
    status = frontier_upload_far(run, state, resumed->waiting, error);
#endif
  (void)state;
  return status;
}

} /* namespace */
