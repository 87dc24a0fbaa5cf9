/* Eigenvector centrality (Bonacich: Power and Centrality: A Family of Measures, 1987): x with
 * lambda * x(v) = sum of x(u) over edges u -> v, for the largest lambda. By power iteration with
 * A + I in place of A, which has the same eigenvectors and does not oscillate on bipartite graphs:
 *
 *   y'(v) = (y(v) + sum of y(u) over edges u -> v) / |y|
 *
 * starting with 1; ends when y / |y| changes by less than the tolerance on average. That is seen an
 * iteration later, as |y| is known only then. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "eigenvector"
#define PROGRAM_TITLE "as central as its in-neighbours"
#define PROGRAM_PURPOSE QN_FOR_RANKING
#define PROGRAM_SCHEDULE QN_ALL_ACTIVE
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_F64
#define PROGRAM_VALUES (QN_VALUES_RANKED | QN_VALUES_UNIT)
#define PROGRAM_BEGINS 1
#define PROGRAM_ITERATIONS 100
#define PROGRAM_TOLERANCE 1e-6

typedef struct {
  double y;
  double x; /* y / |y| of the iteration before */
} program_value;
typedef double program_message;
typedef double program_lane;
typedef double program_accumulator;
typedef uint32_t program_weight;
typedef double program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  program_value value;
  value.y = 1;
  value.x = 0;
  return value;
}

PROGRAM_FUNCTION double program_aggregate(const struct qn_program_context *context,
                                          program_value value, uint64_t out_degree) {
  return value.y * value.y;
}

/* derived[0]: 1 / |y|. */
PROGRAM_FUNCTION void program_begin(struct qn_program_context *context) {
  context->derived[0] = context->aggregate > 0 ? 1 / sqrt(context->aggregate) : 0;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value.y;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return message;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator sum) {
  program_value next;
  next.x = value.y * context->derived[0];
  next.y = (value.y + sum) * context->derived[0];
  return next;
}

PROGRAM_FUNCTION double program_change(const struct qn_program_context *context,
                                       program_value old_value, program_value new_value) {
  return fabs(new_value.x - old_value.x) / (double)context->num_vertices;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value.y;
}
