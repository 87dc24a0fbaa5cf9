/* Triangles of the simple undirected graph, on blocked CSR (kernels/cpu/csr/kernel_tc.c, which says
 * why it is a kernel of its own). */
#include "kernels/cpu/blocked_csr/oriented.h"
#include "kernels/standalone_kernel.h"

extern const struct qn_kernel qn_kernel_tc_blocked_csr_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  return qn_triangles_run(request, qn_blocked_csr_orient, result, error);
}

const struct qn_kernel qn_kernel_tc_blocked_csr_cpu =
    QN_TC_KERNEL("blocks, bitmaps by degree", QN_LAYOUT_BLOCKED_CSR, QN_CPU, run);
