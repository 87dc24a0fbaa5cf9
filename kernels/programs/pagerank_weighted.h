/* PageRank by weights: whoever follows edges takes each with a probability in proportion to its
 * weight (as pagerank.h, where all are taken alike). s(u) is the sum of the weights of u's
 * out-edges; the rank of vertices where that is 0 is spread evenly over all:
 *
 *   r'(v) = (1 - d) / V + d * (sum of r(u) * weight / s(u) over edges u -> v
 *                              + sum of r(u) over u with s(u) = 0, / V)
 *
 * starting from 1 / V. With --dangling drop the last sum is left out, as papers on GPU layouts and
 * the GAP benchmarks do, and ranks sum to less than 1. Ends when the L1 norm of r' - r is below the
 * tolerance. With --total vertices all of this is V times as large, but for the tolerance: ranks
 * start from 1, and each gets 1 - d, as HPGraph has it. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "pagerank-weighted"
#define PROGRAM_TITLE "PageRank by weights (--weighted)"
#define PROGRAM_PURPOSE QN_FOR_RANKING
#define PROGRAM_SCHEDULE QN_ALL_ACTIVE
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_F32
#define PROGRAM_WEIGHTS (QN_WEIGHTED | QN_WEIGHTED_NON_NEGATIVE | QN_WEIGHTED_WIDE)
#define PROGRAM_INITIAL QN_INITIAL_STRENGTHS
#define PROGRAM_ASYNCHRONOUS 1
#define PROGRAM_BEGINS 1
#define PROGRAM_ITERATIONS 100
#define PROGRAM_TOLERANCE 1e-6
#define PROGRAM_VALUES QN_VALUES_RANKED

#define PROGRAM_PARAMETERS(_)                                                                      \
  _(REAL, damping, "PROBABILITY", 0.85, 0, 1, QN_RANGE_BELOW_MOST, NULL,                           \
    "Probability of following an edge")                                                            \
  _(FLAG, weighted, NULL, 1, 0, 1, QN_RANGE_CLOSED, NULL,                                          \
    "Always: the variant without weights is pagerank")                                             \
  _(CHOICE, dangling, NULL, 0, 0, 1, QN_RANGE_CLOSED, "spread|drop",                               \
    "Spread the rank that leads nowhere evenly over all vertices, or drop it")                     \
  _(CHOICE, total, NULL, 0, 0, 1, QN_RANGE_CLOSED, "one|vertices",                                 \
    "What ranks sum to at first, and for good unless some is dropped: 1, or the number of "        \
    "vertices")
PROGRAM_ENUMERATE(PROGRAM_PARAMETERS);

typedef struct {
  float rank;
  double strength; /* s */
} program_value;
typedef double program_message;
typedef double program_lane; /* a hub's sum of 10^6 floats would lose the sixth digit */
typedef double program_accumulator;
#ifdef QN_WEIGHTS_WIDE
typedef double program_weight;
#else
typedef float program_weight;
#endif
typedef float program_result;
typedef double program_initial;

PROGRAM_FUNCTION double pagerank_total(const struct qn_program_context *context) {
  return program_whole(context, total) ? (double)context->num_vertices : 1.0;
}

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree,
                                            program_initial strength) {
  program_value value;
  value.rank = (float)(pagerank_total(context) / (double)context->num_vertices);
  value.strength = strength;
  return value;
}

/* The rank that leads nowhere. */
PROGRAM_FUNCTION double program_aggregate(const struct qn_program_context *context,
                                          program_value value, uint64_t out_degree) {
  return value.strength == 0.0 ? (double)value.rank : 0.0;
}

/* derived[0]: what every vertex gets whatever its in-edges; [1]: a rank's share of all. */
PROGRAM_FUNCTION void program_begin(struct qn_program_context *context) {
  double d = program_real(context, damping);
  double spread = program_whole(context, dangling) ? 0 : context->aggregate;
  double total = pagerank_total(context);
  context->derived[0] = ((1.0 - d) * total + d * spread) / (double)context->num_vertices;
  context->derived[1] = 1.0 / total;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value.strength > 0.0 ? (double)value.rank / value.strength : 0.0;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return message * (double)weight;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator sum) {
  value.rank = (float)(context->derived[0] + program_real(context, damping) * sum);
  return value;
}

PROGRAM_FUNCTION double program_change(const struct qn_program_context *context,
                                       program_value old_value, program_value new_value) {
  return fabs((double)new_value.rank - (double)old_value.rank) * context->derived[1];
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value.rank;
}
