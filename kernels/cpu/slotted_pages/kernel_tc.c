/* Triangles of the simple undirected graph, on slotted pages (kernels/cpu/csr/kernel_tc.c, which
 * says why it is a kernel of its own). */
#include "kernels/cpu/slotted_pages/oriented.h"
#include "kernels/standalone_kernel.h"

extern const struct qn_kernel qn_kernel_tc_slotted_pages_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  return qn_triangles_run(request, qn_slotted_pages_orient, result, error);
}

const struct qn_kernel qn_kernel_tc_slotted_pages_cpu =
    QN_TC_KERNEL("slotted pages, bitmaps by degree", QN_LAYOUT_SLOTTED_PAGES, QN_CPU, run);
