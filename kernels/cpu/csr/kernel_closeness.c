/* Closeness centrality on CSR, from sampled vertices, or all (kernels/programs/closeness.h).
 *
 * A kernel of its own because 64 searches walk together, and pull where that is less work
 * (searches.h), which the program's values are too large for. */
#include "kernels/cpu/searches/distances.h"
#include "kernels/standalone_kernel.h"

extern const struct qn_kernel qn_kernel_closeness_csr_cpu;

static double of_level(uint32_t level) {
  return level;
}

static double result_of(const struct qn_distance_sums *sums, double num_samples,
                        double num_vertices) {
  const double others = num_samples - sums->is_sample;
  (void)num_vertices;
  return others > 0 && sums->sum > 0
             ? (double)sums->reached / sums->sum * (double)sums->reached / others
             : 0;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  return qn_distances_run(request, of_level, result_of, result, error);
}

const struct qn_kernel qn_kernel_closeness_csr_cpu =
    QN_CLOSENESS_KERNEL("csr, 64 searches at once", QN_LAYOUT_GRAPH, QN_CPU, run);
