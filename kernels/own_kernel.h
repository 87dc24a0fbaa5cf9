/* What kernels of their own, that are no program's with an engine, say of themselves: the same on
 * every layout and device. Each is a struct qn_kernel with the name and the function given. */
#ifndef QN_KERNELS_OWN_KERNEL_H
#define QN_KERNELS_OWN_KERNEL_H

#include "kernels/registry.h"

#define QN_BC_KERNEL(name, layout, processor, more_traits, run)                                    \
  {                                                                                                \
    "bc", NULL, "betweenness from given sources", QN_FOR_RANKING, name, layout, processor,         \
        QN_ALL_WEIGHT_TYPES,                                                                       \
        QN_KERNEL_SOURCES | QN_KERNEL_RANKS | QN_KERNEL_NO_FRONTIER | (more_traits),               \
        QN_RESULT_F64, UINT32_MAX, 0, run, NULL, sizeof(double), NULL,                             \
  }

/* Where there are several sources. */
#define QN_BFS_COLUMNS_KERNEL(name, layout, processor, run)                                        \
  {                                                                                                \
    "bfs", NULL, "hops from a source", QN_FOR_PATHS, name, layout, processor, QN_ALL_WEIGHT_TYPES, \
        QN_KERNEL_SOURCES | QN_KERNEL_LEVELS | QN_KERNEL_NO_FRONTIER | QN_KERNEL_ITERATIONS |      \
            QN_KERNEL_STANDS_IN | QN_KERNEL_COLUMNS,                                               \
        QN_RESULT_U32, UINT32_MAX, 0, run, NULL, 0, NULL,                                          \
  }

#define QN_PATH_KERNEL(name, layout, processor, run)                                               \
  {                                                                                                \
    "path", NULL, "one shortest path to a --target", QN_FOR_PATHS, name, layout, processor,        \
        QN_ALL_WEIGHT_TYPES,                                                                       \
        QN_KERNEL_SOURCE | QN_KERNEL_TARGET | QN_KERNEL_UNWEIGHTED | QN_KERNEL_WEIGHTS |           \
            QN_KERNEL_NON_NEGATIVE | QN_KERNEL_NO_FRONTIER,                                        \
        QN_RESULT_U64, UINT32_MAX, 0, run, NULL, 0, NULL,                                          \
  }

#define QN_HITS_KERNEL(name, layout, processor, run)                                               \
  {                                                                                                \
    "hits", NULL, "hubs and authorities", QN_FOR_RANKING, name, layout, processor,                 \
        QN_ALL_WEIGHT_TYPES,                                                                       \
        QN_KERNEL_RANKS | QN_KERNEL_ITERATIONS | QN_KERNEL_TOLERANCE | QN_KERNEL_ALL_ACTIVE,       \
        QN_RESULT_F64, 100, 1e-8, run, NULL, 0, NULL,                                              \
  }

#define QN_DISTANCES_KERNEL(algorithm, title, name, layout, processor, run)                        \
  {                                                                                                \
    algorithm, NULL, title, QN_FOR_RANKING, name, layout, processor, QN_ALL_WEIGHT_TYPES,          \
        QN_KERNEL_RANKS | QN_KERNEL_SAMPLES | QN_KERNEL_SEED | QN_KERNEL_NO_FRONTIER,              \
        QN_RESULT_F64, UINT32_MAX, 0, run, NULL, 0, NULL,                                          \
  }
#define QN_CLOSENESS_KERNEL(name, layout, processor, run)                                          \
  QN_DISTANCES_KERNEL("closeness", "how near those are that reach it", name, layout, processor, run)
#define QN_HARMONIC_KERNEL(name, layout, processor, run)                                           \
  QN_DISTANCES_KERNEL("harmonic", "sum of 1 / distance to it", name, layout, processor, run)

