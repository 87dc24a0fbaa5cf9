/* The weights that an algorithm can compute with: not negative, and not too large. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <quern/container.h>

/* The largest weights, whole and real; weights of 4 bytes only must not be negative. */
struct qn_weight_limit {
  uint64_t whole;
  double real;
  double least; /* of real ones but 0 */
};

/* A weight of any type, by its bits, as the nearest double. */
static inline double qn_weight_real(enum qn_weight_type type, uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float narrow;
  double wide;
  memcpy(&narrow, &low, sizeof narrow);
  memcpy(&wide, &bits, sizeof wide);
  switch (type) {
  case QN_WEIGHT_U32:
    return low;
  case QN_WEIGHT_I64:
    return (double)(int64_t)bits;
  case QN_WEIGHT_F32:
    return (double)narrow;
  default:
    return wide;
  }
}

/* Is the weight 0, or not below zero and within the limit? NaN is not. */
static inline bool qn_weight_is_within(enum qn_weight_type type, uint64_t bits,
                                       const struct qn_weight_limit *limit) {
  double real = qn_weight_real(type, bits);
  switch (type) {
  case QN_WEIGHT_I64:
    return bits <= limit->whole; /* negative ones are larger */
  case QN_WEIGHT_F32:
    return real >= 0;
  case QN_WEIGHT_F64:
    return real == 0 || (real > 0 && real >= limit->least && real <= limit->real);
  default:
    return true;
  }
}

/* A weight, by its bits, for a message. */
#define QN_WEIGHT_TEXT 32
static inline const char *qn_weight_text(enum qn_weight_type type, uint64_t bits,
                                         char text[QN_WEIGHT_TEXT]) {
  if (type == QN_WEIGHT_F32 || type == QN_WEIGHT_F64)
    snprintf(text, QN_WEIGHT_TEXT, type == QN_WEIGHT_F32 ? "%.7g" : "%.15g",
             qn_weight_real(type, bits));
  else
    snprintf(text, QN_WEIGHT_TEXT, "%lld", (long long)bits);
  return text;
}
