/* The result of a program from the values on the device. Needs a completed program. */
#pragma once

#include "kernels/cuda/device/block.cuh"
#include "kernels/cuda/device/memory.cuh"
#include "kernels/engine.h"
#include "support/memory.h"

namespace {

__global__ void output_values(const struct qn_program_context context, uint64_t count,
                              const program_value *values, const uint32_t *to_vertex,
                              program_result *results) {
  for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < count;
       v += (uint64_t)gridDim.x * blockDim.x)
    results[to_vertex ? to_vertex[v] : v] = program_output(&context, values[v]);
}

/* `values` [V] and `to_vertex` (the graph's vertex of each, or NULL: the same) are on the device.
 */
inline enum qn_status output_download(struct qn_cuda_memory *memory,
                                      const struct qn_program_context *context,
                                      const program_value *values, const uint32_t *to_vertex,
                                      struct qn_run_result *result, struct qn_error *error) {
  const uint64_t num_vertices = context->num_vertices;
  program_result *results = NULL, *device_results;
  bool left = false;
  enum qn_status status = qn_cuda_alloc(memory, &device_results, num_vertices,
                                        sizeof *device_results, "result values", error);
  if (status)
    return status;
  QN_LAUNCH(output_values, qn_grid(num_vertices, 256, memory->device.multiprocessors, 8), 256, 0,
            NULL, *context, num_vertices, values, to_vertex, device_results);
  status = qn_cuda_launched("writing the results", error);
  if (!status)
    status = qn_cuda_leave_values(memory, PROGRAM_RESULT, device_results, num_vertices, result,
                                  &left, error);
  if (status || left)
    return status;
  status = qn_pages_alloc(&results, num_vertices, sizeof *results, "result values", error);
  if (status)
    return status;
  status = qn_cuda_download(memory, results, device_results, num_vertices, sizeof *results,
                            "result values", error);
  if (status) {
    qn_pages_free(results, num_vertices, sizeof *results);
    return status;
  }
  result->type = PROGRAM_RESULT;
  result->num_values = num_vertices;
  result->values = results;
  return QN_OK;
}

} /* namespace */
