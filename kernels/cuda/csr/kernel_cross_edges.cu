/* Cross-edges on plain CSR (kernels/cross_edges.h) on a device.
 *
 * Every vertex is queued, so that hubs are shared out in pieces of 8 edges (edges/row_queue.cuh).
 * Bytes: an edge moves 4 of column index and a 32-byte sector of L2 for its end's group; a vertex
 * 16 of offsets, 16 of the queue, its group and its count. */
#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/row_steps.cuh"
#include "kernels/cuda/standalone/cross_edges.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_cross_edges_csr_cuda;

namespace {

__global__ void queue_rows(const struct qn_csr csr, const struct qn_unit_queue queue,
                           qn_queue_size *queued) {
  qn_queue_rows(csr, queue, queued, [](uint64_t) { return true; });
}

struct count_cross {
  struct cross_edges cross;
  __device__ bool operator()(uint32_t v, uint32_t other) const {
    return qn_is_cross_edge(cross.groups, v, other);
  }
  __device__ void add(uint32_t v, unsigned count) const { cross_edges_add(cross, v, count); }
};

/* Rows, a queue, counts and groups. */
uint64_t needed_bytes(const struct qn_run_request *request) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const uint64_t V = graph->out.num_vertices;
  return 8 * (V + 1) + 4 * graph->out.num_edges + (8 + 8) * V +
         (request->inputs.groups ? 4 * V : 0) + 64;
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const uint64_t num_vertices = graph->out.num_vertices;
  struct qn_csr out;
  struct qn_unit_queue queue = {NULL, NULL};
  qn_queue_size *queued = NULL;
  memset(&out, 0, sizeof out);
  auto upload = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    enum qn_status status = qn_run_check_units(num_vertices, graph->out.num_edges, failure);
    if (!status)
      status = qn_run_fit_or_read(memory, request, "cross-edges", needed_bytes(request),
                                  4 * graph->out.num_edges, 0, failure);
    if (!status)
      status = qn_run_rows_of(memory, &graph->out, &out, failure);
    if (!status)
      status = qn_run_queue(memory, num_vertices, &queue, failure);
    if (!status)
      status = qn_cuda_alloc_zeroed(memory, &queued, 1, sizeof *queued, "a counter", failure);
    return status;
  };
  auto count = [&](struct qn_cuda_memory *memory, const struct cross_edges &cross,
                   struct qn_error *failure) {
    QN_LAUNCH(queue_rows, qn_run_blocks(memory, num_vertices), QN_QUEUE_THREADS, 0, NULL, out,
              queue, queued);
    QN_LAUNCH((steps_sum<count_cross>),
              qn_run_blocks(memory, out.num_edges / QN_UNIT_EDGES + num_vertices), QN_QUEUE_THREADS,
              0, NULL, out, queue, queued, count_cross{cross});
    return qn_cuda_launched("counting cross-edges", failure);
  };
  bool too_large;
  return cross_edges_run(request, num_vertices, upload, count, &too_large, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_cross_edges_csr_cuda =
    QN_CROSS_EDGES_KERNEL("csr, pieces of rows", QN_LAYOUT_GRAPH, QN_CUDA, run);
