/* Coreness (Seidman 1983): the largest k such that the vertex belongs to a k-core, a largest
 * subgraph in which every vertex has k neighbours or more. Parallel edges count as often as they
 * are, and a loop counts once.
 *
 * By peeling (Batagelj, Zaversnik: An O(m) Algorithm for Cores Decomposition, 2003): round k
 * removes vertices of degree k or less until none is left; whoever is removed tells its neighbours,
 * whose degrees fall. A round is the least degree that is left, so empty rounds are passed over. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "kcore"
#define PROGRAM_ALIASES "k-core,core-number"
#define PROGRAM_TITLE "largest k-core that a vertex is in"
#define PROGRAM_PURPOSE QN_FOR_STRUCTURE
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_U32
#define PROGRAM_ROUNDS 1
#define PROGRAM_USES_OUT_DEGREE 1
#define PROGRAM_SYMMETRIC 1
#define PROGRAM_VALUES QN_VALUES_LEVELS

#define KCORE_ALIVE UINT32_MAX

typedef struct {
  uint32_t degree; /* neighbours that are left */
  uint32_t core;   /* the round of removal; KCORE_ALIVE before */
} program_value;
typedef uint32_t program_message;
typedef uint32_t program_lane;
typedef uint32_t program_accumulator;
typedef uint32_t program_weight;
typedef uint32_t program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  program_value value;
  value.degree = out_degree < KCORE_ALIVE ? (uint32_t)out_degree : KCORE_ALIVE - 1;
  value.core = KCORE_ALIVE;
  return value;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint64_t vertex) {
  return false;
}

PROGRAM_FUNCTION double program_round(const struct qn_program_context *context,
                                      program_value value) {
  return value.core == KCORE_ALIVE ? (double)value.degree : (double)INFINITY;
}

PROGRAM_FUNCTION bool program_wake(const struct qn_program_context *context, program_value *value) {
  if (value->core != KCORE_ALIVE || (double)value->degree > context->round)
    return false;
  value->core = (uint32_t)context->round;
  return true;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return 1;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return message;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator removed) {
  if (value.core != KCORE_ALIVE)
    return value;
  value.degree -= removed < value.degree ? removed : value.degree;
  if ((double)value.degree <= context->round)
    value.core = (uint32_t)context->round;
  return value;
}

PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return old_value.core == KCORE_ALIVE && new_value.core != KCORE_ALIVE;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value.core;
}
