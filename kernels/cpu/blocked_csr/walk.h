/* Walks over the blocks of blocked CSR (rows/walk_frame.h). Part of engine.h.
 *
 *   walk_edges    pull: a partial result for every local row (GraphCage, Algorithm 4);
 *                 push: into the sums of the block's own vertices (Algorithm 5)
 *   walk_collect  one range: the partial results of all blocks reduced (Figure 5), or the sums
 *
 * Blocks are worked on in their order and by all threads at once, so that the values
 * of one block at a time are in the caches. In an all-active program every row has
 * something to give; in a frontier program rows and senders have status flags, which
 * are reduced together with the results (section 3.3). */
#pragma once

#include "kernels/cpu/blocked_csr/view.h"

#if PROGRAM_IN_PLACE && PROGRAM_FIRST_SUFFICES
#define WALK_PUSHES_BESIDE /* push_in_place.h */
#endif
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/rows/walk_frame_all.h"
#else
#include "kernels/cpu/rows/walk_frame_frontier.h"
#endif
#include "kernels/cpu/loop/gather.h"
#include "support/search.h"

/* Does a walk go through pull blocks, rather than push blocks? */
static inline bool walk_pulls(const struct engine_state *state) {
  return state->view->has_pull && state->request->direction != QN_DIRECTION_PUSH;
}

/* ---- Pull ------------------------------------------------------------------- */

#if PROGRAM_SCHEDULE == QN_FRONTIER

/* Combine what the senders among the sources of the edges [begin, end) contribute. */
static inline bool gather_senders(const struct engine_state *state, uint32_t v, uint64_t begin,
                                  uint64_t end, program_accumulator *sum) {
  const struct qn_blocking *pull = &state->view->pull;
  bool received = false;
  *sum = program_identity();
  for (uint64_t edge = begin; edge < end; edge++) {
    uint32_t u = pull->columns[edge];
    if (!qn_frontier_has(state->walk.senders, u))
      continue;
    program_combine(sum,
                    program_contribution(&state->context, state->walk.messages[u],
                                         engine_weight(&pull->weights, edge), state->values, v));
    received = true;
    if (PROGRAM_FIRST_SUFFICES)
      break;
  }
  return received;
}

#endif

static inline void pull_task(struct engine_state *state, const struct qn_block_task *task) {
  const struct qn_blocking *pull = &state->view->pull;
  const uint32_t *offsets = qn_block_offsets(pull, task->block);
  uint64_t first_edge = pull->block_edges[task->block];
  for (uint64_t row = task->begin; row < task->end; row++) {
    uint64_t begin = first_edge + offsets[row], end = first_edge + offsets[row + 1];
    program_accumulator sum;
#if PROGRAM_SCHEDULE == QN_FRONTIER
    uint32_t v = pull->id_map[task->first_row + row];
    bool received = sweep_is_open(state, v) && gather_senders(state, v, begin, end, &sum);
    state->walk.partial_received[task->first_row + row] = received;
    if (!received)
      continue;
#else
    sum = engine_gather(&state->context, state->walk.messages, pull->columns, &pull->weights, begin,
                        end);
#endif
    state->walk.partials[task->first_row + row] = partial_of(&sum);
  }
}

/* The partial results of one range from all blocks, in block order. The range begins at a multiple
 * of its size, so a vertex' place in it is a remainder, whatever the file has become. */
static inline void reduce_range(const struct engine_state *state, uint64_t range,
                                program_accumulator *sums, uint8_t *received) {
  const struct qn_blocking *pull = &state->view->pull;
  for (uint64_t v = 0; v < QN_RANGE_VERTICES; v++)
    sums[v] = program_identity();
#if PROGRAM_SCHEDULE == QN_FRONTIER
  memset(received, 0, QN_RANGE_VERTICES);
#else
  (void)received;
#endif
  for (uint64_t block = 0; block < pull->num_blocks; block++) {
    const uint32_t *starts = qn_block_ranges(pull, block);
    uint64_t end = pull->block_rows[block] + starts[range + 1];
    for (uint64_t row = pull->block_rows[block] + starts[range]; row < end; row++) {
#if PROGRAM_SCHEDULE == QN_FRONTIER
      if (!state->walk.partial_received[row])
        continue;
      received[pull->id_map[row] % QN_RANGE_VERTICES] = 1;
#endif
      program_combine(&sums[pull->id_map[row] % QN_RANGE_VERTICES],
                      accumulator_of(&state->walk.partials[row]));
    }
  }
}

