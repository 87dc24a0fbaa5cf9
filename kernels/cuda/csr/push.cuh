/* Pushing from a queue along out-edges.
 *
 * Bytes: an edge moves 4 bytes of column index (8 with weights) and looks at one random
 * value (a 32-byte sector of L2); only edges that change a value cost an atomic, which
 * L2 performs on the same sector. Eight lanes take a unit, so that short rows fill a warp. */
#pragma once

#include "kernels/cuda/csr/queue.cuh"

namespace {

/* What a block holds of its tile, in shared memory. */
struct push_tile {
  struct qn_unit_tile units;
  program_message messages[QN_TILE_UNITS];       /* of the entries' vertices */
  uint32_t found[QN_TILE_UNITS * QN_UNIT_EDGES]; /* near from the front, far from the back */
  uint32_t num_found;
  uint32_t num_far; /* PROGRAM_PRIORITY */
};

#if PROGRAM_IN_PLACE
static_assert(PROGRAM_LANES == 1, "the engine combines in place one lane at a time");

/* Did the contribution make `target` active, and is this the thread to say so? With a
 * priority, `*is_far` says that it waits for a later threshold. */
QN_DEVICE_INLINE bool push_in_place(const struct frontier_state &state,
                                    const struct qn_program_context &context, uint32_t *next_bits,
                                    uint32_t target, program_accumulator contribution,
                                    double threshold, bool *is_far) {
  /* Values only ever get better, so an old one that is as good already will do to decide. */
  const program_value seen = __ldcg(&state.values[target]);
  if (!program_active(&context, seen, program_combine_lane(seen, contribution)))
    return false;
  const program_value old_value = lane_combine_atomic(&state.values[target], contribution);
  const program_value value = program_combine_lane(old_value, contribution);
  if (!program_active(&context, old_value, value))
    return false;
#if PROGRAM_PRIORITY
  /* By the value that this thread stored: who improves it below the threshold puts it in the
   * queue, whatever waits in the far list. */
  *is_far = program_priority(&context, value) >= threshold;
  if (*is_far)
    return qn_bit_insert(state.far_bits, target);
#else
  (void)is_far, (void)threshold;
#endif
#if PROGRAM_FIRST_SUFFICES
  (void)next_bits;
  return true; /* only one contribution can change it */
#else
  return qn_bit_insert(next_bits, target);
#endif
}
#else
static_assert(PROGRAM_COMBINE != QN_ADD || (program_lane)0.5 == 0,
              "real sums by atomics would differ from run to run");

QN_DEVICE_INLINE bool push_received(const struct frontier_state &state, uint32_t *next_bits,
                                    uint32_t target, program_accumulator contribution) {
  if (program_refuses(contribution))
    return false;
  program_combine_atomic(&state.received_sums[target], contribution);
  return qn_bit_insert(next_bits, target);
}
#endif

/* One round of a tile: every thread takes an edge. */
QN_DEVICE_INLINE void push_round(const struct frontier_state &state,
                                 const struct qn_program_context &context, uint32_t *next_bits,
                                 uint32_t unit, uint32_t num_units, uint32_t num_entries,
                                 double threshold, struct push_tile *tile) {
  bool is_new = false, is_far = false;
  uint32_t target = 0;
  if (unit < num_units) {
    const uint32_t entry = qn_unit_entry(&tile->units, num_entries, unit);
    const uint64_t edge = qn_unit_edge(&tile->units, entry, unit);
    if (edge < tile->units.ends[entry]) {
      target = __ldcs(&state.out.column_indices[edge]);
      const program_accumulator contribution =
          program_contribution(&context, tile->messages[entry],
                               engine_weight(&state.out.weights, edge), state.values, target);
#if PROGRAM_IN_PLACE
      is_new = push_in_place(state, context, next_bits, target, contribution, threshold, &is_far);
#else
      (void)threshold;
      is_new = push_received(state, next_bits, target, contribution);
#endif
    }
  }
#if PROGRAM_PRIORITY
  const uint32_t far_slot = qn_warp_reserve(&tile->num_far, is_new && is_far);
  if (is_new && is_far)
    tile->found[QN_TILE_UNITS * QN_UNIT_EDGES - 1 - far_slot] = target;
  is_new = is_new && !is_far;
#else
  (void)is_far;
#endif
  const uint32_t slot = qn_warp_reserve(&tile->num_found, is_new);
  if (is_new)
    tile->found[slot] = target;
}

/* What the tile found goes to the next queue, or to the list of those that received. */
QN_DEVICE_INLINE void push_flush(const struct frontier_state &state,
                                 const struct qn_unit_queue &next, struct push_tile *tile,
                                 int far_turn, struct frontier_share *share) {
#if PROGRAM_PRIORITY
  QN_SHARED(uint32_t, far_base, 1);
  if (threadIdx.x == 0 && tile->num_far > 0)
    far_base[0] = atomicAdd(&state.counters->num_far[far_turn], tile->num_far);
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < tile->num_far; i += QN_QUEUE_THREADS)
    state.far[far_turn][far_base[0] + i] = tile->found[QN_TILE_UNITS * QN_UNIT_EDGES - 1 - i];
#else
  (void)far_turn;
#endif
#if PROGRAM_IN_PLACE
  for (uint32_t first = 0; first < tile->num_found; first += QN_QUEUE_THREADS) {
    const uint32_t i = first + threadIdx.x;
    const bool there = i < tile->num_found;
    frontier_enqueue(state, next, there, there ? tile->found[i] : 0, share);
  }
#else
  (void)next, (void)share;
  QN_SHARED(uint32_t, base, 1);
  if (threadIdx.x == 0)
    base[0] = atomicAdd(&state.counters->num_received, tile->num_found);
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < tile->num_found; i += QN_QUEUE_THREADS)
    state.received[base[0] + i] = tile->found[i];
