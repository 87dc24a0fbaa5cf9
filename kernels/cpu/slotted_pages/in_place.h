/* Programs that combine into the value itself: pages of nextPIDSet push from their active vertices.
 * Part of engine.h.
 *
 * With a priority, vertices beyond a bound stay in the frontier unsent, and the bound moves on once
 * none is left before it (near and far). Where the first contribution suffices and edges go both
 * ways, a large frontier is not sent: vertices that are still open look for one of its members in
 * their own records (bottom-up). */
#pragma once

#include "kernels/cpu/slotted_pages/view.h"

#include "kernels/cpu/loop/least.h"
#include "kernels/cpu/loop/rounds.h"
#include "kernels/cpu/loop/sweeps.h"
#include "kernels/cpu/slotted_pages/page_frontier.h"

/* Look for members once the frontier has more than 1 / PULL_SHARE of the vertices. */
#define PULL_SHARE 40

struct engine_work {
  struct sweep_rounds rounds;
  struct page_frontier current;
  struct page_frontier next;
  uint32_t *list; /* [num_tasks] tasks with a page in `current` */
  uint64_t num_listed;
  double bound; /* PROGRAM_PRIORITY: vertices that reach it wait */
  double delta; /* by which it moves on */
};

/* What one thread has done in an iteration. */
struct in_place_share {
  uint64_t num_sent;    /* vertices (a large one counts in each of its tasks) */
  uint64_t num_new;     /* that were put into `next` */
  double least_waiting; /* least priority of those that must wait */
};

/* `id_bytes` is a constant where this is called, so that the load of an id is one instruction. */
static inline void push_record(struct engine_state *state, struct engine_work *work,
                               const struct qn_page_record *record, unsigned id_bytes,
                               program_message message, struct in_place_share *share) {
  const struct qn_slotted_pages *pages = state->view->pages;
  const struct qn_page_address address = pages->format.address;
  const uint8_t *at = record->ids;
  for (uint32_t i = 0; i < record->num_edges; i++, at += id_bytes) {
    uint64_t id = qn_load_physical_id(at, id_bytes);
    uint32_t vertex = qn_physical_id_vertex(pages->start_vids, address, id);
    program_accumulator contribution =
        program_gather(&state->context, message, page_weight(pages, record, i));
    if (program_combine_atomic(&state->values[vertex], contribution))
      share->num_new += page_frontier_insert(&work->next, vertex, id & qn_page_id_mask(address));
  }
}

/* Must this vertex wait? Then it stays in the frontier. */
static inline bool waits(const struct engine_state *state, struct engine_work *work,
                         uint32_t vertex, uint64_t page, struct in_place_share *share) {
#if PROGRAM_PRIORITY
  double priority = program_priority(&state->context, program_load_atomic(&state->values[vertex]));
  if (priority < work->bound)
    return false;
  share->num_new += page_frontier_insert(&work->next, vertex, page);
  share->least_waiting = fmin(share->least_waiting, priority);
  return true;
#else
  (void)state, (void)work, (void)vertex, (void)page, (void)share;
  return false;
#endif
}

static inline void push_slot(struct engine_state *state, struct engine_work *work, uint64_t page,
                             const struct qn_page_part *part, uint32_t slot,
                             struct in_place_share *share) {
  const struct qn_page_format *format = &state->view->pages->format;
  uint32_t vertex = part->start_vid + slot;
  if (waits(state, work, vertex, page, share))
    return;
  struct qn_page_record record = qn_page_part_record(format, part, slot);
  program_message message = sweep_current_message(state, vertex);
  share->num_sent++;
  if (qn_page_id_bytes(format->address) == 4)
    push_record(state, work, &record, 4, message, share);
  else
    push_record(state, work, &record, 6, message, share);
}

