/* Sorting the records of one bucket by their keys: a stable least-significant-digit radix sort in
 * two scratch arrays that stay in the cache. Internal to bucket_sort.c and bucket_write.c, which
 * inline it for each kind of record. */
#pragma once

#include <string.h>

#include "converters/build/edge_buckets.h"
#include <quern/inline.h>

/* ---- Records -------------------------------------------------------------- */

struct qn_wide_record {
  uint64_t key;
  uint64_t weight;
};

QN_ALWAYS_INLINE uint64_t qn_bucket_record_key(enum qn_bucket_record record, const void *records,
                                               uint64_t i) {
  switch (record) {
  case QN_RECORD_KEY32:
    return ((const uint32_t *)records)[i];
  case QN_RECORD_KEY64:
    return ((const uint64_t *)records)[i];
  case QN_RECORD_KEY32_WEIGHT:
    return ((const uint64_t *)records)[i] >> 32;
  default:
    return ((const struct qn_wide_record *)records)[i].key;
  }
}

QN_ALWAYS_INLINE uint64_t qn_bucket_record_weight(enum qn_bucket_record record, const void *records,
                                                  uint64_t i) {
  return record == QN_RECORD_KEY32_WEIGHT ? (uint32_t)((const uint64_t *)records)[i]
                                          : ((const struct qn_wide_record *)records)[i].weight;
}

QN_ALWAYS_INLINE void qn_bucket_record_copy(enum qn_bucket_record record, void *to, uint64_t j,
                                            const void *from, uint64_t i) {
  switch (record) {
  case QN_RECORD_KEY32:
    ((uint32_t *)to)[j] = ((const uint32_t *)from)[i];
    break;
  case QN_RECORD_KEY64:
  case QN_RECORD_KEY32_WEIGHT:
    ((uint64_t *)to)[j] = ((const uint64_t *)from)[i];
    break;
  case QN_RECORD_KEY64_WEIGHT:
  case QN_RECORD_KEY64_WIDE_WEIGHT:
    ((struct qn_wide_record *)to)[j] = ((const struct qn_wide_record *)from)[i];
    break;
  }
}

/* ---- Digits --------------------------------------------------------------- */

/* Bytes: the lines that 256 values are written to stay in the first-level cache. */
#define QN_DIGIT_BITS 8
#define QN_DIGIT_VALUES (1 << QN_DIGIT_BITS)
#define QN_MAX_DIGITS 8
/* Buckets of fewer records are sorted by insertion. */
#define QN_TINY_BUCKET 48

/* A thread's working memory. */
struct qn_sort_scratch {
  char *one, *two; /* room for the largest bucket each */
  struct qn_piece *pieces;
  /* For each digit and value: how many records have it; then where their next one goes. */
  uint64_t counters[QN_MAX_DIGITS][QN_DIGIT_VALUES];
};

/* Room for any bucket. Owned until destroy (NULL is allowed). */
enum qn_status qn_sort_scratch_create(const struct qn_edge_buckets *buckets,
                                      struct qn_sort_scratch **out, struct qn_error *error);
void qn_sort_scratch_destroy(const struct qn_edge_buckets *buckets,
                             struct qn_sort_scratch *scratch);

struct qn_sized_bucket {
  uint64_t records; /* 0: few */
  uint64_t bucket;
};

/* The buckets in their order, in which pages of the output are touched cheaply, but for large ones,
 * which come first: one that is begun last would keep a single thread busy. Give back with
 * qn_free. */
enum qn_status qn_edge_buckets_order(const struct qn_edge_buckets *buckets,
                                     struct qn_sized_bucket **order, struct qn_error *error);

QN_ALWAYS_INLINE unsigned qn_digit_of(uint64_t key, unsigned digit) {
  return key >> digit * QN_DIGIT_BITS & (QN_DIGIT_VALUES - 1);
}

