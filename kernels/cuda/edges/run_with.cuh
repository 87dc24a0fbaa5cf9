/* Runs of kernels of their own whose functions share a struct. */
#pragma once

#include "kernels/cuda/edges/run_device.cuh"

/* A run whole (run_device.cuh) of functions that share a struct, which is zero but for its
 * `request`, `memory` and `result`: create(work, error), algorithm(work, error), finish(work,
 * status, error). */
template <class Work>
enum qn_status qn_run_with(const struct qn_run_request *request,
                           enum qn_status (*create)(Work *, struct qn_error *),
                           enum qn_status (*algorithm)(Work *, struct qn_error *),
                           enum qn_status (*finish)(Work *, enum qn_status, struct qn_error *),
                           struct qn_run_result *result, struct qn_error *error) {
  struct qn_cuda_memory memory;
  Work work;
  memset(&work, 0, sizeof work);
  memset(result, 0, sizeof *result);
  work.request = request;
  work.memory = &memory;
  work.result = result;
  return qn_run_whole(
      request, &memory, [&](struct qn_error *failure) { return create(&work, failure); },
      [&](struct qn_error *failure) { return algorithm(&work, failure); },
      [&](enum qn_status status, struct qn_error *failure) {
        return finish(&work, status, failure);
      },
      result, error);
}

/* The end of a run without iterations: its values, if `status` is QN_OK. */
static inline enum qn_status qn_run_give(enum qn_status status, struct qn_cuda_memory *memory,
                                         enum qn_result_type type, void *values, uint64_t count,
                                         struct qn_run_result *result, struct qn_error *error) {
  result->stats.iterations = 1;
  result->stats.converged = true;
  return status ? status : qn_run_download(memory, type, values, count, result, error);
}
