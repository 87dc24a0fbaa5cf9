/* What the kernels of cross-edges share on the host's side (kernels/cross_edges.h). */
#pragma once

#include "kernels/cross_edges.h"
#include "kernels/cuda/edges/run_device.cuh"

namespace {

/* In device memory. */
struct cross_edges {
  const uint32_t *groups;     /* [V] or NULL: every vertex is one of its own */
  unsigned long long *counts; /* [V] */
};

/* Add what a thread has found of a vertex: whole numbers, the same in any order. */
QN_DEVICE_INLINE void cross_edges_add(const struct cross_edges &cross, uint32_t vertex,
                                      unsigned count) {
  if (count > 0)
    atomicAdd(&cross.counts[vertex], (unsigned long long)count);
}

/* The counts, zero, and the groups. */
inline enum qn_status cross_edges_create(const struct qn_run_request *request,
                                         uint64_t num_vertices, struct qn_cuda_memory *memory,
                                         struct cross_edges *cross, struct qn_error *error) {
  enum qn_status status = QN_OK;
  cross->groups = NULL;
  if (request->inputs.groups)
    status = qn_cuda_copy_of(memory, &cross->groups, request->inputs.groups, num_vertices, 0,
                             sizeof *cross->groups, "groups of vertices", error);
  return status ? status
                : qn_cuda_alloc_zeroed(memory, &cross->counts, num_vertices, sizeof *cross->counts,
                                       "counts", error);
}

/* A run whole: `upload(memory, error)` brings the layout to the device, `count(memory, cross,
 * error)` launches what looks at every edge once. *too_large: nothing is wrong but that there is
 * too little memory. */
template <class Upload, class Count>
enum qn_status cross_edges_run(const struct qn_run_request *request, uint64_t num_vertices,
                               Upload upload, Count count, bool *too_large,
                               struct qn_run_result *result, struct qn_error *error) {
  struct qn_cuda_memory memory;
  struct cross_edges cross = {NULL, NULL};
  memset(result, 0, sizeof *result);
  auto prepare = [&](struct qn_error *failure) {
    enum qn_status status = upload(&memory, failure);
    return status ? status : cross_edges_create(request, num_vertices, &memory, &cross, failure);
  };
  auto algorithm = [&](struct qn_error *failure) {
    return request->limits.max_iterations > 0 ? count(&memory, cross, failure) : QN_OK;
  };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    result->stats.iterations = request->limits.max_iterations > 0;
    result->stats.converged = true;
    if (!status)
      status = qn_run_download(&memory, QN_RESULT_U64, cross.counts, num_vertices, result, failure);
    *too_large = status && memory.exhausted;
    return status;
  };
  return qn_run_whole(request, &memory, prepare, algorithm, finish, result, error);
}

} /* namespace */
