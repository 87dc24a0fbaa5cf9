/* Frontier programs with out-edges as plain CSR: push from a queue or pull by a bitmap. Part of
 * the engines that define, before they include it,
 *
 *   struct engine_state      with request, view, out, in, context, values, chunks, result as in
 *                            engine.h
 *   engine_can_pull(state)   are there in-edges?
 *   state->far               PROGRAM_PRIORITY: a pointer to struct near_far, set here
 *   ENGINE_OWN_PULL          1 if the engine defines frontier_pull itself: then it needs no `in`
 *                            and `chunks`, and `out` may be NULL: it always pulls
 *
 * The direction follows Beamer, Asanovic, Patterson: Direction-Optimizing
 * Breadth-First Search (SC 2012), section 4.3, where a receiver may stop at the first
 * contribution; other programs pull when the frontier has a good part of all edges. Of a
 * program with a priority the vertices that are far wait (near_far.h), which keeps frontiers small
 * enough to push. */
#ifndef QN_KERNELS_CPU_CSR_FRONTIER_H
#define QN_KERNELS_CPU_CSR_FRONTIER_H

#include "kernels/cpu/loop/iterations.h"
#include "kernels/cpu/loop/near_far.h"
#include "kernels/cpu/loop/sweeps.h"

#ifndef ENGINE_OWN_PULL
#define ENGINE_OWN_PULL 0
#endif
#ifndef ENGINE_NAME
#define ENGINE_NAME "csr push/pull"
#endif

/* Pull once the frontier has more than 1 / PULL_ALPHA of the edges not yet sent along, push
 * again once it shrinks below 1 / PULL_BETA of the vertices. */
#if PROGRAM_FIRST_SUFFICES
#define PULL_ALPHA 15
#define PULL_BETA 18
#else
#define PULL_ALPHA 4
#define PULL_BETA 4
#endif

struct frontier_work {
  struct qn_frontier current;
  struct qn_frontier next;
  uint64_t current_edges; /* out-edges of `current` */
  uint64_t next_edges;    /* out-edges of `next` */
  uint64_t edges_left;    /* FIRST_SUFFICES: out-edges of vertices that were in no frontier yet */
  bool pulling;
  struct sweep_rounds rounds;
#if PROGRAM_PRIORITY
  struct near_far far;
#endif
#if !PROGRAM_IN_PLACE
  struct qn_frontier received; /* vertices with contributions */
  program_accumulator *sums;   /* [V] identity between iterations */
#if !ENGINE_OWN_PULL
  program_message *messages; /* [V] of the senders, when pulling */
#endif
#endif
};

/* What one thread adds to `next`. */
struct frontier_share {
  struct qn_queue_block block;
  uint64_t num_edges;
};

static inline void share_push(const struct engine_state *state, struct frontier_work *work,
                              struct frontier_share *share, uint32_t vertex) {
  qn_frontier_push(&work->next, &share->block, vertex);
  share->num_edges += engine_out_degree(state->view, vertex);
}

static inline void share_finish(struct frontier_work *work, struct frontier_share *share) {
  qn_frontier_flush(&work->next, &share->block);
  __atomic_fetch_add(&work->next_edges, share->num_edges, __ATOMIC_RELAXED);
}

#if ENGINE_OWN_PULL
static inline void frontier_pull(struct engine_state *state, struct frontier_work *work);
#endif

#if PROGRAM_IN_PLACE
#include "kernels/cpu/csr/in_place.h"
#else
#include "kernels/cpu/csr/collect.h"
#endif

static inline uint64_t queue_edges(const struct engine_state *state,
                                   const struct qn_frontier *frontier) {
  uint64_t edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : edges) if (frontier->count > 4096)
  for (uint64_t i = 0; i < frontier->count; i++)
    edges += engine_out_degree(state->view, frontier->queue[i]);
  return edges;
}

static inline bool choose_pull(const struct engine_state *state, const struct frontier_work *work,
                               uint64_t last_count) {
  if (!state->out)
    return true;
  if (!engine_can_pull(state))
    return false;
  if (!PROGRAM_IN_PLACE && engine_lane_is_real())
    return true; /* contributions arrive in one order only when pulled */
  if (work->pulling)
    return work->current.count >= last_count ||
           work->current.count > state->context.num_vertices / PULL_BETA;
  uint64_t edges = PROGRAM_FIRST_SUFFICES ? work->edges_left : state->context.num_edges;
  /* Pulling looks at every vertex at least, so it never pays for a few edges. */
  return work->current_edges > edges / PULL_ALPHA &&
         work->current_edges > state->context.num_vertices / PULL_BETA;
}

