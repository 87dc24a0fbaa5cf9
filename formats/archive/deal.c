/* Columns go where they belong as they are decoded: one loop, with no memory in between. */
#include "formats/archive/deal.h"

#include "formats/archive/rows_reader.h"
#include "support/multiversion.h"
#include <quern/inline.h>

/* Where the columns of a row come from: the next ones of an array or, if there is none, of the
 * bits. */
struct source {
  const uint32_t *columns;
  struct qn_packed_rows_reader reader;
};

/* A row's first column goes to number `at` of the strip's. Inlined for each width of weights, 0
 * without, from an array and from bits. False if the bits are no row. */
QN_ALWAYS_INLINE bool deal_row(const struct qn_dealing *dealing, struct source *source,
                               uint64_t weight, uint32_t count, uint32_t row, uint64_t at,
                               bool from_bits, unsigned weight_bytes) {
  const unsigned span_log2 = dealing->span_log2;
  const uint32_t mask = ((uint32_t)1 << span_log2) - 1;
  uint32_t *restrict row_columns = dealing->row_columns + at;
  uint32_t *restrict ends = dealing->ends, *restrict edges = dealing->edges;
  const void *restrict weights = dealing->weights;
  void *restrict row_weights = dealing->row_weights, *restrict edge_weights = dealing->edge_weights;
  for (uint32_t j = 0; j < count; j++) {
    uint32_t column;
    if (!from_bits)
      column = source->columns[j];
    else if (!qn_packed_rows_next_column(&source->reader, &column))
      return false;
    uint32_t end = ends[column >> span_log2]++;
    row_columns[j] = column;
    edges[end] = row | (column & mask);
    qn_deal_weight(row_weights, at + j, weights, weight + j, weight_bytes);
    qn_deal_weight(edge_weights, end, weights, weight + j, weight_bytes);
  }
  return true;
}

QN_ALWAYS_INLINE enum qn_dealt deal_rows(const struct qn_dealing *dealing, bool from_bits,
                                         unsigned weight_bytes) {
  const struct qn_dealing own = *dealing;
  const struct qn_archive_rows rows = *dealing->rows;
  const uint64_t first = ((uint64_t)own.strip << own.span_log2) + rows.first_row;
  uint64_t weight = 0;
  struct source source = {.columns = rows.columns};
  if (from_bits)
    source.reader = qn_packed_rows_reader(own.num_vertices, &rows.bits);
  for (uint32_t i = 0; i < rows.num_rows; i++) {
    uint64_t end = own.row_offsets[i + 1], degree = end - own.row_offsets[i];
    uint64_t after = i + 1 < rows.num_rows ? 0 : rows.after;
    uint32_t count = rows.degrees[i];
    if (count > degree || after > degree - count)
      return QN_DEALT_NO_ROOM;
    if (count == 0)
      continue;
    if (from_bits && !qn_packed_rows_next_row(&source.reader, i ? first + i : rows.base, count))
      return QN_DEALT_NO_ROWS;
    if (!deal_row(&own, &source, weight, count, (rows.first_row + i) << own.span_log2,
                  end - own.begin - after - count, from_bits, weight_bytes))
      return QN_DEALT_NO_ROWS;
    if (!from_bits)
      source.columns += count;
    weight += count;
  }
  return !from_bits || qn_packed_rows_at_end(&source.reader) ? QN_DEALT : QN_DEALT_NO_ROWS;
}

#define DEAL(NAME, FROM_BITS, WEIGHT_BYTES)                                                        \
  QN_VECTOR_CLONES                                                                                 \
  static enum qn_dealt NAME(const struct qn_dealing *dealing) {                                    \
    return deal_rows(dealing, FROM_BITS, WEIGHT_BYTES);                                            \
  }

DEAL(deal_bits, true, 0)
DEAL(deal_bits_weights_4, true, 4)
DEAL(deal_bits_weights_8, true, 8)
DEAL(deal_array, false, 0)
DEAL(deal_array_weights_4, false, 4)
DEAL(deal_array_weights_8, false, 8)

enum qn_dealt qn_deal(const struct qn_dealing *dealing) {
  const bool from_bits = !dealing->rows->columns;
  if (!dealing->weights)
    return from_bits ? deal_bits(dealing) : deal_array(dealing);
  if (dealing->weight_bytes == sizeof(uint64_t))
    return from_bits ? deal_bits_weights_8(dealing) : deal_array_weights_8(dealing);
  return from_bits ? deal_bits_weights_4(dealing) : deal_array_weights_4(dealing);
}
