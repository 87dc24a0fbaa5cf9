/* What a program is made of. Every kernels/programs/NAME.h includes this header
 * first and is compiled with every engine (kernels/cpu/LAYOUT/engine.h and
 * kernels/cuda/LAYOUT/engine.cuh); README.md beside this file teaches how to write one.
 *
 * A program is written in the common subset of C17 and CUDA C: no atomics, no
 * threads, no memory: it says what to compute, the engine how to walk a layout.
 *
 *   messages      m(u)   = program_send(value(u), out-degree of u)       once a sender
 *   contributions c(u,v) = program_gather(m(u), weight of u -> v)        along an edge
 *   accumulator   a(v)   = PROGRAM_COMBINE over all c(u,v)               at a receiver
 *   new value            = program_apply(value(v), a(v))
 *
 * In an all-active program every vertex sends in every iteration. In a frontier
 * program the vertices that are active send; receivers that `program_active`
 * accepts after apply are the next iteration's senders, and the run ends when
 * there are none. A vertex that receives nothing keeps its value in a frontier
 * program and is applied to the identity in an all-active one.
 *
 * A program defines these types
 *
 *   program_value        what a vertex holds
 *   program_message      what a sender offers to its out-edges
 *   program_lane         the scalar in which contributions are combined
 *   program_accumulator  one program_lane, or a struct of nothing but program_lanes
 *   program_weight       uint32_t or float, for weights of 8 bytes uint64_t or double: weights are
 *                        converted to it; they are 1 where a graph has none, or the program lacks
 *                        PROGRAM_USES_WEIGHTS
 *   program_result       what a user sees: uint32_t, uint64_t, float or double
 *
 * these macros
 *
 *   PROGRAM_NAME         "bfs": how a user calls it
 *   PROGRAM_TITLE        "hops from a source": one line for a list
 *   PROGRAM_SCHEDULE     QN_ALL_ACTIVE or QN_FRONTIER
 *   PROGRAM_COMBINE      QN_ADD, QN_MIN, QN_MAX or QN_OR, lane by lane
 *   PROGRAM_IDENTITY     the lane value that changes nothing when combined
 *   PROGRAM_RESULT       QN_RESULT_U32, _U64, _F32 or _F64, as program_result; the largest
 *                        integer, or INFINITY, means "none" (unreachable)
 *
 * these functions
 *
 *   program_value        program_init(context, vertex, out_degree)
 *   program_message      program_send(context, value, out_degree)
 *   program_accumulator  program_gather(context, message, weight)
 *   program_value        program_apply(context, value, accumulator)
 *   program_result       program_output(context, value)
 *   bool                 program_starts(context, vertex)           frontier: active at first?
 *   bool                 program_active(context, old, new)         frontier: send (again)?
 *
 * and, where they are true, these traits (complete.h sets the others to 0). They say what the
 * program is; how an engine makes use of that is the engine's.
 *
 *   PROGRAM_ALIASES      "nn,neural-network": other names for it, such as a paper's
 *   PROGRAM_PARAMETERS(_) what a user may choose, a row each (algorithm.h says what columns mean;
 *                        types are REAL, WHOLE, FLAG and CHOICE):
 *                        _(REAL, damping, "PROBABILITY", 0.85, 0, 1, QN_RANGE_BELOW_MOST, NULL,
 *                          "Probability of following an edge")
 *                        After it PROGRAM_ENUMERATE(PROGRAM_PARAMETERS); the program looks at
 *                        program_real(context, damping) or program_whole(context, ...)
 *   PROGRAM_VALUES       what results are (otherwise just numbers): a set of QN_VALUES_VERTICES,
 *                        _RANKED, _LEVELS and _UNIT (algorithm.h)
 *   PROGRAM_PURPOSE      QN_FOR_PATHS, ...: the heading in a list (otherwise QN_FOR_OTHER)
 *
 *   PROGRAM_NEEDS_SOURCE it has a source vertex
 *   PROGRAM_INITIAL      a vertex begins with what it is given,
 *                        program_init(context, vertex, out_degree, given), where the out-degree is
 *                        0. Also: typedef program_initial, the type of that:
 *                        QN_INITIAL_VECTOR   double: the number that a user says of it (--vector)
 *                        QN_INITIAL_SEEDS    double: its part of the sources' weights, in sum 1
 *                        QN_INITIAL_STRENGTHS double: the sum of the weights of its out-edges
 *                        QN_INITIAL_SAMPLES  double: its number, from 1 to context.num_samples,
 *                        in original order, if it is one of those that are sampled (--samples,
 *                        --seed), else 0
 *   PROGRAM_DERIVES_FROM frontier: "bfs": the program continues from that algorithm's results, and
 *                        users do not name it. It is given (above) these results
 *   PROGRAM_SYMMETRIC    defined on symmetric graphs only
 *   PROGRAM_USES_OUT_DEGREE  init or send look at the out-degree (0 is passed otherwise)
 *   PROGRAM_WEIGHTS      what weights are to it (otherwise gather does not look at them), a set:
 *                        QN_WEIGHTED               gather looks at the weight
 *                        QN_WEIGHTED_NON_NEGATIVE  negative weights are refused
 *                        QN_WEIGHTED_SUMS          with it: so are weights whose sum along a
 *                        path, or of an all-active program at a vertex, could leave u64 or f64
 *                        QN_WEIGHTED_BY_TYPE       compile it twice: with QN_WEIGHTS_REAL defined
 *                        for real weights, without it for whole weights and for none
 *                        QN_WEIGHTED_WIDE          compile it once more, with QN_WEIGHTS_WIDE
 *                        defined, for weights of 8 bytes (i64, f64). Without this such graphs are
 *                        refused
 *
 *   PROGRAM_ASYNCHRONOUS results are the same if some values are seen before others, even before
 *                        an iteration ends. All active: values tend to the same ones, as sums that
 *                        contract do. Frontier: program_value is program_accumulator, and apply is
 *                        combine, by MIN, MAX or OR
 *   PROGRAM_FIRST_SUFFICES  frontier: all contributions that a vertex gets in one iteration are
 *                        equal, and only one iteration can change it: the first is enough. Also:
 *                        bool program_open(context, value): may a contribution still change it?
 *   PROGRAM_PRIORITY     frontier: less work is repeated if small values send first. Also:
 *                        double program_priority(context, value), in units of the weights
 *   PROGRAM_ROUNDS       frontier: when no vertex is active a new round begins. Also:
 *                        double program_round(context, value): the round that this vertex waits
 *                        for, or INFINITY, and that for good; context.round becomes the least of
 *                        all, then bool program_wake(context, value *): is it active in this round?
 *   PROGRAM_SEES_RECEIVER  frontier, not asynchronous: gather also looks at what the receiver holds
 *                        before the iteration, program_gather(context, message, weight, value), and
 *                        refuses a message by returning the identity
 *
 *   PROGRAM_BEGINS       all active: each iteration begins with a sum over all vertices,
 *                        context.aggregate, of
 *                        double program_aggregate(context, value, out_degree).
 *                        void program_begin(context *) is called after the sends and before the
 *                        first apply, to fill context.derived; send and gather therefore must not
 *                        look at context.aggregate and .derived
 *   PROGRAM_TOLERANCE    all active: it ends when the sum over all vertices of
 *                        double program_change(context, old, new) is below the tolerance, of which
 *                        this is the default (0.0: all iterations are done)
 *   PROGRAM_ITERATIONS   the default number of iterations at most (otherwise no limit)
 *   PROGRAM_HOPS         an iteration is a hop, and --hops says how many are wanted
 *
 * A header that defines PROGRAM_HALVES and includes a program whose messages are real is that
 * program with messages of two bytes (half.h). The traits of before still work: PROGRAM_IN_PLACE
 * and _CONTRACTS are PROGRAM_ASYNCHRONOUS now; _USES_WEIGHTS, _NON_NEGATIVE, _SUMS_WEIGHTS,
 * _WEIGHTS_BY_TYPE and _WEIGHTS_WIDE are PROGRAM_WEIGHTS; _AGGREGATE is PROGRAM_BEGINS; _CONVERGES
 * is PROGRAM_TOLERANCE. PROGRAM_PARTIAL is no longer needed.
 *
 * "vertex" is the position in original order (quern/ids.h), whatever a layout calls a vertex. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/programs/context.h"
#include <quern/inline.h>

#define PROGRAM_FUNCTION QN_INLINE

/* The places of a program's parameters, and the value of one of them. */
#define PROGRAM_PARAMETER_PLACE(type, name, ...) program_parameter_##name,
#define PROGRAM_ENUMERATE(parameters)                                                              \
  enum { parameters(PROGRAM_PARAMETER_PLACE) program_num_parameters }
#define program_real(context, name) ((context)->parameters[program_parameter_##name].real)
#define program_whole(context, name) ((context)->parameters[program_parameter_##name].whole)

/* A program need not look at all that it is told. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
