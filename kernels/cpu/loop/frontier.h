/* A set of vertices, as a bitmap (for pulling: is u in it?), as a queue (for
 * pushing: go through it), or as both. */
#ifndef QN_KERNELS_CPU_LOOP_FRONTIER_H
#define QN_KERNELS_CPU_LOOP_FRONTIER_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_frontier {
  uint64_t num_vertices;
  uint64_t count;  /* members */
  uint64_t *bits;  /* [ceil(V / 64)]; the members if `marked`, else all zero */
  uint32_t *queue; /* [V]; its first `count` entries are the members in any order, if `queued` */
  bool marked;
  bool queued;
};

/* An empty set of vertices < num_vertices. */
enum qn_status qn_frontier_create(struct qn_frontier *frontier, uint64_t num_vertices,
                                  struct qn_error *error);
/* A zeroed frontier is allowed. */
void qn_frontier_destroy(struct qn_frontier *frontier);

/* Empty the set; both forms are valid afterwards. */
void qn_frontier_clear(struct qn_frontier *frontier);

/* Make the queue, in ascending order, and `count` from the bitmap, unless it is valid. */
void qn_frontier_enqueue(struct qn_frontier *frontier);
/* Make the bitmap from the queue, unless it is valid. */
void qn_frontier_mark(struct qn_frontier *frontier);

/* Words of the bitmap, each 64 vertices. */
static inline uint64_t qn_frontier_words(const struct qn_frontier *frontier) {
  return (frontier->num_vertices + 63) / 64;
}

static inline bool qn_frontier_has(const struct qn_frontier *frontier, uint64_t vertex) {
  return frontier->bits[vertex / 64] >> (vertex % 64) & 1;
}

/* Insert into the bitmap alone, from any thread; true if `vertex` was not in it. */
static inline bool qn_frontier_insert(struct qn_frontier *frontier, uint64_t vertex) {
  uint64_t *word = &frontier->bits[vertex / 64];
  uint64_t bit = (uint64_t)1 << (vertex % 64);
  if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit)
    return false;
  return !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
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

#ifdef __cplusplus
}
#endif
#endif
