/* Sorting and writing of buckets. Each is sorted by its keys with a stable
 * least-significant-digit radix sort, in two scratch arrays that stay in the cache;
 * duplicates are then neighbours, in input order. What is left goes back into the
 * bucket's chunks, so that the sizes of all are known before any is written. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "converters/buckets.h"
#include "support/memory.h"
#include "support/threads.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define MAX_DIGIT_BITS 11
/* Buckets of fewer records are sorted by digits of fewer bits: clearing the counters costs. */
#define SMALL_BUCKET 4096
#define SMALL_DIGIT_BITS 8
/* Fewer still: by insertion. */
#define TINY_BUCKET 48

struct wide_record {
  uint64_t key;
  uint64_t weight;
};

/* ---- Records -------------------------------------------------------------- */

ALWAYS_INLINE uint64_t key_at(enum qn_record record, const void *records, uint64_t i) {
  switch (record) {
  case QN_RECORD_KEY32:
    return ((const uint32_t *)records)[i];
  case QN_RECORD_KEY64:
    return ((const uint64_t *)records)[i];
  case QN_RECORD_KEY32_WEIGHT:
    return ((const uint64_t *)records)[i] >> 32;
  default:
    return ((const struct wide_record *)records)[i].key;
  }
}

ALWAYS_INLINE uint32_t weight_at(enum qn_record record, const void *records, uint64_t i) {
  return record == QN_RECORD_KEY32_WEIGHT
             ? (uint32_t)((const uint64_t *)records)[i]
             : (uint32_t)((const struct wide_record *)records)[i].weight;
}

ALWAYS_INLINE void set_weight(enum qn_record record, void *records, uint64_t i, uint32_t weight) {
  if (record == QN_RECORD_KEY32_WEIGHT) {
    uint64_t *packed = (uint64_t *)records + i;
    *packed = (*packed & ~(uint64_t)UINT32_MAX) | weight;
  } else {
    ((struct wide_record *)records)[i].weight = weight;
  }
}

ALWAYS_INLINE void copy_record(enum qn_record record, void *to, uint64_t j, const void *from,
                               uint64_t i) {
  switch (record) {
  case QN_RECORD_KEY32:
    ((uint32_t *)to)[j] = ((const uint32_t *)from)[i];
    break;
  case QN_RECORD_KEY64:
  case QN_RECORD_KEY32_WEIGHT:
    ((uint64_t *)to)[j] = ((const uint64_t *)from)[i];
    break;
  case QN_RECORD_KEY64_WEIGHT:
    ((struct wide_record *)to)[j] = ((const struct wide_record *)from)[i];
    break;
  }
}

/* ---- Sorting -------------------------------------------------------------- */

/* A thread's working memory. */
struct scratch {
  char *one, *two; /* room for the largest bucket each */
  struct qn_piece *pieces;
  uint64_t positions[1 << MAX_DIGIT_BITS];
};

ALWAYS_INLINE void sort_by_digit(enum qn_record record, uint64_t *positions, unsigned shift,
                                 unsigned bits, const struct qn_piece *pieces, uint64_t num_pieces,
                                 void *out) {
  uint64_t mask = ((uint64_t)1 << bits) - 1;
  memset(positions, 0, (mask + 1) * sizeof *positions);
  for (uint64_t p = 0; p < num_pieces; p++)
    for (uint64_t i = 0; i < pieces[p].count; i++)
      positions[key_at(record, pieces[p].records, i) >> shift & mask]++;
  uint64_t position = 0;
  for (uint64_t digit = 0; digit <= mask; digit++) {
    uint64_t count = positions[digit];
    positions[digit] = position;
    position += count;
  }
  for (uint64_t p = 0; p < num_pieces; p++)
    for (uint64_t i = 0; i < pieces[p].count; i++) {
      uint64_t digit = key_at(record, pieces[p].records, i) >> shift & mask;
      copy_record(record, out, positions[digit]++, pieces[p].records, i);
    }
}

ALWAYS_INLINE void sort_by_insertion(enum qn_record record, void *records, uint64_t count) {
  struct wide_record moved;
  for (uint64_t i = 1; i < count; i++) {
    uint64_t key = key_at(record, records, i), j = i;
    copy_record(record, &moved, 0, records, i);
    for (; j > 0 && key_at(record, records, j - 1) > key; j--)
      copy_record(record, records, j, records, j - 1);
    copy_record(record, records, j, &moved, 0);
  }
}

ALWAYS_INLINE void gather(enum qn_record record, const struct qn_piece *pieces, uint64_t num_pieces,
                          void *out) {
  uint64_t n = 0;
  for (uint64_t p = 0; p < num_pieces; p++)
    for (uint64_t i = 0; i < pieces[p].count; i++)
      copy_record(record, out, n++, pieces[p].records, i);
}

