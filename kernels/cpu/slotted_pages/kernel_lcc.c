/* Local clustering coefficients on slotted pages (kernels/cpu/csr/kernel_lcc.c, which says why it
 * is a kernel of its own). */
#include "kernels/cpu/slotted_pages/oriented.h"
#include "kernels/standalone_kernel.h"

extern const struct qn_kernel qn_kernel_lcc_slotted_pages_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  return qn_clustering_run(request, qn_slotted_pages_orient, result, error);
}

const struct qn_kernel qn_kernel_lcc_slotted_pages_cpu =
    QN_LCC_KERNEL("slotted pages, triangles by degree", QN_LAYOUT_SLOTTED_PAGES, QN_CPU, run);
