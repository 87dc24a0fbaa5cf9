/* Sums over the edges between two levels of a search on blocked CSR, for betweenness
 * centrality (GraphCage, section 3.3 and Algorithm 3). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/cpu/blocked_csr/block_tasks.h"
#include "kernels/cpu/loop/brandes_step.h"
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

/* A step along them. */
void qn_block_sums_collect(const struct qn_block_sums *sums, const struct brandes_step *step);
