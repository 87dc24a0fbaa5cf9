/* Radius of every vertex, estimated: the greatest distance from which a vertex reaches it.
 *
 * After HADI (Kang, Tsourakakis, Appel, Faloutsos, Leskovec: HADI: Mining Radii of Large Graphs,
 * TKDD 2011): a vertex holds Flajolet-Martin sketches of the set of vertices that reach it in h
 * hops, in each of which a vertex sets bit i with probability 2^-(i+1); h grows by one with each
 * iteration, as sketches of neighbours are or-ed together. The estimate is the last h at
 * which a sketch changed: never more than the true radius, and less where all the farthest
 * vertices hide behind bits of nearer ones. (HADI's effective radius stops at 90% of the vertices.)
 */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "radius"
#define PROGRAM_TITLE "about how far the farthest vertex is"
#define PROGRAM_PURPOSE QN_FOR_PATHS
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_OR
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_U32
#define PROGRAM_VALUES QN_VALUES_LEVELS

#define RADIUS_SKETCHES 8

typedef uint32_t program_lane;
typedef struct {
  program_lane sketches[RADIUS_SKETCHES];
} program_accumulator;
typedef program_accumulator program_message;
typedef struct {
  program_accumulator reached;
  uint32_t radius;
} program_value;
typedef uint32_t program_weight;
typedef uint32_t program_result;

/* A hash in which every bit is fair (the finaliser of MurmurHash3, by Austin Appleby). */
PROGRAM_FUNCTION uint64_t radius_hash(uint64_t key) {
  key ^= key >> 33;
  key *= 0xFF51AFD7ED558CCDull;
  key ^= key >> 33;
  key *= 0xC4CEB9FE1A85EC53ull;
  return key ^ key >> 33;
}

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree) {
  program_value value;
  for (uint64_t i = 0; i < RADIUS_SKETCHES; i++) {
    uint64_t hash = radius_hash((uint64_t)vertex * RADIUS_SKETCHES + i + 1) | (uint64_t)1 << 31;
    uint32_t bit = 1;
    for (; !(hash & 1); hash >>= 1)
      bit <<= 1;
    value.reached.sketches[i] = bit;
  }
  value.radius = 0;
  return value;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint64_t vertex) {
  return true;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  return value.reached;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return message;
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator more) {
  bool grew = false;
  for (int i = 0; i < RADIUS_SKETCHES; i++) {
    grew |= (more.sketches[i] & ~value.reached.sketches[i]) != 0;
    value.reached.sketches[i] |= more.sketches[i];
  }
  if (grew)
    value.radius = context->iteration + 1;
  return value;
}

PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return new_value.radius != old_value.radius;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  return value.radius;
}
