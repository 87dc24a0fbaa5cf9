/* Sorting of buckets whose equal records become one: what is left of a bucket goes back into its
 * chunks, so that the sizes of all are known before any is written. Where all records stay, sizes
 * are known beforehand, and sorting waits until writing (bucket_write.c). */
#include <stdlib.h>

#include "converters/build/bucket_radix.h"
#include "converters/build/weight_merge.h"
#include "formats/container/prefault.h"
#include "support/memory.h"
#include "support/threads.h"

QN_ALWAYS_INLINE void set_weight(enum qn_bucket_record record, void *records, uint64_t i,
                                 uint64_t weight) {
  if (record == QN_RECORD_KEY32_WEIGHT) {
    uint64_t *packed = (uint64_t *)records + i;
    *packed = (*packed & ~(uint64_t)UINT32_MAX) | weight;
  } else {
    ((struct qn_wide_record *)records)[i].weight = weight;
  }
}

/* ---- What sorting needs --------------------------------------------------- */

enum qn_status qn_sort_scratch_create(const struct qn_edge_buckets *buckets,
                                      struct qn_sort_scratch **out, struct qn_error *error) {
  const char *what = "sorting space";
  uint64_t bytes = buckets->shape.record_bytes;
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, what, error);
  if (status)
    return status;
  struct qn_sort_scratch *scratch = *out;
  if ((status = qn_pages_alloc(&scratch->one, buckets->most_records, bytes, what, error)) ||
      (status = qn_pages_alloc(&scratch->two, buckets->most_records, bytes, what, error)) ||
      (status = qn_alloc(&scratch->pieces, buckets->most_pieces, sizeof *scratch->pieces, what,
                         error))) {
    qn_sort_scratch_destroy(buckets, scratch);
    *out = NULL;
  }
  return status;
}

void qn_sort_scratch_destroy(const struct qn_edge_buckets *buckets,
                             struct qn_sort_scratch *scratch) {
  if (!scratch)
    return;
  qn_pages_free(scratch->one, buckets->most_records, buckets->shape.record_bytes);
  qn_pages_free(scratch->two, buckets->most_records, buckets->shape.record_bytes);
  qn_free(scratch->pieces);
  qn_free(scratch);
}

static int larger_first(const void *left, const void *right) {
  const struct qn_sized_bucket *a = left, *b = right;
  if (a->records != b->records)
    return a->records > b->records ? -1 : 1;
  return a->bucket < b->bucket ? -1 : 1;
}

/* Shares of the work, for each thread, that need not be begun first. */
#define SMALL_SHARES 64

enum qn_status qn_edge_buckets_order(const struct qn_edge_buckets *buckets,
                                     struct qn_sized_bucket **order, struct qn_error *error) {
  uint64_t num_buckets = buckets->shape.num_buckets, total = 0;
  enum qn_status status =
      qn_alloc(order, num_buckets, sizeof **order, "the order of buckets", error);
  if (status)
    return status;
  for (uint64_t b = 0; b < num_buckets; b++)
    total += buckets->counts[b];
  uint64_t small = total / SMALL_SHARES / qn_threads();
  for (uint64_t b = 0; b < num_buckets; b++) {
    uint64_t records = buckets->counts[b];
    (*order)[b] = (struct qn_sized_bucket){records > small ? records : 0, b};
  }
  if (num_buckets)
    qsort(*order, num_buckets, sizeof **order, larger_first);
  return QN_OK;
}

/* ---- Duplicates ----------------------------------------------------------- */

QN_ALWAYS_INLINE uint64_t keep_first(enum qn_bucket_record record, void *records, uint64_t count) {
  uint64_t kept = 0, previous = ~qn_bucket_record_key(record, records, 0);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t key = qn_bucket_record_key(record, records, i);
    qn_bucket_record_copy(record, records, kept, records, i);
    kept += key != previous;
    previous = key;
  }
  return kept;
}

