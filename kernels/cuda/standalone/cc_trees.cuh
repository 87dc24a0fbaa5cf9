/* What becomes of trees of connected vertices (edges/trees.cuh): labels. */
#pragma once

#include "kernels/cuda/edges/run_device.cuh"
#include "kernels/cuda/edges/trees.cuh"

namespace {

__global__ void begin_alone(uint32_t *parent, uint64_t num_vertices) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { parent[v] = (uint32_t)v; });
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

/* `positions` NULL: a vertex's position is itself. Of a large component nearly all vertices are
 * behind one that was there, so they ask instead of waiting in line for one word. */
__global__ void find_first_positions(const uint32_t *labels, const uint32_t *positions,
                                     uint64_t num_vertices, uint32_t *first) {
  qn_grid_steps(num_vertices, [&](uint64_t v) {
    const uint32_t position = positions ? positions[v] : (uint32_t)v;
    if (position < __ldcg(&first[labels[v]]))
      atomicMin(&first[labels[v]], position);
  });
}

__global__ void label_by_position(uint32_t *labels, uint64_t num_vertices, const uint32_t *first) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { labels[v] = first[labels[v]]; });
}

/* Labels are any vertex of a component; make them its smallest position in original order. `first`
 * [V] is overwritten. */
inline enum qn_status label_by_first(const struct qn_cuda_memory *memory, uint32_t *labels,
                                     const uint32_t *positions, uint32_t *first,
                                     uint64_t num_vertices, struct qn_error *error) {
  const unsigned blocks = qn_run_blocks(memory, num_vertices);
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(first, 0xff, num_vertices * sizeof *first, NULL), "clearing labels", error);
  if (status)
    return status;
  QN_LAUNCH(find_first_positions, blocks, QN_QUEUE_THREADS, 0, NULL, labels, positions,
            num_vertices, first);
  QN_LAUNCH(label_by_position, blocks, QN_QUEUE_THREADS, 0, NULL, labels, num_vertices, first);
  return qn_cuda_launched("labelling components", error);
}

/* Labels from roots, which are smallest vertices. */
inline enum qn_status label(const struct qn_cuda_memory *memory, uint32_t *parent,
                            const uint32_t *positions, uint32_t *first, uint64_t num_vertices,
                            struct qn_error *error) {
  return positions ? label_by_first(memory, parent, positions, first, num_vertices, error) : QN_OK;
}

} /* namespace */
