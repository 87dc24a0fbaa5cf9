/* Weakly connected components on blocked CSR: of blocks that are resident by a sample of the edges
 * (own/cc_sampled.cuh), whose rows are those of all blocks, one after the other; of others by one
 * pass over all edges (own/cc_joined.cuh). The sample is of the first blocks' rows. */
#include <algorithm>

#include "kernels/cuda/standalone/cc_program.cuh"

#include "kernels/cuda/blocked_csr/engine.cuh"

#include "kernels/cuda/standalone/cc_joined.cuh"
#include "kernels/cuda/standalone/cc_rows.cuh"

namespace {

__global__ void list_begins(const uint32_t *offsets, uint64_t num_rows, uint64_t first_edge,
                            uint64_t *begins) {
  qn_grid_steps(num_rows + 1, [&](uint64_t row) { begins[row] = first_edge + offsets[row]; });
}

/* The rows of all blocks as those of one CSR. */
enum qn_status upload_rows(struct qn_cuda_memory *memory, const struct qn_blocking *blocking,
                           uint64_t num_edges, struct cc_rows *to, struct qn_error *error) {
  struct qn_csr *rows = &to->csr;
  const uint64_t num_rows = blocking->num_rows;
  uint32_t *offsets = NULL;
  uint64_t *begins = NULL;
  rows->num_vertices = num_rows;
  rows->num_edges = num_edges;
  enum qn_status status = qn_cuda_copy_of(memory, &to->ids, blocking->id_map, num_rows, 0,
                                          sizeof *to->ids, "id maps", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &rows->column_indices, blocking->columns, num_edges, 0,
                             sizeof *blocking->columns, "columns of blocks", error);
  if (!status)
    status =
        qn_cuda_copy_of(memory, &offsets, blocking->row_offsets, num_rows + blocking->num_blocks, 0,
                        sizeof *offsets, "row offsets of blocks", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &begins, num_rows + 1, sizeof *begins, "offsets of rows",
                                  error);
  for (uint64_t i = 0; i < blocking->num_blocks && !status; i++) {
    /* No further than the rows that were counted, also if the input changes. */
    const uint64_t next = std::min(blocking->block_rows[i + 1], num_rows);
    const uint64_t first = std::min(blocking->block_rows[i], next), count = next - first;
    QN_LAUNCH(list_begins, qn_run_blocks(memory, count + 1), QN_QUEUE_THREADS, 0, NULL,
              offsets + first + i, count, blocking->block_edges[i], begins + first);
    status = qn_cuda_launched("listing rows", error);
  }
  rows->row_offsets = begins;
  return status;
}

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_blocked_csr *view = (const struct qn_blocked_csr *)request->view;
  const struct qn_blocking *blocking = view->has_pull ? &view->pull : &view->push;
  const uint64_t num_rows = blocking->num_rows;
  const struct cc_resident resident = {view->num_vertices, 4 * view->num_edges + 24 * num_rows,
                                       view->directedness == QN_UNDIRECTED, NULL};
  auto upload = [&](struct qn_cuda_memory *memory, struct cc_rows *rows, struct qn_error *failure) {
    return upload_rows(memory, blocking, view->num_edges, rows, failure);
  };
  return cc_rows_run(request, &resident, upload, result, too_large, error);
}

} /* namespace */

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_blocked_csr_cuda, "blocked CSR, union-find",
                    QN_LAYOUT_BLOCKED_CSR, qn_blocked_csr);
