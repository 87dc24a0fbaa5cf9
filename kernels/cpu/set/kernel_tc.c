/* Triangles of the simple undirected graph, on a set.
 *
 * A kernel of its own for the reason that kernels/cpu/csr/kernel_tc.c tells, whose counting it
 * shares. */
#include "kernels/cpu/set/oriented.h"
#include "kernels/standalone_kernel.h"

extern const struct qn_kernel qn_kernel_tc_set_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  return qn_triangles_run(request, qn_set_orient, result, error);
}

const struct qn_kernel qn_kernel_tc_set_cpu =
    QN_STANDALONE_KERNEL(tc, "bands, bitmaps by degree", QN_LAYOUT_SET, QN_CPU,
                         QN_KERNEL_ALONE | QN_KERNEL_ANY_ROWS, QN_RESULT_U64, run, 0);
