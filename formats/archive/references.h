/* Rows as what they share with rows before them, and the rest (specs/archive.md, "References"): the
 * filter of columns of directed graphs. Rows copy from one another, as in WebGraph (Boldi, Vigna:
 * The WebGraph Framework I, WWW 2004), and what is left is coded by contexts, as in Zuckerli
 * (Versari, Comsa, Conte, Grossi: Zuckerli, IEEE Access 2020). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A part of the columns, and the rows that they are in. */
struct qn_row_slices {
  const uint64_t *row_offsets; /* [num_rows + 1], ascending, from 0 on */
  uint64_t num_rows;
  uint32_t first_row;    /* the vertex of the first row; modulo 2^32 */
  uint64_t first, count; /* the columns, fewer than 2^32 */
};

/* Rows to copy from are at most so many rows before, those without columns here not counted. */
#define QN_MOST_BACK 32

/* The most bytes that `count` columns become, and the memory that either way takes beside them. */
uint64_t qn_references_bound(uint64_t count);
uint64_t qn_references_scratch(uint64_t count, bool encode);

/* Code columns, which ascend in every row; rows look `back` rows back, at most QN_MOST_BACK.
 * Returns the bytes. */
uint64_t qn_references_encode(const struct qn_row_slices *slices, const uint32_t *columns,
                              unsigned back, void *scratch, uint8_t *out);

/* Columns back, if `in` is what such columns become; it need not be. */
bool qn_references_decode(const struct qn_row_slices *slices, const uint8_t *in, uint64_t bytes,
                          void *scratch, uint32_t *columns);
