/* Frontier programs on shards: pull, or notify and pull. Part of engine.h.
 *
 * Both ways a receiver looks at its in-edges itself and takes what active sources send, so
 * no accumulator is written by two threads. The mode follows Garaph's section 4.2: with f the
 * active vertices' share in all out-edges, notify-pull while f <= 1/2; where the first message
 * settles a vertex, which ends its look at its in-edges early, while f <= 1/20. Where the edges
 * are more than the memory for them, while also f <= 1/2k: a pull reads all of them from storage
 * in order, notices and those whom they reach the rows that they need, at random, which is k times
 * as slow. k is measured on the container itself (kernels/storage.h), and f counts what is read:
 * pages, of rows that are shorter.
 *
 * Nobody need look where a notice can bring the contribution: where weights do not matter, or are
 * known with the out-edges, because these are the in-edges (undirected graphs). It is combined into
 * the value itself, or into a sum that has no order. */
#pragma once

#include "kernels/cpu/shards/view.h"

#include "kernels/cpu/loop/sweeps.h"
#include "kernels/storage.h"
#include "kernels/work_division/chunks.h"
#if PROGRAM_PRIORITY || PROGRAM_ROUNDS
#include "kernels/cpu/loop/waiting.h"
#else
#include "kernels/cpu/loop/never_waiting.h"
#endif

/* Active vertices notify while they have at most one in so many of all out-edges. */
#define NOTIFY_SHARE (PROGRAM_FIRST_SUFFICES ? 20 : 2)
/* Iterations of fewer edges are done by one thread. */
#define PARALLEL_EDGES 4096
/* In-edges of a notified hub, whose edges all threads share, and of one thread's part of it. */
#define HUB_SEGMENT ((uint64_t)1 << 16)
/* Rows of so many edges are asked for whole when they are to be read from storage at random. */
#define FETCHED_EDGES 2048
/* Edges that the least takes that is read from storage: a page of 4 KiB. */
#define STORAGE_PAGE_EDGES 1024

struct engine_work {
  struct qn_frontier current; /* active vertices */
  struct qn_frontier next;
  struct qn_frontier notified; /* with an active source */
  struct sweep_waiting waiting;
  bool delivers;          /* notices bring contributions */
  uint64_t current_edges; /* out-edges of `current` */
  uint64_t next_edges;
  bool lies_on_storage; /* edges are more than the memory for them */
  double random_cost;   /* k: of reading them at random over reading them in order */
#if !PROGRAM_IN_PLACE
  program_message *messages; /* [V] of `current`: values change while others pull */
  program_accumulator *sums; /* [V] that notices bring, identity between iterations; or NULL */
#endif
#if PROGRAM_FIRST_SUFFICES
  uint64_t *settled; /* bitmap of vertices that cannot change any more, or are about to */
#endif
  program_accumulator *segments; /* [num_segments] of a hub */
  bool *segment_received;        /* [num_segments] */
  uint64_t num_segments;
};

/* What one thread adds to `next` and `notified`. */
struct notify_share {
  struct qn_queue_block block;
  struct qn_queue_block notified;
  uint64_t num_edges;
};

static inline void share_finish(struct engine_work *work, struct notify_share *share) {
  qn_frontier_flush(&work->next, &share->block);
  qn_frontier_flush(&work->notified, &share->notified);
  __atomic_fetch_add(&work->next_edges, share->num_edges, __ATOMIC_RELAXED);
}

/* ---- Storage -------------------------------------------------------------------- */

static inline void expect_edges(const struct engine_state *state, bool in_order) {
  const struct qn_shards *view = state->view;
  const uint64_t num_edges = view->num_edges;
  qn_storage_expect(view->in.column_indices, num_edges * sizeof(uint32_t), in_order);
  qn_storage_expect(view->in.weights.data, num_edges * qn_weight_bytes(view->in.weights.type),
                    in_order);
  if (view->directedness == QN_DIRECTED)
    qn_storage_expect(view->out.column_indices, num_edges * sizeof(uint32_t), in_order);
}

static inline void fetch_row(const struct engine_work *work, const struct qn_csr *csr, uint64_t v) {
  const uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
  if (work->lies_on_storage && end - begin >= FETCHED_EDGES)
    qn_storage_fetch(csr->column_indices + begin, (end - begin) * sizeof(uint32_t));
}

