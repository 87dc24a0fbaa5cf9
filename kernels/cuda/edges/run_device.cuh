/* A run on one device, and what kernels of their own (kernel_*.cu) share on the host's side. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "kernels/cuda/edges/csr_device.cuh"
#include "kernels/cuda/edges/row_queue.cuh"
#include "kernels/registry.h"
#include "support/memory.h"
#include "support/sizes.h"
#include "support/threads.h"

/* A run whole, on the request's device, or by one of several (row_team.cuh). `prepare(error)`
 * brings what the algorithm needs to the device; `algorithm(error)` is timed; `finish(status,
 * error)` is called whatever has happened: it gives back what does not belong to `memory`, makes
 * the result if `status` is QN_OK, and returns the status. */
template <class Prepare, class Algorithm, class Finish>
enum qn_status qn_run_whole(const struct qn_run_request *request, struct qn_cuda_memory *memory,
                            Prepare prepare, Algorithm algorithm, Finish finish,
                            struct qn_run_result *result, struct qn_error *error) {
  enum qn_status status = qn_cuda_memory_create_for(memory, request, request->device->index, error);
  status = qn_row_begin(memory, status, error);
  if (!status)
    status = prepare(error);
  qn_load_kernels();
  status = qn_row_prepared(memory, status); /* all of several: some take longer */
  if (!status)
    status = qn_cuda_algorithm_begin(memory, error);
  if (!status)
    status = algorithm(error);
  if (!status)
    status = qn_cuda_algorithm_end(memory, error);
  return qn_cuda_run_end(memory, qn_row_end(memory, finish(status, error)), result);
}

/* The status of a run that is known not to fit before it has begun. */
static inline enum qn_status qn_run_no_room(struct qn_cuda_memory *memory) {
  memory->exhausted = true;
  return QN_DEVICE;
}

/* Blocks of QN_QUEUE_THREADS threads for a loop over `items`, one a thread. */
static inline unsigned qn_run_blocks(const struct qn_cuda_memory *memory, uint64_t items) {
  return qn_grid(items, QN_QUEUE_THREADS, memory->device.multiprocessors, 8);
}

/* The result's values from the device's, or where these are; of several devices the first one's. */
static inline enum qn_status qn_run_download(struct qn_cuda_memory *memory,
                                             enum qn_result_type type, void *values, uint64_t count,
                                             struct qn_run_result *result, struct qn_error *error) {
  const uint32_t size = qn_result_bytes(type);
  void *host;
  bool left;
  if (!qn_row_makes_result(memory))
    return QN_OK;
  enum qn_status status = qn_cuda_leave_values(memory, type, values, count, result, &left, error);
  if (status || left)
    return status;
  status = qn_pages_alloc(&host, count, size, "result values", error);
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

/* A queue of up to `num_vertices` rows. */
static inline enum qn_status qn_run_queue(struct qn_cuda_memory *memory, uint64_t num_vertices,
                                          struct qn_unit_queue *queue, struct qn_error *error) {
  enum qn_status status = qn_cuda_alloc(memory, &queue->vertices, num_vertices,
                                        sizeof *queue->vertices, "a queue", error);
  return status ? status
                : qn_cuda_alloc(memory, &queue->units, num_vertices, sizeof *queue->units,
                                "a queue", error);
}

/* Does the queue of all rows of such a graph have fewer than 2^32 units? */
static inline enum qn_status qn_run_check_units(uint64_t num_vertices, uint64_t num_edges,
                                                struct qn_error *error) {
  if (num_edges / QN_UNIT_EDGES + num_vertices <= UINT32_MAX)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
}
