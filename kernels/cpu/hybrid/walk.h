/* The product of the hybrid layout: an ELL kernel and a COO kernel. Part of engine.h.
 *
 * The ELL kernel works row by row: on a CPU a row's K entries come from K streams that are read
 * forwards. The COO kernel is a segmented reduction over equal shares of the entries:
 * a run of one row is summed up and combined into the row's sum by the share in which it
 * begins; what lies in later shares is carried over and combined at the end, in order. */
#pragma once

#include "kernels/cpu/hybrid/view.h"

#if PROGRAM_IN_PLACE && PROGRAM_FIRST_SUFFICES
#define WALK_PUSHES_BESIDE /* push_in_place.h */
#endif
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/rows/walk_frame_all.h"
#else
#include "kernels/cpu/rows/walk_frame_frontier.h"
#endif
#include "kernels/cpu/loop/gather.h"
#include "kernels/work_division/hybrid_rest.h"

/* Entries of a share of the COO part. */
#define COO_SHARE ((uint64_t)1 << 15)

/* ---- ELL -------------------------------------------------------------------- */

/* One entry of a row: whether it contributed. */
static inline bool combine_entry(const struct engine_state *state, uint32_t row, uint32_t u,
                                 const struct qn_weights *weights, uint64_t at,
                                 program_accumulator *sum) {
#if PROGRAM_SCHEDULE == QN_FRONTIER
  if (!qn_frontier_has(state->walk.senders, u))
    return false;
#endif
  program_combine(sum, program_contribution(&state->context, state->walk.messages[u],
                                            engine_weight(weights, at), state->values, row));
  return true;
}

static inline void ell_row(struct engine_state *state, uint64_t row) {
  const struct qn_hybrid_matrix *in = &state->view->in;
  program_accumulator sum = program_identity();
  bool received = false;
  if (PROGRAM_SCHEDULE == QN_ALL_ACTIVE || sweep_is_open(state, (uint32_t)row))
    for (uint64_t k = 0, at = row; k < in->width; k++, at += in->pitch) {
      uint32_t u = in->ell_columns[at];
      if (u == QN_HYBRID_PADDING)
        break;
      received |= combine_entry(state, (uint32_t)row, u, &in->ell_weights, at, &sum);
      if (PROGRAM_FIRST_SUFFICES && received)
        break;
    }
  state->walk.sums[row] = sum;
#if PROGRAM_SCHEDULE == QN_FRONTIER
  state->walk.received[row] = received;
#endif
}

static inline void ell_kernel(struct engine_state *state) {
  uint64_t num_vertices = state->context.num_vertices;
#pragma omp parallel for schedule(dynamic, 4)
  for (uint64_t first = 0; first < num_vertices; first += WALK_RANGE)
    for (uint64_t row = first; row < first + WALK_RANGE && row < num_vertices; row++)
      ell_row(state, row);
}

/* ---- COO -------------------------------------------------------------------- */

static inline bool combine_run(const struct engine_state *state, uint64_t begin, uint64_t end,
                               program_accumulator *sum) {
  const struct qn_hybrid_matrix *in = &state->view->in;
#if PROGRAM_SCHEDULE == QN_FRONTIER
  bool received = false;
  *sum = program_identity();
  for (uint64_t i = begin; i < end && !(PROGRAM_FIRST_SUFFICES && received); i++)
    received |= combine_entry(state, in->coo_rows[i], in->coo_columns[i], &in->coo_weights, i, sum);
  return received;
#else
  *sum = engine_gather(&state->context, state->walk.messages, in->coo_columns, &in->coo_weights,
                       begin, end);
  return true;
#endif
}

/* A row whose first contribution has arrived needs no other. */
static inline bool row_is_done(const struct engine_state *state, uint32_t row) {
#if PROGRAM_FIRST_SUFFICES
  return state->walk.received[row] || !sweep_is_open(state, row);
#else
  (void)state, (void)row;
  return false;
#endif
}

static inline void coo_share(struct engine_state *state, uint64_t share) {
  const struct qn_hybrid_matrix *in = &state->view->in;
  uint64_t begin = share * COO_SHARE, end = begin + COO_SHARE;
  bool continues = begin > 0 && in->coo_rows[begin - 1] == in->coo_rows[begin];
  program_accumulator sum;
  if (end > in->num_coo)
    end = in->num_coo;
  state->walk.carried[share] = 0;
  for (uint64_t run = begin, next; run < end; run = next) {
    uint32_t row = in->coo_rows[run];
    next = qn_hybrid_coo_run_end(in, run, end);
    if (run == begin && continues) {
      if (PROGRAM_SCHEDULE == QN_ALL_ACTIVE || sweep_is_open(state, row))
        state->walk.carried[share] = combine_run(state, run, next, &state->walk.carries[share]);
      continue;
    }
    if (row_is_done(state, row) || !combine_run(state, run, next, &sum))
      continue;
    program_combine(&state->walk.sums[row], sum);
#if PROGRAM_SCHEDULE == QN_FRONTIER
    state->walk.received[row] = 1;
#endif
  }
}

