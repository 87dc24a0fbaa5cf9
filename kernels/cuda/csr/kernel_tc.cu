/* Triangles of the simple undirected graph (loops, directions and multiplicities
 * ignored), each counted once, on CSR, on a device.
 *
 * A kernel of its own because a triangle needs the intersection of two rows, which is no
 * combination of messages. Lists of neighbours, and how they are intersected: degree_lists.cuh. */
#include "kernels/cuda/csr/degree_lists.cuh"
#include "kernels/own_kernel.h"

extern "C" const struct qn_kernel qn_kernel_tc_csr_cuda;

namespace {

/* Entries of v's list that are in `list`, by a warp: each lane's share. */
QN_DEVICE_INLINE uint32_t common(const struct tc_lists &lists, uint32_t v, const uint32_t *list,
                                 uint32_t length) {
  uint32_t count = 0;
  const uint64_t end = lists.offsets[v + 1];
  for (uint64_t i = lists.offsets[v] + qn_lane(); i < end; i += 32)
    count += place_of(list, length, lists.entries[i]) < length;
  return count;
}

QN_DEVICE_INLINE void leave_count(unsigned long long count, unsigned long long *triangles) {
  count = qn_block_sum(count);
  if (threadIdx.x == 0 && count)
    atomicAdd(triangles, count);
}

__global__ void __launch_bounds__(TC_THREADS)
    count_short(const struct tc_lists lists, unsigned long long *triangles) {
  QN_SHARED(uint32_t, kept, TC_WARPS * TC_SHORT);
  uint32_t *list = kept + qn_warp() * TC_SHORT;
  unsigned long long count = 0;
  for (uint64_t u = (uint64_t)blockIdx.x * TC_WARPS + qn_warp(); u < lists.num_vertices;
       u += (uint64_t)gridDim.x * TC_WARPS) {
    const uint64_t begin = lists.offsets[u];
    const uint64_t length = lists.offsets[u + 1] - begin;
    if (length < 2 || length > TC_SHORT)
      continue;
    for (uint32_t i = qn_lane(); i < length; i += 32)
      list[i] = lists.entries[begin + i];
    __syncwarp();
    for (uint32_t i = 0; i < length; i++)
      count += common(lists, list[i], list, (uint32_t)length);
    __syncwarp();
  }
  leave_count(count, triangles);
}

__global__ void __launch_bounds__(TC_THREADS)
    count_long(const struct tc_lists lists, const struct qn_unit_queue queue,
               const qn_queue_size *size, unsigned long long *triangles) {
  QN_SHARED(uint32_t, kept, TC_LONG);
  const uint32_t num_entries = qn_queue_entries(*size), num_units = qn_queue_units(*size);
  unsigned long long count = 0;
  for (uint32_t unit = blockIdx.x; unit < num_units; unit += gridDim.x) {
    const uint32_t entry = entry_of_unit(queue, num_entries, unit);
    const uint32_t u = queue.vertices[entry], piece = unit - queue.units[entry];
    const uint32_t *entries = lists.entries + lists.offsets[u];
    const uint32_t length = (uint32_t)(lists.offsets[u + 1] - lists.offsets[u]);
    const bool fits = length <= TC_LONG;
    for (uint32_t i = threadIdx.x; fits && i < length; i += TC_THREADS)
      kept[i] = entries[i];
    __syncthreads();
    const uint32_t first = piece * TC_PIECE;
    const uint32_t end = length - first < TC_PIECE ? length : first + TC_PIECE;
    for (uint32_t i = first + qn_warp(); i < end; i += TC_WARPS)
      count += fits ? common(lists, entries[i], kept, length)
                    : common(lists, entries[i], entries, length);
    __syncthreads();
  }
  leave_count(count, triangles);
}

enum qn_status count(struct tc_work *work, uint64_t *triangles, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  struct qn_unit_queue queue;
  qn_queue_size *size;
  unsigned long long *total;
  const uint64_t num_vertices = work->lists.num_vertices;
  enum qn_status status = qn_run_queue(memory, num_vertices, &queue, error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &size, 1, sizeof *size, "counters", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &total, 1, sizeof *total, "counters", error);
  if (status)
    return status;
  QN_LAUNCH(queue_lists, qn_run_blocks(memory, num_vertices), QN_QUEUE_THREADS, 0, NULL,
            work->lists, TC_SHORT, queue, size);
  QN_LAUNCH(count_long, qn_grid(work->num_edges, TC_PIECE, memory->device.multiprocessors, 8),
            TC_THREADS, 0, NULL, work->lists, queue, size, total);
  QN_LAUNCH(count_short, qn_grid(num_vertices, TC_WARPS, memory->device.multiprocessors, 8),
            TC_THREADS, 0, NULL, work->lists, total);
  status = qn_cuda_launched("counting triangles", error);
  if (!status)
    status = qn_cuda_download(memory, triangles, total, 1, sizeof *total, "the count", error);
  return status;
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  struct qn_cuda_memory memory;
  struct tc_work work;
  memset(&work, 0, sizeof work);
  memset(result, 0, sizeof *result);
  auto prepare = [&](struct qn_error *failure) {
    return degree_lists_create(request, "tc", 0, &memory, &work, failure);
  };
  auto algorithm = [&](struct qn_error *failure) { return count(&work, &result->count, failure); };
  auto finish = [&](enum qn_status status, struct qn_error *) {
    result->iterations = 1;
    result->converged = true;
    return status;
  };
  return qn_run_whole(request, &memory, prepare, algorithm, finish, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_tc_csr_cuda =
    QN_TC_KERNEL("csr lists by degree", QN_LAYOUT_GRAPH, QN_CUDA, run);
