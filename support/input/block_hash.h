/* XXH3-128 of long data by all threads.
 *
 * A block of 1024 bytes adds numbers to the state that depend on nothing but the block, and only
 * then is the state stirred (XXH3's specification, "long" inputs). So the sums of blocks are found
 * in any order, and what is left to be done one after the other is a sixteenth of the data. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#define XXH_STATIC_LINKING_ONLY /* for a state that is no secret */
#include <xxhash.h>

#define QN_HASH_BLOCK ((uint64_t)1024)

/* What a block adds. */
struct qn_block_sum {
  uint64_t lanes[8];
};

/* The blocks of so many bytes whose sums hash them, but for what follows: the library ends with
 * that, which is at most QN_HASH_END bytes. */
#define QN_HASH_END (2 * QN_HASH_BLOCK)
static inline uint64_t qn_hash_blocks(uint64_t bytes) {
  return bytes > QN_HASH_END ? bytes / QN_HASH_BLOCK - 1 : 0;
}

/* The sums of `blocks` blocks of a file that `state` is for, wherever they lie in it. */
void qn_block_sums(const XXH3_state_t *state, const void *data, uint64_t blocks,
                   struct qn_block_sum *sums);
/* Hash on with blocks that have these sums; the state is as for qn_block_hash_add. */
void qn_block_sums_add(XXH3_state_t *state, const struct qn_block_sum *sums, uint64_t blocks);

/* What part of a file, which others have read the rest of, does to its hash. */
struct qn_hash_part {
  struct qn_block_sum *sums; /* [num_sums] of the blocks that begin in it; by qn_hash_part_free */
  uint64_t num_sums;
  uint64_t file_bytes, end_bytes;
  char end[QN_HASH_END]; /* of the file */
};
void qn_hash_part_free(struct qn_hash_part *part);

/* Hash on with [data, data + bytes), which are whole blocks that more than a block of data follows;
 * all that `state` has seen since its reset are whole blocks added here. By one thread. */
void qn_block_hash_add(XXH3_state_t *state, const void *data, uint64_t bytes);

/* Hash on with all that is left, by all threads, and end. False if there is no memory for that:
 * then the state is as it was. */
bool qn_block_hash_end(XXH3_state_t *state, const void *data, uint64_t bytes, XXH128_hash_t *hash);
