/* Edges spread over buckets by range of source vertices, each sorted by itself
 * where it fits into the cache. Internal to the builder.
 *
 * In a bucket an edge is a record whose key is the source's offset in the range,
 * then the destination: in 32 bits where both fit, else in 64. Records lie in chained
 * chunks, one chain for each bucket and lane; a lane is filled by one thread,
 * and holds edges that come before those of the next lane in input order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/build/build.h"
#include "converters/edges/block_pool.h"
#include <quern/graph.h>

enum qn_bucket_record {
  QN_RECORD_KEY32,             /* u32 key */
  QN_RECORD_KEY64,             /* u64 key */
  QN_RECORD_KEY32_WEIGHT,      /* u64: key << 32 | weight */
  QN_RECORD_KEY64_WEIGHT,      /* u64 key, u64 weight */
  QN_RECORD_KEY64_WIDE_WEIGHT, /* the same; the weight takes 8 bytes outside, too */
};

static inline unsigned qn_bucket_record_width(enum qn_bucket_record record) {
  return record == QN_RECORD_KEY32 ? 4 : record >= QN_RECORD_KEY64_WEIGHT ? 16 : 8;
}

/* The bytes of a record's weight where it does not lie in records. */
static inline unsigned qn_bucket_weight_bytes(enum qn_bucket_record record) {
  return record == QN_RECORD_KEY64_WIDE_WEIGHT ? 8 : record >= QN_RECORD_KEY32_WEIGHT ? 4 : 0;
}

struct qn_bucket_shape {
  uint64_t num_rows; /* sources are below it */
  uint64_t num_buckets;
  uint64_t chunk_bytes;      /* a power of two up to QN_BLOCK_BYTES */
  unsigned destination_bits; /* of a key, the low ones */
  unsigned source_bits;      /* of a key, above; the bucket is source >> source_bits */
  enum qn_bucket_record record;
  unsigned record_bytes;
};

/* A good shape for `num_edges` edges from `num_rows` of `num_vertices` vertices, sorted by `lanes`
 * threads. */
struct qn_bucket_shape qn_bucket_shape_for(uint64_t num_rows, uint64_t num_vertices,
                                           uint64_t num_edges, unsigned weight_bytes,
                                           uint64_t lanes);

/* The same rows in as many buckets, for so many edges with other weights. */
struct qn_bucket_shape qn_bucket_shape_like(const struct qn_bucket_shape *shape, uint64_t num_edges,
                                            unsigned weight_bytes, uint64_t lanes);

struct qn_lane {
  uintptr_t *tails; /* [num_buckets]: where the next record goes; at a multiple of chunk_bytes
                       the chunk before it is full */
  char *carving;    /* rest of the block that chunks are cut from */
  char *carving_end;
};

struct qn_edge_buckets {
  struct qn_bucket_shape shape;
  struct qn_block_pool *pool;
  struct qn_lane *lanes;
  uint64_t num_lanes;
  uintptr_t free_chunks; /* the first one, linked as those of a chain; 0: none */
  /* After qn_edge_buckets_sort: */
  uint64_t *counts;      /* [num_buckets]: records that are left */
  uint64_t most_records; /* of any bucket, before */
  uint64_t most_pieces;
  bool sorted; /* else qn_edge_buckets_write sorts */
  /* NULL, or what the edges go to, behind `output_head` bytes: its pages are taken while the
   * buckets are sorted. */
  struct qn_writer *output;
  uint64_t output_head;
  uint64_t output_edges; /* atomic */
};

enum qn_status qn_edge_buckets_create(struct qn_block_pool *pool,
                                      const struct qn_bucket_shape *shape, uint64_t num_lanes,
                                      struct qn_edge_buckets *buckets, struct qn_error *error);
/* The chunks stay in the pool. */
void qn_edge_buckets_destroy(struct qn_edge_buckets *buckets);

/* Add `count` edges (source | destination << 32) to a lane; with the reverse of each that is no
 * loop if `both`. `weights` is NULL without. QN_SYSTEM if memory ran out. */
enum qn_status qn_edge_buckets_add(struct qn_edge_buckets *buckets, uint64_t lane,
                                   const uint64_t *pairs, const void *weights, uint64_t count,
                                   bool both);

/* Add records as they lie in a bucket of the same shape. From one thread at a time. */
enum qn_status qn_edge_buckets_put(struct qn_edge_buckets *buckets, uint64_t lane, uint64_t bucket,
                                   const char *records, uint64_t count);
/* Empty a bucket: its chunks are used again. From one thread at a time. */
void qn_edge_buckets_drop(struct qn_edge_buckets *buckets, uint64_t bucket);

/* ---- Sorting and writing (bucket_sort.c, bucket_write.c) ------------------- */

struct qn_sort_options {
  enum qn_duplicates duplicates;
  enum qn_weight_type weight_type;
};

/* Where a sum of weights left its type. */
struct qn_sort_overflow {
  bool found;
  uint32_t source, destination;
};

/* Treat duplicates, for which every bucket is sorted unless they are kept; fills `counts`. */
enum qn_status qn_edge_buckets_sort(struct qn_edge_buckets *buckets,
                                    const struct qn_sort_options *options,
                                    struct qn_sort_overflow *overflow, struct qn_error *error);

/* Write the buckets as CSR arrays: row_offsets [num_rows + 1], columns [sum of counts], weights
 * alike (NULL without). The columns follow `first_edge` others of earlier rows, which the offsets
 * count too. */
enum qn_status qn_edge_buckets_write(const struct qn_edge_buckets *buckets, uint64_t first_edge,
                                     uint64_t *row_offsets, uint32_t *columns, void *weights,
                                     struct qn_error *error);

/* Records of a bucket that one chunk holds. */
struct qn_piece {
  char *records;
  uint64_t count;
};

/* The pieces of a bucket in input order, into `pieces` if that is not NULL; returns their number.
 * `*records` is the sum of their counts. */
uint64_t qn_bucket_pieces(const struct qn_edge_buckets *buckets, uint64_t bucket,
                          struct qn_piece *pieces, uint64_t *records);
