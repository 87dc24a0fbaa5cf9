/* What a run on slotted pages derives from the layout. Part of engine.h, and of kernels that sweep
 * pages in a way of their own. */
#pragma once

#include "kernels/cpu/slotted_pages/view.h"

#include "kernels/cpu/loop/sweeps.h"

static inline enum qn_status walk_begin(struct engine_state *state, struct qn_error *error) {
  const struct qn_slotted_pages *pages = state->request->view;
  uint64_t edge, bits;
  const struct qn_weight_limit limit =
      qn_weight_limit_for(&engine_weight_demand, pages->num_vertices);
  state->walk.graph.pages = pages;
  state->view = &state->walk.graph;
  engine_enter(state, pages->num_vertices, pages->num_edges);
  if (!PROGRAM_NON_NEGATIVE || !qn_page_weight_beyond(pages, &limit, &edge, &bits))
    return QN_OK;
  return qn_weight_refuse(&engine_weight_demand, pages->weight_type, bits, edge,
                          pages->num_vertices, error);
}

static inline enum qn_status create_collecting(struct engine_walk *walk, struct qn_error *error) {
  const struct qn_slotted_pages *pages = walk->graph.pages;
  walk->pulls = PROGRAM_SCHEDULE == QN_ALL_ACTIVE && pages->directedness == QN_UNDIRECTED;
  if (walk->pulls) {
    enum qn_status status =
        qn_alloc(&walk->heads, walk->tasks.count, sizeof *walk->heads, "sums of tasks", error);
    return status ? status : sweep_sums_create(&walk->sums, pages->num_vertices, error);
  }
  enum qn_status status = qn_page_bins_create(&walk->bins, pages, &walk->tasks, error);
  if (!status)
    status = qn_pages_alloc(&walk->buffer, walk->bins.capacity, sizeof *walk->buffer,
                            "contributions in bins", error);
  if (!status && PROGRAM_SCHEDULE == QN_ALL_ACTIVE)
    status = sweep_sums_create(&walk->sums, pages->num_vertices, error);
  if (!status && PROGRAM_SCHEDULE == QN_FRONTIER)
    status = qn_pages_alloc(&walk->senders, pages->num_pages, 1, "nextPIDSet", error);
  return status;
}

static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error) {
  struct engine_walk *walk = &state->walk;
  enum qn_status status = qn_page_tasks_create(&walk->tasks, walk->graph.pages, error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = qn_page_degrees_create(&walk->graph.degrees, walk->graph.pages, error);
  return status || PROGRAM_IN_PLACE ? status : create_collecting(walk, error);
}

static inline void walk_destroy(struct engine_state *state) {
  struct engine_walk *walk = &state->walk;
  const struct qn_slotted_pages *pages = walk->graph.pages;
  qn_pages_free(walk->senders, pages->num_pages, 1);
  qn_pages_free(walk->sums, pages->num_vertices, sizeof *walk->sums);
  qn_pages_free(walk->buffer, walk->bins.capacity, sizeof *walk->buffer);
  qn_page_bins_destroy(&walk->bins);
  qn_free(walk->heads);
  qn_pages_free(walk->graph.degrees, pages->num_vertices, sizeof *walk->graph.degrees);
  qn_page_tasks_destroy(&walk->tasks);
}
