/* The blocks that edge lists are made of. Internal to the edge list and the builder. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "converters/edges/block_pool.h"
#include "converters/edges/edge_list.h"
#include "converters/edges/edge_marks.h"

/* At the beginning of a block of QN_BLOCK_BYTES:
 *
 *   narrow   u64 pairs[capacity]       source | destination << 32
 *   wide     u64 ids[2 * capacity]     source, destination
 *   then     weights[capacity]         of 4 or 8 bytes, if weight_type is not none
 *
 * A block of a view is only a header and the first and last of its pairs, which are narrow:
 * qn_edge_list_load makes it whole. */
struct qn_edge_block {
  uint64_t sequence; /* the stream's */
  uint64_t position; /* of the block in the stream */
  uint64_t largest;  /* id */
  uint32_t count;
  bool wide;
  bool ascending; /* by source, then destination */
  bool marked;    /* its ids are, in the list's marks */
  enum qn_weight_type weight_type;
  struct qn_edge_view view; /* zeroed: none */
  uint64_t part;            /* of the view */
};

#define QN_EDGE_BLOCK_HEADER 64
#define QN_EDGE_BLOCK_VIEW_BYTES (QN_EDGE_BLOCK_HEADER + 2 * sizeof(uint64_t))

static inline uint32_t qn_edge_block_capacity(bool wide, enum qn_weight_type type) {
  return (uint32_t)((QN_BLOCK_BYTES - QN_EDGE_BLOCK_HEADER) /
                    ((wide ? 16u : 8u) + qn_weight_bytes(type)));
}

static inline uint64_t *qn_edge_block_ids(struct qn_edge_block *block) {
  return (uint64_t *)((char *)block + QN_EDGE_BLOCK_HEADER);
}

static inline void *qn_edge_block_weights(struct qn_edge_block *block) {
  uint64_t capacity = qn_edge_block_capacity(block->wide, block->weight_type);
  return qn_edge_block_ids(block) + (block->wide ? 2 : 1) * capacity;
}

/* Edge `i` of a block, in the order that rows have. */
struct qn_edge_ends {
  uint64_t source, destination;
};

static inline struct qn_edge_ends qn_edge_block_ends(struct qn_edge_block *block, uint32_t i) {
  const uint64_t *ids = qn_edge_block_ids(block);
  if (block->wide)
    return (struct qn_edge_ends){ids[2 * (uint64_t)i], ids[2 * (uint64_t)i + 1]};
  return (struct qn_edge_ends){(uint32_t)ids[i], ids[i] >> 32};
}

static inline struct qn_edge_ends qn_edge_block_last(struct qn_edge_block *block) {
  return qn_edge_block_ends(block, block->view.push ? 1 : block->count - 1);
}

static inline bool qn_edge_is_before(struct qn_edge_ends a, struct qn_edge_ends b) {
  return a.source != b.source ? a.source < b.source : a.destination < b.destination;
}

struct qn_spill; /* spill.h */

struct qn_edge_list {
  struct qn_block_pool *pool;
  bool borrows_pool;
  pthread_mutex_t mutex; /* guards what follows */
  struct qn_edge_block **blocks;
  uint64_t num_blocks;
  uint64_t num_edges;
  uint64_t largest; /* id */
  struct qn_edge_marks marks;
  struct qn_writer *output; /* NULL: nobody said; else see qn_edge_list_fills */
  uint64_t output_bytes;
  uint64_t blocks_of[QN_WEIGHT_TYPES]; /* by weight type; emptied ones too */
  bool beyond_f32;                     /* some weight is no f32: see qn_f32_holds */
  bool binary_weights;                 /* see qn_edge_list_weights_are_binary */
  struct qn_spill *spill;              /* NULL in memory; else there are no blocks here */
  struct qn_kept *kept;                /* what views need, by qn_edge_list_keep */
  bool changed;                        /* a view gave other edges than before */
  long double rounded, rounding_error; /* see qn_edge_list_rounded */
};

/* Block `index` of a list in memory with its edges, which are in `*scratch` if it is one of a view;
 * that is taken from the pool when it is needed first, and is the caller's to give back. NULL if
 * that fails, of which qn_edge_list_load_failed tells. From any thread. */
struct qn_edge_block *qn_edge_list_load(struct qn_edge_list *list, uint64_t index,
                                        struct qn_edge_block **scratch);
enum qn_status qn_edge_list_load_failed(struct qn_edge_list *list, struct qn_error *error);
/* Let `take` have all blocks of a list in memory, from any thread and in no order. It loads what it
 * needs with the thread's own scratch, and may add to a sum over all blocks, which is returned in
 * `*sum`. False if it ever returned false; some blocks are left out then. */
typedef bool (*qn_edge_block_taker)(const void *context, uint64_t index,
                                    struct qn_edge_block **scratch, uint64_t *sum);
bool qn_edge_list_each(struct qn_edge_list *list, qn_edge_block_taker take, const void *context,
                       uint64_t *sum);

/* The block is not needed any more. */
void qn_edge_list_drop(struct qn_edge_list *list, uint64_t index);
