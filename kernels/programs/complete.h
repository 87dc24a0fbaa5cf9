/* Completes a program: sets the traits that it left out, checks the rest, and
 * derives what engines need. Engines include it after the program; it is the
 * one header that must not be compiled alone. */
#ifndef PROGRAM_NAME
#error "include a program (kernels/programs/NAME.h) before complete.h"
#endif

#include <assert.h>
#include <stddef.h>

/* ---- Traits that are left out ---------- */

#ifndef PROGRAM_ALIASES
#define PROGRAM_ALIASES NULL
#endif
#ifndef PROGRAM_PARAMETERS
#define PROGRAM_PARAMETERS(_)
PROGRAM_ENUMERATE(PROGRAM_PARAMETERS);
#endif
#ifndef PROGRAM_VALUES
#define PROGRAM_VALUES 0
#endif
#ifndef PROGRAM_PURPOSE
#define PROGRAM_PURPOSE QN_FOR_OTHER
#endif
#ifndef PROGRAM_FIRST_SUFFICES
#define PROGRAM_FIRST_SUFFICES 0
#endif
#ifndef PROGRAM_PRIORITY
#define PROGRAM_PRIORITY 0
#endif
#ifndef PROGRAM_ROUNDS
#define PROGRAM_ROUNDS 0
#endif
#ifndef PROGRAM_SEES_RECEIVER
#define PROGRAM_SEES_RECEIVER 0
#endif
#ifdef PROGRAM_DERIVES_FROM
#define PROGRAM_INITIAL QN_INITIAL_RESULTS
#else
#define PROGRAM_DERIVES_FROM NULL
#endif
#ifndef PROGRAM_INITIAL
#define PROGRAM_INITIAL 0
#endif
#ifndef PROGRAM_USES_OUT_DEGREE
#define PROGRAM_USES_OUT_DEGREE 0
#endif
#ifndef PROGRAM_SYMMETRIC
#define PROGRAM_SYMMETRIC 0
#endif
#ifndef PROGRAM_NEEDS_SOURCE
#define PROGRAM_NEEDS_SOURCE 0
#endif
#ifndef PROGRAM_HOPS
#define PROGRAM_HOPS 0
#endif
#ifndef PROGRAM_ITERATIONS
#define PROGRAM_ITERATIONS UINT32_MAX
#endif

/* ---- What engines ask, from the traits ---------- */

#ifdef PROGRAM_ASYNCHRONOUS
#define PROGRAM_IN_PLACE (PROGRAM_ASYNCHRONOUS && PROGRAM_SCHEDULE == QN_FRONTIER)
#define PROGRAM_CONTRACTS (PROGRAM_ASYNCHRONOUS && PROGRAM_SCHEDULE == QN_ALL_ACTIVE)
#endif
#ifdef PROGRAM_WEIGHTS
#define PROGRAM_USES_WEIGHTS (((PROGRAM_WEIGHTS)&QN_WEIGHTED) != 0)
#define PROGRAM_NON_NEGATIVE (((PROGRAM_WEIGHTS)&QN_WEIGHTED_NON_NEGATIVE) != 0)
#define PROGRAM_SUMS_WEIGHTS (((PROGRAM_WEIGHTS)&QN_WEIGHTED_SUMS) != 0)
#define PROGRAM_WEIGHTS_BY_TYPE (((PROGRAM_WEIGHTS)&QN_WEIGHTED_BY_TYPE) != 0)
#define PROGRAM_WEIGHTS_WIDE (((PROGRAM_WEIGHTS)&QN_WEIGHTED_WIDE) != 0)
#endif
#ifdef PROGRAM_TOLERANCE
#undef PROGRAM_CONVERGES
#define PROGRAM_CONVERGES 1
#elif defined(PROGRAM_CONVERGES)
#define PROGRAM_TOLERANCE 0.0
#else
#define PROGRAM_CONVERGES 0
#define PROGRAM_TOLERANCE 0.0
#endif
#ifdef PROGRAM_BEGINS
#undef PROGRAM_AGGREGATE
#define PROGRAM_AGGREGATE PROGRAM_BEGINS
#elif defined(PROGRAM_AGGREGATE)
#error "PROGRAM_AGGREGATE is PROGRAM_BEGINS now: also define void program_begin(context *)"
#else
#define PROGRAM_BEGINS 0
#define PROGRAM_AGGREGATE 0
#endif
#define PROGRAM_HAS_INITIAL (PROGRAM_INITIAL != 0)

/* Programs of before have these instead of PROGRAM_ASYNCHRONOUS and PROGRAM_WEIGHTS. */
#ifndef PROGRAM_IN_PLACE
#define PROGRAM_IN_PLACE 0
#endif
#ifndef PROGRAM_CONTRACTS
#define PROGRAM_CONTRACTS 0
#endif
#ifndef PROGRAM_USES_WEIGHTS
#define PROGRAM_USES_WEIGHTS 0
#endif
#ifndef PROGRAM_NON_NEGATIVE
#define PROGRAM_NON_NEGATIVE 0
#endif
#ifndef PROGRAM_SUMS_WEIGHTS
#define PROGRAM_SUMS_WEIGHTS 0
#endif
#ifndef PROGRAM_WEIGHTS_BY_TYPE
#define PROGRAM_WEIGHTS_BY_TYPE 0
#endif
#ifndef PROGRAM_WEIGHTS_WIDE
#define PROGRAM_WEIGHTS_WIDE 0
#endif

