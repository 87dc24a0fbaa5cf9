/* The forward phase of betweenness centrality as a frontier program: the number of shortest paths
 * from the source. It is in no list of programs, as it is only half of the algorithm. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "bc"
#define PROGRAM_TITLE "betweenness from given sources"
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_F64

typedef double program_value; /* number of shortest paths; 0: not reached */
typedef double program_message;
typedef double program_lane;
typedef double program_accumulator;
typedef uint32_t program_weight;
typedef double program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  return vertex == context->source ? 1 : 0;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint64_t vertex) {
  return vertex == context->source;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value paths, uint64_t out_degree) {
  return paths;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message paths, program_weight weight) {
  return paths;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator paths) {
  return value == 0 ? paths : value;
}

PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return old_value == 0;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}
