/* Frontier programs on the parts of a set. Where few edges leave the frontier its vertices push
 * along them (push.h). Otherwise all ranks learn who sends (senders.h), and each vertex of this
 * process looks for senders among its in-edges, part by part. Part of engine.h.
 *
 * All ranks know how many senders there are everywhere, so that they choose the same direction, and
 * rounds begin everywhere at once. */
#pragma once

#include "kernels/cpu/set/filled.h"
#include "kernels/cpu/set/view.h"

#include "kernels/cpu/loop/rounds.h"
#include "kernels/cpu/loop/sweeps.h"
#include "kernels/cpu/set/near.h"
#include "kernels/cpu/set/push.h"
#include "kernels/cpu/set/senders.h"

/* Push while the frontier has less than 1 / PUSH_SHARE of all edges. What is pushed to other ranks
 * takes far more bytes an edge than a bitmap of all vertices, so this is less than where one
 * process turns. */
#define PUSH_SHARE (PROGRAM_FIRST_SUFFICES ? 64 : 16)

/* Where all senders send the same, does a pull ask no more than whether there is one? And do those
 * who receive it send the same again? */
#define PULL_IS_COMMON                                                                             \
  (PROGRAM_FIRST_SUFFICES && PROGRAM_IN_PLACE && !PROGRAM_USES_WEIGHTS && !NEAR_IS_KNOWN)
#define PULL_KEEPS_COMMON                                                                          \
  (PULL_IS_COMMON && PROGRAM_LANES == 1 && PROGRAM_COMBINE != QN_OR && !PROGRAM_USES_OUT_DEGREE)

/* Where blocks have some columns of the rows that are walked, and what a vertex receives is applied
 * at once: what its blocks have brought so far. */
struct cut_rows {
  uint64_t num_rows;
  program_accumulator *sums; /* [num_rows] */
  uint8_t *received;         /* [num_rows] is there anything? */
};

struct engine_work {
  struct sweep_rounds rounds; /* of this rank's vertices */
  struct qn_frontier active;  /* of them, those that send */
  struct qn_frontier next;    /* its bitmap alone */
  struct senders senders;
  struct push push;
  struct cut_rows cut;
  struct senders_count pulled; /* of `next`, where a pull knows it */
#if NEAR_IS_KNOWN
  struct near near;
#endif
};

/* ---- Pulling ---------------------------------------------------------------- */

/* The vertex has a new value; does it send? */
static inline bool pull_apply(struct engine_state *state, uint64_t v, program_accumulator sum) {
  const program_value old_value = state->values[v];
  state->values[v] = program_apply(&state->context, old_value, sum);
  return program_active(&state->context, old_value, state->values[v]);
}

static inline void pull_set(struct engine_state *state, struct engine_work *work, uint64_t v,
                            program_accumulator sum) {
  if (pull_apply(state, v, sum))
    qn_frontier_insert(&work->next, v);
}

/* Where values are combined in place each block may change them. */
static inline bool pull_is_at_once(const struct qn_part_rows *part) {
  return PROGRAM_IN_PLACE || (part->begins_row && part->ends_row);
}

static inline void cut_take(struct cut_rows *cut, uint64_t row, program_accumulator sum) {
  program_combine(&cut->sums[row], sum);
  cut->received[row] = 1;
}

static inline void cut_begin(struct cut_rows *cut, const struct qn_part_rows *part) {
#pragma omp parallel for schedule(static)
  for (uint64_t row = 0; row < part->end - part->begin; row++) {
    cut->sums[row] = program_identity();
    cut->received[row] = 0;
  }
}

#if NEAR_IS_KNOWN

static inline bool pull_is_open(const struct engine_state *state, const struct engine_work *work,
                                uint64_t v) {
  return near_is_open(&work->near, &state->context, state->values[v]);
}

static inline void pull_vertex(struct engine_state *state, struct engine_work *work,
                               const struct qn_part_rows *part, uint64_t row, uint64_t v) {
  pull_set(state, work, v, near_gather(&work->near, state, &work->senders, part, row, v));
}

static inline void pull_prepare(const struct engine_state *state, struct engine_work *work) {
  near_find(&work->near, state, &work->senders);
}

#else

static inline bool pull_is_open(const struct engine_state *state, const struct engine_work *work,
                                uint64_t v) {
  (void)work;
  return sweep_is_open(state, v);
}

