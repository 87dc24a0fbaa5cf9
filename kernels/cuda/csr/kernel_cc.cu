/* Weakly connected components on CSR by a sample of the edges (own/cc_sampled.cuh), on a device.
 *
 * A kernel of its own for the reasons of kernels/cpu/csr/kernel_cc.c: one pass over the edges
 * instead of one a step of the diameter, and most edges are never looked at. It also takes
 * directed graphs as they are.
 *
 * A graph that does not fit is streamed (cc_streamed.cuh). A resident run is over in milliseconds
 * and writes no checkpoints. */
#include "kernels/cuda/csr/cc_streamed.cuh"
#include "kernels/cuda/own/cc_sampled.cuh"
#include "kernels/own_kernel.h"

extern "C" const struct qn_kernel qn_kernel_cc_csr_cuda;

namespace {

enum qn_status create(struct cc_work *work, const struct qn_graph *graph,
                      const struct qn_run_request *request, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  work->num_vertices = graph->out.num_vertices;
  work->both_ends = graph->directedness == QN_UNDIRECTED || graph->has_transpose;
  enum qn_status status = qn_run_check_units(graph->out.num_vertices, graph->out.num_edges, error);
  if (!status)
    status = qn_cuda_csr_upload(memory, &graph->out, false, &work->out, error);
  if (!status && graph->has_transpose && graph->directedness != QN_UNDIRECTED)
    status = qn_cuda_csr_upload(memory, &graph->in, false, &work->in, error);
  return status ? status : cc_sampled_create(work, request, error);
}

/* Do the edges alone not fit? Then the work of bringing them there is not begun. */
bool is_too_large(const struct cc_work *work, const struct qn_csr *out) {
  return 4 * out->num_edges + 8 * out->num_vertices >
         qn_cuda_plannable_bytes(&work->memory->device, work->memory->cap);
}

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  struct qn_cuda_memory memory;
  struct cc_work work;
  memset(&work, 0, sizeof work);
  memset(result, 0, sizeof *result);
  work.memory = &memory;
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  auto prepare = [&](struct qn_error *failure) {
    return is_too_large(&work, &graph->out) ? qn_run_no_room(&memory)
                                            : create(&work, graph, request, failure);
  };
  auto algorithm = [&](struct qn_error *failure) { return cc_sampled(&work, failure); };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    if (!status)
      status =
          qn_run_download(&memory, QN_RESULT_U32, work.parent, work.num_vertices, result, failure);
    result->iterations = 1;
    result->converged = true;
    *too_large = status && memory.exhausted;
    return status;
  };
  return qn_run_whole(request, &memory, prepare, algorithm, finish, result, error);
}

/* States are those of streamed runs alone. */
enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  bool too_large = qn_own_state(request) != NULL;
  enum qn_status status = QN_OK;
  if (!too_large)
    status = run_resident(request, result, &too_large, error);
  return too_large ? cc_run_streamed(request, result, error) : status;
}

} /* namespace */

const struct qn_kernel qn_kernel_cc_csr_cuda =
    QN_CC_KERNEL("csr Afforest", QN_LAYOUT_GRAPH, QN_CUDA, run);
