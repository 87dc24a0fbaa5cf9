/* Shards on the CPU (view: struct qn_shards), after Garaph, section 4: every vertex pulls from its
 * in-edges, page by page, in chunks of equal numbers of edges with replicas of the accumulators
 * of the rows that chunks cut (chunks.h). In frontier programs, while active vertices have
 * at most half of all out-edges, they notify their destinations, and only these pull
 * (notify.h). */
#ifndef QN_KERNELS_CPU_SHARDS_ENGINE_H
#define QN_KERNELS_CPU_SHARDS_ENGINE_H

#include "kernels/cpu/shards/chunks.h"
#include "kernels/engine.h"
#include <quern/shards.h>

typedef struct qn_shards engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->out.row_offsets[vertex + 1] - view->out.row_offsets[vertex];
}

#include "kernels/cpu/loop/iterations.h"
#include "kernels/cpu/loop/sweeps.h"

/* Accumulators of the rows that a chunk cuts, and whether they received anything. */
struct chunk_replicas {
  program_accumulator first, last;
  bool first_received, last_received;
};

/* What one run works on. */
struct engine_state {
  const struct qn_run_request *request;
  const engine_view *view;
  struct qn_program_context context;
  program_value *values; /* [V] */
  struct qn_sh_chunks chunks;
  struct chunk_replicas *replicas; /* [num_chunks] */
  struct qn_run_result *result;
};

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/shards/all.h"
#else
#include "kernels/cpu/shards/notify.h"
#endif

static enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const engine_view *view = request->view;
  struct engine_state state = {.request = request, .view = view, .result = result};
  double begin = qn_seconds();
  state.context = engine_begin(request, view->num_vertices, view->num_edges, result);
  enum qn_status status = engine_check_weights(&view->in.weights, view->num_edges, error);
  if (!status)
    status = qn_sh_chunks_create(&state.chunks, view, error);
  if (!status)
    status = qn_alloc(&state.replicas, state.chunks.num_chunks, sizeof *state.replicas,
                      "replicas of cut rows", error);
  if (!status)
    status = qn_pages_alloc(&state.values, view->num_vertices, sizeof *state.values,
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
  qn_pages_free(state.values, view->num_vertices, sizeof *state.values);
  qn_free(state.replicas);
  qn_sh_chunks_destroy(&state.chunks);
  return status;
}

QN_DEFINE_KERNEL(QN_LAYOUT_SHARDS, QN_CPU, ENGINE_NAME, QN_KERNEL_DELTA);

#endif
