/* Rows of a mapping that may have been written over since it was checked. */
#pragma once

#include "kernels/cpu/sampling/sampling.h"

/* How far ahead is fetched what lies anywhere. */
#define QN_SAMPLING_AHEAD 16

/* How a thread reads rows: what it has found, and of packed ones the tile that it was in last. */
struct qn_row_reader {
  bool damaged;                        /* something that cannot be was read */
  struct qn_packed_tile *tile;         /* NULL: no rows are packed */
  const struct qn_packed_rows *packed; /* whose tile it is; NULL: none's yet */
};

/* What may come of reading rows, the worse the greater. */
enum qn_rows_outcome { QN_ROWS_READ, QN_ROWS_DAMAGED, QN_ROWS_STARVED, QN_ROWS_CUT };

/* Do `read`, guarded, of rows of these edges, for which its argument holds the reader. */
enum qn_rows_outcome qn_sampling_read_guarded(const struct qn_sampling_edges *edges,
                                              void (*read)(void *argument), void *argument,
                                              struct qn_row_reader *reader);
enum qn_status qn_sampling_read_status(enum qn_rows_outcome worst, struct qn_error *error);

/* Edges [first, first + length); false if they are not within the graph. */
static inline bool qn_row_of(const struct qn_sampling_rows *rows, uint64_t row, uint64_t *first,
                             uint64_t *length) {
  const uint64_t begin = rows->row_offsets[row], end = rows->row_offsets[row + 1];
  const bool within = begin <= end && end <= rows->num_edges;
  *first = within ? begin : 0;
  *length = within ? end - begin : 0;
  return within;
}

/* The column of an edge that is packed; UINT32_MAX, which no vertex has, if its tile has it no
 * more.
 */
uint32_t qn_packed_column(const struct qn_packed_rows *rows, uint64_t edge,
                          struct qn_row_reader *reader);

static inline uint32_t qn_column_of(const struct qn_sampling_rows *rows, uint64_t edge,
                                    struct qn_row_reader *reader) {
  return rows->column_indices ? rows->column_indices[edge]
                              : qn_packed_column(rows->packed, edge, reader);
}

/* It is about to be asked for. */
QN_ALWAYS_INLINE void qn_column_prefetch(const struct qn_sampling_rows *rows, uint64_t edge) {
  if (rows->column_indices)
    __builtin_prefetch(&rows->column_indices[edge]);
}

/* The first edge of [first, end) whose column is `column` or a later one. */
static inline uint64_t qn_row_search(const struct qn_sampling_rows *rows, uint64_t first,
                                     uint64_t end, uint32_t column, struct qn_row_reader *reader) {
  while (first < end) {
    const uint64_t middle = first + (end - first) / 2;
    if (qn_column_of(rows, middle, reader) < column)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

/* The number of an edge of a row of its center, as `numbered` has it. In a guarded read. */
int64_t qn_edge_number(const struct qn_sampling_edges *edges, uint64_t center_row, uint64_t edge,
                       struct qn_row_reader *reader);

enum qn_status qn_not_a_vertex(int64_t vertex, uint64_t count, struct qn_error *error);