static inline void push_task(struct engine_state *state, struct engine_work *work, uint64_t task,
                             struct in_place_share *share) {
  const struct qn_slotted_pages *pages = state->view->pages;
  const struct qn_page_task *of = &state->walk.tasks.tasks[task];
  for (uint64_t page = of->first_page; page < of->end_page; page++) {
    if (!page_is_wanted(&work->current.vertices, work->current.pages, pages, page))
      continue;
    struct qn_page_part part = qn_page_part_of(pages, of, page);
    uint64_t begin = (uint64_t)part.start_vid + part.slot_begin;
    uint64_t end = (uint64_t)part.start_vid + part.slot_end;
    for (uint64_t word = begin / 64; begin < end && word <= (end - 1) / 64; word++)
      for (uint64_t bits = work->current.vertices.bits[word] & qn_bits_between(word, begin, end);
           bits; bits &= bits - 1) {
        uint64_t vertex = word * 64 + (uint64_t)__builtin_ctzll(bits);
        push_slot(state, work, page, &part, (uint32_t)(vertex - part.start_vid), share);
      }
  }
}

#if PROGRAM_FIRST_SUFFICES

/* Look for a member of the frontier among the edges of a vertex that is still open. */
static inline void pull_record(struct engine_state *state, struct engine_work *work,
                               const struct qn_page_record *record, unsigned id_bytes,
                               uint32_t vertex, uint64_t page, struct in_place_share *share) {
  const struct qn_slotted_pages *pages = state->view->pages;
  const uint8_t *at = record->ids;
  for (uint32_t i = 0; i < record->num_edges; i++, at += id_bytes) {
    uint32_t other = qn_physical_id_vertex(pages->start_vids, pages->format.address,
                                           qn_load_physical_id(at, id_bytes));
    if (!qn_frontier_has(&work->current.vertices, other))
      continue;
    program_accumulator contribution = program_gather(
        &state->context, sweep_current_message(state, other), page_weight(pages, record, i));
    if (program_combine_atomic(&state->values[vertex], contribution))
      share->num_new += page_frontier_insert(&work->next, vertex, page);
    return;
  }
}

static inline void pull_task(struct engine_state *state, struct engine_work *work, uint64_t task,
                             struct in_place_share *share) {
  const struct qn_slotted_pages *pages = state->view->pages;
  const struct qn_page_task *of = &state->walk.tasks.tasks[task];
  for (uint64_t page = of->first_page; page < of->end_page; page++) {
    struct qn_page_part part = qn_page_part_of(pages, of, page);
    for (uint32_t slot = part.slot_begin; slot < part.slot_end; slot++) {
      uint32_t vertex = part.start_vid + slot;
      if (!program_open(&state->context, program_load_atomic(&state->values[vertex])))
        continue;
      struct qn_page_record record = qn_page_part_record(&pages->format, &part, slot);
      if (qn_page_id_bytes(pages->format.address) == 4)
        pull_record(state, work, &record, 4, vertex, page, share);
      else
        pull_record(state, work, &record, 6, vertex, page, share);
    }
  }
}

static inline bool choose_pull(const struct engine_state *state, const struct engine_work *work) {
  return state->view->pages->directedness == QN_UNDIRECTED &&
         work->current.vertices.count > state->context.num_vertices / PULL_SHARE;
}

#else

static inline void pull_task(struct engine_state *state, struct engine_work *work, uint64_t task,
                             struct in_place_share *share) {
  (void)state, (void)work, (void)task, (void)share;
}

static inline bool choose_pull(const struct engine_state *state, const struct engine_work *work) {
  (void)state, (void)work;
  return false;
}

#endif

/* Is the sweep worth waking threads for? A path has 10^5 of them. */
static inline bool is_long_sweep(const struct engine_state *state, const struct engine_work *work) {
  uint64_t degree = state->context.num_edges / (state->context.num_vertices + 1) + 1;
  uint64_t edges = work->current.vertices.count * degree;
  for (uint64_t i = 0; i < work->num_listed && edges < 4096; i++)
    if (qn_page_is_large(state->view->pages, state->walk.tasks.tasks[work->list[i]].first_page))
      edges += QN_PAGE_TASK_WORK / 4;
  return edges >= 4096;
}

