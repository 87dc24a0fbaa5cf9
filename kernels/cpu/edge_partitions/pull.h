/* All-active programs on the partitions of undirected graphs, where the edges of a source are its
 * in-edges, too: each vertex gathers what its neighbours send, in the order of its edges, and
 * nothing lies in bins between. Part of engine.h.
 *
 * A vertex may be any number while somebody overwrites the file (support/used_files.h). */
#pragma once

#include "kernels/cpu/edge_partitions/view.h"

#include "kernels/cpu/loop/all_active.h"

static inline program_accumulator gather_row(const struct engine_state *state,
                                             const program_message *messages, struct task_row row,
                                             uint64_t vertex) {
  const struct qn_edge_partitions *layout = state->view->layout;
  program_accumulator sum = program_identity();
  for (uint64_t e = row.begin; e < row.end; e++)
    program_combine(&sum, program_contribution(
                              &state->context,
                              messages[qn_ep_locate(state->view, layout->destinations[e]).dense],
                              engine_weight(&layout->weights, e), state->values, vertex));
  return sum;
}

/* Does the task begin with what is left of a vertex's edges? */
static inline bool continues(const struct qn_ep_index *index, const struct qn_ep_task *task) {
  return task->edge_begin > index->row_offsets[task->first_row];
}

static inline void gather_task(const struct engine_state *state, const program_message *messages,
                               uint64_t number) {
  const struct engine_walk *walk = &state->walk;
  const struct qn_ep_task *task = &state->view->tasks[number];
  for (uint64_t u = task->first_row; u <= task->last_row; u++) {
    const bool is_rest = u == task->first_row && continues(state->view, task);
    *(is_rest ? &walk->heads[number] : &walk->sums[u]) =
        gather_row(state, messages, row_in_task(state->view, task, u), u);
  }
}

static inline const char *pull_all(struct engine_state *state, struct engine_work *work) {
  const struct engine_walk *walk = &state->walk;
  const struct qn_ep_index *index = state->view;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t task = 0; task < index->num_tasks; task++)
    gather_task(state, work->messages, task);
  for (uint64_t task = 0; task < index->num_tasks; task++)
    if (continues(index, &index->tasks[task]))
      program_combine(&walk->sums[index->tasks[task].first_row], walk->heads[task]);
  apply_sums(state, walk->sums, &work->changed);
  return "pull";
}
