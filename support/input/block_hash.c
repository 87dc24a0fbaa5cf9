#include "support/input/block_hash.h"

#include <string.h>

#include "support/memory.h"
#include "support/multiversion.h"

enum { STRIPES = 16, STRIPE_BYTES = 64, SECRET_STEP = 8, STIRRING = 128 };

/* Blocks whose sums wait at a time: 64 MiB of data. */
#define BLOCKS_AT_ONCE ((uint64_t)1 << 16)
#define BLOCKS_OF_TASK ((uint64_t)1 << 10)

typedef uint64_t lanes __attribute__((vector_size(sizeof(struct qn_block_sum))));
enum { LANES = sizeof(struct qn_block_sum) / sizeof(uint64_t) };

static const uint8_t *secret_of(const XXH3_state_t *state) {
  return state->extSecret ? state->extSecret : state->customSecret;
}

/* What each block adds to the state. */
QN_VECTOR_CLONES
static void sum_blocks(const uint8_t *data, uint64_t blocks, const uint8_t *secret,
                       struct qn_block_sum *sums) {
  for (uint64_t block = 0; block < blocks; block++) {
    lanes values = {0}, products = {0};
    for (unsigned stripe = 0; stripe < STRIPES; stripe++, data += STRIPE_BYTES) {
      lanes value, key;
      memcpy(&value, data, sizeof value);
      memcpy(&key, secret + stripe * SECRET_STEP, sizeof key);
      key ^= value;
      values += value;
      products += (key & UINT32_MAX) * (key >> 32);
    }
    for (unsigned lane = 0; lane < LANES; lane++)
      sums[block].lanes[lane] = products[lane] + values[lane ^ 1];
  }
}

void qn_block_sums(const XXH3_state_t *state, const void *data, uint64_t blocks,
                   struct qn_block_sum *sums) {
  sum_blocks(data, blocks, secret_of(state), sums);
}

void qn_block_sums_add(XXH3_state_t *state, const struct qn_block_sum *sums, uint64_t blocks) {
  const uint64_t prime = 0x9E3779B1;
  lanes accumulated, stirring;
  memcpy(&accumulated, state->acc, sizeof accumulated);
  memcpy(&stirring, secret_of(state) + STIRRING, sizeof stirring);
  for (uint64_t block = 0; block < blocks; block++) {
    lanes sum;
    memcpy(&sum, &sums[block], sizeof sum);
    accumulated += sum;
    accumulated = (accumulated ^ (accumulated >> 47) ^ stirring) * prime;
  }
  memcpy(state->acc, &accumulated, sizeof accumulated);
  state->totalLen += blocks * QN_HASH_BLOCK;
}

void qn_block_hash_add(XXH3_state_t *state, const void *data, uint64_t bytes) {
  enum { FEW = 64 };
  struct qn_block_sum sums[FEW];
  const uint8_t *next = data;
  for (uint64_t left = bytes / QN_HASH_BLOCK, few; left > 0; left -= few) {
    few = left < FEW ? left : FEW;
    sum_blocks(next, few, secret_of(state), sums);
    qn_block_sums_add(state, sums, few);
    next += few * QN_HASH_BLOCK;
  }
}

static void add_by_all(XXH3_state_t *state, const uint8_t *data, uint64_t blocks,
                       struct qn_block_sum *sums) {
#pragma omp parallel for schedule(static)
  for (uint64_t first = 0; first < blocks; first += BLOCKS_OF_TASK) {
    uint64_t count = blocks - first < BLOCKS_OF_TASK ? blocks - first : BLOCKS_OF_TASK;
    sum_blocks(data + first * QN_HASH_BLOCK, count, secret_of(state), sums + first);
  }
  qn_block_sums_add(state, sums, blocks);
}

/* The library ends with more than the last block, which it looks back into. */
bool qn_block_hash_end(XXH3_state_t *state, const void *data, uint64_t bytes, XXH128_hash_t *hash) {
  const uint8_t *next = data;
  uint64_t blocks = qn_hash_blocks(bytes);
  uint64_t at_once = blocks < BLOCKS_AT_ONCE ? blocks : BLOCKS_AT_ONCE;
  struct qn_block_sum *sums;
  if (qn_pages_alloc(&sums, at_once, sizeof *sums, "sums of blocks", NULL))
    return false;
  for (uint64_t left = blocks, count; left > 0; left -= count) {
    count = left < at_once ? left : at_once;
    add_by_all(state, next, count, sums);
    next += count * QN_HASH_BLOCK;
  }
  qn_pages_free(sums, at_once, sizeof *sums);
  XXH3_128bits_update(state, next, bytes - blocks * QN_HASH_BLOCK);
  *hash = XXH3_128bits_digest(state);
  return true;
}

void qn_hash_part_free(struct qn_hash_part *part) {
  qn_pages_free(part->sums, part->num_sums, sizeof *part->sums);
  *part = (struct qn_hash_part){0};
}
