/* Searching arrays that ascend. */
#pragma once

#include <stdint.h>

/* The first i in [begin, end) with values[i] >= value; `end` if there is none. */
#define QN_DEFINE_LOWER_BOUND(type, name)                                                          \
  static inline uint64_t name(const type *values, uint64_t begin, uint64_t end, uint64_t value) {  \
    while (begin < end) {                                                                          \
      uint64_t middle = begin + (end - begin) / 2;                                                 \
      if (values[middle] < value)                                                                  \
        begin = middle + 1;                                                                        \
      else                                                                                         \
        end = middle;                                                                              \
    }                                                                                              \
    return begin;                                                                                  \
  }

/* Of ranges that begin at begins[i], i in [first, end), the one that `at` lies in: the last that
 * begins at or before it; `first` if all begin after it. */
#define QN_DEFINE_RANGE_AT(type, name)                                                             \
  static inline uint64_t name(const type *begins, uint64_t first, uint64_t end, uint64_t at) {     \
    while (end - first > 1) {                                                                      \
      uint64_t middle = first + (end - first) / 2;                                                 \
      if (begins[middle] <= at)                                                                    \
        first = middle;                                                                            \
      else                                                                                         \
        end = middle;                                                                              \
    }                                                                                              \
    return first;                                                                                  \
  }

QN_DEFINE_LOWER_BOUND(uint32_t, qn_lower_bound_u32)
QN_DEFINE_LOWER_BOUND(uint64_t, qn_lower_bound_u64)
QN_DEFINE_RANGE_AT(uint32_t, qn_range_at_u32)
QN_DEFINE_RANGE_AT(uint64_t, qn_range_at_u64)

#undef QN_DEFINE_LOWER_BOUND
#undef QN_DEFINE_RANGE_AT
