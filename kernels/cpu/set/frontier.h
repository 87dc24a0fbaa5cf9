/* Frontier programs on the parts of a set: each vertex of this process looks for active ones among
 * its in-edges, part by part; then all ranks learn what changed. Part of engine.h.
 *
 * All ranks have the same values and the same frontier between iterations, so rounds begin
 * everywhere at once, and every rank makes the messages itself. */
#ifndef QN_KERNELS_CPU_SET_FRONTIER_H
#define QN_KERNELS_CPU_SET_FRONTIER_H

#include "kernels/cpu/set/view.h"

#include "kernels/cpu/loop/iterations.h"
#include "kernels/cpu/loop/rounds.h"
#include "kernels/cpu/loop/sweeps.h"
#include "kernels/cpu/set/changes.h"

struct engine_work {
  struct sweep_rounds rounds;
  struct qn_frontier current;
  struct qn_frontier next;    /* its bitmap alone */
  struct qn_frontier changed; /* the same: whose values are new */
  program_message *messages;  /* [V] of the senders */
  struct share_changes share;
};

/* ---- Walking ---------------------------------------------------------------- */

static inline void send_messages(const struct engine_state *state, struct engine_work *work) {
  const struct qn_frontier *senders = &work->current;
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < qn_frontier_words(senders); word++)
    for (uint64_t bits = senders->bits[word]; bits; bits &= bits - 1) {
      uint64_t u = word * 64 + (uint64_t)__builtin_ctzll(bits);
      work->messages[u] = sweep_message(state, u);
    }
}

static inline void pull_vertex(struct engine_state *state, struct engine_work *work,
                               const struct qn_csr *csr, uint64_t v) {
  program_accumulator sum = program_identity();
  bool received = false;
  if (!sweep_is_open(state, v))
    return;
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    uint32_t u = csr->column_indices[edge];
    if (!qn_frontier_has(&work->current, u))
      continue;
    program_combine(&sum,
                    program_contribution(&state->context, work->messages[u],
                                         engine_weight(&csr->weights, edge), state->values, v));
    received = true;
    if (PROGRAM_FIRST_SUFFICES)
      break;
  }
  if (!received)
    return;
  program_value old_value = state->values[v];
  state->values[v] = program_apply(&state->context, old_value, sum);
  if (program_active(&state->context, old_value, state->values[v]))
    qn_frontier_insert(&work->next, v);
  if (state->view->exchange)
    qn_frontier_insert(&work->changed, v);
}

static inline void pull_part(struct engine_state *state, struct engine_work *work, uint64_t index) {
  const struct qn_part_rows *part = &state->view->parts[index];
  const struct qn_row_chunks *chunks = &state->walk.chunks[index];
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t chunk = 0; chunk < chunks->num_chunks; chunk++)
    for (uint64_t row = chunks->bounds[chunk]; row < chunks->bounds[chunk + 1]; row++)
      pull_vertex(state, work, part->csr, part->begin + row);
}

/* ---- Iterations ---------------------------------------------------------------- */

static inline void frontier_advance(struct engine_work *work) {
  uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (uint64_t word = 0; word < qn_frontier_words(&work->next); word++) {
    work->current.bits[word] = work->next.bits[word];
    work->next.bits[word] = 0;
    count += (uint64_t)__builtin_popcountll(work->current.bits[word]);
  }
  work->current.count = count;
}

static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error) {
  if (work->current.count == 0 &&
      !sweep_round(&state->context, state->values, &work->rounds, &work->current)) {
    step->is_over = true;
    return QN_OK;
  }
  step->num_active = work->current.count;
  step->mode = "pull";
  send_messages(state, work);
  for (uint64_t i = 0; i < state->view->num_parts; i++)
    pull_part(state, work, i);
  enum qn_status status = share_changes(state, &work->share, &work->changed, &work->next, error);
  frontier_advance(work);
  step->num_next = work->current.count;
  return status;
}

static inline enum qn_status work_keep(const struct engine_state *state, struct engine_work *work,
                                       struct qn_run_state *kept, struct qn_error *error) {
  (void)state, (void)error;
  kept->active = work->current.bits;
  return QN_OK;
}

static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status = qn_frontier_create(&work->current, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work->next, num_vertices, error);
  if (!status)
    status = qn_frontier_create(&work->changed, num_vertices, error);
  if (!status)
    status = sweep_rounds_create(&work->rounds, num_vertices, error);
  if (!status)
    status =
        qn_pages_alloc(&work->messages, num_vertices, sizeof *work->messages, "messages", error);
  if (!status)
    status = share_changes_create(state, &work->share, error);
  if (!status)
    sweep_start(state, &work->current);
  return status;
}

static inline void work_destroy(const struct engine_state *state, struct engine_work *work) {
  share_changes_destroy(&work->share);
  qn_pages_free(work->messages, state->context.num_vertices, sizeof *work->messages);
  sweep_rounds_destroy(&work->rounds);
  qn_frontier_destroy(&work->changed);
  qn_frontier_destroy(&work->next);
  qn_frontier_destroy(&work->current);
}

#endif
