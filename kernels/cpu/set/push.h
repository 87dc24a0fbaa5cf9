/* Pushing from few vertices, where rows hold out-edges, too: each rank goes through the rows of its
 * own senders, and what is for vertices of other ranks is told to those alone. Part of engine.h. */
#pragma once

#include "kernels/cpu/set/share.h"
#include "kernels/cpu/set/walk.h"

#include "kernels/cpu/loop/combine.h"
#include "kernels/cpu/loop/frontier.h"
#include "kernels/cpu/loop/sweeps.h"

/* What a thread finds for others before it is put with that of all threads. */
#define PUSH_BLOCK 256
/* Of one vertex of another rank: its number, and what is contributed. */
#define PUSH_BYTES (sizeof(uint32_t) + sizeof(program_accumulator))

struct push_block {
  uint32_t count;
  uint32_t vertices[PUSH_BLOCK];
  program_accumulator contributions[PUSH_BLOCK];
};

struct push {
  /* For vertices of other ranks, in any order. */
  uint32_t *vertices;                 /* [capacity] */
  program_accumulator *contributions; /* [capacity] */
  uint64_t count, capacity;
  uint64_t *told; /* FIRST_SUFFICES: bits of the vertices of others that need not be told again */
  /* The same by ranks: of each its vertices, then their contributions. */
  char *out;
  uint64_t out_capacity;
  uint64_t *offsets, *places; /* [num_ranks + 1] */
  struct qn_parcel in;
#if !PROGRAM_IN_PLACE
  struct qn_frontier received; /* vertices with contributions */
  program_accumulator *sums;   /* [V] identity between iterations */
#endif
};

/* Rows that are not kept would be made for a few of them, and vertices in queues have 32 bits. */
static inline bool push_is_possible(const struct engine_state *state) {
  return (state->view->has_out_rows || state->view->find_in_rows) && !state->view->enter &&
         state->view->num_vertices <= UINT32_MAX && walk_may_push();
}

/* ---- Own vertices ----------------------------------------------------------- */

/* A contribution to a vertex of this rank. */
static inline void push_take(struct engine_state *state, struct push *push,
                             struct qn_frontier *next, struct qn_queue_block *block, uint64_t v,
                             program_accumulator contribution) {
#if PROGRAM_IN_PLACE
  (void)push, (void)block;
  if (program_combine_atomic(&state->values[v], contribution))
    qn_frontier_insert(next, v);
#else
  (void)state, (void)next;
  program_combine_atomic(&push->sums[v], contribution);
  if (qn_frontier_insert(&push->received, v))
    qn_frontier_push(&push->received, block, (uint32_t)v);
#endif
}

static inline void push_finish_block(struct push *push, struct qn_queue_block *block) {
#if PROGRAM_IN_PLACE
  (void)push, (void)block;
#else
  qn_frontier_flush(&push->received, block);
#endif
}

/* The vertices that received something have new values. */
static inline void push_apply(struct engine_state *state, struct push *push,
                              struct qn_frontier *next) {
#if PROGRAM_IN_PLACE
  (void)state, (void)push, (void)next;
#else
#pragma omp parallel for schedule(static) if (push->received.count > 4096)
  for (uint64_t i = 0; i < push->received.count; i++) {
    uint32_t v = push->received.queue[i];
    program_value old_value = state->values[v];
    state->values[v] = program_apply(&state->context, old_value, push->sums[v]);
    push->sums[v] = program_identity();
    if (program_active(&state->context, old_value, state->values[v]))
      qn_frontier_insert(next, v);
  }
  push->received.queued = true;
  qn_frontier_clear(&push->received);
#endif
}

/* ---- Along the edges -------------------------------------------------------- */

static inline void push_flush(struct push *push, struct push_block *block) {
  uint64_t place = __atomic_fetch_add(&push->count, block->count, __ATOMIC_RELAXED);
  if (block->count > 0 && place + block->count <= push->capacity) { /* as edges were counted */
    memcpy(push->vertices + place, block->vertices, block->count * sizeof *block->vertices);
    memcpy(push->contributions + place, block->contributions,
           block->count * sizeof *block->contributions);
  }
  block->count = 0;
}

static inline void push_tell(struct push *push, struct push_block *block, uint32_t v,
                             program_accumulator contribution) {
  if (PROGRAM_FIRST_SUFFICES && !qn_bit_set(push->told, v))
    return;
  if (block->count == PUSH_BLOCK)
    push_flush(push, block);
  block->vertices[block->count] = v;
  block->contributions[block->count++] = contribution;
}

