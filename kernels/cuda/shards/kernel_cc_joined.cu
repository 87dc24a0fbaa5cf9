/* Weakly connected components on shards: where they are resident by a sample of the rows
 * of in-edges (own/cc_rows.cuh), else by one pass over all edges (own/cc_joined.cuh). */
#include "kernels/cuda/standalone/cc_program.cuh"

#include "kernels/cuda/shards/engine.cuh"

#include "kernels/cuda/standalone/cc_joined.cuh"
#include "kernels/cuda/standalone/cc_rows.cuh"

namespace {

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_shards *view = (const struct qn_shards *)request->view;
  const struct cc_resident resident = {view->num_vertices,
                                       4 * view->num_edges + 8 * view->num_vertices,
                                       view->directedness == QN_UNDIRECTED, NULL};
  auto upload = [&](struct qn_cuda_memory *memory, struct cc_rows *rows, struct qn_error *failure) {
    return qn_cuda_csr_upload(memory, &view->in, false, &rows->csr, failure);
  };
  return cc_rows_run(request, &resident, upload, result, too_large, error);
}

} /* namespace */

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_shards_cuda, "shards, union-find", QN_LAYOUT_SHARDS,
                    qn_shards);