static inline void look_at_storage(const struct engine_state *state, struct engine_work *work) {
  const struct qn_run_request *request = state->request;
  const struct qn_shards *view = state->view;
  const uint64_t column_bytes = view->num_edges * sizeof(uint32_t);
  const uint64_t bytes = column_bytes * (view->directedness == QN_DIRECTED ? 2 : 1) +
                         view->num_edges * qn_weight_bytes(view->in.weights.type);
  struct qn_storage_rates rates = {0};
  work->lies_on_storage = qn_storage_exceeds_memory(bytes, request);
  if (work->lies_on_storage && request->direction == QN_DIRECTION_AUTO)
    rates = qn_storage_measure(view->in.column_indices, column_bytes, request);
  work->random_cost = qn_storage_ratio(&rates);
}

/* ---- Receiving ----------------------------------------------------------------- */

static inline bool may_receive(const struct engine_work *work, uint64_t v) {
#if PROGRAM_FIRST_SUFFICES
  return !qn_bit_is_set(work->settled, v);
#else
  (void)work, (void)v;
  return true;
#endif
}

static inline program_message message_of(const struct engine_state *state,
                                         const struct engine_work *work, uint32_t u) {
#if PROGRAM_IN_PLACE
  (void)work;
  return sweep_current_message(state, u);
#else
  (void)state;
  return work->messages[u];
#endif
}

/* Combine what active sources of v's in-edges [begin, end) send; whether there are any. */
static inline bool receive_edges(const struct engine_state *state, const struct engine_work *work,
                                 uint64_t v, uint64_t begin, uint64_t end,
                                 program_accumulator *sum) {
  const struct qn_csr *in = &state->view->in;
  bool received = false;
  for (uint64_t e = begin; e < end; e++) {
    uint32_t u = in->column_indices[e];
    if (!qn_frontier_has(&work->current, u))
      continue;
    program_combine(sum, program_contribution(&state->context, message_of(state, work, u),
                                              engine_weight(&in->weights, e), state->values, v));
    received = true;
    if (PROGRAM_FIRST_SUFFICES)
      break;
  }
  return received;
}

/* Vertex v, whose value is new, is active next, or waits while others are nearer. */
static inline void activate(const struct engine_state *state, struct engine_work *work,
                            struct notify_share *share, uint32_t v, program_value value) {
  if (sweep_waits(&work->waiting, state, value, v) || !qn_frontier_insert(&work->next, v))
    return;
  qn_frontier_push(&work->next, &share->block, v);
  share->num_edges += engine_out_degree(state->view, v);
}

/* A vertex has received all that it will: apply it, and activate the vertex if that says so. */
static inline void apply_row(struct engine_state *state, struct engine_work *work,
                             struct notify_share *share, uint32_t v, program_accumulator sum) {
  program_value old_value = state->values[v];
  program_value new_value = program_apply(&state->context, old_value, sum);
#if PROGRAM_IN_PLACE
  program_combine_atomic(&state->values[v], sum); /* others may be reading it */
#else
  state->values[v] = new_value;
#endif
#if PROGRAM_FIRST_SUFFICES
  __atomic_fetch_or(&work->settled[v / 64], (uint64_t)1 << (v % 64), __ATOMIC_RELAXED);
#endif
  if (!program_active(&state->context, old_value, new_value))
    return;
  activate(state, work, share, v, new_value);
}

/* ---- Pull: everyone looks -------------------------------------------------------- */

static inline void pull_row(struct engine_state *state, struct engine_work *work,
                            struct notify_share *share, uint32_t v) {
  const uint64_t *offsets = state->view->in.row_offsets;
  program_accumulator sum = program_identity();
  if (may_receive(work, v) && receive_edges(state, work, v, offsets[v], offsets[v + 1], &sum))
    apply_row(state, work, share, v, sum);
}

static inline void pull_part(const struct engine_state *state, const struct engine_work *work,
                             uint32_t v, uint64_t begin, uint64_t end, program_accumulator *sum,
                             bool *received) {
  *sum = program_identity();
  *received = begin < end && may_receive(work, v) && receive_edges(state, work, v, begin, end, sum);
}

/* Rows that lie in the chunk whole; what it has of others goes to its replicas. */
static inline void pull_chunk(struct engine_state *state, struct engine_work *work,
                              struct notify_share *share, uint64_t index) {
  const struct qn_sh_chunk *chunk = &state->walk.chunks.chunks[index];
  const uint64_t *offsets = state->view->in.row_offsets;
  struct chunk_replicas *replicas = &state->walk.replicas[index];
  uint32_t v = chunk->row_begin;
  if (chunk->row_begin == chunk->row_end) {
    pull_part(state, work, v, chunk->edge_begin, chunk->edge_end, &replicas->first,
              &replicas->first_received);
    return;
  }
  if (qn_sh_chunk_is_cut(state->view, chunk)) {
    pull_part(state, work, v, chunk->edge_begin, offsets[v + 1], &replicas->first,
              &replicas->first_received);
    v++;
  }
  for (; v < chunk->row_end; v++)
    pull_row(state, work, share, v);
  pull_part(state, work, v, offsets[v], chunk->edge_end, &replicas->last, &replicas->last_received);
}

