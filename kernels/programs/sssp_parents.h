/* Parents of shortest paths by weights, which are the edges' lengths (1 where a graph has none). */
#pragma once

#include "kernels/programs/program.h"

#define PROGRAM_NAME "sssp-parents"
#define PROGRAM_DERIVES_FROM "sssp"
#define PROGRAM_WEIGHTS                                                                            \
  (QN_WEIGHTED | QN_WEIGHTED_NON_NEGATIVE | QN_WEIGHTED_BY_TYPE | QN_WEIGHTED_WIDE)

#ifdef QN_WEIGHTS_REAL
#define PARENTS_UNREACHED INFINITY
typedef double program_initial;
#else
#define PARENTS_UNREACHED UINT64_MAX
typedef uint64_t program_initial;
#endif
#ifdef QN_WEIGHTS_WIDE
typedef program_initial program_weight;
#elif defined(QN_WEIGHTS_REAL)
typedef float program_weight;
#else
typedef uint32_t program_weight;
#endif

#include "kernels/programs/bfs_parents.h"
