/* Rows of a part that have edges. A graph that is cut into many blocks has mostly empty rows: each
 * vertex has one in every block of its row, but few edges in all of them together. Part of
 * engine.h. */
#pragma once

#include "kernels/set_view.h"
#include "support/temp_file.h"

/* Edges of a part that one thread walks alone: sharing them would take longer. */
#define FILLED_ALONE ((uint64_t)1 << 13)

/* Does a walk skip empty rows? */
static inline bool filled_is_kept(const struct qn_part_rows *part) {
  return part->csr->num_edges < part->end - part->begin;
}

static inline uint64_t filled_words(const struct qn_part_rows *part) {
  return (part->end - part->begin + 63) / 64;
}

/* A bit for each row, into `bits`, which are zero; NULL if most rows have edges. */
static inline uint64_t *filled_find(const struct qn_part_rows *part, uint64_t *bits) {
  const uint64_t num_rows = part->end - part->begin, num_words = filled_words(part);
  const uint64_t *offsets = part->csr->row_offsets;
  if (!filled_is_kept(part))
    return NULL;
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < num_words; word++) {
    const uint64_t begin = word * 64, end = begin + 64 < num_rows ? begin + 64 : num_rows;
    uint64_t filled = 0;
    for (uint64_t row = begin; row < end; row++)
      filled |= (uint64_t)(offsets[row] < offsets[row + 1]) << (row - begin);
    if (filled)
      bits[word] = filled;
  }
  return bits;
}

/* The first row from `row` on that is to be walked, or `end`. */
static inline uint64_t filled_next(const uint64_t *bits, uint64_t row, uint64_t end) {
  if (!bits || row >= end)
    return row;
  uint64_t word = row / 64, left = bits[word] >> (row % 64);
  if (left)
    row += (uint64_t)__builtin_ctzll(left);
  else {
    const uint64_t num_words = (end + 63) / 64;
    do
      word++;
    while (word < num_words && !bits[word]);
    row = word < num_words ? word * 64 + (uint64_t)__builtin_ctzll(bits[word]) : end;
  }
  return row < end ? row : end;
}
