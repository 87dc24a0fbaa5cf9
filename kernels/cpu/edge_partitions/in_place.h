/* Programs that combine into the value itself. Part of engine.h.
 *
 * A sweep goes through the partitions that have an active source; what an edge changes is active
 * in the next sweep, and its partition is flagged: id / range_size. Where a value can change only
 * once, a bitmap of those that did keeps most edges from touching values at all. With
 * priorities, vertices whose value is far from the least one wait (near_far.h). */
#pragma once

#include <string.h>

#include "kernels/cpu/edge_partitions/view.h"

#include "kernels/cpu/loop/sweeps.h"
#if PROGRAM_PRIORITY || PROGRAM_ROUNDS
#include "kernels/cpu/loop/waiting.h"
#else
#include "kernels/cpu/loop/never_waiting.h"
#endif

/* Sweeps over fewer edges are done by one thread. */
#define PARALLEL_EDGES 4096
/* Passes over the bitmap of fewer vertices, too. */
#define PARALLEL_VERTICES ((uint64_t)1 << 16)
/* Bottom-up once active vertices have more than 1 / BOTTOM_UP of the edges not yet gone along, and
 * while they are more than 1 / TOP_DOWN of all (Beamer, Asanovic, Patterson, SC 2012). */
#define BOTTOM_UP 15
#define TOP_DOWN 18

/* Active vertices, which all have out-edges: others send nothing. */
struct sweep_set {
  struct qn_frontier vertices; /* its bitmap; its queue only where a run or a round begins */
  uint8_t *flags;              /* [P] has the partition one of them as a source? */
  uint64_t num_edges;          /* out-edges of them */
};

struct engine_work {
  struct sweep_set current, next;
  struct sweep_waiting waiting;
  uint64_t *task_list; /* [num_tasks] tasks to sweep */
#if PROGRAM_FIRST_SUFFICES
  uint64_t *closed; /* bitmap of vertices that cannot change any more */
  uint64_t edges_left;
  uint64_t bottom_up; /* 0 or 1 */
#endif
};

/* What a thread adds up in one sweep. */
struct sweep_share {
  uint64_t count, edges;
};

static inline void activate(const struct engine_state *state, struct engine_work *work,
                            struct sweep_share *share, struct qn_ep_place place) {
  uint8_t *flag = &work->next.flags[place.partition];
  if (!__atomic_load_n(flag, __ATOMIC_RELAXED))
    __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
  share->count++;
  share->edges += engine_out_degree(state->view, place.dense);
}

static inline bool has_out_edges(const struct engine_state *state, struct qn_ep_place place) {
  return place.partition < state->view->layout->num_partitions;
}

/* ---- One edge, one task --------------------------------------------------------- */

static inline void relax_edge(struct engine_state *state, struct engine_work *work,
                              struct sweep_share *share, program_message message, uint64_t e) {
  const struct qn_edge_partitions *layout = state->view->layout;
  struct qn_ep_place place = qn_ep_locate(state->view, layout->destinations[e]);
#if PROGRAM_FIRST_SUFFICES
  if (qn_bit_is_set(work->closed, place.dense))
    return;
#endif
  program_accumulator contribution =
      program_gather(&state->context, message, engine_weight(&layout->weights, e));
#if PROGRAM_FIRST_SUFFICES
  if (!qn_bit_set(work->closed, place.dense))
    return;
  program_combine_atomic(&state->values[place.dense], contribution);
  if (has_out_edges(state, place) && qn_bit_set(work->next.vertices.bits, place.dense))
    activate(state, work, share, place);
#else
  if (!program_combine_atomic(&state->values[place.dense], contribution) ||
      !has_out_edges(state, place))
    return;
  if (sweep_waits(&work->waiting, state, contribution, place.dense))
    return;
  if (qn_bit_set(work->next.vertices.bits, place.dense))
    activate(state, work, share, place);
#endif
}

static inline void push_task(struct engine_state *state, struct engine_work *work,
                             struct sweep_share *share, const struct qn_ep_task *task) {
  for (uint64_t word = task->first_row / 64; word <= task->last_row / 64; word++) {
    uint64_t bits = work->current.vertices.bits[word] & rows_in_word(task, word);
    for (; bits; bits &= bits - 1) {
      uint64_t u = word * 64 + (uint64_t)__builtin_ctzll(bits);
      struct task_row row = row_in_task(state->view, task, u);
      program_message message = sweep_current_message(state, u);
      for (uint64_t e = row.begin; e < row.end; e++)
        relax_edge(state, work, share, message, e);
    }
  }
}

