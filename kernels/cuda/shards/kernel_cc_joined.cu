/* Weakly connected components on shards: where they are resident by a sample of the rows
 * of in-edges (own/cc_rows.cuh), else by one pass over all edges (own/cc_joined.cuh). */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/shards/engine.cuh"

#include "kernels/cuda/own/cc_joined.cuh"
#include "kernels/cuda/own/cc_rows.cuh"

extern "C" const struct qn_kernel qn_kernel_cc_joined_shards_cuda;

namespace {

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_shards *view = (const struct qn_shards *)request->view;
  const struct cc_resident resident = {view->num_vertices,
                                       4 * view->num_edges + 8 * view->num_vertices,
                                       view->directedness == QN_UNDIRECTED, NULL};
  struct cc_rows rows;
  memset(&rows, 0, sizeof rows);
  auto upload = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    enum qn_status status = qn_cuda_csr_upload(memory, &view->in, false, &rows.csr, failure);
    return status ? status : cc_rows_create(memory, &rows, failure);
  };
  auto first = [&](const struct cc_forest *forest, struct qn_error *failure) {
    return cc_rows_first(&rows, forest, failure);
  };
  auto rest = [&](const struct cc_forest *forest, struct qn_error *failure) {
    return cc_rows_rest(&rows, forest, failure);
  };
  return cc_run_resident(request, &resident, upload, first, rest, result, too_large, error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  bool too_large = false;
  const enum qn_status status = run_resident(request, result, &too_large, error);
  return too_large ? cc_joined_run<struct qn_shards>(engine_run, request, result, error) : status;
}

} /* namespace */

const struct qn_kernel qn_kernel_cc_joined_shards_cuda =
    QN_CC_JOINED_KERNEL("shards, union-find", QN_LAYOUT_SHARDS, QN_CUDA, run);
