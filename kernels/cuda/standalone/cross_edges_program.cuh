/* Cross-edges (kernels/cross_edges.h) as a program for engines, where the graph must be streamed
 * (visit.cuh): an edge between two groups is counted at its sender, in context->shared, a struct
 * cross_edges. Vertices are the graph's: whoever runs it leaves positions out. */
#pragma once

#include "kernels/cuda/standalone/cross_edges.cuh"
#include "kernels/programs/program.h"

#define PROGRAM_NAME "cross-edges"
#define PROGRAM_TITLE "edges to other groups"
#define PROGRAM_RESULT QN_RESULT_U64

typedef uint64_t program_result;

QN_DEVICE_INLINE void visit_edge(const struct qn_program_context *context, uint32_t sender,
                                 uint32_t receiver) {
  const struct cross_edges *cross = (const struct cross_edges *)context->shared;
  cross_edges_add(*cross, sender, qn_is_cross_edge(cross->groups, sender, receiver));
}

PROGRAM_FUNCTION program_result visit_output(const struct qn_program_context *context,
                                             uint32_t vertex) {
  return ((const struct cross_edges *)context->shared)->counts[vertex];
}

#include "kernels/cuda/standalone/visit_program.cuh"
