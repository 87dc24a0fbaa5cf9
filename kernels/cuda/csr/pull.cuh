/* All-active programs on CSR: every vertex pulls from its in-edges. Part of engine.cuh.
 *
 * An iteration is four kernels (pull_loop.cuh). pull_tiles adds up the rows, and pull_spans the few
 * that lie in several tiles: per edge 4 bytes (8 with weights) and one gather. pull_vertices
 * applies the sums, and sends: it is apart from pull_tiles because the global sums end in barriers,
 * which would keep a tile's threads from gathering. */
#ifndef QN_KERNELS_CUDA_CSR_PULL_CUH
#define QN_KERNELS_CUDA_CSR_PULL_CUH

#include "kernels/cuda/csr/engine.cuh"
#include "kernels/cuda/edges/edge_tiles.cuh"

#define ENGINE_NAME "csr pull, equal tiles"
#define PULL_THREADS 256 /* of kernels over all vertices */

namespace {

struct pull_layout {
  struct edge_tiles tiles;     /* of the in-edges */
  tile_partial *sums;          /* [V] the identity, always, where there are no in-edges */
  const uint64_t *out_offsets; /* [V + 1] if the program looks at out-degrees */
};

QN_DEVICE_INLINE uint64_t pull_layout_out_degree(const struct pull_layout &layout,
                                                 uint32_t vertex) {
  return layout.out_offsets[vertex + 1] - layout.out_offsets[vertex];
}

} /* namespace */

#include "kernels/cuda/sweep/pull_loop.cuh"

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

inline enum qn_status engine_iterate(struct engine_run_state *run, struct qn_error *error) {
  struct pull_run pull;
  memset(&pull, 0, sizeof pull);
  pull.request = run->request;
  pull.result = run->result;
  pull.memory = run->memory;
  pull.positions = run->positions;
  pull.state.values = run->values;
  pull.state.layout.out_offsets = run->out.row_offsets;
  const uint64_t num_vertices = run->context.num_vertices;
  pull.state.num_parts =
      qn_grid(num_vertices, PULL_THREADS, run->memory->device.multiprocessors, 8);
  enum qn_status status = edge_tiles_of_csr(run->memory, &run->in, &pull.state.layout.tiles, error);
  if (!status)
    status = qn_cuda_alloc(run->memory, &pull.state.layout.sums, num_vertices,
                           sizeof *pull.state.layout.sums, "sums of vertices", error);
  if (status)
    return status;
  QN_LAUNCH(pull_clear, pull.state.num_parts, PULL_THREADS, 0, NULL, pull.state, num_vertices);
  status = qn_cuda_launched("clearing sums", error);
  if (!status)
    status = pull_create(&pull, &run->context, error);
  return status ? status : pull_execute(&pull, num_vertices, error);
}

} /* namespace */

#endif
