/* What kernels of their own, that are no program's with an engine, say of themselves: the same on
 * every layout and device. Each is a struct qn_kernel with the name and the function given. */
#pragma once

#include "kernels/registry.h"

/* One that keeps a state of `value_bytes` a vertex (run_state.h), or none. */
#define QN_STANDALONE_KERNEL(algorithm, name, layout, processor, traits, result, run, value_bytes) \
  {                                                                                                \
    &qn_algorithm_##algorithm, name, layout, processor, QN_ALL_WEIGHT_TYPES, traits, result, run,  \
        value_bytes                                                                                \
  }

/* On plain rows several devices can share it (cuda/edges/row_team.cuh). */
#define QN_SHARED_ROWS(layout, processor)                                                          \
  ((layout) == QN_LAYOUT_GRAPH && (processor) == QN_CUDA ? QN_KERNEL_DEVICES : 0)

#define QN_DECLARE_ALGORITHM(name) extern const struct qn_algorithm qn_algorithm_##name
QN_DECLARE_ALGORITHM(bc);
QN_DECLARE_ALGORITHM(bfs);
QN_DECLARE_ALGORITHM(cc);
QN_DECLARE_ALGORITHM(cdlp);
QN_DECLARE_ALGORITHM(closeness);
QN_DECLARE_ALGORITHM(cross_edges);
QN_DECLARE_ALGORITHM(harmonic);
QN_DECLARE_ALGORITHM(hits);
QN_DECLARE_ALGORITHM(kcore);
QN_DECLARE_ALGORITHM(lcc);
QN_DECLARE_ALGORITHM(leiden);
QN_DECLARE_ALGORITHM(mis);
QN_DECLARE_ALGORITHM(coloring);
QN_DECLARE_ALGORITHM(path);
QN_DECLARE_ALGORITHM(sample);
QN_DECLARE_ALGORITHM(scc);
QN_DECLARE_ALGORITHM(similarity);
QN_DECLARE_ALGORITHM(tc);
QN_DECLARE_ALGORITHM(walk);

#define QN_BC_KERNEL(name, layout, processor, more_traits, run)                                    \
  QN_STANDALONE_KERNEL(bc, name, layout, processor, QN_KERNEL_NO_FRONTIER | (more_traits),         \
                       QN_RESULT_F64, run, sizeof(double))

/* Where there are several sources. */
#define QN_MULTI_SOURCE_BFS_KERNEL(name, layout, processor, run)                                   \
  QN_STANDALONE_KERNEL(bfs, name, layout, processor,                                               \
                       QN_KERNEL_NO_FRONTIER | QN_KERNEL_STANDS_IN | QN_KERNEL_MULTI_SOURCE,       \
                       QN_RESULT_U32, run, 0)

#define QN_DISTANCES_KERNEL(algorithm, name, layout, processor, run)                               \
  QN_STANDALONE_KERNEL(algorithm, name, layout, processor, QN_KERNEL_NO_FRONTIER, QN_RESULT_F64,   \
                       run, 0)
#define QN_CLOSENESS_KERNEL(name, layout, processor, run)                                          \
  QN_DISTANCES_KERNEL(closeness, name, layout, processor, run)
#define QN_HARMONIC_KERNEL(name, layout, processor, run)                                           \
  QN_DISTANCES_KERNEL(harmonic, name, layout, processor, run)

#define QN_CC_KERNEL(name, layout, processor, run)                                                 \
  QN_STANDALONE_KERNEL(cc, name, layout, processor,                                                \
                       QN_KERNEL_NO_FRONTIER | QN_KERNEL_ONE_WALK |                                \
                           QN_SHARED_ROWS(layout, processor),                                      \
                       QN_RESULT_U32, run, sizeof(uint32_t))

/* In one walk over the edges, which need not be there both ways. */
#define QN_CC_JOINED_KERNEL(name, layout, processor, run)                                          \
  QN_STANDALONE_KERNEL(cc, name, layout, processor,                                                \
                       QN_KERNEL_NO_FRONTIER | QN_KERNEL_STANDS_IN | QN_KERNEL_ONE_WALK,           \
                       QN_RESULT_U32, run, 0)

#define QN_KCORE_KERNEL(name, layout, processor, run)                                              \
  QN_STANDALONE_KERNEL(kcore, name, layout, processor, QN_KERNEL_NO_FRONTIER, QN_RESULT_U32, run,  \
                       sizeof(uint32_t))

