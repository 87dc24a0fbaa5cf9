/* PageRank (Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, 1999),
 * as a probability: ranks sum to 1, and the rank of vertices without out-edges is
 * spread evenly over all:
 *
 *   r'(v) = (1 - d) / V + d * (sum of r(u) / out-degree(u) over edges u -> v
 *                              + sum of r(u) over u without out-edges, / V)
 *
 * starting from 1 / V. With --dangling drop the last sum is left out, as papers on GPU layouts and
 * the GAP benchmarks do, and ranks sum to less than 1. Ends when the L1 norm of r' - r is below the
 * tolerance. With --total vertices all of this is V times as large, but for the tolerance: ranks
 * start from 1, and each gets 1 - d, as HPGraph has it. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "pagerank"
#define PROGRAM_TITLE "PageRank; ranks sum to 1"
#define PROGRAM_PURPOSE QN_FOR_RANKING
#define PROGRAM_SCHEDULE QN_ALL_ACTIVE
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_F32
#define PROGRAM_USES_OUT_DEGREE 1
#define PROGRAM_ASYNCHRONOUS 1
#define PROGRAM_BEGINS 1
#define PROGRAM_ITERATIONS 100
#define PROGRAM_TOLERANCE 1e-6
#define PROGRAM_VALUES QN_VALUES_RANKED

#define PROGRAM_PARAMETERS(_)                                                                      \
  _(REAL, damping, "PROBABILITY", 0.85, 0, 1, QN_RANGE_BELOW_MOST, NULL,                           \
    "Probability of following an edge")                                                            \
  _(FLAG, weighted, NULL, 0, 0, 1, QN_RANGE_CLOSED, NULL,                                          \
    "Follow edges in proportion to their weights")                                                 \
  _(CHOICE, dangling, NULL, 0, 0, 1, QN_RANGE_CLOSED, "spread|drop",                               \
    "Spread the rank of vertices without out-edges evenly over all, or drop it")                   \
  _(CHOICE, total, NULL, 0, 0, 1, QN_RANGE_CLOSED, "one|vertices",                                 \
    "What ranks sum to at first, and for good unless some is dropped: 1, or the number of "        \
    "vertices")
PROGRAM_ENUMERATE(PROGRAM_PARAMETERS);

typedef float program_value;
typedef float program_message;
typedef double program_lane; /* a hub's sum of 10^6 floats would lose the sixth digit */
typedef double program_accumulator;
typedef uint32_t program_weight;
typedef float program_result;

PROGRAM_FUNCTION double pagerank_total(const struct qn_program_context *context) {
  return program_whole(context, total) ? (double)context->num_vertices : 1.0;
}

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  return (float)(pagerank_total(context) / (double)context->num_vertices);
}

/* The rank that dangling vertices hold. */
PROGRAM_FUNCTION double program_aggregate(const struct qn_program_context *context,
                                          program_value value, uint64_t out_degree) {
  return out_degree == 0 ? (double)value : 0.0;
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
  return out_degree ? value / (float)out_degree : 0.0f;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return message;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator sum) {
  return (float)(context->derived[0] + program_real(context, damping) * sum);
}

PROGRAM_FUNCTION double program_change(const struct qn_program_context *context,
                                       program_value old_value, program_value new_value) {
  return fabs((double)new_value - (double)old_value) * context->derived[1];
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}
