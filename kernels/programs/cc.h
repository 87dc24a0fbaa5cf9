/* Weakly connected components by label propagation: every vertex takes the
 * smallest label of its neighbours, starting from its own position in original order. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "cc"
#define PROGRAM_ALIASES "connected-components,weakly-connected-components,wcc"
#define PROGRAM_TITLE "weakly connected components"
#define PROGRAM_PURPOSE QN_FOR_STRUCTURE
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_MIN
#define PROGRAM_IDENTITY UINT32_MAX
#define PROGRAM_RESULT QN_RESULT_U32
#define PROGRAM_ASYNCHRONOUS 1
#define PROGRAM_SYMMETRIC 1
#define PROGRAM_VALUES QN_VALUES_VERTICES

typedef uint32_t program_value; /* label */
typedef uint32_t program_message;
typedef uint32_t program_lane;
typedef uint32_t program_accumulator;
typedef uint32_t program_weight;
typedef uint32_t program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  return (program_value)vertex;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint64_t vertex) {
  return true;
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
                                             program_value value, program_accumulator label) {
  return label < value ? label : value;
}

PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return new_value < old_value;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}
