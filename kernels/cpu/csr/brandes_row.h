/* Rows of plain CSR in steps of Brandes' algorithm (kernels/cpu/loop/brandes_rows.h). */
#pragma once

#include "kernels/cpu/loop/brandes_step.h"
#include "support/search.h"
#include <quern/graph.h>

/* Additions need not wait for each other. */
static inline double qn_sum_offers(const struct qn_csr *csr, const double *offer, uint64_t row) {
  const uint32_t *neighbors = csr->column_indices;
  uint64_t edge = csr->row_offsets[row], end = csr->row_offsets[row + 1];
  double part0 = 0, part1 = 0, part2 = 0, part3 = 0;
  for (; edge + 4 <= end; edge += 4) {
    part0 += offer[neighbors[edge]];
    part1 += offer[neighbors[edge + 1]];
    part2 += offer[neighbors[edge + 2]];
    part3 += offer[neighbors[edge + 3]];
  }
  for (; edge < end; edge++)
    part0 += offer[neighbors[edge]];
  return (part0 + part1) + (part2 + part3);
}

/* `offer` for the columns in [begin, end), which count from vertex `base`. */
static inline void qn_give_offer(const struct qn_csr *csr, const struct brandes_step *step,
                                 uint64_t row, double offer, uint64_t base, uint64_t begin,
                                 uint64_t end) {
  const uint32_t *hops = step->hops + base, *columns = csr->column_indices;
  double *into = step->into + base;
  const uint64_t last = csr->row_offsets[row + 1];
  uint64_t edge = csr->row_offsets[row];
  if (begin > 0)
    edge = qn_lower_bound_u32(columns, edge, last, (uint32_t)begin);
  for (; edge < last && columns[edge] < end; edge++)
    if (hops[columns[edge]] == step->to)
      into[columns[edge]] += offer;
}
