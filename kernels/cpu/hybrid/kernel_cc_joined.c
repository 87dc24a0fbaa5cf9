/* Weakly connected components on the hybrid layout (loop/components.h): along
 * the ELL rows, then along the entries of the COO part, of whichever matrix there is. */
#include "kernels/cpu/loop/components.h"
#include <quern/hybrid.h>

extern const struct qn_kernel qn_kernel_cc_joined_hybrid_cpu;

static void join_row(const struct qn_hybrid_matrix *matrix, uint64_t row,
                     const struct qn_joining *joining) {
  bool goes_on = qn_joining_row(joining, (uint32_t)row);
  for (uint64_t k = 0, at = row; goes_on && k < matrix->width && k < joining->most;
       k++, at += matrix->pitch) {
    if (matrix->ell_columns[at] == QN_HYBRID_PADDING)
      return;
    goes_on = qn_joining_edge(joining, (uint32_t)row, matrix->ell_columns[at]);
  }
}

/* Rows of the COO part go on those of the ELL part. */
static void join_entries(const struct qn_hybrid_matrix *matrix, const struct qn_joining *joining) {
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < matrix->num_coo; i++)
    if (qn_joining_row(joining, matrix->coo_rows[i]))
      qn_joining_edge(joining, matrix->coo_rows[i], matrix->coo_columns[i]);
}

static enum qn_status join_edges(const void *view, struct qn_joining *joining,
                                 struct qn_error *error) {
  const struct qn_hybrid *hybrid = view;
  const struct qn_hybrid_matrix *matrix = hybrid->has_in ? &hybrid->in : &hybrid->out;
  (void)error;
  while (qn_joining_next(joining)) {
#pragma omp parallel for schedule(dynamic, 1024)
    for (uint64_t row = 0; row < matrix->num_vertices; row++)
      join_row(matrix, row, joining);
    if (joining->most == UINT64_MAX)
      join_entries(matrix, joining);
  }
  return QN_OK;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_hybrid *view = request->view;
  const struct qn_joined_layout layout = {.num_vertices = view->num_vertices,
                                          .directedness = view->directedness};
  return qn_components_run(request, &layout, join_edges, result, error);
}

const struct qn_kernel qn_kernel_cc_joined_hybrid_cpu =
    QN_CC_JOINED_KERNEL("hybrid, union-find", QN_LAYOUT_HYBRID, QN_CPU, run);
