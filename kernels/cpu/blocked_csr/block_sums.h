/* Sums over the edges between two levels of a search on blocked CSR, for betweenness
 * centrality (GraphCage, section 3.3 and Algorithm 3). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/cpu/blocked_csr/block_tasks.h"
#include "kernels/cpu/loop/levels.h"
#include <quern/blocked_csr.h>
#include <quern/error.h>

/* One set of blocks walked in one direction. If `rows_receive`, rows gather from their columns
 * (TOCAB pull), else they give to them (TOCAB push). */
struct qn_block_sums {
  const struct qn_blocking *blocking;
  bool rows_receive;
  struct qn_block_tasks tasks; /* rows_receive */
  double *partials;            /* [L] rows_receive */
};

/* Owned until qn_block_sums_destroy. */
enum qn_status qn_block_sums_create(struct qn_block_sums *sums, const struct qn_blocking *blocking,
                                    bool rows_receive, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_block_sums_destroy(struct qn_block_sums *sums);

/* For every vertex v of level `to`: sum[v] = the sum of offer[u] over its edges with vertices u of
 * level `from`, parallel edges counted each. `level_of` [V]. The vertices of other levels
 * offer 0, their sums are left alone. A sum's order depends on the graph alone. */
void qn_block_sums_collect(const struct qn_block_sums *sums, const struct qn_levels *levels,
                           const uint32_t *level_of, uint32_t from, uint32_t to,
                           const double *offer, double *sum);
