/* A run of a program that looks at every edge once, over any engine, resident or streamed: it sends
 * each vertex's number, sees the receiver's (PROGRAM_SEES_RECEIVER), does what it wants with both
 * in memory of its own, context->shared, which lies beside what the engine has on the device, and
 * refuses the message. So one iteration is all. */
#pragma once

#include "kernels/cuda/edges/run_device.cuh"

namespace {

/* What is left of a cap, which stays one. */
inline uint64_t cap_beside(uint64_t cap, uint64_t bytes) {
  return cap == 0 ? 0 : cap > bytes ? cap - bytes : 1;
}

/* `engine` runs the program: engine_run. `prepare(memory, shared, error)` makes the memory that the
 * program sees. */
template <class Engine, class Prepare>
enum qn_status visit_run(Engine engine, const struct qn_run_request *request, Prepare prepare,
                         struct qn_run_result *result, struct qn_error *error) {
  struct qn_run_request once = *request;
  struct qn_device_run device = *request->device;
  struct qn_cuda_memory memory;
  memset(result, 0, sizeof *result);
  memset(&memory, 0, sizeof memory);
  enum qn_status status =
      qn_cuda_memory_create_for(&memory, request, request->device->index, error);
  if (!status)
    status = prepare(&memory, &once.shared, error);
  if (!status) {
    once.limits.max_iterations = 1;
    once.hooks.checkpointing = NULL;
    once.device = &device;
    device.memory = cap_beside(request->device->memory, memory.bytes);
    status = engine(&once, result, error);
  }
  if (!status) {
    request->device->report = device.report;
    request->device->report.figures.memory_bytes += memory.bytes;
    result->stats.iterations = 1;
    result->stats.converged = true;
  }
  qn_cuda_memory_destroy(&memory);
  return status;
}

} /* namespace */
