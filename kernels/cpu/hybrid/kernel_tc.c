/* Triangles on the hybrid layout, as HPGraph counts them (section 4.4): neighbour lists of all
 * vertices are formed of ELL and COO, oriented without cycles, and intersected.
 *
 * A kernel of its own for the reason that csr/kernel_tc.c tells. */
#include "kernels/cpu/csr/triangles.h"
#include "kernels/cpu/hybrid/oriented.h"
#include "kernels/standalone_kernel.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_tc_hybrid_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct qn_orientation edges = {0};
  double begin = qn_seconds();
  *result = (struct qn_run_result){
      .shape = QN_SHAPE_NUMBER, .stats.converged = true, .stats.iterations = 1};
  enum qn_status status = qn_hybrid_orient(request->view, &edges, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  if (!status)
    status = qn_triangles_count(&edges, result, error);
  qn_orientation_destroy(&edges);
  return status;
}

const struct qn_kernel qn_kernel_tc_hybrid_cpu =
    QN_TC_KERNEL("ELL + COO lists intersected", QN_LAYOUT_HYBRID, QN_CPU, run);
