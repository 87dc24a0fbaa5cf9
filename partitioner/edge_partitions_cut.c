#include "partitioner/edge_partitions_cut.h"

#include "support/search.h"

/* The last row from `row` on that begins at or before `edge`, found by leaps of doubling length. So
 * it is not empty, or V. */
static uint64_t row_of_edge(const struct qn_csr *csr, uint64_t row, uint64_t edge) {
  const uint64_t *offsets = csr->row_offsets;
  uint64_t low = row, leap = 1;
  while (leap <= csr->num_vertices - low && offsets[low + leap] <= edge) {
    low += leap;
    leap *= 2;
  }
  const uint64_t high = leap <= csr->num_vertices - low ? low + leap : csr->num_vertices + 1;
  return qn_range_at_u64(offsets, low, high, edge);
}

struct qn_edge_cutter qn_edge_cutter(const struct qn_csr *csr, const uint32_t *dense,
                                     uint64_t num_sources, uint64_t capacity) {
  return (struct qn_edge_cutter){.csr = csr,
                                 .dense = dense,
                                 .num_sources = num_sources,
                                 .capacity = capacity,
                                 .row = row_of_edge(csr, 0, 0),
                                 .edge = 0};
}

bool qn_edge_cutter_next(struct qn_edge_cutter *cutter, struct qn_edge_cut *cut) {
  const struct qn_csr *csr = cutter->csr;
  uint64_t begin = cutter->edge, row = cutter->row, left = csr->num_edges - begin;
  if (left == 0)
    return false;
  uint64_t furthest = begin + (cutter->capacity < left ? cutter->capacity : left);
  uint64_t next_row = row_of_edge(csr, row, furthest);
  cut->begin = begin;
  if (next_row > row) { /* whole vertices, or the rest of one */
    cut->end = csr->row_offsets[next_row];
    uint64_t first = cutter->dense[row];
    uint64_t next = next_row < csr->num_vertices ? cutter->dense[next_row] : cutter->num_sources;
    cut->num_sources = next - first;
    if (begin > csr->row_offsets[row]) { /* the rest: the following vertices do not join it */
      next_row = row_of_edge(csr, row, csr->row_offsets[row + 1]);
      cut->end = csr->row_offsets[next_row];
      cut->num_sources = 0;
    }
  } else {
    cut->end = furthest;
    cut->num_sources = begin == csr->row_offsets[row];
  }
  if (cut->end <= begin || cut->end > csr->num_edges) /* of a file that is being overwritten */
    cut->end = furthest;
  cutter->row = next_row;
  cutter->edge = cut->end;
  return true;
}

struct qn_edge_cut_size qn_edge_cut_size(const struct qn_csr *csr, const uint32_t *dense,
                                         uint64_t num_sources, uint64_t capacity) {
  struct qn_edge_cut_size size = {.range_size = 1};
  struct qn_edge_cutter cutter = qn_edge_cutter(csr, dense, num_sources, capacity);
  struct qn_edge_cut cut;
  for (; qn_edge_cutter_next(&cutter, &cut); size.num_partitions++)
    size.range_size = cut.num_sources > size.range_size ? cut.num_sources : size.range_size;
  /* Both factors are at most E and V < 2^32; a product beyond 64 bits is beyond every limit. */
  if (__builtin_mul_overflow(size.num_partitions, size.range_size, &size.num_ids) ||
      __builtin_add_overflow(size.num_ids, csr->num_vertices - num_sources, &size.num_ids))
    size.num_ids = UINT64_MAX;
  return size;
}

uint64_t qn_edge_cut_fit(const struct qn_csr *csr, const uint32_t *dense, uint64_t num_sources,
                         uint64_t at_least, uint64_t max_partitions, uint64_t max_ids) {
  uint64_t low = at_least, high = at_least;
  for (;;) {
    struct qn_edge_cut_size size = qn_edge_cut_size(csr, dense, num_sources, high);
    if (high >= csr->num_edges ||
        (size.num_partitions <= max_partitions && size.num_ids <= max_ids))
      break;
    low = high + 1;
    high = high < csr->num_edges / 2 ? 2 * high : csr->num_edges;
  }
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    struct qn_edge_cut_size size = qn_edge_cut_size(csr, dense, num_sources, middle);
    if (size.num_partitions <= max_partitions && size.num_ids <= max_ids)
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}
