/* What stands behind compression in archives, alone: the filters of elements, and rows in bits. The
 * first bytes say how many elements there should be. */
#include <stdlib.h>
#include <string.h>

#include "formats/archive/filter.h"
#include "formats/archive/rows.h"
#include "formats/archive/rows_reader.h"
#include "fuzz/fuzz.h"

enum { MOST_ELEMENTS = 4096, MOST_ROWS = 1 << QN_MAX_SPAN_LOG2 };

static const char *const KINDS[] = {"none", "delta", "shuffle", "gaps", "gap-planes", "rows", NULL};

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

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  if (size < 3)
    return false;
  return kind == QN_FILTER_ROWS ? decode_rows(data, size)
                                : decode_elements((enum qn_filter)kind, data, size);
}

const struct fuzz_family fuzz_filters = {"filters", KINDS, run};
