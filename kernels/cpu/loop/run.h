/* The frame of a run on the CPU: engine_run, which every engine's kernels begin with, and the
 * iterations. What wraps an iteration is here and nowhere else: reports, checkpoints, the end. Part
 * of the engines (state.h): their engine.h includes it last, as it needs struct engine_work. */
#pragma once

#include "kernels/cpu/loop/state.h"

/* ---- Values ---------------------------------------------------------------------------------- */

/* Every vertex's first value. */
static inline void sweep_init(struct engine_state *state) {
  const struct qn_program_context *context = &state->context;
  program_value *values = state->values;
#pragma omp parallel for schedule(static)
  for (uint64_t v = state->begin; v < state->end; v++)
    values[v] =
        engine_first_value(state->request, context, state->order ? state->order[v] : v,
                           engine_position(state->request, v), sweep_out_degree(state->view, v));
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
    status = engine_alloc(&results, num_vertices, sizeof(program_result), "result values", error);
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

/* ---- The beginning --------------------------------------------------------------------------- */

/* The vertices of a word of 64 that are active at first. */
static inline uint64_t find_starters(const struct engine_state *state, uint64_t word) {
  uint64_t bits = 0;
#if PROGRAM_SCHEDULE == QN_FRONTIER
  const uint64_t begin = word * 64 < state->begin ? state->begin : word * 64;
  const uint64_t end = word * 64 + 64 < state->end ? word * 64 + 64 : state->end;
  for (uint64_t v = begin; v < end; v++)
    if (program_starts(&state->context, engine_position(state->request, v)))
      bits |= (uint64_t)1 << (v % 64);
#else
  (void)state, (void)word;
#endif
  return bits;
}

/* The frontier's bitmap has those that are active at first. */
static inline void sweep_start(const struct engine_state *state, struct qn_frontier *frontier) {
#pragma omp parallel for schedule(static)
  for (uint64_t word = state->begin / 64; word < (state->end + 63) / 64; word++)
    frontier->bits[word] = find_starters(state, word);
}

/* The frontier's bitmap is a checkpoint's: vertices that are not here leave it. */
static inline void sweep_leave_own(const struct engine_state *state, struct qn_frontier *frontier) {
  const uint64_t begin = state->begin, end = state->end;
  for (uint64_t word = 0; word < qn_frontier_words(frontier); word++)
    frontier->bits[word] &= begin < end && word >= begin / 64 && word < (end + 63) / 64
                                ? qn_bits_between(word, begin, end)
                                : 0;
}

/* Values and frontier are those of the first iteration to do: at first, or as a checkpoint has
 * them. */
static inline enum qn_status engine_start(struct engine_state *state, struct engine_work *work,
                                          struct qn_error *error) {
  struct qn_state_parts *parts = &state->parts;
  parts->num_vertices = state->context.num_vertices;
  parts->values = state->values;
  parts->value_bytes = sizeof *state->values;
  parts->context = &state->context;
  if (!qn_state_restore_values(state->request, parts, state->begin, state->end))
    sweep_init(state);
  enum qn_status status = work_create(state, work, error);
  if (status)
    return status;
  struct qn_frontier *frontier = state->frontier;
  parts->active = frontier ? frontier->bits : NULL;
  const bool goes_on = qn_state_restore(state->request, parts);
  if (frontier) {
    goes_on ? sweep_leave_own(state, frontier) : sweep_start(state, frontier);
    qn_frontier_adopt(frontier);
  }
  return work_begin(state, work, error);
}

/* ---- Iterations ------------------------------------------------------------------------------ */

/* Report an iteration that began at `begin`. */
static inline void engine_report(struct engine_state *state, const struct engine_step *step,
                                 double begin) {
  const struct qn_run_request *request = state->request;
  struct qn_iteration iteration = {.iteration = state->context.iteration,
                                   .mode = step->mode,
                                   .num_active = step->num_active,
                                   .change = step->change,
                                   .seconds = qn_seconds() - begin};
  if (request->hooks.on_iteration)
    request->hooks.on_iteration(request->hooks.user, &iteration);
  state->result->stats.iterations = ++state->context.iteration;
  state->result->stats.change = step->change;
}

/* After an iteration that is not the last one: a checkpoint, if one is due. */
static inline enum qn_status engine_keep(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  if (!qn_state_is_due(state->request, state->context.iteration))
    return QN_OK;
  if (state->find_frontier)
    state->find_frontier(state, work);
  if (state->frontier) {
    qn_frontier_mark(state->frontier);
    state->parts.active = state->frontier->bits;
  }
  return qn_state_save(state->request, state->context.iteration, state->result->stats.change,
                       &state->parts, error);
}

/* Does the result say that it is the one that more iterations would lead to? Without a tolerance
 * the result of an all-active program is what so many iterations make it. */
static inline bool engine_converged(const struct engine_state *state,
                                    const struct engine_step *step) {
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
  return !PROGRAM_CONVERGES || step->change < state->context.tolerance;
#else
  (void)state;
  return step->num_next == 0 && !PROGRAM_ROUNDS && !PROGRAM_PRIORITY; /* others may wait */
#endif
}

static inline enum qn_status engine_iterate(struct engine_state *state, struct engine_work *work,
                                            struct qn_error *error) {
  struct qn_run_result *result = state->result;
  enum qn_status status = QN_OK;
  bool finished = engine_is_finished(state->request, &state->context);
  result->stats.converged = PROGRAM_SCHEDULE == QN_ALL_ACTIVE && !PROGRAM_CONVERGES;
  while (!status && !finished) {
    struct engine_step step = {0};
    double begin = qn_seconds();
    status = work_step(state, work, &step, error);
    if (status || step.is_over) {
      result->stats.converged = !status;
      break;
    }
    engine_report(state, &step, begin);
    result->stats.converged = engine_converged(state, &step);
    finished = engine_is_finished(state->request, &state->context) ||
               engine_has_diverged(step.change) || (PROGRAM_CONVERGES && result->stats.converged);
    if (!finished)
      status = engine_keep(state, work, error);
  }
  return status;
}

/* What is derived from the layout counts as preparation, all else as the kernel. */
static inline enum qn_status engine_run(const struct qn_run_request *request,
                                        struct qn_run_result *result, struct qn_error *error) {
  struct engine_state state = {.request = request, .result = result};
  struct engine_work work = {0};
  double begin = qn_seconds();
  enum qn_status status = walk_begin(&state, error);
  if (!status)
    status = walk_create(&state, error);
  if (!status)
    status = engine_alloc(&state.values, state.context.num_vertices, sizeof *state.values,
                          "vertex values", error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  if (status)
    goto cleanup;
  begin = qn_seconds();
  status = engine_start(&state, &work, error);
  if (!status)
    status = engine_iterate(&state, &work, error);
  work_destroy(&state, &work);
  if (!status)
    status = sweep_output(&state, error);
  result->stats.kernel_seconds = qn_seconds() - begin;
cleanup:
  qn_pages_free(state.values, state.context.num_vertices, sizeof *state.values);
  walk_destroy(&state);
  return status;
}
