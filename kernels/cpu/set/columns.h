/* Where columns of a row lie, which ascend. */
#pragma once

#include "kernels/set_view.h"

/* The first edge of [first, last), edges of one row, whose column is `column` or greater; `last` if
 * there is none. */
static inline uint64_t qn_find_column(const struct qn_csr *csr, uint64_t first, uint64_t last,
                                      uint64_t column) {
  while (first < last) {
    const uint64_t middle = first + (last - first) / 2;
    if (csr->column_indices[middle] < column)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}