static inline void frontier_step(struct engine_state *state, struct frontier_work *work) {
  work->next_edges = 0;
  if (work->pulling) {
    qn_frontier_mark(&work->current);
    frontier_pull(state, work);
  } else {
    qn_frontier_enqueue(&work->current);
    frontier_push(state, work);
  }
  work->edges_left -=
      work->current_edges < work->edges_left ? work->current_edges : work->edges_left;
  struct qn_frontier done = work->current;
  work->current = work->next;
  work->next = done;
  work->current_edges = work->next_edges;
  qn_frontier_clear(&work->next);
}

/* What the next direction depends on goes with the frontier. */
static inline enum qn_status frontier_keep(struct engine_state *state, struct frontier_work *work,
                                           uint64_t last_count, struct qn_error *error) {
  if (!engine_save_is_due(state->request, &state->context))
    return QN_OK;
  struct qn_run_state kept = engine_state_of(&state->context, state->result, state->values);
  qn_frontier_mark(&work->current);
  kept.active = work->current.bits;
  kept.registers[QN_STATE_ENGINE] = work->edges_left;
  kept.registers[QN_STATE_ENGINE + 1] = last_count;
  kept.registers[QN_STATE_ENGINE + 2] = work->pulling;
#if PROGRAM_PRIORITY
  near_far_keep(&work->far, &kept);
#endif
  return engine_save(state->request, &kept, error);
}

/* When no vertex is active: those that waited, or the next round. False if there are none. */
static inline bool more_active(struct engine_state *state, struct frontier_work *work) {
  bool more = false;
#if PROGRAM_PRIORITY
  more = near_far_refill(&work->far, &state->context, state->values, work->current.bits);
  work->current.marked = true;
  work->current.queued = !more;
  qn_frontier_enqueue(&work->current);
#endif
  if (!more)
    more = sweep_round(&state->context, state->values, &work->rounds, &work->current);
  work->current_edges = queue_edges(state, &work->current);
  return more;
}

static inline enum qn_status frontier_iterations(struct engine_state *state,
                                                 struct frontier_work *work,
                                                 struct qn_error *error) {
  struct qn_program_context *context = &state->context;
  enum qn_status status = QN_OK;
  sweep_start(state->request, context, &work->current);
  work->current_edges = queue_edges(state, &work->current);
  work->edges_left = engine_register(state->request, 0, context->num_edges);
  uint64_t last_count = engine_register(state->request, 1, 0);
  work->pulling = engine_can_pull(state) && engine_register(state->request, 2, 0);
  for (bool finished = engine_is_finished(state->request, context); !status && !finished;) {
    double begin = qn_seconds();
    if (work->current.count == 0 && !more_active(state, work)) {
      state->result->converged = true;
      return QN_OK;
    }
    work->pulling = choose_pull(state, work, last_count);
    last_count = work->current.count;
    frontier_step(state, work);
    finished = engine_end_iteration(state->request, context, state->result,
                                    work->pulling ? "pull" : "push", last_count, 0, begin);
    if (!finished)
      status = frontier_keep(state, work, last_count, error);
  }
  /* A program with a priority may have vertices that wait. */
  state->result->converged = work->current.count == 0 && !PROGRAM_PRIORITY;
  return status;
}

#if PROGRAM_PRIORITY
/* Where every step pulls along all edges, waiting would only add steps. */
static inline enum qn_status create_far(struct engine_state *state, struct frontier_work *work,
                                        struct qn_error *error) {
  const struct qn_program_context *context = &state->context;
  if (!state->out && state->request->delta > 0)
    return qn_fail(error, QN_UNSUPPORTED,
                   "--delta has no effect on a container without out-edges, where every step walks "
                   "all in-edges; store them too (--direction both), or leave --delta out");
  enum qn_status status = near_far_create(&work->far, state->out ? state->request->delta : INFINITY,
                                          state->out ? &state->out->weights : NULL,
                                          context->num_vertices, context->num_edges, error);
  if (!status)
    near_far_resume(&work->far, engine_resumed(state->request));
  state->far = &work->far;
  return status;
}
#endif

static inline enum qn_status engine_iterate(struct engine_state *state, struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  struct frontier_work work = {0};
  enum qn_status status = qn_frontier_create(&work.current, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work.next, num_vertices, error);
  if (!status)
    status = sweep_rounds_create(&work.rounds, num_vertices, error);
#if !PROGRAM_IN_PLACE
  if (!status)
    status = collect_create(&work, num_vertices, error);
#endif
#if PROGRAM_PRIORITY
  if (!status)
    status = create_far(state, &work, error);
#endif
  if (!status)
    status = frontier_iterations(state, &work, error);
#if !PROGRAM_IN_PLACE
  collect_destroy(&work, num_vertices);
#endif
#if PROGRAM_PRIORITY
  near_far_destroy(&work.far);
#endif
  sweep_rounds_destroy(&work.rounds);
  qn_frontier_destroy(&work.next);
  qn_frontier_destroy(&work.current);
  return status;
}

#endif
