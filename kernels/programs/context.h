/* The vocabulary of programs: what they are told, and the values of their traits. */
#pragma once

#include <stdint.h>

/* PROGRAM_SCHEDULE */
#define QN_ALL_ACTIVE 1
#define QN_FRONTIER 2

/* PROGRAM_COMBINE */
#define QN_ADD 1
#define QN_MIN 2
#define QN_MAX 3
#define QN_OR 4

/* PROGRAM_WEIGHTS, a set */
#define QN_WEIGHTED 1
#define QN_WEIGHTED_NON_NEGATIVE 2
#define QN_WEIGHTED_SUMS 4
#define QN_WEIGHTED_BY_TYPE 8
#define QN_WEIGHTED_WIDE 16

/* PROGRAM_INITIAL */
#define QN_INITIAL_RESULTS 1
#define QN_INITIAL_VECTOR 2
#define QN_INITIAL_SEEDS 3
#define QN_INITIAL_STRENGTHS 4
#define QN_INITIAL_SAMPLES 5

/* PROGRAM_RESULT */
enum qn_result_type { QN_RESULT_U32 = 1, QN_RESULT_U64 = 2, QN_RESULT_F32 = 3, QN_RESULT_F64 = 4 };

/* What a result is. */
enum qn_shape {
  QN_SHAPE_VALUES,  /* a value for each vertex */
  QN_SHAPE_COLUMNS, /* several values for each vertex, named */
  QN_SHAPE_PAIRS,   /* a value for each pair of vertices */
  QN_SHAPE_PATH,    /* vertices in order, with a value each */
  QN_SHAPE_WALKS,   /* rows of vertices */
  QN_SHAPE_SAMPLE,  /* a subgraph (kernels/sample.h) */
  QN_SHAPE_NUMBER,  /* one number */
};

#define QN_MAX_DERIVED 4
#define QN_MAX_PROGRAM_PARAMETERS 4

/* The value of a parameter, in two forms: a whole number is exact in both below 2^53, and a real
 * one is `whole` rounded down, at most UINT64_MAX - 1. */
struct qn_argument {
  double real;
  uint64_t whole;
};

#define QN_MAX_PARAMETERS 8
#define QN_MAX_LIST 16

/* The arguments of a run, one for each parameter of its algorithm in its order. */
struct qn_arguments {
  struct qn_argument of[QN_MAX_PARAMETERS];
  uint32_t list[QN_MAX_LIST]; /* [list_length] of the parameter that is a list */
  uint32_t list_length;
  uint32_t said; /* set of 1 << index: a user said so, the others have their defaults */
};

/* What a program knows beside a vertex's value; constant while an iteration walks the edges. */
struct qn_program_context {
  uint64_t num_vertices;
  uint64_t num_edges;
  uint64_t source;      /* position in original order; UINT64_MAX: none */
  uint32_t iteration;   /* 0 in the first */
  uint32_t num_samples; /* PROGRAM_INITIAL: how many vertices have a number */
  double tolerance;
  double aggregate;               /* PROGRAM_AGGREGATE: the sum over all vertices */
  double round;                   /* PROGRAM_ROUNDS: the current round */
  double derived[QN_MAX_DERIVED]; /* the program's own, from program_begin */
  struct qn_argument parameters[QN_MAX_PROGRAM_PARAMETERS]; /* of PROGRAM_PARAMETERS */
  void *shared; /* what a kernel of its own lets its program see, where it runs; else NULL */
};