#if PROGRAM_FIRST_SUFFICES

/* Of an undirected graph the out-edges are the in-edges: look for an active neighbour. */
static inline void pull_row(struct engine_state *state, struct engine_work *work,
                            struct sweep_share *share, const struct qn_ep_task *task, uint64_t v) {
  const struct qn_edge_partitions *layout = state->view->layout;
  struct task_row row = row_in_task(state->view, task, v);
  for (uint64_t e = row.begin; e < row.end; e++) {
    uint64_t u = qn_ep_locate(state->view, layout->destinations[e]).dense;
    if (!qn_frontier_has(&work->current.vertices, u))
      continue;
    if (!qn_bit_set(work->closed, v)) /* another task has a part of the row, too */
      return;
    program_combine_atomic(&state->values[v],
                           program_gather(&state->context, sweep_current_message(state, u),
                                          engine_weight(&layout->weights, e)));
    qn_bit_set(work->next.vertices.bits, v);
    share->count++;
    share->edges += engine_out_degree(state->view, v);
    return;
  }
}

static inline void pull_task(struct engine_state *state, struct engine_work *work,
                             struct sweep_share *share, const struct qn_ep_task *task) {
  for (uint64_t word = task->first_row / 64; word <= task->last_row / 64; word++) {
    uint64_t closed = __atomic_load_n(&work->closed[word], __ATOMIC_RELAXED);
    for (uint64_t bits = ~closed & rows_in_word(task, word); bits; bits &= bits - 1)
      pull_row(state, work, share, task, word * 64 + (uint64_t)__builtin_ctzll(bits));
  }
}

#endif

/* ---- Sweeps ----------------------------------------------------------------------- */

static inline uint64_t list_tasks(const struct engine_state *state, struct engine_work *work,
                                  bool all) {
  const struct qn_ep_index *index = state->view;
  uint64_t count = 0;
  for (uint64_t task = 0; task < index->num_tasks; task++)
    if (all || qn_ep_task_is_active(index, &index->tasks[task], work->current.flags))
      work->task_list[count++] = task;
  return count;
}

static inline void sweep_tasks(struct engine_state *state, struct engine_work *work) {
  uint64_t count = 0, edges = 0;
  bool bottom_up = false;
#if PROGRAM_FIRST_SUFFICES
  bottom_up = work->bottom_up;
#endif
  uint64_t num_tasks = list_tasks(state, work, bottom_up);
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : count, edges)                          \
    if (bottom_up || work->current.num_edges > PARALLEL_EDGES)
  for (uint64_t i = 0; i < num_tasks; i++) {
    struct sweep_share share = {0, 0};
    const struct qn_ep_task *task = &state->view->tasks[work->task_list[i]];
#if PROGRAM_FIRST_SUFFICES
    if (bottom_up)
      pull_task(state, work, &share, task);
    else
#endif
      push_task(state, work, &share, task);
    count += share.count;
    edges += share.edges;
  }
  work->next.vertices.count = count;
  work->next.num_edges = edges;
  if (bottom_up)
    qn_ep_flag_partitions(state->view, work->next.vertices.bits, work->next.flags);
}

/* Empty a set by its flags; the words of a partition's ends may be shared with its neighbours,
 * which are to be emptied as well. */
static inline void clear_set(const struct engine_state *state, struct sweep_set *set) {
  const struct qn_edge_partitions *layout = state->view->layout;
  for (uint64_t p = 0; p < layout->num_partitions; p++) {
    if (!set->flags[p])
      continue;
    uint64_t first = qn_ep_first_dense(layout, p);
    uint64_t last = first + qn_ep_num_sources(layout, p) - 1;
    memset(set->vertices.bits + first / 64, 0, (last / 64 - first / 64 + 1) * 8);
    set->flags[p] = 0;
  }
  set->vertices.count = 0;
  set->num_edges = 0;
}

static inline void finish_sweep(struct engine_state *state, struct engine_work *work) {
#if PROGRAM_FIRST_SUFFICES
  work->edges_left -=
      work->current.num_edges < work->edges_left ? work->current.num_edges : work->edges_left;
#endif
  clear_set(state, &work->current);
  struct sweep_set done = work->current;
  work->current = work->next;
  work->next = done;
}