/* The weight of records [first, end), which are equal but for weights; false if it overflows. */
QN_ALWAYS_INLINE bool merge_weights(enum qn_bucket_record record,
                                    const struct qn_sort_options *options, const void *records,
                                    uint64_t first, uint64_t end, uint64_t *merged) {
  struct qn_weight_merge merge =
      qn_weight_merge_begin(options->weight_type, options->duplicates == QN_DUPLICATES_SUM,
                            qn_bucket_record_weight(record, records, first));
  for (uint64_t i = first + 1; i < end; i++)
    qn_weight_merge_add(&merge, qn_bucket_record_weight(record, records, i));
  return qn_weight_merge_end(&merge, merged);
}

/* Returns how many records are left; `*overflow_key` is set and false returned where a weight
 * overflows. */
QN_ALWAYS_INLINE bool merge_equal(enum qn_bucket_record record,
                                  const struct qn_sort_options *options, void *records,
                                  uint64_t count, uint64_t *left, uint64_t *overflow_key) {
  uint64_t kept = 0;
  for (uint64_t first = 0, end; first < count; first = end) {
    uint64_t key = qn_bucket_record_key(record, records, first);
    for (end = first + 1; end < count && qn_bucket_record_key(record, records, end) == key;)
      end++;
    uint64_t weight;
    *overflow_key = key;
    if (!merge_weights(record, options, records, first, end, &weight))
      return false;
    qn_bucket_record_copy(record, records, kept, records, first);
    set_weight(record, records, kept++, weight);
  }
  *left = kept;
  return true;
}

/* ---- Buckets -------------------------------------------------------------- */

/* The sorted records go back to where the bucket's came from. */
QN_ALWAYS_INLINE void put_back(enum qn_bucket_record record, const struct qn_piece *pieces,
                               const char *records, uint64_t count) {
  uint64_t done = 0;
  for (uint64_t p = 0; done < count; p++) {
    uint64_t n = pieces[p].count < count - done ? pieces[p].count : count - done;
    for (uint64_t i = 0; i < n; i++)
      qn_bucket_record_copy(record, pieces[p].records, i, records, done + i);
    done += n;
  }
}

QN_ALWAYS_INLINE bool sort_bucket(enum qn_bucket_record record, struct qn_edge_buckets *buckets,
                                  uint64_t bucket, const struct qn_sort_options *options,
                                  struct qn_sort_scratch *scratch, uint64_t *overflow_key) {
  const struct qn_bucket_shape *shape = &buckets->shape;
  uint64_t count, left;
  uint64_t num_pieces = qn_bucket_pieces(buckets, bucket, scratch->pieces, &count);
  buckets->counts[bucket] = count;
  if (count == 0)
    return true;
  unsigned key_bits = shape->destination_bits + shape->source_bits;
  char *sorted = qn_sort_records(record, scratch, num_pieces, count, key_bits);
  left = count;
  if (options->duplicates == QN_DUPLICATES_REMOVE)
    left = keep_first(record, sorted, count);
  else if (qn_bucket_weight_bytes(record) &&
           !merge_equal(record, options, sorted, count, &left, overflow_key))
    return false;
  qn_bucket_pieces(buckets, bucket, scratch->pieces, &count);
  put_back(record, scratch->pieces, sorted, left);
  buckets->counts[bucket] = left;
  return true;
}

static bool sort_any_bucket(struct qn_edge_buckets *buckets, uint64_t bucket,
                            const struct qn_sort_options *options, struct qn_sort_scratch *scratch,
                            uint64_t *overflow_key) {
  switch (buckets->shape.record) {
  case QN_RECORD_KEY32:
    return sort_bucket(QN_RECORD_KEY32, buckets, bucket, options, scratch, overflow_key);
  case QN_RECORD_KEY64:
    return sort_bucket(QN_RECORD_KEY64, buckets, bucket, options, scratch, overflow_key);
  case QN_RECORD_KEY32_WEIGHT:
    return sort_bucket(QN_RECORD_KEY32_WEIGHT, buckets, bucket, options, scratch, overflow_key);
  case QN_RECORD_KEY64_WIDE_WEIGHT:
    return sort_bucket(QN_RECORD_KEY64_WIDE_WEIGHT, buckets, bucket, options, scratch,
                       overflow_key);
  default:
    return sort_bucket(QN_RECORD_KEY64_WEIGHT, buckets, bucket, options, scratch, overflow_key);
  }
}

