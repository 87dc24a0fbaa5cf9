/* The rows of a CSR in shares of about equal numbers of edges, for parallel loops. */
#pragma once

#include "support/search.h"
#include "support/threads.h"
#include <quern/graph.h>

/* A share of the work: rows [row_begin, row_end) hold edges [edge_begin, edge_end). */
struct qn_csr_share {
  uint64_t row_begin, row_end;
  uint64_t edge_begin, edge_end;
};

/* The row that holds edge `edge` < E: the last one that begins at or before it. */
static inline uint64_t qn_row_of_edge(const struct qn_csr *csr, uint64_t edge) {
  return qn_range_at_u64(csr->row_offsets, 0, csr->num_vertices, edge);
}

/* The first row that begins at or after `edge`. */
static inline uint64_t qn_csr_row_at(const struct qn_csr *csr, uint64_t edge) {
  return qn_lower_bound_u64(csr->row_offsets, 0, csr->num_vertices, edge);
}

/* Part `index` of `parts`, balanced by edges, cut between rows. Offsets must ascend. */
static inline struct qn_csr_share qn_csr_share_of(const struct qn_csr *csr, uint64_t parts,
                                                  uint64_t index) {
  struct qn_csr_share share;
  uint64_t begin, end;
  qn_part_of(csr->num_edges, parts, index, &begin, &end);
  share.row_begin = index == 0 ? 0 : qn_csr_row_at(csr, begin);
  share.row_end = index + 1 == parts ? csr->num_vertices : qn_csr_row_at(csr, end);
  share.edge_begin = csr->row_offsets[share.row_begin];
  share.edge_end = csr->row_offsets[share.row_end];
  return share;
}

static inline uint64_t qn_csr_share_count(const struct qn_csr *csr) {
  uint64_t parts = csr->num_edges >> 18;
  return parts < 1 ? 1 : parts;
}
