/* Sparse matrix times vector: y(v) = sum of w(u,v) * x(u) over edges u -> v, that is
 * y = A^T x where A(u,v) is the weight of u -> v (1 where the graph has none).
 *
 * x is the vector that is given. With more than one iteration y is x of the next.
 * Where weights take 8 bytes, so do the vectors: f64, in which i64 are rounded from 2^53 on. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "spmv"
#define PROGRAM_TITLE "transposed matrix times a vector"
#define PROGRAM_PURPOSE QN_FOR_NUMBERS
#define PROGRAM_SCHEDULE QN_ALL_ACTIVE
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_WEIGHTS (QN_WEIGHTED | QN_WEIGHTED_WIDE)
#define PROGRAM_ITERATIONS 1
#define PROGRAM_INITIAL QN_INITIAL_VECTOR

#ifdef QN_WEIGHTS_WIDE
#define PROGRAM_RESULT QN_RESULT_F64
typedef double program_value;
#else
#define PROGRAM_RESULT QN_RESULT_F32
typedef float program_value;
#endif
typedef program_value program_message;
typedef double program_lane;
typedef double program_accumulator;
typedef program_value program_weight;
typedef program_value program_result;
typedef double program_initial;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree,
                                            program_initial initial) {
  return (program_value)initial;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return (double)message * (double)weight;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator sum) {
  return (program_value)sum;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value;
}