static inline void coo_kernel(struct engine_state *state) {
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t share = 0; share < state->walk.num_shares; share++)
    coo_share(state, share);
  for (uint64_t share = 0; share < state->walk.num_shares; share++) {
    if (!state->walk.carried[share])
      continue;
    uint32_t row = state->view->in.coo_rows[share * COO_SHARE];
    program_combine(&state->walk.sums[row], state->walk.carries[share]);
#if PROGRAM_SCHEDULE == QN_FRONTIER
    state->walk.received[row] = 1;
#endif
  }
}

/* ---- The walk --------------------------------------------------------------- */

#ifdef WALK_PUSHES_BESIDE
#include "kernels/cpu/hybrid/search.h"
#else
static inline void walk_edges(struct engine_state *state) {
  ell_kernel(state);
  coo_kernel(state);
}

/* The edges that a frontier program pushes along. */
static inline enum qn_status walk_find_rows(struct engine_state *state, struct qn_error *error) {
  if (!state->view->has_out || PROGRAM_SCHEDULE == QN_ALL_ACTIVE || sweep_is_ordered())
    return QN_OK;
  state->walk.out = &state->walk.derived.out;
  return qn_hybrid_unite(&state->view->out, &state->walk.derived, error);
}

static inline void walk_free_rows(struct engine_state *state) {
  qn_graph_unmap(&state->walk.derived);
}
#endif

static inline void walk_collect(struct engine_state *state, uint64_t range,
                                program_accumulator *sums, uint8_t *received) {
  uint64_t first = range * WALK_RANGE, last = walk_range_end(state, range);
  memcpy(sums, state->walk.sums + first, (last - first) * sizeof *sums);
#if PROGRAM_SCHEDULE == QN_FRONTIER
  memcpy(received, state->walk.received + first, last - first);
#else
  (void)received;
#endif
}

static inline const char *walk_mode(const struct engine_state *state) {
  (void)state;
  return "pull";
}

#if PROGRAM_SCHEDULE == QN_FRONTIER
static inline bool frontier_can_pull(const struct engine_state *state) {
  (void)state;
  return true;
}
#endif

/* ---- Memory ------------------------------------------------------------------ */

static inline enum qn_status walk_begin(struct engine_state *state, struct qn_error *error) {
  const engine_view *view = state->view = state->request->view;
  const struct qn_hybrid_matrix *in = &view->in;
  engine_enter(state, view->num_vertices, view->num_edges);
  enum qn_status status = qn_hybrid_need_in(view, error);
  if (!status)
    status =
        engine_check_weights(&in->ell_weights, in->width * in->pitch, view->num_vertices, error);
  return status ? status
                : engine_check_weights(&in->coo_weights, in->num_coo, view->num_vertices, error);
}

static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error) {
  struct engine_walk *walk = &state->walk;
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status = QN_OK;
  if (!engine_is_finished(state->request, &state->context))
    status = walk_find_rows(state, error);
  walk->num_shares = (state->view->in.num_coo + COO_SHARE - 1) / COO_SHARE;
  if (!status)
    status = walk_frame_create(state, error);
  if (!status)
    status = qn_pages_alloc(&walk->sums, num_vertices, sizeof *walk->sums, "accumulators", error);
  if (!status && PROGRAM_SCHEDULE == QN_FRONTIER)
    status = qn_pages_alloc(&walk->received, num_vertices, 1, "status of rows", error);
  if (!status)
    status =
        qn_alloc(&walk->carries, walk->num_shares, sizeof *walk->carries, "sums of shares", error);
  if (!status)
    status = qn_alloc_zeroed(&walk->carried, walk->num_shares, 1, "sums of shares", error);
  return status;
}

static inline void walk_destroy(struct engine_state *state) {
  struct engine_walk *walk = &state->walk;
  qn_pages_free(walk->sums, state->context.num_vertices, sizeof *walk->sums);
  qn_pages_free(walk->received, state->context.num_vertices, 1);
  qn_free(walk->carries);
  qn_free(walk->carried);
  walk_frame_destroy(state);
  walk_free_rows(state);
}