/* Combine the replicas of a batch in the order of edges, and apply the rows they are of. */
static inline void apply_cut_rows(struct engine_state *state, struct engine_work *work,
                                  struct notify_share *share, uint64_t first, uint64_t last) {
  program_accumulator open = program_identity(); /* of the row that has not ended yet */
  bool received = false;
  for (uint64_t index = first; index < last; index++) {
    const struct qn_sh_chunk *chunk = &state->walk.chunks.chunks[index];
    const struct chunk_replicas *replicas = &state->walk.replicas[index];
    bool is_cut = qn_sh_chunk_is_cut(state->view, chunk);
    if (!is_cut) {
      open = program_identity();
      received = false;
    }
    bool in_one_row = chunk->row_begin == chunk->row_end;
    if (in_one_row || is_cut) {
      program_combine(&open, replicas->first);
      received |= replicas->first_received;
    }
    if (in_one_row)
      continue;
    if (is_cut && received)
      apply_row(state, work, share, chunk->row_begin, open);
    open = replicas->last;
    received = replicas->last_received;
  }
}

static inline void pull_one_batch(struct engine_state *state, struct engine_work *work,
                                  uint64_t batch) {
  uint64_t first = state->walk.chunks.batches[batch], last = state->walk.chunks.batches[batch + 1];
#pragma omp parallel
  {
    struct notify_share share = {.block.count = 0};
#pragma omp for schedule(dynamic, 1)
    for (uint64_t chunk = first; chunk < last; chunk++)
      pull_chunk(state, work, &share, chunk);
#pragma omp single
    apply_cut_rows(state, work, &share, first, last);
    share_finish(work, &share);
  }
}

static inline void pull_all(struct engine_state *state, struct engine_work *work) {
  for (uint64_t batch = 0; batch < state->walk.chunks.num_batches; batch++)
    pull_one_batch(state, work, batch);
}

/* ---- Notify-pull: only those look whom an active vertex told to -------------------- */

/* Can a notice bring the contribution? */
static inline bool notice_delivers(const struct engine_state *state) {
  return !sweep_is_ordered() &&
         (!PROGRAM_USES_WEIGHTS || state->view->in.weights.type == QN_WEIGHT_NONE ||
          state->view->directedness == QN_UNDIRECTED);
}

static inline void notify_vertex(struct engine_work *work, struct notify_share *share, uint32_t v) {
  if (qn_frontier_insert(&work->notified, v))
    qn_frontier_push(&work->notified, &share->notified, v);
}

static inline void receive(struct engine_state *state, struct engine_work *work,
                           struct notify_share *share, uint32_t v,
                           program_accumulator contribution) {
#if PROGRAM_IN_PLACE
  if (!program_combine_atomic(&state->values[v], contribution))
    return;
#if PROGRAM_FIRST_SUFFICES
  __atomic_fetch_or(&work->settled[v / 64], (uint64_t)1 << (v % 64), __ATOMIC_RELAXED);
#endif
  activate(state, work, share, v, contribution);
#else
  (void)state;
  program_combine_atomic(&work->sums[v], contribution);
  notify_vertex(work, share, v);
#endif
}

static inline void deliver_from(struct engine_state *state, struct engine_work *work,
                                struct notify_share *share, uint32_t u, uint64_t begin,
                                uint64_t end) {
  const struct qn_shards *view = state->view;
  const uint32_t *destinations = view->out.column_indices;
  const struct qn_weights *weights =
      view->directedness == QN_UNDIRECTED ? &view->in.weights : &view->out.weights;
  program_message message = message_of(state, work, u);
  for (uint64_t e = begin; e < end; e++)
    if (may_receive(work, destinations[e]))
      receive(state, work, share, destinations[e],
              program_contribution(&state->context, message, engine_weight(weights, e),
                                   state->values, destinations[e]));
}

static inline void notify_from(struct engine_state *state, struct engine_work *work,
                               struct notify_share *share, uint32_t u, uint64_t begin,
                               uint64_t end) {
  if (work->delivers) {
    deliver_from(state, work, share, u, begin, end);
    return;
  }
  const uint32_t *destinations = state->view->out.column_indices;
  for (uint64_t e = begin; e < end; e++) {
    if (may_receive(work, destinations[e]))
      notify_vertex(work, share, destinations[e]);
  }
}

