/* What every engine, on any device, has in common: it is included by a generated
 * source file that names the kernel's symbol and the program,
 *
 *   #define QN_KERNEL qn_kernel_bfs_csr_cpu
 *   #include "kernels/programs/bfs.h"
 *   #include "kernels/cpu/csr/engine.h"
 *
 * includes this header, defines
 *
 *   static enum qn_status engine_run(request, result, error)
 *
 * and ends with QN_DEFINE_KERNEL(layout, processor, "name", traits), where the traits are those of
 * QN_KERNEL_DELTA, QN_KERNEL_DEVICES and QN_KERNEL_WIDE that are true of the engine: the first
 * counts for programs with a priority only. */
#pragma once

#include "kernels/keep.h"
#include "kernels/kernel.h"
#include "kernels/programs/complete.h"
#include "kernels/weight_check.h"

/* The weights that a kernel is for: of whatever type where it does not look at them. */
#if defined(QN_WEIGHTS_WIDE) && PROGRAM_WEIGHTS_WIDE
#define PROGRAM_WHOLE_TYPES (1u << QN_WEIGHT_I64)
#define PROGRAM_REAL_TYPES (1u << QN_WEIGHT_F64)
#else
#define PROGRAM_WHOLE_TYPES (1u << QN_WEIGHT_NONE | 1u << QN_WEIGHT_U32)
#define PROGRAM_REAL_TYPES (1u << QN_WEIGHT_F32)
#endif
#if !PROGRAM_USES_WEIGHTS
#define PROGRAM_WEIGHT_TYPES QN_ALL_WEIGHT_TYPES
#elif !PROGRAM_WEIGHTS_BY_TYPE
#define PROGRAM_WEIGHT_TYPES (PROGRAM_WHOLE_TYPES | PROGRAM_REAL_TYPES)
#elif defined(QN_WEIGHTS_REAL)
#define PROGRAM_WEIGHT_TYPES PROGRAM_REAL_TYPES
#else
#define PROGRAM_WEIGHT_TYPES PROGRAM_WHOLE_TYPES
#endif

#define PROGRAM_KERNEL_TRAITS                                                                      \
  ((PROGRAM_SYMMETRIC ? QN_KERNEL_SYMMETRIC : 0) |                                                 \
   (PROGRAM_NON_NEGATIVE ? QN_KERNEL_NON_NEGATIVE : 0) |                                           \
   (PROGRAM_USES_WEIGHTS ? QN_KERNEL_WEIGHTS : 0) |                                                \
   (PROGRAM_SCHEDULE == QN_ALL_ACTIVE ? QN_KERNEL_ALL_ACTIVE : 0) |                                \
   (PROGRAM_IN_PLACE || PROGRAM_CONTRACTS ? QN_KERNEL_ANY_ORDER : 0))

#ifdef __cplusplus
#define QN_EXTERN_C extern "C"
#else
#define QN_EXTERN_C extern
#endif

/* All kernels of a program share its description (kernels/SConscript); a program that is compiled
 * by itself brings its own. */
#ifdef QN_ALGORITHM
QN_EXTERN_C const struct qn_algorithm QN_ALGORITHM;
#else
#define QN_ALGORITHM qn_algorithm_of_program
#define QN_ALGORITHM_IS_LOCAL
#include "kernels/programs/describe.h"
#endif

#define QN_DEFINE_KERNEL(layout, processor, name, engine_traits)                                   \
  QN_DEFINE_KERNEL_AS(QN_KERNEL, layout, processor, name, engine_traits, engine_run)

/* Where an algorithm is this program as well (instances.txt), its kernel is made of the same
 * functions. */
#ifdef QN_ALGORITHM_ALSO
QN_EXTERN_C const struct qn_algorithm QN_ALGORITHM_ALSO;
#define QN_SYMBOL_ALSO(symbol) symbol##_also
#define QN_DEFINE_KERNEL_AS(symbol, layout, processor, name, engine_traits, run)                   \
  QN_DEFINE_KERNEL_OF(QN_ALGORITHM, symbol, layout, processor, name, engine_traits, run);          \
  QN_DEFINE_KERNEL_ALSO(symbol, layout, processor, name, engine_traits, run)
#define QN_DEFINE_KERNEL_ALSO(symbol, layout, processor, name, engine_traits, run)                 \
  QN_DEFINE_KERNEL_OF(QN_ALGORITHM_ALSO, QN_SYMBOL_ALSO(symbol), layout, processor, name,          \
                      engine_traits, run)
#else
#define QN_DEFINE_KERNEL_AS(symbol, layout, processor, name, engine_traits, run)                   \
  QN_DEFINE_KERNEL_OF(QN_ALGORITHM, symbol, layout, processor, name, engine_traits, run)
