/* Some of the edges of a row, each set of so many as likely as any other. Random numbers are a
 * function of `key` alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/random.h"
#include <quern/inline.h>

/* So few are chosen one by one, more by looking at every edge. */
#define QN_CHOOSE_FEW 32

QN_INLINE bool qn_is_among(const int64_t *chosen, uint64_t count, int64_t one) {
  bool found = false;
  for (uint64_t i = 0; i < count; i++)
    found |= chosen[i] == one;
  return found;
}

/* `count` of [0, length), at most `length` of them and few. Floyd's algorithm (Bentley, Floyd: A
 * Sample of Brilliance, CACM 1987). */
QN_INLINE void qn_choose_few(uint64_t key, uint64_t length, uint64_t count, int64_t *chosen) {
  for (uint64_t i = 0; i < count; i++) {
    const int64_t last = (int64_t)(length - count + i);
    const int64_t one = (int64_t)qn_random_below(qn_random_at(key, i), (uint64_t)last + 1);
    chosen[i] = qn_is_among(chosen, i, one) ? last : one;
  }
}

/* The next one of `count` of [0, length), from `i` on, when `found` are behind: `found` < `count`.
 * Algorithm S of Knuth: The Art of Computer Programming, volume 2, 3.4.2. */
QN_INLINE uint64_t qn_choose_next(uint64_t key, uint64_t length, uint64_t count, uint64_t found,
                                  uint64_t i) {
  while (qn_random_below(qn_random_at(key, i), length - i) >= count - found)
    i++;
  return i;
}

/* `count` of [0, length), at most `length` of them, by one of the two. */
QN_INLINE void qn_choose(uint64_t key, uint64_t length, uint64_t count, int64_t *chosen) {
  if (count <= QN_CHOOSE_FEW) {
    qn_choose_few(key, length, count, chosen);
    return;
  }
  for (uint64_t found = 0, i = 0; found < count; found++, i++) {
    i = qn_choose_next(key, length, count, found, i);
    chosen[found] = (int64_t)i;
  }
}

/* The neighbours on `count` edges of a row of `length`, in the row's order where they are many. */
QN_INLINE void qn_choose_neighbors(uint64_t key, const uint32_t *row, uint64_t length,
                                   uint64_t count, uint32_t *neighbors) {
  int64_t chosen[QN_CHOOSE_FEW];
  if (count < length && count <= QN_CHOOSE_FEW) {
    qn_choose_few(key, length, count, chosen);
    for (uint64_t i = 0; i < count; i++)
      neighbors[i] = row[chosen[i]];
    return;
  }
  for (uint64_t found = 0, i = 0; found < count; found++, i++) {
    i = count < length ? qn_choose_next(key, length, count, found, i) : i;
    neighbors[found] = row[i];
  }
}
