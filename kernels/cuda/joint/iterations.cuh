/* The iterations of a run that the CPU and the device share, each by whom the dispatcher
 * (kernels/joint.h) expects to take the least. */
#pragma once

#include "kernels/cuda/joint/share.cuh"

#define DIRECT_THREADS 3

namespace {

inline enum qn_status step_on_cpu(struct joint_run *joint, double *change) {
  struct sweep_run *run = joint->run;
  const double begin = qn_seconds();
  joint->side->context = run->context;
  qn_joint_call(&joint->worker, QN_JOINT_CPU.step, joint->side);
  run->context = joint->side->context;
  *change = joint->side->change;
  joint->figures.cpu_pages = joint->num_stretches;
  joint->figures.cpu_seconds = qn_seconds() - begin;
  joint->on_device = false;
  run->num_active = SWEEP_FRONTIER ? joint->side->num_active : run->context.num_vertices;
  return QN_OK;
}

/* As the device does in a run of its own. */
inline enum qn_status walk_alone(struct joint_run *joint, struct qn_error *error) {
#if SWEEP_FRONTIER
  if (!joint->run->source)
    return collect_counted(joint->run, joint->active_edges, error);
#endif
  return sweep_walk(joint->run, error);
}

inline enum qn_status step_on_device(struct joint_run *joint, double *change,
                                     struct qn_error *error) {
  struct sweep_run *run = joint->run;
  const double begin = qn_seconds();
  enum qn_status status = sweep_begin(run, error);
  if (!status)
    status = walk_alone(joint, error);
  if (!status)
    status = sweep_end(run, change, error);
  joint->figures.device_pages = joint->num_stretches;
  joint->figures.device_seconds = qn_seconds() - begin;
  joint->on_host = false;
  return status;
}

/* f: the active vertices' share of all out-edges. */
inline enum qn_status find_active_share(struct joint_run *joint, double *share,
                                        struct qn_error *error) {
  struct sweep_run *run = joint->run;
  uint64_t edges = run->context.num_edges;
  enum qn_status status = QN_OK;
#if SWEEP_FRONTIER
  if (joint->on_host)
    edges = joint->side->active_edges;
  else
    status = count_active_edges(run, &edges, error);
  joint->active_edges = edges;
#endif
  *share = run->context.num_edges ? (double)edges / (double)run->context.num_edges : 0;
  return status;
}

/* When no vertex is active: the next round, or those that wait. */
inline enum qn_status next_round(struct joint_run *joint, struct qn_error *error) {
  struct sweep_run *run = joint->run;
  run->num_active = 0;
#if SWEEP_FRONTIER
  if (!joint->on_host)
    return sweep_next_round(run, run, error);
  joint->side->context = run->context;
  if (qn_joint_next_round(&joint->worker, &QN_JOINT_CPU, joint->side)) {
    run->num_active = joint->side->num_active;
    run->context.round = joint->side->context.round;
    joint->on_device = false;
  }
#endif
  (void)error;
  return QN_OK;
}

inline enum qn_joint_choice choose(struct joint_run *joint) {
  const struct qn_run_request *request = joint->run->request;
  struct qn_joint_figures *figures = &joint->figures;
  joint->plan.left = request->limits.max_iterations - joint->run->context.iteration;
  const enum qn_joint_choice choice = qn_joint_choose(
      &joint->plan, figures->active_share, joint->on_host, joint->on_device, &figures->alpha);
  if (!request->device->joint_choices)
    return choice;
  const char *choices = request->device->joint_choices;
  const char forced = choices[joint->run->context.iteration % strlen(choices)];
  return forced == 'c' ? QN_CPU_ALONE : forced == 'd' ? QN_DEVICE_ALONE : QN_BOTH;
}

/* Readers that gather what is streamed need processors of their own. Where it is copied from where
 * it lies, somebody must still list it, send it and drive the device (H200, PageRank: with 15 of 16
 * threads beside that 33 ms an iteration, with 12 to 14 30). */
inline void set_cpu_threads(struct joint_run *joint) {
  const struct sweep_run *run = joint->run;
  const unsigned all = qn_threads();
  unsigned busy = 0;
  if (run->moved.moved_bytes > 0)
    joint->gathers = run->moved.direct_bytes / 3 < run->moved.moved_bytes / 4;
  if (run->source)
    busy = joint->gathers ? run->request->device->report.plan.num_readers + 1 : DIRECT_THREADS;
  joint->share.num_threads = all > busy ? all - busy : 1;
  joint->plan.threads = (double)joint->share.num_threads / all;
}

inline enum qn_status one_iteration(struct joint_run *joint, double *change,
                                    struct qn_error *error) {
  struct qn_joint_figures *figures = &joint->figures;
  memset(figures, 0, sizeof *figures);
  memset(&joint->run->moved, 0, sizeof joint->run->moved);
  enum qn_status status = find_active_share(joint, &figures->active_share, error);
  if (status)
    return status;
  figures->choice = choose(joint);
  if (figures->choice != QN_DEVICE_ALONE)
    status = bring_to_host(joint, error);
  if (!status && figures->choice != QN_CPU_ALONE)
    status = bring_to_device(joint, error);
  if (status)
    return status;
  const double moved = figures->exchange_seconds, begin = qn_seconds();
  if (figures->choice == QN_CPU_ALONE)
    status = step_on_cpu(joint, change);
  else if (figures->choice == QN_DEVICE_ALONE)
    status = step_on_device(joint, change, error);
  else
    status = step_together(joint, change, error);
  const double seconds = qn_seconds() - begin - (figures->exchange_seconds - moved);
  if (figures->choice == QN_BOTH)
    learn_together(joint, seconds);
  else
    qn_joint_learn(&joint->plan, figures->choice, figures->active_share, seconds);
  set_cpu_threads(joint);
  joint->run->memory.copy_bytes += figures->exchanged_bytes;
  return status;
}

inline bool iteration_finished(struct joint_run *joint, uint64_t num_active, double change,
                               double begin) {
  const struct qn_device_iteration device = {joint->run->moved, &joint->figures, NULL};
  struct qn_iteration report = {};
  report.mode = qn_joint_name(joint->figures.choice);
  report.device = &device;
  return tell_iteration(joint->run, report, num_active, change, begin);
}

inline enum qn_status keep(struct joint_run *joint, struct qn_error *error) {
  struct sweep_run *run = joint->run;
  if (!joint->on_host)
    return sweep_keep(run, error);
  if (!qn_state_is_due(run->request, run->context.iteration))
    return QN_OK;
  wake_all(joint);
  struct qn_state_parts parts =
      keep_parts(run->context.num_vertices, sizeof(program_value), &run->context);
  parts.values = joint->side->values;
  parts.active = SWEEP_FRONTIER ? joint->side->active : NULL;
  return qn_state_save(run->request, run->context.iteration, run->result->stats.change, &parts,
                       error);
}

inline bool may_wait(const struct joint_run *) {
  return PROGRAM_PRIORITY;
}

} /* namespace */
