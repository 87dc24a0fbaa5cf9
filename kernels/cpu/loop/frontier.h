/* A set of vertices, as a bitmap (for pulling: is u in it?), as a queue (for
 * pushing: go through it), or as both. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

struct qn_frontier {
  uint64_t num_vertices;
  uint64_t count;  /* members */
  uint64_t *bits;  /* [ceil(V / 64)]; the members if `marked`, else all zero */
  uint32_t *queue; /* [V]; its first `count` entries are the members in any order, if `queued`;
                      NULL: there is none, and it never is */
  bool marked;
  bool queued;
};

/* An empty set of vertices < num_vertices. */
enum qn_status qn_frontier_create(struct qn_frontier *frontier, uint64_t num_vertices,
                                  struct qn_error *error);
/* The same without a queue: of any number of vertices. */
enum qn_status qn_frontier_create_bitmap(struct qn_frontier *frontier, uint64_t num_vertices,
                                         struct qn_error *error);
/* A zeroed frontier is allowed. */
void qn_frontier_destroy(struct qn_frontier *frontier);

/* Empty the set; all forms that it has are valid afterwards. */
void qn_frontier_clear(struct qn_frontier *frontier);

/* Make the queue, in ascending order, and `count` from the bitmap, unless they are valid. */
void qn_frontier_enqueue(struct qn_frontier *frontier);
/* Make the bitmap from the queue, unless it is valid. */
void qn_frontier_mark(struct qn_frontier *frontier);
/* The bitmap was written: count its members and queue them. */
void qn_frontier_adopt(struct qn_frontier *frontier);

static inline void qn_frontier_swap(struct qn_frontier *one, struct qn_frontier *other) {
  struct qn_frontier kept = *one;
  *one = *other;
  *other = kept;
}

/* Words of the bitmap, each 64 vertices. */
static inline uint64_t qn_frontier_words(const struct qn_frontier *frontier) {
  return (frontier->num_vertices + 63) / 64;
}

static inline bool qn_frontier_has(const struct qn_frontier *frontier, uint64_t vertex) {
  return frontier->bits[vertex / 64] >> (vertex % 64) & 1;
}

/* Which of word `word`'s bits are in [begin, end)? */
static inline uint64_t qn_bits_between(uint64_t word, uint64_t begin, uint64_t end) {
  uint64_t bits = ~(uint64_t)0;
  if (word == begin / 64)
    bits &= ~(uint64_t)0 << (begin % 64);
  if (word == (end - 1) / 64)
    bits &= ~(uint64_t)0 >> (63 - (end - 1) % 64);
  return bits;
}

/* Bits of bitmaps that other threads set, too. */
static inline bool qn_bit_is_set(const uint64_t *bits, uint64_t vertex) {
  return __atomic_load_n(&bits[vertex / 64], __ATOMIC_RELAXED) >> (vertex % 64) & 1;
}

/* True if the bit was not set. */
static inline bool qn_bit_set(uint64_t *bits, uint64_t vertex) {
  uint64_t bit = (uint64_t)1 << (vertex % 64);
  if (__atomic_load_n(&bits[vertex / 64], __ATOMIC_RELAXED) & bit)
    return false;
  return !(__atomic_fetch_or(&bits[vertex / 64], bit, __ATOMIC_RELAXED) & bit);
}

/* Insert into the bitmap alone, from any thread; true if `vertex` was not in it. */
static inline bool qn_frontier_insert(struct qn_frontier *frontier, uint64_t vertex) {
  return qn_bit_set(frontier->bits, vertex);
}

/* A thread's share of a queue being filled: members gather here and are moved in blocks. */
#define QN_QUEUE_BLOCK 1024
struct qn_queue_block {
  uint32_t count;
  uint32_t vertices[QN_QUEUE_BLOCK];
};

void qn_frontier_flush(struct qn_frontier *frontier, struct qn_queue_block *block);

/* Append to the queue; `vertex` must be new in the set. Flush the block at the end. */
static inline void qn_frontier_push(struct qn_frontier *frontier, struct qn_queue_block *block,
                                    uint32_t vertex) {
  if (block->count == QN_QUEUE_BLOCK)
    qn_frontier_flush(frontier, block);
  block->vertices[block->count++] = vertex;
}