/* Where the program is for undirected graphs. */
#define QN_KCORE_DIRECTED_KERNEL(name, layout, processor, run)                                     \
  QN_STANDALONE_KERNEL(kcore, name, layout, processor,                                             \
                       QN_KERNEL_NO_FRONTIER | QN_KERNEL_STANDS_IN |                               \
                           QN_SHARED_ROWS(layout, processor),                                      \
                       QN_RESULT_U32, run, 0)

#define QN_SCC_KERNEL(name, layout, processor, run)                                                \
  QN_STANDALONE_KERNEL(scc, name, layout, processor,                                               \
                       QN_KERNEL_NO_FRONTIER | QN_SHARED_ROWS(layout, processor), QN_RESULT_U32,   \
                       run, 0)

#define QN_TC_KERNEL(name, layout, processor, run)                                                 \
  QN_STANDALONE_KERNEL(tc, name, layout, processor, QN_SHARED_ROWS(layout, processor),             \
                       QN_RESULT_U64, run, 0)

#define QN_LCC_KERNEL(name, layout, processor, run)                                                \
  QN_STANDALONE_KERNEL(lcc, name, layout, processor,                                               \
                       QN_KERNEL_NO_FRONTIER | QN_SHARED_ROWS(layout, processor), QN_RESULT_F64,   \
                       run, 0)

#define QN_CDLP_KERNEL(name, layout, processor, run)                                               \
  QN_STANDALONE_KERNEL(cdlp, name, layout, processor,                                              \
                       QN_KERNEL_NO_FRONTIER | QN_SHARED_ROWS(layout, processor), QN_RESULT_U32,   \
                       run, sizeof(uint32_t))

#define QN_LEIDEN_KERNEL(name, layout, processor, run)                                             \
  QN_STANDALONE_KERNEL(leiden, name, layout, processor,                                            \
                       QN_KERNEL_NO_FRONTIER | QN_KERNEL_SYMMETRIC | QN_KERNEL_NON_NEGATIVE |      \
                           QN_KERNEL_WEIGHTS,                                                      \
                       QN_RESULT_U32, run, 0)

#define QN_MIS_KERNEL(name, layout, processor, run)                                                \
  QN_STANDALONE_KERNEL(mis, name, layout, processor,                                               \
                       QN_KERNEL_SYMMETRIC | QN_KERNEL_NO_FRONTIER |                               \
                           QN_SHARED_ROWS(layout, processor),                                      \
                       QN_RESULT_U32, run, 0)

#define QN_COLORING_KERNEL(name, layout, processor, run)                                           \
  QN_STANDALONE_KERNEL(coloring, name, layout, processor,                                          \
                       QN_KERNEL_SYMMETRIC | QN_KERNEL_NO_FRONTIER |                               \
                           QN_SHARED_ROWS(layout, processor),                                      \
                       QN_RESULT_U32, run, 0)

#define QN_CROSS_EDGES_KERNEL(name, layout, processor, run)                                        \
  QN_STANDALONE_KERNEL(cross_edges, name, layout, processor, QN_KERNEL_ALL_ACTIVE, QN_RESULT_U64,  \
                       run, 0)

#define QN_HITS_KERNEL(name, layout, processor, run)                                               \
  QN_STANDALONE_KERNEL(hits, name, layout, processor, QN_KERNEL_ALL_ACTIVE, QN_RESULT_F64, run, 0)

#define QN_PATH_KERNEL(name, layout, processor, run)                                               \
  QN_STANDALONE_KERNEL(path, name, layout, processor,                                              \
                       QN_KERNEL_WEIGHTS | QN_KERNEL_NON_NEGATIVE | QN_KERNEL_NO_FRONTIER,         \
                       QN_RESULT_U64, run, 0)

#define QN_SAMPLE_KERNEL(name, layout, processor, run)                                             \
  QN_STANDALONE_KERNEL(sample, name, layout, processor, 0, QN_RESULT_U32, run, 0)

#define QN_SIMILARITY_KERNEL(name, layout, processor, run)                                         \
  QN_STANDALONE_KERNEL(similarity, name, layout, processor, 0, QN_RESULT_F64, run, 0)

#define QN_WALK_KERNEL(name, layout, processor, run)                                               \
  QN_STANDALONE_KERNEL(walk, name, layout, processor, QN_KERNEL_WEIGHTS, QN_RESULT_U32, run, 0)
