/* Cross-edges on a set (kernels/cross_edges.h), whose rows hold in-edges: they are counted for
 * their columns. */
#include "kernels/cross_edges.h"
#include "kernels/set_view.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_cross_edges_set_cpu;

static void count_part(const struct qn_part_rows *part, const uint32_t *groups, uint64_t *counts) {
  const struct qn_csr *csr = part->csr;
  const uint32_t base = (uint32_t)part->columns_begin;
#pragma omp parallel for schedule(dynamic, 256)
  for (uint64_t row = 0; row < csr->num_vertices; row++)
    for (uint64_t e = csr->row_offsets[row]; e < csr->row_offsets[row + 1]; e++) {
      const uint32_t source = base + csr->column_indices[e];
      if (qn_is_cross_edge(groups, source, (uint32_t)(part->begin + row)))
        __atomic_fetch_add(&counts[source], 1, __ATOMIC_RELAXED);
    }
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_set_view *view = request->view;
  uint64_t *counts;
  const double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status =
      qn_pages_alloc(&counts, view->num_vertices, sizeof *counts, "result values", error);
  if (status)
    return status;
  const uint64_t num_parts = request->limits.max_iterations > 0 ? view->num_parts : 0;
  for (uint64_t i = 0; !status && i < num_parts; i++) {
    status = qn_part_enter(view, i, error);
    if (!status)
      count_part(&view->parts[i], request->inputs.groups, counts);
    qn_part_leave(view, i);
  }
  if (status) {
    qn_pages_free(counts, view->num_vertices, sizeof *counts);
    return status;
  }
  *result = (struct qn_run_result){.type = QN_RESULT_U64,
                                   .num_values = view->num_vertices,
                                   .values = counts,
                                   .stats.iterations = request->limits.max_iterations > 0,
                                   .stats.converged = true,
                                   .stats.kernel_seconds = qn_seconds() - begin};
  return QN_OK;
}

const struct qn_kernel qn_kernel_cross_edges_set_cpu =
    QN_STANDALONE_KERNEL(cross_edges, "one look at each edge", QN_LAYOUT_SET, QN_CPU,
                         QN_KERNEL_ALL_ACTIVE | QN_KERNEL_ALONE, QN_RESULT_U64, run, 0);
