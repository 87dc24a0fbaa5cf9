/* Local clustering coefficients on packed rows (kernels/cpu/csr/kernel_lcc.c, which says why it is
 * a kernel of its own). */
#include "kernels/cpu/packed/oriented.h"
#include "kernels/standalone_kernel.h"

extern const struct qn_kernel qn_kernel_lcc_packed_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  return qn_clustering_run(request, qn_packed_orient, result, error);
}

const struct qn_kernel qn_kernel_lcc_packed_cpu =
    QN_LCC_KERNEL("packed, triangles by degree", QN_LAYOUT_PACKED, QN_CPU, run);
