/* A recurrent neural network, one neuron a vertex, after CuSha's benchmark NN (Khorasani, Vora,
 * Gupta, Bhuyan: CuSha: Vertex-Centric Graph Processing on GPUs, HPDC 2014), which Garaph runs too:
 *
 *   x'(v) = tanh(sum of w(u,v) * x(u) over edges u -> v)
 *
 * for 10 iterations, as Garaph runs it, starting from x(u) = (1 + u mod 64) / 64 for the vertex at
 * position u of the original order: CuSha's published code holds bfs, sssp and pagerank alone, so
 * that there is no starting value of its own to keep to. Where weights take 8 bytes, so do outputs,
 * and sums are of 2^-64 of the weights, so that none leaves a double before tanh has seen it:
 * weights below 2^-958 lose digits. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "neural"
#define PROGRAM_ALIASES "nn"
#define PROGRAM_TITLE "tanh of the weighted sum of inputs"
#define PROGRAM_PURPOSE QN_FOR_NUMBERS
#define PROGRAM_SCHEDULE QN_ALL_ACTIVE
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_WEIGHTS (QN_WEIGHTED | QN_WEIGHTED_WIDE)
#define PROGRAM_TOLERANCE 0.0
#define PROGRAM_ITERATIONS 10

#ifdef QN_WEIGHTS_WIDE
#define PROGRAM_RESULT QN_RESULT_F64
#define NEURAL_UNIT 0x1p-64
typedef double program_value;
#else
#define PROGRAM_RESULT QN_RESULT_F32
#define NEURAL_UNIT 1.0
typedef float program_value;
#endif
typedef program_value program_message;
typedef double program_lane;
typedef double program_accumulator;
typedef program_value program_weight;
typedef program_value program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  return (program_value)(1 + vertex % 64) / 64;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return (double)message * ((double)weight * NEURAL_UNIT);
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator sum) {
  return (program_value)tanh(sum / NEURAL_UNIT);
}

PROGRAM_FUNCTION double program_change(const struct qn_program_context *context,
                                       program_value old_value, program_value new_value) {
  return fabs((double)new_value - (double)old_value);
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}
