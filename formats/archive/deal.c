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

/* A row's first column goes to number `at` of the strip's. Inlined with weights and without, from
 * an array and from bits. False if the bits are no row. */
QN_ALWAYS_INLINE bool deal_row(const struct qn_dealing *dealing, struct source *source,
                               const uint32_t *weights, uint32_t count, uint32_t row, uint64_t at,
                               bool from_bits, bool with_weights) {
  const unsigned span_log2 = dealing->span_log2;
  const uint32_t mask = ((uint32_t)1 << span_log2) - 1;
  uint32_t *restrict row_columns = dealing->row_columns + at;
  uint32_t *restrict row_weights = with_weights ? dealing->row_weights + at : NULL;
  uint32_t *restrict ends = dealing->ends, *restrict edges = dealing->edges;
  uint32_t *restrict edge_weights = dealing->edge_weights;
  for (uint32_t j = 0; j < count; j++) {
    uint32_t column;
    if (!from_bits)
      column = source->columns[j];
    else if (!qn_packed_rows_next_column(&source->reader, &column))
      return false;
    uint32_t end = ends[column >> span_log2]++;
    row_columns[j] = column;
    edges[end] = row | (column & mask);
    if (with_weights) {
      row_weights[j] = weights[j];
      edge_weights[end] = weights[j];
    }
  }
  return true;
}

QN_ALWAYS_INLINE enum qn_dealt deal_rows(const struct qn_dealing *dealing, bool from_bits,
                                         bool with_weights) {
  const struct qn_dealing own = *dealing;
  const struct qn_packed_rows rows = *dealing->rows;
  const uint64_t first = ((uint64_t)own.strip << own.span_log2) + rows.first_row;
  const uint32_t *weights = own.weights;
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
    if (!deal_row(&own, &source, weights, count, (rows.first_row + i) << own.span_log2,
                  end - own.begin - after - count, from_bits, with_weights))
      return QN_DEALT_NO_ROWS;
    if (!from_bits)
      source.columns += count;
    if (with_weights)
      weights += count;
  }
  return !from_bits || qn_packed_rows_at_end(&source.reader) ? QN_DEALT : QN_DEALT_NO_ROWS;
}

QN_VECTOR_CLONES
static enum qn_dealt deal_bits(const struct qn_dealing *dealing) {
  return deal_rows(dealing, true, false);
}

QN_VECTOR_CLONES
static enum qn_dealt deal_bits_weighted(const struct qn_dealing *dealing) {
  return deal_rows(dealing, true, true);
}

QN_VECTOR_CLONES
static enum qn_dealt deal_array(const struct qn_dealing *dealing) {
  return deal_rows(dealing, false, false);
}

QN_VECTOR_CLONES
static enum qn_dealt deal_array_weighted(const struct qn_dealing *dealing) {
  return deal_rows(dealing, false, true);
}

enum qn_dealt qn_deal(const struct qn_dealing *dealing) {
  if (dealing->rows->columns)
    return dealing->weights ? deal_array_weighted(dealing) : deal_array(dealing);
  return dealing->weights ? deal_bits_weighted(dealing) : deal_bits(dealing);
}
