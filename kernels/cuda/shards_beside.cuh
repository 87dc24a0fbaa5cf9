/* CPU and GPU side by side on shards (view: struct qn_shards), after Garaph, section 5. Includes
 * shards_engine.cuh, whose program it runs, and needs QN_KERNEL_HYBRID and QN_SIDE, the symbols of
 * the kernel and of the CPU's side (kernels/cpu/side.h).
 *
 * Before every iteration the dispatcher compares what the CPU alone, the device alone, and both are
 * expected to take (kernels/beside.h). Alone, either does what it does in a run of its own. Side by
 * side, the device takes stretches of rows from the front, gathered where they are resident or
 * streamed, while a thread that drives the CPU's threads takes them from the back; where they meet
 * is the border of what each has computed, so that the exchange of new values is one range each
 * way, both at once. Values are moved only to who needs them: an iteration of one side alone moves
 * nothing unless the other one did the iteration before.
 *
 * Synchronously the exchange happens once, at the iteration's end. Asynchronously it happens after
 * every batch of stretches, and what is received is sent on in the same iteration. */
#ifndef QN_KERNELS_CUDA_SHARDS_BESIDE_CUH
#define QN_KERNELS_CUDA_SHARDS_BESIDE_CUH

#include "kernels/cpu/side_share.h"
#include "kernels/cuda/shards_engine.cuh"

QN_EXTERN_C const struct qn_side_kernel QN_SIDE;

/* So many stretches that the last ones, which one thread of the CPU each works on, take next to
 * nothing of an iteration, unless they would have fewer edges and rows than these. */
#define BESIDE_STRETCHES 4096
#ifndef BESIDE_LEAST_COST
#define BESIDE_LEAST_COST 16384
#endif
/* Bytes of units that are streamed to find out how fast that is. */
#define PROBED_BYTES ((uint64_t)64 << 20)