#endif
}

__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    push_edges(const struct frontier_state state, const struct qn_program_context context, int turn,
               uint32_t num_entries, uint32_t num_units, double threshold, int far_turn) {
  QN_SHARED(struct push_tile, tiles, 1);
  struct push_tile *tile = tiles;
  struct frontier_share share = {0, 0};
  const struct qn_unit_queue queue = state.queues[turn], next = state.queues[1 - turn];
  qn_unit_tiles(num_units, [&](uint32_t first, uint32_t units) {
    if (threadIdx.x == 0)
      tile->num_found = tile->num_far = 0;
    const uint32_t loaded =
        qn_unit_load(queue, num_entries, state.out.row_offsets, first, &tile->units);
    if (threadIdx.x < loaded) {
      const uint32_t vertex = tile->units.vertices[threadIdx.x];
      tile->messages[threadIdx.x] =
          program_send(&context, state.values[vertex], frontier_sent_degree(state, vertex));
    }
    __syncthreads();
    for (uint32_t unit = threadIdx.x / QN_UNIT_EDGES; unit < QN_TILE_UNITS;
         unit += QN_QUEUE_THREADS / QN_UNIT_EDGES)
      push_round(state, context, state.bits[0], unit, units, loaded, threshold, tile);
    __syncthreads();
    push_flush(state, next, tile, far_turn, &share);
    __syncthreads();
  });
  frontier_leave(state, share);
}

#if !PROGRAM_IN_PLACE
/* The receivers' new values, and the queue of those that became active. */
__global__ void push_apply(const struct frontier_state state,
                           const struct qn_program_context context, int turn) {
  struct frontier_share share = {0, 0};
  qn_block_steps(state.counters->num_received, [&](uint64_t i, bool there) {
    const uint32_t vertex = there ? state.received[i] : 0;
    bool active = false;
    if (there) {
      const program_value old_value = state.values[vertex];
      const program_value value = program_apply(&context, old_value, state.received_sums[vertex]);
      state.received_sums[vertex] = program_identity();
      state.values[vertex] = value;
      active = program_active(&context, old_value, value);
    }
    frontier_enqueue(state, state.queues[1 - turn], active, vertex, &share);
  });
  frontier_leave(state, share);
}
#endif

#if PROGRAM_PRIORITY
/* The least priority in the far list; entries below the threshold were queued by others since. */
__global__ void far_least(const struct frontier_state state,
                          const struct qn_program_context context, int turn, double threshold) {
  const uint32_t count = state.counters->num_far[turn];
  double least = INFINITY;
  qn_grid_steps(count, [&](uint64_t i) {
    const double priority = program_priority(&context, state.values[state.far[turn][i]]);
    if (priority >= threshold)
      least = fmin(least, priority);
  });
  least = qn_block_min(least);
  if (threadIdx.x == 0)
    atomicMin(&state.counters->least, qn_ordered_bits(least));
}

/* Raise the threshold: what is now near goes to the queue, what is still far to the other list. */
__global__ void far_split(const struct frontier_state state,
                          const struct qn_program_context context, int turn, double threshold,
                          double new_threshold, const struct qn_unit_queue queue) {
  struct frontier_share share = {0, 0};
  qn_block_steps(state.counters->num_far[turn], [&](uint64_t i, bool there) {
    const uint32_t vertex = there ? state.far[turn][i] : 0;
    const double priority = there ? program_priority(&context, state.values[vertex]) : 0;
    const bool stays = there && priority >= new_threshold;
    const uint32_t slot = qn_warp_reserve(&state.counters->num_far[1 - turn], stays);
    if (stays)
      state.far[1 - turn][slot] = vertex;
    else if (there)
      atomicAnd(&state.far_bits[vertex / 32], ~(1u << (vertex % 32)));
    frontier_enqueue(state, queue, there && !stays && priority >= threshold, vertex, &share);
  });
  frontier_leave(state, share);
}
#endif

} /* namespace */
