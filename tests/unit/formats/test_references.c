/* Rows by references: what goes in comes back, what was cut or changed is refused or harmless. */
#include <stdlib.h>
#include <string.h>

#include "formats/archive/references.h"
#include "helpers/test.h"
#include "support/random.h"

enum { ROWS = 600, MOST_DEGREE = 40, MOST_COLUMNS = ROWS * MOST_DEGREE };

static uint64_t row_offsets[ROWS + 1];
static uint32_t columns[MOST_COLUMNS], back[MOST_COLUMNS];
static uint64_t drawn;

static uint64_t draw(uint64_t below) {
  return qn_random_below(qn_random_at(5, drawn++), below);
}

static int by_value(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Rows that have most of a row before them, some numbers below 2^bits, and some twice. */
static void draw_rows(unsigned bits) {
  for (uint64_t row = 0; row < ROWS; row++) {
    const uint64_t begin = row_offsets[row], degree = draw(4) ? draw(MOST_DEGREE) : 0;
    const uint64_t other = row ? draw(row) : 0;
    const uint64_t other_degree = row ? row_offsets[other + 1] - row_offsets[other] : 0;
    for (uint64_t i = 0; i < degree; i++)
      columns[begin + i] = i < other_degree && draw(5) ? columns[row_offsets[other] + i]
                                                       : (uint32_t)draw((uint64_t)1 << bits);
    qsort(columns + begin, degree, sizeof *columns, by_value);
    row_offsets[row + 1] = begin + degree;
  }
}

/* In memory that ends where it has to. */
static bool decodes(const struct qn_row_slices *slices, const uint8_t *in, uint64_t bytes) {
  uint8_t *exact = malloc(bytes + 1);
  uint32_t *out = malloc(slices->count * sizeof *out + 1);
  void *scratch = malloc(qn_references_scratch(slices->count, false));
  assert_true(exact && out && scratch);
  memcpy(exact, in, bytes);
  const bool whole = qn_references_decode(slices, exact, bytes, scratch, out);
  memcpy(back, out, slices->count * sizeof *out);
  free(exact);
  free(out);
  free(scratch);
  return whole;
}

static uint8_t *encoded(const struct qn_row_slices *slices, unsigned most_back, uint64_t *bytes) {
  void *scratch = malloc(qn_references_scratch(slices->count, true));
  uint8_t *out = malloc(qn_references_bound(slices->count));
  assert_true(scratch && out);
  *bytes = qn_references_encode(slices, columns + slices->first, most_back, scratch, out);
  assert_true(*bytes && *bytes <= qn_references_bound(slices->count));
  free(scratch);
  return out;
}

static void check_part(uint64_t first, uint64_t count, uint32_t first_row, unsigned most_back) {
  const struct qn_row_slices slices = {row_offsets, ROWS, first_row, first, count};
  uint64_t bytes;
  uint8_t *in = encoded(&slices, most_back, &bytes);
  assert_true(decodes(&slices, in, bytes));
  assert_memory_equal(back, columns + first, count * sizeof *back);
  assert_false(decodes(&slices, in, bytes - 4));
  assert_false(decodes(&slices, in, bytes - 1));
  free(in);
}

TEST(rows_come_back) {
  for (unsigned bits = 1; bits <= 32; bits++) {
    draw_rows(bits);
    const uint64_t all = row_offsets[ROWS];
    for (unsigned most_back = 0; most_back <= QN_MOST_BACK; most_back += 8)
      check_part(0, all, 0, most_back);
    /* Parts that begin and end within rows, of vertices around the last number. */
    for (unsigned i = 0; i < 10; i++) {
      const uint64_t first = draw(all);
      check_part(first, 1 + draw(all - first), UINT32_MAX - 300, 8);
    }
  }
}

TEST(copies_take_less) {
  uint64_t with, without;
  draw_rows(20);
  const struct qn_row_slices slices = {row_offsets, ROWS, 0, 0, row_offsets[ROWS]};
  free(encoded(&slices, QN_MOST_BACK, &with));
  free(encoded(&slices, 0, &without));
  assert_true(with < without);
}

/* Decoded or not: nothing is read or written elsewhere, as the sanitizers know. */
TEST(changed_bytes_are_harmless) {
  uint64_t bytes, refused = 0;
  draw_rows(12);
  const struct qn_row_slices slices = {row_offsets, ROWS, 0, 0, row_offsets[ROWS]};
  uint8_t *in = encoded(&slices, 8, &bytes);
  for (unsigned i = 0; i < 300; i++) {
    const uint64_t at = draw(bytes), bit = draw(8);
    in[at] ^= (uint8_t)(1 << bit);
    refused += !decodes(&slices, in, bytes);
    in[at] ^= (uint8_t)(1 << bit);
  }
  assert_true(refused > 200);
  free(in);
}

TEST_MAIN(NULL, NULL)