static inline void pull_vertex(struct engine_state *state, struct engine_work *work,
                               const struct qn_part_rows *part, uint64_t row, uint64_t v) {
  const struct qn_csr *csr = part->csr;
  const struct senders *senders = &work->senders;
  const uint64_t base = part->columns_begin;
  const uint64_t *bits = senders->all.bits; /* local: atomics make no reload necessary */
  const uint64_t end = qn_part_row_end(part, row);
  program_accumulator sum = program_identity();
  bool received = false;
  for (uint64_t edge = csr->row_offsets[row]; edge < end; edge++) {
    const uint64_t u = base + csr->column_indices[edge];
    if (!(bits[u / 64] >> (u % 64) & 1))
      continue;
    program_combine(
        &sum, program_contribution(&state->context,
                                   senders->is_equal ? senders->message : senders->messages[u],
                                   engine_weight(&csr->weights, edge), state->values, v));
    received = true;
    if (PROGRAM_FIRST_SUFFICES)
      break;
  }
  if (received && pull_is_at_once(part))
    pull_set(state, work, v, sum);
  else if (received)
    cut_take(&work->cut, row, sum);
}

static inline void pull_prepare(const struct engine_state *state, struct engine_work *work) {
  (void)state, (void)work;
}

#endif

/* ---- Rows of a part --------------------------------------------------------- */

/* Rows that are looked at together. */
#define PULL_ROWS 64

/* The next of the rows before `end` that may receive something. Their first edges are asked for
 * before they are looked at: one after the other, each would be waited for. */
static inline unsigned pull_pick(const struct engine_state *state, const struct engine_work *work,
                                 const struct qn_part_rows *part, const uint64_t *filled,
                                 uint64_t *row, uint64_t end, uint64_t *rows) {
  const struct qn_csr *csr = part->csr;
  unsigned count = 0;
  for (; *row < end && count < PULL_ROWS; *row = filled_next(filled, *row + 1, end))
    if (csr->row_offsets[*row] < qn_part_row_end(part, *row) &&
        pull_is_open(state, work, part->begin + *row)) {
      __builtin_prefetch(&csr->column_indices[csr->row_offsets[*row]]);
      rows[count++] = *row;
    }
  return count;
}

#if PULL_IS_COMMON

/* Edges of a row that are looked at without a branch. */
#define PULL_PROBES 2

static inline bool pull_finds(const struct qn_part_rows *part, const uint64_t *bits,
                              uint64_t edge) {
  const uint64_t u = part->columns_begin + part->csr->column_indices[edge];
  return bits[u / 64] >> (u % 64) & 1;
}

static inline bool pull_finds_any(const struct qn_part_rows *part, const uint64_t *bits,
                                  uint64_t row, uint64_t nth) {
  const uint64_t end = qn_part_row_end(part, row);
  for (uint64_t edge = part->csr->row_offsets[row] + nth; edge < end; edge++)
    if (pull_finds(part, bits, edge))
      return true;
  return false;
}

/* Which of `count` rows have a sender at the end of an edge, in bits by their places? Branches
 * would be mispredicted as often as not. */
static inline uint64_t pull_probe(const struct qn_part_rows *part, const uint64_t *bits,
                                  const uint64_t *rows, unsigned count) {
  const uint64_t *offsets = part->csr->row_offsets;
  uint64_t reached = 0, open = count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
  for (uint64_t nth = 0; nth < PULL_PROBES && open; nth++) {
    uint64_t more = 0;
    for (uint64_t left = open; left; left &= left - 1) {
      const unsigned i = (unsigned)__builtin_ctzll(left);
      const uint64_t edge = offsets[rows[i]] + nth;
      reached |= (uint64_t)pull_finds(part, bits, edge) << i;
      more |= (uint64_t)(edge + 1 < qn_part_row_end(part, rows[i])) << i;
    }
    open = more & ~reached;
  }
  for (uint64_t left = open; left; left &= left - 1)
    if (pull_finds_any(part, bits, rows[__builtin_ctzll(left)], PULL_PROBES))
      reached |= left & -left;
  return reached;
}

/* Other threads set bits of the same word where their rows begin and end alone. */
static inline void pull_insert(struct qn_frontier *next, uint64_t word, uint64_t bits) {
  if (bits)
    __atomic_fetch_or(&next->bits[word], bits, __ATOMIC_RELAXED);
}

/* All senders send the same. */
static inline void pull_picked(struct engine_state *state, struct engine_work *work,
                               const struct qn_part_rows *part, const uint64_t *rows,
                               unsigned count, struct senders_count *pulled) {
  const program_accumulator common = program_gather(&state->context, work->senders.message, 1);
  uint64_t word = 0, bits = 0;
  for (uint64_t left = pull_probe(part, work->senders.all.bits, rows, count); left;
       left &= left - 1) {
    const uint64_t row = rows[__builtin_ctzll(left)], v = part->begin + row;
    if (!pull_apply(state, v, common))
      continue;
    pull_insert(&work->next, word, v / 64 == word ? 0 : bits);
    bits = (v / 64 == word ? bits : 0) | (uint64_t)1 << (v % 64);
    word = v / 64;
    pulled->count++;
    pulled->edges += qn_part_row_end(part, row) - part->csr->row_offsets[row];
  }
  pull_insert(&work->next, word, bits);
}

