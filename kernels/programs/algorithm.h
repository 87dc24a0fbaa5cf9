/* What an algorithm says of itself: names, parameters, inputs and the shape of its result.
 *
 * Everything that names an algorithm's options is derived from this: the command line, its help
 * and its messages, the C interface, Python's signatures, a checkpoint's identity and the tables
 * of the documentation. A program (program.h) is described by its own header; an algorithm that is
 * no program by kernels/algorithms/NAME.c. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/programs/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* PROGRAM_PURPOSE: the heading under which lists show an algorithm, in this order. */
enum qn_purpose { QN_FOR_PATHS, QN_FOR_RANKING, QN_FOR_STRUCTURE, QN_FOR_NUMBERS, QN_FOR_OTHER };

/* ---- Parameters ----------------------------------------------------------------------------- */

enum qn_parameter_type {
  QN_PARAMETER_REAL,
  QN_PARAMETER_WHOLE,
  QN_PARAMETER_FLAG,
  QN_PARAMETER_CHOICE, /* its value is the place of a word in `words` */
  QN_PARAMETER_LIST,   /* of whole numbers; an algorithm has one such parameter at most */
};

/* A set: which values of the range are excluded, or allowed besides. */
enum qn_parameter_range {
  QN_RANGE_CLOSED = 0,
  QN_RANGE_ABOVE_LEAST = 1, /* `least` itself is excluded */
  QN_RANGE_BELOW_MOST = 2,  /* `most` itself is excluded */
  QN_RANGE_OR_ALL = 4,      /* the word "all" stands for `most` */
};

struct qn_parameter {
  enum qn_parameter_type type;
  const char *name;   /* "damping" */
  const char *unit;   /* "PROBABILITY": what help calls the value */
  double value;       /* the default; one out of range: none, or chosen by the algorithm */
  double least, most; /* of reals and wholes, and of a list's members */
  unsigned range;     /* set of enum qn_parameter_range */
  const char *words;  /* choices, "push|pull"; of a list its default, "15,10"; else NULL */
  const char *help;   /* a sentence without its default */
};

/* Rows of a table of parameters that several algorithms have. */
#define QN_ITERATIONS_PARAMETER(value)                                                             \
  {                                                                                                \
    QN_PARAMETER_WHOLE, "iterations", "N", value, 0, UINT32_MAX, QN_RANGE_CLOSED, NULL,            \
        "At most N iterations"                                                                     \
  }
#define QN_TOLERANCE_PARAMETER(value)                                                              \
  {                                                                                                \
    QN_PARAMETER_REAL, "tolerance", "T", value, 0, INFINITY, QN_RANGE_BELOW_MOST, NULL,            \
        "End when values change by less than T in sum (0: never)"                                  \
  }
#define QN_SEED_PARAMETER                                                                          \
  {                                                                                                \
    QN_PARAMETER_WHOLE, "seed", "N", 0, 0, 0x1p63, QN_RANGE_CLOSED, NULL,                          \
        "Seed of random choices: the same seed gives the same result"                              \
  }
#define QN_SAMPLES_PARAMETER                                                                       \
  {                                                                                                \
    QN_PARAMETER_WHOLE, "samples", "N|all", 256, 1, UINT32_MAX, QN_RANGE_OR_ALL, NULL,             \
        "Vertices from whose distances the values are estimated, chosen by --seed; all of them "   \
        "give "                                                                                    \
        "the exact values"                                                                         \
  }
#define QN_WEIGHTED_PARAMETER                                                                      \
  {                                                                                                \
    QN_PARAMETER_FLAG, "weighted", NULL, 0, 0, 1, QN_RANGE_CLOSED, NULL,                           \
        "Follow edges in proportion to their weights"                                              \
  }

/* ---- Algorithms ----------------------------------------------------------------------------- */

/* A set: what a run is told of vertices, beside the graph. */
enum qn_input_kind {
  QN_INPUT_SOURCE = 1 << 0,  /* one vertex; several make a column of results each */
  QN_INPUT_SOURCES = 1 << 1, /* one vertex or more */
  QN_INPUT_TARGET = 1 << 2,  /* one vertex */
  QN_INPUT_PAIRS = 1 << 3,   /* pairs of vertices */
  QN_INPUT_GROUPS = 1 << 4,  /* a group for each vertex */
  QN_INPUT_VECTOR = 1 << 5,  /* a number for each vertex */
};
#define QN_ANY_SOURCES (QN_INPUT_SOURCE | QN_INPUT_SOURCES)

/* A set: what values are. */
enum qn_values {
  QN_VALUES_VERTICES = 1 << 0, /* positions in original order, shown as original ids */
  QN_VALUES_RANKED = 1 << 1,   /* the largest are the interesting ones */
  QN_VALUES_LEVELS = 1 << 2,   /* small whole numbers: how many have which is shown */
  QN_VALUES_UNIT = 1 << 3,     /* a direction: scaled so that their squares sum to 1 */
};

struct qn_algorithm {
  const char *name;    /* "bfs" */
  const char *aliases; /* other names, separated by commas; NULL: none */
  const char *title;   /* "hops from a source" */
  enum qn_purpose purpose;
  const struct qn_parameter *parameters; /* [num_parameters] */
  uint32_t num_parameters;
  uint32_t inputs;   /* set of enum qn_input_kind */
  uint32_t required; /* those of them without which there is no run */
  uint32_t initial;  /* PROGRAM_INITIAL: what each vertex begins with */
  enum qn_shape shape;
  uint32_t values;     /* set of enum qn_values */
  const char *counts;  /* QN_SHAPE_NUMBER: what is counted, "triangles"; else NULL */
  uint32_t iterations; /* the default of the most iterations; UINT32_MAX: no limit */
  double tolerance;    /* the default; 0: all iterations are done */
  const char *follows; /* the algorithm whose results it is given, which users name; else NULL */
};

/* The place of a parameter, or num_parameters. */
static inline uint32_t qn_parameter_find(const struct qn_algorithm *algorithm, const char *name) {
  uint32_t index = 0;
  while (index < algorithm->num_parameters && strcmp(algorithm->parameters[index].name, name) != 0)
    index++;
  return index;
}

/* A number as an argument, in both of its forms. */
static inline struct qn_argument qn_argument_of(double value) {
  struct qn_argument argument;
  argument.real = value;
  argument.whole = value < 0x1p63 ? (uint64_t)value : UINT64_MAX - 1;
  return argument;
}

#ifdef __cplusplus
}
#endif
