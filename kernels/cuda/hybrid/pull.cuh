/* All-active programs on the hybrid layout: y = A x by a kernel for the COO part, then one for the
 * ELL part that finishes every row. */
#pragma once

#include "kernels/cuda/hybrid/ell.cuh"
#include "kernels/cuda/sweep/pull_loop.cuh"

namespace {

__global__ void clear_rests(tile_partial *rests, uint64_t num_vertices) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { rests[v] = tile_store(program_identity()); });
}

/* The COO part: equal shares of it, reduced by rows. */
__global__ void __launch_bounds__(QN_TILE_THREADS)
    pull_coo(const struct pull_state state, int turn) {
  if (state.control->finished)
    return;
  const struct qn_program_context context = state.control->context;
  const program_message *messages = state.messages[turn];
  tile_run(
      state.layout.device.coo, blockIdx.x,
      [&](uint32_t source, program_weight weight) {
        return program_gather(&context, messages[source], weight);
      },
      tile_storing{state.layout.rests});
}

/* Rows that lie in several shares. */
__global__ void __launch_bounds__(QN_TILE_THREADS) pull_coo_spans(const struct pull_state state) {
  if (!state.control->finished)
    finish_spans(state.layout.device.coo, tile_storing{state.layout.rests});
}

/* The ELL part, a thread a row; only full rows have a rest. */
__global__ void __launch_bounds__(QN_TILE_THREADS)
    pull_ell(const struct pull_state state, int turn) {
  if (state.control->finished)
    return;
  const struct qn_program_context context = state.control->context;
  const uint64_t row = (uint64_t)blockIdx.x * QN_TILE_THREADS + threadIdx.x;
  double change = 0, aggregate = 0;
  if (row < context.num_vertices) {
    program_accumulator total = program_identity();
    if (ell_sum(state.layout.device.ell, state.messages[turn], context, row, &total))
      program_combine(&total, tile_load(state.layout.rests[row]));
    const pull_apply apply{state, context, state.messages[1 - turn], change, aggregate};
    apply((uint32_t)row, total);
  }
  pull_leave_sums(state, blockIdx.x, change, aggregate);
}

inline void pull_launch(const struct pull_state *state, int turn) {
  const struct edge_tiles *coo = &state->layout.device.coo;
  if (coo->num_edges > 0) {
    QN_LAUNCH(pull_coo, coo->num_tiles, QN_TILE_THREADS, 0, NULL, *state, turn);
    QN_LAUNCH(pull_coo_spans, qn_span_blocks(coo), QN_TILE_THREADS, 0, NULL, *state);
  }
  QN_LAUNCH(pull_ell, state->num_parts, QN_TILE_THREADS, 0, NULL, *state, turn);
}

/* Values and what the COO part comes to; one block of pull_ell leaves one part. */
inline enum qn_status create_values(struct pull_run *pull, uint64_t num_vertices,
                                    struct qn_error *error) {
  struct pull_state *state = &pull->state;
  enum qn_status status = qn_cuda_alloc(pull->memory, &state->values, num_vertices,
                                        sizeof *state->values, "vertex values", error);
  if (!status)
    status = qn_cuda_alloc(pull->memory, &state->layout.rests, num_vertices,
                           sizeof *state->layout.rests, "accumulators", error);
  if (!status && pull->request->positions)
    status = qn_cuda_copy_of(pull->memory, &pull->positions, pull->request->positions, num_vertices,
                             0, sizeof *pull->positions, "positions", error);
  if (status)
    return status;
  state->num_parts = (uint32_t)((num_vertices + QN_TILE_THREADS - 1) / QN_TILE_THREADS);
  state->num_parts += state->num_parts == 0;
  QN_LAUNCH(clear_rests, qn_grid(num_vertices, 256, pull->memory->device.multiprocessors, 8), 256,
            0, NULL, state->layout.rests, num_vertices);
  return qn_cuda_launched("clearing accumulators", error);
}

} /* namespace */
