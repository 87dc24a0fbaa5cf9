/* Random-looking bijections of [0, 2^bits) without memory: rounds of steps that are bijections
 * each, as in a block cipher. */
#pragma once

#include <stdint.h>

#include "support/random.h"

struct qn_permutation {
  uint64_t mask;
  unsigned shift;
  uint64_t factor[4]; /* odd */
  uint64_t offset[4];
};

/* The permutation of [0, 2^bits), bits < 64, that belongs to `key` (random.h). */
static inline struct qn_permutation qn_permutation_of(unsigned bits, uint64_t key) {
  struct qn_permutation permutation = {
      .mask = ((uint64_t)1 << bits) - 1, .shift = (bits + 1) / 2, .factor = {0}, .offset = {0}};
  for (unsigned i = 0; i < 4; i++) { /* of what is computed only the bits of the mask are kept */
    permutation.factor[i] = qn_random_at(key, 2 * i) | 1;
    permutation.offset[i] = qn_random_at(key, 2 * i + 1);
  }
  return permutation;
}

static inline uint64_t qn_permute(const struct qn_permutation *permutation, uint64_t value) {
  for (unsigned i = 0; i < 4; i++) {
    value = (value * permutation->factor[i] + permutation->offset[i]) & permutation->mask;
    /* A shift of 0 belongs to a single value. */
    value ^= permutation->shift ? value >> permutation->shift : 0;
  }
  return value;
}
