#include "converters/partition/edges.h"

#include "support/memory.h"

/* Edges whose endpoints are fetched ahead, and whose reverses. */
enum { AHEAD = 16, SOON = 8 };

static void add_ends(uint32_t *degree, uint64_t count) {
  *degree = count < UINT32_MAX - *degree ? *degree + (uint32_t)count : UINT32_MAX;
}

/* A loop has both ends at its vertex. */
static uint64_t count_loops(const struct qn_csr *out, uint64_t v, uint64_t first, uint64_t last) {
  const uint64_t loop = qn_lower_bound_u32(out->column_indices, first, last, v);
  return qn_lower_bound_u32(out->column_indices, loop, last, v + 1) - loop;
}

void qn_partition_degrees(const struct qn_graph *graph, uint32_t *degrees) {
  const struct qn_csr *out = &graph->out;
  const bool undirected = graph->directedness == QN_UNDIRECTED;
  for (uint64_t v = 0; v < out->num_vertices; v++) {
    uint64_t count;
    const uint32_t *row = qn_row_of(out, v, &count);
    const uint64_t first = (uint64_t)(row - out->column_indices);
    add_ends(&degrees[v], count);
    if (undirected)
      add_ends(&degrees[v], count_loops(out, v, first, first + count));
    for (uint64_t edge = first; edge < first + count && !undirected; edge++) {
      if (edge + AHEAD < out->num_edges)
        __builtin_prefetch(&degrees[out->column_indices[edge + AHEAD]]);
      add_ends(&degrees[out->column_indices[edge]], 1);
    }
  }
}

/* The rows are gone through in order, so the edges of vertex w that lead to a greater one are met
 * from their other ends in the order of its row. */
static enum qn_status copy_to_reverses(const struct qn_graph *graph,
                                       const struct qn_part_column *parts, struct qn_error *error) {
  const struct qn_csr *out = &graph->out;
  const uint64_t num_vertices = out->num_vertices;
  uint64_t *next;
  enum qn_status status =
      qn_pages_alloc(&next, num_vertices, sizeof *next, "places of edges", error);
  if (status)
    return status;
  for (uint64_t v = 0; v < num_vertices; v++) {
    uint64_t edge, first, last, count;
    const uint32_t *row = qn_row_of(out, v, &count);
    qn_own_edges(graph, v, &first, &last);
    for (edge = (uint64_t)(row - out->column_indices); edge < first; edge++) {
      uint64_t *place = &next[out->column_indices[edge]];
      if (edge + AHEAD < out->num_edges)
        __builtin_prefetch(&next[out->column_indices[edge + AHEAD]]);
      if (edge + SOON < out->num_edges)
        qn_part_prefetch(parts, next[out->column_indices[edge + SOON]]);
      if (*place < parts->count)
        qn_part_set(parts, edge, qn_part_get(parts, (*place)++));
    }
    while (first < last && out->column_indices[first] == v)
      first++;
    next[v] = first;
  }
  qn_pages_free(next, num_vertices, sizeof *next);
  return QN_OK;
}

enum qn_status qn_partition_edges(const struct qn_graph *graph,
                                  const struct qn_partition_options *options,
                                  const struct qn_part_column *parts, struct qn_error *error) {
  enum qn_status status = options->method == QN_PARTITION_HDRF
                              ? qn_partition_hdrf(graph, options, parts, error)
                              : qn_partition_2psl(graph, options, parts, error);
  if (!status && graph->directedness == QN_UNDIRECTED)
    status = copy_to_reverses(graph, parts, error);
  return status;
}
