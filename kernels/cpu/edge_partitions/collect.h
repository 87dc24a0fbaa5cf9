/* Programs that collect contributions and apply them at the iteration's end. Part of
 * engine.h.
 *
 * A batch of tasks is swept twice. First each task appends its contributions to bins, one a block
 * of destinations, without writing anything that another task writes; then each block adds up its
 * bins in the order of the tasks. A block's accumulators stay in the L2 cache, and a sum has
 * one order whatever the number of threads. (Beamer, Asanovic, Patterson: Reducing
 * Pagerank Communication via Propagation Blocking, IPDPS 2017.) */
#ifndef QN_KERNELS_CPU_EDGE_PARTITIONS_COLLECT_H
#define QN_KERNELS_CPU_EDGE_PARTITIONS_COLLECT_H

#include "kernels/cpu/edge_partitions/engine.h"

#define ENGINE_NAME "edge partitions, binned"

#define BATCH_TASKS 64    /* 2 Mi edges: their bins fit in a shared cache */
#define MIN_BLOCK_LOG2 17 /* 128 Ki accumulators: about 1 MB */
#define MAX_BLOCKS_LOG2 8 /* bins that a task fills at the same time */
#define FRONTIER_SCHEDULE (PROGRAM_SCHEDULE == QN_FRONTIER)

struct bin_entry {
  uint32_t vertex;
  PROGRAM_PARTIAL lanes[PROGRAM_LANES];
};

struct collect_work {
  unsigned block_log2;
  uint64_t num_blocks;
  uint32_t *begins;          /* [num_tasks][num_blocks] of bins, from the begin of the batch */
  uint32_t *ends;            /* [BATCH_TASKS][num_blocks] of the current batch */
  struct bin_entry *entries; /* [BATCH_TASKS * QN_EP_TASK_EDGES] */
  uint64_t num_entries;
  program_accumulator *sums; /* [V] identity between iterations */
#if FRONTIER_SCHEDULE
  struct sweep_rounds rounds;
  struct qn_frontier current;
  struct qn_frontier received;
  uint8_t *flags; /* [P] has the partition an active source? */
#else
  program_message *messages; /* [V] */
  struct qn_sum sent, changed;
#endif
};

/* ---- Bins ------------------------------------------------------------------- */

static inline void count_task(const struct engine_state *state, const struct collect_work *work,
                              const struct qn_ep_task *task, uint32_t *counts) {
  const uint32_t *destinations = state->index.layout->destinations;
  for (uint64_t e = task->edge_begin; e < task->edge_end; e++)
    counts[qn_ep_locate(&state->index, destinations[e]).dense >> work->block_log2]++;
}

/* Turn a batch's counts into begins: by block first, then by task. */
static inline void place_batch(const struct collect_work *work, uint64_t first, uint64_t last) {
  uint32_t place = 0;
  for (uint64_t block = 0; block < work->num_blocks; block++)
    for (uint64_t task = first; task < last; task++) {
      uint32_t *begin = &work->begins[task * work->num_blocks + block], count = *begin;
      *begin = place;
      place += count;
    }
}

static inline void place_bins(const struct engine_state *state, const struct collect_work *work) {
  const struct qn_ep_index *index = &state->index;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t task = 0; task < index->num_tasks; task++)
    count_task(state, work, &index->tasks[task], work->begins + task * work->num_blocks);
#pragma omp parallel for schedule(static)
  for (uint64_t first = 0; first < index->num_tasks; first += BATCH_TASKS) {
    uint64_t last = first + BATCH_TASKS;
    place_batch(work, first, last < index->num_tasks ? last : index->num_tasks);
  }
}

static inline void send_row(const struct engine_state *state, const struct collect_work *work,
                            struct task_row row, program_message message, uint32_t *ends) {
  const struct qn_edge_partitions *layout = state->index.layout;
  for (uint64_t e = row.begin; e < row.end; e++) {
    uint32_t v = qn_ep_locate(&state->index, layout->destinations[e]).dense;
    program_accumulator contribution =
        program_gather(&state->context, message, engine_weight(&layout->weights, e));
    const program_lane *lanes = (const program_lane *)&contribution;
    struct bin_entry *entry = &work->entries[ends[v >> work->block_log2]++];
    entry->vertex = v;
    for (int lane = 0; lane < PROGRAM_LANES; lane++)
      entry->lanes[lane] = (PROGRAM_PARTIAL)lanes[lane];
  }
}

