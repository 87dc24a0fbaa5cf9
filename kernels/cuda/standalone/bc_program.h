/* The forward phase of betweenness centrality (Brandes: A Faster Algorithm for Betweenness
 * Centrality, 2001) as a program for engines: the level of every vertex, and how many shortest
 * paths lead to it from the source. Kernels of their own include it before an engine; it is in no
 * list of programs, as it is only half of the algorithm.
 *
 * Path counts are whole numbers: their sums are the same in any order while they are below 2^53,
 * and rounded beyond. An engine that can pull as well defines BC_CHOOSES, and is told how long a
 * push is exact: as long as all that is sent adds up to less. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "bc"
#define PROGRAM_TITLE "betweenness from given sources"
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_ADD
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_F64
#define PROGRAM_CLOSES 1
#ifdef BC_CHOOSES
#define PROGRAM_COUNTS 1
#define PROGRAM_BEGINS 1
#define PROGRAM_USES_OUT_DEGREE 1
#endif

typedef struct {
  double paths;
  uint32_t level; /* UINT32_MAX: not reached */
} program_value;
typedef double program_message; /* paths */
typedef double program_lane;
typedef double program_accumulator;
typedef uint32_t program_weight;
typedef double program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  program_value value;
  value.paths = vertex == context->source ? 1 : 0;
  value.level = vertex == context->source ? 0 : UINT32_MAX;
  return value;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint64_t vertex) {
  return vertex == context->source;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value.paths;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message paths, program_weight weight) {
  return paths;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator paths) {
  if (value.level == UINT32_MAX) {
    value.paths = paths;
    value.level = context->iteration + 1;
  }
  return value;
}

PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return old_value.level == UINT32_MAX;
}

PROGRAM_FUNCTION bool program_open(const struct qn_program_context *context, program_value value) {
  return value.level == UINT32_MAX;
}

#ifdef BC_CHOOSES
PROGRAM_FUNCTION double program_aggregate(const struct qn_program_context *context,
                                          program_value value, uint64_t out_degree) {
  return value.paths * (double)out_degree;
}

PROGRAM_FUNCTION void program_begin(struct qn_program_context *context) {}

PROGRAM_FUNCTION bool program_exact(const struct qn_program_context *context) {
  return context->aggregate < 9007199254740992.0;
}
#endif

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value.paths;
}

/* The engine is a part of a kernel, which says itself what it is. */
#define QN_ALGORITHM qn_algorithm_bc /* declared, and not used */
#include "kernels/engine.h"
#undef QN_DEFINE_KERNEL
#define QN_DEFINE_KERNEL(layout, processor, name, engine_traits)                                   \
  static_assert(true, "a declaration that may end in a semicolon")
