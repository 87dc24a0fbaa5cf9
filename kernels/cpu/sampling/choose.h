/* Some of the edges of a row, each set of so many as likely as any other. Random numbers are a
 * function of `key` alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/random.h"

/* So few are chosen one by one, more by looking at every edge. */
#define QN_CHOOSE_FEW 32

static inline bool qn_is_among(const int64_t *chosen, uint64_t count, int64_t one) {
  bool found = false;
  for (uint64_t i = 0; i < count; i++)
    found |= chosen[i] == one;
  return found;
}

/* `count` of [0, length), at most `length` of them and few. Floyd's algorithm (Bentley, Floyd: A
 * Sample of Brilliance, CACM 1987). */
static inline void qn_choose_few(uint64_t key, uint64_t length, uint64_t count, int64_t *chosen) {
  for (uint64_t i = 0; i < count; i++) {
    const int64_t last = (int64_t)(length - count + i);
    const int64_t one = (int64_t)qn_random_below(qn_random_at(key, i), (uint64_t)last + 1);
    chosen[i] = qn_is_among(chosen, i, one) ? last : one;
  }
}

/* The next one of `count` of [0, length), from `i` on, when `found` are behind: `found` < `count`.
 * Algorithm S of Knuth: The Art of Computer Programming, volume 2, 3.4.2. */
static inline uint64_t qn_choose_next(uint64_t key, uint64_t length, uint64_t count, uint64_t found,
                                      uint64_t i) {
  while (qn_random_below(qn_random_at(key, i), length - i) >= count - found)
    i++;
  return i;
}

/* `count` of [0, length), at most `length` of them, by one of the two. */
static inline void qn_choose(uint64_t key, uint64_t length, uint64_t count, int64_t *chosen) {
  if (count <= QN_CHOOSE_FEW) {
    qn_choose_few(key, length, count, chosen);
    return;
  }
  for (uint64_t found = 0, i = 0; found < count; found++, i++) {
    i = qn_choose_next(key, length, count, found, i);
    chosen[found] = (int64_t)i;
  }
}