/* Complete the current set from its bitmap, without the vertices that have no out-edges. */
static inline void adopt_bitmap(const struct engine_state *state, struct sweep_set *set) {
  uint64_t num_sources = state->view->layout->num_sources, count = 0, edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : count, edges) if (num_sources > PARALLEL_VERTICES)
  for (uint64_t word = 0; word < qn_frontier_words(&set->vertices); word++) {
    if (word * 64 + 64 > num_sources)
      set->vertices.bits[word] &=
          word * 64 < num_sources ? ~(uint64_t)0 >> (word * 64 + 64 - num_sources) : 0;
    for (uint64_t bits = set->vertices.bits[word]; bits; bits &= bits - 1) {
      count++;
      edges += engine_out_degree(state->view, word * 64 + (uint64_t)__builtin_ctzll(bits));
    }
  }
  set->vertices.count = count;
  set->num_edges = edges;
  qn_ep_flag_partitions(state->view, set->vertices.bits, set->flags);
}

/* When no vertex is active: those that waited, or the next round. False if there are none. */
static inline bool sweeps_wake(struct engine_state *state, struct engine_work *work) {
  if (!sweep_wake(state, &work->waiting, &work->current.vertices))
    return false;
  adopt_bitmap(state, &work->current);
  return true;
}

static inline const char *choose_direction(const struct engine_state *state,
                                           struct engine_work *work) {
#if PROGRAM_FIRST_SUFFICES
  uint64_t num_edges = state->context.num_edges, active = work->current.num_edges;
  if (state->view->layout->directedness != QN_UNDIRECTED)
    work->bottom_up = false;
  else if (work->bottom_up)
    work->bottom_up = active > num_edges / TOP_DOWN;
  else
    work->bottom_up = active > work->edges_left / BOTTOM_UP && active > num_edges / TOP_DOWN;
  if (work->bottom_up)
    return "sweep bottom-up";
#endif
  (void)state, (void)work;
  return "sweep";
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  (void)error;
  step->is_over = work->current.vertices.count == 0 && !sweeps_wake(state, work);
  if (step->is_over)
    return QN_OK;
  step->mode = choose_direction(state, work);
  step->num_active = work->current.vertices.count;
  sweep_tasks(state, work);
  finish_sweep(state, work);
  step->num_next = work->current.vertices.count;
  return QN_OK;
}

/* ---- Memory ------------------------------------------------------------------------- */

static inline enum qn_status create_set(const struct engine_state *state, struct sweep_set *set,
                                        struct qn_error *error) {
  enum qn_status status = qn_frontier_create(&set->vertices, state->context.num_vertices, error);
  return status ? status
                : qn_alloc_zeroed(&set->flags, state->view->layout->num_partitions, 1,
                                  "flags of partitions", error);
}

static inline void destroy_set(struct sweep_set *set) {
  qn_frontier_destroy(&set->vertices);
  qn_free(set->flags);
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  enum qn_status status = create_set(state, &work->current, error);
  if (!status)
    status = create_set(state, &work->next, error);
  if (!status)
    status = sweep_waiting_create(&work->waiting, state, state->request->delta,
                                  &state->view->layout->weights, error);
  if (!status)
    status = qn_alloc(&work->task_list, state->view->num_tasks, sizeof *work->task_list,
                      "list of tasks", error);
#if PROGRAM_FIRST_SUFFICES
  if (!status)
    status = qn_pages_alloc(&work->closed, state->context.num_vertices / 64 + 1,
                            sizeof *work->closed, "set of closed vertices", error);
  work->edges_left = state->context.num_edges;
  state->parts.numbers[0] = &work->edges_left;
  state->parts.numbers[1] = &work->bottom_up;
#endif
  state->frontier = &work->current.vertices;
  return status;
}

static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  (void)error;
#if PROGRAM_FIRST_SUFFICES
  sweep_find_closed(state, work->closed);
#endif
  adopt_bitmap(state, &work->current);
  return QN_OK;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
#if PROGRAM_FIRST_SUFFICES
  qn_pages_free(work->closed, state->context.num_vertices / 64 + 1, sizeof *work->closed);
#endif
  (void)state;
  qn_free(work->task_list);
  sweep_waiting_destroy(&work->waiting);
  destroy_set(&work->next);
  destroy_set(&work->current);
}
