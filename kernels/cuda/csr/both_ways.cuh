/* Rows of out-edges and of in-edges on the device. */
#pragma once

#include <string.h>

#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/in_edges.h"

/* Are the in-edges of a graph its out-edges? */
static inline bool qn_both_ways_alike(const struct qn_graph *graph) {
  return graph->directedness == QN_UNDIRECTED ||
         (graph->has_transpose && graph->in.row_offsets == graph->out.row_offsets);
}

/* What of their bytes is of edges. */
static inline uint64_t qn_both_ways_edge_bytes(const struct qn_graph *graph) {
  return (qn_both_ways_alike(graph) ? 1 : 2) * 4 * graph->out.num_edges;
}

/* Memory of both. */
static inline uint64_t qn_both_ways_bytes(const struct qn_graph *graph) {
  return (qn_both_ways_alike(graph) ? 1 : 2) * 8 * (graph->out.num_vertices + 1) +
         qn_both_ways_edge_bytes(graph);
}

/* Bring both to the device; they are one where they are alike. In-edges that the graph lacks are
 * made, on the host. */
static inline enum qn_status qn_both_ways_upload(struct qn_cuda_memory *memory,
                                                 const struct qn_graph *graph, struct qn_csr *out,
                                                 struct qn_csr *in, struct qn_error *error) {
  struct qn_graph transposed;
  const struct qn_csr *made_or_stored;
  memset(&transposed, 0, sizeof transposed);
  enum qn_status status = qn_run_rows_of(memory, &graph->out, out, error);
  *in = *out;
  if (status || qn_both_ways_alike(graph))
    return status;
  status = qn_find_in_edges(graph, &transposed, &made_or_stored, error);
  if (!status)
    status = qn_run_rows_of(memory, made_or_stored, in, error);
  qn_graph_unmap(&transposed);
  return status;
}
