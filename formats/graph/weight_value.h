/* Weights of any type as real numbers. */
#pragma once

#include <quern/graph.h>

/* The weight of an edge; 1 where the graph has none. */
static inline double qn_weight_value(const struct qn_weights *weights, uint64_t edge) {
  switch (weights->type) {
  case QN_WEIGHT_U32:
    return weights->u32[edge];
  case QN_WEIGHT_I64:
    return (double)weights->i64[edge];
  case QN_WEIGHT_F32:
    return weights->f32[edge];
  case QN_WEIGHT_F64:
    return weights->f64[edge];
  default:
    return 1;
  }
}
