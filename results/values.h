/* The values of a result. */
#pragma once

#include <math.h>

#include "kernels/registry.h"

/* Scale what is a direction so that its squares sum to 1. QN_UNSUPPORTED for values that grew
 * without bound. */
enum qn_status qn_result_scale(const struct qn_algorithm *algorithm,
                               const struct qn_arguments *arguments, struct qn_run_result *result,
                               struct qn_error *error);

/* Vertices that are values take 32 bits where all of them do, whatever kernels had. */
enum qn_status qn_result_narrow(const struct qn_algorithm *algorithm, struct qn_run_result *result,
                                struct qn_error *error);

/* One value as a number; INFINITY for "none". */
static inline double qn_value_number(const struct qn_run_result *result, uint64_t vertex) {
  switch (result->type) {
  case QN_RESULT_U32: {
    uint32_t value = ((const uint32_t *)result->values)[vertex];
    return value == UINT32_MAX ? INFINITY : (double)value;
  }
  case QN_RESULT_U64: {
    uint64_t value = ((const uint64_t *)result->values)[vertex];
    return value == UINT64_MAX ? INFINITY : (double)value;
  }
  case QN_RESULT_F32:
    return (double)((const float *)result->values)[vertex];
  default:
    return ((const double *)result->values)[vertex];
  }
}

/* The vertices whose values these are, if they need not be all; else NULL. */
static inline const uint32_t *qn_result_vertices(const struct qn_run_result *result) {
  return result->shape == QN_SHAPE_PAIRS  ? result->pairs.first
         : result->shape == QN_SHAPE_PATH ? result->path
                                          : NULL;
}

/* And the others of pairs. */
static inline const uint32_t *qn_result_others(const struct qn_run_result *result) {
  return result->shape == QN_SHAPE_PAIRS ? result->pairs.second : NULL;
}
