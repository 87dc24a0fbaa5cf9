/* The CPU's side of shards (joint/cpu.h), over the loops of engine.h, which this header is
 * included after, with QN_JOINT_CPU defined as the symbol. */
#pragma once

#include "kernels/cpu/joint/share.h"
#include "kernels/cpu/shards/engine.h"

struct shards_joint {
  struct qn_joint_cpu shared; /* first */
  struct engine_state state;
  struct qn_run_result ignored;
  const uint32_t *bounds;
  uint64_t num_stretches;
  program_accumulator *probed; /* [num_stretches] */
  bool notifies;               /* in this iteration */
  struct engine_work work;
#if PROGRAM_PRIORITY
  double limit; /* outside shared iterations */
#endif
};

static inline struct shards_joint *joint_of(struct qn_joint_cpu *shared) {
  return (struct shards_joint *)shared;
}

static inline void joint_enter(struct shards_joint *side) {
  side->state.context = side->shared.context;
}

static inline void joint_leave(struct shards_joint *side) {
  side->shared.context = side->state.context;
}

static inline struct engine_step joint_do(struct shards_joint *side) {
  struct engine_step step = {0};
  work_step(&side->state, &side->work, &step, NULL); /* of shards, which cannot fail */
  return step;
}

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE

static void joint_step(struct qn_joint_cpu *shared) {
  struct shards_joint *side = joint_of(shared);
  joint_enter(side);
  shared->change = joint_do(side).change;
  joint_leave(side);
}

static bool joint_next_round(struct qn_joint_cpu *shared) {
  (void)shared;
  return false;
}

static void joint_adopt(struct qn_joint_cpu *shared) {
  (void)shared;
}

static void joint_wake_all(struct qn_joint_cpu *shared) {
  (void)shared;
}

static void joint_share_begin(struct qn_joint_cpu *shared, bool notify) {
  struct shards_joint *side = joint_of(shared);
  (void)notify;
  joint_enter(side);
  sweep_send(&side->state, side->work.messages, &side->work.sent);
  joint_leave(side);
  shared->change = 0;
}

/* Asynchronously, what was applied is sent at once; a reader gets the old message or the new one.
 */
static inline void joint_send(struct shards_joint *side, uint64_t begin, uint64_t end) {
  for (uint64_t v = begin; v < end; v++)
    side->work.messages[v] = sweep_message(&side->state, v);
}

/* Returns the change. */
static inline double joint_pull(struct shards_joint *side, uint64_t begin, uint64_t end) {
  const uint64_t *offsets = side->state.view->in.row_offsets;
  double change = 0;
  for (uint64_t v = begin; v < end; v++)
    change += apply_vertex(&side->state, v,
                           pull_edges(&side->state, &side->work, offsets[v], offsets[v + 1]));
  if (side->state.request->asynchronous)
    joint_send(side, begin, end);
  return change;
}

static void joint_share_work(struct qn_joint_cpu *shared, struct qn_joint_share *share) {
  struct shards_joint *side = joint_of(shared);
  double change = 0;
#pragma omp parallel reduction(+ : change) num_threads(share->num_threads)
  for (uint32_t stretch; qn_joint_share_take(share, &stretch);) {
    change += joint_pull(side, side->bounds[stretch], side->bounds[stretch + 1]);
    qn_joint_share_did(share, stretch);
  }
  shared->change = change;
}

static void joint_share_receive(struct qn_joint_cpu *shared, uint64_t begin, uint64_t end) {
  joint_send(joint_of(shared), begin, end);
}

static void joint_share_end(struct qn_joint_cpu *shared) {
  (void)shared;
}

static double joint_probe(struct qn_joint_cpu *shared, uint64_t first, uint64_t step) {
  struct shards_joint *side = joint_of(shared);
  const uint64_t *offsets = side->state.view->in.row_offsets;
  double begin = qn_seconds();
  if (step == 0)
    joint_share_begin(shared, false);
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t stretch = first; stretch < (step ? side->num_stretches : 0); stretch += step) {
    program_accumulator sum = program_identity();
    for (uint64_t v = side->bounds[stretch]; v < side->bounds[stretch + 1]; v++)
      program_combine(&sum, pull_edges(&side->state, &side->work, offsets[v], offsets[v + 1]));
    side->probed[stretch] = sum; /* so that it is computed */
  }
  return qn_seconds() - begin;
}

