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
 * QN_KERNEL_DELTA and QN_KERNEL_DEVICES that are true of the engine: the first counts for programs
 * with a priority only. */
#ifndef QN_KERNELS_ENGINE_H
#define QN_KERNELS_ENGINE_H

#include <string.h>

#include "formats/graph/weight_limit.h"
#include "kernels/programs/complete.h"
#include "kernels/registry.h"
#include <quern/graph.h>

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

/* What the program is told at first. The source is a position in original order. */
static inline struct qn_program_context engine_context(const struct qn_run_request *request,
                                                       uint64_t num_vertices, uint64_t num_edges) {
  struct qn_program_context context;
  memset(&context, 0, sizeof context);
  context.num_vertices = num_vertices;
  context.num_edges = num_edges;
  context.source = UINT32_MAX;
  if (request->inputs.num_sources > 0)
    context.source = request->positions ? request->positions[request->inputs.sources[0]]
                                        : request->inputs.sources[0];
  context.num_samples = request->inputs.num_samples;
  context.tolerance = request->limits.tolerance;
  context.shared = request->shared;
  memcpy(context.parameters, request->arguments.of,
         program_num_parameters * sizeof *context.parameters);
  return context;
}

/* A sum of changes that is no number any more never becomes small: values grow without bound. */
PROGRAM_FUNCTION bool engine_has_diverged(double change) {
  return PROGRAM_CONVERGES && !(fabs(change) <= 1.7976931348623157e308);
}

/* ---- Checkpoints (run_state.h) ------------------------------------------------ */

/* The state that the run goes on from, or NULL. */
static inline const struct qn_run_state *engine_resumed(const struct qn_run_request *request) {
  return request->hooks.checkpointing ? request->hooks.checkpointing->resume : NULL;
}

/* A run begins: `result` is empty, and the context that of the first iteration to do. */
static inline struct qn_program_context engine_begin(const struct qn_run_request *request,
                                                     uint64_t num_vertices, uint64_t num_edges,
                                                     struct qn_run_result *result) {
  const struct qn_run_state *state = engine_resumed(request);
  struct qn_program_context context = engine_context(request, num_vertices, num_edges);
  memset(result, 0, sizeof *result);
  if (!state)
    return context;
  const uint64_t *registers = state->registers;
  result->stats.iterations = registers[QN_STATE_ITERATIONS];
  result->stats.change = qn_real_of_register(registers[QN_STATE_CHANGE]);
  context.iteration = (uint32_t)registers[QN_STATE_ITERATIONS];
  context.aggregate = qn_real_of_register(registers[QN_STATE_AGGREGATE]);
  context.round = qn_real_of_register(registers[QN_STATE_ROUND]);
  for (int i = 0; i < QN_MAX_DERIVED; i++)
    context.derived[i] = qn_real_of_register(registers[QN_STATE_DERIVED + i]);
  return context;
}

/* Are there no iterations to do at all? */
static inline bool engine_is_finished(const struct qn_run_request *request,
                                      const struct qn_program_context *context) {
  return context->iteration >= request->limits.max_iterations;
}

/* After an iteration: is the state wanted? */
static inline bool engine_save_is_due(const struct qn_run_request *request,
                                      const struct qn_program_context *context) {
  return request->hooks.checkpointing &&
         request->hooks.checkpointing->is_due(request->hooks.checkpointing->user,
                                              context->iteration);
}

/* The state's common part; its bitmaps and the engine's own registers are the engine's to add. */
static inline struct qn_run_state engine_state_of(const struct qn_program_context *context,
                                                  const struct qn_run_result *result,
                                                  const program_value *values) {
  struct qn_run_state state;
  memset(&state, 0, sizeof state);
  state.registers[QN_STATE_ITERATIONS] = context->iteration;
  state.registers[QN_STATE_CHANGE] = qn_register_of_real(result->stats.change);
  state.registers[QN_STATE_AGGREGATE] = qn_register_of_real(context->aggregate);
  state.registers[QN_STATE_ROUND] = qn_register_of_real(context->round);
  for (int i = 0; i < QN_MAX_DERIVED; i++)
    state.registers[QN_STATE_DERIVED + i] = qn_register_of_real(context->derived[i]);
  state.num_vertices = context->num_vertices;
  state.value_bytes = sizeof *values;
  state.values = values;
  return state;
}

static inline enum qn_status engine_save(const struct qn_run_request *request,
                                         const struct qn_run_state *state, struct qn_error *error) {
  return request->hooks.checkpointing->save(request->hooks.checkpointing->user, state, error);
}

/* An engine's own number of the state that the run goes on from, `index` from 0; else `otherwise`.
 */
