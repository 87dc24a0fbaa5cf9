/* All vertices send, as an iteration of an all-active program begins. Part of the engines on the
 * CPU (state.h). */
#pragma once

#include "kernels/cpu/loop/state.h"
#include "kernels/work_division/chunks.h"

/* An iteration begins: the sends are done, and `aggregate` is their sum. */
static inline void sweep_begin(struct qn_program_context *context, double aggregate) {
  context->aggregate = aggregate;
#if PROGRAM_BEGINS
  program_begin(context);
#endif
}

/* The same for the first iteration of a run. One that goes on has the sum that it had, which may
 * have been added up in another order. */
static inline void sweep_begin_first(struct qn_program_context *context, double aggregate) {
  sweep_begin(context, context->iteration > 0 ? context->aggregate : aggregate);
}

/* Every vertex's message; returns the sum of what the program aggregates. `sum` has a part for each
 * of qn_sweep_chunks. */
static inline double sweep_send_all(const struct engine_state *state, program_message *messages,
                                    struct qn_sum *sum) {
  const struct qn_program_context *context = &state->context;
  const engine_view *view = state->view;
  const program_value *values = state->values;
  uint64_t num_vertices = context->num_vertices;
#pragma omp parallel for schedule(static)
  for (uint64_t chunk = 0; chunk < qn_sweep_chunks(num_vertices); chunk++) {
    uint64_t begin = chunk * QN_SWEEP_VERTICES;
    uint64_t end = begin + QN_SWEEP_VERTICES;
    double part = 0;
    for (uint64_t v = begin; v < (end < num_vertices ? end : num_vertices); v++) {
      uint64_t out_degree = sweep_out_degree(view, v);
      messages[v] = program_send(context, values[v], out_degree);
#if PROGRAM_AGGREGATE
      part += program_aggregate(context, values[v], out_degree);
#endif
    }
    sum->parts[chunk] = part;
  }
  return PROGRAM_AGGREGATE ? qn_sum_total(sum) : 0;
}

/* The same, and the iteration begins. */
static inline void sweep_send(struct engine_state *state, program_message *messages,
                              struct qn_sum *sum) {
  sweep_begin(&state->context, sweep_send_all(state, messages, sum));
}
