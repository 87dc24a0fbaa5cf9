#include "formats/archive_upper.h"

#include "support/memory.h"

/* Rows are visited in ascending order. When row u is reached, every edge v -> u with v < u has been
 * seen in a row before it, in ascending order of v: these are the lower part of row u, and what its
 * length leaves is the upper part. */

/* The first edge of row v that leads to v or beyond. */
static uint64_t upper_begin(const struct qn_csr *csr, uint64_t v) {
  uint64_t low = csr->row_offsets[v], high = csr->row_offsets[v + 1];
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (csr->column_indices[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static enum qn_status create_cursors(uint64_t num_vertices, uint32_t **cursors,
                                     struct qn_error *error) {
  return qn_pages_alloc(cursors, num_vertices, sizeof **cursors, "row cursors", error);
}

/* Row `u`'s upper edges must be mirrored, one for one, at the cursors of their destinations. */
static bool mirrors_row(const struct qn_csr *csr, const uint32_t *weights, uint32_t *cursors,
                        uint64_t u) {
  const uint64_t *rows = csr->row_offsets;
  uint64_t begin = rows[u] + cursors[u];
  if (begin != upper_begin(csr, u))
    return false;
  for (uint64_t e = begin; e < rows[u + 1]; e++) {
    uint32_t v = csr->column_indices[e];
    if (v == u)
      continue;
    uint64_t mirror = rows[v] + cursors[v];
    if (mirror >= rows[v + 1] || csr->column_indices[mirror] != u ||
        (weights && weights[mirror] != weights[e]))
      return false;
    cursors[v]++;
  }
  return true;
}

static const uint32_t *weight_bits(const struct qn_csr *csr) {
  return csr->weights.u32 ? csr->weights.u32 : (const uint32_t *)csr->weights.f32;
}

static bool degrees_fit_cursors(const uint64_t *row_offsets, uint64_t num_vertices) {
  for (uint64_t v = 0; v < num_vertices; v++)
    if (row_offsets[v + 1] - row_offsets[v] > UINT32_MAX)
      return false;
  return true;
}

enum qn_status qn_upper_applies(const struct qn_csr *csr, bool *applies, struct qn_error *error) {
  uint32_t *cursors;
  *applies = degrees_fit_cursors(csr->row_offsets, csr->num_vertices);
  enum qn_status status = create_cursors(csr->num_vertices, &cursors, error);
  if (status)
    return status;
  for (uint64_t u = 0; *applies && u < csr->num_vertices; u++)
    *applies = mirrors_row(csr, weight_bits(csr), cursors, u);
  qn_pages_free(cursors, csr->num_vertices, sizeof *cursors);
  return QN_OK;
}

uint64_t qn_upper_count(const struct qn_csr *csr) {
  uint64_t count = 0;
#pragma omp parallel for reduction(+ : count)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    count += csr->row_offsets[v + 1] - upper_begin(csr, v);
  return count;
}

void qn_upper_gather(const struct qn_csr *csr, const uint32_t *values, uint32_t *upper) {
  uint64_t next = 0;
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t e = upper_begin(csr, v); e < csr->row_offsets[v + 1]; e++)
      upper[next++] = values[e];
}
