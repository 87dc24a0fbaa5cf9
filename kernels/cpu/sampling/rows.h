/* Rows of a mapping that may have been written over since it was checked. */
#pragma once

#include "kernels/cpu/sampling/sampling.h"

/* How far ahead is fetched what lies anywhere. */
#define QN_SAMPLING_AHEAD 16

/* Edges [first, first + length); false if they are not within the graph. */
static inline bool qn_row_of(const struct qn_csr *rows, uint64_t row, uint64_t *first,
                             uint64_t *length) {
  const uint64_t begin = rows->row_offsets[row], end = rows->row_offsets[row + 1];
  const bool within = begin <= end && end <= rows->num_edges;
  *first = within ? begin : 0;
  *length = within ? end - begin : 0;
  return within;
}

/* The first edge of [first, end) whose column is `column` or a later one. */
static inline uint64_t qn_row_search(const struct qn_csr *rows, uint64_t first, uint64_t end,
                                     uint32_t column) {
  while (first < end) {
    const uint64_t middle = first + (end - first) / 2;
    if (rows->column_indices[middle] < column)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

enum qn_status qn_rows_damaged(struct qn_error *error);
enum qn_status qn_rows_cut(struct qn_error *error);
enum qn_status qn_not_a_vertex(int64_t vertex, uint64_t count, struct qn_error *error);