/* Sort `count` records by their keys of `bits` bits into one of the scratch arrays, which is
 * returned. */
ALWAYS_INLINE char *sort_records(enum qn_record record, struct scratch *scratch,
                                 uint64_t num_pieces, uint64_t count, unsigned bits) {
  if (count <= TINY_BUCKET || bits == 0) {
    gather(record, scratch->pieces, num_pieces, scratch->one);
    if (bits > 0)
      sort_by_insertion(record, scratch->one, count);
    return scratch->one;
  }
  unsigned most = count < SMALL_BUCKET ? SMALL_DIGIT_BITS : MAX_DIGIT_BITS;
  unsigned passes = (bits + most - 1) / most, width = (bits + passes - 1) / passes;
  const struct qn_piece *from = scratch->pieces;
  struct qn_piece whole;
  char *to = scratch->one, *other = scratch->two;
  for (unsigned shift = 0; shift < bits; shift += width) {
    unsigned digit_bits = bits - shift < width ? bits - shift : width;
    sort_by_digit(record, scratch->positions, shift, digit_bits, from, num_pieces, to);
    whole = (struct qn_piece){to, count};
    from = &whole;
    num_pieces = 1;
    to = other;
    other = whole.records;
  }
  return whole.records;
}

/* ---- Duplicates ----------------------------------------------------------- */

ALWAYS_INLINE uint64_t keep_first(enum qn_record record, void *records, uint64_t count) {
  uint64_t kept = 0, previous = ~key_at(record, records, 0);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t key = key_at(record, records, i);
    copy_record(record, records, kept, records, i);
    kept += key != previous;
    previous = key;
  }
  return kept;
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The weight of records [first, end), which are equal but for weights; false if it overflows. */
ALWAYS_INLINE bool merge_weights(enum qn_record record, const struct qn_sort_options *options,
                                 const void *records, uint64_t first, uint64_t end,
                                 uint32_t *merged) {
  bool sum = options->duplicates == QN_DUPLICATES_SUM;
  if (options->weight_type == QN_WEIGHT_F32) {
    double result = float_of(weight_at(record, records, first));
    for (uint64_t i = first + 1; i < end; i++) {
      double weight = float_of(weight_at(record, records, i));
      result = sum ? result + weight : weight < result ? weight : result;
    }
    *merged = bits_of_float((float)result);
    return isfinite((float)result);
  }
  uint64_t result = weight_at(record, records, first);
  for (uint64_t i = first + 1; i < end && result <= UINT32_MAX; i++) {
    uint64_t weight = weight_at(record, records, i);
    result = sum ? result + weight : weight < result ? weight : result;
  }
  *merged = (uint32_t)result;
  return result <= UINT32_MAX;
}

/* Returns how many records are left; `*overflow_key` is set and false returned where a weight
 * overflows. */
ALWAYS_INLINE bool merge_equal(enum qn_record record, const struct qn_sort_options *options,
                               void *records, uint64_t count, uint64_t *left,
                               uint64_t *overflow_key) {
  uint64_t kept = 0;
  for (uint64_t first = 0, end; first < count; first = end) {
    uint64_t key = key_at(record, records, first);
    for (end = first + 1; end < count && key_at(record, records, end) == key;)
      end++;
    uint32_t weight;
    *overflow_key = key;
    if (!merge_weights(record, options, records, first, end, &weight))
      return false;
    copy_record(record, records, kept, records, first);
    set_weight(record, records, kept++, weight);
  }
  *left = kept;
  return true;
}

/* ---- Buckets -------------------------------------------------------------- */

/* The sorted records go back to where the bucket's came from. */
ALWAYS_INLINE void put_back(enum qn_record record, const struct qn_piece *pieces,
                            const char *records, uint64_t count) {
  uint64_t done = 0;
  for (uint64_t p = 0; done < count; p++) {
    uint64_t n = pieces[p].count < count - done ? pieces[p].count : count - done;
    for (uint64_t i = 0; i < n; i++)
      copy_record(record, pieces[p].records, i, records, done + i);
    done += n;
  }
}

ALWAYS_INLINE bool sort_bucket(enum qn_record record, struct qn_buckets *buckets, uint64_t bucket,
                               const struct qn_sort_options *options, struct scratch *scratch,
                               uint64_t *overflow_key) {
  const struct qn_bucket_shape *shape = &buckets->shape;
  uint64_t count, left;
  uint64_t num_pieces = qn_bucket_pieces(buckets, bucket, scratch->pieces, &count);
  buckets->counts[bucket] = count;
  if (count == 0)
    return true;
  unsigned key_bits = shape->destination_bits + shape->source_bits;
  char *sorted = sort_records(record, scratch, num_pieces, count, key_bits);
  left = count;
  bool weighted = record == QN_RECORD_KEY32_WEIGHT || record == QN_RECORD_KEY64_WEIGHT;
  if (options->duplicates == QN_DUPLICATES_REMOVE)
    left = keep_first(record, sorted, count);
  else if (weighted && options->duplicates != QN_DUPLICATES_KEEP &&
           !merge_equal(record, options, sorted, count, &left, overflow_key))
    return false;
  qn_bucket_pieces(buckets, bucket, scratch->pieces, &count);
  put_back(record, scratch->pieces, sorted, left);
  buckets->counts[bucket] = left;
  return true;
}

