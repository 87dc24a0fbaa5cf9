/* Weakly connected components on the hybrid layout (loop/components.h): along
 * the ELL rows, then along the entries of the COO part, of whichever matrix there is. */
#include "kernels/cpu/loop/components.h"
#include <quern/hybrid.h>

extern const struct qn_kernel qn_kernel_cc_joined_hybrid_cpu;

static void join_row(const struct qn_hybrid_matrix *matrix, uint64_t row, uint32_t *parent) {
  for (uint64_t k = 0, at = row; k < matrix->width; k++, at += matrix->pitch) {
    if (matrix->ell_columns[at] == QN_HYBRID_PADDING)
      return;
    qn_components_join_ends(parent, (uint32_t)row, matrix->ell_columns[at]);
  }
}

static enum qn_status join_edges(const void *view, uint32_t *parent, struct qn_error *error) {
  const struct qn_hybrid *hybrid = view;
  const struct qn_hybrid_matrix *matrix = hybrid->has_in ? &hybrid->in : &hybrid->out;
  (void)error;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t row = 0; row < matrix->num_vertices; row++)
    join_row(matrix, row, parent);
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < matrix->num_coo; i++)
    qn_components_join_ends(parent, matrix->coo_rows[i], matrix->coo_columns[i]);
  return QN_OK;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_hybrid *view = request->view;
  return qn_components_run(request, view->num_vertices, join_edges, result, error);
}

const struct qn_kernel qn_kernel_cc_joined_hybrid_cpu =
    QN_CC_JOINED_KERNEL("hybrid, union-find", QN_LAYOUT_HYBRID, QN_CPU, run);
