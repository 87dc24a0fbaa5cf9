/* The schedule of frontier programs with out-edges as plain CSR: push from a queue or pull by a
 * bitmap. Part of the engines on the CPU (loop/state.h) whose struct engine_walk has
 *
 *   const struct qn_csr *out     NULL: every step pulls
 *
 * and which define the functions declared below; push_in_place.h or push_collected.h has
 * frontier_push.
 *
 * The direction follows Beamer, Asanovic, Patterson: Direction-Optimizing
 * Breadth-First Search (SC 2012), section 4.3, where a receiver may stop at the first
 * contribution; other programs pull when the frontier has a good part of all edges. Of a
 * program with a priority the vertices that are far wait (near_far.h), which keeps frontiers small
 * enough to push. */
#pragma once

#include "kernels/cpu/loop/sweeps.h"
#if PROGRAM_PRIORITY || PROGRAM_ROUNDS
#include "kernels/cpu/loop/waiting.h"
#else
#include "kernels/cpu/loop/never_waiting.h"
#endif

/* Pull once the frontier has more than 1 / PULL_ALPHA of the edges not yet sent along, push
 * again once it shrinks below 1 / PULL_BETA of the vertices. */
#if PROGRAM_FIRST_SUFFICES
#define PULL_ALPHA 24
#define PULL_BETA 18
#else
#define PULL_ALPHA 4
#define PULL_BETA 4
#endif

struct engine_work {
  struct qn_frontier current;
  struct qn_frontier next;
  uint64_t current_edges; /* out-edges of `current` */
  uint64_t next_edges;    /* out-edges of `next` */
  uint64_t edges_left;    /* FIRST_SUFFICES: out-edges of vertices that were in no frontier yet */
  uint64_t last_count;    /* vertices of the frontier before `current` */
  uint64_t pulling;       /* 0 or 1: the last step did */
  struct sweep_waiting waiting;
  program_message *messages; /* [V] of the senders, when pulling, if frontier_keeps_messages() */
#if PROGRAM_FIRST_SUFFICES
  uint64_t *open;   /* [V / 64] vertices that a pull may still reach, */
  uint64_t open_in; /* in this iteration, if it is not the first */
  bool alike;       /* all of `current` are known to send the same */
#endif
#if !PROGRAM_IN_PLACE
  struct qn_frontier received; /* vertices with contributions */
  program_accumulator *sums;   /* [V] identity between iterations */
#endif
};

/* May a step pull? */
static inline bool frontier_can_pull(const struct engine_state *state);
/* Does pulling look at messages, rather than at values? */
static inline bool frontier_keeps_messages(void);
/* One step from `current`, whose queue or bitmap is valid, to `next`, which is empty. */
static inline void frontier_push(struct engine_state *state, struct engine_work *work);
static inline void frontier_pull(struct engine_state *state, struct engine_work *work);

/* Fewer edges are not worth waking other threads. */
#define PUSH_ALONE 1024

/* Vertices that a thread takes at a time: each thread several times, if there are as many. */
static inline uint64_t push_chunk(uint64_t count) {
  const uint64_t chunk = count / (8 * qn_threads());
  return chunk < 1 ? 1 : chunk > 64 ? 64 : chunk;
}

/* What one thread adds to `next`. */
struct frontier_share {
  struct qn_queue_block block;
  uint64_t num_edges;
};

static inline void share_push(const struct engine_state *state, struct engine_work *work,
                              struct frontier_share *share, uint32_t vertex) {
  qn_frontier_push(&work->next, &share->block, vertex);
  share->num_edges += engine_out_degree(state->view, vertex);
}

static inline void share_finish(struct engine_work *work, struct frontier_share *share) {
  qn_frontier_flush(&work->next, &share->block);
  __atomic_fetch_add(&work->next_edges, share->num_edges, __ATOMIC_RELAXED);
}

/* `next` was written as a bitmap, of so many vertices with so many out-edges. */
static inline void frontier_marked(struct engine_work *work, uint64_t count, uint64_t edges) {
  work->next.count = count;
  work->next_edges = edges;
  work->next.marked = true;
  work->next.queued = false;
}

