/* The weight that is left of parallel edges: the least one, or their sum. Internal to the builder.
 */
#pragma once

#include <math.h>
#include <string.h>

#include "formats/graph/weight_limit.h"
#include <quern/container.h>
#include <quern/inline.h>

/* Real weights are added as doubles and rounded once; whole ones as 64 bits. */
struct qn_weight_merge {
  enum qn_weight_type type;
  bool sum; /* else the least */
  bool overflow;
  int64_t whole;
  double real;
};

QN_ALWAYS_INLINE int64_t qn_whole_of_bits(enum qn_weight_type type, uint64_t bits) {
  return type == QN_WEIGHT_U32 ? (int64_t)(uint32_t)bits : (int64_t)bits;
}

/* Begin with a weight of `type`, given by its bits. */
QN_ALWAYS_INLINE struct qn_weight_merge qn_weight_merge_begin(enum qn_weight_type type, bool sum,
                                                              uint64_t bits) {
  return (struct qn_weight_merge){.type = type,
                                  .sum = sum,
                                  .overflow = false,
                                  .whole = qn_whole_of_bits(type, bits),
                                  .real = qn_weight_real(type, bits)};
}

QN_ALWAYS_INLINE void qn_weight_merge_add(struct qn_weight_merge *merge, uint64_t bits) {
  if (merge->type == QN_WEIGHT_F32 || merge->type == QN_WEIGHT_F64) {
    double real = qn_weight_real(merge->type, bits);
    if (merge->sum)
      merge->real += real;
    else
      merge->real = real < merge->real ? real : merge->real;
    return;
  }
  int64_t whole = qn_whole_of_bits(merge->type, bits);
  if (merge->sum)
    merge->overflow |= __builtin_add_overflow(merge->whole, whole, &merge->whole);
  else
    merge->whole = whole < merge->whole ? whole : merge->whole;
}

/* The bits of what is left; false if its type does not hold it. */
QN_ALWAYS_INLINE bool qn_weight_merge_end(const struct qn_weight_merge *merge, uint64_t *bits) {
  float narrow = (float)merge->real;
  uint32_t low;
  switch (merge->type) {
  case QN_WEIGHT_F32:
    memcpy(&low, &narrow, sizeof low);
    *bits = low;
    return isfinite(narrow);
  case QN_WEIGHT_F64:
    memcpy(bits, &merge->real, sizeof *bits);
    return isfinite(merge->real);
  case QN_WEIGHT_I64:
    *bits = (uint64_t)merge->whole;
    return !merge->overflow;
  default:
    *bits = (uint64_t)merge->whole;
    return !merge->overflow && merge->whole <= UINT32_MAX;
  }
}