static inline void notify_hub(struct engine_state *state, struct engine_work *work, uint32_t u) {
  fetch_row(work, &state->view->out, u);
  /* Read once: where a file is written over meanwhile, segments of no edges might never end. */
  const uint64_t first = state->view->out.row_offsets[u];
  const uint64_t last = state->view->out.row_offsets[u + 1];
#pragma omp parallel
  {
    struct notify_share share = {.block.count = 0};
#pragma omp for schedule(static)
    for (uint64_t begin = first; begin < last; begin += HUB_SEGMENT) {
      uint64_t left = last - begin;
      notify_from(state, work, &share, u, begin, begin + (left < HUB_SEGMENT ? left : HUB_SEGMENT));
    }
    share_finish(work, &share);
  }
}

static inline bool is_hub(const struct qn_csr *csr, uint32_t v) {
  return csr->row_offsets[v + 1] - csr->row_offsets[v] > QN_HUB_EDGES;
}

static inline void notify_all(struct engine_state *state, struct engine_work *work) {
  const uint64_t *offsets = state->view->out.row_offsets;
  bool has_hubs = false;
#pragma omp parallel if (work->current_edges > PARALLEL_EDGES)
  {
    struct notify_share share = {.block.count = 0};
#pragma omp for schedule(dynamic, 64) reduction(|| : has_hubs)
    for (uint64_t i = 0; i < work->current.count; i++) {
      uint32_t u = work->current.queue[i];
      if (is_hub(&state->view->out, u))
        has_hubs = true;
      else {
        fetch_row(work, &state->view->out, u);
        notify_from(state, work, &share, u, offsets[u], offsets[u + 1]);
      }
    }
    share_finish(work, &share);
  }
  for (uint64_t i = 0; has_hubs && i < work->current.count; i++)
    if (is_hub(&state->view->out, work->current.queue[i]))
      notify_hub(state, work, work->current.queue[i]);
}

/* Apply the sums that notices brought. */
static inline void apply_notified(struct engine_state *state, struct engine_work *work) {
#if !PROGRAM_IN_PLACE
#pragma omp parallel if (work->notified.count > PARALLEL_EDGES)
  {
    struct notify_share share = {.block.count = 0};
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < work->notified.count; i++) {
      const uint32_t v = work->notified.queue[i];
      apply_row(state, work, &share, v, work->sums[v]);
      work->sums[v] = program_identity();
    }
    share_finish(work, &share);
  }
#else
  (void)state, (void)work;
#endif
}

/* All threads share a hub's in-edges, in segments combined in order. */
static inline void pull_hub(struct engine_state *state, struct engine_work *work,
                            struct notify_share *share, uint32_t v) {
  fetch_row(work, &state->view->in, v);
  const uint64_t first = state->view->in.row_offsets[v];
  const uint64_t last = state->view->in.row_offsets[v + 1];
  uint64_t count = (last - first + HUB_SEGMENT - 1) / HUB_SEGMENT;
  count = count < work->num_segments ? count : work->num_segments; /* of a file as it was checked */
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t segment = 0; segment < count; segment++) {
    uint64_t begin = first + segment * HUB_SEGMENT, end = begin + HUB_SEGMENT;
    pull_part(state, work, v, begin, end < last ? end : last, &work->segments[segment],
              &work->segment_received[segment]);
  }
  program_accumulator sum = program_identity();
  bool received = false;
  for (uint64_t segment = 0; segment < count; segment++) {
    program_combine(&sum, work->segments[segment]);
    received |= work->segment_received[segment];
  }
  if (received)
    apply_row(state, work, share, v, sum);
}

static inline void pull_notified(struct engine_state *state, struct engine_work *work) {
  const struct qn_frontier *notified = &work->notified;
  bool has_hubs = false;
#pragma omp parallel if (work->current_edges > PARALLEL_EDGES)
  {
    struct notify_share share = {.block.count = 0};
#pragma omp for schedule(dynamic, 64) reduction(|| : has_hubs)
    for (uint64_t i = 0; i < notified->count; i++) {
      uint32_t v = notified->queue[i];
      if (is_hub(&state->view->in, v))
        has_hubs = true;
      else {
        fetch_row(work, &state->view->in, v);
        pull_row(state, work, &share, v);
      }
    }
    share_finish(work, &share);
  }
  struct notify_share share = {.block.count = 0};
  for (uint64_t i = 0; has_hubs && i < notified->count; i++)
    if (is_hub(&state->view->in, notified->queue[i]))
      pull_hub(state, work, &share, notified->queue[i]);
  share_finish(work, &share);
}

/* ---- Iterations --------------------------------------------------------------------- */