/* The last part that holds a row of this rank. */
static inline const struct qn_part_rows *push_part(const engine_view *view, uint64_t u) {
  uint64_t first = 0, end = view->num_parts;
  while (end - first > 1) {
    uint64_t middle = first + (end - first) / 2;
    if (view->parts[middle].begin <= u)
      first = middle;
    else
      end = middle;
  }
  return &view->parts[first];
}

/* What a part has of the row. */
static inline void push_part_of_row(struct engine_state *state, struct push *push,
                                    struct qn_frontier *next, struct qn_queue_block *own,
                                    struct push_block *others, const struct qn_part_rows *part,
                                    uint32_t u) {
  const struct qn_csr *csr = part->csr;
  const uint64_t row = u - part->begin, end = qn_part_row_end(part, row);
  const uint32_t base = (uint32_t)part->columns_begin;
  program_message message = sweep_current_message(state, u);
  for (uint64_t edge = csr->row_offsets[row]; edge < end; edge++) {
    uint32_t v = base + csr->column_indices[edge];
    program_accumulator contribution = program_contribution(
        &state->context, message, engine_weight(&csr->weights, edge), state->values, v);
    if (v >= state->begin && v < state->end)
      push_take(state, push, next, own, v, contribution);
    else
      push_tell(push, others, v, contribution);
  }
}

static inline void push_row(struct engine_state *state, struct push *push, struct qn_frontier *next,
                            struct qn_queue_block *own, struct push_block *others, uint32_t u) {
  const struct qn_part_rows *part = push_part(state->view, u);
  push_part_of_row(state, push, next, own, others, part, u);
  while (!part->begins_row)
    push_part_of_row(state, push, next, own, others, --part, u);
}

/* ---- Between ranks ---------------------------------------------------------- */

static inline unsigned push_rank_of(const engine_view *view, uint32_t v) {
  const unsigned num_ranks = view->exchange->num_ranks;
  unsigned first = 0,
           end = num_ranks; /* of ranks without vertices the last begins where v's does */
  while (end - first > 1) {
    unsigned middle = first + (end - first) / 2;
    if (view->first_vertices[middle] <= v)
      first = middle;
    else
      end = middle;
  }
  return first;
}

static inline enum qn_status push_reserve(struct push *push, uint64_t edges,
                                          struct qn_error *error) {
  push->count = 0;
  if (edges <= push->capacity)
    return QN_OK;
  qn_pages_free(push->vertices, push->capacity, sizeof *push->vertices);
  qn_pages_free(push->contributions, push->capacity, sizeof *push->contributions);
  push->contributions = NULL;
  push->capacity = 0;
  enum qn_status status =
      qn_pages_alloc(&push->vertices, edges, sizeof *push->vertices, "what is pushed", error);
  if (!status)
    status = qn_pages_alloc(&push->contributions, edges, sizeof *push->contributions,
                            "what is pushed", error);
  if (status) {
    qn_pages_free(push->vertices, edges, sizeof *push->vertices);
    push->vertices = NULL;
  } else {
    push->capacity = edges;
  }
  return status;
}

static inline enum qn_status push_reserve_out(struct push *push, struct qn_error *error) {
  const uint64_t bytes = push->count * PUSH_BYTES;
  if (bytes <= push->out_capacity)
    return QN_OK;
  qn_pages_free(push->out, push->out_capacity, 1);
  push->out_capacity = 0;
  enum qn_status status = qn_pages_alloc(&push->out, bytes, 1, "what is pushed", error);
  if (!status)
    push->out_capacity = bytes;
  return status;
}

/* Put what is for others in the order of the ranks. */
static inline void push_sort(const engine_view *view, struct push *push) {
  const unsigned num_ranks = view->exchange->num_ranks;
  memset(push->offsets, 0, (num_ranks + (uint64_t)1) * sizeof *push->offsets);
  for (uint64_t i = 0; i < push->count; i++)
    push->offsets[push_rank_of(view, push->vertices[i]) + 1]++;
  for (unsigned rank = 0; rank < num_ranks; rank++) {
    push->offsets[rank + 1] += push->offsets[rank];
    push->places[rank] = 0;
  }
  for (uint64_t i = 0; i < push->count; i++) {
    const unsigned rank = push_rank_of(view, push->vertices[i]);
    const uint64_t first = push->offsets[rank], count = push->offsets[rank + 1] - first;
    const uint64_t place = push->places[rank]++;
    char *to = push->out + first * PUSH_BYTES;
    memcpy(to + place * sizeof *push->vertices, &push->vertices[i], sizeof *push->vertices);
    memcpy(to + count * sizeof *push->vertices + place * sizeof *push->contributions,
           &push->contributions[i], sizeof *push->contributions);
  }
  for (unsigned rank = 0; rank <= num_ranks; rank++)
    push->offsets[rank] *= PUSH_BYTES;
}

