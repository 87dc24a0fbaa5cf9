/* Triangles on the hybrid layout, as HPGraph counts them (section 4.4): form neighbour lists of all
 * vertices, orient them without cycles, and intersect.
 *
 * A kernel of its own for the reason that csr/kernel_tc.cu tells; the lists are the rows put
 * together again, and from there on it is that kernel's algorithm. Directions do not
 * matter to a triangle, so rows of in-edges do as well as rows of out-edges. */
#include "kernels/cuda/edges/run_device.cuh"
#include "kernels/own_kernel.h"
#include <quern/hybrid.h>

extern "C" const struct qn_kernel qn_kernel_tc_hybrid_cuda;
extern "C" const struct qn_kernel qn_kernel_tc_csr_cuda;

namespace {

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  const struct qn_hybrid *hybrid = (const struct qn_hybrid *)request->view;
  struct qn_run_request lists_request = *request;
  struct qn_graph lists;
  const double begin = qn_seconds();
  memset(result, 0, sizeof *result);
  memset(&lists, 0, sizeof lists);
  enum qn_status status =
      qn_hybrid_unite(hybrid->has_out ? &hybrid->out : &hybrid->in, &lists, error);
  if (status)
    return status;
  const double formed = qn_seconds();
  lists.directedness = hybrid->directedness;
  lists_request.view = &lists;
  status = qn_kernel_tc_csr_cuda.run(&lists_request, result, error);
  if (!status)
    result->prepare_seconds += formed - begin;
  qn_graph_unmap(&lists);
  return status;
}

} /* namespace */

const struct qn_kernel qn_kernel_tc_hybrid_cuda =
    QN_TC_KERNEL("ELL + COO lists by degree", QN_LAYOUT_HYBRID, QN_CUDA, run);
