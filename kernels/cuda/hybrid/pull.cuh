/* All-active programs on the hybrid layout: y = A x by a kernel for the COO part, then one for the
 * ELL part that finishes every row. Part of engine.cuh. */
#ifndef QN_KERNELS_CUDA_HYBRID_PULL_CUH
#define QN_KERNELS_CUDA_HYBRID_PULL_CUH

#include "kernels/cuda/edges/output.cuh"
#include "kernels/cuda/hybrid/device.cuh"

namespace {

struct pull_layout {
  struct engine_device device;
  tile_partial *rests; /* [V] what a row's COO part came to; the identity, always, if it has none */
};

QN_DEVICE_INLINE uint64_t pull_layout_out_degree(const struct pull_layout &layout,
                                                 uint32_t vertex) {
  return engine_out_degree(layout.device, vertex);
}

} /* namespace */

#define ENGINE_STREAMS
#define ENGINE_COMPLETES
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

/* The sum of a row's ELL part, in the order of its entries; is the row full? Nothing branches
 * between the loads of one step: padding gathers the row's own message, which costs next to
 * nothing.
 */
QN_DEVICE_INLINE bool ell_sum(const struct hybrid_ell &ell, const program_message *messages,
                              const struct qn_program_context &context, uint64_t row,
                              program_accumulator *total) {
  uint64_t length = 0;
  for (uint64_t k = 0; k < ell.width; k += ELL_ITEMS) {
    uint32_t sources[ELL_ITEMS];
    program_message gathered[ELL_ITEMS];
    program_weight weights[ELL_ITEMS];
    ell_load(ell, row, k, sources);
    QN_UNROLL
    for (int i = 0; i < ELL_ITEMS; i++)
      weights[i] = k + i < ell.width ? streamed_weight(ell.weights, (k + i) * ell.pitch + row) : 0;
    QN_UNROLL
    for (int i = 0; i < ELL_ITEMS; i++)
      gathered[i] = messages[sources[i] == QN_HYBRID_PADDING ? row : sources[i]];
    QN_UNROLL
    for (int i = 0; i < ELL_ITEMS; i++) {
      if (sources[i] == QN_HYBRID_PADDING)
        continue;
      program_combine(total, program_gather(&context, gathered[i], weights[i]));
      length++;
    }
    if (sources[ELL_ITEMS - 1] == QN_HYBRID_PADDING)
      break;
  }
  return length == ell.width;
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

#include "kernels/cuda/hybrid/streamed.cuh"

namespace {

/* Does the matrix alone, if it is wanted, not fit? Then the work of bringing it there is not begun.
 */
inline bool engine_is_too_large(const struct pull_run *pull, const struct qn_hybrid *view) {
  const struct qn_hybrid_matrix *in = &view->in;
  const bool weighted = PROGRAM_USES_WEIGHTS && in->ell_weights.type != QN_WEIGHT_NONE;
  return pull->request->max_iterations > 0 &&
         (weighted ? 8 : 4) * (in->width * in->pitch + in->num_coo) >
             qn_cuda_plannable_bytes(&pull->memory->device, pull->memory->cap);
}

/* *too_large: nothing is wrong but that there is too little memory. */
template <class Upload>
enum qn_status engine_run_resident(const struct qn_run_request *request,
                                   const struct qn_hybrid *view, Upload upload,
                                   struct qn_run_result *result, bool *too_large,
                                   struct qn_error *error) {
  const uint64_t num_vertices = view->num_vertices;
  const struct qn_program_context context =
      engine_begin(request, num_vertices, view->num_edges, result);
  struct qn_cuda_memory memory;
  struct pull_run pull;
  memset(&pull, 0, sizeof pull);
  pull.request = request;
  pull.result = result;
  pull.memory = &memory;
  enum qn_status status =
      qn_cuda_memory_create(&memory, request->device, request->device_memory, error);
  if (!status && engine_is_too_large(&pull, view)) {
    memory.exhausted = true;
    status = QN_DEVICE;
  }
  if (!status)
    status = upload(&memory, &pull.state.layout.device, error);
  if (!status)
    status = create_values(&pull, num_vertices, error);
  if (!status)
    status = pull_create(&pull, &context, error);
  if (!status)
    status = pull_execute(&pull, num_vertices, error);
  if (!status)
    status = output_download(&memory, &context, pull.state.values, NULL, result, error);
  *too_large = status && memory.exhausted;
  return qn_cuda_run_end(&memory, status, result);
}

/* A run whole; `upload(memory, device, error)` brings the layout to the device. */
template <class Upload>
enum qn_status engine_run_program(const struct qn_run_request *request,
                                  const struct qn_hybrid *view, Upload upload,
                                  struct qn_run_result *result, struct qn_error *error) {
  const struct qn_run_state *resumed = engine_resumed(request);
  bool too_large = resumed && sweep_state_is_streamed(resumed);
  if (!too_large) {
    enum qn_status status = engine_run_resident(request, view, upload, result, &too_large, error);
    if (!too_large)
      return status;
    if (resumed)
      return sweep_refuse_resident_state(error);
  }
  auto never = [](struct sweep_run *, struct qn_error *) { return QN_OK; };
  return hybrid_stream_run(request, view, never, result, error);
}

} /* namespace */

#endif