#else

/* What others see of the frontier. */
static inline void joint_show(struct shards_joint *side) {
  side->shared.active = side->work.current.bits;
  side->shared.next = side->work.next.bits;
  side->shared.num_active = side->work.current.count;
  side->shared.active_edges = side->work.current_edges;
}

static void joint_step(struct qn_joint_cpu *shared) {
  struct shards_joint *side = joint_of(shared);
  joint_enter(side);
  joint_do(side);
  joint_leave(side);
  joint_show(side);
}

static bool joint_next_round(struct qn_joint_cpu *shared) {
  struct shards_joint *side = joint_of(shared);
  joint_enter(side);
  bool more = notify_wake(&side->state, &side->work);
  joint_leave(side);
  joint_show(side);
  return more && side->work.current.count > 0;
}

/* The frontier's bitmap was written. */
static inline void joint_recount(struct shards_joint *side) {
  qn_frontier_adopt(&side->work.current);
  side->work.current_edges = sweep_queue_edges(&side->state, &side->work.current);
  joint_show(side);
}

static void joint_adopt(struct qn_joint_cpu *shared) {
  struct shards_joint *side = joint_of(shared);
  side->state.context = shared->context;
#if PROGRAM_FIRST_SUFFICES
  sweep_find_closed(&side->state, side->work.settled);
#endif
  joint_recount(side);
}

static void joint_wake_all(struct qn_joint_cpu *shared) {
#if PROGRAM_PRIORITY
  struct shards_joint *side = joint_of(shared);
  for (uint64_t word = 0; word < qn_frontier_words(&side->work.current); word++) {
    side->work.current.bits[word] |= side->work.waiting.far.waiting[word];
    side->work.waiting.far.waiting[word] = 0;
  }
  joint_recount(side);
#else
  (void)shared;
#endif
}

static void joint_share_begin(struct qn_joint_cpu *shared, bool notify) {
  struct shards_joint *side = joint_of(shared);
  joint_enter(side);
  side->work.next_edges = 0;
  side->notifies = notify;
#if PROGRAM_PRIORITY /* the device knows of no waiting */
  side->limit = side->work.waiting.far.limit;
  side->work.waiting.far.limit = INFINITY;
#endif
  prepare_messages(&side->state, &side->work);
  if (notify)
    notify_all(&side->state, &side->work);
}

static inline void joint_pull(struct shards_joint *side, struct notify_share *share, uint64_t begin,
                              uint64_t end) {
  if (!side->notifies) {
    for (uint64_t v = begin; v < end; v++)
      pull_row(&side->state, &side->work, share, (uint32_t)v);
    return;
  }
  for (uint64_t word = begin / 64; word * 64 < end; word++) /* stretches have whole words */
    for (uint64_t bits = side->work.notified.bits[word]; bits; bits &= bits - 1)
      pull_row(&side->state, &side->work, share,
               (uint32_t)(word * 64 + (uint64_t)__builtin_ctzll(bits)));
}

static void joint_share_work(struct qn_joint_cpu *shared, struct qn_joint_share *share) {
  struct shards_joint *side = joint_of(shared);
#pragma omp parallel num_threads(share->num_threads)
  {
    struct notify_share found = {.block.count = 0};
    for (uint32_t stretch; qn_joint_share_take(share, &stretch);) {
      joint_pull(side, &found, side->bounds[stretch], side->bounds[stretch + 1]);
      qn_joint_share_did(share, stretch);
    }
    share_finish(&side->work, &found);
  }
}

/* Active vertices send their values as they are. */
static void joint_share_receive(struct qn_joint_cpu *shared, uint64_t begin, uint64_t end) {
  (void)shared, (void)begin, (void)end;
}

