/* Walks that collect contributions where pull.h cannot. Part of engine.h.
 *
 * A batch of tasks is swept twice. First each task appends its contributions to bins (loop/bins.h),
 * one a block of destinations, without writing anything that another task writes; then each block
 * adds up its bins in the order of the tasks. A block's accumulators stay in the L2 cache, and a
 * sum has one order whatever the number of threads.
 *
 * A vertex may be any number while somebody overwrites the file (support/used_files.h). */
#pragma once

#include "kernels/cpu/edge_partitions/view.h"

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/edge_partitions/pull.h"
#else
#include "kernels/cpu/loop/collect.h"
#endif

#define BATCH_TASKS 64    /* 2 Mi edges: their bins fit in a shared cache */
#define MIN_BLOCK_LOG2 17 /* 128 Ki accumulators: about 1 MB */
#define MAX_BLOCKS_LOG2 8 /* bins that a task fills at the same time */

/* ---- Bins ------------------------------------------------------------------- */

static inline void count_task(const struct engine_walk *walk, const struct qn_ep_task *task,
                              uint32_t *counts) {
  const uint32_t *destinations = walk->index.layout->destinations;
  for (uint64_t e = task->edge_begin; e < task->edge_end; e++)
    counts[qn_ep_locate(&walk->index, destinations[e]).dense >> walk->block_log2]++;
}

/* Turn a batch's counts into begins: by block first, then by task. */
static inline void place_batch(const struct engine_walk *walk, uint64_t first, uint64_t last) {
  uint32_t place = 0;
  for (uint64_t block = 0; block < walk->num_blocks; block++)
    for (uint64_t task = first; task < last; task++) {
      uint32_t *begin = &walk->begins[task * walk->num_blocks + block], count = *begin;
      *begin = place;
      place += count;
    }
}

static inline void place_bins(const struct engine_walk *walk) {
  const struct qn_ep_index *index = &walk->index;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t task = 0; task < index->num_tasks; task++)
    count_task(walk, &index->tasks[task], walk->begins + task * walk->num_blocks);
#pragma omp parallel for schedule(static)
  for (uint64_t first = 0; first < index->num_tasks; first += BATCH_TASKS) {
    uint64_t last = first + BATCH_TASKS;
    place_batch(walk, first, last < index->num_tasks ? last : index->num_tasks);
  }
}

static inline enum qn_status create_collecting(struct engine_walk *walk, struct qn_error *error) {
  uint64_t num_vertices = walk->index.layout->num_vertices, num_tasks = walk->index.num_tasks;
  uint64_t num_edges = walk->index.layout->num_edges, most = BATCH_TASKS * QN_EP_TASK_EDGES;
  walk->pulls =
      PROGRAM_SCHEDULE == QN_ALL_ACTIVE && walk->index.layout->directedness == QN_UNDIRECTED;
  if (walk->pulls) {
    enum qn_status status =
        qn_alloc(&walk->heads, num_tasks, sizeof *walk->heads, "sums of tasks", error);
    return status ? status : sweep_sums_create(&walk->sums, num_vertices, error);
  }
  walk->block_log2 = MIN_BLOCK_LOG2;
  while (num_vertices >> walk->block_log2 >= (1 << MAX_BLOCKS_LOG2))
    walk->block_log2++;
  walk->num_blocks = (num_vertices >> walk->block_log2) + 1;
  walk->num_entries = num_edges < most ? num_edges : most;
  enum qn_status status = qn_pages_alloc(&walk->begins, num_tasks * walk->num_blocks,
                                         sizeof *walk->begins, "places of bins", error);
  if (!status)
    status = qn_alloc(&walk->ends, BATCH_TASKS * walk->num_blocks, sizeof *walk->ends,
                      "ends of bins", error);
  if (!status)
    status =
        qn_pages_alloc(&walk->entries, walk->num_entries, sizeof *walk->entries, "bins", error);
  if (!status && PROGRAM_SCHEDULE == QN_ALL_ACTIVE)
    status = sweep_sums_create(&walk->sums, num_vertices, error);
  if (!status && PROGRAM_SCHEDULE == QN_FRONTIER)
    status = qn_alloc_zeroed(&walk->senders, walk->index.layout->num_partitions, 1,
                             "flags of partitions", error);
  if (!status)
    place_bins(walk);
  return status;
}