/* ---- Push ------------------------------------------------------------------- */

static inline void push_row(struct engine_state *state, uint32_t u, uint64_t begin, uint64_t end) {
  const struct qn_blocking *push = &state->view->push;
  for (uint64_t edge = begin; edge < end; edge++) {
    uint32_t v = push->columns[edge];
    program_combine(&state->walk.sums[v],
                    program_contribution(&state->context, state->walk.messages[u],
                                         engine_weight(&push->weights, edge), state->values, v));
#if PROGRAM_SCHEDULE == QN_FRONTIER
    state->walk.sum_received[v] = 1;
#endif
  }
}

/* Push to the share `part` of `parts` of a block's vertices. */
static inline void push_part(struct engine_state *state, uint64_t block, uint64_t part,
                             uint64_t parts) {
  const struct qn_blocking *push = &state->view->push;
  const uint32_t *offsets = qn_block_offsets(push, block);
  const uint32_t *ids = push->id_map + push->block_rows[block];
  uint64_t rows = push->block_rows[block + 1] - push->block_rows[block];
  uint64_t first_edge = push->block_edges[block], first, last;
  qn_part_of(push->block_vertices, parts, part, &first, &last);
  first += block * push->block_vertices;
  last += block * push->block_vertices;
  for (uint64_t row = 0; row < rows; row++) {
    uint64_t begin = first_edge + offsets[row], end = first_edge + offsets[row + 1];
#if PROGRAM_SCHEDULE == QN_FRONTIER
    if (!qn_frontier_has(state->walk.senders, ids[row]))
      continue;
#endif
    if (part > 0)
      begin = qn_lower_bound_u32(push->columns, begin, end, first);
    if (part + 1 < parts)
      end = qn_lower_bound_u32(push->columns, begin, end, last);
    push_row(state, ids[row], begin, end);
  }
}

/* Blocks, or shares of them where there are fewer blocks than threads. How they are shared out does
 * not matter to a sum: its contributions come in the order of the block's rows. */
static inline void push_blocks(struct engine_state *state) {
  uint64_t num_blocks = state->view->push.num_blocks, threads = qn_threads();
  uint64_t parts = num_blocks < threads && num_blocks ? (threads + num_blocks - 1) / num_blocks : 1;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t i = 0; i < num_blocks * parts; i++)
    push_part(state, i / parts, i % parts, parts);
}

/* The sums of one range, which are identities again afterwards. */
static inline void take_range(const struct engine_state *state, uint64_t range,
                              program_accumulator *sums, uint8_t *received) {
  uint64_t first = range * QN_RANGE_VERTICES, last = first + QN_RANGE_VERTICES;
  if (last > state->view->num_vertices)
    last = state->view->num_vertices;
  for (uint64_t v = first; v < last; v++) {
    sums[v - first] = state->walk.sums[v];
    state->walk.sums[v] = program_identity();
  }
#if PROGRAM_SCHEDULE == QN_FRONTIER
  memcpy(received, state->walk.sum_received + first, last - first);
  memset(state->walk.sum_received + first, 0, last - first);
#else
  (void)received;
#endif
}

/* ---- The walk --------------------------------------------------------------- */

static inline void walk_edges(struct engine_state *state) {
  if (!walk_pulls(state)) {
    push_blocks(state);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t task = 0; task < state->walk.tasks.count; task++)
    pull_task(state, &state->walk.tasks.tasks[task]);
}

static inline void walk_collect(struct engine_state *state, uint64_t range,
                                program_accumulator *sums, uint8_t *received) {
  if (walk_pulls(state))
    reduce_range(state, range, sums, received);
  else
    take_range(state, range, sums, received);
}

static inline const char *walk_mode(const struct engine_state *state) {
  return walk_pulls(state) ? "pull" : "push";
}

#if PROGRAM_SCHEDULE == QN_FRONTIER
static inline bool frontier_can_pull(const struct engine_state *state) {
  return walk_pulls(state) || sweep_is_ordered();
}
#endif

