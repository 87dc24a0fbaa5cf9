/* Sweeps over all vertices, as a run begins and ends. Part of the engines on the CPU (state.h). */
#ifndef QN_KERNELS_CPU_LOOP_SWEEPS_H
#define QN_KERNELS_CPU_LOOP_SWEEPS_H

#include "kernels/cpu/loop/combine.h"
#include "kernels/cpu/loop/state.h"

/* Every vertex's first value, or that of the state that the run goes on from. */
static inline void sweep_init(struct engine_state *state) {
  const struct qn_run_state *resumed = engine_resumed(state->request);
  const struct qn_program_context *context = &state->context;
  program_value *values = state->values;
  if (resumed) {
    memcpy(values + state->begin, (const program_value *)resumed->values + state->begin,
           (state->end - state->begin) * sizeof *values);
    return;
  }
#pragma omp parallel for schedule(static)
  for (uint64_t v = state->begin; v < state->end; v++)
    values[v] = engine_first_value(
        state->request, context, state->order ? state->order[v] : (uint32_t)v,
        engine_position(state->request, (uint32_t)v), sweep_out_degree(state->view, v));
}

static inline void sweep_output_to(const struct engine_state *state, void *results) {
  const struct qn_program_context *context = &state->context;
  const program_value *values = state->values;
  const uint32_t *order = state->order;
#pragma omp parallel for schedule(static)
  for (uint64_t v = state->begin; v < state->end; v++) {
    program_result value = program_output(context, values[v]);
    memcpy((char *)results + (order ? order[v] : v) * sizeof value, &value, sizeof value);
  }
}

/* A loop of its own, so that none is left where the output is the value. */
static inline void sweep_output_in_place(struct engine_state *state) {
  const struct qn_program_context context = state->context;
  program_value *values = state->values;
#pragma omp parallel for schedule(static)
  for (uint64_t v = state->begin; v < state->end; v++) {
    program_result value = program_output(&context, values[v]);
    memcpy(&values[v], &value, sizeof value <= sizeof *values ? sizeof value : 0);
  }
}

/* The result's values from the program's. Where results are as large as values they take their
 * place, as new memory costs more than the conversion. */
static inline enum qn_status sweep_output(struct engine_state *state, struct qn_error *error) {
  const uint64_t num_vertices = state->context.num_vertices;
  void *results = state->values;
  enum qn_status status = QN_OK;
  if (sizeof(program_result) == sizeof(program_value) && !state->order) {
    sweep_output_in_place(state);
    state->values = NULL;
  } else {
    status = qn_pages_alloc(&results, num_vertices, sizeof(program_result), "result values", error);
    if (!status)
      sweep_output_to(state, results);
  }
  if (status)
    return status;
  state->result->type = PROGRAM_RESULT;
  state->result->num_values = num_vertices;
  state->result->values = results;
  return QN_OK;
}

/* What a vertex sends now, while other threads may combine into its value. */
static inline program_message sweep_current_message(const struct engine_state *state,
                                                    uint64_t vertex) {
#if PROGRAM_IN_PLACE
  return program_send(&state->context, program_load_atomic(&state->values[vertex]),
                      sweep_out_degree(state->view, vertex));
#else
  return sweep_message(state, vertex);
#endif
}

/* Accumulators [V], each of which begins as the identity. */
static inline enum qn_status sweep_sums_create(program_accumulator **sums, uint64_t num_vertices,
                                               struct qn_error *error) {
  enum qn_status status = qn_pages_alloc(sums, num_vertices, sizeof **sums, "accumulators", error);
  if (status)
    return status;
  program_accumulator *first = *sums;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    first[v] = program_identity();
  return QN_OK;
}

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE

/* An iteration begins: the sends are done, and `aggregate` is their sum. */
static inline void sweep_begin(struct qn_program_context *context, double aggregate) {
  context->aggregate = aggregate;
#if PROGRAM_BEGINS
  program_begin(context);
#endif
}

/* Every vertex's message; also the program's aggregate, and what it derives from it. `sum` has a
 * part for each of qn_sweep_chunks. */
static inline void sweep_send(struct engine_state *state, program_message *messages,
                              struct qn_sum *sum) {
  struct qn_program_context *context = &state->context;
  const engine_view *view = state->view;
  const program_value *values = state->values;
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

/* The frontier of the vertices that are active at first, or those of the state that the run goes on
 * from. */
static inline void sweep_start(const struct engine_state *state, struct qn_frontier *frontier) {
  const struct qn_run_state *resumed = engine_resumed(state->request);
  uint64_t num_vertices = state->context.num_vertices;
  if (resumed) {
    memcpy(frontier->bits, resumed->active, qn_frontier_words(frontier) * sizeof *frontier->bits);
    qn_frontier_adopt(frontier);
    return;
  }
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < qn_frontier_words(frontier); word++) {
    uint64_t bits = 0;
    for (uint64_t v = word * 64; v < word * 64 + 64 && v < num_vertices; v++)
      if (program_starts(&state->context, engine_position(state->request, (uint32_t)v)))
        bits |= (uint64_t)1 << (v % 64);
    frontier->bits[word] = bits;
  }
  qn_frontier_adopt(frontier);
}

/* Out-edges of the vertices of a queue. */
static inline uint64_t sweep_queue_edges(const struct engine_state *state,
                                         const struct qn_frontier *frontier) {
  uint64_t edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : edges) if (frontier->count > 4096)
  for (uint64_t i = 0; i < frontier->count; i++)
    edges += engine_out_degree(state->view, frontier->queue[i]);
  return edges;
}

#if PROGRAM_FIRST_SUFFICES
/* Mark the vertices that cannot change any more in `closed` [V / 64 + 1]. */
static inline void sweep_find_closed(const struct engine_state *state, uint64_t *closed) {
  uint64_t num_vertices = state->context.num_vertices;
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word <= num_vertices / 64; word++) {
    uint64_t bits = 0;
    for (uint64_t v = word * 64; v < word * 64 + 64 && v < num_vertices; v++)
      if (!sweep_is_open(state, v))
        bits |= (uint64_t)1 << (v % 64);
    closed[word] = bits;
  }
}
#endif

#endif

#endif
