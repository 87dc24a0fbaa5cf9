/* Gathering whole shards, and hubs in segments, from the topology as it lies on the device or from
 * the units of one that is streamed (units.cuh).
 *
 * Every thread takes QN_TILE_ITEMS consecutive edges: their sources and destination offsets are
 * loaded 16 bytes at a time, their random loads are in flight together, and runs of the same offset
 * are added up in registers. A run that threads share is merged by a scan. */
#pragma once

#include "kernels/cuda/edges/warp_rows.cuh"
#include "kernels/cuda/shards/device.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

#define TASK_EDGES QN_TILE

namespace {

/* Where the first thread's edges begin, so that all can load 16 bytes at a time. */
static inline __host__ __device__ uint64_t aligned_edge(uint64_t edge) {
  return edge / QN_TILE_ITEMS * QN_TILE_ITEMS;
}

/* A row that does not fit into a task. */
static inline __host__ __device__ bool is_hub(uint64_t begin, uint64_t end) {
  return end - aligned_edge(begin) > TASK_EDGES;
}

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

/* Combine over the block, in a fixed order; in thread 0. */
QN_DEVICE_INLINE program_accumulator block_combine(program_accumulator value) {
  QN_SHARED(program_accumulator, parts, QN_TILE_THREADS / 32);
  value = warp_combine(value);
  if (qn_lane() == 0)
    parts[qn_warp()] = value;
  __syncthreads();
  program_accumulator total = program_identity();
  for (unsigned warp = 0; threadIdx.x == 0 && warp < QN_TILE_THREADS / 32; warp++)
    program_combine(&total, parts[warp]);
  return total;
}

/* ---- Gathering ------------------------------------------------------------------------- */

#define NO_ROW UINT32_MAX

/* A thread's consecutive edges. Bit i of the sets is for edge + i. */
struct thread_edges {
  uint64_t edge;
  unsigned valid;  /* which belong to the task */
  unsigned active; /* of these, which have an active source */
  tile_partial parts[QN_TILE_ITEMS];
};

/* Those of the thread's edges that are among [begin, end). */
QN_DEVICE_INLINE unsigned items_between(uint64_t edge, uint64_t begin, uint64_t end) {
  const uint64_t skipped = begin > edge ? begin - edge : 0, upto = end > edge ? end - edge : 0;
  if (skipped >= QN_TILE_ITEMS || skipped >= upto)
    return 0;
  const unsigned before_end = upto < QN_TILE_ITEMS ? (1u << upto) - 1 : (1u << QN_TILE_ITEMS) - 1;
  return before_end & ~((1u << skipped) - 1);
}

/* In-edges on the device, of which a task's are [begin, end). */
struct gathered_edges {
  struct edge_tiles in;                /* sources and weights alone */
  const uint16_t *destination_offsets; /* [in.num_edges] */
  uint64_t begin, end;
};

/* `row_of(edge)` is the receiver of an edge; only programs that see receivers ask. */
template <class RowOf>
QN_DEVICE_INLINE void gather_edges(const struct sweep_state &state,
                                   const struct qn_program_context &context,
                                   const struct edge_tiles &in, uint64_t begin, uint64_t end,
                                   RowOf row_of, struct thread_edges *edges) {
  uint32_t sources[QN_TILE_ITEMS];
  program_weight weights[QN_TILE_ITEMS];
  edges->edge = aligned_edge(begin) + (uint64_t)threadIdx.x * QN_TILE_ITEMS;
  edges->valid = items_between(edges->edge, begin, end);
  tile_sources(in, edges->edge, sources);
  tile_weights(in, edges->edge, weights);
  unsigned active = 0;
  QN_UNROLL
  for (int i = 0; i < QN_TILE_ITEMS; i++)
    if ((edges->valid >> i & 1u) && sweep_is_active(state, sources[i]))
      active |= 1u << i;
  edges->active = active;
  if (active == (1u << QN_TILE_ITEMS) - 1) { /* without a branch between the gathers */
    QN_UNROLL
    for (int i = 0; i < QN_TILE_ITEMS; i++)
      edges->parts[i] = tile_store(program_contribution(
          &context, state.messages[sources[i]], weights[i], state.values, row_of(edges->edge + i)));
    return;
  }
  QN_UNROLL
  for (int i = 0; i < QN_TILE_ITEMS; i++)
    edges->parts[i] = tile_store(
        active >> i & 1u ? program_contribution(&context, state.messages[sources[i]], weights[i],
                                                state.values, row_of(edges->edge + i))
                         : program_identity());
}

/* The rows of the thread's edges, counted from the task's first; NO_ROW for those of others. */
QN_DEVICE_INLINE void load_rows(const struct gathered_edges &from, const struct qn_sh_unit &task,
                                const struct thread_edges &edges, uint32_t *rows) {
  const uint16_t *offsets = from.destination_offsets + edges.edge;
  uint32_t found[QN_TILE_ITEMS];
  if (edges.edge + QN_TILE_ITEMS <= from.in.num_edges) {
    static_assert(QN_TILE_ITEMS * sizeof *offsets == sizeof(uint4), "one load for all offsets");
    const uint4 all = __ldcs(reinterpret_cast<const uint4 *>(offsets));
    found[0] = all.x & 0xffff, found[1] = all.x >> 16, found[2] = all.y & 0xffff;
    found[3] = all.y >> 16, found[4] = all.z & 0xffff, found[5] = all.z >> 16;
    found[6] = all.w & 0xffff, found[7] = all.w >> 16;
  } else {
    QN_UNROLL
    for (int i = 0; i < QN_TILE_ITEMS; i++)
      found[i] = edges.valid >> i & 1u ? offsets[i] : 0;
  }
  QN_UNROLL
  for (int i = 0; i < QN_TILE_ITEMS; i++)
    rows[i] = edges.valid >> i & 1u ? found[i] - task.first_offset : NO_ROW;
}

/* The row of the edge before the thread's, NO_ROW if that is another task's. */
QN_DEVICE_INLINE uint32_t row_before(const struct gathered_edges &from,
                                     const struct qn_sh_unit &task,
                                     const struct thread_edges &edges, uint32_t last_row) {
  const uint32_t before = __shfl_up_sync(QN_FULL_WARP, last_row, 1);
  if (qn_lane() > 0)
    return before;
  return edges.valid && edges.edge > from.begin
             ? from.destination_offsets[edges.edge - 1] - task.first_offset
             : NO_ROW;
}

/* The block gathers a task whose rows are whole. */
QN_DEVICE_INLINE void gather_task(const struct sweep_state &state,
                                  const struct qn_program_context &context,
                                  const struct qn_sh_unit &task,
                                  const struct gathered_edges &from) {
  struct thread_edges edges;
  uint32_t rows[QN_TILE_ITEMS];
  auto row_of = [&](uint64_t edge) {
    return task.first_row + from.destination_offsets[edge] - task.first_offset;
  };
  gather_edges(state, context, from.in, from.begin, from.end, row_of, &edges);
  load_rows(from, task, edges, rows);
  const uint32_t before = row_before(from, task, edges, rows[QN_TILE_ITEMS - 1]);
  uint32_t row = before;
  program_accumulator sum = program_identity(), head = program_identity();
  bool began = false, was_active = false;
  QN_UNROLL
  for (int i = 0; i < QN_TILE_ITEMS; i++) {
    if (!(edges.valid >> i & 1u))
      continue;
    if (rows[i] != row) {
      if (SWEEP_FRONTIER && was_active)
        sweep_mark_received(state, task.first_row + row);
      if (began)
        receive(state, context, task.first_row + row, sum);
      else
        head = sum;
      began = true;
      was_active = false;
      sum = program_identity();
      row = rows[i];
    }
    was_active = was_active || (edges.active >> i & 1u);
    program_combine(&sum, tile_load(edges.parts[i]));
  }
  if (SWEEP_FRONTIER && was_active)
    sweep_mark_received(state, task.first_row + row);
  program_accumulator last;
  program_accumulator carry = carry_scan(began, sum, &last);
  if (began && before != NO_ROW) { /* the row that earlier threads began ends here */
    program_combine(&carry, head);
    receive(state, context, task.first_row + before, carry);
  }
  if (threadIdx.x == 0)
    receive(state, context,
            task.first_row + from.destination_offsets[from.end - 1] - task.first_offset, last);
}

/* A task's edges where all are on the device. */
QN_DEVICE_INLINE struct gathered_edges resident_edges(const struct engine_device &device,
                                                      const struct qn_sh_unit &task) {
  return {device.in, device.destination_offsets, task.first_edge, task.first_edge + task.num_edges};
}

/* The tasks from `first` on. */
__global__ void __launch_bounds__(QN_TILE_THREADS)
    gather_shards(const struct sweep_state state, const struct qn_program_context context,
                  uint32_t first) {
  const struct qn_sh_unit task = state.layout.tasks[first + blockIdx.x];
  gather_task(state, context, task, resident_edges(state.layout, task));
}

/* The tasks [first, last). */
inline void gather_tasks(const struct sweep_run *run, uint32_t first, uint32_t last) {
  if (first < last)
    QN_LAUNCH(gather_shards, last - first, QN_TILE_THREADS, 0, NULL, run->state, run->context,
              first);
}

inline void collect_shards(const struct sweep_run *run) {
  gather_tasks(run, 0, run->state.layout.num_tasks);
}

/* ---- Hubs --------------------------------------------------------------------------------- */

/* Does a hub take part in this iteration? The same for all threads of a block. */
QN_DEVICE_INLINE bool hub_pulls(const struct sweep_state &state,
                                const struct qn_program_context &context, uint32_t row, bool all) {
  return (all || qn_bit_has(state.layout.notified, row)) && sweep_may_receive(state, context, row);
}

/* The block adds up one segment of `row`. */
QN_DEVICE_INLINE void gather_segment(const struct sweep_state &state,
                                     const struct qn_program_context &context,
                                     const struct edge_tiles &in, uint32_t row, uint64_t begin,
                                     uint64_t end, uint32_t segment) {
  const struct engine_device &device = state.layout;
  struct thread_edges edges;
  gather_edges(
      state, context, in, begin, end, [&](uint64_t) { return row; }, &edges);
  program_accumulator total = program_identity();
  QN_UNROLL
  for (int i = 0; i < QN_TILE_ITEMS; i++)
    program_combine(&total, tile_load(edges.parts[i]));
  const bool received = __syncthreads_or(edges.active != 0);
  total = block_combine(total);
  if (threadIdx.x == 0) {
    device.segment_sums[segment] = total;
    device.segment_received[segment] = received;
  }
}

__global__ void __launch_bounds__(QN_TILE_THREADS)
    gather_segments(const struct sweep_state state, const struct qn_program_context context,
                    bool all, uint32_t first) {
  const struct device_segment segment = state.layout.segments[first + blockIdx.x];
  const uint32_t row = state.layout.hubs[segment.hub].row;
  if (hub_pulls(state, context, row, all))
    gather_segment(state, context, state.layout.in, row, segment.first_edge,
                   segment.first_edge + segment.num_edges, first + blockIdx.x);
}

/* A block merges the segments of a hub. */
__global__ void __launch_bounds__(QN_TILE_THREADS)
    merge_segments(const struct sweep_state state, const struct qn_program_context context,
                   bool all, uint32_t first) {
  const struct engine_device &device = state.layout;
  const struct qn_sh_hub hub = device.hubs[first + blockIdx.x];
  if (!hub_pulls(state, context, hub.row, all))
    return;
  program_accumulator total = program_identity();
  bool received = false;
  for (uint32_t i = threadIdx.x; i < hub.num_segments; i += QN_TILE_THREADS) {
    if (!device.segment_received[hub.first_segment + i])
      continue;
    program_combine(&total, device.segment_sums[hub.first_segment + i]);
    received = true;
  }
  received = __syncthreads_or(received);
  total = block_combine(total);
  if (threadIdx.x > 0 || !received)
    return;
  receive(state, context, hub.row, total);
  if (SWEEP_FRONTIER)
    sweep_mark_received(state, hub.row);
}

inline void merge_hubs(const struct sweep_run *run, bool all) {
  if (run->state.layout.num_hubs > 0)
    QN_LAUNCH(merge_segments, run->state.layout.num_hubs, QN_TILE_THREADS, 0, NULL, run->state,
              run->context, all, 0u);
}

inline void collect_hubs(const struct sweep_run *run, bool all) {
  const struct engine_device *device = &run->state.layout;
  if (device->num_hubs == 0)
    return;
  QN_LAUNCH(gather_segments, device->num_segments, QN_TILE_THREADS, 0, NULL, run->state,
            run->context, all, 0u);
  merge_hubs(run, all);
}

} /* namespace */
