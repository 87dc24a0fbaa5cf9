/* Ranks in a grid (struct qn_set_block): each has the messages of its column's vertices, and sums
 * up the edges from these to its row's vertices; what the ranks of a row have summed up is put
 * together by those whose vertices it is for. Part of engine.h. */
#pragma once

#include "kernels/cpu/set/view.h"

#include "kernels/cpu/loop/partial.h"
#include "kernels/cpu/loop/state.h"
#include "kernels/cpu/set/share.h"

struct grid_sums {
  program_partial *sums;       /* [rows of the block] by this rank */
  program_partial *received;   /* [own vertices] by another one */
  program_accumulator *totals; /* [own vertices] by all of the row */
};

static inline enum qn_status grid_create(const struct engine_state *state, struct grid_sums *grid,
                                         struct qn_error *error) {
  const uint64_t own = state->end - state->begin;
  enum qn_status status = qn_pages_alloc(&grid->sums, state->walk.block->csr.num_vertices,
                                         sizeof *grid->sums, "sums of rows", error);
  if (!status)
    status = qn_pages_alloc(&grid->received, own, sizeof *grid->received, "sums of others", error);
  return status ? status
                : qn_pages_alloc(&grid->totals, own, sizeof *grid->totals, "accumulators", error);
}

static inline void grid_destroy(const struct engine_state *state, struct grid_sums *grid) {
  const uint64_t own = state->end - state->begin;
  qn_pages_free(grid->totals, own, sizeof *grid->totals);
  qn_pages_free(grid->received, own, sizeof *grid->received);
  if (grid->sums)
    qn_pages_free(grid->sums, state->walk.block->csr.num_vertices, sizeof *grid->sums);
}

/* The ranks of a column tell each other their messages. */
static inline enum qn_status grid_share(const struct engine_state *state, program_message *messages,
                                        struct qn_error *error) {
  const struct qn_set_block *block = state->walk.block;
  uint64_t *offsets;
  enum qn_status status =
      qn_alloc(&offsets, block->num_rows + (uint64_t)1, sizeof *offsets, "offsets of ranks", error);
  if (status)
    return status;
  for (unsigned row = 0; row <= block->num_rows; row++)
    offsets[row] = block->places[row] * sizeof *messages;
  status = state->view->exchange->gather_column(messages, offsets, error);
  qn_free(offsets);
  return status;
}

/* Put the sums of a row's ranks together, always in the same order: this rank's own, then those of
 * the one before it, and so on around. */
static inline enum qn_status grid_sum(const struct engine_state *state, struct grid_sums *grid,
                                      struct qn_error *error) {
  const struct qn_set_block *block = state->walk.block;
  const struct qn_exchange *exchange = state->view->exchange;
  const uint64_t *firsts = state->view->first_vertices + (exchange->rank - block->column);
  const uint64_t own = state->end - state->begin;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < own; i++)
    grid->totals[i] = accumulator_of(&grid->sums[state->begin - block->begin + i]);
  for (unsigned distance = 1; !status && distance < block->num_columns; distance++) {
    const unsigned to = (block->column + distance) % block->num_columns;
    status = exchange->turn_row(distance, grid->sums + (firsts[to] - block->begin),
                                (firsts[to + 1] - firsts[to]) * sizeof *grid->sums, grid->received,
                                own * sizeof *grid->received, error);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < (status ? 0 : own); i++)
      program_combine(&grid->totals[i], accumulator_of(&grid->received[i]));
  }
  return status;
}
