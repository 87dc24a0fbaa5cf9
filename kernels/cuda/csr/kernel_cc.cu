/* Weakly connected components on CSR by a sample of the edges (own/cc_sampled.cuh), on a device.
 *
 * A kernel of its own for the reasons of kernels/cpu/csr/kernel_cc.c: one pass over the edges
 * instead of one a step of the diameter, and most edges are never looked at. It also takes
 * directed graphs as they are.
 *
 * A graph that does not fit is streamed (cc_streamed.cuh), and so is one that several devices
 * share. A resident run is over in milliseconds and writes no checkpoints. */
#include "kernels/cuda/csr/cc_streamed.cuh"
#include "kernels/cuda/standalone/cc_rows.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_cc_csr_cuda;

namespace {

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const bool undirected = graph->directedness == QN_UNDIRECTED;
  const bool has_in = graph->has_transpose && !undirected;
  const struct cc_resident resident = {graph->out.num_vertices,
                                       4 * graph->out.num_edges + 8 * graph->out.num_vertices,
                                       undirected || graph->has_transpose, NULL};
  struct cc_rows out, in;
  memset(&out, 0, sizeof out);
  memset(&in, 0, sizeof in);
  auto upload = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    enum qn_status status = qn_cuda_csr_upload(memory, &graph->out, false, &out.csr, failure);
    if (!status)
      status = cc_rows_create(memory, &out, failure);
    in = out;
    return status || !has_in ? status
                             : qn_cuda_csr_upload(memory, &graph->in, false, &in.csr, failure);
  };
  auto first = [&](const struct cc_forest *forest, struct qn_error *failure) {
    return cc_rows_first(&out, forest, failure);
  };
  auto rest = [&](const struct cc_forest *forest, struct qn_error *failure) {
    enum qn_status status = cc_rows_rest(&out, forest, failure);
    if (status || !has_in)
      return status;
    QN_LAUNCH(compress, qn_run_blocks(forest->memory, forest->num_vertices), QN_QUEUE_THREADS, 0,
              NULL, forest->parent, forest->num_vertices);
    return cc_rows_rest(&in, forest, failure);
  };
  return cc_run_resident(request, &resident, upload, first, rest, result, too_large, error);
}

/* States are those of streamed runs alone. */
enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  bool too_large = qn_state_resumed(request) != NULL;
  enum qn_status status = QN_OK;
  if (request->device->num_devices > 1)
    return qn_run_by_rows(request, false, cc_run_streamed, result, error);
  if (!too_large)
    status = run_resident(request, result, &too_large, error);
  return too_large ? cc_run_streamed(request, result, error) : status;
}

} /* namespace */

const struct qn_kernel qn_kernel_cc_csr_cuda =
    QN_CC_KERNEL("csr Afforest", QN_LAYOUT_GRAPH, QN_CUDA, run);
