/* Heat simulation, after CuSha's benchmark HS (Khorasani, Vora, Gupta, Bhuyan: CuSha, HPDC 2014),
 * which Garaph runs too: heat flows along edges by the difference of temperatures times
 * the edge's coefficient, its weight,
 *
 *   q'(v) = q(v) + s(v) * sum of w(u,v) * (q(u) - q(v)) over edges u -> v
 *
 * for 10 iterations, starting with 1 at the source and 0 elsewhere (CuSha's published code does not
 * hold this program, nor a starting value). CuSha has s(v) = 1, which
 * oscillates and grows without bound where coefficients sum to more than 1; here
 * s(v) = 1 / (1 + sum of w(u,v)), so that q'(v) is an average of q(v) and its neighbours'.
 * Where weights take 8 bytes, so do temperatures. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "heat"
#define PROGRAM_ALIASES "hs"
#define PROGRAM_TITLE "temperatures, heated at a source"
#define PROGRAM_PURPOSE QN_FOR_NUMBERS
#define PROGRAM_SCHEDULE QN_ALL_ACTIVE
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_NEEDS_SOURCE 1
#define PROGRAM_WEIGHTS                                                                            \
  (QN_WEIGHTED | QN_WEIGHTED_NON_NEGATIVE | QN_WEIGHTED_SUMS | QN_WEIGHTED_WIDE)
#define PROGRAM_TOLERANCE 0.0
#define PROGRAM_VALUES QN_VALUES_RANKED
#define PROGRAM_ITERATIONS 10

#ifdef QN_WEIGHTS_WIDE
#define PROGRAM_RESULT QN_RESULT_F64
typedef double program_value; /* temperature */
#else
#define PROGRAM_RESULT QN_RESULT_F32
typedef float program_value;
#endif
typedef program_value program_message;
typedef double program_lane;
typedef struct {
  program_lane heat;        /* sum of w * q */
  program_lane coefficient; /* sum of w */
} program_accumulator;
typedef program_value program_weight;
typedef program_value program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  return vertex == context->source ? 1 : 0;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  program_accumulator contribution;
  contribution.heat = (double)message * (double)weight;
  contribution.coefficient = weight;
  return contribution;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator sums) {
  return (program_value)(((double)value + sums.heat) / (1.0 + sums.coefficient));
}

PROGRAM_FUNCTION double program_change(const struct qn_program_context *context,
                                       program_value old_value, program_value new_value) {
  return fabs((double)new_value - (double)old_value);
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}
