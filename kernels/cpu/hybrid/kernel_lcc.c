/* Local clustering coefficients on the hybrid layout (kernels/cpu/csr/kernel_lcc.c, which says why
 * it is a kernel of its own). */
#include "kernels/cpu/hybrid/oriented.h"
#include "kernels/standalone_kernel.h"

extern const struct qn_kernel qn_kernel_lcc_hybrid_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  return qn_clustering_run(request, qn_hybrid_orient, result, error);
}

const struct qn_kernel qn_kernel_lcc_hybrid_cpu =
    QN_LCC_KERNEL("ELL + COO lists, triangles by degree", QN_LAYOUT_HYBRID, QN_CPU, run);