#define QN_SIMILARITY_KERNEL(name, layout, processor, run)                                         \
  {                                                                                                \
    "similarity", NULL, "common neighbours of pairs", QN_FOR_STRUCTURE, name, layout, processor,   \
        QN_ALL_WEIGHT_TYPES, QN_KERNEL_PAIRS | QN_KERNEL_RANKS, QN_RESULT_F64, UINT32_MAX, 0, run, \
        NULL, 0, NULL,                                                                             \
  }

#define QN_WALK_KERNEL(name, layout, processor, run)                                               \
  {                                                                                                \
    "walk", NULL, "random walks from --sources, or all", QN_FOR_OTHER, name, layout, processor,    \
        QN_ALL_WEIGHT_TYPES,                                                                       \
        QN_KERNEL_WALKS | QN_KERNEL_SEED | QN_KERNEL_WEIGHTED | QN_KERNEL_WEIGHTS, QN_RESULT_U32,  \
        UINT32_MAX, 0, run, NULL, 0, NULL,                                                         \
  }

#define QN_SAMPLE_KERNEL(name, layout, processor, run)                                             \
  {                                                                                                \
    "sample", NULL, "neighbours of --sources, hop by hop", QN_FOR_OTHER, name, layout, processor,  \
        QN_ALL_WEIGHT_TYPES, QN_KERNEL_FANOUTS | QN_KERNEL_SEED, QN_RESULT_U32, UINT32_MAX, 0,     \
        run, NULL, 0, NULL,                                                                        \
  }

#define QN_CC_KERNEL(name, layout, processor, run)                                                 \
  {                                                                                                \
    "cc", NULL, "weakly connected components", QN_FOR_STRUCTURE, name, layout, processor,          \
        QN_ALL_WEIGHT_TYPES, QN_KERNEL_VERTICES | QN_KERNEL_NO_FRONTIER, QN_RESULT_U32,            \
        UINT32_MAX, 0, run, NULL, sizeof(uint32_t), NULL,                                          \
  }

/* In one walk over the edges, which need not be there both ways. */
#define QN_CC_JOINED_KERNEL(name, layout, processor, run)                                          \
  {                                                                                                \
    "cc", NULL, "weakly connected components", QN_FOR_STRUCTURE, name, layout, processor,          \
        QN_ALL_WEIGHT_TYPES,                                                                       \
        QN_KERNEL_VERTICES | QN_KERNEL_NO_FRONTIER | QN_KERNEL_STANDS_IN | QN_KERNEL_ONE_WALK,     \
        QN_RESULT_U32, UINT32_MAX, 0, run, NULL, 0, NULL,                                          \
  }

#define QN_KCORE_KERNEL(name, layout, processor, run)                                              \
  {                                                                                                \
    "kcore", NULL, "largest k-core that a vertex is in", QN_FOR_STRUCTURE, name, layout,           \
        processor, QN_ALL_WEIGHT_TYPES, QN_KERNEL_LEVELS | QN_KERNEL_NO_FRONTIER, QN_RESULT_U32,   \
        UINT32_MAX, 0, run, NULL, sizeof(uint32_t), NULL,                                          \
  }

/* Where the program is for undirected graphs. */
#define QN_KCORE_DIRECTED_KERNEL(name, layout, processor, run)                                     \
  {                                                                                                \
    "kcore", NULL, "largest k-core that a vertex is in", QN_FOR_STRUCTURE, name, layout,           \
        processor, QN_ALL_WEIGHT_TYPES,                                                            \
        QN_KERNEL_LEVELS | QN_KERNEL_NO_FRONTIER | QN_KERNEL_STANDS_IN, QN_RESULT_U32, UINT32_MAX, \
        0, run, NULL, 0, NULL,                                                                     \
  }

#define QN_SCC_KERNEL(name, layout, processor, run)                                                \
  {                                                                                                \
    "scc", NULL, "strongly connected components", QN_FOR_STRUCTURE, name, layout, processor,       \
        QN_ALL_WEIGHT_TYPES, QN_KERNEL_VERTICES | QN_KERNEL_NO_FRONTIER, QN_RESULT_U32,            \
        UINT32_MAX, 0, run, NULL, 0, NULL,                                                         \
  }

