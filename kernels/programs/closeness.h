/* Closeness centrality (Freeman: Centrality in Social Networks, 1978; with several components after
 * Wasserman, Faust, 1994), of how near a vertex is to those that reach it: with n of V vertices
 * reaching v, itself included, by distances that sum to S,
 *
 *   closeness(v) = (n - 1) / S * (n - 1) / (V - 1)
 *
 * and 0 where nothing else reaches v. Estimated from k samples (Eppstein, Wang: Fast Approximation
 * of Centrality, 2004): where r of those other than v reach it, by distances that sum to s, it is
 * r / s * r / k, the same if every vertex is a sample. The expected error is of the order of the
 * graph's diameter * sqrt(log V / k) in the mean distance.
 *
 * Searches are done 64 at a time, a round each: a vertex has a bit for each of them (Then and
 * others: The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014). */
#pragma once

#include "kernels/programs/program.h"

#ifndef PROGRAM_NAME
#define PROGRAM_NAME "closeness"
#define PROGRAM_TITLE "how near those are that reach it"
#define CLOSENESS_OF_LEVEL(level) ((double)(level))
#define CLOSENESS_OF(sum, reached, others, vertices)                                               \
  ((sum) > 0 ? (double)(reached) / (sum) * (double)(reached) / (others) : 0)
#endif

#define PROGRAM_PURPOSE QN_FOR_RANKING
#define PROGRAM_SCHEDULE QN_FRONTIER
#define PROGRAM_COMBINE QN_OR
#define PROGRAM_IDENTITY 0
#define PROGRAM_RESULT QN_RESULT_F64
#define PROGRAM_INITIAL QN_INITIAL_SAMPLES
#define PROGRAM_ROUNDS 1
#define PROGRAM_VALUES QN_VALUES_RANKED

#define CLOSENESS_SEARCHES 64
#define CLOSENESS_NONE UINT32_MAX

typedef uint64_t program_lane;
/* All that send in an iteration are as far, so or-ing levels together changes none. */
typedef struct {
  program_lane searches; /* a set */
  program_lane level;
} program_accumulator;
typedef program_accumulator program_message;
typedef struct {
  uint64_t seen;    /* searches of this round that have been here */
  uint64_t fresh;   /* and those that came last, */
  double sum;       /* of all distances, or what is summed of them */
  uint32_t level;   /* from so far; */
  uint32_t round;   /* that `seen` is of */
  uint32_t reached; /* how many searches came, of other vertices */
  uint32_t number;  /* of the sample that it is, from 0, or CLOSENESS_NONE */
  uint32_t waits;   /* for its round, or CLOSENESS_NONE */
  uint32_t unused;
} program_value;
typedef uint32_t program_weight;
typedef double program_result;
typedef double program_initial;

PROGRAM_FUNCTION program_value program_init(const struct qn_program_context *context,
                                            uint64_t vertex, uint64_t out_degree,
                                            program_initial initial) {
  program_value value;
  value.seen = value.fresh = 0;
  value.sum = 0;
  value.level = value.reached = value.unused = 0;
  value.round = CLOSENESS_NONE;
  value.number = initial > 0 ? (uint32_t)(initial - 1) : CLOSENESS_NONE;
  value.waits = initial > 0 ? value.number / CLOSENESS_SEARCHES : CLOSENESS_NONE;
  return value;
}

PROGRAM_FUNCTION bool program_starts(const struct qn_program_context *context, uint64_t vertex) {
  return false;
}

PROGRAM_FUNCTION double program_round(const struct qn_program_context *context,
                                      program_value value) {
  return value.waits == CLOSENESS_NONE ? (double)INFINITY : (double)value.waits;
}

PROGRAM_FUNCTION bool program_wake(const struct qn_program_context *context, program_value *value) {
  if ((double)value->waits != context->round)
    return false;
  value->seen = value->fresh = (uint64_t)1 << value->number % CLOSENESS_SEARCHES;
  value->level = 0;
  value->round = value->waits;
  value->waits = CLOSENESS_NONE;
  return true;
}

PROGRAM_FUNCTION program_message program_send(const struct qn_program_context *context,
                                              program_value value, uint64_t out_degree) {
  program_message message;
  message.searches = value.fresh;
  message.level = (uint64_t)value.level + 1;
  return message;
}

PROGRAM_FUNCTION program_accumulator program_gather(const struct qn_program_context *context,
                                                    program_message message,
                                                    program_weight weight) {
  return message;
}

/* How many bits are set, by adding up ever longer groups of them. */
PROGRAM_FUNCTION uint32_t closeness_count(uint64_t searches) {
  searches -= searches >> 1 & 0x5555555555555555ull;
  searches = (searches & 0x3333333333333333ull) + (searches >> 2 & 0x3333333333333333ull);
  searches = (searches + (searches >> 4)) & 0x0F0F0F0F0F0F0F0Full;
  return (uint32_t)(searches * 0x0101010101010101ull >> 56);
}

PROGRAM_FUNCTION program_value program_apply(const struct qn_program_context *context,
                                             program_value value, program_accumulator come) {
  const uint32_t round = (uint32_t)context->round;
  const uint64_t seen = value.round == round ? value.seen : 0;
  const uint64_t fresh = come.searches & ~seen;
  const uint32_t count = closeness_count(fresh);
  value.round = round;
  value.seen = seen | fresh;
  value.fresh = fresh;
  if (count == 0)
    return value;
  value.level = (uint32_t)come.level;
  value.reached += count;
  value.sum += (double)count * CLOSENESS_OF_LEVEL(come.level);
  return value;
}

PROGRAM_FUNCTION bool program_active(const struct qn_program_context *context,
                                     program_value old_value, program_value new_value) {
  return new_value.fresh != 0;
}

PROGRAM_FUNCTION program_result program_output(const struct qn_program_context *context,
                                               program_value value) {
  const uint32_t others = context->num_samples - (value.number != CLOSENESS_NONE);
  return others > 0
             ? CLOSENESS_OF(value.sum, value.reached, (double)others, (double)context->num_vertices)
             : 0;
}
