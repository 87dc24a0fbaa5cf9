/* What a run found of each vertex. */
#ifndef QN_RUNTIME_VALUES_H
#define QN_RUNTIME_VALUES_H

#include <jansson.h>
#include <math.h>

#include "runtime/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A vertex's original id as a JSON string (a new reference): of one that is not UTF-8 "#" and the
 * vertex's place in original order. */
json_t *qn_id_json(const struct qn_run_input *input, uint64_t vertex);

/* Of a run that is done: scale what is a direction so that its squares sum to 1. QN_UNSUPPORTED for
 * values that grew without bound. */
enum qn_status qn_run_scale(struct qn_run *run, struct qn_error *error);

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

/* The vertex that comes at `position` in original order. */
static inline uint64_t qn_vertex_at(const struct qn_run_input *input, uint64_t position) {
  return input->order ? input->order[position] : position;
}

#ifdef __cplusplus
}
#endif
#endif