static bool sort_any_bucket(struct qn_buckets *buckets, uint64_t bucket,
                            const struct qn_sort_options *options, struct scratch *scratch,
                            uint64_t *overflow_key) {
  switch (buckets->shape.record) {
  case QN_RECORD_KEY32:
    return sort_bucket(QN_RECORD_KEY32, buckets, bucket, options, scratch, overflow_key);
  case QN_RECORD_KEY64:
    return sort_bucket(QN_RECORD_KEY64, buckets, bucket, options, scratch, overflow_key);
  case QN_RECORD_KEY32_WEIGHT:
    return sort_bucket(QN_RECORD_KEY32_WEIGHT, buckets, bucket, options, scratch, overflow_key);
  default:
    return sort_bucket(QN_RECORD_KEY64_WEIGHT, buckets, bucket, options, scratch, overflow_key);
  }
}

/* What one thread needs for any bucket. */
struct limits {
  uint64_t records;
  uint64_t pieces;
};

/* Sets `counts` to the records before sorting, and `most_pieces`. */
static struct limits count_records(struct qn_buckets *buckets) {
  uint64_t records = 0, pieces = 0;
#pragma omp parallel for schedule(static) reduction(max : records, pieces)
  for (uint64_t b = 0; b < buckets->shape.num_buckets; b++) {
    uint64_t bucket_pieces = qn_bucket_pieces(buckets, b, NULL, &buckets->counts[b]);
    records = buckets->counts[b] > records ? buckets->counts[b] : records;
    pieces = bucket_pieces > pieces ? bucket_pieces : pieces;
  }
  buckets->most_pieces = pieces;
  return (struct limits){records, pieces};
}

struct sized_bucket {
  uint64_t records;
  uint64_t bucket;
};

static int larger_first(const void *left, const void *right) {
  const struct sized_bucket *a = left, *b = right;
  if (a->records != b->records)
    return a->records > b->records ? -1 : 1;
  return a->bucket < b->bucket ? -1 : 1;
}

/* The buckets, the largest first: one that is begun last would keep a single thread busy. */
static enum qn_status order_buckets(const struct qn_buckets *buckets, struct sized_bucket **order,
                                    struct qn_error *error) {
  uint64_t num_buckets = buckets->shape.num_buckets;
  enum qn_status status =
      qn_alloc(order, num_buckets, sizeof **order, "the order of buckets", error);
  for (uint64_t b = 0; b < num_buckets && !status; b++)
    (*order)[b] = (struct sized_bucket){buckets->counts[b], b};
  if (!status)
    qsort(*order, num_buckets, sizeof **order, larger_first);
  return status;
}

static void destroy_scratch(struct scratch *scratch, const struct limits *limits,
                            uint64_t record_bytes) {
  if (!scratch)
    return;
  qn_pages_free(scratch->one, limits->records, record_bytes);
  qn_pages_free(scratch->two, limits->records, record_bytes);
  qn_free(scratch->pieces);
  qn_free(scratch);
}

static enum qn_status create_scratch(struct scratch **out, const struct limits *limits,
                                     uint64_t record_bytes, struct qn_error *error) {
  const char *what = "sorting space";
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, what, error);
  if (status)
    return status;
  struct scratch *scratch = *out;
  if ((status = qn_pages_alloc(&scratch->one, limits->records, record_bytes, what, error)) ||
      (status = qn_pages_alloc(&scratch->two, limits->records, record_bytes, what, error)) ||
      (status = qn_alloc(&scratch->pieces, limits->pieces, sizeof *scratch->pieces, what, error))) {
    destroy_scratch(scratch, limits, record_bytes);
    *out = NULL;
  }
  return status;
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

