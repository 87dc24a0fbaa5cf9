/* Betweenness centrality on edge partitions (kernels/cpu/loop/brandes.h), by dense numbers, in
 * whose order the edges of a source lie: forwards these give, backwards they take.
 *
 * A kernel of its own because it has two phases. */
#include "kernels/cpu/loop/brandes_step.h"
#include "kernels/work_division/edge_partitions_index.h"

struct brandes_rows {
  const struct qn_ep_index *index;
};

static inline uint32_t column_at(const struct qn_ep_index *index, uint64_t edge) {
  return qn_ep_locate(index, index->layout->destinations[edge]).dense;
}

static double brandes_sum(const struct brandes_rows *rows, const double *offer, uint32_t v) {
  const struct qn_ep_index *index = rows->index;
  double parts[2] = {0, 0};
  for (uint64_t edge = index->row_offsets[v]; edge < index->row_offsets[(uint64_t)v + 1]; edge++)
    parts[edge % 2] += offer[column_at(index, edge)];
  return parts[0] + parts[1];
}

/* The first edge of [edge, end), those of a row, to `column` or a later vertex. */
static uint64_t find_column(const struct qn_ep_index *index, uint64_t edge, uint64_t end,
                            uint64_t column) {
  while (edge < end) {
    const uint64_t middle = edge + (end - edge) / 2;
    if (column_at(index, middle) < column)
      edge = middle + 1;
    else
      end = middle;
  }
  return edge;
}

static void brandes_give(const struct brandes_rows *rows, const struct brandes_step *step,
                         uint32_t v, uint64_t begin, uint64_t end) {
  const struct qn_ep_index *index = rows->index;
  const uint64_t last = index->row_offsets[(uint64_t)v + 1];
  for (uint64_t edge = find_column(index, index->row_offsets[v], last, begin); edge < last;
       edge++) {
    const uint32_t column = column_at(index, edge);
    if (column >= end)
      return;
    if (step->hops[column] == step->to)
      step->into[column] += step->offer[v];
  }
}

#define BRANDES_GIVES
#include "kernels/cpu/loop/brandes_rows.h"

#include "kernels/cpu/loop/brandes.h"

extern const struct qn_kernel qn_kernel_bc_edge_partitions_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_edge_partitions *view = request->view;
  const double begin = qn_seconds();
  struct qn_ep_index index;
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_ep_index_create(&index, view, error);
  if (status)
    return status;
  struct work work = {
      .edges = {.out.index = &index,
                .in.index = &index,
                .has_out = true,
                .has_in = view->directedness == QN_UNDIRECTED},
      .search = qn_kernel_find("bfs", QN_LAYOUT_EDGE_PARTITIONS, QN_CPU, view->weights.type),
      .view = view,
      .order = view->new_to_old};
  status = brandes_run(request, view->num_vertices, &work, begin, result, error);
  qn_ep_index_destroy(&index);
  return status;
}

const struct qn_kernel qn_kernel_bc_edge_partitions_cpu =
    QN_BC_KERNEL("edge partitions, Brandes", QN_LAYOUT_EDGE_PARTITIONS, QN_CPU, 0, run);