/* Append a task's contributions to its bins, whose begins are in `ends` at first. */
static inline void send_task(const struct engine_state *state, const struct collect_work *work,
                             const struct qn_ep_task *task, uint32_t *ends) {
#if FRONTIER_SCHEDULE
  if (!qn_ep_task_is_active(&state->index, task, work->flags))
    return;
  for (uint64_t word = task->first_row / 64; word <= task->last_row / 64; word++) {
    uint64_t bits = work->current.bits[word] & rows_in_word(task, word);
    for (; bits; bits &= bits - 1) {
      uint64_t u = word * 64 + (uint64_t)__builtin_ctzll(bits);
      program_message message =
          program_send(&state->context, state->values[u], sweep_out_degree(&state->index, u));
      send_row(state, work, row_in_task(&state->index, task, u), message, ends);
    }
  }
#else
  for (uint64_t u = task->first_row; u <= task->last_row; u++)
    send_row(state, work, row_in_task(&state->index, task, u), work->messages[u], ends);
#endif
}

static inline void receive_bin(const struct collect_work *work, uint64_t begin, uint64_t end) {
  for (uint64_t i = begin; i < end; i++) {
    const struct bin_entry *entry = &work->entries[i];
    program_lane *sum = (program_lane *)&work->sums[entry->vertex];
    for (int lane = 0; lane < PROGRAM_LANES; lane++)
      sum[lane] = program_combine_lane(sum[lane], (program_lane)entry->lanes[lane]);
#if FRONTIER_SCHEDULE
    work->received.bits[entry->vertex / 64] |= (uint64_t)1 << (entry->vertex % 64);
#endif
  }
}

static inline void sweep_batch(const struct engine_state *state, const struct collect_work *work,
                               uint64_t first) {
  const struct qn_ep_index *index = &state->index;
  uint64_t num_blocks = work->num_blocks, left = index->num_tasks - first;
  uint64_t num_tasks = left < BATCH_TASKS ? left : BATCH_TASKS;
  const uint32_t *begins = work->begins + first * num_blocks;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 1)
    for (uint64_t task = 0; task < num_tasks; task++) {
      uint32_t ends[1 << MAX_BLOCKS_LOG2];
      memcpy(ends, begins + task * num_blocks, num_blocks * sizeof *ends);
      send_task(state, work, &index->tasks[first + task], ends);
      memcpy(work->ends + task * num_blocks, ends, num_blocks * sizeof *ends);
    }
#pragma omp for schedule(dynamic, 1)
    for (uint64_t block = 0; block < num_blocks; block++)
      for (uint64_t task = 0; task < num_tasks; task++)
        receive_bin(work, begins[task * num_blocks + block], work->ends[task * num_blocks + block]);
  }
}

/* ---- Iterations --------------------------------------------------------------- */

#if FRONTIER_SCHEDULE

static inline bool batch_is_active(const struct engine_state *state,
                                   const struct collect_work *work, uint64_t first) {
  const struct qn_ep_index *index = &state->index;
  for (uint64_t task = first; task < index->num_tasks && task < first + BATCH_TASKS; task++)
    if (qn_ep_task_is_active(index, &index->tasks[task], work->flags))
      return true;
  return false;
}

/* Apply what was received; those that it activates are the current frontier from now on. */
static inline void apply_received(struct engine_state *state, struct collect_work *work) {
  uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (uint64_t word = 0; word < qn_frontier_words(&work->received); word++) {
    uint64_t active = 0;
    for (uint64_t bits = work->received.bits[word]; bits; bits &= bits - 1) {
      uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
      program_value old_value = state->values[v];
      state->values[v] = program_apply(&state->context, old_value, work->sums[v]);
      work->sums[v] = program_identity();
      if (program_active(&state->context, old_value, state->values[v]))
        active |= bits & -bits;
    }
    work->received.bits[word] = 0;
    work->current.bits[word] = active;
    count += (uint64_t)__builtin_popcountll(active);
  }
  work->current.count = count;
}

static inline enum qn_status collect_iterations(struct engine_state *state,
                                                struct collect_work *work, struct qn_error *error) {
  struct qn_program_context *context = &state->context;
  enum qn_status status = QN_OK;
  sweep_start(&state->request, context, &work->current);
  for (bool finished = engine_is_finished(&state->request, context); !status && !finished;) {
    double begin = qn_seconds();
    if (work->current.count == 0 &&
        !sweep_round(context, state->values, &work->rounds, &work->current)) {
      state->result->converged = true;
      return QN_OK;
    }
    uint64_t num_active = work->current.count;
    qn_ep_flag_partitions(&state->index, work->current.bits, work->flags);
    for (uint64_t first = 0; first < state->index.num_tasks; first += BATCH_TASKS)
      if (batch_is_active(state, work, first))
        sweep_batch(state, work, first);
    apply_received(state, work);
    finished = engine_finished(state, "sweep", num_active, 0, begin);
    if (!finished)
      status =
          sweep_keep(&state->request, context, state->result, state->values, &work->current, error);
  }
  state->result->converged = work->current.count == 0;
  return status;
}

#else

