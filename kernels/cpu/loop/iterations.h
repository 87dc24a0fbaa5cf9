/* The iterations of a run, on every layout. Part of the engines on the CPU (state.h): the schedule
 * that an engine includes defines struct engine_work, what it works on from iteration to iteration,
 * and the functions declared below. */
#ifndef QN_KERNELS_CPU_LOOP_ITERATIONS_H
#define QN_KERNELS_CPU_LOOP_ITERATIONS_H

#include "kernels/cpu/loop/state.h"

struct engine_work;

/* What one iteration did. */
struct engine_step {
  const char *mode;    /* "pull" or the like */
  uint64_t num_active; /* vertices that sent */
  uint64_t num_next;   /* frontier programs: vertices that will send next */
  double change;       /* programs that converge */
  bool is_over;        /* no vertex was active, nor waits to be: there was no iteration */
};

/* The arrays of `work`, which is zeroed; the state has the first values. work_destroy is called
 * after a failure, too. */
static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error);
static inline void work_destroy(const struct engine_state *state, struct engine_work *work);
/* One iteration; *step is zeroed. */
static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error);
/* Add to a state what the next iteration depends on besides values and context: bitmaps, which must
 * stay valid until the next step, and registers from QN_STATE_ENGINE on. */
static inline enum qn_status work_keep(const struct engine_state *state, struct engine_work *work,
                                       struct qn_run_state *kept, struct qn_error *error);

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
static inline enum qn_status engine_keep(const struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  if (!engine_save_is_due(state->request, &state->context))
    return QN_OK;
  struct qn_run_state kept = engine_state_of(&state->context, state->result, state->values);
  enum qn_status status = work_keep(state, work, &kept, error);
  return status ? status : engine_save(state->request, &kept, error);
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

#endif
