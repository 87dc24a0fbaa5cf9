/* What every engine, on any device, has in common: it is included by a generated
 * source file that names the kernel's symbol and the program,
 *
 *   #define QN_KERNEL qn_kernel_bfs_csr_cpu
 *   #include "kernels/programs/bfs.h"
 *   #include "kernels/cpu/csr_engine.h"
 *
 * includes this header, defines
 *
 *   static enum qn_status engine_run(request, result, error)
 *
 * and ends with QN_DEFINE_KERNEL(layout, processor, "name"). */
#ifndef QN_KERNELS_ENGINE_H
#define QN_KERNELS_ENGINE_H

#include <string.h>

#include "formats/graph.h"
#include "kernels/programs/complete.h"
#include "kernels/registry.h"

#if !PROGRAM_WEIGHTS_BY_TYPE
#define PROGRAM_WEIGHT_TYPES (1u << QN_WEIGHT_NONE | 1u << QN_WEIGHT_U32 | 1u << QN_WEIGHT_F32)
#elif defined(QN_WEIGHTS_REAL)
#define PROGRAM_WEIGHT_TYPES (1u << QN_WEIGHT_F32)
#else
#define PROGRAM_WEIGHT_TYPES (1u << QN_WEIGHT_NONE | 1u << QN_WEIGHT_U32)
#endif

#define PROGRAM_KERNEL_TRAITS                                                                      \
  ((PROGRAM_NEEDS_SOURCE ? QN_KERNEL_SOURCE : 0) | (PROGRAM_SYMMETRIC ? QN_KERNEL_SYMMETRIC : 0) | \
   (PROGRAM_NON_NEGATIVE ? QN_KERNEL_NON_NEGATIVE : 0) |                                           \
   (PROGRAM_USES_WEIGHTS ? QN_KERNEL_WEIGHTS : 0) | (PROGRAM_VERTICES ? QN_KERNEL_VERTICES : 0) |  \
   (PROGRAM_RANKS ? QN_KERNEL_RANKS : 0) | (PROGRAM_LEVELS ? QN_KERNEL_LEVELS : 0) |               \
   (PROGRAM_SCHEDULE == QN_ALL_ACTIVE ? QN_KERNEL_ALL_ACTIVE : 0))

#ifdef __cplusplus
#define QN_EXTERN_C extern "C"
#else
#define QN_EXTERN_C extern
#endif

/* Fields in the order of struct qn_kernel: C++17 has no designated initialisers. */
#define QN_DEFINE_KERNEL(layout, processor, name)                                                  \
  QN_EXTERN_C const struct qn_kernel QN_KERNEL;                                                    \
  const struct qn_kernel QN_KERNEL = {PROGRAM_NAME,                                                \
                                      PROGRAM_TITLE,                                               \
                                      name,                                                        \
                                      layout,                                                      \
                                      processor,                                                   \
                                      PROGRAM_WEIGHT_TYPES,                                        \
                                      PROGRAM_KERNEL_TRAITS,                                       \
                                      PROGRAM_RESULT,                                              \
                                      PROGRAM_ITERATIONS,                                          \
                                      PROGRAM_TOLERANCE,                                           \
                                      engine_run,                                                  \
                                      NULL}

/* What the program is told at first. The source is a position in original order. */
static inline struct qn_program_context engine_context(const struct qn_run_request *request,
                                                       uint64_t num_vertices, uint64_t num_edges) {
  struct qn_program_context context;
  memset(&context, 0, sizeof context);
  context.num_vertices = num_vertices;
  context.num_edges = num_edges;
  context.source = UINT32_MAX;
  if (request->num_sources > 0)
    context.source =
        request->positions ? request->positions[request->sources[0]] : request->sources[0];
  context.damping = request->damping;
  context.tolerance = request->tolerance;
  return context;
}

/* The position in original order of a vertex of the graph layout. */
static inline uint32_t engine_position(const struct qn_run_request *request, uint32_t vertex) {
  return request->positions ? request->positions[vertex] : vertex;
}

/* A weight as the program wants it. The type is the same for all edges, so the branch is
 * predicted, or hoisted out of the loop. */
PROGRAM_FUNCTION program_weight engine_weight(const struct qn_weights *weights, uint64_t edge) {
  (void)weights, (void)edge;
#if PROGRAM_USES_WEIGHTS
#if !(PROGRAM_WEIGHTS_BY_TYPE && defined(QN_WEIGHTS_REAL))
  if (weights->type == QN_WEIGHT_U32)
    return (program_weight)weights->u32[edge];
#endif
#if !(PROGRAM_WEIGHTS_BY_TYPE && !defined(QN_WEIGHTS_REAL))
  if (weights->type == QN_WEIGHT_F32)
    return (program_weight)weights->f32[edge];
#endif
#endif
  return 1;
}

/* PROGRAM_NON_NEGATIVE: refuse a negative weight (or NaN). Whole numbers have no sign. */
static inline enum qn_status engine_check_weights(const struct qn_weights *weights,
                                                  uint64_t num_edges, struct qn_error *error) {
  if (!PROGRAM_NON_NEGATIVE || weights->type != QN_WEIGHT_F32)
    return QN_OK;
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t edge = 0; edge < num_edges; edge++)
    if (!(weights->f32[edge] >= 0) && edge < bad)
      bad = edge;
  if (bad == UINT64_MAX)
    return QN_OK;
  return qn_fail(error, QN_INVALID,
                 "%s needs weights that are not negative, but that of edge %llu is %g",
                 PROGRAM_NAME, (unsigned long long)bad, (double)weights->f32[bad]);
}

#endif
