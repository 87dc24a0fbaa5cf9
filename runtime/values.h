/* What a run found of each vertex. */
#ifndef QN_RUNTIME_VALUES_H
#define QN_RUNTIME_VALUES_H

#include <jansson.h>

#include "runtime/dispatch.h"

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
double qn_value_number(const struct qn_run_result *result, uint64_t vertex);

/* The vertex that comes at `position` in original order. */
static inline uint64_t qn_vertex_at(const struct qn_run_input *input, uint64_t position) {
  return input->order ? input->order[position] : position;
}

#ifdef __cplusplus
}
#endif
#endif
