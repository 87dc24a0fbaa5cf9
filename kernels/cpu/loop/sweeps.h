/* Sweeps over all vertices. Part of the engines on the CPU: they include it after
 * they have defined
 *
 *   engine_view                                  its layout's view
 *   uint64_t engine_out_degree(view, vertex)     if PROGRAM_USES_OUT_DEGREE
 *
 * for vertices numbered as in the graph layout. */
#ifndef QN_KERNELS_CPU_LOOP_SWEEPS_H
#define QN_KERNELS_CPU_LOOP_SWEEPS_H

#include "kernels/cpu/loop/combine.h"
#include "kernels/cpu/loop/frontier.h"
#include "kernels/cuts/chunks.h"
#include "kernels/engine.h"
#include "support/memory.h"
#include "support/threads.h"

static inline uint64_t sweep_out_degree(const engine_view *view, uint64_t vertex) {
#if PROGRAM_USES_OUT_DEGREE
  return engine_out_degree(view, vertex);
#else
  (void)view, (void)vertex;
  return 0;
#endif
}

/* Every vertex's first value, or that of the state that the run goes on from. */
static inline void sweep_init(const struct qn_run_request *request,
                              const struct qn_program_context *context, const engine_view *view,
                              program_value *values) {
  const struct qn_run_state *resumed = engine_resumed(request);
  if (resumed) {
    memcpy(values, resumed->values, context->num_vertices * sizeof *values);
    return;
  }
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < context->num_vertices; v++)
    values[v] =
        program_init(context, engine_position(request, (uint32_t)v), sweep_out_degree(view, v));
}

/* A result's values from the program's, which are given back: where results are as large as
 * values they take their place, as new memory costs more than the conversion. */
static inline enum qn_status sweep_output(const struct qn_program_context *context,
                                          program_value **values, struct qn_run_result *result,
                                          struct qn_error *error) {
  bool in_place = sizeof(program_result) == sizeof(program_value);
  uint64_t num_vertices = context->num_vertices;
  char *results = (char *)*values;
  enum qn_status status = QN_OK;
  if (!in_place)
    status = qn_pages_alloc(&results, num_vertices, sizeof(program_result), "result values", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++) {
    program_result value = program_output(context, (*values)[v]);
    memcpy(results + v * sizeof value, &value, sizeof value);
  }
  if (!in_place)
    qn_pages_free(*values, num_vertices, sizeof **values);
  *values = NULL;
  result->type = PROGRAM_RESULT;
  result->num_values = num_vertices;
  result->values = results;
  return QN_OK;
}

/* After an iteration that is not the last one: a checkpoint, if one is due, of a run whose state is
 * its values and, unless it is NULL, the frontier, of which the bitmap is valid. */
static inline enum qn_status
sweep_keep(const struct qn_run_request *request, const struct qn_program_context *context,
           const struct qn_run_result *result, const program_value *values,
           const struct qn_frontier *frontier, struct qn_error *error) {
  if (!engine_save_is_due(request, context))
    return QN_OK;
  struct qn_run_state state = engine_state_of(context, result, values);
  state.active = frontier ? frontier->bits : NULL;
  return engine_save(request, &state, error);
}

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE

/* An iteration begins: the sends are done, and `aggregate` is their sum. */
static inline void sweep_begin(struct qn_program_context *context, double aggregate) {
  context->aggregate = aggregate;
#if PROGRAM_BEGINS
  program_begin(context);
#endif
}

/* Every vertex's message; also the program's aggregate, and what it derives from it. */
static inline void sweep_send(struct qn_program_context *context, const engine_view *view,
                              const program_value *values, program_message *messages,
                              struct qn_sum *sum) {
  uint64_t num_vertices = context->num_vertices;
#pragma omp parallel for schedule(static)
  for (uint64_t chunk = 0; chunk < qn_sweep_chunks(num_vertices); chunk++) {
    uint64_t begin = chunk * QN_SWEEP_VERTICES;
    uint64_t end = begin + QN_SWEEP_VERTICES;
    double part = 0;
    for (uint64_t v = begin; v < (end < num_vertices ? end : num_vertices); v++) {
      uint64_t out_degree = sweep_out_degree(view, v);
      messages[v] = program_send(context, values[v], out_degree);
#if PROGRAM_AGGREGATE
      part += program_aggregate(context, values[v], out_degree);
#endif
    }
    sum->parts[chunk] = part;
  }
  sweep_begin(context, PROGRAM_AGGREGATE ? qn_sum_total(sum) : 0);
}

#else

/* A frontier of which the bitmap was written. */
static inline void sweep_adopt_bits(struct qn_frontier *frontier) {
  frontier->marked = true;
  frontier->queued = false;
  qn_frontier_enqueue(frontier);
}

/* The vertices that are active at first, or those of the state that the run goes on from. */
static inline void sweep_start(const struct qn_run_request *request,
                               const struct qn_program_context *context,
                               struct qn_frontier *frontier) {
  const struct qn_run_state *resumed = engine_resumed(request);
  if (resumed) {
    memcpy(frontier->bits, resumed->active, qn_frontier_words(frontier) * sizeof *frontier->bits);
    sweep_adopt_bits(frontier);
    return;
  }
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < qn_frontier_words(frontier); word++) {
    uint64_t bits = 0;
    for (uint64_t v = word * 64; v < word * 64 + 64 && v < context->num_vertices; v++)
      if (program_starts(context, engine_position(request, (uint32_t)v)))
        bits |= (uint64_t)1 << (v % 64);
    frontier->bits[word] = bits;
  }
  sweep_adopt_bits(frontier);
}

#include "kernels/cpu/loop/rounds.h"

#endif

#endif