#define QN_TC_KERNEL(name, layout, processor, run)                                                 \
  {                                                                                                \
    "tc", NULL, "triangles of the simple undirected graph", QN_FOR_STRUCTURE, name, layout,        \
        processor, QN_ALL_WEIGHT_TYPES, 0, QN_RESULT_U64, UINT32_MAX, 0, run, "triangles", 0,      \
        NULL,                                                                                      \
  }

#define QN_LCC_KERNEL(name, layout, processor, run)                                                \
  {                                                                                                \
    "lcc", NULL, "how many of its neighbours are linked", QN_FOR_STRUCTURE, name, layout,          \
        processor, QN_ALL_WEIGHT_TYPES, QN_KERNEL_NO_FRONTIER, QN_RESULT_F64, UINT32_MAX, 0, run,  \
        NULL, 0, NULL,                                                                             \
  }

#define QN_CDLP_ITERATIONS 10

#define QN_CDLP_KERNEL(name, layout, processor, run)                                               \
  {                                                                                                \
    "cdlp", "label-propagation", "communities by label propagation", QN_FOR_STRUCTURE, name,       \
        layout, processor, QN_ALL_WEIGHT_TYPES,                                                    \
        QN_KERNEL_VERTICES | QN_KERNEL_ITERATIONS | QN_KERNEL_NO_FRONTIER, QN_RESULT_U32,          \
        QN_CDLP_ITERATIONS, 0, run, NULL, sizeof(uint32_t), NULL,                                  \
  }

#define QN_LEIDEN_KERNEL(name, layout, processor, run)                                             \
  {                                                                                                \
    "leiden", NULL, "communities by modularity", QN_FOR_STRUCTURE, name, layout, processor,        \
        QN_ALL_WEIGHT_TYPES,                                                                       \
        QN_KERNEL_VERTICES | QN_KERNEL_ITERATIONS | QN_KERNEL_NO_FRONTIER | QN_KERNEL_SYMMETRIC |  \
            QN_KERNEL_NON_NEGATIVE | QN_KERNEL_WEIGHTS | QN_KERNEL_SEED | QN_KERNEL_RESOLUTION,    \
        QN_RESULT_U32, UINT32_MAX, 0, run, NULL, 0, NULL,                                          \
  }

#define QN_MIS_KERNEL(name, layout, processor, run)                                                \
  {                                                                                                \
    "mis", NULL, "a maximal independent set, as 1", QN_FOR_STRUCTURE, name, layout, processor,     \
        QN_ALL_WEIGHT_TYPES, QN_KERNEL_SYMMETRIC | QN_KERNEL_LEVELS | QN_KERNEL_NO_FRONTIER,       \
        QN_RESULT_U32, UINT32_MAX, 0, run, NULL, 0, NULL,                                          \
  }

#define QN_COLORING_KERNEL(name, layout, processor, run)                                           \
  {                                                                                                \
    "coloring", NULL, "colours that neighbours don't share", QN_FOR_STRUCTURE, name, layout,       \
        processor, QN_ALL_WEIGHT_TYPES,                                                            \
        QN_KERNEL_SYMMETRIC | QN_KERNEL_LEVELS | QN_KERNEL_NO_FRONTIER, QN_RESULT_U32, UINT32_MAX, \
        0, run, NULL, 0, NULL,                                                                     \
  }

#define QN_CROSS_EDGES_KERNEL(name, layout, processor, run)                                        \
  {                                                                                                \
    "cross-edges", NULL, "out-edges to other --groups of vertices", QN_FOR_STRUCTURE, name,        \
        layout, processor, QN_ALL_WEIGHT_TYPES, QN_KERNEL_GROUPS | QN_KERNEL_ALL_ACTIVE,           \
        QN_RESULT_U64, 1, 0, run, NULL, 0, NULL,                                                   \
  }

#endif
