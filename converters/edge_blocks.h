/* The blocks that edge lists are made of. Internal to the edge list and the builder. */
#ifndef QN_CONVERTERS_EDGE_BLOCKS_H
#define QN_CONVERTERS_EDGE_BLOCKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "converters/block_pool.h"
#include "converters/edge_list.h"

#ifdef __cplusplus
extern "C" {
#endif

/* At the beginning of a block of QN_BLOCK_BYTES:
 *
 *   narrow   u64 pairs[capacity]       source | destination << 32
 *   wide     u64 ids[2 * capacity]     source, destination
 *   then     u32 weights[capacity]     if weight_type is not none */
struct qn_edge_block {
  uint64_t sequence; /* the stream's */
  uint64_t position; /* of the block in the stream */
  uint64_t largest;  /* id */
  uint32_t count;
  bool wide;
  enum qn_weight_type weight_type;
};

#define QN_EDGE_BLOCK_HEADER 64

static inline uint32_t qn_edge_block_capacity(bool wide, bool weighted) {
  return (uint32_t)((QN_BLOCK_BYTES - QN_EDGE_BLOCK_HEADER) /
                    ((wide ? 16u : 8u) + (weighted ? 4u : 0u)));
}

static inline uint64_t *qn_edge_block_ids(struct qn_edge_block *block) {
  return (uint64_t *)((char *)block + QN_EDGE_BLOCK_HEADER);
}

static inline uint32_t *qn_edge_block_weights(struct qn_edge_block *block) {
  bool weighted = block->weight_type != QN_WEIGHT_NONE;
  return (uint32_t *)(qn_edge_block_ids(block) + (uint64_t)(block->wide ? 2 : 1) *
                                                     qn_edge_block_capacity(block->wide, weighted));
}

struct qn_spill; /* spill.h */

struct qn_edge_list {
  struct qn_block_pool *pool;
  pthread_mutex_t mutex; /* guards what follows */
  struct qn_edge_block **blocks;
  uint64_t num_blocks;
  uint64_t num_edges;
  uint64_t largest;       /* id */
  uint64_t blocks_of[3];  /* by weight type; emptied ones too */
  struct qn_spill *spill; /* NULL in memory; else there are no blocks here */
};

#ifdef __cplusplus
}
#endif
#endif