#endif

/* Fields in the order of struct qn_kernel: C++17 has no designated initialisers. */
#define QN_DEFINE_KERNEL_OF(algorithm, symbol, layout, processor, name, engine_traits, run)        \
  QN_EXTERN_C const struct qn_kernel symbol;                                                       \
  const struct qn_kernel symbol = {                                                                \
      &algorithm,                                                                                  \
      name,                                                                                        \
      layout,                                                                                      \
      processor,                                                                                   \
      PROGRAM_WEIGHT_TYPES,                                                                        \
      PROGRAM_KERNEL_TRAITS | ((engine_traits) & ~(PROGRAM_PRIORITY ? 0 : QN_KERNEL_DELTA)),       \
      PROGRAM_RESULT,                                                                              \
      run,                                                                                         \
      sizeof(program_value)}

/* A sum of changes that is no number any more never becomes small: values grow without bound. */
PROGRAM_FUNCTION bool engine_has_diverged(double change) {
  return PROGRAM_CONVERGES && !(fabs(change) <= 1.7976931348623157e308);
}

/* Are there no iterations to do at all? */
static inline bool engine_is_finished(const struct qn_run_request *request,
                                      const struct qn_program_context *context) {
  return context->iteration >= request->limits.max_iterations;
}

/* The position in original order of a vertex of the graph layout. */
static inline uint64_t engine_position(const struct qn_run_request *request, uint64_t vertex) {
  return request->positions ? request->positions[vertex] : vertex;
}

#if PROGRAM_HAS_INITIAL
/* What a vertex, as the graph numbers it, is given. Where the run is given nothing, the first
 * source is the only one, and the number of every vertex is 1. */
PROGRAM_FUNCTION program_initial engine_initial(const struct qn_run_request *request,
                                                uint64_t vertex) {
  if (request->inputs.initial)
    return ((const program_initial *)request->inputs.initial)[vertex];
  if (PROGRAM_INITIAL != QN_INITIAL_SEEDS)
    return 1;
  return request->inputs.num_sources > 0 && vertex == request->inputs.sources[0];
}
#endif

/* The first value of `vertex`, as the graph numbers it, which is at `position`. */
PROGRAM_FUNCTION program_value engine_first_value(const struct qn_run_request *request,
                                                  const struct qn_program_context *context,
                                                  uint64_t vertex, uint64_t position,
                                                  uint64_t out_degree) {
#if PROGRAM_HAS_INITIAL
  (void)out_degree;
  return program_init(context, position, 0, engine_initial(request, vertex));
#else
  (void)request, (void)vertex;
  return program_init(context, position, out_degree);
#endif
}

/* Do accumulators hold real numbers, whose sum depends on the order? */
static inline bool engine_lane_is_real(void) {
  return (program_lane)0.5 != 0;
}

/* Does the program look at weights of this type? A constant. */
#define ENGINE_TAKES(type) (PROGRAM_USES_WEIGHTS && (PROGRAM_WEIGHT_TYPES >> (type)&1))

/* A weight as the program wants it. The type is the same for all edges, so the branch is
 * predicted, or hoisted out of the loop. */
PROGRAM_FUNCTION program_weight engine_weight(const struct qn_weights *weights, uint64_t edge) {
  (void)weights, (void)edge;
  if (ENGINE_TAKES(QN_WEIGHT_U32) && weights->type == QN_WEIGHT_U32)
    return (program_weight)weights->u32[edge];
  if (ENGINE_TAKES(QN_WEIGHT_F32) && weights->type == QN_WEIGHT_F32)
    return (program_weight)weights->f32[edge];
  if (ENGINE_TAKES(QN_WEIGHT_I64) && weights->type == QN_WEIGHT_I64)
    return (program_weight)weights->i64[edge];
  if (ENGINE_TAKES(QN_WEIGHT_F64) && weights->type == QN_WEIGHT_F64)
    return (program_weight)weights->f64[edge];
  return 1;
}

/* What the program says of weights (weight_check.h). */
static const struct qn_weight_demand engine_weight_demand = {
    PROGRAM_NAME, PROGRAM_NON_NEGATIVE, PROGRAM_SUMS_WEIGHTS, PROGRAM_SCHEDULE == QN_ALL_ACTIVE};

/* Refuse weights that the program cannot work with. */
static inline enum qn_status engine_check_weights(const struct qn_weights *weights,
                                                  uint64_t num_edges, uint64_t num_vertices,
                                                  struct qn_error *error) {
  return qn_weights_suit(&engine_weight_demand, weights, num_edges, num_vertices, error);
}
