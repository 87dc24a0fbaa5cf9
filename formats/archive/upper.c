#include "formats/archive/upper.h"

#include <string.h>

#include "formats/graph/transposition.h"
#include "support/memory.h"
#include "support/search.h"

/* The first edge of row v that leads to v or beyond. */
static uint64_t upper_begin(const struct qn_csr *csr, uint64_t v) {
  return qn_lower_bound_u32(csr->column_indices, csr->row_offsets[v], csr->row_offsets[v + 1], v);
}

/* Builds before this one count a row's edges in 32 bits when they restore. */
static bool degrees_are_small(const uint64_t *row_offsets, uint64_t num_vertices) {
  for (uint64_t v = 0; v < num_vertices; v++)
    if (row_offsets[v + 1] - row_offsets[v] > UINT32_MAX)
      return false;
  return true;
}

struct comparison {
  const struct qn_csr *csr;
  uint64_t differences; /* atomic */
};

static void compare_rows(const struct qn_csr_rows *rows, void *context) {
  struct comparison *comparison = context;
  const struct qn_csr *csr = comparison->csr;
  uint64_t count = rows->last - rows->first;
  uint64_t begin = rows->row_offsets[0], end = rows->row_offsets[count];
  bool same = memcmp(rows->row_offsets, csr->row_offsets + rows->first,
                     (count + 1) * sizeof *rows->row_offsets) == 0 &&
              memcmp(rows->columns, csr->column_indices + begin, (end - begin) * 4) == 0 &&
              (!rows->weights ||
               memcmp(rows->weights, (const char *)csr->weights.data + begin * rows->weight_bytes,
                      (end - begin) * rows->weight_bytes) == 0);
#pragma omp atomic
  comparison->differences += !same;
}

/* The k-th edge u -> v is the mirror of the k-th edge v -> u, and transposing keeps the order of
 * parallel edges: so the triangle gives back a graph that is its own transpose. */
enum qn_status qn_upper_applies(const struct qn_csr *csr, bool *applies, struct qn_error *error) {
  struct comparison comparison = {.csr = csr};
  struct qn_transposition transposition = {.row_offsets = NULL};
  uint64_t *row_offsets;
  *applies = false;
  if (!degrees_are_small(csr->row_offsets, csr->num_vertices))
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&row_offsets, csr->num_vertices + 1, sizeof *row_offsets,
                                         "row offsets", error);
  if (!status)
    status = qn_transposition_create(csr, row_offsets, &transposition, error);
  if (!status)
    status = qn_transposition_visit(&transposition, true, compare_rows, &comparison, error);
  *applies = !status && comparison.differences == 0;
  qn_transposition_destroy(&transposition);
  qn_pages_free(row_offsets, csr->num_vertices + 1, sizeof *row_offsets);
  return status;
}

void qn_upper_rows(const struct qn_csr *csr, uint64_t *upper_rows) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    upper_rows[v + 1] = csr->row_offsets[v + 1] - upper_begin(csr, v);
  upper_rows[0] = 0;
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    upper_rows[v + 1] += upper_rows[v];
}

void qn_upper_gather(const struct qn_csr *csr, const uint64_t *upper_rows, const void *values,
                     uint32_t bytes, void *upper) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint64_t count = upper_rows[v + 1] - upper_rows[v];
    memcpy((char *)upper + upper_rows[v] * bytes,
           (const char *)values + (csr->row_offsets[v + 1] - count) * bytes, count * bytes);
  }
}
