/* Reading rows in bits column by column, inlined where the columns go (specs/archive.md, "Rows in
 * bits"). For the other archive_*.c only. */
#pragma once

#include <string.h>

#include "formats/archive/rows.h"
#include <quern/inline.h>

/* Both streams, as far as they have been read, and a row. */
struct qn_packed_rows_reader {
  struct qn_packed_rows_bits bits;
  uint64_t num_vertices;
  const uint8_t *word; /* of the unary stream */
  uint64_t ones;       /* of that word, not read yet */
  uint64_t word_at, high_at, low_at;
  uint64_t column, low_mask;
  unsigned low_width;
};

QN_ALWAYS_INLINE uint64_t qn_packed_rows_load(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

QN_ALWAYS_INLINE struct qn_packed_rows_reader
qn_packed_rows_reader(uint64_t num_vertices, const struct qn_packed_rows_bits *bits) {
  struct qn_packed_rows_reader reader;
  memset(&reader, 0, sizeof reader);
  reader.bits = *bits;
  reader.num_vertices = num_vertices;
  reader.word = bits->unary;
  reader.ones = qn_packed_rows_load(bits->unary);
  return reader;
}

/* Nothing but zeros behind bit `at` of so many bytes, and less than a byte of them. */
static inline bool qn_packed_rows_bits_end(const uint8_t *bytes, uint64_t length, uint64_t at) {
  return (at + 7) / 8 == length && (at % 8 == 0 || bytes[length - 1] >> at % 8 == 0);
}

/* Go to the next row with columns, `degree` of them from `base` on. False if the bits end. */
QN_ALWAYS_INLINE bool qn_packed_rows_next_row(struct qn_packed_rows_reader *reader, uint64_t base,
                                              uint32_t degree) {
  reader->column = base;
  reader->low_width = qn_packed_rows_low_bits(reader->num_vertices - base, degree);
  reader->low_mask = ((uint64_t)1 << reader->low_width) - 1;
  return reader->low_at + (uint64_t)degree * reader->low_width <= reader->bits.low_end;
}

/* The row's next column. False if the bits end or it is no vertex. The sum of all high parts is
 * less than the bits of the stream: nothing overflows 64 bits. */
QN_ALWAYS_INLINE bool qn_packed_rows_next_column(struct qn_packed_rows_reader *reader,
                                                 uint32_t *column) {
  while (__builtin_expect(reader->ones == 0, 0)) {
    reader->word += sizeof reader->ones;
    reader->word_at += 64;
    if (reader->word >= reader->bits.unary_end)
      return false;
    reader->ones = qn_packed_rows_load(reader->word);
  }
  uint64_t end = reader->word_at + (uint64_t)__builtin_ctzll(reader->ones);
  uint64_t low = qn_packed_rows_load(reader->bits.low + reader->low_at / 8) >> reader->low_at % 8;
  reader->ones &= reader->ones - 1;
  reader->column += ((end - reader->high_at) << reader->low_width) + (low & reader->low_mask);
  reader->high_at = end + 1;
  reader->low_at += reader->low_width;
  *column = (uint32_t)reader->column;
  return __builtin_expect(reader->column < reader->num_vertices, 1);
}

/* Has all been read? */
QN_ALWAYS_INLINE bool qn_packed_rows_at_end(const struct qn_packed_rows_reader *reader) {
  const struct qn_packed_rows_bits *bits = &reader->bits;
  return qn_packed_rows_bits_end(bits->unary, (uint64_t)(bits->unary_end - bits->unary),
                                 reader->high_at) &&
         qn_packed_rows_bits_end(bits->low, bits->low_end / 8, reader->low_at);
}
