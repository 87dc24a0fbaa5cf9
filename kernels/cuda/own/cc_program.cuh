/* Weakly connected components of a directed graph as a program for engines: each edge is looked at
 * once, from whichever end the layout shows it, and joins the trees of both (edges/trees.cuh). It
 * has no order and no second iteration. Kernels of their own include it before an engine; the
 * trees, by position in original order, are context->shared, so that a root is a component's label.
 */
#ifndef QN_KERNELS_CUDA_OWN_CC_PROGRAM_CUH
#define QN_KERNELS_CUDA_OWN_CC_PROGRAM_CUH

#include "kernels/cuda/edges/trees.cuh"
#include "kernels/programs/program.h"

#define PROGRAM_NAME "cc"
#define PROGRAM_TITLE "weakly connected components"
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_MIN
#define PROGRAM_IDENTITY UINT32_MAX
#define PROGRAM_RESULT QN_RESULT_U32
#define PROGRAM_SEES_RECEIVER 1
#define PROGRAM_VERTICES 1

typedef uint32_t program_value;   /* the vertex's position */
typedef uint32_t program_message; /* the sender's */
typedef uint32_t program_lane;
typedef uint32_t program_accumulator;
typedef uint32_t program_weight;
typedef uint32_t program_result;

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
  if (sender != receiver)
    join((uint32_t *)context->shared, sender, receiver);
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
  const uint32_t *parent = (const uint32_t *)context->shared;
  while (parent[value] != value)
    value = parent[value];
  return value;
}

/* The engine is a part of a kernel, which says itself what it is. */
#include "kernels/engine.h"
#undef QN_DEFINE_KERNEL
#define QN_DEFINE_KERNEL(layout, processor, name, engine_traits)                                   \
  static_assert(true, "a declaration that may end in a semicolon")

#endif
