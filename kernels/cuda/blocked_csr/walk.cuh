/* How a resident layout's blocks are walked: pulls by tiles or rows, and the reduction of their
 * partial results; pushes by rows (engine.cuh). */
#pragma once

#include <algorithm>

#include "kernels/cuda/blocked_csr/device.cuh"
#include "kernels/cuda/edges/warp_rows.cuh"
#include "kernels/cuda/sweep/push.cuh"

/* Where a program combines in place, nothing collected and the identity are the same. */
#define PULLS_BY_TILES (!SWEEP_FRONTIER || (PROGRAM_IN_PLACE && !PROGRAM_FIRST_SUFFICES))

namespace {

/* One block of the layout, as kernels see it. */
struct device_block {
  uint32_t num_rows;
  uint64_t first_row;      /* among the rows of all blocks */
  uint64_t first_edge;     /* among all edges */
  const uint32_t *offsets; /* [num_rows + 1], counted from first_edge */
  const uint32_t *id_map;  /* [num_rows] */
};

/* `action(valid, row)` for the block's local rows, whole warps at a time. */
template <class Action>
QN_DEVICE_INLINE void each_row(const struct device_block &block, Action action) {
  const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
  for (uint64_t first = (uint64_t)blockIdx.x * blockDim.x; first < block.num_rows; first += step) {
    const uint64_t row = first + threadIdx.x;
    action(row < block.num_rows, (uint32_t)row);
  }
}

#if !PULLS_BY_TILES
__global__ void __launch_bounds__(SWEEP_THREADS)
    pull_block(const struct sweep_state state, const struct qn_program_context context,
               const struct device_block block) {
  const struct engine_device &device = state.layout;
  const uint32_t *columns = device.blocking.columns;
  each_row(block, [&](bool valid, uint32_t row) {
    uint64_t begin = 0, end = 0;
    if (valid) {
      begin = block.first_edge + block.offsets[row];
      end = block.first_edge + block.offsets[row + 1];
      if (!sweep_may_receive(state, context, block.id_map[row]))
        end = begin;
    }
    warp_combine_rows(
        valid, row, begin, end,
        [&](uint32_t local, uint64_t edge, program_accumulator *total) {
          const uint32_t source = columns[edge];
          if (!sweep_is_active(state, source))
            return false;
          program_combine(total, program_contribution(&context, state.messages[source],
                                                      engine_weight(&device.blocking.weights, edge),
                                                      state.values, block.id_map[local]));
          return true;
        },
        [&](uint32_t local, program_accumulator total, bool any) {
          device.partials[block.first_row + local] = tile_store(total);
          device.collected[block.first_row + local] = any;
        });
  });
}

#else
/* The tiles follow one another through the blocks of the layout, and so, nearly, do the blocks of
 * threads: one launch, whose messages stay in the cache all the same. */
__global__ void __launch_bounds__(QN_TILE_THREADS)
    pull_tiles(const struct sweep_state state, const struct qn_program_context context) {
  const program_message *messages = state.messages;
  tile_run(
      state.layout.tiles, blockIdx.x,
      [&](uint32_t source, program_weight weight) {
        return sweep_is_active(state, source) ? program_gather(&context, messages[source], weight)
                                              : program_identity();
      },
      tile_storing{state.layout.partials});
}

__global__ void __launch_bounds__(QN_TILE_THREADS) pull_spans(const struct sweep_state state) {
  finish_spans(state.layout.tiles, tile_storing{state.layout.partials});
}
#endif

/* Sum up one range of vertices over all blocks. In one block of the layout no two rows have the
 * same vertex, so between barriers no two threads have the same accumulator. */
__global__ void __launch_bounds__(SWEEP_THREADS)
    reduce_range(const struct sweep_state state, const struct qn_program_context context,
                 const uint64_t *block_rows) {
  const struct qn_blocking &blocking = state.layout.blocking;
  QN_SHARED_DYNAMIC(program_accumulator, sums);
  uint8_t *received = reinterpret_cast<uint8_t *>(sums + QN_RANGE_VERTICES);
  const uint64_t range = blockIdx.x, first = range * QN_RANGE_VERTICES;
  for (uint32_t i = threadIdx.x; i < QN_RANGE_VERTICES; i += blockDim.x) {
    sums[i] = program_identity();
    received[i] = 0;
  }
  __syncthreads();
  for (uint64_t block = 0; block < blocking.num_blocks; block++) {
    const uint32_t *starts = blocking.range_starts + block * (blocking.num_ranges + 1) + range;
    const uint32_t begin = starts[0], end = starts[1];
    for (uint32_t local = begin + threadIdx.x; local < end; local += blockDim.x) {
      const uint64_t row = block_rows[block] + local;
      if (!PULLS_BY_TILES && !state.layout.collected[row])
        continue;
      const program_accumulator sum = tile_load(state.layout.partials[row]);
#if SWEEP_FRONTIER && PULLS_BY_TILES
      if (sum == program_identity())
        continue;
#endif
      const uint32_t i = blocking.id_map[row] % QN_RANGE_VERTICES; /* also if the input changes */
      program_combine(&sums[i], sum);
      received[i] = 1;
    }
    __syncthreads();
  }
  for (uint32_t i = threadIdx.x; i < QN_RANGE_VERTICES; i += blockDim.x) {
    const uint64_t vertex = first + i;
    const bool has = vertex < context.num_vertices && received[i];
    if (has)
      state.sums[vertex] = sums[i];
    if (SWEEP_FRONTIER) {
      const unsigned word = __ballot_sync(QN_FULL_WARP, has);
      if (qn_lane() == 0 && vertex < context.num_vertices)
        state.received[vertex / 32] = word;
    }
  }
}

/* From so many edges on a row is for the whole block of threads: the third level of TWC, beside the
 * thread's and the warp's of warp_rows.cuh. */
#define BLOCK_ROW 1024

__global__ void __launch_bounds__(SWEEP_THREADS)
    push_block(const struct sweep_state state, const struct qn_program_context context,
               const struct device_block block) {
  QN_SHARED(uint32_t, hubs, SWEEP_THREADS);
  QN_SHARED(uint32_t, num_hubs, 1);
  const struct qn_blocking &blocking = state.layout.blocking;
  auto push = [&](uint32_t sender, uint64_t edge) {
    sweep_collect(state, context, state.messages[sender], engine_weight(&blocking.weights, edge),
                  blocking.columns[edge]);
  };
  each_row(block, [&](bool valid, uint32_t row) {
    uint64_t begin = 0, end = 0;
    uint32_t source = 0;
    if (threadIdx.x == 0)
      num_hubs[0] = 0;
    __syncthreads();
    if (valid) {
      source = block.id_map[row];
      if (sweep_is_active(state, source)) {
        begin = block.first_edge + block.offsets[row];
        end = block.first_edge + block.offsets[row + 1];
      }
    }
    if (end - begin >= BLOCK_ROW) {
      hubs[atomicAdd(&num_hubs[0], 1u)] = row;
      end = begin;
    }
    warp_visit_rows(source, begin, end, push);
    __syncthreads();
    for (uint32_t i = 0; i < num_hubs[0]; i++) {
      const uint64_t last = block.first_edge + block.offsets[hubs[i] + 1];
      for (uint64_t edge = block.first_edge + block.offsets[hubs[i]] + threadIdx.x; edge < last;
           edge += blockDim.x)
        push(block.id_map[hubs[i]], edge);
    }
    __syncthreads(); /* before the next rows' hubs are listed */
  });
}

/* ---- The host's side ---------------------------------------------------------- */

/* Does the run pull, always or when many vertices are active? */
inline bool blocked_pulls(const struct qn_run_request *request) {
  const struct qn_blocked_csr *view = (const struct qn_blocked_csr *)request->view;
  return view->has_pull && request->direction != QN_DIRECTION_PUSH;
}

/* Block bounds are read on the host; they are few. */
inline const struct qn_blocking *host_blocking(const struct sweep_run *run) {
  const struct qn_blocked_csr *view = (const struct qn_blocked_csr *)run->request->view;
  return blocked_pulls(run->request) ? &view->pull : &view->push;
}

inline struct device_block block_of(const struct sweep_run *run, uint64_t index) {
  const struct qn_blocking *host = host_blocking(run);
  const struct qn_blocking &device = run->state.layout.blocking;
  struct device_block block;
  /* No further than the rows that were counted, also if the input changes. */
  const uint64_t next = std::min(host->block_rows[index + 1], host->num_rows);
  block.first_row = std::min(host->block_rows[index], next);
  block.num_rows = (uint32_t)(next - block.first_row);
  block.first_edge = host->block_edges[index];
  block.offsets = device.row_offsets + block.first_row + index;
  block.id_map = device.id_map + block.first_row;
  return block;
}

inline unsigned row_blocks(const struct sweep_run *run, uint64_t num_rows) {
  return qn_grid(num_rows, SWEEP_THREADS, run->memory.device.multiprocessors, 8);
}

/* Block after block, by rows. */
inline void walk_blocks(struct sweep_run *run) {
  const struct qn_blocking &blocking = run->state.layout.blocking;
  for (uint64_t index = 0; index < blocking.num_blocks; index++) {
    const struct device_block block = block_of(run, index);
    if (block.num_rows == 0)
      continue;
#if PULLS_BY_TILES
    QN_LAUNCH(push_block, row_blocks(run, block.num_rows), SWEEP_THREADS, 0, NULL, run->state,
              run->context, block);
#else
    QN_LAUNCH(pull_block, row_blocks(run, block.num_rows), SWEEP_THREADS, 0, NULL, run->state,
              run->context, block);
#endif
  }
}

inline void launch_reduction(struct sweep_run *run) {
  const struct qn_blocking &blocking = run->state.layout.blocking;
  const uint32_t shared_bytes = QN_RANGE_VERTICES * (sizeof(program_accumulator) + 1);
  if (blocking.num_ranges > 0)
    QN_LAUNCH(reduce_range, (unsigned)blocking.num_ranges, SWEEP_THREADS, shared_bytes, NULL,
              run->state, run->context, blocking.block_rows);
}

inline enum qn_status collect_blocks(struct sweep_run *run, struct qn_error *error) {
  const struct engine_device &layout = run->state.layout;
#if PULLS_BY_TILES
  if (layout.pulls) {
    QN_LAUNCH(pull_tiles, layout.tiles.num_tiles, QN_TILE_THREADS, 0, NULL, run->state,
              run->context);
    QN_LAUNCH(pull_spans, qn_span_blocks(&layout.tiles), QN_TILE_THREADS, 0, NULL, run->state);
  } else
#endif
    walk_blocks(run);
  if (layout.pulls)
    launch_reduction(run);
  return qn_cuda_launched("walking the blocks", error);
}

inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  bool push = false;
  if (SWEEP_FRONTIER && !run->state.layout.pulls)
    return sweep_push(run, error);
  enum qn_status status = SWEEP_FRONTIER ? sweep_choose(run, &push, error) : QN_OK;
  if (status)
    return status;
  return push ? sweep_push_queued(run, error) : collect_blocks(run, error);
}

} /* namespace */
