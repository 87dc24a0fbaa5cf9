/* Gathering whole shards in shared memory, and hubs in segments. Part of shards_engine.cuh.
 *
 * The phases of Garaph's section 3: initialise the task's rows; gather, where consecutive threads
 * take consecutive edges, each thread TASK_ITEMS of them, whose random loads are in flight
 * together; merge the replicas. The last, apply, is a sweep over all vertices (sweeps.cuh). */
#ifndef QN_KERNELS_CUDA_SHARDS_GATHER_CUH
#define QN_KERNELS_CUDA_SHARDS_GATHER_CUH

#include "kernels/cuda/shards_engine.cuh"

/* Edges of a thread: fewer where they would take more than 32 KiB of shared memory. */
#define TASK_ITEMS (sizeof(tile_partial) <= 16 ? 8 : 4)
#define TASK_EDGES ((uint32_t)(SWEEP_THREADS * TASK_ITEMS))
#define TASK_ROWS TASK_EDGES
/* A row of more than so many edges a replica is merged by a whole warp. */
#define LONG_ROW 8

namespace {

/* ---- What becomes of a row's total --------------------------------------------------- */

/* Programs in which a sender may send what it receives in the same iteration. */
constexpr bool is_asynchronous =
    PROGRAM_IN_PLACE && !PROGRAM_FIRST_SUFFICES && sizeof(program_message) <= 8;

/* Leave a row's total for sweep_apply. Only one thread calls for a row, so whoever reads the
 * message sees the old one or the new one. */
QN_DEVICE_INLINE void receive(const struct sweep_state &state,
                              const struct qn_program_context &context, uint32_t row,
                              program_accumulator total) {
  state.sums[row] = total;
  if (is_asynchronous && sweep_is_active(state, row))
    state.messages[row] = program_send(&context, program_apply(&context, state.values[row], total),
                                       sweep_out_degree(state, row));
}

QN_DEVICE_INLINE bool may_receive(const struct sweep_state &state,
                                  const struct qn_program_context &context, uint32_t row) {
#if PROGRAM_FIRST_SUFFICES
  return program_open(&context, state.values[row]);
#else
  (void)state, (void)context, (void)row;
  return true;
#endif
}

/* Combine over the block, in a fixed order; in thread 0. Ends with a barrier. */
QN_DEVICE_INLINE program_accumulator block_combine(program_accumulator value) {
  QN_SHARED(program_accumulator, parts, SWEEP_THREADS / 32);
  value = warp_combine(value);
  if (qn_lane() == 0)
    parts[qn_warp()] = value;
  __syncthreads();
  program_accumulator total = program_identity();
  for (unsigned warp = 0; threadIdx.x == 0 && warp < SWEEP_THREADS / 32; warp++)
    program_combine(&total, parts[warp]);
  __syncthreads();
  return total;
}

/* ---- Gathering ------------------------------------------------------------------------- */

/* A thread's edges of a task or segment: every SWEEP_THREADS-th. */
struct gathered_edges {
  tile_partial contributions[TASK_ITEMS]; /* the identity where there is none */
  unsigned present;                       /* bit `item`: an edge with an active source */
};

QN_DEVICE_INLINE void gather_edges(const struct sweep_state &state,
                                   const struct qn_program_context &context, uint64_t first_edge,
                                   uint32_t num_edges, struct gathered_edges *edges) {
  const struct qn_csr &in = state.layout.in;
  uint32_t sources[TASK_ITEMS];
  unsigned present = 0;
  QN_UNROLL
  for (int item = 0; item < TASK_ITEMS; item++) {
    const uint32_t edge = threadIdx.x + item * SWEEP_THREADS;
    sources[item] = edge < num_edges ? __ldcs(&in.column_indices[first_edge + edge]) : 0;
  }
  QN_UNROLL
  for (int item = 0; item < TASK_ITEMS; item++) {
    const uint32_t edge = threadIdx.x + item * SWEEP_THREADS;
    if (edge < num_edges && sweep_is_active(state, sources[item]))
      present |= 1u << item;
  }
  QN_UNROLL
  for (int item = 0; item < TASK_ITEMS; item++) {
    const uint64_t edge = first_edge + threadIdx.x + item * SWEEP_THREADS;
    program_accumulator contribution = program_identity();
    if (present >> item & 1u)
      contribution =
          program_gather(&context, state.messages[sources[item]], engine_weight(&in.weights, edge));
    edges->contributions[item] = tile_store(contribution);
  }
  edges->present = present;
}

#if !PROGRAM_FIRST_SUFFICES

/* A task's rows and contributions, in shared memory. */
struct gather_tile {
  tile_partial partials[TASK_EDGES];
  uint16_t begins[TASK_ROWS]; /* the edges of a row; its total ends up where they began */
  uint16_t ends[TASK_ROWS];
  uint8_t received[TASK_ROWS];
};
static_assert(TASK_EDGES <= UINT16_MAX, "edges of a task are told by 16 bits");

/* Store what the threads gathered, and where each row begins and ends: where the destination's
 * offset changes. */
QN_DEVICE_INLINE void store_edges(const struct engine_device &device,
                                  const struct device_task &task,
                                  const struct gathered_edges &edges, struct gather_tile *tile) {
  const uint16_t *offsets = device.destination_offsets + task.first_edge;
  QN_UNROLL
  for (int item = 0; item < TASK_ITEMS; item++) {
    const uint32_t edge = threadIdx.x + item * SWEEP_THREADS;
    const bool valid = edge < task.num_edges;
    const uint32_t row = valid ? offsets[edge] - task.first_offset : UINT32_MAX;
    uint32_t before = __shfl_up_sync(QN_FULL_WARP, row, 1);
    if (qn_lane() == 0)
      before = valid && edge > 0 ? offsets[edge - 1] - task.first_offset : UINT32_MAX;
    if (!valid)
      continue;
    tile->partials[edge] = edges.contributions[item];
    if (row != before) {
      tile->begins[row] = (uint16_t)edge;
      if (edge > 0)
        tile->ends[before] = (uint16_t)edge;
    }
    if (edge + 1 == task.num_edges)
      tile->ends[row] = (uint16_t)task.num_edges;
    if (SWEEP_FRONTIER && (edges.present >> item & 1u))
      tile->received[row] = 1;
  }
}

/* One replica of a row: every `width`-th contribution. */
QN_DEVICE_INLINE program_accumulator combine_replica(const struct gather_tile *tile, uint32_t begin,
                                                     uint32_t end, uint32_t replica,
                                                     uint32_t width) {
  program_accumulator total = program_identity();
  for (uint32_t edge = begin + replica; edge < end; edge += width)
    program_combine(&total, tile_load(tile->partials[edge]));
  return total;
}

/* The totals of all rows, each by `width` lanes; long ones by a whole warp afterwards. */
QN_DEVICE_INLINE void merge_rows(uint32_t num_rows, uint32_t width, struct gather_tile *tile) {
  const uint32_t replica = threadIdx.x % width;
  for (uint32_t first = 0; first < num_rows; first += SWEEP_THREADS / width) {
    const uint32_t row = first + threadIdx.x / width;
    const uint32_t begin = row < num_rows ? tile->begins[row] : 0;
    const uint32_t end = row < num_rows ? tile->ends[row] : 0;
    const bool is_long = end - begin > LONG_ROW * width;
    program_accumulator total = warp_combine(
        combine_replica(tile, begin, is_long ? begin : end, replica, width), (int)width);
    __syncwarp(); /* what was read may be overwritten */
    if (replica == 0 && !is_long && begin < end)
      tile->partials[begin] = tile_store(total);
    for (unsigned left = __ballot_sync(QN_FULL_WARP, is_long && replica == 0); left;
         left &= left - 1) {
      const int owner = __ffs((int)left) - 1;
      const uint32_t long_begin = __shfl_sync(QN_FULL_WARP, begin, owner);
      const uint32_t long_end = __shfl_sync(QN_FULL_WARP, end, owner);
      total = warp_combine(combine_replica(tile, long_begin, long_end, qn_lane(), 32));
      __syncwarp();
      if (qn_lane() == 0)
        tile->partials[long_begin] = tile_store(total);
    }
  }
}

/* Consecutive threads take consecutive rows, beginning with a whole word of bits. */
QN_DEVICE_INLINE void receive_rows(const struct sweep_state &state,
                                   const struct qn_program_context &context,
                                   const struct device_task &task, const struct gather_tile *tile) {
  const uint64_t end = (uint64_t)task.first_row + task.num_rows;
  for (uint64_t first = task.first_row / 32 * 32; first < end; first += SWEEP_THREADS) {
    const uint64_t vertex = first + threadIdx.x;
    const uint32_t row = (uint32_t)vertex - task.first_row;
    const bool receives =
        vertex >= task.first_row && vertex < end &&
        (SWEEP_FRONTIER ? tile->received[row] != 0 : tile->begins[row] < tile->ends[row]);
    if (receives)
      receive(state, context, (uint32_t)vertex, tile_load(tile->partials[tile->begins[row]]));
    if (SWEEP_FRONTIER) {
      const unsigned word = __ballot_sync(QN_FULL_WARP, receives);
      if (qn_lane() == 0 && word)
        atomicOr(&state.received[vertex / 32], word); /* other tasks may have other bits */
    }
  }
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    gather_shards(const struct sweep_state state, const struct qn_program_context context) {
  QN_SHARED(struct gather_tile, tiles, 1);
  struct gather_tile *tile = tiles;
  const struct device_task task = state.layout.tasks[blockIdx.x];
  for (uint32_t row = threadIdx.x; row < task.num_rows; row += SWEEP_THREADS) {
    tile->begins[row] = tile->ends[row] = 0;
    tile->received[row] = 0;
  }
  __syncthreads();
  struct gathered_edges edges;
  gather_edges(state, context, task.first_edge, task.num_edges, &edges);
  store_edges(state.layout, task, edges, tile);
  __syncthreads();
  merge_rows(task.num_rows, task.replication, tile);
  __syncthreads();
  receive_rows(state, context, task, tile);
}

inline void collect_shards(const struct sweep_run *run) {
  if (run->state.layout.num_tasks > 0)
    QN_LAUNCH(gather_shards, run->state.layout.num_tasks, SWEEP_THREADS, 0, NULL, run->state,
              run->context);
}

#endif

/* ---- Hubs --------------------------------------------------------------------------------- */

/* Does a hub take part in this iteration? The same for all threads of a block. */
QN_DEVICE_INLINE bool hub_pulls(const struct sweep_state &state,
                                const struct qn_program_context &context, uint32_t row, bool all) {
  return (all || qn_bit_has(state.layout.notified, row)) && may_receive(state, context, row);
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    gather_segments(const struct sweep_state state, const struct qn_program_context context,
                    bool all) {
  const struct engine_device &device = state.layout;
  const struct device_segment segment = device.segments[blockIdx.x];
  if (!hub_pulls(state, context, device.hubs[segment.hub].row, all))
    return;
  struct gathered_edges edges;
  gather_edges(state, context, segment.first_edge, segment.num_edges, &edges);
  program_accumulator total = program_identity();
  QN_UNROLL
  for (int item = 0; item < TASK_ITEMS; item++)
    program_combine(&total, tile_load(edges.contributions[item]));
  const bool received = __syncthreads_or(edges.present != 0);
  total = block_combine(total);
  if (threadIdx.x == 0) {
    device.segment_sums[blockIdx.x] = total;
    device.segment_received[blockIdx.x] = received;
  }
}

/* A block merges the segments of a hub. */
__global__ void __launch_bounds__(SWEEP_THREADS)
    merge_segments(const struct sweep_state state, const struct qn_program_context context,
                   bool all) {
  const struct engine_device &device = state.layout;
  const struct device_hub hub = device.hubs[blockIdx.x];
  if (!hub_pulls(state, context, hub.row, all))
    return;
  program_accumulator total = program_identity();
  bool received = false;
  for (uint32_t i = threadIdx.x; i < hub.num_segments; i += SWEEP_THREADS) {
    program_combine(&total, device.segment_sums[hub.first_segment + i]);
    received = received || device.segment_received[hub.first_segment + i];
  }
  received = __syncthreads_or(received);
  total = block_combine(total);
  if (threadIdx.x > 0 || !received)
    return;
  receive(state, context, hub.row, total);
  if (SWEEP_FRONTIER)
    atomicOr(&state.received[hub.row / 32], 1u << hub.row % 32);
}

inline void collect_hubs(const struct sweep_run *run, bool all) {
  const struct engine_device *device = &run->state.layout;
  if (device->num_hubs == 0)
    return;
  QN_LAUNCH(gather_segments, device->num_segments, SWEEP_THREADS, 0, NULL, run->state, run->context,
            all);
  QN_LAUNCH(merge_segments, device->num_hubs, SWEEP_THREADS, 0, NULL, run->state, run->context,
            all);
}

} /* namespace */

#endif
