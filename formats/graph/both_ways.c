#include "formats/graph/both_ways.h"

#include <string.h>

#include <quern/transpose.h>

/* A row's edges are its own and those that end there, which have their loops in common. */
static uint64_t row_length(const struct qn_csr *out, const struct qn_csr *in, uint64_t row) {
  const uint64_t begin = out->row_offsets[row], end = out->row_offsets[row + 1];
  uint64_t loops = 0;
  for (uint64_t edge = begin; edge < end; edge++)
    loops += out->column_indices[edge] == row;
  return end - begin + in->row_offsets[row + 1] - in->row_offsets[row] - loops;
}

/* Edges of `csr` from `edge` on, in one row and to one column: they keep their order. */
static uint64_t copy_run(const struct qn_csr *csr, uint64_t *edge, uint64_t end,
                         const struct qn_graph_arrays *to, uint64_t next) {
  const uint32_t column = csr->column_indices[*edge];
  const uint64_t bytes = qn_weight_bytes(csr->weights.type);
  for (; *edge < end && csr->column_indices[*edge] == column; ++*edge, next++) {
    to->column_indices[next] = column;
    if (bytes)
      memcpy((char *)to->weights + next * bytes, (const char *)csr->weights.data + *edge * bytes,
             bytes);
  }
  return next;
}

static void skip_run(const struct qn_csr *csr, uint64_t *edge, uint64_t end, uint32_t column) {
  while (*edge < end && csr->column_indices[*edge] == column)
    ++*edge;
}

/* Of the edges between two vertices, those of the one with the lesser number come first. */
static void merge_row(const struct qn_csr *out, const struct qn_csr *in, uint64_t row,
                      const struct qn_graph_arrays *to) {
  uint64_t own = out->row_offsets[row], other = in->row_offsets[row], next = to->row_offsets[row];
  const uint64_t own_end = out->row_offsets[row + 1], other_end = in->row_offsets[row + 1];
  while (own < own_end || other < other_end) {
    const uint64_t left = own < own_end ? out->column_indices[own] : UINT64_MAX;
    const uint64_t right = other < other_end ? in->column_indices[other] : UINT64_MAX;
    if (left == row && right == row) {
      next = copy_run(out, &own, own_end, to, next);
      skip_run(in, &other, other_end, (uint32_t)right);
    } else if (left < right || (left == right && row < left)) {
      next = copy_run(out, &own, own_end, to, next);
    } else {
      next = copy_run(in, &other, other_end, to, next);
      if (left == right)
        next = copy_run(out, &own, own_end, to, next);
    }
  }
}

static enum qn_status unite(const struct qn_graph *directed, const struct qn_csr *in,
                            struct qn_graph *graph, struct qn_error *error) {
  const struct qn_csr *out = &directed->out;
  const uint64_t num_vertices = out->num_vertices;
  struct qn_graph_arrays arrays;
  uint64_t num_edges = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : num_edges)
  for (uint64_t row = 0; row < num_vertices; row++)
    num_edges += row_length(out, in, row);
  enum qn_status status =
      qn_graph_create(num_vertices, num_edges, out->weights.type, graph, &arrays, error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t row = 0; row < num_vertices; row++)
    arrays.row_offsets[row + 1] = row_length(out, in, row);
  arrays.row_offsets[0] = 0;
  for (uint64_t row = 0; row < num_vertices; row++)
    arrays.row_offsets[row + 1] += arrays.row_offsets[row];
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t row = 0; row < num_vertices; row++)
    merge_row(out, in, row, &arrays);
  graph->directedness = QN_UNDIRECTED;
  graph->has_transpose = true;
  graph->in = graph->out;
  graph->ids = directed->ids;
  return QN_OK;
}

enum qn_status qn_graph_create_both_ways(const struct qn_graph *directed, struct qn_graph *graph,
                                         struct qn_error *error) {
  struct qn_graph made = {0};
  enum qn_status status = QN_OK;
  if (!directed->has_transpose)
    status = qn_graph_create_transpose(&directed->out, &made, error);
  if (!status)
    status = unite(directed, directed->has_transpose ? &directed->in : &made.out, graph, error);
  qn_graph_unmap(&made);
  return status;
}
