/* Trees of vertices that are known to be connected (kernel_cc.cu says how they stay sound while all
 * join them), and the labels that they become. */
#ifndef QN_KERNELS_CUDA_CSR_CC_TREES_CUH
#define QN_KERNELS_CUDA_CSR_CC_TREES_CUH

#include "kernels/cuda/edges/run_device.cuh"

namespace {

/* The root of a vertex, or what was it a moment ago; halves the path to it. */
QN_DEVICE_INLINE uint32_t find_root(uint32_t *parent, uint32_t vertex) {
  uint32_t above = parent[vertex];
  if (above == vertex)
    return vertex;
  for (uint32_t next; (next = parent[above]) < above; above = next) {
    parent[vertex] = next;
    vertex = above;
  }
  return above;
}

/* Join the trees of `a` and `b`: hang the larger root below the smaller. */
QN_DEVICE_INLINE void join(uint32_t *parent, uint32_t a, uint32_t b) {
  uint32_t p = find_root(parent, a), q = find_root(parent, b);
  while (p != q) {
    const uint32_t high = p > q ? p : q, low = p > q ? q : p;
    const uint32_t found = atomicCAS(&parent[high], high, low);
    if (found == high)
      return;
    p = find_root(parent, found);
    q = low;
  }
}

/* Let every vertex point at its root. No root changes meanwhile. */
__global__ void compress(uint32_t *parent, uint64_t num_vertices) {
  qn_grid_steps(num_vertices, [&](uint64_t v) {
    uint32_t root = parent[v];
    for (uint32_t next; (next = parent[root]) != root;)
      root = next;
    parent[v] = root;
  });
}

/* Labels are smallest vertices; make them smallest positions in original order. */
__global__ void find_first_positions(const uint32_t *labels, const uint32_t *positions,
                                     uint64_t num_vertices, uint32_t *first) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { atomicMin(&first[labels[v]], positions[v]); });
}

__global__ void label_by_position(uint32_t *labels, uint64_t num_vertices, const uint32_t *first) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { labels[v] = first[labels[v]]; });
}

/* Labels from roots; `first` [V] is overwritten if there are positions. */
inline enum qn_status label(const struct qn_cuda_memory *memory, uint32_t *parent,
                            const uint32_t *positions, uint32_t *first, uint64_t num_vertices,
                            struct qn_error *error) {
  const unsigned blocks = qn_run_blocks(memory, num_vertices);
  if (!positions)
    return QN_OK;
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(first, 0xff, num_vertices * sizeof *first, NULL), "clearing labels", error);
  if (status)
    return status;
  QN_LAUNCH(find_first_positions, blocks, QN_QUEUE_THREADS, 0, NULL, parent, positions,
            num_vertices, first);
  QN_LAUNCH(label_by_position, blocks, QN_QUEUE_THREADS, 0, NULL, parent, num_vertices, first);
  return qn_cuda_launched("labelling components", error);
}

} /* namespace */

#endif