/* Apply the sums of one chunk of vertices; returns their part of the change. */
static inline double apply_chunk(struct engine_state *state, struct collect_work *work,
                                 uint64_t chunk) {
  uint64_t begin = chunk * QN_SWEEP_VERTICES, end = begin + QN_SWEEP_VERTICES;
  double change = 0;
  for (uint64_t v = begin; v < end && v < state->context.num_vertices; v++) {
    program_value old_value = state->values[v];
    state->values[v] = program_apply(&state->context, old_value, work->sums[v]);
    work->sums[v] = program_identity();
#if PROGRAM_CONVERGES
    change += program_change(&state->context, old_value, state->values[v]);
#endif
  }
  return change;
}

static inline enum qn_status collect_iterations(struct engine_state *state,
                                                struct collect_work *work, struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status = QN_OK;
  for (bool finished = engine_is_finished(&state->request, &state->context);
       !status && !finished;) {
    double begin = qn_seconds();
    sweep_send(&state->context, &state->index, state->values, work->messages, &work->sent);
    for (uint64_t first = 0; first < state->index.num_tasks; first += BATCH_TASKS)
      sweep_batch(state, work, first);
#pragma omp parallel for schedule(static)
    for (uint64_t chunk = 0; chunk < qn_sweep_chunks(num_vertices); chunk++)
      work->changed.parts[chunk] = apply_chunk(state, work, chunk);
    double change = qn_sum_total(&work->changed);
    finished = engine_finished(state, "sweep", num_vertices, change, begin);
    if (PROGRAM_CONVERGES && change < state->context.tolerance)
      finished = state->result->converged = true;
    if (!finished)
      status =
          sweep_keep(&state->request, &state->context, state->result, state->values, NULL, error);
  }
  return status;
}

#endif

static inline enum qn_status create_schedule(const struct engine_state *state,
                                             struct collect_work *work, struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
#if FRONTIER_SCHEDULE
  enum qn_status status = qn_frontier_create(&work->current, num_vertices, error);
  if (!status)
    status = sweep_rounds_create(&work->rounds, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work->received, num_vertices, error);
  if (!status)
    status = qn_alloc_zeroed(&work->flags, state->index.layout->num_partitions, 1,
                             "flags of partitions", error);
#else
  enum qn_status status =
      qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
  if (!status)
    status = qn_sum_create(&work->sent, qn_sweep_chunks(num_vertices), error);
  if (!status)
    status = qn_sum_create(&work->changed, qn_sweep_chunks(num_vertices), error);
#endif
  return status;
}

static inline enum qn_status create_bins(const struct engine_state *state,
                                         struct collect_work *work, struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices, num_tasks = state->index.num_tasks;
  uint64_t batch = state->context.num_edges < BATCH_TASKS * QN_EP_TASK_EDGES
                       ? state->context.num_edges
                       : BATCH_TASKS * QN_EP_TASK_EDGES;
  work->block_log2 = MIN_BLOCK_LOG2;
  while (num_vertices >> work->block_log2 >= (1 << MAX_BLOCKS_LOG2))
    work->block_log2++;
  work->num_blocks = (num_vertices >> work->block_log2) + 1;
  work->num_entries = batch;
  enum qn_status status = qn_pages_alloc(&work->begins, num_tasks * work->num_blocks,
                                         sizeof *work->begins, "places of bins", error);
  if (!status)
    status = qn_alloc(&work->ends, BATCH_TASKS * work->num_blocks, sizeof *work->ends,
                      "ends of bins", error);
  if (!status)
    status = qn_pages_alloc(&work->entries, batch, sizeof *work->entries, "bins", error);
  if (!status)
    status = qn_pages_alloc(&work->sums, num_vertices, sizeof *work->sums, "accumulators", error);
  if (status)
    return status;
  place_bins(state, work);
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    work->sums[v] = program_identity();
  return QN_OK;
}

static inline void collect_destroy(const struct engine_state *state, struct collect_work *work) {
  uint64_t num_vertices = state->context.num_vertices;
#if FRONTIER_SCHEDULE
  sweep_rounds_destroy(&work->rounds);
  qn_frontier_destroy(&work->current);
  qn_frontier_destroy(&work->received);
  qn_free(work->flags);
#else
  qn_pages_free(work->messages, num_vertices, sizeof *work->messages);
  qn_sum_destroy(&work->sent);
  qn_sum_destroy(&work->changed);
#endif
  qn_pages_free(work->sums, num_vertices, sizeof *work->sums);
  qn_pages_free(work->entries, work->num_entries, sizeof *work->entries);
  qn_free(work->ends);
  qn_pages_free(work->begins, state->index.num_tasks * work->num_blocks, sizeof *work->begins);
}

static inline enum qn_status engine_iterate(struct engine_state *state, double begin,
                                            struct qn_error *error) {
  struct collect_work work = {0};
  enum qn_status status = create_schedule(state, &work, error);
  if (!status)
    status = create_bins(state, &work, error);
  state->result->prepare_seconds = qn_seconds() - begin;
  if (!status)
    status = collect_iterations(state, &work, error);
  collect_destroy(state, &work);
  return status;
}

#endif
