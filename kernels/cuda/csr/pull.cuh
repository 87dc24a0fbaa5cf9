/* All-active programs on CSR: every vertex pulls from its in-edges.
 *
 * An iteration is four kernels (pull_loop.cuh). pull_tiles adds up the rows, and pull_spans the few
 * that lie in several tiles: per edge 4 bytes (8 with weights) and one gather. pull_vertices
 * applies the sums, and sends: it is apart from pull_tiles because the global sums end in barriers,
 * which would keep a tile's threads from gathering. */
#pragma once

#include "kernels/cuda/csr/pull_layout.cuh"
#include "kernels/cuda/csr/run.cuh"
#include "kernels/cuda/sweep/pull_loop.cuh"

#define CSR_NAME "csr pull, equal tiles"
#define PULL_THREADS 256 /* of kernels over all vertices */

namespace {

__global__ void pull_clear(const struct pull_state state, uint64_t num_vertices) {
  qn_grid_steps(num_vertices,
                [&](uint64_t v) { state.layout.sums[v] = tile_store(program_identity()); });
}

__global__ void __launch_bounds__(QN_TILE_THREADS)
    pull_tiles(const struct pull_state state, int turn) {
  if (state.control->finished)
    return;
  const struct qn_program_context context = state.control->context;
  const program_message *messages = state.messages[turn];
  tile_run(
      state.layout.tiles, blockIdx.x,
      [&](uint32_t source, program_weight weight) {
        return program_gather(&context, messages[source], weight);
      },
      tile_storing{state.layout.sums});
}

__global__ void __launch_bounds__(QN_TILE_THREADS) pull_spans(const struct pull_state state) {
  if (!state.control->finished)
    finish_spans(state.layout.tiles, tile_storing{state.layout.sums});
}

__global__ void pull_vertices(const struct pull_state state, int turn) {
  if (state.control->finished)
    return;
  const struct qn_program_context context = state.control->context;
  double change = 0, aggregate = 0;
  const pull_apply apply{state, context, state.messages[1 - turn], change, aggregate};
  qn_grid_steps(context.num_vertices,
                [&](uint64_t v) { apply((uint32_t)v, tile_load(state.layout.sums[v])); });
  pull_leave_sums(state, blockIdx.x, change, aggregate);
}

inline void pull_launch(const struct pull_state *state, int turn) {
  const struct edge_tiles *tiles = &state->layout.tiles;
  QN_LAUNCH(pull_tiles, tiles->num_tiles, QN_TILE_THREADS, 0, NULL, *state, turn);
  QN_LAUNCH(pull_spans, qn_span_blocks(tiles), QN_TILE_THREADS, 0, NULL, *state);
  QN_LAUNCH(pull_vertices, state->num_parts, PULL_THREADS, 0, NULL, *state, turn);
}

/* What a resident run does: pull_loop.cuh. */
struct csr_loop {
  struct csr_run *run;
  struct pull_run pull;
};

inline enum qn_status csr_loop_create(struct csr_loop *loop, struct qn_error *error) {
  const struct csr_run *run = loop->run;
  struct pull_run *pull = &loop->pull;
  struct pull_layout *layout = &pull->state.layout;
  const uint64_t num_vertices = run->context.num_vertices;
  pull->request = run->request;
  pull->result = run->result;
  pull->memory = run->memory;
  pull->positions = run->positions;
  pull->state.values = run->values;
  layout->out_offsets = run->out.row_offsets;
  pull->state.num_parts =
      qn_grid(num_vertices, PULL_THREADS, run->memory->device.multiprocessors, 8);
  enum qn_status status = edge_tiles_of_csr(run->memory, &run->in, &layout->tiles, error);
  if (!status)
    status = qn_cuda_alloc(run->memory, &layout->sums, num_vertices, sizeof *layout->sums,
                           "sums of vertices", error);
  if (status)
    return status;
  QN_LAUNCH(pull_clear, pull->state.num_parts, PULL_THREADS, 0, NULL, pull->state, num_vertices);
  status = qn_cuda_launched("clearing sums", error);
  return status ? status : pull_create(pull, &run->context, error);
}

inline enum qn_status csr_loop_run(struct csr_loop *loop, struct qn_error *error) {
  return pull_execute(&loop->pull, loop->run->context.num_vertices, error);
}

inline void csr_loop_destroy(struct csr_loop *loop) {
  pull_destroy(&loop->pull);
}

} /* namespace */
