/* The frame of engines that walk all rows of a layout at once: blocked CSR, hybrid.
 *
 * All-active programs: send, walk, apply, until done. Frontier programs push along plain
 * out-edges while the frontier is small, and walk with its bitmap while it is large: the
 * loop of frontier.h. Part of the engines, which define before they include this
 *
 *   engine_view, engine_out_degree(view, vertex)    as for sweeps.h
 *   struct engine_walk                              what walks keep in memory
 *   ENGINE_ALL_NAME, ENGINE_FRONTIER_NAME           names of the kernels
 *
 * and afterwards, with struct engine_state at hand, the functions declared below. */
#ifndef QN_KERNELS_CPU_CSR_WALK_FRAME_H
#define QN_KERNELS_CPU_CSR_WALK_FRAME_H

#include <omp.h>

#include "kernels/cpu/loop/iterations.h"
#include "kernels/cpu/loop/near_far.h"
#include "kernels/cpu/loop/sweeps.h"

/* Vertices that are applied together, a multiple of 64. */
#define WALK_RANGE 1024

/* Do walks have status flags? */
#define WALK_FLAGS (PROGRAM_SCHEDULE != QN_ALL_ACTIVE)

/* Real sums must have one order, which pushing along plain edges has not. */
#define ENGINE_MUST_WALK (!PROGRAM_IN_PLACE && engine_lane_is_real())

/* What one run works on. */
struct engine_state {
  const struct qn_run_request *request;
  const engine_view *view;
  const struct qn_csr *out; /* plain out-edges, for frontier programs that push; NULL: none */
  struct qn_program_context context;
  program_value *values;     /* [V] */
  program_message *messages; /* [V] */
  struct qn_run_result *result;
  struct engine_walk walk;
  struct qn_sum changed;     /* all-active: change, by range */
  program_accumulator *sums; /* [num_threads][WALK_RANGE] */
  unsigned num_threads;
  /* Frontier programs: */
  const struct qn_frontier *senders;
  struct qn_frontier *receivers; /* becomes the vertices that changed */
  uint64_t num_received;
  uint64_t received_edges; /* out-edges of the receivers */
#if PROGRAM_PRIORITY
  struct near_far *far;
#endif
};

/* Refuse what the program cannot work with. */
static inline enum qn_status walk_check(const struct engine_state *state, struct qn_error *error);
/* The arrays of state->walk. walk_destroy is called after a failure too. */
static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error);
static inline void walk_destroy(struct engine_state *state);
/* Combine the messages along all edges; in a frontier program of the senders alone. */
static inline void walk_edges(struct engine_state *state);
/* What the vertices of range `range` received: `sums` [WALK_RANGE], identity for those that
 * received nothing; in a frontier program also whether they did, `received` [WALK_RANGE]. */
static inline void walk_collect(struct engine_state *state, uint64_t range,
                                program_accumulator *sums, uint8_t *received);
/* "pull" or "push": how edges are walked. */
static inline const char *walk_mode(const struct engine_state *state);
#if WALK_FLAGS
/* May a step of a frontier program walk, and not only push? */
static inline bool engine_can_pull(const struct engine_state *state);
/* Set state->out, deriving the edges into `derived` if they are not at hand. */
static inline enum qn_status walk_out_edges(struct engine_state *state, struct qn_graph *derived,
                                            struct qn_error *error);
#endif

static inline uint64_t walk_num_ranges(const struct engine_state *state) {
  return (state->context.num_vertices + WALK_RANGE - 1) / WALK_RANGE;
}

/* May a contribution still change the vertex? */
static inline bool walk_may_receive(const struct engine_state *state, uint32_t v) {
#if PROGRAM_FIRST_SUFFICES
  return program_open(&state->context, state->values[v]);
#else
  (void)state, (void)v;
  return true;
#endif
}

/* Apply what the vertices of a range received. All-active: returns the change. Frontier: marks the
 * vertices that are to send next, and counts them and their out-edges. */