#endif

/* The rows [begin, end) of a part. `pulled`: who has a new value, if all send the same. */
static inline void pull_rows(struct engine_state *state, struct engine_work *work,
                             const struct qn_part_rows *part, const uint64_t *filled,
                             uint64_t begin, uint64_t end, struct senders_count *pulled) {
  (void)pulled;
  uint64_t rows[PULL_ROWS];
  for (uint64_t row = filled_next(filled, begin, end); row < end;) {
    const unsigned count = pull_pick(state, work, part, filled, &row, end, rows);
#if PULL_IS_COMMON
    if (work->senders.is_equal) {
      pull_picked(state, work, part, rows, count, pulled);
      continue;
    }
#endif
    for (unsigned i = 0; i < count; i++)
      pull_vertex(state, work, part, rows[i], part->begin + rows[i]);
  }
}

static inline void cut_apply(struct engine_state *state, struct engine_work *work,
                             const struct qn_part_rows *part) {
#pragma omp parallel for schedule(static)
  for (uint64_t row = 0; row < part->end - part->begin; row++)
    if (work->cut.received[row])
      pull_set(state, work, part->begin + row, work->cut.sums[row]);
}

static inline void pull_chunk(struct engine_state *state, struct engine_work *work, uint64_t index,
                              uint64_t chunk, struct senders_count *pulled) {
  const struct qn_row_chunks *chunks = &state->walk.chunks[index];
  pull_rows(state, work, &state->view->parts[index], state->walk.filled[index],
            chunks->bounds[chunk], chunks->bounds[chunk + 1], pulled);
}

static inline void pull_edges(struct engine_state *state, struct engine_work *work,
                              uint64_t index) {
  const struct qn_part_rows *part = &state->view->parts[index];
#pragma omp parallel for schedule(dynamic, 1) if (part->csr->num_edges > FILLED_ALONE)
  for (uint64_t chunk = 0; chunk < state->walk.chunks[index].num_chunks; chunk++) {
    struct senders_count some = {0};
    pull_chunk(state, work, index, chunk, &some);
  }
}

/* The rows of a part are there while it is walked; it is not if none of its columns sends. */
static inline enum qn_status pull_part(struct engine_state *state, struct engine_work *work,
                                       uint64_t index, struct qn_error *error) {
  const struct qn_part_rows *part = &state->view->parts[index];
  const bool gathers = !pull_is_at_once(part);
  enum qn_status status = QN_OK;
  if (gathers && part->begins_row)
    cut_begin(&work->cut, part);
  if (part->num_edges && senders_between(&work->senders, part->columns_begin, part->columns_end)) {
    status = walk_enter(state, index, error);
    if (!status)
      pull_edges(state, work, index);
    qn_part_leave(state->view, index);
  }
  if (!status && gathers && part->ends_row)
    cut_apply(state, work, part);
  return status;
}

/* One part after the other. */
static inline enum qn_status pull_each(struct engine_state *state, struct engine_work *work,
                                       struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < state->view->num_parts; i++)
    status = pull_part(state, work, i, error);
  return status;
}

/* Whole rows of all parts, which are there: nobody waits for a part's last rows. */
static inline void pull_all(struct engine_state *state, struct engine_work *work) {
  uint64_t count = 0, edges = 0;
#pragma omp parallel reduction(+ : count, edges)
  {
    struct senders_count pulled = {0};
    for (uint64_t i = 0; i < state->view->num_parts; i++) {
#pragma omp for schedule(dynamic, 1) nowait
      for (uint64_t chunk = 0; chunk < state->walk.chunks[i].num_chunks; chunk++)
        pull_chunk(state, work, i, chunk, &pulled);
    }
    count += pulled.count;
    edges += pulled.edges;
  }
  work->pulled = (struct senders_count){.count = count, .edges = edges, .is_equal = 1};
}

/* `*knows`: `pulled` tells of the next senders. */
static inline enum qn_status pull_along(struct engine_state *state, struct engine_work *work,
                                        bool *knows, struct qn_error *error) {
  const engine_view *view = state->view;
  enum qn_status status = senders_share(state, &work->senders, &work->active, error);
  if (status)
    return status;
  push_has_told(&work->push, &work->senders.all);
  pull_prepare(state, work);
  if (view->enter || view->has_cut_rows)
    return pull_each(state, work, error);
  pull_all(state, work);
  *knows = PULL_KEEPS_COMMON && work->senders.is_equal;
  return QN_OK;
}

