/* A gap of a row with d elements in [base, V) is (V - base) / d on average; the number of low bits
 * is about the logarithm of that, so that two to three bits are left for the high part. */
#include "formats/archive/rows.h"

#include <assert.h>
#include <string.h>

#include "formats/container/varint.h"

/* Before the varints. */
struct head {
  uint32_t first_row;   /*  0 */
  uint32_t num_rows;    /*  4 */
  uint32_t base;        /*  8 */
  uint32_t unary_bytes; /* 12 */
  uint64_t after;       /* 16 */
};
static_assert(sizeof(struct head) == 24, "head of rows");

static uint64_t bytes_of(uint64_t bits) {
  return (bits + 7) / 8;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* At most 31 low bits and one end of the high part an element; all high parts of a row together are
 * less than 8/3 of its degree. */
uint64_t qn_packed_rows_bound(const struct qn_packed_rows_place *place, uint64_t count) {
  uint64_t rows = least((uint64_t)1 << place->span_log2, place->num_vertices);
  uint64_t strips = qn_num_strips(place->num_vertices, place->span_log2);
  return sizeof(struct head) + 5 * (rows + strips) + 5 * count + 16;
}

/* ---- Encoding --------------------------------------------------------------- */

/* `bits` of them, not more than 32, at bit `at` of bytes that are zero there. */
static void put_bits(uint8_t *bytes, uint64_t at, uint64_t value) {
  uint64_t word;
  memcpy(&word, bytes + at / 8, sizeof word);
  word |= value << at % 8;
  memcpy(bytes + at / 8, &word, sizeof word);
}

struct row {
  uint64_t base;
  unsigned low; /* bits */
  const uint32_t *columns;
  uint32_t degree;
};

/* Rows to be written: the first begins at `first_base`, row i > 0 at base + i step. */
struct walk {
  uint64_t num_vertices, num_rows;
  const uint32_t *degrees, *columns;
  uint64_t first_base, base, step;
};

static struct row row_at(const struct walk *walk, uint64_t i, uint64_t first) {
  struct row row = {.base = i ? walk->base + i * walk->step : walk->first_base,
                    .columns = walk->columns + first,
                    .degree = walk->degrees[i]};
  row.low = qn_packed_rows_low_bits(walk->num_vertices - row.base, row.degree);
  return row;
}

static uint64_t put_unary(const struct row *row, uint8_t *out, uint64_t at) {
  uint64_t before = row->base;
  for (uint32_t j = 0; j < row->degree; j++) {
    at += (row->columns[j] - before) >> row->low;
    out[at / 8] |= (uint8_t)(1 << at % 8);
    at++;
    before = row->columns[j];
  }
  return at;
}

static uint64_t put_low(const struct row *row, uint8_t *out, uint64_t at) {
  uint64_t before = row->base, mask = ((uint64_t)1 << row->low) - 1;
  for (uint32_t j = 0; j < row->degree; j++, at += row->low) {
    put_bits(out, at, (row->columns[j] - before) & mask);
    before = row->columns[j];
  }
  return at;
}

/* One of the two streams of all rows, to zeroed bytes; returns its length. */
static uint64_t put_stream(const struct walk *walk,
                           uint64_t (*put)(const struct row *row, uint8_t *out, uint64_t at),
                           uint8_t *out) {
  uint64_t at = 0, first = 0;
  for (uint64_t i = 0; i < walk->num_rows; first += walk->degrees[i++])
    if (walk->degrees[i]) {
      struct row row = row_at(walk, i, first);
      at = put(&row, out, at);
    }
  return bytes_of(at);
}

uint64_t qn_packed_rows_encode(const struct qn_packed_rows_place *place,
                               const struct qn_archive_rows *rows, uint64_t count, uint8_t *out,
                               uint64_t *head_bytes) {
  struct head head = {.first_row = rows->first_row,
                      .num_rows = rows->num_rows,
                      .base = rows->base,
                      .after = rows->after};
  uint64_t tiles = qn_num_strips(place->num_vertices, place->span_log2) - place->strip;
  const struct walk walk = {.num_vertices = place->num_vertices,
                            .num_rows = rows->num_rows,
                            .degrees = rows->degrees,
                            .columns = rows->columns,
                            .first_base = rows->base,
                            .base = ((uint64_t)place->strip << place->span_log2) + rows->first_row,
                            .step = 1};
  uint8_t *next = out + sizeof head;
  memset(out, 0, qn_packed_rows_bound(place, count) + QN_ROWS_SLACK);
  for (uint32_t i = 0; i < rows->num_rows; i++)
    next = qn_put_varint(next, rows->degrees[i]);
  for (uint64_t i = 0; i < tiles; i++)
    next = qn_put_varint(next, rows->tiles[i]);
  *head_bytes = (uint64_t)(next - out);
  head.unary_bytes = (uint32_t)put_stream(&walk, put_unary, next);
  memcpy(out, &head, sizeof head);
  next += head.unary_bytes;
  next += put_stream(&walk, put_low, next);
  return (uint64_t)(next - out);
}

uint64_t qn_packed_rows_put_bits(uint64_t num_vertices, const uint32_t *degrees, uint64_t num_rows,
                                 const uint32_t *columns, uint8_t *out) {
  const struct walk walk = {
      .num_vertices = num_vertices, .num_rows = num_rows, .degrees = degrees, .columns = columns};
  uint32_t unary_bytes = (uint32_t)put_stream(&walk, put_unary, out + sizeof unary_bytes);
  memcpy(out, &unary_bytes, sizeof unary_bytes);
  uint64_t length = sizeof unary_bytes + unary_bytes;
  return length + put_stream(&walk, put_low, out + length);
}

/* ---- Decoding --------------------------------------------------------------- */

static bool adds_up_to(const uint32_t *values, uint64_t num_values, uint64_t total) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < num_values; i++)
    sum += values[i];
  return sum == total;
}

