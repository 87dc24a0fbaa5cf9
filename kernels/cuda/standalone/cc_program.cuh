/* Weakly connected components as a program for engines: each edge is looked at
 * once, from whichever end the layout shows it, and joins the trees of both (edges/trees.cuh). It
 * has no order and no second iteration. Kernels of their own include it before an engine;
 * context->shared is the trees, by position in original order, so that a root is a component's
 * label. */
#pragma once

#include "kernels/cuda/edges/trees.cuh"
#include "kernels/programs/program.h"

#define PROGRAM_NAME "cc"
#define PROGRAM_TITLE "weakly connected components"
#define PROGRAM_RESULT QN_RESULT_U32
#define PROGRAM_VALUES QN_VALUES_VERTICES

typedef uint32_t program_result;

struct cc_trees {
  uint32_t *parent;
  bool both_ways; /* every edge is seen from both ends, too */
};

/* Most edges lead within one tree, whose vertices soon hang below its root: two loads tell. */
QN_DEVICE_INLINE void visit_edge(const struct qn_program_context *context, uint32_t sender,
                                 uint32_t receiver) {
  const struct cc_trees *trees = (const struct cc_trees *)context->shared;
  if (sender >= receiver && (trees->both_ways || sender == receiver))
    return;
  if (trees->parent[sender] != trees->parent[receiver])
    join(trees->parent, sender, receiver);
}

PROGRAM_FUNCTION program_result visit_output(const struct qn_program_context *context,
                                             uint32_t vertex) {
  const uint32_t *parent = ((const struct cc_trees *)context->shared)->parent;
  while (parent[vertex] != vertex)
    vertex = parent[vertex];
  return vertex;
}

#include "kernels/cuda/standalone/visit_program.cuh"