/* ---- Iterations ------------------------------------------------------------- */

/* No vertex is active anywhere: begin the next round, if there is one. */
static inline enum qn_status next_round(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
#if PROGRAM_ROUNDS
  const engine_view *view = state->view;
  double *rounds, next = INFINITY;
  enum qn_status status =
      qn_alloc(&rounds, share_ranks(view), sizeof *rounds, "rounds of ranks", error);
  if (status)
    return status;
  rounds[share_own(view)] = rounds_next(&state->context, state->values, &work->rounds);
  status = share_items(view, rounds, sizeof *rounds, error);
  for (unsigned rank = 0; rank < share_ranks(view); rank++)
    next = rounds[rank] < next ? rounds[rank] : next;
  qn_free(rounds);
  if (status || isinf(next))
    return status;
  rounds_begin(&state->context, state->values, &work->rounds, next, &work->active);
  return senders_announce(state, &work->senders, &work->active, NULL, state->context.iteration,
                          error);
#else
  (void)state, (void)work, (void)error;
  return QN_OK;
#endif
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  struct senders *senders = &work->senders;
  enum qn_status status = senders->count > 0 ? QN_OK : next_round(state, work, error);
  if (status)
    return status;
  bool knows = false;
  step->is_over = senders->count == 0;
  if (step->is_over)
    return QN_OK;
  bool pushes =
      push_is_possible(state) && (state->view->find_in_rows || state->view->num_known_parts > 0 ||
                                  senders->edges < state->context.num_edges / PUSH_SHARE);
  step->num_active = senders->count;
  step->mode = pushes ? "push" : "pull";
  if (pushes) {
    qn_frontier_enqueue(&work->active);
    status = push_along(state, &work->push, &work->active,
                        senders->counts[share_own(state->view)].edges, &work->next, error);
  } else {
    status = pull_along(state, work, &knows, error);
  }
  qn_frontier_clear(&work->active);
  qn_frontier_swap(&work->active, &work->next);
  if (!status)
    status = senders_announce(state, senders, &work->active, knows ? &work->pulled : NULL,
                              state->context.iteration + 1, error);
  step->num_next = senders->count;
  return status;
}

static inline enum qn_status cut_create(const struct engine_state *state, struct cut_rows *cut,
                                        struct qn_error *error) {
  for (uint64_t i = 0; i < state->view->num_parts; i++) {
    const struct qn_part_rows *part = &state->view->parts[i];
    if (!pull_is_at_once(part) && part->end - part->begin > cut->num_rows)
      cut->num_rows = part->end - part->begin;
  }
  if (!cut->num_rows)
    return QN_OK;
  enum qn_status status =
      engine_alloc(&cut->sums, cut->num_rows, sizeof *cut->sums, "accumulators", error);
  return status ? status
                : engine_alloc(&cut->received, cut->num_rows, sizeof *cut->received,
                               "rows that receive", error);
}

static inline void cut_destroy(struct cut_rows *cut) {
  qn_pages_free(cut->received, cut->num_rows, sizeof *cut->received);
  qn_pages_free(cut->sums, cut->num_rows, sizeof *cut->sums);
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status = push_is_possible(state)
                              ? qn_frontier_create(&work->active, num_vertices, error)
                              : qn_frontier_create_bitmap(&work->active, num_vertices, error);
  if (!status)
    status = push_is_possible(state) ? qn_frontier_create(&work->next, num_vertices, error)
                                     : qn_frontier_create_bitmap(&work->next, num_vertices, error);
  if (!status)
    status = sweep_rounds_create_of(&work->rounds, state->begin, state->end, error);
  if (!status)
    status = senders_create(state, &work->senders, error);
  if (!status)
    status = push_create(state, &work->push, error);
  if (!status)
    status = cut_create(state, &work->cut, error);
#if NEAR_IS_KNOWN
  if (!status)
    status = near_create(&work->near, num_vertices, error);
#endif
  state->frontier = &work->active;
  return status;
}

static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error) {
  return senders_announce(state, &work->senders, &work->active, NULL, state->context.iteration,
                          error);
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
#if NEAR_IS_KNOWN
  near_destroy(&work->near, state->context.num_vertices);
#endif
  cut_destroy(&work->cut);
  push_destroy(state, &work->push);
  senders_destroy(state, &work->senders);
  sweep_rounds_destroy(&work->rounds);
  qn_frontier_destroy(&work->next);
  qn_frontier_destroy(&work->active);
}
