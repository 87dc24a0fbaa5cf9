/* The description of a program as an algorithm (algorithm.h), from its traits. Included after
 * complete.h, once in all: by the source file that the build generates for each program, or with
 * the engine where a user's program is compiled. It is not to be compiled alone.
 *
 *   #define QN_ALGORITHM qn_algorithm_bfs */
#ifndef PROGRAM_NAME
#error "include a program (kernels/programs/NAME.h) before describe.h"
#endif

#include "kernels/programs/algorithm.h"

#define QN_DESCRIBE_PARAMETER(type, name, unit, value, least, most, range, words, help)            \
  {QN_PARAMETER_##type, #name, unit, value, least, most, range, words, help},

// clang-format off
static const struct qn_parameter program_parameters[] = {
    PROGRAM_PARAMETERS(QN_DESCRIBE_PARAMETER)
#if PROGRAM_CONVERGES
    QN_TOLERANCE_PARAMETER(PROGRAM_TOLERANCE),
#endif
#if PROGRAM_INITIAL == QN_INITIAL_SAMPLES
    QN_SAMPLES_PARAMETER, QN_SEED_PARAMETER,
#endif
#if PROGRAM_PRIORITY
    {QN_PARAMETER_REAL, "delta", "WIDTH", 0, 0, INFINITY, QN_RANGE_ABOVE_LEAST | QN_RANGE_BELOW_MOST,
     NULL, "Width of a bucket, in units of the weights (default: chosen from the weights)"},
#endif
#if PROGRAM_HOPS
    {QN_PARAMETER_WHOLE, "hops", "K", PROGRAM_ITERATIONS, 0, UINT32_MAX, QN_RANGE_CLOSED, NULL,
     "How many hops away it looks"},
#else
    QN_ITERATIONS_PARAMETER(PROGRAM_ITERATIONS),
#endif
};
// clang-format on

static_assert(sizeof program_parameters / sizeof *program_parameters <= QN_MAX_PARAMETERS,
              "too many parameters");

static_assert(!((PROGRAM_VALUES)&QN_VALUES_UNIT) || PROGRAM_RESULT == QN_RESULT_F32 ||
                  PROGRAM_RESULT == QN_RESULT_F64,
              "QN_VALUES_UNIT scales real numbers");

#ifdef QN_ALGORITHM_IS_LOCAL
static
#elif defined(__cplusplus)
extern "C" const struct qn_algorithm QN_ALGORITHM;
#endif
    /* Fields in the order of struct qn_algorithm: C++17 has no designated initialisers. */
    const struct qn_algorithm QN_ALGORITHM = {
        PROGRAM_NAME,
        PROGRAM_ALIASES,
        PROGRAM_TITLE,
        PROGRAM_PURPOSE,
        program_parameters,
        sizeof program_parameters / sizeof *program_parameters,
        (PROGRAM_NEEDS_SOURCE ? QN_INPUT_SOURCE : 0) |
            (PROGRAM_INITIAL == QN_INITIAL_SEEDS ? QN_INPUT_SOURCES : 0) |
            (PROGRAM_INITIAL == QN_INITIAL_VECTOR ? QN_INPUT_VECTOR : 0),
        PROGRAM_INITIAL == QN_INITIAL_VECTOR ? QN_INPUT_VECTOR : 0,
        PROGRAM_INITIAL,
        QN_SHAPE_VALUES,
        PROGRAM_VALUES,
        NULL,
        PROGRAM_ITERATIONS,
        PROGRAM_TOLERANCE,
        PROGRAM_DERIVES_FROM};
