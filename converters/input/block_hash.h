/* XXH3-128 of long data by all threads.
 *
 * A block of 1024 bytes adds numbers to the state that depend on nothing but the block, and only
 * then is the state stirred (XXH3's specification, "long" inputs). So the sums of blocks are found
 * in any order, and what is left to be done one after the other is a sixteenth of the data. */
#ifndef QN_CONVERTERS_INPUT_BLOCK_HASH_H
#define QN_CONVERTERS_INPUT_BLOCK_HASH_H

#include <stdbool.h>
#include <stdint.h>
#define XXH_STATIC_LINKING_ONLY /* for a state that is no secret */
#include <xxhash.h>

#define QN_HASH_BLOCK ((uint64_t)1024)

/* Hash on with [data, data + bytes), which are whole blocks that more than a block of data follows;
 * all that `state` has seen since its reset are whole blocks added here. By one thread. */
void qn_block_hash_add(XXH3_state_t *state, const void *data, uint64_t bytes);

/* Hash on with all that is left, by all threads, and end. False if there is no memory for that:
 * then the state is as it was. */
bool qn_block_hash_end(XXH3_state_t *state, const void *data, uint64_t bytes, XXH128_hash_t *hash);

#endif
