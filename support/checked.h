/* Overflow-checked arithmetic on sizes that come from input. Each function
 * returns true and stores the result, or returns false on overflow. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool qn_add_u64(uint64_t a, uint64_t b, uint64_t *sum) {
  return !__builtin_add_overflow(a, b, sum);
}

static inline bool qn_mul_u64(uint64_t a, uint64_t b, uint64_t *product) {
  return !__builtin_mul_overflow(a, b, product);
}

/* Round `value` up to a multiple of 2^log2. */
static inline bool qn_align_u64(uint64_t value, unsigned log2, uint64_t *aligned) {
  uint64_t mask = ((uint64_t)1 << log2) - 1;
  if (!qn_add_u64(value, mask, aligned))
    return false;
  *aligned &= ~mask;
  return true;
}
