/* Blocked CSR on the CPU (view: struct qn_blocked_csr). From Chen, GraphCage (2019).
 *
 * All-active programs walk the blocks (section 3.1, TOCAB), pulling where there are
 * pull blocks, else pushing (blocked_csr_walk.h). Frontier programs push along the plain out-edges
 * while the frontier is small and pull by blocks while it is large (section 3.3), with the loop
 * of csr_frontier.h; the out-edges are derived when the run begins where the container has none.
 *
 * What differs from the paper is where a CPU is not a GPU: pushing needs no atomics since the
 * destinations of a block belong to one thread, which also keeps sums in one order. */
#ifndef QN_KERNELS_CPU_BLOCKED_CSR_ENGINE_H
#define QN_KERNELS_CPU_BLOCKED_CSR_ENGINE_H

#include "formats/blocked_csr.h"
#include "kernels/cpu/block_units.h"
#include "kernels/cpu/iterations.h"

typedef struct qn_blocked_csr engine_view;

static inline uint64_t engine_out_degree(const engine_view *view, uint64_t vertex) {
  return view->out_degrees[vertex];
}

#include "kernels/cpu/sweeps.h"

/* Partial results are stored, so they may be narrower than what is summed up. */
typedef struct {
  PROGRAM_PARTIAL lanes[PROGRAM_LANES];
} program_partial;

/* What one run works on. */
struct engine_state {
  const struct qn_run_request *request;
  const engine_view *view;
  const struct qn_csr *out; /* plain out-edges, for frontier programs that push */
  struct qn_program_context context;
  program_value *values;     /* [V] */
  program_message *messages; /* [V] */
  struct qn_run_result *result;
  /* Pulling */
  struct qn_block_units units;
  program_partial *partials; /* [L] what a local row collected */
  uint8_t *partial_received; /* [L] frontier: whether it collected anything */
  /* Pushing */
  program_accumulator *sums; /* [V] identity between iterations */
  uint8_t *sum_received;     /* [V] frontier: whether it holds anything; zero between iterations */
  /* Frontier: */
  const struct qn_frontier *senders;
  struct qn_frontier *receivers; /* becomes the vertices that changed */
  uint64_t num_received;
  uint64_t received_edges; /* out-edges of the receivers */
  struct qn_sum changed;   /* all-active: change, by range */
};

#include "kernels/cpu/blocked_csr_walk.h"

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/blocked_csr_all.h"
#else

/* Real sums must have one order, which pushing along plain edges has not. */
#define ENGINE_MUST_WALK (!PROGRAM_IN_PLACE && engine_lane_is_real())

static inline bool engine_can_pull(const struct engine_state *state) {
  return state->view->has_pull || ENGINE_MUST_WALK;
}

#define ENGINE_OWN_PULL 1
#define ENGINE_NAME "push/TOCAB pull"
#include "kernels/cpu/csr_frontier.h"

static inline void frontier_pull(struct engine_state *state, struct frontier_work *work) {
  qn_frontier_mark(&work->current);
  state->senders = &work->current;
  state->receivers = &work->next;
  walk_send(state);
  walk_edges(state);
  walk_apply(state);
  work->next.count = state->num_received;
  work->next_edges = state->received_edges;
  work->next.marked = true;
  work->next.queued = false;
}

#endif

static inline enum qn_status create_arrays(struct engine_state *state, struct qn_error *error) {
  const struct qn_blocked_csr *view = state->view;
  uint64_t num_vertices = view->num_vertices;
  enum qn_status status =
      qn_pages_alloc(&state->values, num_vertices, sizeof *state->values, "vertex values", error);
  if (!status)
    status =
        qn_pages_alloc(&state->messages, num_vertices, sizeof *state->messages, "messages", error);
  if (!status)
    status = qn_sum_create(&state->changed, walk_num_ranges(state), error);
  if (!status)
    status = view->has_pull ? walk_create_pull(state, error) : walk_create_push(state, error);
  return status;
}

static inline void destroy_arrays(struct engine_state *state) {
  uint64_t num_vertices = state->view->num_vertices;
  qn_pages_free(state->values, num_vertices, sizeof *state->values);
  qn_pages_free(state->messages, num_vertices, sizeof *state->messages);
  qn_sum_destroy(&state->changed);
  walk_destroy(state);
}

static enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const engine_view *view = request->view;
  const struct qn_weights *weights = view->has_pull ? &view->pull.weights : &view->push.weights;
  struct qn_graph derived = {0};
  struct engine_state state = {
      .request = request, .view = view, .out = &view->out, .result = result};
  double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  state.context = engine_context(request, view->num_vertices, view->num_edges);
  enum qn_status status = sweep_check_weights(weights, view->num_edges, error);
#if PROGRAM_SCHEDULE != QN_ALL_ACTIVE
  if (!status && !view->has_out && !ENGINE_MUST_WALK && request->max_iterations > 0) {
    status = qn_blocked_csr_out_edges(view, &derived, error);
    state.out = &derived.out;
  }
#endif
  if (!status)
    status = create_arrays(&state, error);
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
  destroy_arrays(&state);
  qn_graph_unmap(&derived);
  return status;
}

QN_DEFINE_KERNEL(QN_LAYOUT_BLOCKED_CSR, QN_CPU, ENGINE_NAME);

#endif