static void joint_share_end(struct qn_joint_cpu *shared) {
  struct shards_joint *side = joint_of(shared);
  struct engine_work *work = &side->work;
  if (side->notifies)
    qn_frontier_clear(&work->notified);
#if PROGRAM_PRIORITY
  work->waiting.far.limit = side->limit;
#endif
  qn_frontier_swap(&work->current, &work->next);
  qn_frontier_clear(&work->next);
#if PROGRAM_FIRST_SUFFICES
  for (uint64_t word = 0; word < qn_frontier_words(&work->current); word++)
    work->settled[word] |= work->current.bits[word];
#endif
  joint_recount(side);
}

/* The bitmap of the next iteration's vertices, which are none yet, plays that of the active ones.
 * Where the first contribution suffices, none are active, so that all edges are looked at. */
static double joint_probe(struct qn_joint_cpu *shared, uint64_t first, uint64_t step) {
  struct shards_joint *side = joint_of(shared);
  struct engine_work *work = &side->work;
  const uint64_t *offsets = side->state.view->in.row_offsets;
  uint64_t *active = work->current.bits, bytes = qn_frontier_words(&work->next) * sizeof *active;
  if (step == 0)
    return 0;
  memset(work->next.bits, PROGRAM_FIRST_SUFFICES ? 0 : 0xff, bytes);
  work->current.bits = work->next.bits;
  double begin = qn_seconds();
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t stretch = first; stretch < side->num_stretches; stretch += step) {
    program_accumulator sum = program_identity();
    for (uint64_t v = side->bounds[stretch]; v < side->bounds[stretch + 1]; v++)
      receive_edges(&side->state, work, v, offsets[v], offsets[v + 1], &sum);
    side->probed[stretch] = sum; /* so that it is computed */
  }
  double seconds = qn_seconds() - begin;
  work->current.bits = active;
  memset(work->next.bits, 0, bytes);
  return seconds;
}

#endif

static void joint_destroy(struct qn_joint_cpu *shared) {
  struct shards_joint *side = joint_of(shared);
  if (!side)
    return;
  work_destroy(&side->state, &side->work);
  qn_pages_free(side->state.values, side->state.context.num_vertices, sizeof *side->state.values);
  qn_free(side->probed);
  walk_destroy(&side->state);
  qn_free(side);
}

static enum qn_status joint_create(const struct qn_run_request *request,
                                   const struct qn_program_context *context, const uint32_t *bounds,
                                   uint64_t num_stretches, struct qn_joint_cpu **out,
                                   struct qn_error *error) {
  struct shards_joint *side;
  const engine_view *view = request->view;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&side, 1, sizeof *side, "the CPU's part", error);
  if (status)
    return status;
  side->state = (struct engine_state){.request = request,
                                      .view = view,
                                      .context = *context,
                                      .end = view->num_vertices,
                                      .result = &side->ignored};
  side->bounds = bounds;
  side->num_stretches = num_stretches;
  status = walk_create(&side->state, error);
  if (!status)
    status = qn_alloc(&side->probed, num_stretches, sizeof *side->probed, "sums of rows", error);
  if (!status)
    status = qn_pages_alloc(&side->state.values, view->num_vertices, sizeof *side->state.values,
                            "vertex values", error);
  if (!status)
    status = engine_start(&side->state, &side->work, error);
  if (status) {
    joint_destroy(&side->shared);
    return status;
  }
  side->shared.context = *context;
  side->shared.values = side->state.values;
#if PROGRAM_SCHEDULE != QN_ALL_ACTIVE
  side->shared.random_cost = side->work.random_cost;
  joint_show(side);
#endif
  *out = &side->shared;
  return QN_OK;
}

extern const struct qn_joint_cpu_kernel QN_JOINT_CPU;
const struct qn_joint_cpu_kernel QN_JOINT_CPU = {
    .create = joint_create,
    .destroy = joint_destroy,
    .step = joint_step,
    .next_round = joint_next_round,
    .adopt = joint_adopt,
    .wake_all = joint_wake_all,
    .share_begin = joint_share_begin,
    .share_work = joint_share_work,
    .share_receive = joint_share_receive,
    .share_end = joint_share_end,
    .probe = joint_probe,
};
