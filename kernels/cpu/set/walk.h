/* What a run on the parts of a set needs of them. Part of engine.h. */
#pragma once

#include "kernels/cpu/set/filled.h"
#include "kernels/cpu/set/view.h"

#include "kernels/cpu/loop/partial.h"
#include "kernels/cpu/loop/state.h"

static inline enum qn_status walk_check_row(const engine_view *view,
                                            const struct qn_part_rows *part, uint64_t row,
                                            struct qn_error *error) {
  const uint64_t begin = part->csr->row_offsets[row];
  struct qn_weights weights = part->csr->weights;
  weights.data = (const char *)weights.data + begin * qn_weight_bytes(weights.type);
  return engine_check_weights(&weights, qn_part_row_end(part, row) - begin, view->num_vertices,
                              error);
}

/* What is refused may be of a row that is skipped. */
static inline enum qn_status walk_check_weights(const engine_view *view, uint64_t index,
                                                struct qn_error *error) {
  const struct qn_part_rows *part = &view->parts[index];
  const struct qn_csr *csr = part->csr;
  enum qn_status status =
      engine_check_weights(&csr->weights, csr->num_edges, view->num_vertices, error);
  if (!status || !part->skipped)
    return status;
  status = QN_OK;
  for (uint64_t row = 0; !status && row < csr->num_vertices; row++)
    status = walk_check_row(view, part, row, error);
  return status;
}

static inline enum qn_status walk_begin(struct engine_state *state, struct qn_error *error) {
  const engine_view *view = state->view = state->request->view;
  enum qn_status status = QN_OK;
  engine_enter(state, view->num_vertices, view->num_edges);
  if (view->exchange) {
    state->begin = view->first_vertices[view->exchange->rank];
    state->end = view->first_vertices[view->exchange->rank + 1];
  }
  for (uint64_t i = 0; !status && !view->enter && i < view->num_parts; i++)
    status = walk_check_weights(view, i, error);
  return status;
}

/* May steps push? What a sum of reals is depends on the order, and what another rank's vertex holds
 * is not known here. */
static inline bool walk_may_push(void) {
  return PROGRAM_SCHEDULE != QN_ALL_ACTIVE && !sweep_is_ordered() && !PROGRAM_SEES_RECEIVER;
}

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
/* Do ranks form a grid? */
static inline enum qn_status walk_divide(struct engine_state *state, struct qn_error *error) {
  const engine_view *view = state->view;
  const struct qn_set_demand demand = {.message_bytes = sizeof(program_message),
                                       .sum_bytes = sizeof(program_partial),
                                       .num_iterations = state->request->limits.max_iterations,
                                       .takes_weights = PROGRAM_USES_WEIGHTS};
  struct engine_walk *walk = &state->walk;
  enum qn_status status =
      view->exchange ? view->divide(view->set, &demand, &walk->block, error) : QN_OK;
  if (status || !walk->block)
    return status;
  const struct qn_csr *csr = &walk->block->csr;
  return qn_row_chunks_create(&walk->block_chunks, csr->row_offsets, csr->num_vertices, error);
}
#endif

/* The rows of a part are there until qn_part_leave; how they are walked is found once. */
static inline enum qn_status walk_enter(struct engine_state *state, uint64_t part,
                                        struct qn_error *error) {
  const engine_view *view = state->view;
  struct qn_row_chunks *chunks = &state->walk.chunks[part];
  enum qn_status status = qn_part_enter(view, part, error);
  if (status || chunks->bounds)
    return status;
  const struct qn_csr *csr = view->parts[part].csr;
  if (view->enter)
    status = walk_check_weights(view, part, error);
  if (status)
    return status;
  state->walk.filled[part] = filled_find(&view->parts[part], state->walk.filled[part]);
  return qn_row_chunks_create(chunks, csr->row_offsets, csr->num_vertices, error);
}

static inline uint64_t walk_filled_words(const engine_view *view) {
  uint64_t num_words = 0;
  for (uint64_t i = 0; i < view->num_parts; i++)
    num_words += filled_words(&view->parts[i]);
  return num_words;
}

/* One piece of memory: each takes address space of its own, and a set may have thousands of parts.
 * It is all zero, and taken where a part is walked. */
static inline enum qn_status walk_place_filled(const engine_view *view, struct engine_walk *walk,
                                               struct qn_error *error) {
  enum qn_status status = qn_bulk_alloc(&walk->filled_bits, walk_filled_words(view),
                                        sizeof *walk->filled_bits, "rows that have edges", error);
  uint64_t *next = walk->filled_bits;
  for (uint64_t i = 0; !status && i < view->num_parts; i++) {
    walk->filled[i] = next;
    next += filled_words(&view->parts[i]);
  }
  return status;
}

static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error) {
  const engine_view *view = state->view;
  struct engine_walk *walk = &state->walk;
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
  enum qn_status divided = walk_divide(state, error);
  if (divided || walk->block)
    return divided;
#endif
  enum qn_status status =
      view->find_in_rows && !walk_may_push() ? view->find_in_rows(view->set, error) : QN_OK;
  if (!status)
    status = qn_alloc_zeroed(&walk->chunks, view->num_parts, sizeof *walk->chunks,
                             "chunks of parts", error);
  if (!status)
    status = qn_alloc_zeroed(&walk->filled, view->num_parts, sizeof *walk->filled, "rows of parts",
                             error);
  if (!status)
    status = walk_place_filled(view, walk, error);
  /* Rows that come and go are looked at when they first come, unless what is wrong with their
   * weights might be passed over then. */
  for (uint64_t i = 0; !status && (!view->enter || PROGRAM_USES_WEIGHTS) && i < view->num_parts;
       i++) {
    status = walk_enter(state, i, error);
    qn_part_leave(view, i);
  }
  return status;
}

static inline void walk_destroy(struct engine_state *state) {
  struct engine_walk *walk = &state->walk;
  qn_row_chunks_destroy(&walk->block_chunks);
  for (uint64_t i = 0; walk->chunks && i < state->view->num_parts; i++)
    qn_row_chunks_destroy(&walk->chunks[i]);
  qn_pages_free(walk->filled_bits, walk_filled_words(state->view), sizeof *walk->filled_bits);
  qn_free(walk->filled);
  qn_free(walk->chunks);
}
