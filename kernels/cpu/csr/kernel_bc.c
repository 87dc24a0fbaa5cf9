/* Betweenness centrality on CSR (kernels/cpu/loop/brandes.h).
 *
 * A kernel of its own because it has two phases. */
#include "kernels/cpu/csr/brandes_csr.h"

#include "kernels/cpu/loop/brandes.h"
#include "kernels/in_edges.h"

extern const struct qn_kernel qn_kernel_bc_csr_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct qn_graph graph = *(const struct qn_graph *)request->view;
  struct qn_graph transposed = {0};
  const struct qn_csr *in;
  const double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_find_in_edges(&graph, &transposed, &in, error);
  if (status)
    return status;
  graph.in = *in;
  graph.has_transpose = true;
  struct work work = {.edges = brandes_csr_edges(&graph.out, in),
                      .search =
                          qn_kernel_find("bfs", QN_LAYOUT_GRAPH, QN_CPU, graph.out.weights.type),
                      .view = &graph};
  status = brandes_run(request, graph.out.num_vertices, &work, begin, result, error);
  qn_graph_unmap(&transposed);
  return status;
}

const struct qn_kernel qn_kernel_bc_csr_cpu =
    QN_BC_KERNEL("csr Brandes pull", QN_LAYOUT_GRAPH, QN_CPU, 0, run);