static inline double apply_range(struct engine_state *state, uint64_t range,
                                 const program_accumulator *sums, const uint8_t *received,
                                 uint64_t *count, uint64_t *edges) {
  uint64_t first = range * WALK_RANGE, last = first + WALK_RANGE;
  double change = 0;
  if (last > state->context.num_vertices)
    last = state->context.num_vertices;
  for (uint64_t v = first; v < last; v++) {
    program_value old_value = state->values[v];
#if WALK_FLAGS
    if (v % 64 == 0)
      state->receivers->bits[v / 64] = 0;
    if (!received[v - first])
      continue;
    state->values[v] = program_apply(&state->context, old_value, sums[v - first]);
    if (!program_active(&state->context, old_value, state->values[v]))
      continue;
#if PROGRAM_PRIORITY
    if (near_far_waits(state->far, &state->context, state->values[v], v))
      continue;
#endif
    state->receivers->bits[v / 64] |= (uint64_t)1 << (v % 64);
    *count += 1;
    *edges += engine_out_degree(state->view, v);
#else
    (void)received, (void)count, (void)edges;
    state->values[v] = program_apply(&state->context, old_value, sums[v - first]);
#if PROGRAM_CONVERGES
    change += program_change(&state->context, old_value, state->values[v]);
#endif
#endif
  }
  return change;
}

static inline void walk_apply(struct engine_state *state) {
  uint64_t count = 0, edges = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : count, edges)
  for (uint64_t range = 0; range < walk_num_ranges(state); range++) {
    program_accumulator *sums = state->sums + (uint64_t)omp_get_thread_num() * WALK_RANGE;
    uint8_t received[WALK_RANGE];
    walk_collect(state, range, sums, received);
    state->changed.parts[range] = apply_range(state, range, sums, received, &count, &edges);
  }
  state->num_received = count;
  state->received_edges = edges;
}

#if WALK_FLAGS

#define ENGINE_NAME ENGINE_FRONTIER_NAME
#define ENGINE_OWN_PULL 1
#include "kernels/cpu/csr/frontier.h"

static inline void walk_send(struct engine_state *state) {
  const struct qn_frontier *senders = state->senders;
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < qn_frontier_words(senders); word++)
    for (uint64_t bits = senders->bits[word]; bits; bits &= bits - 1) {
      uint64_t u = word * 64 + (uint64_t)__builtin_ctzll(bits);
      state->messages[u] =
          program_send(&state->context, state->values[u], sweep_out_degree(state->view, u));
    }
}

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

#else

#define ENGINE_NAME ENGINE_ALL_NAME

static inline enum qn_status engine_iterate(struct engine_state *state, struct qn_error *error) {
  struct qn_sum sent;
  enum qn_status status = qn_sum_create(&sent, qn_sweep_chunks(state->context.num_vertices), error);
  if (status)
    return status;
  for (bool finished = engine_is_finished(state->request, &state->context); !status && !finished;) {
    double begin = qn_seconds();
    sweep_send(&state->context, state->view, state->values, state->messages, &sent);
    walk_edges(state);
    walk_apply(state);
    double change = qn_sum_total(&state->changed);
    finished = engine_end_iteration(state->request, &state->context, state->result,
                                    walk_mode(state), state->context.num_vertices, change, begin);
    if (PROGRAM_CONVERGES && change < state->context.tolerance)
      finished = state->result->converged = true;
    if (!finished)
      status =
          sweep_keep(state->request, &state->context, state->result, state->values, NULL, error);
  }
  qn_sum_destroy(&sent);
  return status;
}

#endif

static inline enum qn_status create_arrays(struct engine_state *state, struct qn_error *error) {
  uint64_t num_vertices = state->context.num_vertices;
  enum qn_status status =
      qn_pages_alloc(&state->values, num_vertices, sizeof *state->values, "vertex values", error);
  if (!status)
    status =
        qn_pages_alloc(&state->messages, num_vertices, sizeof *state->messages, "messages", error);
  if (!status)
    status = qn_sum_create(&state->changed, walk_num_ranges(state), error);
  state->num_threads = qn_threads();
  if (!status)
    status = qn_pages_alloc(&state->sums, state->num_threads * (uint64_t)WALK_RANGE,
                            sizeof *state->sums, "sums of ranges", error);
  return status ? status : walk_create(state, error);
}

static enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const engine_view *view = request->view;
  struct qn_graph derived = {0};
  struct engine_state state = {.request = request, .view = view, .result = result};
  double begin = qn_seconds();
  state.context = engine_begin(request, view->num_vertices, view->num_edges, result);
  enum qn_status status = walk_check(&state, error);
#if WALK_FLAGS
  if (!status && !ENGINE_MUST_WALK && !engine_is_finished(request, &state.context))
    status = walk_out_edges(&state, &derived, error);
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
  walk_destroy(&state);
  qn_sum_destroy(&state.changed);
  qn_pages_free(state.sums, state.num_threads * (uint64_t)WALK_RANGE, sizeof *state.sums);
  qn_pages_free(state.messages, view->num_vertices, sizeof *state.messages);
  qn_pages_free(state.values, view->num_vertices, sizeof *state.values);
  qn_graph_unmap(&derived);
  return status;
}

#endif