/* Keep the overflow of the lowest bucket, so that the message does not depend on threads. */
static void note_overflow(const struct qn_bucket_shape *shape, uint64_t bucket, uint64_t key,
                          uint64_t *overflow_bucket, struct qn_sort_overflow *overflow) {
  if (overflow->found && *overflow_bucket < bucket)
    return;
  uint64_t mask = ((uint64_t)1 << shape->destination_bits) - 1;
  *overflow_bucket = bucket;
  overflow->found = true;
  overflow->source = (uint32_t)(bucket << shape->source_bits | key >> shape->destination_bits);
  overflow->destination = (uint32_t)(key & mask);
}

/* Sets `counts` to the records before sorting, and what one thread needs for any bucket. */
static void count_records(struct qn_edge_buckets *buckets) {
  uint64_t most_records = 0, most_pieces = 0;
#pragma omp parallel for schedule(static) reduction(max : most_records, most_pieces)
  for (uint64_t b = 0; b < buckets->shape.num_buckets; b++) {
    uint64_t pieces = qn_bucket_pieces(buckets, b, NULL, &buckets->counts[b]);
    most_records = buckets->counts[b] > most_records ? buckets->counts[b] : most_records;
    most_pieces = pieces > most_pieces ? pieces : most_pieces;
  }
  buckets->most_records = most_records;
  buckets->most_pieces = most_pieces;
}

/* Its edges will be written. */
static void expect_bucket(struct qn_edge_buckets *buckets, uint64_t bucket) {
  const uint64_t count = buckets->counts[bucket];
  const uint64_t edges = __atomic_add_fetch(&buckets->output_edges, count, __ATOMIC_RELAXED);
  if (buckets->output)
    qn_writer_expect(buckets->output, buckets->output_head +
                                          edges * (sizeof(uint32_t) +
                                                   qn_bucket_weight_bytes(buckets->shape.record)));
}

static enum qn_status sort_all(struct qn_edge_buckets *buckets, const struct qn_sized_bucket *order,
                               const struct qn_sort_options *options,
                               struct qn_sort_overflow *overflow, struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t overflow_bucket = 0;
#pragma omp parallel
  {
    struct qn_sort_scratch *scratch = NULL;
    struct qn_error mine;
    enum qn_status my_status = qn_sort_scratch_create(buckets, &scratch, &mine);
    if (my_status) {
#pragma omp critical(qn_edge_buckets_sort)
      {
        status = my_status;
        if (error)
          *error = mine;
      }
    }
#pragma omp for schedule(dynamic)
    for (uint64_t i = 0; i < buckets->shape.num_buckets; i++) {
      uint64_t key, b = order[i].bucket;
      if (my_status)
        continue;
      if (sort_any_bucket(buckets, b, options, scratch, &key)) {
        expect_bucket(buckets, b);
        continue;
      }
#pragma omp critical(qn_edge_buckets_sort)
      note_overflow(&buckets->shape, b, key, &overflow_bucket, overflow);
    }
    qn_sort_scratch_destroy(buckets, scratch);
  }
  return status;
}

enum qn_status qn_edge_buckets_sort(struct qn_edge_buckets *buckets,
                                    const struct qn_sort_options *options,
                                    struct qn_sort_overflow *overflow, struct qn_error *error) {
  struct qn_sized_bucket *order;
  overflow->found = false;
  count_records(buckets);
  if (options->duplicates == QN_DUPLICATES_KEEP)
    return QN_OK;
  enum qn_status status = qn_edge_buckets_order(buckets, &order, error);
  if (!status)
    status = sort_all(buckets, order, options, overflow, error);
  buckets->sorted = !status;
  qn_free(order);
  return status;
}
