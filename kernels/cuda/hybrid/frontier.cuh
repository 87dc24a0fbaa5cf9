/* Frontier programs on the hybrid layout: a kernel for the ELL part and one for the COO part
 * that collect from active columns, by their bits (section 3.1); a search goes bottom-up and stops
 * at the first (section 3.2). */
#pragma once

#include "kernels/cuda/hybrid/ell.cuh"
#include "kernels/cuda/sweep/push.cuh"

namespace {

/* The ELL part, a thread a row. It comes first: whole words of bits are stored. */
__global__ void __launch_bounds__(QN_TILE_THREADS)
    collect_ell(const struct sweep_state state, const struct qn_program_context context) {
  const uint64_t row = (uint64_t)blockIdx.x * QN_TILE_THREADS + threadIdx.x;
  const bool valid = row < context.num_vertices;
  bool any = false;
  if (valid && sweep_may_receive(state, context, (uint32_t)row)) {
    program_accumulator total = program_identity();
    any = ell_combine(state, context, state.layout.ell, row, (uint32_t)row, &total);
    if (any)
      state.sums[row] = total;
  }
  const unsigned word = __ballot_sync(QN_FULL_WARP, any);
  if (valid && qn_lane() == 0)
    state.received[row / 32] = word;
}

#if PROGRAM_FIRST_SUFFICES

/* May a row of the share receive? One that found a parent in the ELL part need not. */
QN_DEVICE_INLINE bool share_is_open(const struct sweep_state &state,
                                    const struct qn_program_context &context) {
  const struct edge_tiles &coo = state.layout.coo;
  const uint32_t first = coo.first_rows[blockIdx.x], end = coo.first_rows[blockIdx.x + 1];
  bool open = false;
  /* The row before the first may reach into the share. */
  for (uint32_t row = first - (first > 0) + threadIdx.x; row < end && !open;
       row += QN_TILE_THREADS) {
    const uint32_t vertex = tile_row_id(coo, row);
    open = !qn_bit_has(state.received, vertex) && sweep_may_receive(state, context, vertex);
  }
  return __syncthreads_or(open);
}

/* The COO part: equal shares, of which those that have no open row are left out. All that is
 * stored in a sum is the same, whoever stores it. */
__global__ void __launch_bounds__(QN_TILE_THREADS)
    collect_coo(const struct sweep_state state, const struct qn_program_context context) {
  const struct edge_tiles &coo = state.layout.coo;
  const uint64_t begin = (uint64_t)blockIdx.x * QN_TILE;
  const uint64_t end = coo.num_edges - begin < QN_TILE ? coo.num_edges : begin + QN_TILE;
  if (!share_is_open(state, context))
    return;
  for (uint64_t entry = begin + threadIdx.x; entry < end; entry += QN_TILE_THREADS) {
    const uint32_t vertex = __ldcs(&state.layout.coo_rows[entry]);
    const uint32_t word = ((volatile uint32_t *)state.received)[vertex / 32];
    if (word >> vertex % 32 & 1u || !sweep_may_receive(state, context, vertex))
      continue;
    const uint32_t source = __ldcs(&coo.sources[entry]);
    if (!sweep_is_active(state, source))
      continue;
    state.sums[vertex] =
        program_gather(&context, state.messages[source], streamed_weight(coo.weights, entry));
    qn_bit_insert(state.received, vertex);
  }
}

inline void launch_coo(struct sweep_run *run) {
  QN_LAUNCH(collect_coo, run->state.layout.coo.num_tiles, QN_TILE_THREADS, 0, NULL, run->state,
            run->context);
}

#elif PROGRAM_SEES_RECEIVER

/* The COO part, an entry a thread, as each must know its row. */
__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    collect_coo(const struct sweep_state state, const struct qn_program_context context) {
  const struct edge_tiles &coo = state.layout.coo;
  qn_grid_steps(coo.num_edges, [&](uint64_t entry) {
    const uint32_t source = __ldcs(&coo.sources[entry]);
    if (sweep_is_active(state, source))
      sweep_collect(state, context, state.messages[source], streamed_weight(coo.weights, entry),
                    __ldcs(&state.layout.coo_rows[entry]));
  });
}

inline void launch_coo(struct sweep_run *run) {
  QN_LAUNCH(collect_coo, qn_run_blocks(&run->memory, run->state.layout.coo.num_edges),
            QN_QUEUE_THREADS, 0, NULL, run->state, run->context);
}

#else

/* A finish that combines the total of a row's COO part with that of its ELL part. */
struct combine_rest {
  const struct sweep_state &state;

  __device__ void operator()(uint32_t vertex, program_accumulator total) const {
#if PROGRAM_IN_PLACE
    if (total == program_identity())
      return;
    sweep_mark_received(state, vertex);
#endif
    program_combine(&state.sums[vertex], total);
  }
};

/* The COO part: equal shares, reduced by rows. Columns that are not active send the identity. */
__global__ void __launch_bounds__(QN_TILE_THREADS)
    collect_coo(const struct sweep_state state, const struct qn_program_context context) {
  tile_run(
      state.layout.coo, blockIdx.x,
      [&](uint32_t source, program_weight weight) {
        return sweep_is_active(state, source)
                   ? program_gather(&context, state.messages[source], weight)
                   : program_identity();
      },
      combine_rest{state});
}

/* Rows that lie in several shares. */
__global__ void __launch_bounds__(QN_TILE_THREADS)
    collect_coo_spans(const struct sweep_state state) {
  finish_spans(state.layout.coo, combine_rest{state});
}

/* Who has an active column in the COO part. */
__global__ void mark_coo(const struct sweep_state state) {
  const struct engine_device &device = state.layout;
  qn_grid_steps(device.coo.num_edges, [&](uint64_t entry) {
    if (sweep_is_active(state, __ldcs(&device.coo.sources[entry])))
      sweep_mark_received(state, device.coo_rows[entry]);
  });
}

inline void launch_coo(struct sweep_run *run) {
  const struct edge_tiles *coo = &run->state.layout.coo;
  QN_LAUNCH(collect_coo, coo->num_tiles, QN_TILE_THREADS, 0, NULL, run->state, run->context);
  QN_LAUNCH(collect_coo_spans, qn_span_blocks(coo), QN_TILE_THREADS, 0, NULL, run->state);
  if (HYBRID_ENTRY_ROWS)
    QN_LAUNCH(mark_coo, qn_run_blocks(&run->memory, coo->num_edges), QN_QUEUE_THREADS, 0, NULL,
              run->state);
}

#endif

inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  bool push = false;
  enum qn_status status = device->queued ? sweep_choose(run, &push, error) : QN_OK;
  if (status || push)
    return status ? status : sweep_push_queued(run, error);
  const uint64_t blocks = (run->context.num_vertices + QN_TILE_THREADS - 1) / QN_TILE_THREADS;
  QN_LAUNCH(collect_ell, (unsigned)blocks, QN_TILE_THREADS, 0, NULL, run->state, run->context);
  if (device->coo.num_edges > 0)
    launch_coo(run);
  return qn_cuda_launched("walking the ELL and COO parts", error);
}

} /* namespace */
