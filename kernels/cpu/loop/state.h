/* What one run of a program on a layout works on, and what its parts promise each other. Part of
 * the engines on the CPU, whose view.h is included before this and defines
 *
 *   engine_view                                where the walk finds vertices and edges
 *   uint64_t engine_out_degree(view, vertex)   asked only where out-degrees are used
 *   struct engine_walk                         what the engine keeps to walk the layout
 *
 * Afterwards the engine's walk.h and its schedule define the functions declared here, and run.h,
 * included last, calls them. An engine numbers vertices as the graph layout does, or says how it
 * does (`order`). */
#pragma once

#include <string.h>

#include "kernels/cpu/loop/frontier.h"
#include "kernels/engine.h"
#include "support/memory.h"
#include "support/threads.h"

struct engine_work;

/* Where arrays of vertices lie, if the engine does not say otherwise. */
#ifndef engine_alloc
#define engine_alloc qn_pages_alloc
#endif

struct engine_state {
  const struct qn_run_request *request; /* its positions are by the engine's numbers */
  const engine_view *view;
  struct qn_program_context context;
  program_value *values; /* [V] */
  uint64_t begin, end;   /* the vertices whose values are here: all, but for a rank's (cpu/set) */
  const uint32_t *order; /* [V] the graph's number of a vertex; NULL: it is the engine's */
  struct qn_run_result *result;
  struct engine_walk walk;
  /* What the next iteration depends on beside context and values: work_create says where it is. */
  struct qn_frontier *frontier; /* who sends; NULL: all vertices */
  /* Fills `frontier`, where it is not at hand after each iteration; NULL: it is. */
  void (*find_frontier)(const struct engine_state *state, struct engine_work *work);
  struct qn_state_parts parts; /* its numbers, and who waits */
};

/* What one iteration did. */
struct engine_step {
  const char *mode;    /* "pull" or the like */
  uint64_t num_active; /* vertices that sent */
  uint64_t num_next;   /* frontier programs: vertices that will send next */
  double change;       /* programs that converge */
  bool is_over;        /* no vertex was active, nor waits to be: there was no iteration */
};

/* ---- The walk -------------------------------------------------------------------------------- */

/* Enter the run (engine_enter) on request->view, and refuse what the program cannot work with. */
static inline enum qn_status walk_begin(struct engine_state *state, struct qn_error *error);
/* Set state->view and what state->walk derives from the layout. walk_destroy is called after a
 * failure, too. */
static inline enum qn_status walk_create(struct engine_state *state, struct qn_error *error);
static inline void walk_destroy(struct engine_state *state);

/* The run is one on a graph of this size: its context, and an empty result. */
static inline void engine_enter(struct engine_state *state, uint64_t num_vertices,
                                uint64_t num_edges) {
  state->context = qn_run_begin(state->request, num_vertices, num_edges, state->result);
  state->begin = 0;
  state->end = num_vertices;
}

/* ---- The schedule ---------------------------------------------------------------------------- */

/* The arrays of `work`, which is zeroed; the state has the first values. work_destroy is called
 * after a failure, too. */
static inline enum qn_status work_create(struct engine_state *state, struct engine_work *work,
                                         struct qn_error *error);
/* Derive from values and frontier what the first iteration needs. */
static inline enum qn_status work_begin(struct engine_state *state, struct engine_work *work,
                                        struct qn_error *error);
/* One iteration; *step is zeroed. */
static inline enum qn_status work_step(struct engine_state *state, struct engine_work *work,
                                       struct engine_step *step, struct qn_error *error);
static inline void work_destroy(const struct engine_state *state, struct engine_work *work);

/* ---- Vertices -------------------------------------------------------------------------------- */

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
