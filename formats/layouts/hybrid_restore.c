/* From ELL and COO back to plain rows, in parallel by ranges of 1024 rows. */
#include <string.h>

#include "support/used_files.h"
#include <quern/hybrid.h>

struct union_work {
  const struct qn_hybrid_matrix *matrix;
  struct qn_graph_arrays arrays;
};

static uint64_t range_end(const struct qn_hybrid_matrix *matrix, uint64_t range) {
  uint64_t end = (range + 1) * QN_HYBRID_RANGE;
  return end < matrix->num_vertices ? end : matrix->num_vertices;
}

/* row_offsets[v + 1] becomes the length of row v. */
static void count_range(const struct union_work *work, uint64_t range) {
  const struct qn_hybrid_matrix *matrix = work->matrix;
  uint64_t *lengths = work->arrays.row_offsets + 1;
  for (uint64_t row = range * QN_HYBRID_RANGE; row < range_end(matrix, range); row++)
    lengths[row] = qn_hybrid_ell_length(matrix, row);
  for (uint64_t i = matrix->coo_starts[range]; i < matrix->coo_starts[range + 1]; i++)
    lengths[matrix->coo_rows[i]]++;
}

/* Returns where the row's COO part, which begins at `coo`, ends. */
static uint64_t copy_row(const struct union_work *work, uint64_t row, uint64_t coo) {
  const struct qn_hybrid_matrix *matrix = work->matrix;
  uint64_t begin = work->arrays.row_offsets[row];
  uint64_t length = work->arrays.row_offsets[row + 1] - begin;
  uint64_t in_ell = length < matrix->width ? length : matrix->width, rest = length - in_ell;
  uint32_t *columns = work->arrays.column_indices + begin;
  for (uint64_t k = 0; k < in_ell; k++)
    columns[k] = matrix->ell_columns[k * matrix->pitch + row];
  memcpy(columns + in_ell, matrix->coo_columns + coo, 4 * rest);
  unsigned weight_bytes = qn_weight_bytes(matrix->coo_weights.type);
  if (weight_bytes) {
    char *weights = (char *)work->arrays.weights + begin * weight_bytes;
    for (uint64_t k = 0; k < in_ell; k++)
      qn_weight_copy(weights, k, matrix->ell_weights.data, k * matrix->pitch + row, weight_bytes);
    if (rest)
      memcpy(weights + in_ell * weight_bytes,
             (const char *)matrix->coo_weights.data + coo * weight_bytes, rest * weight_bytes);
  }
  return coo + rest;
}

static void copy_range(const struct union_work *work, uint64_t range) {
  uint64_t coo = work->matrix->coo_starts[range];
  for (uint64_t row = range * QN_HYBRID_RANGE; row < range_end(work->matrix, range); row++)
    coo = copy_row(work, row, coo);
}

enum qn_status qn_hybrid_unite(const struct qn_hybrid_matrix *matrix, struct qn_graph *graph,
                               struct qn_error *error) {
  struct union_work work = {.matrix = matrix};
  enum qn_status status = qn_graph_create(matrix->num_vertices, matrix->num_edges,
                                          matrix->coo_weights.type, graph, &work.arrays, error);
  if (status)
    return status;
  uint64_t *offsets = work.arrays.row_offsets;
  offsets[0] = 0;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t range = 0; range < matrix->num_ranges; range++)
    count_range(&work, range);
  for (uint64_t v = 0; v < matrix->num_vertices; v++)
    offsets[v + 1] += offsets[v];
  if (offsets[matrix->num_vertices] != matrix->num_edges) {
    qn_graph_unmap(graph);
    return qn_input_changed(error);
  }
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t range = 0; range < matrix->num_ranges; range++)
    copy_range(&work, range);
  return QN_OK;
}
