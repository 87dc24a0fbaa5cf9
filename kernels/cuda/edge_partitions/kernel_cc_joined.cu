/* Weakly connected components on edge partitions: where they are resident by a
 * sample of the edges (own/cc_sampled.cuh), else by one pass over all (own/cc_joined.cuh). */
#include "kernels/cuda/standalone/cc_program.cuh"

#include "kernels/cuda/edge_partitions/engine.cuh"

#include "kernels/cuda/standalone/cc_joined.cuh"
#include "kernels/cuda/standalone/cc_sampled.cuh"

namespace {

/* Edges as they lie in all partitions, one after the other; vertices are dense numbers. */
struct ep_edges {
  uint64_t num_edges;
  const uint32_t *sources, *destinations; /* ids; sources ascend */
  const uint32_t *prefix_offsets;
  uint32_t num_partitions;
  struct qn_ep_divider divider;
};

QN_DEVICE_INLINE uint32_t dense_of(const struct ep_edges &edges, uint32_t id) {
  const uint64_t partition = qn_ep_divide(edges.divider, id);
  return id -
         edges.prefix_offsets[partition < edges.num_partitions ? partition : edges.num_partitions];
}

/* The first two edges of every source. */
__global__ void join_first_two(const struct ep_edges edges, uint32_t *parent) {
  qn_grid_steps(edges.num_edges, [&](uint64_t edge) {
    const uint32_t source = __ldcs(&edges.sources[edge]);
    if (edge >= 2 && edges.sources[edge - 2] == source)
      return;
    const uint32_t u = dense_of(edges, source);
    join_below(parent, parent[u], u, dense_of(edges, edges.destinations[edge]));
  });
}

__global__ void join_rest(const struct ep_edges edges, const struct cc_forest forest) {
  const uint32_t largest = *forest.largest;
  qn_grid_steps(edges.num_edges, [&](uint64_t edge) {
    const uint32_t u = dense_of(edges, __ldcs(&edges.sources[edge])), root = forest.parent[u];
    if (root != largest)
      join_below(forest.parent, root, u, dense_of(edges, __ldcs(&edges.destinations[edge])));
  });
}

enum qn_status upload_edges(struct qn_cuda_memory *memory, const struct qn_edge_partitions *view,
                            struct ep_edges *edges, struct qn_error *error) {
  edges->num_edges = view->num_edges;
  edges->num_partitions = (uint32_t)view->num_partitions;
  edges->divider = qn_ep_divider(view->range_size);
  enum qn_status status = qn_cuda_copy_of(memory, &edges->sources, view->sources, view->num_edges,
                                          0, sizeof *view->sources, "sources", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &edges->destinations, view->destinations, view->num_edges, 0,
                             sizeof *view->destinations, "destinations", error);
  return status ? status
                : qn_cuda_copy_of(memory, &edges->prefix_offsets, view->prefix_offsets,
                                  view->num_partitions + 1, 0, sizeof *view->prefix_offsets,
                                  "unused ids", error);
}

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_edge_partitions *view = (const struct qn_edge_partitions *)request->view;
  const struct cc_resident resident = {view->num_vertices, 8 * view->num_edges,
                                       view->directedness == QN_UNDIRECTED, view->new_to_old};
  struct ep_edges edges;
  auto upload = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    return upload_edges(memory, view, &edges, failure);
  };
  auto first = [&](const struct cc_forest *forest, struct qn_error *failure) {
    QN_LAUNCH(join_first_two, qn_run_blocks(forest->memory, edges.num_edges), QN_QUEUE_THREADS, 0,
              NULL, edges, forest->parent);
    return qn_cuda_launched("joining first edges", failure);
  };
  auto rest = [&](const struct cc_forest *forest, struct qn_error *failure) {
    QN_LAUNCH(join_rest, qn_run_blocks(forest->memory, edges.num_edges), QN_QUEUE_THREADS, 0, NULL,
              edges, *forest);
    return qn_cuda_launched("joining edges", failure);
  };
  return cc_run_resident(request, &resident, upload, first, rest, result, too_large, error);
}

} /* namespace */

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_edge_partitions_cuda, "edge partitions, union-find",
                    QN_LAYOUT_EDGE_PARTITIONS, qn_edge_partitions);
