/* In-edges of plain CSR, for kernels that cannot do without. */
#ifndef QN_KERNELS_IN_EDGES_H
#define QN_KERNELS_IN_EDGES_H

#include <quern/graph.h>
#include <quern/transpose.h>

/* Those of an undirected graph are its out-edges; of another what stands beside them, or is made in
 * `made`, which is zero before and which the caller unmaps. */
static inline enum qn_status qn_find_in_edges(const struct qn_graph *graph, struct qn_graph *made,
                                              const struct qn_csr **in, struct qn_error *error) {
  const bool undirected = graph->directedness == QN_UNDIRECTED;
  if (undirected || graph->has_transpose) {
    *in = undirected ? &graph->out : &graph->in;
    return QN_OK;
  }
  *in = &made->out;
  return qn_graph_create_transpose(&graph->out, made, error);
}

#endif