static inline uint64_t engine_register(const struct qn_run_request *request, unsigned index,
                                       uint64_t otherwise) {
  const struct qn_run_state *state = engine_resumed(request);
  return state ? state->registers[QN_STATE_ENGINE + index] : otherwise;
}

/* The position in original order of a vertex of the graph layout. */
static inline uint32_t engine_position(const struct qn_run_request *request, uint32_t vertex) {
  return request->positions ? request->positions[vertex] : vertex;
}

#if PROGRAM_IS_GIVEN
/* What a vertex, as the graph numbers it, is given. Where the run is given nothing, the first
 * source is the only one, and the number of every vertex is 1. */
PROGRAM_FUNCTION program_given engine_given(const struct qn_run_request *request, uint32_t vertex) {
  if (request->inputs.given)
    return ((const program_given *)request->inputs.given)[vertex];
  if (PROGRAM_GIVEN != QN_GIVEN_SEEDS)
    return 1;
  return request->inputs.num_sources > 0 && vertex == request->inputs.sources[0];
}
#endif

/* The first value of `vertex`, as the graph numbers it, which is at `position`. */
PROGRAM_FUNCTION program_value engine_first_value(const struct qn_run_request *request,
                                                  const struct qn_program_context *context,
                                                  uint32_t vertex, uint32_t position,
                                                  uint64_t out_degree) {
#if PROGRAM_IS_GIVEN
  (void)out_degree;
  return program_init(context, position, 0, engine_given(request, vertex));
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

/* The weights that PROGRAM_NON_NEGATIVE and PROGRAM_SUMS_WEIGHTS allow: a path has fewer edges than
 * there are vertices, and its sum is to be less than UINT64_MAX or infinity. */
static inline struct qn_weight_limit engine_weight_limit(uint64_t num_vertices) {
  uint64_t edges = num_vertices > 1 ? num_vertices - 1 : 1;
  struct qn_weight_limit limit = {INT64_MAX, INFINITY};
  if (PROGRAM_SUMS_WEIGHTS) {
    limit.whole = (UINT64_MAX - 1) / edges < limit.whole ? (UINT64_MAX - 1) / edges : limit.whole;
    limit.real = 0x1.fffffffffffffp1023 / (double)edges / 2;
  }
  return limit;
}

static inline enum qn_status engine_refuse_weight(enum qn_weight_type type, uint64_t bits,
                                                  uint64_t edge, uint64_t num_vertices,
                                                  struct qn_error *error) {
  const struct qn_weight_limit limit = engine_weight_limit(num_vertices);
  char text[QN_WEIGHT_TEXT], most[QN_WEIGHT_TEXT];
  qn_weight_text(type, bits, text);
  if (type == QN_WEIGHT_I64 ? (int64_t)bits < 0 : !(qn_weight_real(type, bits) >= 0))
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s needs weights that are not negative, but that of edge %llu is %s",
                   PROGRAM_NAME, (unsigned long long)edge, text);
  if (type == QN_WEIGHT_I64)
    snprintf(most, sizeof most, "%llu", (unsigned long long)limit.whole);
  else
    snprintf(most, sizeof most, "%g", limit.real);
  return qn_fail(error, QN_UNSUPPORTED,
                 "%s adds weights up to %s on so many vertices, so that no path's sum leaves 64 "
                 "bits, but that of edge %llu is %s%s",
                 PROGRAM_NAME, most, (unsigned long long)edge, text,
                 type == QN_WEIGHT_I64 ? "; quern-import --weights=f64 makes them real" : "");
}

/* PROGRAM_NON_NEGATIVE: refuse a negative weight (or NaN), or one that is too large to be added. */
static inline enum qn_status engine_check_weights(const struct qn_weights *weights,
                                                  uint64_t num_edges, uint64_t num_vertices,
                                                  struct qn_error *error) {
  const struct qn_weight_limit limit = engine_weight_limit(num_vertices);
  const enum qn_weight_type type = weights->type;
  uint64_t bad = UINT64_MAX;
  if (!PROGRAM_NON_NEGATIVE || type == QN_WEIGHT_NONE || type == QN_WEIGHT_U32)
    num_edges = 0;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t edge = 0; edge < num_edges; edge++) {
    const uint64_t bits = qn_weight_load(weights->data, qn_weight_bytes(type), edge);
    if (!qn_weight_is_within(type, bits, &limit) && edge < bad)
      bad = edge;
  }
  if (bad == UINT64_MAX)
    return QN_OK;
  return engine_refuse_weight(type, qn_weight_load(weights->data, qn_weight_bytes(type), bad), bad,
                              num_vertices, error);
}

#endif
