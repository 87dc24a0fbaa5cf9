/* Random walk with restart (Tong, Faloutsos, Pan: Fast Random Walk with Restart and Its
 * Applications, ICDM 2006): the probability of finding at each vertex a walker who in each step
 * follows a random out-edge with probability d, the damping, and else, or where there is no
 * out-edge, returns to one of the sources, to v with probability s(v), its share of their weights:
 *
 *   r'(v) = d * sum of r(u) / out-degree(u) over edges u -> v
 *           + s(v) * (1 - d + d * sum of r(u) over u without out-edges)
 *
 * starting with s; ends when the L1 norm of r' - r is below the tolerance. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "rwr"
#define PROGRAM_ALIASES "personalized-pagerank"
#define PROGRAM_TITLE "random walk with restart at sources"
#define PROGRAM_PURPOSE QN_FOR_RANKING
#define PROGRAM_SCHEDULE QN_ALL_ACTIVE
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_F32
#define PROGRAM_INITIAL QN_INITIAL_SEEDS
#define PROGRAM_USES_OUT_DEGREE 1
#define PROGRAM_ASYNCHRONOUS 1
#define PROGRAM_BEGINS 1
#define PROGRAM_VALUES QN_VALUES_RANKED
#define PROGRAM_ITERATIONS 100
#define PROGRAM_TOLERANCE 1e-6

#define PROGRAM_PARAMETERS(_)                                                                      \
  _(REAL, damping, "PROBABILITY", 0.85, 0, 1, QN_RANGE_BELOW_MOST, NULL,                           \
    "Probability of following an edge")
PROGRAM_ENUMERATE(PROGRAM_PARAMETERS);

typedef struct {
  float probability;
  float share; /* of the restarts */
} program_value;
typedef float program_message;
typedef double program_lane;
typedef double program_accumulator;
typedef uint32_t program_weight;
typedef float program_result;
typedef double program_initial;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree,
                                            program_initial initial) {
  program_value value;
  value.share = (float)initial;
  value.probability = value.share;
  return value;
}

/* The probability of being stuck. */
PROGRAM_FUNCTION double program_aggregate(const struct qn_program_context *context,
                                          program_value value, uint64_t out_degree) {
  return out_degree == 0 ? (double)value.probability : 0.0;
}

/* derived[0]: the probability of returning. */
PROGRAM_FUNCTION void program_begin(struct qn_program_context *context) {
  context->derived[0] =
      1.0 - program_real(context, damping) + program_real(context, damping) * context->aggregate;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return out_degree ? value.probability / (float)out_degree : 0.0f;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return message;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator sum) {
  double returned = (double)value.share * context->derived[0];
  value.probability = (float)(returned + program_real(context, damping) * sum);
  return value;
}

PROGRAM_FUNCTION double program_change(const struct qn_program_context *context,
                                       program_value old_value, program_value new_value) {
  return fabs((double)new_value.probability - (double)old_value.probability);
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value.probability;
}