#ifdef WALK_PUSHES_BESIDE
#include "kernels/cpu/blocked_csr/search.h"
#endif

/* ---- Memory ------------------------------------------------------------------ */

static inline enum qn_status create_pull(struct engine_state *state, struct qn_error *error) {
  const struct qn_blocking *pull = &state->view->pull;
  struct engine_walk *walk = &state->walk;
  enum qn_status status = qn_block_tasks_create(&walk->tasks, pull, error);
  if (!status)
    status = qn_pages_alloc(&walk->partials, pull->num_rows, sizeof *walk->partials,
                            "partial results", error);
  if (!status && PROGRAM_SCHEDULE == QN_FRONTIER)
    status = qn_pages_alloc(&walk->partial_received, pull->num_rows, 1, "status of rows", error);
  return status;
}

static inline enum qn_status create_push(struct engine_state *state, struct qn_error *error) {
  uint64_t num_vertices = state->view->num_vertices;
  enum qn_status status = sweep_sums_create(&state->walk.sums, num_vertices, error);
  if (!status && PROGRAM_SCHEDULE == QN_FRONTIER)
    status =
        qn_pages_alloc(&state->walk.sum_received, num_vertices, 1, "status of vertices", error);
  return status;
}

/* The edges that a frontier program pushes along. */
static inline enum qn_status find_out_edges(struct engine_state *state, struct qn_error *error) {
  struct engine_walk *walk = &state->walk;
#ifdef WALK_PUSHES_BESIDE
  if (walk_pulls(state) && searches_blocks(state))
    return search_create(state, error);
#endif
  walk->out = state->view->has_out ? &state->view->out : &walk->derived.out;
  return state->view->has_out ? QN_OK
                              : qn_blocked_csr_out_edges(state->view, &walk->derived, error);
}

/* Does a frontier program push along the plain out-edges, unless it is told to pull? */
static inline bool walk_pushes_rows(void) {
  return PROGRAM_SCHEDULE == QN_FRONTIER && !sweep_is_ordered();
}

/* Has the container the blocks that --direction asks for? */
static inline enum qn_status check_direction(const struct engine_state *state,
                                             struct qn_error *error) {
  const enum qn_direction direction = state->request->direction;
  const bool lacks_pull = direction == QN_DIRECTION_PULL && !state->view->has_pull;
  const bool lacks_push =
      direction == QN_DIRECTION_PUSH && !walk_pushes_rows() && !state->view->has_push;
  if (!lacks_pull && !lacks_push)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "the container has no %s blocks; make them with quern-block --direction both",
                 lacks_pull ? "pull" : "push");
}

static inline enum qn_status walk_begin(struct engine_state *state, struct qn_error *error) {
  const engine_view *view = state->view = state->request->view;
  const struct qn_weights *weights = view->has_pull ? &view->pull.weights : &view->push.weights;
  engine_enter(state, view->num_vertices, view->num_edges);
  enum qn_status status = check_direction(state, error);
  return status ? status
                : engine_check_weights(weights, view->num_edges, view->num_vertices, error);
}

static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (walk_pushes_rows() && state->request->direction != QN_DIRECTION_PULL &&
      !engine_is_finished(state->request, &state->context))
    status = find_out_edges(state, error);
  if (!status)
    status = walk_frame_create(state, error);
  if (status)
    return status;
  return walk_pulls(state) ? create_pull(state, error) : create_push(state, error);
}

static inline void walk_destroy(struct engine_state *state) {
  const uint64_t num_rows = state->view->pull.num_rows;
  qn_pages_free(state->walk.partials, num_rows, sizeof *state->walk.partials);
  qn_pages_free(state->walk.partial_received, num_rows, 1);
  qn_block_tasks_destroy(&state->walk.tasks);
  qn_pages_free(state->walk.sums, state->view->num_vertices, sizeof *state->walk.sums);
  qn_pages_free(state->walk.sum_received, state->view->num_vertices, 1);
  walk_frame_destroy(state);
  qn_pages_free(state->walk.no_edges, state->view->num_vertices + 1, sizeof *state->walk.no_edges);
  qn_graph_unmap(&state->walk.derived);
}
