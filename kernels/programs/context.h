/* The vocabulary of programs: what they are told, and the values of their traits. */
#ifndef QN_KERNELS_PROGRAMS_CONTEXT_H
#define QN_KERNELS_PROGRAMS_CONTEXT_H

#include <stdint.h>

/* PROGRAM_SCHEDULE */
#define QN_ALL_ACTIVE 1
#define QN_FRONTIER 2

/* PROGRAM_COMBINE */
#define QN_ADD 1
#define QN_MIN 2
#define QN_MAX 3
#define QN_OR 4

/* PROGRAM_GIVEN */
#define QN_GIVEN_RESULTS 1
#define QN_GIVEN_VECTOR 2
#define QN_GIVEN_SEEDS 3
#define QN_GIVEN_STRENGTHS 4
#define QN_GIVEN_SAMPLES 5

/* PROGRAM_RESULT */
enum qn_result_type { QN_RESULT_U32 = 1, QN_RESULT_U64 = 2, QN_RESULT_F32 = 3, QN_RESULT_F64 = 4 };

/* PROGRAM_PURPOSE: under which heading lists show it, in this order. */
enum qn_purpose { QN_FOR_PATHS, QN_FOR_RANKING, QN_FOR_STRUCTURE, QN_FOR_NUMBERS, QN_FOR_OTHER };

#define QN_MAX_DERIVED 4

/* What a program knows beside a vertex's value; constant while an iteration walks the edges. */
struct qn_program_context {
  uint64_t num_vertices;
  uint64_t num_edges;
  uint32_t source;      /* position in original order */
  uint32_t iteration;   /* 0 in the first */
  uint32_t num_samples; /* PROGRAM_GIVEN: how many vertices have a number */
  double damping;
  double alpha; /* the attenuation of longer walks */
  double tolerance;
  double cutoff;                  /* the largest distance that is of interest, or INFINITY */
  uint64_t whole_cutoff;          /* the same of whole distances, below UINT64_MAX */
  double aggregate;               /* PROGRAM_AGGREGATE: the sum over all vertices */
  double round;                   /* PROGRAM_ROUNDS: the current round */
  double derived[QN_MAX_DERIVED]; /* the program's own, from program_begin */
  void *shared; /* what a kernel of its own lets its program see, where it runs; else NULL */
};

#endif
