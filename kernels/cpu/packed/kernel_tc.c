/* Triangles of the simple undirected graph, on packed rows.
 *
 * A kernel of its own for the reason that kernels/cpu/csr/kernel_tc.c tells, whose counting it
 * shares. */
#include "kernels/cpu/csr/triangles.h"
#include "kernels/cpu/packed/oriented.h"
#include "kernels/standalone_kernel.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_tc_packed_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const double begin = qn_seconds();
  struct qn_orientation edges;
  *result = (struct qn_run_result){
      .shape = QN_SHAPE_NUMBER, .stats.converged = true, .stats.iterations = 1};
  enum qn_status status = qn_packed_orient(request->view, false, &edges, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  if (!status)
    status = qn_triangles_count(&edges, result, error);
  qn_orientation_destroy(&edges);
  return status;
}

const struct qn_kernel qn_kernel_tc_packed_cpu =
    QN_TC_KERNEL("packed, bitmaps by degree", QN_LAYOUT_PACKED, QN_CPU, run);
