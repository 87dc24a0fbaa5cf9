/* Equal blocks of memory that are taken and given back by many threads. The
 * memory of edges that have been read is used again for edges being sorted:
 * first touch costs more than use. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

/* Bytes of a block, and its alignment. */
#define QN_BLOCK_BYTES ((uint64_t)64 << 10)

struct qn_block_pool;

/* Owned until destroy, which frees all blocks; NULL is allowed there. */
enum qn_status qn_block_pool_create(struct qn_block_pool **out, struct qn_error *error);
void qn_block_pool_destroy(struct qn_block_pool *pool);

/* A block with any content, NULL if memory ran out (qn_block_pool_exhausted reports it). */
void *qn_block_take(struct qn_block_pool *pool);
void qn_block_give(struct qn_block_pool *pool, void *block);

/* All blocks are free again, whoever has them. */
void qn_block_pool_reset(struct qn_block_pool *pool);

/* Fill `error` for a failed qn_block_take. */
enum qn_status qn_block_pool_exhausted(const struct qn_block_pool *pool, struct qn_error *error);
