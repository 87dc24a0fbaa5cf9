/* An iteration that both share: the device takes stretches of rows from the front while the CPU
 * takes them from the back, until they meet; then they exchange what each has computed, or,
 * asynchronously, after every batch of stretches. Part of shards_beside.cuh. */
#ifndef QN_KERNELS_CUDA_BESIDE_SHARE_CUH
#define QN_KERNELS_CUDA_BESIDE_SHARE_CUH

#include "kernels/cuda/beside_exchange.cuh"

namespace {

inline enum qn_status begin_on_device(struct sweep_run *run, struct qn_error *error) {
  enum qn_status status = QN_OK;
  SWEEP_LAUNCH(run, sweep_send);
  if (PROGRAM_AGGREGATE)
    status = sweep_total(run, &run->context.aggregate, error);
#if PROGRAM_BEGINS
  program_begin(&run->context);
#endif
  return status;
}

/* Gather the stretches [first, last). */
inline enum qn_status gather_stretches(struct beside_run *beside, uint32_t first, uint32_t last,
                                       struct qn_error *error) {
  struct sweep_run *run = beside->run;
  const struct stretch_cut *from = &beside->cuts[first], *to = &beside->cuts[last];
  if (run->source) {
    struct qn_stream_figures moved;
    memset(run->host_flags, 0, run->source->num_units);
    if (SWEEP_FRONTIER)
      memcpy(run->host_flags + from->unit, beside->wanted + from->unit, to->unit - from->unit);
    else
      memset(run->host_flags + from->unit, 1, to->unit - from->unit);
    enum qn_status status =
        qn_unit_stream_run(run->stream, run->host_flags, sweep_walk_units, run, &moved, error);
    if (status)
      return status;
    run->moved.active_units += moved.active_units;
    run->moved.cache_hits += moved.cache_hits;
    run->moved.moved_units += moved.moved_units;
    run->moved.moved_bytes += moved.moved_bytes;
    run->moved.batches += moved.batches;
  } else {
    gather_tasks(run, from->unit - from->segment, to->unit - to->segment);
    if (to->segment > from->segment)
      QN_LAUNCH(gather_segments, to->segment - from->segment, QN_TILE_THREADS, 0, NULL, run->state,
                run->context, true, from->segment);
  }
  if (to->hub > from->hub)
    QN_LAUNCH(merge_segments, to->hub - from->hub, QN_TILE_THREADS, 0, NULL, run->state,
              run->context, true, from->hub);
  return qn_cuda_launched("gathering shards", error);
}

inline struct sweep_state state_of_rows(const struct sweep_run *run, struct row_range rows) {
  struct sweep_state state = run->state;
  state.held.begin = (uint32_t)rows.begin;
  state.held.end = (uint32_t)rows.end;
  return state;
}

/* Apply what the rows received, beside the frontier that still sends; adds to *change. */
inline enum qn_status apply_rows(struct beside_run *beside, struct row_range rows, double *change,
                                 struct qn_error *error) {
  struct sweep_run *run = beside->run;
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

/* Asynchronous: the device's new values of `rows`, and those of the CPU, of which those from
 * *received on are here. */
inline enum qn_status exchange_early(struct beside_run *beside, struct row_range rows,
                                     uint64_t *received, struct qn_error *error) {
  const struct row_range more = {qn_side_share_done(&beside->share), *received};
  enum qn_status status = exchange(beside, rows, more, NULL, NULL, error);
  if (status)
    return status;
  qn_side_share_tell(&beside->share, (uint32_t)rows.begin, (uint32_t)rows.end);
  *received = more.begin;
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
inline uint32_t next_take(const struct beside_run *beside, double cpu_share, bool is_first) {
  const double waiting = qn_pages_waiting(&beside->queue);
  double take = waiting * (1 - cpu_share) * (is_first ? 0.75 : 0.6);
  if (beside->run->request->asynchronous) {
    const double most = (double)beside->num_stretches / 16;
    take = take < most ? take : most;
  }
  return take < 1 ? 1 : (uint32_t)take;
}

/* The device's part of a shared iteration; *border becomes the row where it ended. */
inline enum qn_status device_share(struct beside_run *beside, double cpu_share, uint64_t *border,
                                   double *change, struct qn_error *error) {
  struct sweep_run *run = beside->run;
  const bool asynchronous = run->request->asynchronous;
  const double begin = qn_seconds();
  uint64_t applied = 0, received = run->context.num_vertices;
  uint32_t first, taken;
  enum qn_status status = QN_OK;
  bool is_first = true;
  *border = 0;
  while (!status && (taken = qn_page_take_front(&beside->queue,
                                                next_take(beside, cpu_share, is_first), &first))) {
    if (run->source && !is_first)
      qn_unit_stream_go_on(run->stream);
    is_first = false;
    status = gather_stretches(beside, first, first + taken, error);
    if (!status)
      status = qn_cuda_status(cudaDeviceSynchronize(), "gathering shards", error);
    *border = beside->bounds[first + taken];
    beside->figures.device_pages += taken;
    if (status || !asynchronous)
      continue;
    const struct row_range rows = {applied, *border};
    const uint64_t known = received;
    status = apply_rows(beside, rows, change, error);
    applied = *border;
    if (!status)
      status = exchange_early(beside, rows, &received, error);
    send_rows(run, rows);
    send_rows(run, {received, known});
  }
  beside->figures.device_seconds = qn_seconds() - begin - beside->figures.exchange_seconds;
  if (!status && applied < *border)
    status = apply_rows(beside, {applied, *border}, change, error);
  return status;
}

/* Before a shared iteration of a streamed frontier program: which units take part. */
inline enum qn_status want_units(struct beside_run *beside, struct qn_error *error) {
  struct sweep_run *run = beside->run;
  if (!SWEEP_FRONTIER || !run->source)
    return QN_OK;
  enum qn_status status = engine_flag_units(run, error);
  if (!status)
    memcpy(beside->wanted, run->host_flags, run->source->num_units);
  return status;
}

inline enum qn_status step_together(struct beside_run *beside, double *change,
                                    struct qn_error *error) {
  struct sweep_run *run = beside->run;
  const double cpu_share = qn_beside_cpu_share(&beside->plan, beside->figures.active_share);
  const uint64_t num_vertices = run->context.num_vertices;
  uint64_t border = 0;
  enum qn_status status = begin_on_device(run, error);
  if (!status)
    status = want_units(beside, error);
  if (!status)
    status = sweep_clear(run->state.count, 0, error);
  if (status)
    return status;
  beside->side->context = run->context;
  qn_page_queue_fill(&beside->queue, (uint32_t)beside->num_stretches);
  /* Garaph's rule (section 4.2) for the CPU's share of the pages. */
  beside->share.notify = SWEEP_FRONTIER && beside->figures.active_share <= cpu_share / 2;
  qn_side_share_begin(&beside->share, &beside->worker);
  status = device_share(beside, cpu_share, &border, change, error);
  if (status) { /* let the CPU end soon */
    uint32_t first;
    qn_page_take_front(&beside->queue, UINT32_MAX, &first);
  }
  qn_side_worker_wait(&beside->worker);
  beside->figures.cpu_pages = beside->share.pages;
  beside->figures.cpu_seconds = beside->share.seconds;
  *change += beside->side->change;
  if (!status)
    status =
        exchange(beside, {0, border}, {border, num_vertices},
                 SWEEP_FRONTIER ? beside->side->next : NULL, run->state.layout.next_active, error);
  if (status)
    return status;
  if (SWEEP_FRONTIER) {
    uint32_t *old = run->state.active;
    run->state.active = run->state.layout.next_active;
    run->state.layout.next_active = old;
  }
  qn_side_call(&beside->worker, QN_SIDE.share_end, beside->side);
  run->num_active = SWEEP_FRONTIER ? beside->side->num_active : num_vertices;
  return QN_OK;
}

/* Garaph's times of pages on either side, once both have done some (section 5.1). */
inline void learn_page_times(struct beside_run *beside) {
  const struct qn_beside_figures *figures = &beside->figures;
  const double pages = (double)beside->num_stretches;
  if (figures->cpu_pages < 2 || figures->device_pages < 2)
    return;
  qn_beside_learn_shared(&beside->plan, QN_CPU_ALONE, figures->active_share,
                         figures->cpu_seconds * pages / (double)figures->cpu_pages);
  qn_beside_learn_shared(&beside->plan, QN_DEVICE_ALONE, figures->active_share,
                         figures->device_seconds * pages / (double)figures->device_pages);
}

} /* namespace */

#endif
