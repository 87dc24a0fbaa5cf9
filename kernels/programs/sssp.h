/* Single-source shortest paths along out-edges, for non-negative weights.
 *
 * Whole weights are summed in 64 bits, which cannot overflow: a shortest path has
 * fewer than 2^32 edges of less than 2^32 each, and larger weights (i64) are refused
 * where it could. Real weights are summed in double precision; as rounding is
 * monotonic, the result is the same whatever the order in which edges are relaxed.
 * Without weights every edge counts 1. What lies beyond the cutoff counts as not reached. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "sssp"
#define PROGRAM_ALIASES "shortest-paths,dijkstra"
#define PROGRAM_TITLE "least sum of weights from a source"
#define PROGRAM_PURPOSE QN_FOR_PATHS
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_MIN
#define PROGRAM_ASYNCHRONOUS 1
#define PROGRAM_PRIORITY 1
#define PROGRAM_WEIGHTS                                                                            \
  (QN_WEIGHTED | QN_WEIGHTED_NON_NEGATIVE | QN_WEIGHTED_SUMS | QN_WEIGHTED_BY_TYPE |               \
   QN_WEIGHTED_WIDE)
#define PROGRAM_NEEDS_SOURCE 1

#define PROGRAM_PARAMETERS(_)                                                                      \
  _(REAL, cutoff, "DISTANCE", INFINITY, 0, 0x1p53, QN_RANGE_CLOSED, NULL,                          \
    "Leave out vertices that are farther away")
PROGRAM_ENUMERATE(PROGRAM_PARAMETERS);

#ifdef QN_WEIGHTS_REAL
#define PROGRAM_IDENTITY INFINITY
#define SSSP_CUTOFF program_real(context, cutoff)
#define PROGRAM_RESULT QN_RESULT_F64
typedef double program_value;
#else
#define PROGRAM_IDENTITY UINT64_MAX
#define SSSP_CUTOFF program_whole(context, cutoff)
#define PROGRAM_RESULT QN_RESULT_U64
typedef uint64_t program_value; /* distance; PROGRAM_IDENTITY: not reached */
#endif
#ifdef QN_WEIGHTS_WIDE
typedef program_value program_weight;
#elif defined(QN_WEIGHTS_REAL)
typedef float program_weight;
#else
typedef uint32_t program_weight;
#endif
typedef program_value program_message;
typedef program_value program_lane;
typedef program_value program_accumulator;
typedef program_value program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  return vertex == context->source ? 0 : PROGRAM_IDENTITY;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint64_t vertex) {
  return vertex == context->source;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message distance,
                                                    program_weight weight) {
  const program_value sum = distance + weight;
  return sum <= SSSP_CUTOFF ? sum : PROGRAM_IDENTITY;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator distance) {
  return distance < value ? distance : value;
}

PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return new_value < old_value;
}

PROGRAM_FUNCTION double program_priority(const struct qn_program_context *context,
                                         program_value value) {
  return (double)value;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}
