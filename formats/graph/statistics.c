#include "formats/graph/statistics.h"

#include "support/memory.h"

/* ---- Edges ---------------------------------------------------------------- */

/* The first edge of the row in [edge, end) that leads to `column` or further. */
static uint64_t find_column(const struct qn_csr *csr, uint64_t edge, uint64_t end,
                            uint64_t column) {
  while (edge < end) {
    uint64_t middle = edge + (end - edge) / 2;
    if (csr->column_indices[middle] < column)
      edge = middle + 1;
    else
      end = middle;
  }
  return edge;
}

uint64_t qn_csr_count_loops(const struct qn_csr *csr) {
  uint64_t loops = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : loops)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint64_t end = csr->row_offsets[v + 1];
    for (uint64_t e = find_column(csr, csr->row_offsets[v], end, v);
         e < end && csr->column_indices[e] == v; e++)
      loops++;
  }
  return loops;
}

uint64_t qn_csr_count_parallel(const struct qn_csr *csr, bool once) {
  uint64_t parallel = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : parallel)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
    begin = once ? find_column(csr, begin, end, v) : begin;
    for (uint64_t e = begin + 1; e < end; e++)
      parallel += csr->column_indices[e] == csr->column_indices[e - 1];
  }
  return parallel;
}

/* ---- Vertices without edges ----------------------------------------------- */

/* Of vertices without out-edges, those that are no destination either: `reached` has room for a
 * byte a vertex. Threads that meet write the same. */
static uint64_t count_unreached(const struct qn_csr *csr, unsigned char *reached) {
  uint64_t isolated = 0;
#pragma omp parallel for schedule(static)
  for (uint64_t e = 0; e < csr->num_edges; e++) {
    unsigned char *mark = &reached[csr->column_indices[e]], seen;
#pragma omp atomic read
    seen = *mark;
    if (!seen) {
#pragma omp atomic write
      *mark = 1;
    }
  }
#pragma omp parallel for schedule(static) reduction(+ : isolated)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    isolated += csr->row_offsets[v] == csr->row_offsets[v + 1] && !reached[v];
  return isolated;
}

/* Vertices without out-edges and, if `in` is not NULL, without in-edges. */
static uint64_t count_empty_rows(const struct qn_csr *out, const struct qn_csr *in) {
  uint64_t empty = 0;
#pragma omp parallel for schedule(static) reduction(+ : empty)
  for (uint64_t v = 0; v < out->num_vertices; v++)
    empty += out->row_offsets[v] == out->row_offsets[v + 1] &&
             (!in || in->row_offsets[v] == in->row_offsets[v + 1]);
  return empty;
}

enum qn_status qn_graph_count_isolated(const struct qn_graph *graph, uint64_t *count,
                                       struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  bool in_rows = graph->directedness == QN_DIRECTED && graph->has_transpose;
  unsigned char *reached;
  *count = count_empty_rows(csr, in_rows ? &graph->in : NULL);
  if (*count == 0 || in_rows || graph->directedness == QN_UNDIRECTED)
    return QN_OK;
  enum qn_status status =
      qn_alloc_zeroed(&reached, csr->num_vertices, 1, "marks of vertices", error);
  if (status)
    return status;
  *count = count_unreached(csr, reached);
  qn_free(reached);
  return QN_OK;
}
