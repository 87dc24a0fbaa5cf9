/* Pairs of vertices that are compared, the same on every device: those given, or the ends of all
 * edges. The ends of an edge are looked at once, however many edges are parallel; of an undirected
 * graph from the first of them alone, and of a loop not at all. */
#pragma once

#include <math.h>

#include "kernels/kernel.h"
#include <quern/inline.h>
#include <quern/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The words of the parameter `measure`. */
enum qn_measure { QN_MEASURE_JACCARD, QN_MEASURE_OVERLAP, QN_MEASURE_COSINE };

struct qn_similar_pairs {
  uint64_t num_vertices;
  enum qn_measure measure;
  uint32_t *sizes;   /* [V] different vertices in a row */
  uint64_t *offsets; /* [V + 1] where the pairs of a vertex begin; NULL: they are given */
  uint64_t num_pairs;
  uint32_t *first, *second; /* [num_pairs] qn_pages_alloc */
};

enum qn_status qn_similar_pairs_create(const struct qn_run_request *request,
                                       struct qn_similar_pairs *pairs, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_similar_pairs_destroy(struct qn_similar_pairs *pairs);
/* The pairs and their values [num_pairs] become the result's. */
void qn_similar_pairs_give(struct qn_similar_pairs *pairs, double **values,
                           struct qn_run_result *result);

/* Does the edge before, of the same row, lead to the same vertex? */
QN_INLINE bool qn_is_repeated(const struct qn_csr *csr, uint64_t row_begin, uint64_t edge) {
  return edge > row_begin && csr->column_indices[edge] == csr->column_indices[edge - 1];
}

QN_INLINE bool qn_row_contains(const struct qn_csr *csr, uint64_t v, uint32_t other) {
  uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    if (csr->column_indices[middle] == other)
      return true;
    if (csr->column_indices[middle] < other)
      begin = middle + 1;
    else
      end = middle;
  }
  return false;
}

/* Of two rows with `a` and `b` different vertices, of which both have `common`. */
QN_INLINE double qn_similarity(enum qn_measure measure, double a, double b, uint32_t common) {
  if (common == 0)
    return 0;
  switch (measure) {
  case QN_MEASURE_JACCARD:
    return common / (a + b - common);
  case QN_MEASURE_OVERLAP:
    return common / (a < b ? a : b);
  default:
    return common / sqrt(a * b);
  }
}

#ifdef __cplusplus
}
#endif
