#include "converters/build/edge_buckets.h"

#include <string.h>

#include "support/memory.h"
#include "support/multiversion.h"
#include <quern/inline.h>

/* A chunk begins with where the one before it in its chain is, and how many are before it: those
 * are full, so that nobody walks the chain to count its records. */
struct chunk_head {
  uintptr_t before; /* 0: none is */
  uint64_t num_before;
};
#define CHUNK_HEADER sizeof(struct chunk_head)

/* Records that sort well in a second-level cache. */
#define BUCKET_RECORDS ((uint64_t)64 << 10)
/* While buckets are filled each has a cache line in use. Many more lines than the second-level
 * cache holds still cost less than keys of twice the width. */
#define MAX_BUCKET_BITS 16
/* Fewer records of a bucket in a lane leave too much of their chunks empty. */
#define MIN_LANE_RECORDS 512
/* While records fill a line of the cache, the next one is fetched. */
#define LINE_BYTES 64
/* Rows that a bucket should not exceed, since one thread writes their offsets. */
#define BUCKET_ROW_BITS 20

static unsigned bits_of(uint64_t value) {
  return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

struct qn_bucket_shape qn_bucket_shape_for(uint64_t num_rows, uint64_t num_vertices,
                                           uint64_t num_edges, unsigned weight_bytes,
                                           uint64_t lanes) {
  struct qn_bucket_shape shape = {.num_rows = num_rows};
  unsigned vertex_bits = bits_of(num_vertices ? num_vertices - 1 : 0);
  unsigned row_bits = bits_of(num_rows ? num_rows - 1 : 0);
  unsigned bucket_bits = bits_of(num_edges / BUCKET_RECORDS);
  if (row_bits > BUCKET_ROW_BITS && bucket_bits < row_bits - BUCKET_ROW_BITS)
    bucket_bits = row_bits - BUCKET_ROW_BITS;
  /* Short keys halve the memory: have them where it only takes more buckets, and edges enough. */
  unsigned short_bits = vertex_bits + row_bits > 32 ? vertex_bits + row_bits - 32 : 0;
  if (weight_bytes < 8 && bucket_bits < short_bits && short_bits <= MAX_BUCKET_BITS &&
      num_edges >> short_bits >= MIN_LANE_RECORDS * lanes)
    bucket_bits = short_bits;
  if (bucket_bits > MAX_BUCKET_BITS)
    bucket_bits = MAX_BUCKET_BITS;
  if (bucket_bits > row_bits)
    bucket_bits = row_bits;
  shape.destination_bits = vertex_bits;
  shape.source_bits = row_bits - bucket_bits;
  shape.num_buckets = num_rows ? ((num_rows - 1) >> shape.source_bits) + 1 : 0;
  return qn_bucket_shape_like(&shape, num_edges, weight_bytes, lanes);
}

struct qn_bucket_shape qn_bucket_shape_like(const struct qn_bucket_shape *rows, uint64_t num_edges,
                                            unsigned weight_bytes, uint64_t lanes) {
  struct qn_bucket_shape shape = *rows;
  bool narrow = shape.destination_bits + shape.source_bits <= 32;
  shape.record = weight_bytes == 8   ? QN_RECORD_KEY64_WIDE_WEIGHT
                 : weight_bytes == 4 ? (narrow ? QN_RECORD_KEY32_WEIGHT : QN_RECORD_KEY64_WEIGHT)
                                     : (narrow ? QN_RECORD_KEY32 : QN_RECORD_KEY64);
  shape.record_bytes = qn_bucket_record_width(shape.record);
  /* A chain's last chunk is half empty: let that be about a sixteenth of all. */
  shape.chunk_bytes = QN_BLOCK_BYTES;
  while (shape.chunk_bytes > 1024 &&
         shape.chunk_bytes * 8 * lanes * shape.num_buckets > num_edges * shape.record_bytes)
    shape.chunk_bytes /= 2;
  return shape;
}

enum qn_status qn_edge_buckets_create(struct qn_block_pool *pool,
                                      const struct qn_bucket_shape *shape, uint64_t num_lanes,
                                      struct qn_edge_buckets *buckets, struct qn_error *error) {
  *buckets = (struct qn_edge_buckets){.shape = *shape, .pool = pool, .num_lanes = num_lanes};
  enum qn_status status = qn_alloc_zeroed(&buckets->lanes, num_lanes, sizeof *buckets->lanes,
                                          "the lanes of buckets", error);
  if (!status)
    status = qn_alloc_zeroed(&buckets->counts, shape->num_buckets, sizeof *buckets->counts,
                             "the sizes of buckets", error);
  for (uint64_t i = 0; i < num_lanes && !status; i++)
    status = qn_alloc_zeroed(&buckets->lanes[i].tails, shape->num_buckets,
                             sizeof *buckets->lanes[i].tails, "the ends of buckets", error);
  return status;
}

void qn_edge_buckets_destroy(struct qn_edge_buckets *buckets) {
  for (uint64_t i = 0; buckets->lanes && i < buckets->num_lanes; i++)
    qn_free(buckets->lanes[i].tails);
  qn_free(buckets->lanes);
  qn_free(buckets->counts);
  buckets->lanes = NULL;
  buckets->counts = NULL;
}

/* The place for the first record of a new chunk that is linked to the one that ends at `tail`
 * (0: none); 0 if memory ran out. */
static uintptr_t add_chunk(struct qn_edge_buckets *buckets, struct qn_lane *lane, uintptr_t tail) {
  uint64_t chunk_bytes = buckets->shape.chunk_bytes;
  struct chunk_head *chunk = (struct chunk_head *)buckets->free_chunks;
  if (chunk) {
    buckets->free_chunks = chunk->before;
  } else {
    if (lane->carving == lane->carving_end) {
      lane->carving = qn_block_take(buckets->pool);
      if (!lane->carving) {
        lane->carving_end = NULL;
        return 0;
      }
      lane->carving_end = lane->carving + QN_BLOCK_BYTES;
    }
    chunk = (struct chunk_head *)lane->carving;
    lane->carving += chunk_bytes;
  }
  chunk->before = tail ? tail - chunk_bytes : 0;
  chunk->num_before = tail ? ((const struct chunk_head *)chunk->before)->num_before + 1 : 0;
  return (uintptr_t)chunk + CHUNK_HEADER;
}

QN_ALWAYS_INLINE bool add_record(struct qn_edge_buckets *buckets,
                                 const struct qn_bucket_shape *shape, struct qn_lane *lane,
                                 enum qn_bucket_record record, uint64_t source,
                                 uint64_t destination, uint64_t weight) {
  uintptr_t *end = &lane->tails[source >> shape->source_bits];
  uint64_t offset = source & (((uint64_t)1 << shape->source_bits) - 1);
  uint64_t key = offset << shape->destination_bits | destination;
  uintptr_t tail = *end;
  if (__builtin_expect((tail & (shape->chunk_bytes - 1)) == 0, 0)) {
    tail = add_chunk(buckets, lane, tail);
    if (!tail)
      return false;
  }
  __builtin_prefetch((const void *)(tail + LINE_BYTES), 1);
  switch (record) {
  case QN_RECORD_KEY32:
    *(uint32_t *)tail = (uint32_t)key;
    *end = tail + 4;
    break;
  case QN_RECORD_KEY64:
    *(uint64_t *)tail = key;
    *end = tail + 8;
    break;
  case QN_RECORD_KEY32_WEIGHT:
    *(uint64_t *)tail = key << 32 | weight;
    *end = tail + 8;
    break;
  case QN_RECORD_KEY64_WEIGHT:
  case QN_RECORD_KEY64_WIDE_WEIGHT:
    ((uint64_t *)tail)[0] = key;
    ((uint64_t *)tail)[1] = weight;
    *end = tail + 16;
    break;
  }
  return true;
}

QN_ALWAYS_INLINE bool add_records(struct qn_edge_buckets *buckets, struct qn_lane *lane,
                                  enum qn_bucket_record record, const uint64_t *pairs,
                                  const void *weights, uint64_t count, bool both) {
  const struct qn_bucket_shape shape = buckets->shape; /* records might alias the buckets' own */
  for (uint64_t i = 0; i < count; i++) {
    uint64_t source = (uint32_t)pairs[i], destination = pairs[i] >> 32;
    uint64_t weight = weights ? qn_weight_load(weights, qn_bucket_weight_bytes(record), i) : 0;
    if (!add_record(buckets, &shape, lane, record, source, destination, weight))
      return false;
    if (both && source != destination &&
        !add_record(buckets, &shape, lane, record, destination, source, weight))
      return false;
  }
  return true;
}

QN_SCALAR_CLONES static bool add_any_records(struct qn_edge_buckets *buckets, struct qn_lane *to,
                                             const uint64_t *pairs, const void *weights,
                                             uint64_t count, bool both) {
  switch (buckets->shape.record) {
  case QN_RECORD_KEY32:
    return both ? add_records(buckets, to, QN_RECORD_KEY32, pairs, NULL, count, true)
                : add_records(buckets, to, QN_RECORD_KEY32, pairs, NULL, count, false);
  case QN_RECORD_KEY64:
    return add_records(buckets, to, QN_RECORD_KEY64, pairs, NULL, count, both);
  case QN_RECORD_KEY32_WEIGHT:
    return both ? add_records(buckets, to, QN_RECORD_KEY32_WEIGHT, pairs, weights, count, true)
                : add_records(buckets, to, QN_RECORD_KEY32_WEIGHT, pairs, weights, count, false);
  case QN_RECORD_KEY64_WIDE_WEIGHT:
    return add_records(buckets, to, QN_RECORD_KEY64_WIDE_WEIGHT, pairs, weights, count, both);
  default:
    return add_records(buckets, to, QN_RECORD_KEY64_WEIGHT, pairs, weights, count, both);
  }
}

enum qn_status qn_edge_buckets_add(struct qn_edge_buckets *buckets, uint64_t lane,
                                   const uint64_t *pairs, const void *weights, uint64_t count,
                                   bool both) {
  return add_any_records(buckets, &buckets->lanes[lane], pairs, weights, count, both) ? QN_OK
                                                                                      : QN_SYSTEM;
}

enum qn_status qn_edge_buckets_put(struct qn_edge_buckets *buckets, uint64_t lane, uint64_t bucket,
                                   const char *records, uint64_t count) {
  const struct qn_bucket_shape *shape = &buckets->shape;
  uintptr_t *end = &buckets->lanes[lane].tails[bucket];
  for (uint64_t left = count * shape->record_bytes, some; left; left -= some, records += some) {
    if ((*end & (shape->chunk_bytes - 1)) == 0) {
      const uintptr_t tail = add_chunk(buckets, &buckets->lanes[lane], *end);
      if (!tail)
        return QN_SYSTEM;
      *end = tail;
    }
    const uint64_t room = shape->chunk_bytes - (*end & (shape->chunk_bytes - 1));
    some = left < room ? left : room;
    memcpy((void *)*end, records, some);
    *end += some;
  }
  return QN_OK;
}

static uintptr_t last_chunk(const struct qn_bucket_shape *shape, uintptr_t tail) {
  return (tail - 1) & ~(uintptr_t)(shape->chunk_bytes - 1);
}

void qn_edge_buckets_drop(struct qn_edge_buckets *buckets, uint64_t bucket) {
  for (uint64_t i = 0; i < buckets->num_lanes; i++) {
    uintptr_t *tail = &buckets->lanes[i].tails[bucket];
    for (uintptr_t chunk = *tail ? last_chunk(&buckets->shape, *tail) : 0, before; chunk;
         chunk = before) {
      struct chunk_head *head = (struct chunk_head *)chunk;
      before = head->before;
      head->before = buckets->free_chunks;
      buckets->free_chunks = chunk;
    }
    *tail = 0;
  }
}

/* The pieces of one chain in order; returns how many. */
static uint64_t chain_pieces(const struct qn_bucket_shape *shape, uintptr_t tail,
                             struct qn_piece *pieces, uint64_t *records) {
  if (!tail)
    return 0;
  uintptr_t chunk = last_chunk(shape, tail);
  const uint64_t before = ((const struct chunk_head *)chunk)->num_before;
  const uint64_t last = (tail - chunk - CHUNK_HEADER) / shape->record_bytes;
  const uint64_t full = (shape->chunk_bytes - CHUNK_HEADER) / shape->record_bytes;
  *records += before * full + last;
  for (uint64_t i = before + 1; pieces && i-- > 0;
       chunk = ((const struct chunk_head *)chunk)->before)
    pieces[i] = (struct qn_piece){(char *)chunk + CHUNK_HEADER, i == before ? last : full};
  return before + 1;
}

uint64_t qn_bucket_pieces(const struct qn_edge_buckets *buckets, uint64_t bucket,
                          struct qn_piece *pieces, uint64_t *records) {
  uint64_t total = 0;
  *records = 0;
  for (uint64_t i = 0; i < buckets->num_lanes; i++)
    total += chain_pieces(&buckets->shape, buckets->lanes[i].tails[bucket],
                          pieces ? pieces + total : NULL, records);
  return total;
}
