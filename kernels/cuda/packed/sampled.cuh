/* Components on packed rows that are resident, of undirected graphs: the first edges of every row
 * join trees; then only rows outside the largest tree, as a sample of vertices shows it, are walked
 * (Sutton, Ben-Nun, Barak: Optimizing Parallel Graph Connectivity Computation via Subgraph
 * Sampling, IPDPS 2018). An edge that leaves that tree is seen from its other end. */
#ifndef QN_KERNELS_CUDA_PACKED_SAMPLED_CUH
#define QN_KERNELS_CUDA_PACKED_SAMPLED_CUH

#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/packed/frontier.cuh"

#define SAMPLED_EDGES 2 /* of every row */
#define SAMPLED_ROOTS 1024

namespace {

QN_DEVICE_INLINE uint32_t *sampled_parents(const struct qn_program_context &context) {
  return ((const struct cc_trees *)context.shared)->parent;
}

/* Join the edges of the rows that are `chosen`, at most so many of each. A vertex's value is its
 * place in the trees. */
template <class Chosen>
QN_DEVICE_INLINE void join_rows(const struct sweep_state &state, uint32_t *parent, uint32_t most,
                                Chosen chosen) {
  const struct packed_tiles &tiles = state.layout.tiles;
  packed_each_tile(
      tiles, [&](uint64_t, const struct packed_place &place, struct packed_share *share) {
        packed_walk_rows<false>(
            place, tiles.num_vertices, share, most,
            [&](uint32_t row, uint32_t) { return chosen(state.values[place.first_row + row]); },
            [](uint32_t) { return true; },
            [&](uint32_t row, uint32_t, uint32_t column) {
              const uint32_t one = state.values[place.first_row + row];
              const uint32_t other = state.values[column];
              if (parent[one] != parent[other])
                join(parent, one, other);
            });
      });
}

__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS, PACKED_ROW_BLOCKS)
    join_first_edges(const struct sweep_state state, const struct qn_program_context context) {
  join_rows(state, sampled_parents(context), SAMPLED_EDGES, [](uint32_t) { return true; });
}

/* Let every vertex point at its root. No root changes meanwhile. */
__global__ void flatten_trees(const struct sweep_state state,
                              const struct qn_program_context context) {
  uint32_t *parent = sampled_parents(context);
  sweep_words(state.held, [&](uint32_t vertex, bool valid) {
    if (!valid)
      return;
    uint32_t root = parent[vertex];
    for (uint32_t next; (next = parent[root]) != root;)
      root = next;
    parent[vertex] = root;
  });
}

/* By one block: the root that more than half of the vertices have, as far as a sample tells; a
 * number that is no vertex's if there is none. */
__global__ void __launch_bounds__(SAMPLED_ROOTS)
    find_largest(const struct sweep_state state, const struct qn_program_context context) {
  QN_SHARED(uint32_t, roots, SAMPLED_ROOTS);
  const uint64_t num_vertices = context.num_vertices, stretch = num_vertices / SAMPLED_ROOTS;
  const uint64_t sample = threadIdx.x; /* not at regular distances, which may be alike */
  const uint64_t vertex =
      sample * stretch + (stretch ? sample * 0x9E3779B97F4A7C15u % stretch : sample % num_vertices);
  uint32_t *largest = &((struct cc_trees *)context.shared)->largest;
  roots[sample] = sampled_parents(context)[vertex];
  if (sample == 0)
    *largest = UINT32_MAX;
  __syncthreads();
  uint32_t alike = 0;
  for (uint32_t other = 0; other < SAMPLED_ROOTS; other++)
    alike += roots[other] == roots[sample];
  if (alike > SAMPLED_ROOTS / 2)
    *largest = roots[sample];
}

__global__ void __launch_bounds__(32 * PACKED_ROW_WARPS, PACKED_ROW_BLOCKS)
    join_rest(const struct sweep_state state, const struct qn_program_context context) {
  uint32_t *parent = sampled_parents(context);
  const uint32_t largest = ((const struct cc_trees *)context.shared)->largest;
  join_rows(state, parent, QN_PACKED_TILE,
            [&](uint32_t vertex) { return parent[vertex] != largest; });
}

inline enum qn_status join_sampled(struct sweep_run *run, struct qn_error *error) {
  PACKED_LAUNCH_ROWS(join_first_edges, run, run->state.layout.tiles);
  SWEEP_LAUNCH(run, flatten_trees);
  QN_LAUNCH(find_largest, 1, SAMPLED_ROOTS, 0, NULL, run->state, run->context);
  PACKED_LAUNCH_ROWS(join_rest, run, run->state.layout.tiles);
  return qn_cuda_launched("joining trees", error);
}

} /* namespace */

#endif