static inline void prepare_messages(const struct engine_state *state, struct engine_work *work) {
#if !PROGRAM_IN_PLACE
#pragma omp parallel for schedule(static) if (work->current.count > PARALLEL_EDGES)
  for (uint64_t i = 0; i < work->current.count; i++) {
    uint32_t u = work->current.queue[i];
    work->messages[u] = sweep_message(state, u);
  }
#else
  (void)state, (void)work;
#endif
}

/* When no vertex is active: those that waited, or the next round. False if there are none. */
static inline bool notify_wake(struct engine_state *state, struct engine_work *work) {
  bool more = sweep_wake(state, &work->waiting, &work->current);
  work->current_edges = sweep_queue_edges(state, &work->current);
  return more;
}

/* Is it less work if only those look who are told to? A row that is read from storage costs a page
 * besides, however short it is. */
static inline bool notices_pay(const struct engine_state *state, const struct engine_work *work) {
  const double all = (double)state->context.num_edges, some = (double)work->current_edges;
  if (state->request->direction != QN_DIRECTION_AUTO)
    return state->request->direction == QN_DIRECTION_PUSH;
  if (some * NOTIFY_SHARE > all)
    return false;
  if (!work->lies_on_storage || work->random_cost <= 1)
    return true;
  return 2 * work->random_cost * (some + (double)work->current.count * STORAGE_PAGE_EDGES) <= all;
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  (void)error;
  step->is_over = work->current.count == 0 && !notify_wake(state, work);
  if (step->is_over)
    return QN_OK;
  bool notify = notices_pay(state, work);
  if (work->lies_on_storage)
    expect_edges(state, !notify);
  step->mode = notify ? "notify-pull" : "pull";
  step->num_active = work->current.count;
  work->next_edges = 0;
  prepare_messages(state, work);
  if (notify) {
    const bool delivers = work->delivers = notice_delivers(state);
    notify_all(state, work);
    work->delivers = false; /* an iteration that is shared (joint.h) has others look */
    if (delivers)
      apply_notified(state, work);
    else
      pull_notified(state, work);
    qn_frontier_clear(&work->notified);
  } else {
    pull_all(state, work);
  }
  qn_frontier_swap(&work->current, &work->next);
  work->current_edges = work->next_edges;
  qn_frontier_clear(&work->next);
  step->num_next = work->current.count;
  return QN_OK;
}

/* ---- Memory ------------------------------------------------------------------------- */

static inline enum qn_status create_hub_segments(const struct engine_state *state,
                                                 struct engine_work *work, struct qn_error *error) {
  work->num_segments = state->context.num_edges / HUB_SEGMENT + 1;
  enum qn_status status =
      qn_alloc(&work->segments, work->num_segments, sizeof *work->segments, "sums of hubs", error);
  if (!status)
    status = qn_alloc(&work->segment_received, work->num_segments, sizeof *work->segment_received,
                      "sums of hubs", error);
  return status;
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status = qn_frontier_create(&work->current, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work->next, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work->notified, num_vertices, error);
  if (!status)
    status = sweep_waiting_create(&work->waiting, state, state->request->delta,
                                  &state->view->in.weights, error);
  if (!status)
    status = create_hub_segments(state, work, error);
#if !PROGRAM_IN_PLACE
  if (!status)
    status =
        qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
  if (!status && notice_delivers(state))
    status = sweep_sums_create(&work->sums, num_vertices, error);
#endif
#if PROGRAM_FIRST_SUFFICES
  if (!status)
    status = qn_pages_alloc(&work->settled, num_vertices / 64 + 1, sizeof *work->settled,
                            "set of settled vertices", error);
#endif
  state->frontier = &work->current;
  return status;
}

static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  (void)error;
#if PROGRAM_FIRST_SUFFICES
  sweep_find_closed(state, work->settled);
#endif
  work->current_edges = sweep_queue_edges(state, &work->current);
  look_at_storage(state, work);
  return QN_OK;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  (void)state;
#if !PROGRAM_IN_PLACE
  qn_pages_free(work->sums, state->context.num_vertices, sizeof *work->sums);
  qn_pages_free(work->messages, state->context.num_vertices, sizeof *work->messages);
#endif
#if PROGRAM_FIRST_SUFFICES
  qn_pages_free(work->settled, state->context.num_vertices / 64 + 1, sizeof *work->settled);
#endif
  qn_free(work->segment_received);
  qn_free(work->segments);
  sweep_waiting_destroy(&work->waiting);
  qn_frontier_destroy(&work->notified);
  qn_frontier_destroy(&work->next);
  qn_frontier_destroy(&work->current);
}
