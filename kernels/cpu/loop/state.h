/* What one run of a program on a layout works on. Part of the engines on the CPU, whose view.h is
 * included before this and defines
 *
 *   engine_view                                where the walk finds vertices and edges
 *   uint64_t engine_out_degree(view, vertex)   asked only where out-degrees are used
 *   struct engine_walk                         what the engine keeps to walk the layout
 *
 * and afterwards, with struct engine_state at hand, the functions declared here. An engine numbers
 * vertices as the graph layout does, or says how it does (`order`). */
#ifndef QN_KERNELS_CPU_LOOP_STATE_H
#define QN_KERNELS_CPU_LOOP_STATE_H

#include "kernels/cpu/loop/frontier.h"
#include "kernels/cuts/chunks.h"
#include "kernels/engine.h"
#include "support/memory.h"
#include "support/threads.h"

struct engine_state {
  const struct qn_run_request *request; /* its positions are by the engine's numbers */
  const engine_view *view;
  struct qn_program_context context;
  program_value *values; /* [V] */
  uint64_t begin, end;   /* the vertices whose values are here: all, but for a rank's (cpu/set) */
  const uint32_t *order; /* [V] the graph's number of a vertex; NULL: it is the engine's */
  struct qn_run_result *result;
  struct engine_walk walk;
};

/* Enter the run (engine_enter) on request->view, and refuse what the program cannot work with. */
static inline enum qn_status walk_begin(struct engine_state *state, struct qn_error *error);
/* Set state->view and what state->walk derives from the layout. walk_destroy is called after a
 * failure, too. */
static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error);
static inline void walk_destroy(struct engine_state *state);

/* The run is one on a graph of this size: its context, and an empty result. */
static inline void engine_enter(struct engine_state *state, uint64_t num_vertices,
                                uint64_t num_edges) {
  state->context = engine_begin(state->request, num_vertices, num_edges, state->result);
  state->begin = 0;
  state->end = num_vertices;
}

static inline uint64_t sweep_out_degree(const engine_view *view, uint64_t vertex) {
#if PROGRAM_USES_OUT_DEGREE
  return engine_out_degree(view, vertex);
#else
  (void)view, (void)vertex;
  return 0;
#endif
}

/* What a vertex sends now. */
static inline program_message sweep_message(const struct engine_state *state, uint64_t vertex) {
  return program_send(&state->context, state->values[vertex],
                      sweep_out_degree(state->view, vertex));
}

/* Must contributions be combined in one order? Real sums depend on it. */
static inline bool sweep_is_ordered(void) {
  return !PROGRAM_IN_PLACE && engine_lane_is_real();
}

/* May a contribution still change the vertex? */
static inline bool sweep_is_open(const struct engine_state *state, uint64_t vertex) {
#if PROGRAM_FIRST_SUFFICES
  return program_open(&state->context, state->values[vertex]);
#else
  (void)state, (void)vertex;
  return true;
#endif
}

#endif
