/* Cross-edges (kernels/cross_edges.h) as a program for engines, where the graph must be streamed
 * (visit.cuh): an edge between two groups is counted at its sender, in context->shared, a struct
 * cross_edges. Vertices are the graph's: whoever runs it leaves positions out. */
#ifndef QN_KERNELS_CUDA_OWN_CROSS_EDGES_PROGRAM_CUH
#define QN_KERNELS_CUDA_OWN_CROSS_EDGES_PROGRAM_CUH

#include "kernels/cuda/own/cross_edges.cuh"
#include "kernels/programs/program.h"

#define PROGRAM_NAME "cross-edges"
#define PROGRAM_TITLE "edges to other groups"
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_MIN
#define PROGRAM_IDENTITY UINT32_MAX
#define PROGRAM_RESULT QN_RESULT_U64
#define PROGRAM_SEES_RECEIVER 1

typedef uint32_t program_value;   /* the vertex */
typedef uint32_t program_message; /* the sender */
typedef uint32_t program_lane;
typedef uint32_t program_accumulator;
typedef uint32_t program_weight;
typedef uint64_t program_result;

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
  const struct cross_edges *cross = (const struct cross_edges *)context->shared;
  cross_edges_add(*cross, sender, qn_is_cross_edge(cross->groups, sender, receiver));
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
  return ((const struct cross_edges *)context->shared)->counts[value];
}

/* The engine is a part of a kernel, which says itself what it is. */
#include "kernels/engine.h"
#undef QN_DEFINE_KERNEL
#define QN_DEFINE_KERNEL(layout, processor, name, engine_traits)                                   \
  static_assert(true, "a declaration that may end in a semicolon")

#endif
