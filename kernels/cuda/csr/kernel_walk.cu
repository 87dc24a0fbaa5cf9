/* Random walks on CSR, on a device: those of kernels/cpu/csr/kernel_walk.c, step by step, a thread
 * a walk. As many go at once as fill the device; their positions are fetched before others begin.
 *
 * Bytes: a step waits for two random reads one after the other, 16 of row offsets and 4 of column
 * index, and by weights for as many of 8 more as its row's length has bits; it writes 4. */
#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/run_with.cuh"
#include "kernels/random_walks.h"
#include "kernels/standalone_kernel.h"
#include "support/context.h"

extern "C" const struct qn_kernel qn_kernel_walk_csr_cuda;

#ifndef WALK_POSITIONS
#define WALK_POSITIONS ((uint64_t)1 << 26) /* of walks that go at once */
#endif

namespace {

__global__ void walk(const struct qn_walks walks, uint64_t first, uint64_t count,
                     uint32_t *positions, unsigned long long *num_steps) {
  unsigned long long steps = 0;
  qn_grid_steps(count, [&](uint64_t i) {
    steps += qn_walk_once(&walks, first + i, positions + i * (walks.length + 1));
  });
  steps = qn_block_sum(steps);
  if (threadIdx.x == 0 && steps)
    atomicAdd(num_steps, steps);
}

struct walk_work {
  const struct qn_run_request *request;
  struct qn_cuda_memory *memory;
  struct qn_run_result *result;
  struct qn_walks host, device;
  uint64_t at_once;    /* walks */
  uint32_t *positions; /* [at_once][length + 1] on the device */
  unsigned long long *num_steps;
  uint32_t *walked; /* [num_walks][length + 1] */
};

/* Of every edge. */
uint64_t edge_bytes(const struct qn_walks *walks) {
  return (walks->cumulative ? 12 : 4) * walks->csr.num_edges;
}

/* With the positions of one walk. */
uint64_t needed_bytes(const struct qn_walks *walks, uint32_t num_sources) {
  const uint64_t V = walks->csr.num_vertices;
  return 8 * (V + 1) + edge_bytes(walks) + (walks->positions ? 4 * V : 0) +
         (walks->order ? 4 * V : 0) + (walks->sources ? 4 * (uint64_t)num_sources : 0) +
         4 * (walks->length + 1) + 64;
}

enum qn_status bring_walks(struct walk_work *work, uint32_t num_sources, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const struct qn_walks &host = work->host;
  const uint64_t V = host.csr.num_vertices;
  struct qn_walks *device = &work->device;
  *device = host;
  enum qn_status status = qn_run_rows_of(memory, &host.csr, &device->csr, error);
  if (!status && host.cumulative)
    status = qn_run_edges_of(memory, &device->cumulative, host.cumulative, host.csr.num_edges,
                             sizeof *host.cumulative, "sums of weights", error);
  if (!status && host.sources)
    status = qn_cuda_copy_of(memory, &device->sources, host.sources, num_sources, 0,
                             sizeof *host.sources, "sources", error);
  if (!status && host.order)
    status = qn_cuda_copy_of(memory, &device->order, host.order, V, 0, sizeof *host.order,
                             "original order", error);
  if (!status && host.positions)
    status = qn_cuda_copy_of(memory, &device->positions, host.positions, V, 0,
                             sizeof *host.positions, "positions", error);
  return status;
}

/* How many go at once: as many as there is room for, and all if they are few. */
uint64_t walks_at_once(const struct walk_work *work, uint64_t needed) {
  const struct qn_cuda_memory *memory = work->memory;
  const uint64_t length = work->host.length + 1;
  const uint64_t taken = needed - (memory->reads_edges ? edge_bytes(&work->host) : 0);
  const uint64_t room = qn_cuda_plannable_bytes(&memory->device, memory->cap);
  const uint64_t fitting = 1 + (room > taken ? (room - taken) / 4 / length : 0);
  const uint64_t most = fitting < WALK_POSITIONS / length ? fitting : WALK_POSITIONS / length;
  return most == 0 ? 1 : most < work->host.num_walks ? most : work->host.num_walks;
}

enum qn_status create(struct walk_work *work, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  struct qn_cuda_memory *memory = work->memory;
  const uint32_t num_sources = request->inputs.num_sources;
  enum qn_status status = qn_walks_create(request, &work->host, error);
  if (status)
    return status;
  const uint64_t needed = needed_bytes(&work->host, num_sources), length = work->host.length + 1;
  status = qn_run_fit_or_read(memory, request, "walk", needed, edge_bytes(&work->host), 0, error);
  if (!status)
    status = bring_walks(work, num_sources, error);
  if (status)
    return status;
  work->at_once = walks_at_once(work, needed);
  status = qn_cuda_alloc(memory, &work->positions, work->at_once * length, sizeof *work->positions,
                         "walks", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &work->num_steps, 1, sizeof *work->num_steps, "a counter",
                                  error);
  return status ? status
                : qn_pages_alloc(&work->walked, work->host.num_walks * length, sizeof *work->walked,
                                 "walks", error);
}

enum qn_status walk_all(struct walk_work *work, struct qn_error *error) {
  const uint64_t num_walks = work->host.num_walks, length = work->host.length + 1;
  enum qn_status status = QN_OK;
  for (uint64_t first = 0; !status && first < num_walks; first += work->at_once) {
    const uint64_t left = num_walks - first, count = left < work->at_once ? left : work->at_once;
    status = qn_context_check(error);
    if (status)
      break;
    QN_LAUNCH(walk, qn_run_blocks(work->memory, count), QN_QUEUE_THREADS, 0, NULL, work->device,
              first, count, work->positions, work->num_steps);
    status = qn_cuda_launched("walking", error);
    if (!status)
      status = qn_cuda_download(work->memory, work->walked + first * length, work->positions,
                                count * length, sizeof *work->walked, "walks", error);
  }
  return status;
}

enum qn_status finish(struct walk_work *work, enum qn_status status, struct qn_error *error) {
  const uint64_t num_walks = work->host.num_walks, length = work->host.length + 1;
  struct qn_run_result *result = work->result;
  unsigned long long steps = 0;
  if (!status)
    status = qn_cuda_download(work->memory, &steps, work->num_steps, 1, sizeof steps, "a counter",
                              error);
  qn_walks_destroy(&work->host);
  if (status) {
    qn_pages_free(work->walked, num_walks * length, sizeof *work->walked);
    return status;
  }
  result->shape = QN_SHAPE_WALKS;
  result->type = QN_RESULT_U32;
  result->num_values = num_walks;
  result->walks.length = (uint32_t)length;
  result->walks.steps = steps;
  result->values = work->walked;
  result->stats.iterations = 1;
  result->stats.converged = true;
  return status;
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_with(request, create, walk_all, finish, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_walk_csr_cuda =
    QN_WALK_KERNEL("csr, a thread a walk", QN_LAYOUT_GRAPH, QN_CUDA, run);
