/* Rows of a mapping that may have been written over since it was checked. */
#pragma once

#include "kernels/cpu/sampling/sampling.h"

/* How far ahead is fetched what lies anywhere. */
#define QN_SAMPLING_AHEAD 16

/* How a thread reads rows: what it has found, and of packed ones those that it decoded last. */
struct qn_row_reader {
  bool damaged;                        /* something that cannot be was read */
  struct qn_packed_tile *tile;         /* edges of one row; NULL: no rows are packed */
  const struct qn_packed_rows *packed; /* whose they are; NULL: none's yet */
};

/* The edges [first, first + length) are those of row `number`. */
struct qn_sampling_row {
  uint64_t number, first, length;
};

/* What may come of reading rows, the worse the greater. */
enum qn_rows_outcome { QN_ROWS_READ, QN_ROWS_DAMAGED, QN_ROWS_STARVED, QN_ROWS_CUT };

/* Do `read`, guarded, of rows of these edges, for which its argument holds the reader. */
enum qn_rows_outcome qn_sampling_read_guarded(const struct qn_sampling_edges *edges,
                                              void (*read)(void *argument), void *argument,
                                              struct qn_row_reader *reader);
enum qn_status qn_sampling_read_status(enum qn_rows_outcome worst, struct qn_error *error);

/* False, and a row without edges, if they are not within the graph. */
static inline bool qn_row_of(const struct qn_sampling_rows *rows, uint64_t number,
                             struct qn_sampling_row *row) {
  const uint64_t begin = rows->row_offsets[number], end = rows->row_offsets[number + 1];
  const bool within = begin <= end && end <= rows->num_edges;
  *row = (struct qn_sampling_row){number, within ? begin : 0, within ? end - begin : 0};
  return within;
}

/* The column of an edge of a packed row; UINT32_MAX, which no vertex has, if its tile has it no
 * more. */
uint32_t qn_packed_column(const struct qn_packed_rows *rows, const struct qn_sampling_row *row,
                          uint64_t edge, struct qn_row_reader *reader);

/* Is it among those that were decoded last? Nothing of plain rows is. */
static inline bool qn_is_decoded(const struct qn_sampling_rows *rows, uint64_t edge,
                                 const struct qn_row_reader *reader) {
  return rows->packed && rows->packed == reader->packed &&
         edge - reader->tile->first_edge < reader->tile->num_edges;
}

/* The column of an edge of a row of blocks; UINT32_MAX if they have it no more. */
uint32_t qn_block_column(const struct qn_sampling_rows *rows, const struct qn_sampling_row *row,
                         uint64_t edge, struct qn_row_reader *reader);

static inline uint32_t qn_column_of(const struct qn_sampling_rows *rows,
                                    const struct qn_sampling_row *row, uint64_t edge,
                                    struct qn_row_reader *reader) {
  return rows->column_indices ? rows->column_indices[edge]
         : rows->packed       ? qn_packed_column(rows->packed, row, edge, reader)
                              : qn_block_column(rows, row, edge, reader);
}

/* It is about to be asked for. */
QN_ALWAYS_INLINE void qn_column_prefetch(const struct qn_sampling_rows *rows, uint64_t edge) {
  if (rows->column_indices)
    __builtin_prefetch(&rows->column_indices[edge]);
}

/* The first edge of the row, before `end`, whose column is `column` or a later one. */
static inline uint64_t qn_row_search(const struct qn_sampling_rows *rows,
                                     const struct qn_sampling_row *row, uint64_t end,
                                     uint32_t column, struct qn_row_reader *reader) {
  uint64_t first = row->first;
  while (first < end) {
    const uint64_t middle = first + (end - first) / 2;
    if (qn_column_of(rows, row, middle, reader) < column)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

/* Is there an edge to `column` in the row? */
static inline bool qn_row_has(const struct qn_sampling_rows *rows,
                              const struct qn_sampling_row *row, uint32_t column,
                              struct qn_row_reader *reader) {
  const uint64_t end = row->first + row->length;
  const uint64_t at = qn_row_search(rows, row, end, column, reader);
  return at < end && qn_column_of(rows, row, at, reader) == column;
}

/* The number of an edge of the row, as `numbered` has it; -1: it has it not. In a guarded read. */
int64_t qn_edge_number(const struct qn_sampling_edges *edges, const struct qn_sampling_row *row,
                       uint64_t edge, struct qn_row_reader *reader);

enum qn_status qn_not_a_vertex(int64_t vertex, uint64_t count, struct qn_error *error);