namespace {

/* Units before a stretch. */
struct stretch_cut {
  uint32_t unit, segment, hub;
};

struct beside_run {
  struct sweep_run *run;
  const struct qn_sh_units *units;
  const uint32_t *bounds; /* [num_stretches + 1] */
  uint64_t num_stretches;
  struct stretch_cut *cuts; /* [num_stretches + 1] */
  uint8_t *wanted;          /* [num_units] streamed frontier programs: this iteration's units */
  struct qn_side *side;
  struct qn_side_worker worker;
  struct qn_side_share share;
  struct qn_beside_plan plan;
  struct qn_page_queue queue;
  struct qn_beside_figures figures;
  uint64_t active_edges;   /* frontier programs: out-edges of active vertices */
  bool on_host, on_device; /* where the values and active vertices are valid */
  cudaStream_t up, down;
  void *pinned; /* side->values, or NULL */
};

/* ---- Exchanging values ------------------------------------------------------------------ */

/* Rows [begin, end), where begin is a multiple of 64, and end is one or V. */
struct row_range {
  uint64_t begin, end;
};

inline uint64_t first_word(struct row_range rows) {
  return rows.begin / 32;
}

inline uint64_t range_words(struct row_range rows) {
  return (rows.end + 31) / 32 - rows.begin / 32;
}

/* Values, and, unless `bits` is NULL, its words, between the host and the device, where the bits
 * are `device_bits`. */
inline cudaError_t start_exchange(struct beside_run *beside, struct row_range rows, uint64_t *bits,
                                  uint32_t *device_bits, bool upwards) {
  const struct sweep_state *state = &beside->run->state;
  program_value *values = (program_value *)beside->side->values + rows.begin;
  const uint64_t bytes = (rows.end - rows.begin) * sizeof *values;
  if (rows.begin >= rows.end)
    return cudaSuccess;
  beside->figures.exchanged_bytes += bytes;
  cudaError_t result = upwards ? cudaMemcpyAsync(state->values + rows.begin, values, bytes,
                                                 cudaMemcpyHostToDevice, beside->up)
                               : cudaMemcpyAsync(values, state->values + rows.begin, bytes,
                                                 cudaMemcpyDeviceToHost, beside->down);
  if (result != cudaSuccess || !bits)
    return result;
  uint32_t *words = (uint32_t *)bits + first_word(rows);
  const uint64_t word_bytes = range_words(rows) * sizeof *words;
  device_bits += first_word(rows);
  beside->figures.exchanged_bytes += word_bytes;
  return upwards
             ? cudaMemcpyAsync(device_bits, words, word_bytes, cudaMemcpyHostToDevice, beside->up)
             : cudaMemcpyAsync(words, device_bits, word_bytes, cudaMemcpyDeviceToHost,
                               beside->down);
}

/* Both ways at once; what was launched in the default stream has ended. */
inline enum qn_status exchange(struct beside_run *beside, struct row_range down,
                               struct row_range up, uint64_t *bits, uint32_t *device_bits,
                               struct qn_error *error) {
  const double begin = qn_seconds();
  cudaError_t result = cudaDeviceSynchronize();
  if (result == cudaSuccess)
    result = start_exchange(beside, down, bits, device_bits, false);
  if (result == cudaSuccess)
    result = start_exchange(beside, up, bits, device_bits, true);
  const cudaError_t ended[] = {cudaStreamSynchronize(beside->down),
                               cudaStreamSynchronize(beside->up)};
  for (int i = 0; i < 2 && result == cudaSuccess; i++)
    result = ended[i];
  beside->figures.exchange_seconds += qn_seconds() - begin;
  return qn_cuda_status(result, "exchanging values with the device", error);
}

/* Make the values valid where the choice needs them. */
inline enum qn_status bring_to_host(struct beside_run *beside, struct qn_error *error) {
  const struct row_range all = {0, beside->run->context.num_vertices}, none = {0, 0};
  if (beside->on_host)
    return QN_OK;
  enum qn_status status = exchange(beside, all, none, SWEEP_FRONTIER ? beside->side->active : NULL,
                                   beside->run->state.active, error);
  if (!status) {
    beside->side->context = beside->run->context;
    qn_side_call(&beside->worker, QN_SIDE.adopt, beside->side);
    beside->on_host = true;
  }
  return status;
}

/* The device knows of no waiting, nor do checkpoints; vertices wait since an iteration of the CPU
 * alone, if any. */
inline void wake_all(struct beside_run *beside) {
  if (beside->on_host && !beside->on_device)
    qn_side_call(&beside->worker, QN_SIDE.wake_all, beside->side);
}

inline enum qn_status bring_to_device(struct beside_run *beside, struct qn_error *error) {
  const struct row_range all = {0, beside->run->context.num_vertices}, none = {0, 0};
  if (beside->on_device)
    return QN_OK;
  wake_all(beside);
  enum qn_status status = exchange(beside, none, all, SWEEP_FRONTIER ? beside->side->active : NULL,
                                   beside->run->state.active, error);
  beside->on_device = !status;
  return status;
}

/* ---- The device's part --------------------------------------------------------------------- */

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

/* ---- Iterations ------------------------------------------------------------------------------ */

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
  enum qn_status status = begin_on_device(run, error);
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
    learn_page_times(beside);
  qn_beside_learn(&beside->plan, figures->choice, figures->active_share, seconds);
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

/* ---- Finding out how fast both are ------------------------------------------------------------
 */

/* Flag units from the first one on; their bytes. */
inline uint64_t flag_probed(struct sweep_run *run, uint32_t *last) {
  uint64_t bytes = 0, unit = 0;
  memset(run->host_flags, 0, run->source->num_units);
  for (; unit < run->source->num_units && bytes < PROBED_BYTES; unit++) {
    struct qn_unit described;
    run->source->describe(run->source->user, unit, &described);
    for (unsigned piece = 0; piece < described.num_pieces; piece++)
      bytes += qn_unit_rounded(described.pieces[piece].bytes);
    run->host_flags[unit] = 1;
  }
  *last = (uint32_t)unit;
  return bytes;
}

/* Seconds of an iteration of the device alone; the accumulators are left as they are. */
inline enum qn_status probe_device(struct beside_run *beside, double *seconds,
                                   struct qn_error *error) {
  struct sweep_run *run = beside->run;
  const uint32_t part = (uint32_t)(beside->num_stretches + 7) / 8;
  enum qn_status status = QN_OK;
  if (SWEEP_FRONTIER)
    status = qn_cuda_status(
        cudaMemsetAsync(run->state.active, 0xff, (run->context.num_vertices + 31) / 32 * 4, NULL),
        "measuring the device", error);
  SWEEP_LAUNCH(run, sweep_send);
  for (int round = 0; round < 2 && !status; round++) { /* the first one warms up */
    const double begin = qn_seconds();
    if (run->source) {
      uint32_t last;
      struct qn_stream_figures moved;
      const uint64_t bytes = flag_probed(run, &last);
      status =
          qn_unit_stream_run(run->stream, run->host_flags, sweep_walk_units, run, &moved, error);
      const double total = (double)run->source->total_bytes;
      const double left = 1 - (double)run->result->plan.cache_bytes / total;
      if (round == 0)
        *seconds = (qn_seconds() - begin) / (double)bytes * total * (left > 0.1 ? left : 0.1);
      break;
    }
    status = gather_stretches(beside, 0, part, error);
    if (!status)
      status = qn_cuda_status(cudaDeviceSynchronize(), "measuring the device", error);
    *seconds = (qn_seconds() - begin) / part * (double)beside->num_stretches;
  }
  return status;
}

/* What the probes left behind. */
inline enum qn_status forget_probes(struct sweep_run *run, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  cudaError_t result = cudaMemsetAsync(device->segment_received, 0, device->num_segments + 1, NULL);
  if (result == cudaSuccess && SWEEP_FRONTIER)
    result =
        cudaMemsetAsync(run->state.received, 0, (run->context.num_vertices / 32 + 1) * 4, NULL);
  return qn_cuda_status(result, "measuring the device", error);
}

inline enum qn_status probe(struct beside_run *beside, struct qn_error *error) {
  struct sweep_run *run = beside->run;
  const struct row_range all = {0, run->context.num_vertices}, none = {0, 0};
  struct qn_beside_plan *plan = &beside->plan;
  plan->all_active = !SWEEP_FRONTIER;
  plan->streams = run->source != NULL;
  if (run->request->beside_choices || run->context.num_edges == 0) /* no matter */
    return QN_OK;
  const double cpu_seconds =
      qn_side_probe(&beside->worker, &QN_SIDE, beside->side, beside->num_stretches);
  double device_seconds = 0;
  enum qn_status status = exchange(beside, none, all, NULL, NULL, error);
  plan->exchange_seconds = beside->figures.exchange_seconds;
  if (status)
    return status;
  status = probe_device(beside, &device_seconds, error);
  if (status)
    return status;
  qn_beside_plan_begin(plan, cpu_seconds, device_seconds);
  return forget_probes(run, error);
}

/* The first values, or those that the run goes on from, on both sides. */
inline enum qn_status first_values(struct sweep_run *run, struct qn_error *error) {
  uint64_t count = run->context.num_vertices;
  enum qn_status status = sweep_clear(run->state.count, 0, error);
  if (status)
    return status;
  SWEEP_LAUNCH(run, sweep_init);
  run->woken = true;
  if (SWEEP_FRONTIER)
    status = sweep_read_count(run, &count, error);
  if (!status)
    status = sweep_resume(run, &count, error);
  run->num_active = count;
  return status;
}

/* ---- Making and running it ---------------------------------------------------------------------
 */

inline void cut_stretches(struct beside_run *beside) {
  const struct qn_sh_units *units = beside->units;
  struct stretch_cut at = {0, 0, 0};
  for (uint64_t stretch = 0; stretch <= beside->num_stretches; stretch++) {
    const uint32_t bound = beside->bounds[stretch];
    const bool ends = stretch == beside->num_stretches;
    while (at.unit < units->num_units && (ends || units->units[at.unit].first_row < bound)) {
      at.segment += units->units[at.unit].segment != QN_SH_NO_SEGMENT;
      at.unit++;
    }
    while (at.hub < units->num_hubs && (ends || units->hubs[at.hub].row < bound))
      at.hub++;
    beside->cuts[stretch] = at;
  }
}

/* Pinned, the CPU's values are exchanged at the full rate; but it works without. */
inline void pin_values(struct beside_run *beside) {
  const uint64_t bytes = beside->run->context.num_vertices * sizeof(program_value);
  if (bytes > 0 &&
      cudaHostRegister(beside->side->values, bytes, cudaHostRegisterDefault) == cudaSuccess)
    beside->pinned = beside->side->values;
  else
    cudaGetLastError();
}

/* While readers feed the device they need processors of their own. */
inline unsigned cpu_threads(const struct sweep_run *run) {
  const unsigned all = qn_threads(), busy = run->source ? run->result->plan.num_readers + 1 : 0;
  return all > busy ? all - busy : 1;
}

inline enum qn_status beside_create(struct beside_run *beside, struct qn_error *error) {
  struct sweep_run *run = beside->run;
  enum qn_status status = qn_alloc(&beside->cuts, beside->num_stretches + 1, sizeof *beside->cuts,
                                   "stretches of rows", error);
  if (!status)
    status = qn_alloc(&beside->wanted, run->source ? run->source->num_units : 0, 1,
                      "flags of units", error);
  if (!status)
    status = qn_alloc(&beside->share.done, beside->num_stretches, 1, "stretches of rows", error);
  if (!status)
    status = QN_SIDE.create(run->request, &run->context, beside->bounds, beside->num_stretches,
                            &beside->side, error);
  if (!status)
    status = qn_side_worker_create(&beside->worker, error);
  if (status)
    return status;
  cut_stretches(beside);
  pin_values(beside);
  beside->share.kernel = &QN_SIDE;
  beside->share.side = beside->side;
  beside->share.queue = &beside->queue;
  beside->share.bounds = beside->bounds;
  beside->share.num_stretches = beside->num_stretches;
  beside->share.num_threads = cpu_threads(run);
  beside->on_host = beside->on_device = true;
  cudaError_t result = cudaStreamCreateWithFlags(&beside->up, cudaStreamNonBlocking);
  if (result == cudaSuccess)
    result = cudaStreamCreateWithFlags(&beside->down, cudaStreamNonBlocking);
  return qn_cuda_status(result, "creating a CUDA stream", error);
}

inline void beside_destroy(struct beside_run *beside) {
  qn_side_worker_destroy(&beside->worker);
  if (beside->up)
    cudaStreamDestroy(beside->up);
  if (beside->down)
    cudaStreamDestroy(beside->down);
  if (beside->pinned)
    cudaHostUnregister(beside->pinned);
  QN_SIDE.destroy(beside->side);
  qn_free(beside->share.done);
  qn_free(beside->wanted);
  qn_free(beside->cuts);
}

/* From the sweep's memory on. */
inline enum qn_status beside_iterate(struct beside_run *beside, struct qn_error *error) {
  struct sweep_run *run = beside->run;
  enum qn_status status = beside_create(beside, error);
  if (!status)
    status = first_values(run, error);
  if (!status)
    status = probe(beside, error);
  if (!status)
    status = first_values(run, error);
  if (!status)
    status = qn_cuda_algorithm_begin(&run->memory, error);
  if (!status)
    status = beside_iterations(beside, error);
  if (!status)
    status = qn_cuda_algorithm_end(&run->memory, error);
  beside_destroy(beside);
  return status;
}

inline enum qn_status beside_run_program(const struct qn_run_request *request,
                                         struct qn_run_result *result, struct qn_error *error) {
  const struct qn_shards *view = (const struct qn_shards *)request->view;
  struct qn_sh_units units;
  struct streamed_shards streamed;
  struct beside_run beside;
  uint32_t *bounds = NULL;
  memset(result, 0, sizeof *result);
  memset(&units, 0, sizeof units);
  memset(&beside, 0, sizeof beside);
  memset(&streamed, 0, sizeof streamed);
  streamed.units = beside.units = &units;
  streamed.beside = true;
  auto upload = [&streamed](struct sweep_run *run, struct qn_error *failure) {
    run->engine = &streamed;
    return upload_layout(&streamed, run, failure);
  };
  auto iterate = [&beside](struct sweep_run *run, struct qn_error *failure) {
    beside.run = run;
    return beside_iterate(&beside, failure);
  };
  enum qn_status status = engine_check_weights(&view->in.weights, view->num_edges, error);
  if (!status)
    status = qn_sh_stretches_create(view, BESIDE_STRETCHES, BESIDE_LEAST_COST, &bounds,
                                    &beside.num_stretches, error);
  beside.bounds = bounds;
  if (!status)
    status = qn_sh_units_create(&units, view, TASK_EDGES, QN_TILE_ITEMS, bounds,
                                beside.num_stretches, error);
  if (!status) {
    const struct qn_unit_source source = shards_source(&units, true);
    status = sweep_run_with(request, view->num_vertices, view->num_edges, NULL, &source, upload,
                            iterate, result, error);
  }
  streamed_shards_destroy(&streamed, view->num_vertices);
  qn_sh_units_destroy(&units);
  qn_free(bounds);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL_AS(QN_KERNEL_HYBRID, QN_LAYOUT_SHARDS, QN_HYBRID, "shards, CPU beside GPU",
                    beside_run_program);

#endif