static inline void destroy_collecting(struct engine_walk *walk, uint64_t num_vertices) {
  qn_free(walk->heads);
  qn_free(walk->senders);
  qn_pages_free(walk->sums, num_vertices, sizeof *walk->sums);
  qn_pages_free(walk->entries, walk->num_entries, sizeof *walk->entries);
  qn_free(walk->ends);
  qn_pages_free(walk->begins, walk->index.num_tasks * walk->num_blocks, sizeof *walk->begins);
}

/* ---- A sweep ------------------------------------------------------------------ */

static inline void send_row(const struct engine_state *state, struct task_row row,
                            program_message message, uint32_t *ends) {
  const struct qn_edge_partitions *layout = state->view->layout;
  for (uint64_t e = row.begin; e < row.end; e++) {
    uint32_t v = qn_ep_locate(state->view, layout->destinations[e]).dense;
    bin_put(&state->walk.entries[ends[(uint8_t)(v >> state->walk.block_log2)]++], v,
            program_contribution(&state->context, message, engine_weight(&layout->weights, e),
                                 state->values, v));
  }
}

/* Append a task's contributions to its bins, whose begins are in `ends` at first. */
static inline void send_task(const struct engine_state *state, const struct engine_work *work,
                             const struct qn_ep_task *task, uint32_t *ends) {
#if PROGRAM_SCHEDULE == QN_FRONTIER
  if (!qn_ep_task_is_active(state->view, task, state->walk.senders))
    return;
  for (uint64_t word = task->first_row / 64; word <= task->last_row / 64; word++) {
    uint64_t bits = work->current.bits[word] & rows_in_word(task, word);
    for (; bits; bits &= bits - 1) {
      uint64_t u = word * 64 + (uint64_t)__builtin_ctzll(bits);
      send_row(state, row_in_task(state->view, task, u), sweep_message(state, u), ends);
    }
  }
#else
  for (uint64_t u = task->first_row; u <= task->last_row; u++)
    send_row(state, row_in_task(state->view, task, u), work->messages[u], ends);
#endif
}

static inline void sweep_batch(const struct engine_state *state, const struct engine_work *work,
                               uint64_t first, program_accumulator *sums, uint64_t *received) {
  const struct qn_ep_index *index = state->view;
  const struct engine_walk *walk = &state->walk;
  uint64_t num_blocks = walk->num_blocks, left = index->num_tasks - first;
  uint64_t num_tasks = left < BATCH_TASKS ? left : BATCH_TASKS;
  const uint32_t *begins = walk->begins + first * num_blocks;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 1)
    for (uint64_t task = 0; task < num_tasks; task++) {
      uint32_t ends[1 << MAX_BLOCKS_LOG2]; /* no vertex leads out of it, as above */
      static_assert(MAX_BLOCKS_LOG2 == 8, "blocks have numbers of 8 bits");
      memcpy(ends, begins + task * num_blocks, num_blocks * sizeof *ends);
      send_task(state, work, &index->tasks[first + task], ends);
      memcpy(walk->ends + task * num_blocks, ends, num_blocks * sizeof *ends);
    }
#pragma omp for schedule(dynamic, 1)
    for (uint64_t block = 0; block < num_blocks; block++)
      for (uint64_t task = 0; task < num_tasks; task++)
        bin_add(walk->entries + begins[task * num_blocks + block],
                walk->entries + walk->ends[task * num_blocks + block], sums, received);
  }
}

#if PROGRAM_SCHEDULE == QN_FRONTIER

static inline bool batch_is_active(const struct engine_state *state, uint64_t first) {
  const struct qn_ep_index *index = state->view;
  for (uint64_t task = first; task < index->num_tasks && task < first + BATCH_TASKS; task++)
    if (qn_ep_task_is_active(index, &index->tasks[task], state->walk.senders))
      return true;
  return false;
}

static inline const char *walk_senders(struct engine_state *state, struct engine_work *work) {
  qn_ep_flag_partitions(state->view, work->current.bits, state->walk.senders);
  for (uint64_t first = 0; first < state->view->num_tasks; first += BATCH_TASKS)
    if (batch_is_active(state, first))
      sweep_batch(state, work, first, work->sums, work->received.bits);
  return "sweep";
}

#else

static inline uint64_t walk_parts(const struct engine_state *state) {
  return qn_sweep_chunks(state->context.num_vertices);
}

static inline const char *walk_all(struct engine_state *state, struct engine_work *work) {
  if (state->walk.pulls)
    return pull_all(state, work);
  for (uint64_t first = 0; first < state->view->num_tasks; first += BATCH_TASKS)
    sweep_batch(state, work, first, state->walk.sums, NULL);
  apply_sums(state, state->walk.sums, &work->changed);
  return "sweep";
}

#endif
