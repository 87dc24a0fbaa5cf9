/* Rows of an upper triangle as few bits (specs/archive.md, "Rows in bits"): each gap's low bits as
 * they are, its high part in unary, with a split that the row's own density tells. */
#ifndef QN_FORMATS_ARCHIVE_ROWS_H
#define QN_FORMATS_ARCHIVE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows and columns are in strips of 2^span_log2 vertices; these rows are of one strip. */
struct qn_rows_place {
  uint64_t num_vertices;
  unsigned span_log2; /* QN_MIN_SPAN_LOG2 to QN_MAX_SPAN_LOG2 */
  uint32_t strip;
};

#define QN_MIN_SPAN_LOG2 8
#define QN_MAX_SPAN_LOG2 16

/* Consecutive rows of a strip, or a part of them. */
struct qn_rows {
  uint32_t first_row; /* within the strip */
  uint32_t num_rows;  /* at least 1 */
  uint32_t base;      /* where the first row's first gap begins: the row, or the column before */
  uint64_t after;     /* elements of the last row that follow elsewhere */
  uint32_t *degrees;  /* [num_rows] elements that are here; room for 2^span_log2 */
  uint32_t *tiles;    /* [strips from this one on] elements whose columns lie in each */
  const uint32_t *columns; /* [count] ascending in each row */
};

/* Bytes that reading may touch behind the encoded ones. */
#define QN_ROWS_SLACK 8

/* The most bytes that `count` elements of rows can become. */
uint64_t qn_rows_bound(const struct qn_rows_place *place, uint64_t count);

/* Encode `count` elements to `out`, of the size above and QN_ROWS_SLACK. Returns the bytes
 * written, of which the first `*head_bytes` are numbers and the others hardly compress. */
uint64_t qn_rows_encode(const struct qn_rows_place *place, const struct qn_rows *rows,
                        uint64_t count, uint8_t *out, uint64_t *head_bytes);

/* The reverse, into the arrays of `rows` and `columns`. False if `bytes` bytes at `in`
 * (QN_ROWS_SLACK more can be read) are not the encoding of exactly `count` elements; else every
 * column is a vertex, not below the strip, and degrees and tiles add up. */
bool qn_rows_decode(const struct qn_rows_place *place, const uint8_t *in, uint64_t bytes,
                    uint64_t count, uint32_t *columns, struct qn_rows *rows);

/* Strips of all vertices. */
static inline uint64_t qn_num_strips(uint64_t num_vertices, unsigned span_log2) {
  return (num_vertices + ((uint64_t)1 << span_log2) - 1) >> span_log2;
}

#ifdef __cplusplus
}
#endif
#endif