static inline bool choose_pull(const struct engine_state *state, const struct engine_work *work) {
  if (!state->walk.out)
    return true;
  if (!frontier_can_pull(state))
    return false;
  if (sweep_is_ordered())
    return true; /* contributions arrive in one order only when pulled */
  if (work->pulling)
    return work->current.count >= work->last_count ||
           work->current.count > state->context.num_vertices / PULL_BETA;
  uint64_t edges = PROGRAM_FIRST_SUFFICES ? work->edges_left : state->context.num_edges;
  /* Pulling looks at every vertex at least, so it never pays for a few edges. */
  return work->current_edges > edges / PULL_ALPHA &&
         work->current_edges > state->context.num_vertices / PULL_BETA;
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  (void)error;
  if (work->current.count == 0) {
    step->is_over = !sweep_wake(state, &work->waiting, &work->current);
    if (step->is_over)
      return QN_OK;
    work->current_edges = sweep_queue_edges(state, &work->current);
  }
  work->pulling = choose_pull(state, work);
  work->last_count = work->current.count;
  work->next_edges = 0;
  if (work->pulling) {
    qn_frontier_mark(&work->current);
    frontier_pull(state, work);
  } else {
    qn_frontier_enqueue(&work->current);
    frontier_push(state, work);
#if PROGRAM_FIRST_SUFFICES
    work->alike = false;
#endif
  }
  work->edges_left -=
      work->current_edges < work->edges_left ? work->current_edges : work->edges_left;
  qn_frontier_swap(&work->current, &work->next);
  work->current_edges = work->next_edges;
  qn_frontier_clear(&work->next);
  step->mode = work->pulling ? "pull" : "push";
  step->num_active = work->last_count;
  step->num_next = work->current.count;
  return QN_OK;
}

static inline enum qn_status create_waiting(struct engine_state *state, struct engine_work *work,
                                            struct qn_error *error) {
  const struct qn_csr *out = state->walk.out;
  enum qn_status status = out ? QN_OK : sweep_refuse_delta(state, error);
  return status
             ? status
             : sweep_waiting_create(&work->waiting, state, out ? state->request->delta : INFINITY,
                                    out ? &out->weights : NULL, error);
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status = qn_frontier_create(&work->current, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work->next, num_vertices, error);
  if (!status && frontier_keeps_messages())
    status =
        qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
#if PROGRAM_FIRST_SUFFICES
  if (!status)
    status = qn_pages_alloc(&work->open, qn_frontier_words(&work->next), sizeof *work->open,
                            "open vertices", error);
#endif
#if !PROGRAM_IN_PLACE
  if (!status)
    status = qn_frontier_create(&work->received, num_vertices, error);
  if (!status)
    status = sweep_sums_create(&work->sums, num_vertices, error);
#endif
  if (!status)
    status = create_waiting(state, work, error);
  work->edges_left = state->context.num_edges;
  state->frontier = &work->current;
  state->parts.numbers[0] = &work->edges_left;
  state->parts.numbers[1] = &work->last_count;
  state->parts.numbers[2] = &work->pulling;
  return status;
}

static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  (void)error;
  work->current_edges = sweep_queue_edges(state, &work->current);
  work->pulling = work->pulling && frontier_can_pull(state);
  return QN_OK;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  uint64_t num_vertices = state->context.num_vertices;
#if PROGRAM_FIRST_SUFFICES
  qn_pages_free(work->open, (num_vertices + 63) / 64, sizeof *work->open);
#endif
#if !PROGRAM_IN_PLACE
  qn_pages_free(work->sums, num_vertices, sizeof *work->sums);
  qn_frontier_destroy(&work->received);
#endif
  qn_pages_free(work->messages, num_vertices, sizeof *work->messages);
  sweep_waiting_destroy(&work->waiting);
  qn_frontier_destroy(&work->next);
  qn_frontier_destroy(&work->current);
}