/* What another rank has for vertices of this one. */
static inline void push_read(struct engine_state *state, struct push *push,
                             struct qn_frontier *next, const char *from, uint64_t count) {
  const char *contributions = from + count * sizeof(uint32_t);
#pragma omp parallel if (count > 4096)
  {
    struct qn_queue_block block = {.count = 0};
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
      uint32_t v;
      program_accumulator contribution;
      memcpy(&v, from + i * sizeof v, sizeof v);
      memcpy(&contribution, contributions + i * sizeof contribution, sizeof contribution);
      if (v >= state->begin && v < state->end)
        push_take(state, push, next, &block, v, contribution);
    }
    push_finish_block(push, &block);
  }
}

static inline enum qn_status push_trade(struct engine_state *state, struct push *push,
                                        struct qn_frontier *next, struct qn_error *error) {
  const struct qn_exchange *exchange = state->view->exchange;
  if (!exchange)
    return QN_OK;
  push->count = push->count < push->capacity ? push->count : push->capacity;
  enum qn_status status = push_reserve_out(push, error);
  if (status)
    return status;
  push_sort(state->view, push);
  status = exchange->trade(push->out, push->offsets, &push->in, error);
  for (unsigned rank = 0; !status && rank < exchange->num_ranks; rank++)
    push_read(state, push, next, push->in.bytes + push->in.offsets[rank],
              (push->in.offsets[rank + 1] - push->in.offsets[rank]) / PUSH_BYTES);
  return status;
}

/* From the vertices of `active`, whose queue is valid and whose rows have `edges`, to `next`, which
 * is empty. */
static inline enum qn_status push_along(struct engine_state *state, struct push *push,
                                        const struct qn_frontier *active, uint64_t edges,
                                        struct qn_frontier *next, struct qn_error *error) {
  enum qn_status status = state->view->exchange ? push_reserve(push, edges, error) : QN_OK;
  if (status)
    return status;
#pragma omp parallel if (edges > 1024)
  {
    struct qn_queue_block own = {.count = 0};
    struct push_block others = {.count = 0};
#pragma omp for schedule(dynamic, 16)
    for (uint64_t i = 0; i < active->count; i++)
      push_row(state, push, next, &own, &others, active->queue[i]);
    push_finish_block(push, &own);
    push_flush(push, &others);
  }
  status = push_trade(state, push, next, error);
  push_apply(state, push, next);
  return status;
}

/* ---- Its memory ------------------------------------------------------------- */

/* Nobody needs to be told of the vertices of this bitmap. */
static inline void push_has_told(struct push *push, const struct qn_frontier *senders) {
  if (!push->told)
    return;
  for (uint64_t word = 0; word < qn_frontier_words(senders); word++)
    push->told[word] |= senders->bits[word];
}

static inline enum qn_status push_create(const struct engine_state *state, struct push *push,
                                         struct qn_error *error) {
  const uint64_t num_vertices = state->context.num_vertices;
  const uint64_t offsets = share_ranks(state->view) + (uint64_t)1;
  enum qn_status status = QN_OK;
  if (!push_is_possible(state))
    return QN_OK;
  if (PROGRAM_FIRST_SUFFICES)
    status = qn_pages_alloc(&push->told, num_vertices / 64 + 1, sizeof *push->told,
                            "vertices that were told", error);
  if (!status)
    status = qn_alloc(&push->offsets, offsets, sizeof *push->offsets, "offsets of ranks", error);
  if (!status)
    status = qn_alloc(&push->places, offsets, sizeof *push->places, "offsets of ranks", error);
#if !PROGRAM_IN_PLACE
  if (!status)
    status = qn_frontier_create(&push->received, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&push->sums, num_vertices, sizeof *push->sums, "accumulators", error);
  for (uint64_t v = state->begin; !status && v < state->end; v++)
    push->sums[v] = program_identity();
#endif
  return status;
}

static inline void push_destroy(const struct engine_state *state, struct push *push) {
  const uint64_t num_vertices = state->context.num_vertices;
#if !PROGRAM_IN_PLACE
  qn_pages_free(push->sums, num_vertices, sizeof *push->sums);
  qn_frontier_destroy(&push->received);
#endif
  if (state->view->exchange)
    state->view->exchange->drop(&push->in);
  qn_free(push->places);
  qn_free(push->offsets);
  qn_pages_free(push->out, push->out_capacity, 1);
  qn_pages_free(push->contributions, push->capacity, sizeof *push->contributions);
  qn_pages_free(push->vertices, push->capacity, sizeof *push->vertices);
  qn_pages_free(push->told, num_vertices / 64 + 1, sizeof *push->told);
}
