/* A colouring on CSR, on a device: the one of kernels/cpu/csr/kernel_coloring.c. A block takes a
 * vertex at a time, so that a hub's row is read by all its threads: it marks in shared memory which
 * of COLORS_SEEN colours, from 0 on, its neighbours before it have, and takes the first that none
 * has; if all are taken it looks at the next ones.
 *
 * Bytes: visiting reads each edge's column, and at its end a priority and a colour. */
#include "kernels/cuda/csr/by_priority.cuh"

extern "C" const struct qn_kernel qn_kernel_coloring_csr_cuda;

#define COLOR_THREADS 64
#ifndef COLORS_SEEN
#define COLORS_SEEN 2048 /* a multiple of 32 */
#endif
#define COLOR_WORDS (COLORS_SEEN / 32)

namespace {

/* The first of COLORS_SEEN colours that is not marked, in every thread; COLORS_SEEN: all are. */
QN_DEVICE_INLINE uint32_t first_free(const uint32_t *taken) {
  uint32_t first = COLORS_SEEN;
  for (uint32_t word = threadIdx.x; word < COLOR_WORDS && first == COLORS_SEEN;
       word += COLOR_THREADS)
    if (taken[word] != UINT32_MAX)
      first = word * 32 + (uint32_t)(__ffs((int)~taken[word]) - 1);
  return qn_block_min(first);
}

/* Of the list those whose rows are here, [begin, end). */
__global__ void __launch_bounds__(COLOR_THREADS)
    color_vertices(const struct priorities priorities, const struct step_list list, uint64_t begin,
                   uint64_t end, uint32_t *colors) {
  QN_SHARED(uint32_t, taken, COLOR_WORDS);
  const struct qn_csr &csr = priorities.csr;
  const uint32_t count = *list.count;
  for (uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const uint32_t v = list.vertices[i];
    uint32_t base = 0, found = COLORS_SEEN;
    if (v < begin || v >= end)
      continue;
    for (; found == COLORS_SEEN; base += COLORS_SEEN) {
      for (uint32_t word = threadIdx.x; word < COLOR_WORDS; word += COLOR_THREADS)
        taken[word] = 0;
      __syncthreads();
      for (uint64_t edge = csr.row_offsets[v] + threadIdx.x; edge < csr.row_offsets[v + 1];
           edge += COLOR_THREADS) {
        const uint32_t other = csr.column_indices[edge];
        if (!comes_before(priorities, other, v))
          continue;
        const uint32_t color = colors[other] - base;
        if (colors[other] >= base && color < COLORS_SEEN)
          atomicOr(&taken[color / 32], 1u << (color % 32));
      }
      __syncthreads();
      found = first_free(taken);
    }
    if (threadIdx.x == 0)
      colors[v] = base - COLORS_SEEN + found;
  }
}

struct say_nothing {
  __device__ bool has_something(uint32_t) const { return false; }
  __device__ void to(uint32_t) const {}
};

enum qn_status run_one(const struct qn_run_request *request, struct qn_run_result *result,
                       struct qn_error *error) {
  const uint64_t num_vertices = ((const struct qn_graph *)request->view)->out.num_vertices;
  uint32_t *colors = NULL;
  auto prepare = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    return qn_cuda_alloc(memory, &colors, num_vertices, sizeof *colors, "colours", failure);
  };
  auto visit = [&](const struct priorities &priorities, struct row_steps &steps,
                   struct qn_error *failure) {
    uint64_t begin, end;
    qn_row_range(steps.memory->member, num_vertices, &begin, &end);
    QN_LAUNCH(color_vertices, qn_grid(steps.count, 1, steps.memory->device.multiprocessors, 32),
              COLOR_THREADS, 0, NULL, priorities, steps.now, begin, end, colors);
    enum qn_status status = qn_cuda_launched("colouring vertices", failure);
    return status ? status : steps_share_values(&steps, num_vertices, colors, failure);
  };
  return by_priority_run(
      request, "coloring", true, 4 * num_vertices, &colors, prepare, visit,
      [] { return say_nothing(); }, result, error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_by_rows(request, false, run_one, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_coloring_csr_cuda =
    QN_COLORING_KERNEL("csr, greedy by degree", QN_LAYOUT_GRAPH, QN_CUDA, run);
