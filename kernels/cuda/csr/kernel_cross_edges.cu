/* Cross-edges on plain CSR (kernels/cross_edges.h) on a device.
 *
 * Every vertex is queued, so that hubs are shared out in pieces of 8 edges (edges/row_queue.cuh).
 * Bytes: an edge moves 4 of column index and a 32-byte sector of L2 for its end's group; a vertex
 * 16 of offsets, 16 of the queue, its group and its count. */
#include "kernels/cuda/standalone/cross_edges.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_cross_edges_csr_cuda;

namespace {

__global__ void queue_rows(const struct qn_csr csr, const struct qn_unit_queue queue,
                           qn_queue_size *queued) {
  qn_queue_rows(csr, queue, queued, [](uint64_t) { return true; });
}

__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    count_units(const struct qn_csr csr, const struct cross_edges cross,
                const struct qn_unit_queue queue, const qn_queue_size *queued) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  struct qn_unit_tile *tile = tiles;
  const uint32_t num_entries = qn_queue_entries(*queued);
  qn_unit_tiles(qn_queue_units(*queued), [&](uint32_t first, uint32_t units) {
    const uint32_t loaded = qn_unit_load(queue, num_entries, csr.row_offsets, first, tile);
    /* One thread a unit: neighbouring threads read neighbouring sectors. */
    if (threadIdx.x < units) {
      const uint32_t entry = qn_unit_entry(tile, loaded, threadIdx.x);
      const uint32_t vertex = tile->vertices[entry];
      const uint64_t begin =
          tile->begins[entry] + (uint64_t)(threadIdx.x - tile->starts[entry]) * QN_UNIT_EDGES;
      unsigned count = 0;
      for (uint64_t edge = begin; edge < begin + QN_UNIT_EDGES && edge < tile->ends[entry]; edge++)
        count += qn_is_cross_edge(cross.groups, vertex, csr.column_indices[edge]);
      cross_edges_add(cross, vertex, count);
    }
    __syncthreads();
  });
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
      status = qn_cuda_csr_upload(memory, &graph->out, false, &out, failure);
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
    QN_LAUNCH(count_units, qn_run_blocks(memory, out.num_edges / QN_UNIT_EDGES + num_vertices),
              QN_QUEUE_THREADS, 0, NULL, out, cross, queue, queued);
    return qn_cuda_launched("counting cross-edges", failure);
  };
  bool too_large;
  return cross_edges_run(request, num_vertices, upload, count, &too_large, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_cross_edges_csr_cuda =
    QN_CROSS_EDGES_KERNEL("csr, pieces of rows", QN_LAYOUT_GRAPH, QN_CUDA, run);
