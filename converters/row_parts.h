/* Cutting the edges of a CSR into parts of equal size, whatever the degrees. */
#ifndef QN_CONVERTERS_ROW_PARTS_H
#define QN_CONVERTERS_ROW_PARTS_H

#include <stdint.h>

#include "formats/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The row that holds edge `edge` < E: the last one that begins at or before it. */
static inline uint64_t qn_row_of_edge(const struct qn_csr *csr, uint64_t edge) {
  uint64_t low = 0, high = csr->num_vertices;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (csr->row_offsets[middle] <= edge)
      low = middle;
    else
      high = middle;
  }
  return low;
}

#ifdef __cplusplus
}
#endif
#endif
