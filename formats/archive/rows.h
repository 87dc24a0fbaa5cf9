/* Rows of an upper triangle as few bits (specs/archive.md, "Rows in bits"): each gap's low bits as
 * they are, its high part in unary, with a split that the row's own density tells. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Rows and columns are in strips of 2^span_log2 vertices; these rows are of one strip. */
struct qn_packed_rows_place {
  uint64_t num_vertices;
  unsigned span_log2; /* QN_MIN_SPAN_LOG2 to QN_MAX_SPAN_LOG2 */
  uint32_t strip;
};

#define QN_MIN_SPAN_LOG2 8
#define QN_MAX_SPAN_LOG2 16

/* Columns of rows, encoded. */
struct qn_packed_rows_bits {
  const uint8_t *unary, *unary_end;
  const uint8_t *low;
  uint64_t low_end; /* bits */
};

/* Consecutive rows of a strip, or a part of them. */
struct qn_archive_rows {
  uint32_t first_row; /* within the strip */
  uint32_t num_rows;  /* at least 1 */
  uint32_t base;      /* where the first row's first gap begins: the row, or the column before */
  uint64_t after;     /* elements of the last row that follow elsewhere */
  uint32_t *degrees;  /* [num_rows] elements that are here; room for 2^span_log2 */
  uint32_t *tiles;    /* [strips from this one on] elements whose columns lie in each */
  const uint32_t *columns; /* [count] ascending in each row; NULL: they are in the bits */
  struct qn_packed_rows_bits bits;
};

/* Bytes that reading may touch behind the encoded ones. */
#define QN_ROWS_SLACK 8

/* The most bytes that `count` elements of rows can become. */
uint64_t qn_packed_rows_bound(const struct qn_packed_rows_place *place, uint64_t count);

/* Encode `count` elements to `out`, of the size above and QN_ROWS_SLACK. Returns the bytes
 * written, of which the first `*head_bytes` are numbers and the others hardly compress. */
uint64_t qn_packed_rows_encode(const struct qn_packed_rows_place *place,
                               const struct qn_archive_rows *rows, uint64_t count, uint8_t *out,
                               uint64_t *head_bytes);

/* The reverse, into the arrays of `rows`, of all but the columns: these are read from the bits,
 * which stay where they are, by rows_reader.h. False if `bytes` bytes at `in`
 * (QN_ROWS_SLACK more can be read) do not begin the encoding of exactly `count` elements; else
 * degrees and tiles add up, and no column is below the strip. */
bool qn_packed_rows_open(const struct qn_packed_rows_place *place, const uint8_t *in,
                         uint64_t bytes, uint64_t count, struct qn_archive_rows *rows);

/* The bits alone of `num_rows` rows, whose first gaps begin at 0, behind the length of the unary
 * ones, to `out`, which is zero there: 4 + 5 bytes a column and QN_ROWS_SLACK. Returns the bytes
 * written. */
uint64_t qn_packed_rows_put_bits(uint64_t num_vertices, const uint32_t *degrees, uint64_t num_rows,
                                 const uint32_t *columns, uint8_t *out);
/* Where these are in [in, end); false if they cannot be. */
bool qn_packed_rows_get_bits(const uint8_t *in, const uint8_t *end,
                             struct qn_packed_rows_bits *bits);

/* The low bits of each gap in a row of `degree` columns in a range: the largest k with
 * degree 2^k <= 3/4 range, or 0. */
static inline unsigned qn_packed_rows_low_bits(uint64_t range, uint64_t degree) {
  uint64_t limit = 3 * range;
  unsigned limit_bits = limit ? 64 - (unsigned)__builtin_clzll(limit) : 0;
  unsigned degree_bits = degree ? 64 - (unsigned)__builtin_clzll(degree) : 0;
  if (limit_bits < degree_bits + 3)
    return 0;
  unsigned k = limit_bits - degree_bits - 2;
  return degree << (k + 2) <= limit ? k : k - 1;
}

/* Strips of all vertices. */
static inline uint64_t qn_num_strips(uint64_t num_vertices, unsigned span_log2) {
  return (num_vertices + ((uint64_t)1 << span_log2) - 1) >> span_log2;
}
