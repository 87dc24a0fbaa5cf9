/* An iteration that both share: the CPU takes stretches of rows from the front while the device
 * takes them from the back, until they meet; then they exchange what each has computed, or,
 * asynchronously, after every batch of stretches. What the device streamed last in an iteration of
 * its own, and has in its cache, lies at the back. */
#ifndef QN_KERNELS_CUDA_JOINT_SHARE_CUH
#define QN_KERNELS_CUDA_JOINT_SHARE_CUH

#include "kernels/cuda/joint/exchange.cuh"

namespace {

/* Gather the stretches [first, last). What is resident has been when this returns; what is streamed
 * is on its way, so that the bus has work while the next stretches are taken. */
inline enum qn_status gather_stretches(struct joint_run *joint, uint32_t first, uint32_t last,
                                       struct qn_error *error) {
  struct sweep_run *run = joint->run;
  const struct stretch_cut *from = &joint->cuts[first], *to = &joint->cuts[last];
  if (run->source) {
    struct qn_stream_figures moved;
    memset(run->host_flags, 0, run->source->num_units);
    if (SWEEP_FRONTIER)
      memcpy(run->host_flags + from->unit, joint->wanted + from->unit, to->unit - from->unit);
    else
      memset(run->host_flags + from->unit, 1, to->unit - from->unit);
    enum qn_status status =
        qn_unit_stream_part(run->stream, run->host_flags, sweep_walk_units, run, &moved, error);
    if (status)
      return status;
    qn_stream_figures_add(&run->moved, &moved);
    return QN_OK;
  }
  gather_tasks(run, from->unit - from->segment, to->unit - to->segment);
  if (to->segment > from->segment)
    QN_LAUNCH(gather_segments, to->segment - from->segment, QN_TILE_THREADS, 0, NULL, run->state,
              run->context, true, from->segment);
  const enum qn_status status = qn_cuda_launched("gathering shards", error);
  return status ? status : qn_cuda_status(cudaDeviceSynchronize(), "gathering shards", error);
}

/* All of the stretches [first, last) has been gathered; add up the parts of their hubs. */
inline enum qn_status complete_stretches(struct joint_run *joint, uint32_t first, uint32_t last,
                                         struct qn_error *error) {
  struct sweep_run *run = joint->run;
  const uint32_t from = joint->cuts[first].hub, to = joint->cuts[last].hub;
  enum qn_status status = run->source ? qn_unit_stream_wait(run->stream, error) : QN_OK;
  if (status || from == to)
    return status;
  QN_LAUNCH(merge_segments, to - from, QN_TILE_THREADS, 0, NULL, run->state, run->context, true,
            from);
  return qn_cuda_launched("adding up the parts of hubs", error);
}

inline struct sweep_state state_of_rows(const struct sweep_run *run, struct row_range rows) {
  struct sweep_state state = run->state;
  state.held.begin = (uint32_t)rows.begin;
  state.held.end = (uint32_t)rows.end;
  return state;
}

/* Apply what the rows received, beside the frontier that still sends; adds to *change. */
inline enum qn_status apply_rows(struct joint_run *joint, struct row_range rows, double *change,
                                 struct qn_error *error) {
  struct sweep_run *run = joint->run;
  double part = 0;
  struct sweep_state state = state_of_rows(run, rows);
  state.active = state.layout.next_active;
  QN_LAUNCH(sweep_apply, run->blocks, SWEEP_THREADS, 0, NULL, state, run->context);
  enum qn_status status = qn_cuda_launched("applying", error);
  if (!status && PROGRAM_CONVERGES)
    status = sweep_total(run, &part, error);
  *change += part;
  return status;
}

/* Asynchronous: the device's new values of `rows`, and those of the CPU, of which those before
 * *received are here. */
inline enum qn_status exchange_early(struct joint_run *joint, struct row_range rows,
                                     uint64_t *received, struct qn_error *error) {
  const struct row_range more = {*received, qn_joint_share_done(&joint->share)};
  enum qn_status status = exchange(joint, rows, more, NULL, NULL, error);
  if (status)
    return status;
  qn_joint_share_tell(&joint->share, (uint32_t)rows.begin, (uint32_t)rows.end);
  *received = more.end;
  return QN_OK;
}

/* Active vertices among the rows send their values as they are now. */
inline void send_rows(struct sweep_run *run, struct row_range rows) {
  if (rows.begin < rows.end)
    QN_LAUNCH(sweep_send, run->blocks, SWEEP_THREADS, 0, NULL, state_of_rows(run, rows),
              run->context);
}

/* How many stretches to take next: most of what the device is expected to do in one go, since every
 * go ends with waiting for it, and less and less towards the border. */
inline uint32_t next_take(const struct joint_run *joint, double cpu_share) {
  const double waiting = qn_pages_waiting(&joint->queue);
  double take = waiting * (1 - cpu_share) * (joint->figures.device_pages ? 0.6 : 0.75);
  if (joint->run->request->asynchronous) {
    const double most = (double)joint->num_stretches / 16;
    take = take < most ? take : most;
  }
  return take < 1 ? 1 : (uint32_t)take;
}

/* Asynchronous: the rows' values are applied, exchanged, and sent. */
inline enum qn_status publish_rows(struct joint_run *joint, struct row_range rows,
                                   uint64_t *received, double *change, struct qn_error *error) {
  const uint64_t known = *received;
  enum qn_status status = apply_rows(joint, rows, change, error);
  if (!status)
    status = exchange_early(joint, rows, received, error);
  send_rows(joint->run, rows);
  send_rows(joint->run, {known, *received});
  return status;
}

/* The device's part of a shared iteration: rows from *border on. */
inline enum qn_status device_share(struct joint_run *joint, double cpu_share, uint64_t *border,
                                   double *change, struct qn_error *error) {
  struct sweep_run *run = joint->run;
  struct qn_joint_figures *figures = &joint->figures;
  const double begin = qn_seconds(), exchanged = figures->exchange_seconds;
  uint32_t first = (uint32_t)joint->num_stretches, last = first, taken;
  uint64_t received = 0;
  enum qn_status status = QN_OK;
  while (!status &&
         (taken = qn_page_take_back(&joint->queue, next_take(joint, cpu_share), &first))) {
    if (run->source && figures->device_pages > 0)
      qn_unit_stream_go_on(run->stream);
    status = gather_stretches(joint, first, first + taken, error);
    figures->device_pages += taken;
    if (status || !run->request->asynchronous)
      continue;
    status = complete_stretches(joint, first, last, error);
    if (!status)
      status = publish_rows(joint, {joint->bounds[first], joint->bounds[last]}, &received, change,
                            error);
    last = first;
  }
  const uint32_t done = (uint32_t)(joint->num_stretches - figures->device_pages);
  *border = joint->bounds[done];
  if (!status && done < last)
    status = complete_stretches(joint, done, last, error);
  figures->device_seconds = qn_seconds() - begin - (figures->exchange_seconds - exchanged);
  if (!status && done < last)
    status = apply_rows(joint, {*border, joint->bounds[last]}, change, error);
  return status;
}

/* Before a shared iteration of a streamed frontier program: which units take part. */
inline enum qn_status want_units(struct joint_run *joint, struct qn_error *error) {
  struct sweep_run *run = joint->run;
  if (!SWEEP_FRONTIER || !run->source)
    return QN_OK;
  enum qn_status status = engine_flag_units(run, error);
  if (!status)
    memcpy(joint->wanted, run->host_flags, run->source->num_units);
  return status;
}

inline enum qn_status step_together(struct joint_run *joint, double *change,
                                    struct qn_error *error) {
  struct sweep_run *run = joint->run;
  const double cpu_share = qn_joint_cpu_share(&joint->plan, joint->figures.active_share);
  const uint64_t num_vertices = run->context.num_vertices;
  uint64_t border = 0;
  enum qn_status status = sweep_begin(run, error);
  if (!status)
    status = want_units(joint, error);
  if (!status)
    status = sweep_clear(run->state.count, 0, error);
  if (status)
    return status;
  joint->side->context = run->context;
  qn_page_queue_fill(&joint->queue, (uint32_t)joint->num_stretches);
  /* Garaph's rule (section 4.2) for the CPU's share of the pages. */
  joint->share.notify = SWEEP_FRONTIER && joint->figures.active_share <= cpu_share / 2;
  qn_joint_share_begin(&joint->share, &joint->worker);
  status = device_share(joint, cpu_share, &border, change, error);
  if (status) { /* let the CPU end soon */
    uint32_t first;
    qn_page_take_front(&joint->queue, UINT32_MAX, &first);
  }
  qn_joint_worker_wait(&joint->worker);
  joint->figures.cpu_pages = joint->share.pages;
  joint->figures.cpu_seconds = joint->share.seconds;
  *change += joint->side->change;
  if (!status)
    status =
        exchange(joint, {border, num_vertices}, {0, border},
                 SWEEP_FRONTIER ? joint->side->next : NULL, run->state.layout.next_active, error);
  if (status)
    return status;
  if (SWEEP_FRONTIER) {
    uint32_t *old = run->state.active;
    run->state.active = run->state.layout.next_active;
    run->state.layout.next_active = old;
  }
  qn_joint_call(&joint->worker, QN_JOINT_CPU.share_end, joint->side);
  run->num_active = SWEEP_FRONTIER ? joint->side->num_active : num_vertices;
  return QN_OK;
}

/* Garaph's times of pages on either side (section 5.1). */
inline void learn_together(struct joint_run *joint, double seconds) {
  const struct qn_joint_figures *figures = &joint->figures;
  const double pages = (double)joint->num_stretches;
  const double by_cpu = figures->cpu_pages ? (double)figures->cpu_pages : 1;
  const double by_device = figures->device_pages ? (double)figures->device_pages : 1;
  qn_joint_learn_shared(&joint->plan, figures->active_share, seconds,
                        figures->cpu_seconds * pages / by_cpu,
                        figures->device_seconds * pages / by_device);
}

} /* namespace */

#endif
