/* Layouts that have plain CSR in both directions, in steps of Brandes' algorithm. */
#pragma once

#include "kernels/cpu/csr/brandes_row.h"

struct brandes_rows {
  struct qn_csr csr;
};

static inline double brandes_sum(const struct brandes_rows *rows, const double *offer, uint32_t v) {
  return qn_sum_offers(&rows->csr, offer, v);
}

#include "kernels/cpu/loop/brandes_rows.h"

static inline struct brandes_edges brandes_csr_edges(const struct qn_csr *out,
                                                     const struct qn_csr *in) {
  return (struct brandes_edges){.out.csr = *out, .in.csr = *in};
}
