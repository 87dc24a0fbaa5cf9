/* What stands behind compression in archives, alone: the filters of elements, rows in bits, and
 * rows by references. The first bytes say how many elements there should be. */
#include <stdlib.h>
#include <string.h>

#include "formats/archive/filter.h"
#include "formats/archive/references.h"
#include "formats/archive/rows.h"
#include "formats/archive/rows_reader.h"
#include "fuzz/fuzz.h"

enum { MOST_ELEMENTS = 4096, MOST_ROWS = 1 << QN_MAX_SPAN_LOG2 };

static const char *const KINDS[] = {"none",       "delta", "shuffle",    "gaps",
                                    "gap-planes", "rows",  "references", NULL};
enum { REFERENCES = 6 }; /* among them */

/* Whatever decodes is what its own elements are encoded as, once more decoded. */
static bool decode_elements(enum qn_filter filter, const uint8_t *data, size_t size) {
  static uint64_t elements[MOST_ELEMENTS], again[MOST_ELEMENTS];
  const uint64_t count = (data[0] | (uint64_t)data[1] << 8) % MOST_ELEMENTS;
  const uint32_t width = filter == QN_FILTER_DELTA ? 8
                         : filter == QN_FILTER_GAPS || filter == QN_FILTER_GAP_PLANES
                             ? 4
                             : 2u << data[2] % 3;
  if (!qn_filter_applies(filter, width) ||
      !qn_filter_decode(filter, width, data + 3, size - 3, elements, count))
    return false;
  uint8_t *encoded = malloc(qn_filter_bound(filter, width, count) + 1);
  if (!encoded)
    exit(5);
  const uint64_t bytes = qn_filter_encode(filter, width, elements, count, encoded);
  FUZZ_PROMISE(qn_filter_decode(filter, width, encoded, bytes, again, count));
  FUZZ_PROMISE(memcmp(elements, again, count * width) == 0);
  free(encoded);
  return true;
}

/* Columns are vertices, and ascend in every row. */
static bool read_columns(uint64_t num_vertices, const struct qn_archive_rows *rows) {
  struct qn_packed_rows_reader reader = qn_packed_rows_reader(num_vertices, &rows->bits);
  for (uint32_t i = 0; i < rows->num_rows; i++) {
    uint32_t base = i == 0 ? rows->base : rows->first_row + i, column, before = base;
    if (rows->degrees[i] && !qn_packed_rows_next_row(&reader, base, rows->degrees[i]))
      return false;
    for (uint32_t j = 0; j < rows->degrees[i]; j++, before = column) {
      if (!qn_packed_rows_next_column(&reader, &column))
        return false;
      FUZZ_PROMISE(column < num_vertices && column >= before);
    }
  }
  return qn_packed_rows_at_end(&reader);
}

static bool decode_rows(const uint8_t *data, size_t size) {
  static uint32_t degrees[MOST_ROWS], tiles[MOST_ROWS];
  const struct qn_packed_rows_place place = {.num_vertices = 1 + (data[0] | (uint64_t)data[1] << 8),
                                             .span_log2 = QN_MIN_SPAN_LOG2 + data[2] % 3,
                                             .strip = 0};
  struct qn_archive_rows rows = {.degrees = degrees, .tiles = tiles};
  uint8_t *in = calloc(1, size - 3 + QN_ROWS_SLACK);
  if (!in)
    exit(5);
  memcpy(in, data + 3, size - 3);
  bool whole = qn_packed_rows_open(&place, in, size - 3, data[2] / 3, &rows) &&
               read_columns(place.num_vertices, &rows);
  free(in);
  return whole;
}

static bool ascend(const struct qn_row_slices *slices, const uint32_t *columns) {
  for (uint64_t row = 0; row < slices->num_rows; row++)
    for (uint64_t i = slices->row_offsets[row] + 1; i < slices->row_offsets[row + 1]; i++)
      if (columns[i - 1] > columns[i])
        return false;
  return true;
}

static void encode_again(const struct qn_row_slices *slices, const uint32_t *columns,
                         uint32_t *again, void *scratch) {
  uint8_t *encoded = malloc(qn_references_bound(slices->count));
  void *room = malloc(qn_references_scratch(slices->count, true));
  if (!encoded || !room)
    exit(5);
  const uint64_t bytes = qn_references_encode(slices, columns, 8, room, encoded);
  FUZZ_PROMISE(qn_references_decode(slices, encoded, bytes, scratch, again));
  FUZZ_PROMISE(memcmp(columns, again, slices->count * sizeof *columns) == 0);
  free(encoded);
  free(room);
}

/* A byte says how many rows there are, then there is one for the length of each. */
static bool decode_references(const uint8_t *data, size_t size) {
  uint64_t row_offsets[257] = {0};
  const uint64_t num_rows = data[0];
  if (size < 1 + num_rows)
    return false;
  for (uint64_t row = 0; row < num_rows; row++)
    row_offsets[row + 1] = row_offsets[row] + data[1 + row];
  const struct qn_row_slices slices = {
      .row_offsets = row_offsets, .num_rows = num_rows, .count = row_offsets[num_rows]};
  uint32_t *columns = malloc(2 * slices.count * sizeof *columns + 1);
  void *scratch = malloc(qn_references_scratch(slices.count, false));
  if (!columns || !scratch)
    exit(5);
  const bool whole =
      qn_references_decode(&slices, data + 1 + num_rows, size - 1 - num_rows, scratch, columns);
  if (whole && slices.count && ascend(&slices, columns))
    encode_again(&slices, columns, columns + slices.count, scratch);
  free(columns);
  free(scratch);
  return whole;
}

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  if (size < 3)
    return false;
  if (kind == REFERENCES)
    return decode_references(data, size);
  return kind == QN_FILTER_ROWS ? decode_rows(data, size)
                                : decode_elements((enum qn_filter)kind, data, size);
}

const struct fuzz_family fuzz_filters = {"filters", KINDS, run};
