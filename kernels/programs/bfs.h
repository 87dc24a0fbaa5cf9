/* Breadth-first search: hops from the source along out-edges. */
#pragma once

#include "kernels/programs/program.h"

#ifndef PROGRAM_NAME /* neighborhood.h is this program with an end */
#define PROGRAM_NAME "bfs"
#define PROGRAM_TITLE "hops from a source"
#endif
#define PROGRAM_PURPOSE QN_FOR_PATHS
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_MIN
#define PROGRAM_IDENTITY UINT32_MAX
#define PROGRAM_RESULT QN_RESULT_U32
#define PROGRAM_ASYNCHRONOUS 1
#define PROGRAM_FIRST_SUFFICES 1
#define PROGRAM_NEEDS_SOURCE 1
#define PROGRAM_VALUES QN_VALUES_LEVELS

typedef uint32_t program_value; /* hops; UINT32_MAX: not reached */
typedef uint32_t program_message;
typedef uint32_t program_lane;
typedef uint32_t program_accumulator;
typedef uint32_t program_weight;
typedef uint32_t program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  return vertex == context->source ? 0 : UINT32_MAX;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint64_t vertex) {
  return vertex == context->source;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value + 1;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return message;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator hops) {
  return hops < value ? hops : value;
}

PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return new_value < old_value;
}

PROGRAM_FUNCTION bool program_open(const struct qn_program_context *context, program_value value) {
  return value == UINT32_MAX;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}
