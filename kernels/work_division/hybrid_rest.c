#include "kernels/work_division/hybrid_rest.h"

#include "support/memory.h"

/* Count the runs of a range of vertices; note them too unless `rest` is NULL, from `next` on. */
static uint64_t walk_range(const struct qn_hybrid_matrix *matrix, uint64_t range,
                           struct qn_hybrid_rest *rest, uint64_t next) {
  uint64_t end = matrix->coo_starts[range + 1], count = 0;
  for (uint64_t run = matrix->coo_starts[range]; run < end; count++) {
    if (rest) {
      rest->rows[next + count] = matrix->coo_rows[run];
      rest->offsets[next + count] = run;
    }
    run = qn_hybrid_coo_run_end(matrix, run, end);
  }
  return count;
}

enum qn_status qn_hybrid_rest_create(struct qn_hybrid_rest *rest,
                                     const struct qn_hybrid_matrix *matrix,
                                     struct qn_error *error) {
  uint64_t *firsts; /* [R + 1] the number of rows in ranges before */
  *rest = (struct qn_hybrid_rest){0};
  enum qn_status status =
      qn_alloc(&firsts, matrix->num_ranges + 1, sizeof *firsts, "rows of ranges", error);
  if (status)
    return status;
  firsts[0] = 0;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t range = 0; range < matrix->num_ranges; range++)
    firsts[range + 1] = walk_range(matrix, range, NULL, 0);
  for (uint64_t range = 0; range < matrix->num_ranges; range++)
    firsts[range + 1] += firsts[range];
  rest->num_rows = firsts[matrix->num_ranges];
  status = qn_pages_alloc(&rest->rows, rest->num_rows, sizeof *rest->rows, "rows of the COO part",
                          error);
  if (!status)
    status = qn_pages_alloc(&rest->offsets, rest->num_rows + 1, sizeof *rest->offsets,
                            "rows of the COO part", error);
  if (status)
    goto cleanup;
  rest->offsets[rest->num_rows] = matrix->num_coo;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t range = 0; range < matrix->num_ranges; range++)
    walk_range(matrix, range, rest, firsts[range]);
cleanup:
  qn_free(firsts);
  if (status)
    qn_hybrid_rest_destroy(rest);
  return status;
}

void qn_hybrid_rest_destroy(struct qn_hybrid_rest *rest) {
  qn_pages_free(rest->rows, rest->num_rows, sizeof *rest->rows);
  qn_pages_free(rest->offsets, rest->num_rows + 1, sizeof *rest->offsets);
  *rest = (struct qn_hybrid_rest){0};
}

static uint64_t last_row(const struct qn_hybrid_matrix *matrix, uint64_t range) {
  const uint64_t end = (range + 1) * QN_HYBRID_RANGE;
  return end < matrix->num_vertices ? end : matrix->num_vertices;
}

/* By the entries of a range's rows. */
static void find_offsets(const struct qn_hybrid_matrix *matrix, uint64_t range, uint64_t *offsets) {
  const uint64_t num_coo = matrix->num_coo;
  uint64_t entry = matrix->coo_starts[range];
  for (uint64_t v = range * QN_HYBRID_RANGE; v < last_row(matrix, range); v++) {
    offsets[v] = entry < num_coo ? entry : num_coo;
    while (entry < num_coo && matrix->coo_rows[entry] == v)
      entry++;
  }
}

/* By the degrees of a range's rows; false if they are not those of its entries. */
static bool count_offsets(const struct qn_hybrid_matrix *matrix, const uint32_t *degrees,
                          uint64_t range, uint64_t *offsets) {
  const uint64_t end = matrix->coo_starts[range + 1];
  uint64_t entry = matrix->coo_starts[range];
  for (uint64_t v = range * QN_HYBRID_RANGE; v < last_row(matrix, range); v++) {
    offsets[v] = entry;
    entry += degrees[v] > matrix->width ? degrees[v] - matrix->width : 0;
  }
  return entry == end && end <= matrix->num_coo;
}

enum qn_status qn_hybrid_rest_offsets(const struct qn_hybrid_matrix *matrix,
                                      const uint32_t *degrees, uint64_t **offsets,
                                      struct qn_error *error) {
  const uint64_t num_vertices = matrix->num_vertices;
  enum qn_status status =
      qn_pages_alloc(offsets, num_vertices + 1, sizeof **offsets, "rows of the COO part", error);
  if (status)
    return status;
  uint64_t *starts = *offsets;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t range = 0; range < matrix->num_ranges; range++)
    if (!degrees || !count_offsets(matrix, degrees, range, starts))
      find_offsets(matrix, range, starts);
  starts[num_vertices] = matrix->num_coo;
  for (uint64_t v = 0; v < num_vertices; v++) /* the file may have changed */
    if (starts[v + 1] < starts[v])
      starts[v + 1] = starts[v];
  return QN_OK;
}

enum qn_status qn_hybrid_need_in(const struct qn_hybrid *hybrid, struct qn_error *error) {
  if (hybrid->has_in)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "this hybrid container has out-edges alone, but programs gather along in-edges: "
                 "make one with quern-hybrid --direction in or both");
}