/* Sweep the pages of `current`, or all of them when pulling, and make `next` the frontier. */
static inline struct in_place_share sweep_pages(struct engine_state *state,
                                                struct engine_work *work, bool pull) {
  const struct qn_slotted_pages *pages = state->view->pages;
  uint64_t num_sent = 0, num_new = 0;
  double least_waiting = INFINITY;
  work->num_listed = pull ? state->walk.tasks.count
                          : wanted_tasks(&work->current, pages, &state->walk.tasks, work->list);
#pragma omp parallel if (pull || is_long_sweep(state, work)) reduction(+ : num_sent, num_new)                   \
    reduction(qn_least : least_waiting)
  {
    struct in_place_share share = {.least_waiting = INFINITY};
#pragma omp for schedule(dynamic, 1)
    for (uint64_t i = 0; i < work->num_listed; i++) {
      if (pull)
        pull_task(state, work, i, &share);
      else
        push_task(state, work, work->list[i], &share);
    }
    num_sent += share.num_sent;
    num_new += share.num_new;
    least_waiting = share.least_waiting;
  }
  page_frontier_clear(&work->current, pages);
  struct page_frontier done = work->current;
  work->current = work->next;
  work->next = done;
  work->current.vertices.count = num_new;
  return (struct in_place_share){num_sent, num_new, least_waiting};
}

/* The width of a bucket: the larger the degree, the more of the edges within it are in vain. */
static inline double choose_delta(const struct engine_state *state) {
#if PROGRAM_PRIORITY
  const struct qn_slotted_pages *pages = state->view->pages;
  double weights = 0;
  uint64_t edges = 0;
  if (state->request->delta > 0)
    return state->request->delta;
  /* Some pages from all over the graph stand for the rest. */
  uint64_t step = pages->num_pages / 16 + 1;
  for (uint64_t page = step / 2; page < pages->num_pages; page += step) {
    uint32_t slots = qn_page_num_slots(pages, page);
    for (uint32_t slot = 0; slot < slots && slot < 4096; slot++) {
      struct qn_page_record record = qn_page_record(&pages->format, qn_page_at(pages, page), slot);
      for (uint32_t i = 0; i < record.num_edges && i < 4096; i++, edges++)
        weights += (double)page_weight(pages, &record, i);
    }
  }
  double degree = (double)state->context.num_edges / (double)(state->context.num_vertices + 1);
  double mean = edges && weights > 0 ? weights / (double)edges : 1;
  return 16 * mean / fmax(degree, 1);
#else
  (void)state;
  return 0;
#endif
}

/* When no vertex is active: the next round. False if there is none. */
static inline bool in_place_wake(struct engine_state *state, struct engine_work *work) {
  struct page_frontier *current = &work->current;
  if (!sweep_round(&state->context, state->values, &work->rounds, &current->vertices))
    return false;
  page_find_senders(&current->vertices, state->view->pages, current->pages);
  return true;
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  const struct qn_frontier *current = &work->current.vertices;
  (void)error;
  step->is_over = current->count == 0 && !in_place_wake(state, work);
  if (step->is_over)
    return QN_OK;
  bool pull = choose_pull(state, work);
  step->mode = pull ? "pull" : "push";
  step->num_active = current->count;
  struct in_place_share done = sweep_pages(state, work, pull);
  while (PROGRAM_PRIORITY && done.num_sent == 0 && current->count > 0) { /* all had to wait */
    work->bound = done.least_waiting + work->delta;
    step->num_active = current->count;
    done = sweep_pages(state, work, false);
  }
  step->num_next = current->count;
  return QN_OK;
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  const struct qn_slotted_pages *pages = state->view->pages;
  enum qn_status status = page_frontier_create(&work->current, pages, error);
  if (!status)
    status = page_frontier_create(&work->next, pages, error);
  if (!status)
    status = sweep_rounds_create(&work->rounds, pages->num_vertices, error);
  if (!status)
    status =
        qn_alloc(&work->list, state->walk.tasks.count, sizeof *work->list, "list of tasks", error);
  work->bound = work->delta = choose_delta(state);
  state->frontier = &work->current.vertices;
  state->parts.numbers[0] = &work->bound;
  return status;
}

static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  (void)error;
  page_find_senders(&work->current.vertices, state->view->pages, work->current.pages);
  return QN_OK;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  const struct qn_slotted_pages *pages = state->view->pages;
  qn_free(work->list);
  sweep_rounds_destroy(&work->rounds);
  page_frontier_destroy(&work->next, pages);
  page_frontier_destroy(&work->current, pages);
}
