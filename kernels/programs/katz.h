/* Katz centrality (Katz: A New Status Index Derived from Sociometric Analysis, Psychometrika 1953):
 * the walks of any length that end at a vertex, those of k edges weakened by alpha^k:
 *
 *   x'(v) = 1 + alpha * sum of x(u) over edges u -> v
 *
 * starting with 0; ends when values change by less than the tolerance on average. Where alpha is
 * not below 1 / (the largest eigenvalue of the graph) they grow without bound, and the run fails;
 * 1 / (1 + the largest in-degree) always is below it. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "katz"
#define PROGRAM_TITLE "walks that end here, long ones less"
#define PROGRAM_PURPOSE QN_FOR_RANKING
#define PROGRAM_SCHEDULE QN_ALL_ACTIVE
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_F64
#define PROGRAM_VALUES (QN_VALUES_RANKED | QN_VALUES_UNIT)
#define PROGRAM_ASYNCHRONOUS 1
#define PROGRAM_ITERATIONS 1000
#define PROGRAM_TOLERANCE 1e-6

#define PROGRAM_PARAMETERS(_)                                                                      \
  _(REAL, alpha, "FACTOR", 0.1, 0, INFINITY, QN_RANGE_ABOVE_LEAST | QN_RANGE_BELOW_MOST, NULL,     \
    "How much less a walk counts with each edge")
PROGRAM_ENUMERATE(PROGRAM_PARAMETERS);

typedef double program_value;
typedef double program_message;
typedef double program_lane;
typedef double program_accumulator;
typedef uint32_t program_weight;
typedef double program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  return 0;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return message;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator sum) {
  return 1 + program_real(context, alpha) * sum;
}

PROGRAM_FUNCTION double program_change(const struct qn_program_context *context,
                                       program_value old_value, program_value new_value) {
  return fabs(new_value - old_value) / (double)context->num_vertices;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}
