#include "kernels/in_edges.h"

#include <quern/graph.h>
#include <quern/transpose.h>

enum qn_status qn_find_in_edges(const struct qn_graph *graph, struct qn_graph *made,
                                const struct qn_csr **in, struct qn_error *error) {
  const bool undirected = graph->directedness == QN_UNDIRECTED;
  if (undirected || graph->has_transpose) {
    *in = undirected ? &graph->out : &graph->in;
    return QN_OK;
  }
  *in = &made->out;
  return qn_graph_create_transpose(&graph->out, made, error);
}

void qn_in_edges_free(struct qn_graph *made) {
  qn_graph_unmap(made);
}
