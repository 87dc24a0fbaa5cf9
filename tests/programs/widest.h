/* Widest paths from a source: the largest capacity of any path, which is that of its
 * narrowest edge. Unlimited (UINT32_MAX, shown as inf) at the source, 0 where no path leads. */
#ifndef QN_KERNELS_PROGRAMS_WIDEST_H
#define QN_KERNELS_PROGRAMS_WIDEST_H

#include "kernels/programs/program.h"

#define PROGRAM_NAME "widest"
#define PROGRAM_TITLE "capacity of the widest path from a source"
#define PROGRAM_PURPOSE QN_FOR_PATHS
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_MAX
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_U32
#define PROGRAM_ASYNCHRONOUS 1
#define PROGRAM_WEIGHTS (QN_WEIGHTED | QN_WEIGHTED_NON_NEGATIVE)
#define PROGRAM_NEEDS_SOURCE 1

typedef uint32_t program_value; /* width */
typedef uint32_t program_message;
typedef uint32_t program_lane;
typedef uint32_t program_accumulator;
typedef uint32_t program_weight; /* capacity */
typedef uint32_t program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  return vertex == context->source ? UINT32_MAX : 0;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint64_t vertex) {
  return vertex == context->source;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message width,
                                                    program_weight capacity) {
  return width < capacity ? width : capacity;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator width) {
  return width > value ? width : value;
}

PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return new_value > old_value;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}

#endif