/* Meanwhile the next piece is fetched, since pieces lie apart. */
QN_ALWAYS_INLINE void qn_count_digits(enum qn_bucket_record record, unsigned num_digits,
                                      const struct qn_piece *pieces, uint64_t num_pieces,
                                      uint64_t counters[][QN_DIGIT_VALUES]) {
  for (uint64_t p = 0; p < num_pieces; p++) {
    const struct qn_piece piece = pieces[p];
    const char *next = pieces[p + 1 < num_pieces ? p + 1 : p].records;
    for (uint64_t i = 0; i < piece.count; i++) {
      uint64_t key = qn_bucket_record_key(record, piece.records, i);
      __builtin_prefetch(next + i * qn_bucket_record_width(record));
      for (unsigned d = 0; d < num_digits; d++)
        counters[d][qn_digit_of(key, d)]++;
    }
  }
}

/* Where each value of each digit begins, from one look at all keys. */
QN_ALWAYS_INLINE void qn_place_digits(enum qn_bucket_record record, unsigned num_digits,
                                      const struct qn_piece *pieces, uint64_t num_pieces,
                                      uint64_t counters[][QN_DIGIT_VALUES]) {
  memset(counters, 0, num_digits * sizeof *counters);
  if (num_digits == 4) /* keys of 32 bits */
    qn_count_digits(record, 4, pieces, num_pieces, counters);
  else
    qn_count_digits(record, num_digits, pieces, num_pieces, counters);
  for (unsigned d = 0; d < num_digits; d++) {
    uint64_t place = 0;
    for (unsigned value = 0; value < QN_DIGIT_VALUES; value++) {
      uint64_t records = counters[d][value];
      counters[d][value] = place;
      place += records;
    }
  }
}

QN_ALWAYS_INLINE void qn_sort_by_digit(enum qn_bucket_record record, unsigned digit,
                                       uint64_t *places, const struct qn_piece *pieces,
                                       uint64_t num_pieces, void *out) {
  for (uint64_t p = 0; p < num_pieces; p++) {
    const struct qn_piece piece = pieces[p];
    for (uint64_t i = 0; i < piece.count; i++) {
      unsigned value = qn_digit_of(qn_bucket_record_key(record, piece.records, i), digit);
      qn_bucket_record_copy(record, out, places[value]++, piece.records, i);
    }
  }
}

/* Sort records in the scratch's pieces by keys of `bits` bits; returns where they are. */
QN_ALWAYS_INLINE char *qn_sort_by_digits(enum qn_bucket_record record,
                                         struct qn_sort_scratch *scratch, uint64_t num_pieces,
                                         uint64_t count, unsigned bits) {
  unsigned num_digits = bits ? (bits + QN_DIGIT_BITS - 1) / QN_DIGIT_BITS : 1;
  const struct qn_piece *from = scratch->pieces;
  struct qn_piece whole = {scratch->two, count};
  char *to = scratch->one;
  qn_place_digits(record, num_digits, from, num_pieces, scratch->counters);
  for (unsigned d = 0; d < num_digits; d++) {
    qn_sort_by_digit(record, d, scratch->counters[d], from, num_pieces, to);
    char *free = whole.records;
    whole.records = to;
    from = &whole;
    num_pieces = 1;
    to = free;
  }
  return whole.records;
}

QN_ALWAYS_INLINE void qn_sort_by_insertion(enum qn_bucket_record record, void *records,
                                           uint64_t count) {
  struct qn_wide_record moved;
  for (uint64_t i = 1; i < count; i++) {
    uint64_t key = qn_bucket_record_key(record, records, i), j = i;
    qn_bucket_record_copy(record, &moved, 0, records, i);
    for (; j > 0 && qn_bucket_record_key(record, records, j - 1) > key; j--)
      qn_bucket_record_copy(record, records, j, records, j - 1);
    qn_bucket_record_copy(record, records, j, &moved, 0);
  }
}

/* Sort `count` records in the scratch's pieces into one of its arrays, which is returned. */
QN_ALWAYS_INLINE char *qn_sort_records(enum qn_bucket_record record,
                                       struct qn_sort_scratch *scratch, uint64_t num_pieces,
                                       uint64_t count, unsigned bits) {
  if (count > QN_TINY_BUCKET)
    return qn_sort_by_digits(record, scratch, num_pieces, count, bits);
  uint64_t n = 0;
  for (uint64_t p = 0; p < num_pieces; p++)
    for (uint64_t i = 0; i < scratch->pieces[p].count; i++)
      qn_bucket_record_copy(record, scratch->one, n++, scratch->pieces[p].records, i);
  qn_sort_by_insertion(record, scratch->one, count);
  return scratch->one;
}