enum qn_status qn_buckets_sort(struct qn_buckets *buckets, const struct qn_sort_options *options,
                               struct qn_sort_overflow *overflow, struct qn_error *error) {
  struct limits limits = count_records(buckets);
  struct sized_bucket *order;
  enum qn_status status = order_buckets(buckets, &order, error);
  uint64_t overflow_bucket = 0;
  overflow->found = false;
  if (status)
    return status;
#pragma omp parallel
  {
    struct scratch *scratch = NULL;
    struct qn_error mine;
    enum qn_status my_status =
        create_scratch(&scratch, &limits, buckets->shape.record_bytes, &mine);
    if (my_status) {
#pragma omp critical(qn_buckets_sort)
      {
        status = my_status;
        if (error)
          *error = mine;
      }
    }
#pragma omp for schedule(dynamic)
    for (uint64_t i = 0; i < buckets->shape.num_buckets; i++) {
      uint64_t key, b = order[i].bucket;
      if (my_status || sort_any_bucket(buckets, b, options, scratch, &key))
        continue;
#pragma omp critical(qn_buckets_sort)
      note_overflow(&buckets->shape, b, key, &overflow_bucket, overflow);
    }
    destroy_scratch(scratch, &limits, buckets->shape.record_bytes);
  }
  qn_free(order);
  return status;
}

/* ---- Writing -------------------------------------------------------------- */

/* Where the bucket's part of the arrays is. */
struct target {
  uint64_t first_row, end_row;
  uint64_t first_edge;  /* place in the arrays */
  uint64_t edges_above; /* that offsets count too */
  uint64_t *row_offsets;
  uint32_t *columns;
  uint32_t *weights;
};

ALWAYS_INLINE void write_bucket(enum qn_record record, const struct qn_bucket_shape *shape,
                                const struct qn_piece *pieces, uint64_t count,
                                const struct target *target) {
  bool weighted = record == QN_RECORD_KEY32_WEIGHT || record == QN_RECORD_KEY64_WEIGHT;
  uint64_t mask = ((uint64_t)1 << shape->destination_bits) - 1;
  uint64_t row = target->first_row, edge = target->first_edge, end = edge + count;
  for (uint64_t p = 0; edge < end; p++) {
    uint64_t n = pieces[p].count < end - edge ? pieces[p].count : end - edge;
    for (uint64_t i = 0; i < n; i++, edge++) {
      uint64_t key = key_at(record, pieces[p].records, i);
      uint64_t source = target->first_row + (key >> shape->destination_bits);
      while (row <= source)
        target->row_offsets[row++] = target->edges_above + edge;
      target->columns[edge] = (uint32_t)(key & mask);
      if (weighted)
        target->weights[edge] = weight_at(record, pieces[p].records, i);
    }
  }
  while (row < target->end_row)
    target->row_offsets[row++] = target->edges_above + end;
}

static void write_any_bucket(const struct qn_bucket_shape *shape, const struct qn_piece *pieces,
                             uint64_t count, const struct target *target) {
  switch (shape->record) {
  case QN_RECORD_KEY32:
    write_bucket(QN_RECORD_KEY32, shape, pieces, count, target);
    break;
  case QN_RECORD_KEY64:
    write_bucket(QN_RECORD_KEY64, shape, pieces, count, target);
    break;
  case QN_RECORD_KEY32_WEIGHT:
    write_bucket(QN_RECORD_KEY32_WEIGHT, shape, pieces, count, target);
    break;
  case QN_RECORD_KEY64_WEIGHT:
    write_bucket(QN_RECORD_KEY64_WEIGHT, shape, pieces, count, target);
    break;
  }
}

enum qn_status qn_buckets_write(const struct qn_buckets *buckets, uint64_t first_edge,
                                uint64_t *row_offsets, uint32_t *columns, uint32_t *weights,
                                struct qn_error *error) {
  const struct qn_bucket_shape *shape = &buckets->shape;
  uint64_t threads = qn_threads(), num_edges = 0, most_pieces = buckets->most_pieces;
  struct qn_piece *pieces = NULL;
  uint64_t *firsts = NULL;
  enum qn_status status =
      qn_alloc(&firsts, shape->num_buckets, sizeof *firsts, "the places of buckets", error);
  if (status)
    goto cleanup;
  status = qn_alloc(&pieces, threads * most_pieces, sizeof *pieces, "lists of chunks", error);
  if (status)
    goto cleanup;
  for (uint64_t b = 0; b < shape->num_buckets; b++) {
    firsts[b] = num_edges;
    num_edges += buckets->counts[b];
  }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (uint64_t b = 0; b < shape->num_buckets; b++) {
    struct qn_piece *mine = pieces + (uint64_t)omp_get_thread_num() * most_pieces;
    uint64_t records, next = (b + 1) << shape->source_bits;
    qn_bucket_pieces(buckets, b, mine, &records);
    struct target target = {.first_row = b << shape->source_bits,
                            .end_row = next < shape->num_rows ? next : shape->num_rows,
                            .first_edge = firsts[b],
                            .edges_above = first_edge,
                            .row_offsets = row_offsets,
                            .columns = columns,
                            .weights = weights};
    write_any_bucket(shape, mine, buckets->counts[b], &target);
  }
  row_offsets[shape->num_rows] = first_edge + num_edges;
cleanup:
  qn_free(firsts);
  qn_free(pieces);
  return status;
}
