/* Local clustering coefficients on packed rows.
 *
 * A kernel of its own for the reason that kernels/cpu/csr/kernel_lcc.c tells, whose counting it
 * shares. */
#include "kernels/cpu/csr/triangles.h"
#include "kernels/cpu/packed/oriented.h"
#include "kernels/standalone_kernel.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_lcc_packed_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const double begin = qn_seconds();
  struct qn_orientation edges;
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_packed_orient(request->view, true, &edges, error);
  return status ? status : qn_clustering_find(&edges, begin, result, error);
}

const struct qn_kernel qn_kernel_lcc_packed_cpu =
    QN_LCC_KERNEL("packed, bitmaps by degree", QN_LAYOUT_PACKED, QN_CPU, run);
