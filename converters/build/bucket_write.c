/* Writing of buckets as rows. Those that are not sorted yet are sorted on the way: the last digit
 * takes every record to its place among the columns, and says where rows begin. */
#include <string.h>

#include "converters/build/bucket_radix.h"
#include "support/memory.h"
#include "support/multiversion.h"

/* Where the bucket's part of the arrays is. */
struct target {
  uint64_t *rows; /* [num_rows]: the bucket's first one and on */
  uint64_t num_rows;
  uint64_t first_edge; /* of all, for `rows` */
  uint32_t *columns;   /* the bucket's first one */
  void *weights;       /* the same, NULL without */
};

QN_ALWAYS_INLINE void write_sorted(enum qn_bucket_record record,
                                   const struct qn_bucket_shape *shape,
                                   const struct qn_piece *pieces, uint64_t count,
                                   const struct target *target) {
  const unsigned destination_bits = shape->destination_bits; /* columns might alias the shape */
  uint64_t mask = ((uint64_t)1 << destination_bits) - 1, row = 0, edge = 0;
  for (uint64_t p = 0; edge < count; p++) {
    uint64_t n = pieces[p].count < count - edge ? pieces[p].count : count - edge;
    for (uint64_t i = 0; i < n; i++, edge++) {
      uint64_t key = qn_bucket_record_key(record, pieces[p].records, i);
      while (row <= key >> destination_bits)
        target->rows[row++] = target->first_edge + edge;
      target->columns[edge] = (uint32_t)(key & mask);
      if (qn_bucket_weight_bytes(record))
        qn_weight_store(target->weights, qn_bucket_weight_bytes(record), edge,
                        qn_bucket_record_weight(record, pieces[p].records, i));
    }
  }
  while (row < target->num_rows)
    target->rows[row++] = target->first_edge + count;
}

/* ---- Buckets -------------------------------------------------------------- */

QN_ALWAYS_INLINE void write_bucket(enum qn_bucket_record record,
                                   const struct qn_edge_buckets *buckets, uint64_t bucket,
                                   struct qn_sort_scratch *scratch, const struct target *target) {
  uint64_t records;
  uint64_t num_pieces = qn_bucket_pieces(buckets, bucket, scratch->pieces, &records);
  if (!buckets->sorted && records) {
    unsigned bits = buckets->shape.destination_bits + buckets->shape.source_bits;
    scratch->pieces[0].records = qn_sort_records(record, scratch, num_pieces, records, bits);
    scratch->pieces[0].count = records;
  }
  write_sorted(record, &buckets->shape, scratch->pieces, buckets->counts[bucket], target);
}

QN_SCALAR_CLONES static void write_any_bucket(const struct qn_edge_buckets *buckets,
                                              uint64_t bucket, struct qn_sort_scratch *scratch,
                                              const struct target *target) {
  switch (buckets->shape.record) {
  case QN_RECORD_KEY32:
    write_bucket(QN_RECORD_KEY32, buckets, bucket, scratch, target);
    break;
  case QN_RECORD_KEY64:
    write_bucket(QN_RECORD_KEY64, buckets, bucket, scratch, target);
    break;
  case QN_RECORD_KEY32_WEIGHT:
    write_bucket(QN_RECORD_KEY32_WEIGHT, buckets, bucket, scratch, target);
    break;
  case QN_RECORD_KEY64_WEIGHT:
    write_bucket(QN_RECORD_KEY64_WEIGHT, buckets, bucket, scratch, target);
    break;
  case QN_RECORD_KEY64_WIDE_WEIGHT:
    write_bucket(QN_RECORD_KEY64_WIDE_WEIGHT, buckets, bucket, scratch, target);
    break;
  }
}

/* The arrays of all buckets, and where each one's edges begin. */
struct arrays {
  uint64_t edges_above;
  const uint64_t *firsts;
  uint64_t *rows;
  uint32_t *columns;
  char *weights;
};

static struct target target_of(const struct qn_bucket_shape *shape, const struct arrays *arrays,
                               uint64_t bucket) {
  uint64_t row = bucket << shape->source_bits, end = (bucket + 1) << shape->source_bits;
  uint64_t first = arrays->firsts[bucket];
  return (struct target){
      .rows = arrays->rows + row,
      .num_rows = (end < shape->num_rows ? end : shape->num_rows) - row,
      .first_edge = arrays->edges_above + first,
      .columns = arrays->columns + first,
      .weights =
          arrays->weights ? arrays->weights + first * qn_bucket_weight_bytes(shape->record) : NULL,
  };
}

static enum qn_status write_all(const struct qn_edge_buckets *buckets,
                                const struct qn_sized_bucket *order, const struct arrays *arrays,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel
  {
    struct qn_sort_scratch *scratch;
    struct qn_error mine;
    enum qn_status my_status = qn_sort_scratch_create(buckets, &scratch, &mine);
    if (my_status) {
#pragma omp critical(qn_edge_buckets_write)
      {
        status = my_status;
        if (error)
          *error = mine;
      }
    }
#pragma omp for schedule(dynamic)
    for (uint64_t i = 0; i < buckets->shape.num_buckets; i++) {
      struct target target = target_of(&buckets->shape, arrays, order[i].bucket);
      if (!my_status)
        write_any_bucket(buckets, order[i].bucket, scratch, &target);
    }
    qn_sort_scratch_destroy(buckets, scratch);
  }
  return status;
}

enum qn_status qn_edge_buckets_write(const struct qn_edge_buckets *buckets, uint64_t first_edge,
                                     uint64_t *row_offsets, uint32_t *columns, void *weights,
                                     struct qn_error *error) {
  uint64_t num_buckets = buckets->shape.num_buckets, num_edges = 0;
  struct qn_sized_bucket *order = NULL;
  uint64_t *firsts;
  enum qn_status status =
      qn_alloc(&firsts, num_buckets, sizeof *firsts, "the places of buckets", error);
  if (status)
    return status;
  for (uint64_t b = 0; b < num_buckets; b++) {
    firsts[b] = num_edges;
    num_edges += buckets->counts[b];
  }
  struct arrays arrays = {first_edge, firsts, row_offsets, columns, weights};
  status = qn_edge_buckets_order(buckets, &order, error);
  if (!status)
    status = write_all(buckets, order, &arrays, error);
  row_offsets[buckets->shape.num_rows] = first_edge + num_edges;
  qn_free(order);
  qn_free(firsts);
  return status;
}
