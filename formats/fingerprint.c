/* Fingerprints of whole CSRs. A row shares its source's factor, so an edge costs one mix. */
#include "formats/fingerprint.h"

#include "formats/csr_shares.h"
#include "support/multiversion.h"

static inline uint64_t sum_columns(const uint32_t *columns, const uint32_t *weights, uint64_t count,
                                   bool as_sources) {
  uint64_t sum = 0;
  if (weights)
    for (uint64_t i = 0; i < count; i++)
      sum += (as_sources ? qn_mix_source(columns[i]) : qn_mix_destination(columns[i])) *
             qn_mix_weight(weights[i]);
  else if (as_sources)
    for (uint64_t i = 0; i < count; i++)
      sum += qn_mix_source(columns[i]);
  else
    for (uint64_t i = 0; i < count; i++)
      sum += qn_mix_destination(columns[i]);
  return sum;
}

static const uint32_t *weight_bits(const struct qn_csr *csr) {
  return csr->weights.type == QN_WEIGHT_F32 ? (const uint32_t *)csr->weights.f32 : csr->weights.u32;
}

QN_VECTOR_CLONES
static uint64_t share_fingerprint(const struct qn_csr *csr, const uint32_t *weights,
                                  struct qn_csr_share share, bool reverse) {
  uint64_t sum = 0;
  for (uint64_t v = share.row_begin; v < share.row_end; v++) {
    uint64_t begin = csr->row_offsets[v], count = csr->row_offsets[v + 1] - begin;
    uint64_t columns =
        sum_columns(csr->column_indices + begin, weights ? weights + begin : NULL, count, reverse);
    sum += columns * (reverse ? qn_mix_destination((uint32_t)v) : qn_mix_source((uint32_t)v));
  }
  return sum;
}

uint64_t qn_csr_fingerprint(const struct qn_csr *csr, bool reverse) {
  uint64_t parts = qn_csr_share_count(csr), sum = 0;
  const uint32_t *weights = weight_bits(csr);
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
  for (uint64_t i = 0; i < parts; i++)
    sum += share_fingerprint(csr, weights, qn_csr_share_of(csr, parts, i), reverse);
  return sum;
}

/* The number of columns of a row that are less than `vertex`. Counted one by one: for rows of usual
 * length that is faster than the mispredicted branches of a binary search. */
static inline uint64_t count_below(const uint32_t *columns, uint64_t count, uint64_t vertex) {
  uint64_t below = 0;
  for (uint64_t i = 0; i < count; i++)
    below += columns[i] < vertex;
  return below;
}

/* The fingerprint of the edges above the diagonal minus that of the mirrored ones below it. */
QN_VECTOR_CLONES
static uint64_t share_imbalance(const struct qn_csr *csr, const uint32_t *weights,
                                struct qn_csr_share share) {
  uint64_t imbalance = 0;
  for (uint64_t v = share.row_begin; v < share.row_end; v++) {
    uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
    uint64_t lower_end = begin + count_below(csr->column_indices + begin, end - begin, v);
    uint64_t upper_begin = lower_end;
    while (upper_begin < end && csr->column_indices[upper_begin] == v)
      upper_begin++;
    uint64_t lower = sum_columns(csr->column_indices + begin, weights ? weights + begin : NULL,
                                 lower_end - begin, true);
    uint64_t upper = sum_columns(csr->column_indices + upper_begin,
                                 weights ? weights + upper_begin : NULL, end - upper_begin, false);
    imbalance += upper * qn_mix_source((uint32_t)v) - lower * qn_mix_destination((uint32_t)v);
  }
  return imbalance;
}

bool qn_csr_is_symmetric(const struct qn_csr *csr) {
  uint64_t parts = qn_csr_share_count(csr), imbalance = 0;
  const uint32_t *weights = weight_bits(csr);
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : imbalance)
  for (uint64_t i = 0; i < parts; i++)
    imbalance += share_imbalance(csr, weights, qn_csr_share_of(csr, parts, i));
  return imbalance == 0;
}
