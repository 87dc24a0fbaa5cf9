/* Weakly connected components on edge partitions: where they are resident by a sample of
 * their rows (own/cc_rows.cuh), which stand in for the sources of edges, else by one pass over all
 * edges (own/cc_joined.cuh). */
#include "kernels/cuda/standalone/cc_program.cuh"

#include "kernels/cuda/edge_partitions/engine.cuh"

#include "kernels/cuda/standalone/cc_joined.cuh"
#include "kernels/cuda/standalone/cc_rows.cuh"

namespace {

/* Rows by dense number; their columns are ids. */
struct partition_rows : cc_rows {
  struct engine_device ids; /* which `locate` asks */

  __device__ uint32_t vertex_of_column(uint32_t column) const { return locate(ids, column).dense; }
};

enum qn_status upload_rows(struct qn_cuda_memory *memory, const struct qn_edge_partitions *view,
                           struct partition_rows *rows, struct qn_error *error) {
  struct qn_csr *csr = &rows->csr;
  csr->num_vertices = view->num_vertices;
  csr->num_edges = view->num_edges;
  rows->ids.num_partitions = (uint32_t)view->num_partitions;
  rows->ids.divider = qn_ep_divider(view->range_size);
  enum qn_status status = upload_row_offsets(memory, view, &csr->row_offsets, error);
  if (!status)
    status = qn_cuda_copy_of(memory, &csr->column_indices, view->destinations, view->num_edges, 0,
                             sizeof *view->destinations, "destinations", error);
  return status ? status
                : qn_cuda_copy_of(memory, &rows->ids.prefix_offsets, view->prefix_offsets,
                                  view->num_partitions + 1, 0, sizeof *view->prefix_offsets,
                                  "unused ids", error);
}

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_edge_partitions *view = (const struct qn_edge_partitions *)request->view;
  const struct cc_resident resident = {view->num_vertices,
                                       4 * view->num_edges + 8 * view->num_vertices,
                                       view->directedness == QN_UNDIRECTED, view->new_to_old};
  auto upload = [&](struct qn_cuda_memory *memory, struct partition_rows *rows,
                    struct qn_error *failure) { return upload_rows(memory, view, rows, failure); };
  return cc_rows_run<struct partition_rows>(request, &resident, upload, result, too_large, error);
}

} /* namespace */

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_edge_partitions_cuda, "edge partitions, union-find",
                    QN_LAYOUT_EDGE_PARTITIONS, qn_edge_partitions);
