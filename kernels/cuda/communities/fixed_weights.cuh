/* Weights as whole numbers of 64 bits, on the host. */
#pragma once

#include <math.h>

#include "formats/graph/weight_value.h"
#include "kernels/cuda/communities/level.cuh"

/* The sum of all degrees is below 2^FIXED_BITS. */
#define FIXED_BITS 62

namespace {

/* What `total`, which is more than the sum, is to be multiplied by to fit: a power of two. Whole
 * numbers stay as they are if they can. */
inline int fixed_exponent(double total, bool are_whole) {
  int exponent;
  frexp(total, &exponent);
  const int room = FIXED_BITS - exponent;
  return are_whole && room > 0 ? 0 : room;
}

/* What is added up at a time, so that sums have one order. */
#define FIXED_CHUNK 65536

/* The sum of all weights; QN_INVALID if one is negative, or they have none. */
inline enum qn_status fixed_weights_sum(const struct qn_csr *csr, double *sum,
                                        struct qn_error *error) {
  const uint64_t num_chunks = csr->num_edges / FIXED_CHUNK + 1;
  double *parts;
  uint64_t bad = 0;
  enum qn_status status = qn_alloc_zeroed(&parts, num_chunks, sizeof *parts, "sums", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static) reduction(+ : bad)
  for (uint64_t chunk = 0; chunk < num_chunks; chunk++) {
    const uint64_t begin = chunk * FIXED_CHUNK;
    for (uint64_t edge = begin; edge < begin + FIXED_CHUNK && edge < csr->num_edges; edge++) {
      const double weight = qn_weight_value(&csr->weights, edge);
      parts[chunk] += weight;
      bad += !(weight >= 0);
    }
  }
  *sum = 0;
  for (uint64_t chunk = 0; chunk < num_chunks; chunk++)
    *sum += parts[chunk];
  qn_free(parts);
  if (bad)
    return qn_fail(error, QN_INVALID,
                   "communities by modularity need weights that are not negative; %llu are",
                   (unsigned long long)bad);
  return 2.5 * *sum < INFINITY
             ? QN_OK
             : qn_fail(error, QN_INVALID, "communities by modularity need weights that have a sum");
}

/* Make [num_edges] of weights, to be freed with qn_pages_free. */
inline enum qn_status fixed_weights_create(const struct qn_csr *csr, fixed_weight **out,
                                           struct qn_error *error) {
  const bool are_whole = csr->weights.type != QN_WEIGHT_F32 && csr->weights.type != QN_WEIGHT_F64;
  fixed_weight *weights = NULL;
  double sum;
  enum qn_status status = fixed_weights_sum(csr, &sum, error);
  if (!status)
    status = qn_pages_alloc(&weights, csr->num_edges, sizeof *weights, "weights", error);
  if (status)
    return status;
  /* Loops count twice, and sums are rounded. */
  const int exponent = fixed_exponent(2.5 * sum, are_whole);
#pragma omp parallel for schedule(static)
  for (uint64_t edge = 0; edge < csr->num_edges; edge++)
    weights[edge] = (fixed_weight)llrint(ldexp(qn_weight_value(&csr->weights, edge), exponent));
  *out = weights;
  return QN_OK;
}

} /* namespace */
