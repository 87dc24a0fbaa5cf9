/* Betweenness centrality on CSR (brandes.h).
 *
 * A kernel of its own because it has two phases. */
#include <quern/graph.h>

struct brandes_rows {
  struct qn_csr csr;
};

/* Additions need not wait for each other. */
static double brandes_sum(const struct brandes_rows *rows, const double *offer, uint32_t v) {
  const struct qn_csr *csr = &rows->csr;
  const uint32_t *neighbors = csr->column_indices;
  uint64_t edge = csr->row_offsets[v], end = csr->row_offsets[v + 1];
  double part0 = 0, part1 = 0, part2 = 0, part3 = 0;
  for (; edge + 4 <= end; edge += 4) {
    part0 += offer[neighbors[edge]];
    part1 += offer[neighbors[edge + 1]];
    part2 += offer[neighbors[edge + 2]];
    part3 += offer[neighbors[edge + 3]];
  }
  for (; edge < end; edge++)
    part0 += offer[neighbors[edge]];
  return (part0 + part1) + (part2 + part3);
}

#include "kernels/cpu/loop/brandes.h"
#include "kernels/in_edges.h"

extern const struct qn_kernel qn_kernel_bc_csr_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct qn_graph graph = *(const struct qn_graph *)request->view;
  struct qn_graph transposed = {0};
  const struct qn_csr *in;
  struct work work = {.out.csr = graph.out,
                      .search =
                          qn_kernel_find("bfs", QN_LAYOUT_GRAPH, QN_CPU, graph.out.weights.type)};
  const double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_find_in_edges(&graph, &transposed, &in, error);
  if (status)
    return status;
  work.in.csr = graph.in = *in;
  graph.has_transpose = true;
  status = brandes_run(request, &graph, graph.out.num_vertices, &work, begin, result, error);
  qn_graph_unmap(&transposed);
  return status;
}

const struct qn_kernel qn_kernel_bc_csr_cpu =
    QN_BC_KERNEL("csr Brandes pull", QN_LAYOUT_GRAPH, QN_CPU, 0, run);
