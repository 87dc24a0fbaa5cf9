/* Local clustering coefficients on a set.
 *
 * A kernel of its own for the reason that kernels/cpu/csr/kernel_lcc.c tells, whose search for
 * triangles it shares: the direction of edges does not matter, but which lead both ways. */
#include "kernels/cpu/csr/triangles.h"
#include "kernels/cpu/set/oriented.h"
#include "kernels/standalone_kernel.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_lcc_set_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const double begin = qn_seconds();
  struct qn_orientation edges;
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_set_orient(request->view, true, &edges, error);
  return status ? status : qn_clustering_find(&edges, begin, result, error);
}

const struct qn_kernel qn_kernel_lcc_set_cpu = QN_STANDALONE_KERNEL(
    lcc, "bands, triangles by degree", QN_LAYOUT_SET, QN_CPU,
    QN_KERNEL_NO_FRONTIER | QN_KERNEL_ALONE | QN_KERNEL_ANY_ROWS, QN_RESULT_F64, run, 0);
