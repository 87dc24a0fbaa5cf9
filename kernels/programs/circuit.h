/* Circuit simulation, after CuSha's benchmark CS (Khorasani, Vora, Gupta, Bhuyan: CuSha, HPDC
 * 2014), which Garaph runs too: the voltages of a network of resistors, by Jacobi iterations of
 * Kirchhoff's current law. A weight is a conductance:
 *
 *   V'(v) = sum of w(u,v) * V(u) / sum of w(u,v), over edges u -> v
 *
 * for 10 iterations. Where the current comes from is ours to say, since CuSha's published code does
 * not hold this program: the source is held at 1 volt; the ground, the first vertex of the original
 * order that is not the source, at 0, where all others start; without in-edges they stay there.
 * Where weights take 8 bytes, so do voltages. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "circuit"
#define PROGRAM_ALIASES "cs"
#define PROGRAM_TITLE "voltages between a source and the ground"
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
typedef double program_result;
typedef uint64_t circuit_flag;
#else
#define PROGRAM_RESULT QN_RESULT_F32
typedef float program_result;
typedef uint32_t circuit_flag; /* as wide as a voltage: values have no bytes between */
#endif
typedef struct {
  program_result voltage;
  circuit_flag is_held; /* source or ground */
} program_value;
typedef program_result program_message;
typedef double program_lane;
typedef struct {
  program_lane current;     /* sum of w * V */
  program_lane conductance; /* sum of w */
} program_accumulator;
typedef program_result program_weight;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  program_value value;
  const uint64_t ground = context->source == 0 ? 1 : 0;
  value.voltage = vertex == context->source ? 1 : 0;
  value.is_held = vertex == context->source || vertex == ground;
  return value;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value.voltage;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  program_accumulator contribution;
  contribution.current = (double)message * (double)weight;
  contribution.conductance = weight;
  return contribution;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator sums) {
  if (!value.is_held && sums.conductance > 0)
    value.voltage = (program_result)(sums.current / sums.conductance);
  return value;
}

PROGRAM_FUNCTION double program_change(const struct qn_program_context *context,
                                       program_value old_value, program_value new_value) {
  return fabs((double)new_value.voltage - (double)old_value.voltage);
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value.voltage;
}
