/* Rows of out-edges and of in-edges on the device. */
#pragma once

#include <string.h>

#include "kernels/cuda/edges/csr_device.cuh"
#include "kernels/in_edges.h"

/* Are the in-edges of a graph its out-edges? */
static inline bool qn_both_ways_alike(const struct qn_graph *graph) {
  return graph->directedness == QN_UNDIRECTED ||
         (graph->has_transpose && graph->in.row_offsets == graph->out.row_offsets);
}

/* Device memory of both. */
static inline uint64_t qn_both_ways_bytes(const struct qn_graph *graph) {
  const uint64_t V = graph->out.num_vertices, E = graph->out.num_edges;
  return (qn_both_ways_alike(graph) ? 1 : 2) * (8 * (V + 1) + 4 * E);
}

/* Bring both to the device; they are one where they are alike. In-edges that the graph lacks are
 * made, on the host. */
static inline enum qn_status qn_both_ways_upload(struct qn_cuda_memory *memory,
                                                 const struct qn_graph *graph, struct qn_csr *out,
                                                 struct qn_csr *in, struct qn_error *error) {
  struct qn_graph transposed;
  const struct qn_csr *made_or_stored;
  memset(&transposed, 0, sizeof transposed);
  enum qn_status status = qn_cuda_csr_upload(memory, &graph->out, false, out, error);
  *in = *out;
  if (status || qn_both_ways_alike(graph))
    return status;
  status = qn_find_in_edges(graph, &transposed, &made_or_stored, error);
  if (!status)
    status = qn_cuda_csr_upload(memory, made_or_stored, false, in, error);
  qn_graph_unmap(&transposed);
  return status;
}
