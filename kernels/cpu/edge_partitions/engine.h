/* Edge partitions on the CPU (view: struct qn_edge_partitions), after Graphie: partition by
 * partition, only those with an active source, each edge's contribution going from its source to
 * its destination.
 *
 * Programs that combine into the value itself do so as they go (in_place.h). The
 * others collect contributions in bins by destination first, so that they are added up in the cache
 * and always in the order of the edges (collect.h).
 *
 * Inside the engine a vertex is its dense number. */
#ifndef QN_KERNELS_CPU_EDGE_PARTITIONS_ENGINE_H
#define QN_KERNELS_CPU_EDGE_PARTITIONS_ENGINE_H

#include "kernels/cuts/edge_partitions_index.h"
#include "kernels/engine.h"
#include <quern/edge_partitions.h>

typedef struct qn_ep_index engine_view;

static inline uint64_t engine_out_degree(const engine_view *index, uint64_t dense) {
  return index->row_offsets[dense + 1] - index->row_offsets[dense];
}

#include "kernels/cpu/loop/iterations.h"
#include "kernels/cpu/loop/sweeps.h"

/* What one run works on. */
struct engine_state {
  struct qn_run_request request; /* positions are by dense number */
  struct qn_ep_index index;
  struct qn_program_context context;
  program_value *values; /* [V] */
  struct qn_run_result *result;
};

/* Report an iteration; whether it was the last one allowed. */
static inline bool engine_finished(struct engine_state *state, const char *mode,
                                   uint64_t num_active, double change, double begin) {
  return engine_end_iteration(&state->request, &state->context, state->result, mode, num_active,
                              change, begin);
}

/* The task's edges of one of its rows. */
struct task_row {
  uint64_t begin, end;
};

static inline struct task_row row_in_task(const struct qn_ep_index *index,
                                          const struct qn_ep_task *task, uint64_t row) {
  uint64_t begin = index->row_offsets[row], end = index->row_offsets[row + 1];
  return (struct task_row){begin > task->edge_begin ? begin : task->edge_begin,
                           end < task->edge_end ? end : task->edge_end};
}

/* The bits of word `word` that are rows of the task. */
static inline uint64_t rows_in_word(const struct qn_ep_task *task, uint64_t word) {
  uint64_t bits = ~(uint64_t)0;
  if (word == task->first_row / 64)
    bits &= ~(uint64_t)0 << (task->first_row % 64);
  if (word == task->last_row / 64)
    bits &= ~(uint64_t)0 >> (63 - task->last_row % 64);
  return bits;
}

#if PROGRAM_IN_PLACE
#include "kernels/cpu/edge_partitions/in_place.h"
#else
#include "kernels/cpu/edge_partitions/collect.h"
#endif

/* Positions in original order by dense number; `*owned` is to be freed. */
static inline enum qn_status dense_positions(const struct qn_run_request *request,
                                             const struct qn_edge_partitions *layout,
                                             const uint32_t **positions, uint32_t **owned,
                                             struct qn_error *error) {
  *positions = layout->new_to_old;
  *owned = NULL;
  if (!request->positions)
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(owned, layout->num_vertices, sizeof **owned, "positions", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < layout->num_vertices; v++)
    (*owned)[v] = request->positions[layout->new_to_old[v]];
  *positions = *owned;
  return QN_OK;
}

/* Results by vertex of the graph. */
static inline enum qn_status engine_output(const struct engine_state *state,
                                           struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  const uint32_t *new_to_old = state->index.layout->new_to_old;
  program_result *results;
  enum qn_status status =
      qn_pages_alloc(&results, num_vertices, sizeof *results, "result values", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    results[new_to_old[v]] = program_output(&state->context, state->values[v]);
  state->result->type = PROGRAM_RESULT;
  state->result->num_values = num_vertices;
  state->result->values = results;
  return QN_OK;
}

static enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const struct qn_edge_partitions *layout = request->view;
  struct engine_state state = {.request = *request, .result = result};
  uint32_t *owned_positions = NULL;
  double begin = qn_seconds();
  state.context = engine_begin(request, layout->num_vertices, layout->num_edges, result);
  enum qn_status status = engine_check_weights(&layout->weights, layout->num_edges, error);
  if (!status)
    status = dense_positions(request, layout, &state.request.positions, &owned_positions, error);
  if (!status)
    status = qn_ep_index_create(&state.index, layout, error);
  if (!status)
    status = qn_pages_alloc(&state.values, layout->num_vertices, sizeof *state.values,
                            "vertex values", error);
  if (status)
    goto cleanup;
  sweep_init(&state.request, &state.context, &state.index, state.values);
  status = engine_iterate(&state, begin, error);
  if (!status)
    status = engine_output(&state, error);
  result->kernel_seconds = qn_seconds() - begin - result->prepare_seconds;
cleanup:
  qn_pages_free(state.values, layout->num_vertices, sizeof *state.values);
  qn_ep_index_destroy(&state.index);
  qn_pages_free(owned_positions, layout->num_vertices, sizeof *owned_positions);
  return status;
}

QN_DEFINE_KERNEL(QN_LAYOUT_EDGE_PARTITIONS, QN_CPU, ENGINE_NAME, QN_KERNEL_DELTA);

#endif
