/* Fingerprints of whole CSRs. A row shares its source's factor, so an edge costs one mix. */
#include <quern/fingerprint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "formats/graph/csr_shares.h"
#include "support/multiversion.h"
#include <quern/inline.h>

/* Of a row whose weights begin with number `first` of `weights`. */
QN_ALWAYS_INLINE uint64_t sum_columns(const uint32_t *columns, uint64_t count, const void *weights,
                                      uint64_t first, unsigned weight_bytes, bool as_sources) {
  uint64_t sum = 0;
  if (weight_bytes)
    for (uint64_t i = 0; i < count; i++)
      sum += (as_sources ? qn_mix_source(columns[i]) : qn_mix_destination(columns[i])) *
             qn_mix_weight_at(weights, weight_bytes, first + i);
  else if (as_sources)
    for (uint64_t i = 0; i < count; i++)
      sum += qn_mix_source(columns[i]);
  else
    for (uint64_t i = 0; i < count; i++)
      sum += qn_mix_destination(columns[i]);
  return sum;
}

/* Row v is that of vertex first_row + v. */
QN_ALWAYS_INLINE uint64_t share_sum(const struct qn_csr *csr, uint32_t first_row,
                                    unsigned weight_bytes, struct qn_csr_share share,
                                    bool reverse) {
  uint64_t sum = 0;
  for (uint64_t v = share.row_begin; v < share.row_end; v++) {
    uint64_t begin = csr->row_offsets[v], count = csr->row_offsets[v + 1] - begin;
    uint64_t columns = sum_columns(csr->column_indices + begin, count, csr->weights.data, begin,
                                   weight_bytes, reverse);
    const uint32_t vertex = first_row + (uint32_t)v;
    sum += columns * (reverse ? qn_mix_destination(vertex) : qn_mix_source(vertex));
  }
  return sum;
}

QN_VECTOR_CLONES
static uint64_t share_fingerprint(const struct qn_csr *csr, uint32_t first_row,
                                  struct qn_csr_share share, bool reverse) {
  unsigned weight_bytes = qn_weight_bytes(csr->weights.type);
  return weight_bytes == 8   ? share_sum(csr, first_row, 8, share, reverse)
         : weight_bytes == 4 ? share_sum(csr, first_row, 4, share, reverse)
                             : share_sum(csr, first_row, 0, share, reverse);
}

uint64_t qn_csr_fingerprint(const struct qn_csr *csr, bool reverse) {
  return qn_rows_fingerprint(csr, 0, reverse);
}

uint64_t qn_rows_fingerprint(const struct qn_csr *csr, uint64_t first_row, bool reverse) {
  uint64_t parts = qn_csr_share_count(csr), sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
  for (uint64_t i = 0; i < parts; i++)
    sum += share_fingerprint(csr, (uint32_t)first_row, qn_csr_share_of(csr, parts, i), reverse);
  return sum;
}

QN_ALWAYS_INLINE uint64_t imbalance_sum(const struct qn_csr *csr, unsigned weight_bytes,
                                        struct qn_csr_share share) {
  uint64_t imbalance = 0;
  for (uint64_t v = share.row_begin; v < share.row_end; v++) {
    uint64_t sources = 0, destinations = 0;
    for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++) {
      uint64_t mixed = qn_mix_source(csr->column_indices[e]);
      uint64_t weight = qn_mix_weight_at(csr->weights.data, weight_bytes, e);
      sources += mixed * weight;
      destinations += qn_mix_destination_of(mixed) * weight;
    }
    uint64_t mixed = qn_mix_source((uint32_t)v);
    imbalance += mixed * destinations - qn_mix_destination_of(mixed) * sources;
  }
  return imbalance;
}

/* The fingerprint of a share's edges minus that of their reversals. */
QN_VECTOR_CLONES
static uint64_t share_imbalance_any(const struct qn_csr *csr, struct qn_csr_share share) {
  unsigned weight_bytes = qn_weight_bytes(csr->weights.type);
  return weight_bytes == 8   ? imbalance_sum(csr, 8, share)
         : weight_bytes == 4 ? imbalance_sum(csr, 4, share)
                             : imbalance_sum(csr, 0, share);
}

#if defined(__x86_64__)
#define QN_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))

/* What the columns of a row add up to, still spread over lanes. */
struct lane_sums {
  __m512i sources, destinations;
};

QN_AVX512 QN_ALWAYS_INLINE struct lane_sums add_columns(struct lane_sums sums,
                                                        const uint32_t *columns, __mmask8 lanes) {
  __m512i wide = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, columns));
  __m512i x = _mm512_add_epi64(_mm512_mul_epu32(wide, _mm512_set1_epi64(QN_MIX_FACTOR)),
                               _mm512_set1_epi64((int64_t)QN_MIX_OFFSET));
  __m512i upper = _mm512_srli_epi64(x, 32), source = _mm512_xor_si512(x, upper);
  __m512i product = _mm512_mul_epu32(source, upper);
  __m512i destination = _mm512_xor_si512(product, _mm512_srli_epi64(product, 32));
  sums.sources = _mm512_mask_add_epi64(sums.sources, lanes, sums.sources, source);
  sums.destinations =
      _mm512_mask_add_epi64(sums.destinations, lanes, sums.destinations, destination);
  return sums;
}

/* The same without weights. Short rows are what counts here: their ends are masked instead of
 * taken one by one, and nothing is summed across lanes before the share ends. */
QN_AVX512 static uint64_t share_imbalance_avx512(const struct qn_csr *csr,
                                                 struct qn_csr_share share) {
  const uint64_t *offsets = csr->row_offsets;
  const uint32_t *columns = csr->column_indices;
  __m512i imbalance = _mm512_setzero_si512();
  for (uint64_t v = share.row_begin, e = share.edge_begin; v < share.row_end; v++) {
    uint64_t end = offsets[v + 1];
    if (e == end)
      continue;
    struct lane_sums sums = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    for (; end - e >= 8; e += 8)
      sums = add_columns(sums, columns + e, 0xff);
    sums = add_columns(sums, columns + e, (__mmask8)((1u << (end - e)) - 1));
    e = end;
    uint64_t mixed = qn_mix_source((uint32_t)v);
    __m512i source = _mm512_set1_epi64((int64_t)mixed);
    __m512i destination = _mm512_set1_epi64((int64_t)qn_mix_destination_of(mixed));
    imbalance = _mm512_add_epi64(imbalance, _mm512_mullo_epi64(source, sums.destinations));
    imbalance = _mm512_sub_epi64(imbalance, _mm512_mullo_epi64(destination, sums.sources));
  }
  uint64_t lanes[8], sum = 0;
  _mm512_storeu_si512(lanes, imbalance); /* the intrinsic for the sum adds as signed numbers */
  for (int i = 0; i < 8; i++)
    sum += lanes[i];
  return sum;
}

static bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

static uint64_t share_imbalance(const struct qn_csr *csr, struct qn_csr_share share) {
#if defined(__x86_64__)
  if (csr->weights.type == QN_WEIGHT_NONE && has_avx512())
    return share_imbalance_avx512(csr, share);
#endif
  return share_imbalance_any(csr, share);
}

bool qn_csr_is_symmetric(const struct qn_csr *csr) {
  uint64_t parts = qn_csr_share_count(csr), imbalance = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : imbalance)
  for (uint64_t i = 0; i < parts; i++)
    imbalance += share_imbalance(csr, qn_csr_share_of(csr, parts, i));
  return imbalance == 0;
}
