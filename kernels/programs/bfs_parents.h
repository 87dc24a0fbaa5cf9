/* Parents of a search that is done: of all shortest paths from the source a tree, the same one from
 * every engine.
 *
 * An edge u -> v is tight if u's distance and the edge's length make v's distance. The parent of v
 * is
 *
 *   1. of the u that are nearer than v and have a tight edge to v the first in original order;
 *   2. if there is none (edges of no length lead to v), of the u as far as v that have a tight edge
 *      to v, and of these of those from which fewest such edges lead back to a vertex with a parent
 *      by rule 1, or the source, the first in original order.
 *
 * The source is its own parent; a vertex that was not reached has none. By rule 1 distances fall
 * towards the root, by rule 2 the number of edges that lead back does: there are no cycles.
 *
 * Rule 1 is one sweep over all edges. It is all there is to do unless vertices are left without a
 * parent: then those that have one send again (round 1), and whoever finds its parent by that. Real
 * distances are compared as they are: the search has added up the same numbers, so one of the sums
 * is v's distance to the last bit. */
#pragma once

#include "kernels/programs/program.h"

#ifndef PROGRAM_NAME /* sssp_parents.h is this program, with the lengths that weights are */
#define PROGRAM_NAME "bfs-parents"
#define PROGRAM_DERIVES_FROM "bfs"
#define PARENTS_UNREACHED UINT32_MAX
typedef uint32_t program_initial; /* distance */
typedef uint32_t program_weight;
#endif
#define PROGRAM_TITLE "a tree of shortest paths"
#define PROGRAM_PURPOSE QN_FOR_PATHS
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_MIN
#define PROGRAM_IDENTITY UINT32_MAX
#define PROGRAM_RESULT QN_RESULT_U32
#define PROGRAM_SEES_RECEIVER 1
#define PROGRAM_ROUNDS 1
#define PROGRAM_NEEDS_SOURCE 1
#define PROGRAM_VALUES QN_VALUES_VERTICES

#define PARENTS_NONE UINT32_MAX

typedef struct {
  program_initial distance;
  uint32_t vertex; /* itself */
  uint32_t parent;
} program_value;
typedef program_value program_message; /* less would have to be padded */
typedef uint32_t program_lane;         /* vertex */
typedef uint32_t program_accumulator;
typedef uint32_t program_result;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree,
                                            program_initial distance) {
  program_value value;
  value.distance = distance;
  value.vertex = (uint32_t)vertex;
  value.parent = vertex == context->source ? (uint32_t)vertex : PARENTS_NONE;
  return value;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint64_t vertex) {
  return true;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value;
}

/* In round 1 only vertices with a parent send, and no vertex that lacks one is as far as any other
 * unless it is tight. */
PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message sender, program_weight length,
                                                    program_value receiver) {
  bool may_lead = sender.distance < receiver.distance ||
                  (context->round > 0 && sender.distance == receiver.distance);
  bool is_parent =
      may_lead && receiver.parent == PARENTS_NONE && sender.distance + length == receiver.distance;
  return is_parent ? sender.vertex : PARENTS_NONE;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator parent) {
  if (value.parent == PARENTS_NONE)
    value.parent = parent;
  return value;
}

/* Who finds its parent in the first sweep need not send before round 1 begins. */
PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return context->round > 0 && old_value.parent != new_value.parent;
}

/* A vertex that lacks its parent waits for round 1. The others wait one longer, for a round in
 * which nothing is done: they are woken if round 1 comes before it. */
PROGRAM_FUNCTION double program_round(const struct qn_program_context *context,
                                      program_value value) {
  if (context->round > 0 || value.distance == PARENTS_UNREACHED)
    return (double)INFINITY;
  return value.parent == PARENTS_NONE ? 1 : 2;
}

PROGRAM_FUNCTION bool program_wake(const struct qn_program_context *context, program_value *value) {
  return context->round < 2 && value->parent != PARENTS_NONE;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value.parent;
}
