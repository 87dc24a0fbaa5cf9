/* Edges on disk, by the blocks of a set that they belong to. Threads add to it, each through a
 * sorter of its own; then a block's edges are read, in no order. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

/* An edge of a block: row and column, counted from its first ones. */
#define QN_BLOCK_EDGE(row, column) ((uint64_t)(row) | (uint64_t)(column) << 32)

struct qn_block_spill;
struct qn_block_sorter;

/* For `num_blocks` blocks, in the folder for temporary files. Owned until destroy; NULL is allowed
 * there. */
enum qn_status qn_block_spill_create(uint64_t num_blocks, struct qn_block_spill **out,
                                     struct qn_error *error);
void qn_block_spill_destroy(struct qn_block_spill *spill);

/* Of one thread. Closed by finish, also after a failure, which writes what is left. */
enum qn_status qn_block_sorter_open(struct qn_block_spill *spill, struct qn_block_sorter **out,
                                    struct qn_error *error);
enum qn_status qn_block_spill_add(struct qn_block_sorter *sorter, uint64_t block, uint64_t edge,
                                  struct qn_error *error);
enum qn_status qn_block_sorter_finish(struct qn_block_sorter *sorter, enum qn_status status,
                                      struct qn_error *error);

uint64_t qn_block_spill_count(const struct qn_block_spill *spill, uint64_t block);
/* The edges of a block: [qn_block_spill_count]. They can be had once: their space is given back. */
enum qn_status qn_block_spill_take(const struct qn_block_spill *spill, uint64_t block,
                                   uint64_t *edges, struct qn_error *error);
