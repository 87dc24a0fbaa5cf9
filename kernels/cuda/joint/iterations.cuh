/* The iterations of a run that the CPU and the device share, each by whom the dispatcher
 * (kernels/joint.h) expects to take the least. Part of shards.cuh. */
#ifndef QN_KERNELS_CUDA_JOINT_ITERATIONS_CUH
#define QN_KERNELS_CUDA_JOINT_ITERATIONS_CUH

#include "kernels/cuda/joint/share.cuh"

#define DIRECT_THREADS 3

namespace {

inline enum qn_status step_on_cpu(struct beside_run *beside, double *change) {
  struct sweep_run *run = beside->run;
  const double begin = qn_seconds();
  beside->side->context = run->context;
  qn_side_call(&beside->worker, QN_SIDE.step, beside->side);
  run->context = beside->side->context;
  *change = beside->side->change;
  beside->figures.cpu_pages = beside->num_stretches;
  beside->figures.cpu_seconds = qn_seconds() - begin;
  beside->on_device = false;
  run->num_active = SWEEP_FRONTIER ? beside->side->num_active : run->context.num_vertices;
  return QN_OK;
}

/* As the device does in a run of its own. */
inline enum qn_status walk_alone(struct beside_run *beside, struct qn_error *error) {
#if SWEEP_FRONTIER
  if (!beside->run->source)
    return collect_counted(beside->run, beside->active_edges, error);
#endif
  return sweep_walk(beside->run, error);
}

inline enum qn_status step_on_device(struct beside_run *beside, double *change,
                                     struct qn_error *error) {
  struct sweep_run *run = beside->run;
  const double begin = qn_seconds();
  enum qn_status status = sweep_begin(run, error);
  if (!status)
    status = walk_alone(beside, error);
  if (!status)
    status = sweep_clear(run->state.count, 0, error);
  if (status)
    return status;
  SWEEP_LAUNCH(run, sweep_apply);
  if (SWEEP_FRONTIER)
    status = sweep_read_count(run, &run->num_active, error);
  else if (PROGRAM_CONVERGES)
    status = sweep_total(run, change, error);
  else
    status = qn_cuda_status(cudaDeviceSynchronize(), "an iteration on the device", error);
  beside->figures.device_pages = beside->num_stretches;
  beside->figures.device_seconds = qn_seconds() - begin;
  beside->on_host = false;
  return status;
}

/* f: the active vertices' share of all out-edges. */
inline enum qn_status find_active_share(struct beside_run *beside, double *share,
                                        struct qn_error *error) {
  struct sweep_run *run = beside->run;
  uint64_t edges = run->context.num_edges;
  enum qn_status status = QN_OK;
#if SWEEP_FRONTIER
  if (beside->on_host)
    edges = beside->side->active_edges;
  else
    status = count_active_edges(run, &edges, error);
  beside->active_edges = edges;
#endif
  *share = run->context.num_edges ? (double)edges / (double)run->context.num_edges : 0;
  return status;
}

/* When no vertex is active: the next round, or those that wait. */
inline enum qn_status next_round(struct beside_run *beside, struct qn_error *error) {
  struct sweep_run *run = beside->run;
  run->num_active = 0;
#if SWEEP_FRONTIER
  if (!beside->on_host)
    return sweep_next_round(run, &run->num_active, error);
  beside->side->context = run->context;
  if (qn_side_next_round(&beside->worker, &QN_SIDE, beside->side)) {
    run->num_active = beside->side->num_active;
    run->context.round = beside->side->context.round;
    beside->on_device = false;
  }
#endif
  (void)error;
  return QN_OK;
}

inline enum qn_beside_choice choose(struct beside_run *beside) {
  const struct qn_run_request *request = beside->run->request;
  struct qn_beside_figures *figures = &beside->figures;
  beside->plan.left = request->max_iterations - beside->run->context.iteration;
  const enum qn_beside_choice choice = qn_beside_choose(
      &beside->plan, figures->active_share, beside->on_host, beside->on_device, &figures->alpha);
  if (!request->beside_choices)
    return choice;
  const char *choices = request->beside_choices;
  const char forced = choices[beside->run->context.iteration % strlen(choices)];
  return forced == 'c' ? QN_CPU_ALONE : forced == 'd' ? QN_DEVICE_ALONE : QN_SIDE_BY_SIDE;
}

/* Readers that gather what is streamed need processors of their own. Where it is copied from where
 * it lies, somebody must still list it, send it and drive the device (H200, PageRank: with 15 of 16
 * threads beside that 33 ms an iteration, with 12 to 14 30). */
inline void set_cpu_threads(struct beside_run *beside) {
  const struct sweep_run *run = beside->run;
  const unsigned all = qn_threads();
  unsigned busy = 0;
  if (run->moved.moved_bytes > 0)
    beside->gathers = run->moved.direct_bytes / 3 < run->moved.moved_bytes / 4;
  if (run->source)
    busy = beside->gathers ? run->result->plan.num_readers + 1 : DIRECT_THREADS;
  beside->share.num_threads = all > busy ? all - busy : 1;
  beside->plan.threads = (double)beside->share.num_threads / all;
}

inline enum qn_status one_iteration(struct beside_run *beside, double *change,
                                    struct qn_error *error) {
  struct qn_beside_figures *figures = &beside->figures;
  enum qn_status status = find_active_share(beside, &figures->active_share, error);
  if (status)
    return status;
  figures->choice = choose(beside);
  if (figures->choice != QN_DEVICE_ALONE)
    status = bring_to_host(beside, error);
  if (!status && figures->choice != QN_CPU_ALONE)
    status = bring_to_device(beside, error);
  if (status)
    return status;
  const double moved = figures->exchange_seconds, begin = qn_seconds();
  if (figures->choice == QN_CPU_ALONE)
    status = step_on_cpu(beside, change);
  else if (figures->choice == QN_DEVICE_ALONE)
    status = step_on_device(beside, change, error);
  else
    status = step_together(beside, change, error);
  const double seconds = qn_seconds() - begin - (figures->exchange_seconds - moved);
  if (figures->choice == QN_SIDE_BY_SIDE)
    learn_together(beside, seconds);
  else
    qn_beside_learn(&beside->plan, figures->choice, figures->active_share, seconds);
  set_cpu_threads(beside);
  return status;
}

/* Tell the user; true if it was the last iteration allowed. */
inline bool iteration_finished(struct beside_run *beside, uint64_t num_active, double change,
                               double begin) {
  struct sweep_run *run = beside->run;
  struct qn_iteration report;
  memset(&report, 0, sizeof report);
  report.iteration = run->context.iteration;
  report.mode = qn_beside_name(beside->figures.choice);
  report.num_active = num_active;
  report.change = change;
  report.seconds = qn_seconds() - begin;
  report.moved = run->moved;
  report.beside = &beside->figures;
  if (run->request->on_iteration)
    run->request->on_iteration(run->request->user, &report);
  run->result->iterations = ++run->context.iteration;
  run->result->change = change;
  return run->context.iteration >= run->request->max_iterations;
}

inline enum qn_status keep(struct beside_run *beside, struct qn_error *error) {
  struct sweep_run *run = beside->run;
  if (!beside->on_host)
    return sweep_keep(run, error);
  if (!engine_save_is_due(run->request, &run->context))
    return QN_OK;
  wake_all(beside);
  struct qn_run_state state =
      engine_state_of(&run->context, run->result, (const program_value *)beside->side->values);
  state.active = SWEEP_FRONTIER ? beside->side->active : NULL;
  return engine_save(run->request, &state, error);
}

inline enum qn_status beside_iterations(struct beside_run *beside, struct qn_error *error) {
  struct sweep_run *run = beside->run;
  enum qn_status status = QN_OK;
  for (bool finished = engine_is_finished(run->request, &run->context); !status && !finished;) {
    const struct qn_range range("iteration");
    const double begin = qn_seconds();
    double change = 0;
    memset(&beside->figures, 0, sizeof beside->figures);
    memset(&run->moved, 0, sizeof run->moved);
    if (SWEEP_FRONTIER && run->num_active == 0)
      status = next_round(beside, error);
    if (SWEEP_FRONTIER && !status && run->num_active == 0) {
      run->result->converged = true;
      break;
    }
    const uint64_t num_active = run->num_active;
    if (!status)
      status = one_iteration(beside, &change, error);
    if (status)
      break;
    run->memory.copy_bytes += beside->figures.exchanged_bytes;
    finished = iteration_finished(beside, num_active, change, begin);
    if (PROGRAM_CONVERGES && change < run->context.tolerance)
      finished = run->result->converged = true;
    if (!finished)
      status = keep(beside, error);
  }
  return status ? status : bring_to_device(beside, error);
}

} /* namespace */

#endif
