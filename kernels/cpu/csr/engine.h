/* Plain CSR on the CPU, the baseline of all engines (view: struct qn_graph).
 *
 * All-active programs pull: each vertex sums up its in-edges' contributions, so
 * nothing is written twice and sums have one order (pull.h). Frontier programs push
 * from a queue or pull by a bitmap, whichever touches fewer edges (frontier.h); those
 * with a priority do it bucket by bucket (priority.h). */
#ifndef QN_KERNELS_CPU_CSR_ENGINE_H
#define QN_KERNELS_CPU_CSR_ENGINE_H

#include <omp.h>

#include "kernels/engine.h"
#include <quern/graph.h>
#include <quern/transpose.h>

typedef struct qn_graph engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->out.row_offsets[vertex + 1] - view->out.row_offsets[vertex];
}

#include "kernels/cpu/loop/iterations.h"
#include "kernels/cpu/loop/sweeps.h"

/* What one run works on. */
struct engine_state {
  const struct qn_run_request *request;
  const engine_view *view;
  const struct qn_csr *out;
  const struct qn_csr *in; /* in-edges; NULL if the run does without */
  struct qn_program_context context;
  program_value *values;       /* [V] */
  struct qn_row_chunks chunks; /* of `in` */
  struct qn_run_result *result;
};

#if PROGRAM_SCHEDULE != QN_ALL_ACTIVE
static inline bool engine_can_pull(const struct engine_state *state) {
  return state->in != NULL;
}
#endif

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/csr/pull.h"
#elif PROGRAM_PRIORITY
#include "kernels/cpu/csr/priority.h"
#else
#include "kernels/cpu/csr/frontier.h"
#endif

/* A program that adds real numbers, or sends from everywhere, cannot do without in-edges. */
#define ENGINE_MUST_PULL                                                                           \
  (PROGRAM_SCHEDULE == QN_ALL_ACTIVE || (!PROGRAM_IN_PLACE && engine_lane_is_real()))

static enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const engine_view *view = request->view;
  struct qn_graph transposed = {0};
  struct engine_state state = {
      .request = request, .view = view, .out = &view->out, .result = result};
  double begin = qn_seconds();
  state.context = engine_begin(request, view->out.num_vertices, view->out.num_edges, result);
  enum qn_status status = engine_check_weights(&view->out.weights, view->out.num_edges, error);
  if (!status && view->has_transpose) {
    state.in = &view->in;
  } else if (!status && ENGINE_MUST_PULL && !engine_is_finished(request, &state.context)) {
    status = qn_graph_create_transpose(&view->out, &transposed, error);
    state.in = &transposed.out;
  }
  if (!status && state.in)
    status =
        qn_row_chunks_create(&state.chunks, state.in->row_offsets, state.in->num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&state.values, state.context.num_vertices, sizeof *state.values,
                            "vertex values", error);
  if (status)
    goto cleanup;
  result->prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  sweep_init(request, &state.context, view, state.values);
  status = engine_iterate(&state, error);
  if (!status)
    status = sweep_output(&state.context, &state.values, result, error);
  result->kernel_seconds = qn_seconds() - begin;
cleanup:
  qn_pages_free(state.values, state.context.num_vertices, sizeof *state.values);
  qn_row_chunks_destroy(&state.chunks);
  qn_graph_unmap(&transposed);
  return status;
}

QN_DEFINE_KERNEL(QN_LAYOUT_GRAPH, QN_CPU, ENGINE_NAME, QN_KERNEL_DELTA);

#endif
