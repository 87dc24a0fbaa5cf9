/* All-active programs on CSR: every vertex pulls from its in-edges. Part of csr_engine.cuh.
 *
 * An iteration is three kernels (pull_loop.cuh). pull_tiles gathers and finishes the rows that lie
 * in one tile: per vertex 8 bytes of row offset beside what the loop moves; per edge 4 bytes (8
 * with weights) and one gather. pull_spans does the same for the few rows that lie in several
 * tiles. */
#ifndef QN_KERNELS_CUDA_CSR_PULL_CUH
#define QN_KERNELS_CUDA_CSR_PULL_CUH

#include "kernels/cuda/csr_engine.cuh"
#include "kernels/cuda/csr_tiles.cuh"

#define ENGINE_NAME "csr pull, merge path"

namespace {

struct pull_layout {
  struct csr_tiles tiles;      /* of the in-edges */
  const uint64_t *out_offsets; /* [V + 1] if the program looks at out-degrees */
};

QN_DEVICE_INLINE uint64_t pull_layout_out_degree(const struct pull_layout &layout,
                                                 uint32_t vertex) {
  return layout.out_offsets[vertex + 1] - layout.out_offsets[vertex];
}

} /* namespace */

#include "kernels/cuda/pull_loop.cuh"

namespace {

__global__ void __launch_bounds__(QN_TILE_THREADS)
    pull_tiles(const struct pull_state state, int turn) {
  if (state.control->finished)
    return;
  const struct qn_program_context context = state.control->context;
  const program_message *messages = state.messages[turn];
  double change = 0, aggregate = 0;
  tile_run(
      state.layout.tiles, blockIdx.x,
      [&](uint32_t source, uint64_t edge) {
        return program_gather(&context, messages[source],
                              engine_weight(&state.layout.tiles.csr.weights, edge));
      },
      pull_apply{state, context, state.messages[1 - turn], change, aggregate});
  pull_leave_sums(state, blockIdx.x, change, aggregate);
}

__global__ void __launch_bounds__(QN_TILE_THREADS)
    pull_spans(const struct pull_state state, int turn) {
  if (state.control->finished)
    return;
  const struct qn_program_context context = state.control->context;
  double change = 0, aggregate = 0;
  finish_spans(state.layout.tiles,
               pull_apply{state, context, state.messages[1 - turn], change, aggregate});
  pull_leave_sums(state, state.layout.tiles.num_tiles + blockIdx.x, change, aggregate);
}

inline void pull_launch(const struct pull_state *state, int turn) {
  const struct csr_tiles *tiles = &state->layout.tiles;
  QN_LAUNCH(pull_tiles, tiles->num_tiles, QN_TILE_THREADS, 0, NULL, *state, turn);
  QN_LAUNCH(pull_spans, qn_span_blocks(tiles), QN_TILE_THREADS, 0, NULL, *state, turn);
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
  struct csr_tiles *tiles = &pull.state.layout.tiles;
  enum qn_status status = csr_tiles_create(run->memory, &run->in, tiles, error);
  pull.state.num_parts = tiles->num_tiles + qn_span_blocks(tiles);
  if (!status)
    status = pull_create(&pull, &run->context, error);
  return status ? status : pull_execute(&pull, run->context.num_vertices, error);
}

} /* namespace */

#endif
