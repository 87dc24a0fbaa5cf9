/* Out-degree: how many edges, loops and parallel ones included, leave a vertex.
 * No iteration is needed: a layout knows it. */
#pragma once

#include "kernels/programs/program.h"

#ifndef PROGRAM_NAME /* indegree.h is this program, but counts what arrives */
#define PROGRAM_NAME "degree"
#define PROGRAM_TITLE "number of edges that leave"
#define PROGRAM_USES_OUT_DEGREE 1
#define PROGRAM_ITERATIONS 0
#endif
#define PROGRAM_PURPOSE QN_FOR_RANKING
#define PROGRAM_SCHEDULE QN_ALL_ACTIVE
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_U64

typedef uint64_t program_value;
typedef uint32_t program_message;
typedef uint64_t program_lane;
typedef uint64_t program_accumulator;
typedef uint32_t program_weight;
typedef uint64_t program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  return out_degree;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return 1;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return message;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator count) {
  return PROGRAM_ITERATIONS ? count : value;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}
