/* Betweenness centrality on the hybrid layout (kernels/cpu/loop/brandes.h): a row is its part in
 * ELL, then that in COO. In-edges that are stored alone take forwards and give backwards. Where
 * there are out-edges, too, every search would put these together as plain rows: then it is done
 * once, for all of them and for the rest.
 *
 * A kernel of its own because it has two phases. */
#include <quern/hybrid.h>

#include "kernels/cpu/loop/brandes_step.h"
#include "support/search.h"

struct brandes_rows {
  const struct qn_hybrid_matrix *matrix;
};

/* Additions need not wait for each other; their order is that of plain rows
 * (kernels/cpu/csr/brandes_row.h), in which the entries of a row lie, too. */
struct sum {
  double parts[4];
  uint64_t num_added, whole; /* entries before `whole` go to a part after the other */
};

static inline void add_to(struct sum *sum, double offer) {
  sum->parts[sum->num_added < sum->whole ? sum->num_added % 4 : 0] += offer;
  sum->num_added++;
}

/* The entries [*begin, *end) of COO that a row has beside `length` ones in ELL. */
static inline void find_rest(const struct qn_hybrid_matrix *matrix, uint32_t v, uint64_t length,
                             uint64_t *begin, uint64_t *end) {
  *begin = *end = 0;
  if (length == matrix->width)
    qn_hybrid_coo_row(matrix, v, begin, end);
}

static double brandes_sum(const struct brandes_rows *rows, const double *offer, uint32_t v) {
  const struct qn_hybrid_matrix *matrix = rows->matrix;
  const uint64_t length = qn_hybrid_ell_length(matrix, v);
  uint64_t begin, end;
  find_rest(matrix, v, length, &begin, &end);
  struct sum sum = {.whole = (length + end - begin) / 4 * 4};
  for (uint64_t k = 0; k < length; k++)
    add_to(&sum, offer[matrix->ell_columns[k * matrix->pitch + v]]);
  for (uint64_t entry = begin; entry < end; entry++)
    add_to(&sum, offer[matrix->coo_columns[entry]]);
  return (sum.parts[0] + sum.parts[1]) + (sum.parts[2] + sum.parts[3]);
}

static void brandes_give(const struct brandes_rows *rows, const struct brandes_step *step,
                         uint32_t v, uint64_t begin, uint64_t end) {
  const struct qn_hybrid_matrix *matrix = rows->matrix;
  const uint64_t length = qn_hybrid_ell_length(matrix, v);
  uint64_t entry, last;
  for (uint64_t k = 0; k < length; k++) {
    const uint32_t column = matrix->ell_columns[k * matrix->pitch + v];
    if (column >= begin && column < end && step->hops[column] == step->to)
      step->into[column] += step->offer[v];
  }
  find_rest(matrix, v, length, &entry, &last);
  for (entry = qn_lower_bound_u32(matrix->coo_columns, entry, last, (uint32_t)begin);
       entry < last && matrix->coo_columns[entry] < end; entry++)
    if (step->hops[matrix->coo_columns[entry]] == step->to)
      step->into[matrix->coo_columns[entry]] += step->offer[v];
}

#define BRANDES_GIVES
#include "kernels/cpu/loop/brandes_rows.h"

#include "kernels/cpu/loop/brandes.h"

extern const struct qn_kernel qn_kernel_bc_hybrid_cpu;

static enum qn_status run_united(const struct qn_run_request *request,
                                 const struct qn_hybrid *hybrid, struct qn_run_result *result,
                                 struct qn_error *error) {
  const struct qn_kernel *kernel =
      qn_kernel_find("bc", QN_LAYOUT_GRAPH, QN_CPU, hybrid->out.coo_weights.type);
  struct qn_graph rows = {0};
  enum qn_status status = qn_hybrid_unite(&hybrid->out, &rows, error);
  if (status)
    return status;
  rows.directedness = hybrid->directedness;
  struct qn_run_request plain = *request;
  plain.view = &rows;
  status = kernel->run(&plain, result, error);
  qn_graph_unmap(&rows);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_hybrid *view = request->view;
  struct work work = {
      .edges = {.in.matrix = &view->in, .has_in = true},
      .search = qn_kernel_find("bfs", QN_LAYOUT_HYBRID, QN_CPU, view->in.coo_weights.type),
      .view = view};
  *result = (struct qn_run_result){0};
  if (view->has_out)
    return run_united(request, view, result, error);
  return brandes_run(request, view->num_vertices, &work, qn_seconds(), result, error);
}

const struct qn_kernel qn_kernel_bc_hybrid_cpu =
    QN_BC_KERNEL("ELL + COO, Brandes", QN_LAYOUT_HYBRID, QN_CPU, 0, run);