/* Kernels of their own may say of the program that is a part of them: once program_open is false of
 * a vertex nothing changes it any more; and that real contributions are whole numbers, whose sums
 * are the same in any order while program_exact(context). */
#ifndef PROGRAM_CLOSES
#define PROGRAM_CLOSES PROGRAM_FIRST_SUFFICES
#endif
#ifndef PROGRAM_COUNTS
#define PROGRAM_COUNTS 0
#endif

/* ---- Checks ---------- */

#if PROGRAM_SCHEDULE != QN_ALL_ACTIVE && PROGRAM_SCHEDULE != QN_FRONTIER
#error "PROGRAM_SCHEDULE must be QN_ALL_ACTIVE or QN_FRONTIER"
#endif
#if PROGRAM_COMBINE < QN_ADD || PROGRAM_COMBINE > QN_OR
#error "PROGRAM_COMBINE must be QN_ADD, QN_MIN, QN_MAX or QN_OR"
#endif
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE &&                                                           \
    (PROGRAM_IN_PLACE || PROGRAM_FIRST_SUFFICES || PROGRAM_PRIORITY || PROGRAM_ROUNDS)
#error "PROGRAM_FIRST_SUFFICES, _PRIORITY and _ROUNDS are traits of frontier programs"
#endif
#if PROGRAM_IN_PLACE && PROGRAM_COMBINE == QN_ADD
#error "a frontier program that adds is not PROGRAM_ASYNCHRONOUS: a contribution would count twice"
#endif
#if (PROGRAM_SEES_RECEIVER || PROGRAM_INITIAL == QN_INITIAL_RESULTS) &&                            \
    PROGRAM_SCHEDULE != QN_FRONTIER
#error "PROGRAM_SEES_RECEIVER and PROGRAM_DERIVES_FROM are traits of frontier programs"
#endif
#if PROGRAM_SEES_RECEIVER && (PROGRAM_IN_PLACE || PROGRAM_FIRST_SUFFICES)
#error "PROGRAM_SEES_RECEIVER: all contributions of an iteration look at one value of the receiver"
#endif
#if PROGRAM_PRIORITY && !PROGRAM_IN_PLACE
#error "PROGRAM_PRIORITY needs PROGRAM_ASYNCHRONOUS: values are sent out of order"
#endif

#ifdef PROGRAM_HALVES /* by a user's header around the program */
static_assert((program_message)0.5 != 0 && !PROGRAM_SEES_RECEIVER,
              "PROGRAM_HALVES: messages are real numbers");
#include "kernels/programs/half.h"
#endif
static_assert(program_num_parameters <= QN_MAX_PROGRAM_PARAMETERS, "too many parameters");

/* Lanes of an accumulator, which is an array of program_lane in memory. */
enum { PROGRAM_LANES = sizeof(program_accumulator) / sizeof(program_lane) };

static_assert(sizeof(program_accumulator) % sizeof(program_lane) == 0,
              "program_accumulator holds nothing but program_lanes");
#if PROGRAM_IN_PLACE
static_assert(sizeof(program_accumulator) == sizeof(program_value),
              "PROGRAM_ASYNCHRONOUS: program_value is program_accumulator");
#endif

/* Partial results are stored as wide as results, where both are real numbers. */
#ifdef __cplusplus
template <class Lane, bool is_narrow> struct program_lane_stored { typedef Lane type; };
template <> struct program_lane_stored<double, true> { typedef float type; };
typedef program_lane_stored<program_lane, PROGRAM_RESULT == QN_RESULT_F32>::type program_stored;
#else
typedef __typeof__(__builtin_choose_expr(_Generic((program_lane)0, double
                                                  : PROGRAM_RESULT == QN_RESULT_F32, default : 0),
                                         0.f, (program_lane)0)) program_stored;
#endif

/* ---- What engines do with lanes ---------- */

PROGRAM_FUNCTION program_lane program_combine_lane(program_lane a, program_lane b) {
#if PROGRAM_COMBINE == QN_ADD
  return a + b;
#elif PROGRAM_COMBINE == QN_MIN
  return b < a ? b : a;
#elif PROGRAM_COMBINE == QN_MAX
  return b > a ? b : a;
#else
  return a | b;
#endif
}

PROGRAM_FUNCTION void program_combine(program_accumulator *into, program_accumulator from) {
  program_lane *lanes = (program_lane *)into;
  const program_lane *more = (const program_lane *)&from;
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    lanes[lane] = program_combine_lane(lanes[lane], more[lane]);
}

/* What an edge to `receiver` carries; `values` [V] are those before the iteration. */
PROGRAM_FUNCTION program_accumulator program_contribution(const struct qn_program_context *context,
                                                          program_message message,
                                                          program_weight weight,
                                                          const program_value *values,
                                                          uint64_t receiver) {
#if PROGRAM_SEES_RECEIVER
  return program_gather(context, message, weight, values[receiver]);
#else
  (void)values, (void)receiver;
  return program_gather(context, message, weight);
#endif
}

PROGRAM_FUNCTION program_accumulator program_identity(void) {
  program_accumulator identity;
  program_lane *lanes = (program_lane *)&identity;
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    lanes[lane] = PROGRAM_IDENTITY;
  return identity;
}

/* Did the receiver refuse the message? Not to combine then spares an atomic. */
PROGRAM_FUNCTION bool program_refuses(program_accumulator contribution) {
  const program_lane *lanes = (const program_lane *)&contribution;
  bool refuses = PROGRAM_SEES_RECEIVER;
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    refuses = refuses && lanes[lane] == PROGRAM_IDENTITY;
  return refuses;
}
