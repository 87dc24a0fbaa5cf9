/* An iteration that both share: the CPU takes stretches of rows from the front while the device
 * takes them from the back, until they meet. What each has computed of a batch of stretches goes to
 * the other while the device gathers the next one (Garaph, section 3.1), both ways at once; there
 * it waits for the next iteration, or, asynchronously, is sent on in this one. What the device
 * streamed last in an iteration of its own, and has in its cache, lies at the back. */
#pragma once

#include "kernels/cuda/joint/exchange.cuh"
#include "kernels/cuda/stream/follow.cuh"

/* What has been gathered waits for more until it is such a part of all stretches. */
#define JOINT_BATCHES 64

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
  return status ? status : qn_cuda_status(cudaStreamSynchronize(NULL), "gathering shards", error);
}

inline struct sweep_state state_of_rows(const struct sweep_run *run, struct row_range rows) {
  struct sweep_state state = run->state;
  state.held.begin = (uint32_t)rows.begin;
  state.held.end = (uint32_t)rows.end;
  return state;
}

/* Active vertices among the rows send their values as they are now. */
inline void send_rows(struct joint_run *joint, struct row_range rows) {
  const struct sweep_run *run = joint->run;
  if (rows.begin < rows.end)
    QN_LAUNCH(sweep_send, run->blocks, SWEEP_THREADS, 0, joint->down, state_of_rows(run, rows),
              run->context);
}

/* Until what was passed on last has arrived; adds to *change. */
inline enum qn_status settle(struct joint_run *joint, double *change, struct qn_error *error) {
  double part = 0;
  if (joint->going_down.begin >= joint->going_down.end)
    return QN_OK;
  enum qn_status status = sent_has_arrived(joint, cudaSuccess, error);
  if (!status && PROGRAM_CONVERGES)
    status = sweep_total(joint->run, &part, error);
  *change += part;
  return status;
}

/* Asynchronous: the CPU is told of what has arrived, and both sides' new values are sent. */
inline enum qn_status send_on(struct joint_run *joint, struct qn_error *error) {
  const struct row_range down = joint->going_down;
  if (down.begin < down.end)
    qn_joint_share_tell(&joint->share, (uint32_t)down.begin, (uint32_t)down.end);
  send_rows(joint, down);
  send_rows(joint, joint->going_up);
  return qn_cuda_launched("sending on", error);
}

/* Add up the hubs of the stretches [first, last), and apply what their rows received, beside the
 * frontier that still sends, once all of it has been gathered. */
inline enum qn_status apply_stretches(struct joint_run *joint, uint32_t first, uint32_t last,
                                      struct qn_error *error) {
  struct sweep_run *run = joint->run;
  const uint32_t from = joint->cuts[first].hub, to = joint->cuts[last].hub;
  struct sweep_state state = state_of_rows(run, {joint->bounds[first], joint->bounds[last]});
  enum qn_status status =
      run->source ? qn_unit_stream_follow(run->stream, joint->down, error) : QN_OK;
  if (status)
    return status;
  if (from < to)
    QN_LAUNCH(merge_segments, to - from, QN_TILE_THREADS, 0, joint->down, run->state, run->context,
              true, from);
  state.active = state.layout.next_active;
  QN_LAUNCH(sweep_apply, run->blocks, SWEEP_THREADS, 0, joint->down, state, run->context);
  return qn_cuda_launched("applying", error);
}

/* The stretches [first, last) have been given to the device: their new values follow, and go to the
 * host, and those that the CPU has by now go to the device. Nobody else looks at them before the
 * iteration ends, but for what may see new values. */
inline enum qn_status pass_on(struct joint_run *joint, uint32_t first, uint32_t last,
                              double *change, struct qn_error *error) {
  const struct row_range rows = {joint->bounds[first], joint->bounds[last]};
  enum qn_status status = settle(joint, change, error);
  if (!status && joint->run->request->asynchronous)
    status = send_on(joint, error);
  if (!status)
    status = apply_stretches(joint, first, last, error);
  if (status)
    return status;
  joint->going_down = rows;
  joint->going_up = {joint->going_up.end, qn_joint_share_done(&joint->share)};
  qn_joint_share_await_begin(&joint->share);
  cudaError_t result = send_values(joint, rows, false);
  if (result == cudaSuccess)
    result = send_values(joint, joint->going_up, true);
  return qn_cuda_status(result, "exchanging values with the device", error);
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

/* The device's part of a shared iteration: rows from *border on. */
inline enum qn_status device_share(struct joint_run *joint, double cpu_share, uint64_t *border,
                                   double *change, struct qn_error *error) {
  struct sweep_run *run = joint->run;
  struct qn_joint_figures *figures = &joint->figures;
  const double begin = qn_seconds();
  /* A copy to memory that is not pinned would wait for the walks. */
  const uint64_t batch = joint->pinned ? joint->num_stretches / JOINT_BATCHES : UINT64_MAX;
  uint32_t first = (uint32_t)joint->num_stretches, last = first, taken;
  enum qn_status status = QN_OK;
  joint->going_down = joint->going_up = {0, 0};
  while (!status &&
         (taken = qn_page_take_back(&joint->queue, next_take(joint, cpu_share), &first))) {
    if (run->source && figures->device_pages > 0)
      qn_unit_stream_go_on(run->stream);
    status = gather_stretches(joint, first, first + taken, error);
    figures->device_pages += taken;
    if (status || last - first < batch)
      continue;
    status = pass_on(joint, first, last, change, error);
    last = first;
  }
  const uint32_t done = (uint32_t)(joint->num_stretches - figures->device_pages);
  *border = joint->bounds[done];
  if (!status && done < last)
    status = pass_on(joint, done, last, change, error);
  if (!status && run->source)
    status = qn_unit_stream_wait(run->stream, error);
  figures->device_seconds = qn_seconds() - begin;
  return status;
}

/* The rest of the exchange, when both are done. */
inline enum qn_status end_exchange(struct joint_run *joint, uint64_t border, double *change,
                                   struct qn_error *error) {
  const struct row_range own = {border, joint->run->context.num_vertices};
  uint64_t *bits = SWEEP_FRONTIER ? joint->side->next : NULL;
  uint32_t *device_bits = joint->run->state.layout.next_active;
  const double begin = qn_seconds();
  cudaError_t result = send_values(joint, {joint->going_up.end, border}, true);
  if (result == cudaSuccess)
    result = send_bits(joint, {0, border}, bits, device_bits, true);
  if (result == cudaSuccess)
    result = send_bits(joint, own, bits, device_bits, false);
  enum qn_status status = sent_has_arrived(joint, result, error);
  if (!status)
    status = settle(joint, change, error);
  joint->figures.exchange_seconds += qn_seconds() - begin;
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
  /* What the CPU computes may come when the old values have been sent. */
  cudaError_t result = cudaEventRecord(joint->begun, NULL);
  if (result == cudaSuccess)
    result = cudaStreamWaitEvent(joint->up, joint->begun, 0);
  if (result != cudaSuccess)
    return qn_cuda_status(result, "beginning a shared iteration", error);
  qn_page_queue_fill(&joint->queue, (uint32_t)joint->num_stretches);
  /* Garaph's rule (section 4.2) for the CPU's share of the pages. */
  joint->share.notify = qn_joint_notifies(&joint->plan, joint->figures.active_share);
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
    status = end_exchange(joint, border, change, error);
  else /* nothing may be on its way any more */
    sent_has_arrived(joint, cudaSuccess, NULL);
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
