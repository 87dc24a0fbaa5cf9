/* Triangles of the simple undirected graph (loops, directions and multiplicities
 * ignored), each counted once, on CSR, on a device.
 *
 * A kernel of its own because a triangle needs the intersection of two rows, which is no
 * combination of messages (edges/triangles.cuh). */
#include "kernels/cuda/edges/triangles.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_tc_csr_cuda;

namespace {

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  auto prepare = [&](struct tc_work *work, struct qn_error *failure) {
    struct qn_csr csr;
    enum qn_status status = degree_edges_of_csr(graph, &csr, work, failure);
    if (!status)
      qn_cuda_release(work->memory, (void *)csr.column_indices);
    return status;
  };
  auto orient = [&](struct qn_orientation *edges, struct qn_error *failure) {
    return qn_orientation_create(graph, false, edges, failure);
  };
  return run_triangles(request, graph->out.num_vertices, degree_edges_csr_bytes(graph), prepare,
                       orient, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_tc_csr_cuda =
    QN_TC_KERNEL("csr lists by degree", QN_LAYOUT_GRAPH, QN_CUDA, run);