/* The rows are of the strip, and the first gap does not begin before them. */
static bool head_is_sound(const struct qn_packed_rows_place *place, const struct head *head) {
  uint64_t span = (uint64_t)1 << place->span_log2, begin = (uint64_t)place->strip * span;
  uint64_t end = least(begin + span, place->num_vertices), rows = head->num_rows;
  return rows > 0 && head->first_row < end - begin && rows <= end - begin - head->first_row &&
         head->base >= begin + head->first_row && head->base < place->num_vertices;
}

/* What is said of the first and the last row must mean something. */
static bool ends_are_used(const struct qn_packed_rows_place *place, const struct head *head,
                          const uint32_t *degrees) {
  uint64_t first = ((uint64_t)place->strip << place->span_log2) + head->first_row;
  return (degrees[0] || head->base == first) && (degrees[head->num_rows - 1] || head->after == 0);
}

/* Both streams, the first of which is that long; false if it is not there. */
static bool split_bits(const uint8_t *in, const uint8_t *end, uint32_t unary_bytes,
                       struct qn_packed_rows_bits *bits) {
  if (unary_bytes > (uint64_t)(end - in))
    return false;
  *bits = (struct qn_packed_rows_bits){.unary = in,
                                       .unary_end = in + unary_bytes,
                                       .low = in + unary_bytes,
                                       .low_end = 8 * (uint64_t)(end - in - unary_bytes)};
  return true;
}

bool qn_packed_rows_get_bits(const uint8_t *in, const uint8_t *end,
                             struct qn_packed_rows_bits *bits) {
  uint32_t unary_bytes;
  if ((uint64_t)(end - in) < sizeof unary_bytes)
    return false;
  memcpy(&unary_bytes, in, sizeof unary_bytes);
  return split_bits(in + sizeof unary_bytes, end, unary_bytes, bits);
}

bool qn_packed_rows_open(const struct qn_packed_rows_place *place, const uint8_t *in,
                         uint64_t bytes, uint64_t count, struct qn_archive_rows *rows) {
  struct head head;
  uint64_t tiles = qn_num_strips(place->num_vertices, place->span_log2) - place->strip;
  const uint8_t *end = in + bytes;
  if (bytes < sizeof head || count == 0)
    return false;
  memcpy(&head, in, sizeof head);
  if (!head_is_sound(place, &head))
    return false;
  in = qn_get_varints_u32(in + sizeof head, end, rows->degrees, head.num_rows);
  if (in)
    in = qn_get_varints_u32(in, end, rows->tiles, tiles);
  if (!in || head.unary_bytes == 0 || !split_bits(in, end, head.unary_bytes, &rows->bits) ||
      !adds_up_to(rows->degrees, head.num_rows, count) || !adds_up_to(rows->tiles, tiles, count) ||
      !ends_are_used(place, &head, rows->degrees))
    return false;
  rows->first_row = head.first_row;
  rows->num_rows = head.num_rows;
  rows->base = head.base;
  rows->after = head.after;
  rows->columns = NULL;
  return true;
}
