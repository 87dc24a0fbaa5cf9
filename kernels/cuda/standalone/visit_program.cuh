/* The frame of a program that only looks at edges (visit.cuh). Who includes it has
 * kernels/programs/program.h, PROGRAM_NAME, PROGRAM_TITLE, PROGRAM_RESULT and program_result, and
 *
 *   visit_edge(context, sender, receiver)   what to do with an edge, on the device
 *   visit_output(context, vertex)           a vertex's result
 *
 * with memory of its own in context->shared. Vertices are positions in original order; the graph's
 * own numbers if whoever runs it leaves positions out. */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_MIN
#define PROGRAM_IDENTITY UINT32_MAX
#define PROGRAM_SEES_RECEIVER 1
#define PROGRAM_LOOKS_ONCE 1 /* at an edge: nothing that has moved moves again */

typedef uint32_t program_value;   /* the vertex */
typedef uint32_t program_message; /* the sender */
typedef uint32_t program_lane;
typedef uint32_t program_accumulator;
typedef uint32_t program_weight;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint32_t vertex, uint64_t out_degree) {
  return vertex;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint32_t vertex) {
  return true;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value;
}

/* Nothing is sent: the edge has been looked at. */
PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message sender, program_weight weight,
                                                    program_value receiver) {
#if defined(__CUDA_ARCH__) || defined(QN_CUDA_EMULATOR)
  visit_edge(context, sender, receiver);
#endif
  return UINT32_MAX;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator sum) {
  return value;
}

PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return false;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return visit_output(context, value);
}

/* The engine is a part of a kernel, which says itself what it is. */
#define QN_ALGORITHM qn_algorithm_cc /* declared, and not used */
#include "kernels/engine.h"
#undef QN_DEFINE_KERNEL
#define QN_DEFINE_KERNEL(layout, processor, name, engine_traits)                                   \
  static_assert(true, "a declaration that may end in a semicolon")
