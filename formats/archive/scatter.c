/* Columns go where they belong as they are decoded: one loop, with no memory in between. */
#include "formats/archive/scatter.h"

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
QN_ALWAYS_INLINE bool scatter_row(const struct qn_scattering *scattering, struct source *source,
                                  uint64_t weight, uint32_t count, uint32_t row, uint64_t at,
                                  bool from_bits, unsigned weight_bytes) {
  const unsigned span_log2 = scattering->span_log2;
  const uint32_t mask = ((uint32_t)1 << span_log2) - 1;
  uint32_t *restrict row_columns = scattering->row_columns + at;
  uint32_t *restrict ends = scattering->ends, *restrict edges = scattering->edges;
  const void *restrict weights = scattering->weights;
  void *restrict row_weights = scattering->row_weights, *restrict edge_weights =
                                                            scattering->edge_weights;
  for (uint32_t j = 0; j < count; j++) {
    uint32_t column;
    if (!from_bits)
      column = source->columns[j];
    else if (!qn_packed_rows_next_column(&source->reader, &column))
      return false;
    uint32_t end = ends[column >> span_log2]++;
    row_columns[j] = column;
    edges[end] = row | (column & mask);
    qn_bucket_weight(row_weights, at + j, weights, weight + j, weight_bytes);
    qn_bucket_weight(edge_weights, end, weights, weight + j, weight_bytes);
  }
  return true;
}

QN_ALWAYS_INLINE enum qn_bucketed scatter_rows(const struct qn_scattering *scattering,
                                               bool from_bits, unsigned weight_bytes) {
  const struct qn_scattering own = *scattering;
  const struct qn_archive_rows rows = *scattering->rows;
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
    if (!scatter_row(&own, &source, weight, count, (rows.first_row + i) << own.span_log2,
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
  static enum qn_bucketed NAME(const struct qn_scattering *scattering) {                           \
    return scatter_rows(scattering, FROM_BITS, WEIGHT_BYTES);                                      \
  }

DEAL(scatter_bits, true, 0)
DEAL(scatter_bits_weights_4, true, 4)
DEAL(scatter_bits_weights_8, true, 8)
DEAL(scatter_array, false, 0)
DEAL(scatter_array_weights_4, false, 4)
DEAL(scatter_array_weights_8, false, 8)

enum qn_bucketed qn_scatter(const struct qn_scattering *scattering) {
  const bool from_bits = !scattering->rows->columns;
  if (!scattering->weights)
    return from_bits ? scatter_bits(scattering) : scatter_array(scattering);
  if (scattering->weight_bytes == sizeof(uint64_t))
    return from_bits ? scatter_bits_weights_8(scattering) : scatter_array_weights_8(scattering);
  return from_bits ? scatter_bits_weights_4(scattering) : scatter_array_weights_4(scattering);
}
