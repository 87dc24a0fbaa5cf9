/* The first values of a program that is given something (PROGRAM_INITIAL), made by the host from
 * what the run is given: on the device they would need room for both. Needs a completed program. */
#pragma once

#include "kernels/cuda/device/memory.cuh"
#include "kernels/engine.h"
#include "support/memory.h"

namespace {

/* Of the vertices [begin, end) as the engine numbers them, to `values` on the device; `order` has
 * the graph's number of each, or is NULL. Does nothing in programs that begin by themselves. */
inline enum qn_status upload_initial_values(struct qn_cuda_memory *memory,
                                            const struct qn_run_request *request,
                                            const struct qn_program_context *context,
                                            const uint32_t *order, uint64_t begin, uint64_t end,
                                            program_value *values, struct qn_error *error) {
  program_value *made;
  if (!PROGRAM_HAS_INITIAL)
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(&made, end - begin, sizeof *made, "first vertex values", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = begin; v < end; v++) {
    const uint32_t vertex = order ? order[v] : (uint32_t)v;
    made[v - begin] =
        engine_first_value(request, context, vertex, engine_position(request, vertex), 0);
  }
  status = qn_cuda_status(cudaDeviceSynchronize(), "preparing the run", error);
  if (!status && begin < end)
    status = qn_cuda_upload(memory, values, made, end - begin, sizeof *made, "first vertex values",
                            error);
  qn_pages_free(made, end - begin, sizeof *made);
  return status;
}

} /* namespace */
