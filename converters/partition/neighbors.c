#include "converters/partition/neighbors.h"

#include <quern/transpose.h>

enum qn_status qn_neighbors_open(const struct qn_graph *graph, struct qn_neighbors *neighbors,
                                 struct qn_error *error) {
  *neighbors = (struct qn_neighbors){.rows = {&graph->out}, .num_rows = 1};
  if (graph->directedness == QN_UNDIRECTED)
    return QN_OK;
  neighbors->num_rows = 2;
  neighbors->rows[1] = graph->has_transpose ? &graph->in : &neighbors->transposed.out;
  if (graph->has_transpose)
    return QN_OK;
  struct qn_csr out = graph->out;
  out.weights = (struct qn_weights){.type = QN_WEIGHT_NONE};
  return qn_graph_create_transpose(&out, &neighbors->transposed, error);
}

void qn_neighbors_close(struct qn_neighbors *neighbors) {
  qn_graph_unmap(&neighbors->transposed);
  *neighbors = (struct qn_neighbors){0};
}

uint64_t qn_count_edges_once(const struct qn_graph *graph) {
  const struct qn_csr *out = &graph->out;
  uint64_t count = 0;
  if (graph->directedness != QN_UNDIRECTED)
    return out->num_edges;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : count)
  for (uint64_t v = 0; v < out->num_vertices; v++) {
    uint64_t length;
    const uint32_t *columns = qn_row_of(out, v, &length);
    while (length > 0 && columns[length - 1] >= v) {
      count++;
      length--;
    }
  }
  return count;
}
