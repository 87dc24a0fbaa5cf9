/* Pushing from a queue along out-edges. Part of csr_frontier.cuh.
 *
 * Bytes: an edge moves 4 bytes of column index (8 with weights) and looks at one random
 * value (a 32-byte sector of L2); only edges that change a value cost an atomic, which
 * L2 performs on the same sector. Eight lanes take a unit, so that short rows fill a warp. */
#ifndef QN_KERNELS_CUDA_CSR_PUSH_CUH
#define QN_KERNELS_CUDA_CSR_PUSH_CUH

#include "kernels/cuda/csr_queue.cuh"

#define PUSH_UNITS QN_PUSH_THREADS /* of a tile: at most so many entries overlap it */
#define PUSH_ROUNDS QN_UNIT_EDGES  /* of a tile: a thread takes one edge in each */

namespace {

/* The last entry whose units begin at or before `unit`: a search by a whole warp, which
 * narrows the range 32 times a step. */
QN_DEVICE uint32_t push_find_entry(const uint32_t *units, uint32_t num_entries, uint32_t unit) {
  uint32_t low = 0, length = num_entries; /* the answer is in [low, low + length) */
  while (length > 1) {
    const uint32_t stride = (length + 31) / 32;
    const uint64_t probe = low + (uint64_t)stride * qn_lane();
    const bool before = stride * (uint64_t)qn_lane() < length && units[probe] <= unit;
    const uint32_t chosen = 31 - __clz((int)__ballot_sync(QN_FULL_WARP, before));
    const uint32_t rest = length - chosen * stride;
    low += chosen * stride;
    length = rest < stride ? rest : stride;
  }
  return low;
}

/* What a block holds of its tile. */
struct push_tile {
  uint32_t starts[PUSH_UNITS];          /* first unit of an entry, counted from the tile's */
  uint64_t begins[PUSH_UNITS];          /* the edge that belongs to it */
  uint64_t ends[PUSH_UNITS];            /* of the entry's row */
  program_message messages[PUSH_UNITS]; /* of the entry's vertex */
  uint32_t found[PUSH_UNITS * QN_UNIT_EDGES];
  uint32_t num_found;
};

/* Load the entries that overlap units [first, first + PUSH_UNITS). Returns how many. */
QN_DEVICE uint32_t push_load(const struct frontier_state &state,
                             const struct qn_program_context &context,
                             const struct frontier_queue &queue, uint32_t num_entries,
                             uint32_t first, struct push_tile *tile) {
  QN_SHARED(uint32_t, first_entry, 1);
  if (qn_warp() == 0) {
    const uint32_t entry = push_find_entry(queue.units, num_entries, first);
    if (qn_lane() == 0)
      first_entry[0] = entry;
  }
  __syncthreads();
  const uint64_t entry = (uint64_t)first_entry[0] + threadIdx.x;
  const uint32_t unit = entry < num_entries ? queue.units[entry] : 0;
  const bool overlaps = entry < num_entries && (unit < first || unit - first < PUSH_UNITS);
  if (overlaps) {
    const uint32_t vertex = queue.vertices[entry];
    const uint32_t skipped = unit < first ? first - unit : 0; /* units that other tiles take */
    tile->starts[threadIdx.x] = skipped ? 0 : unit - first;
    tile->begins[threadIdx.x] = state.out.row_offsets[vertex] + (uint64_t)skipped * QN_UNIT_EDGES;
    tile->ends[threadIdx.x] = state.out.row_offsets[vertex + 1];
    tile->messages[threadIdx.x] =
        program_send(&context, state.values[vertex], frontier_sent_degree(state, vertex));
  }
  return (uint32_t)__syncthreads_count(overlaps);
}

#if PROGRAM_IN_PLACE
static_assert(PROGRAM_LANES == 1, "the engine combines in place one lane at a time");

/* Did the contribution make `target` active, and is this the thread to say so? With a
 * priority, `*is_far` says that it waits for a later threshold. */
QN_DEVICE bool push_in_place(const struct frontier_state &state,
                             const struct qn_program_context &context, uint32_t *next_bits,
                             uint32_t target, program_accumulator contribution, double threshold,
                             bool *is_far) {
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
    return bit_insert(state.far_bits, target);
#else
  (void)is_far, (void)threshold;
#endif
#if PROGRAM_FIRST_SUFFICES
  (void)next_bits;
  return true; /* only one contribution can change it */
#else
  return bit_insert(next_bits, target);
#endif
}
#else
static_assert(PROGRAM_COMBINE != QN_ADD || (program_lane)0.5 == 0,
              "real sums by atomics would differ from run to run");

QN_DEVICE bool push_received(const struct frontier_state &state, uint32_t *next_bits,
                             uint32_t target, program_accumulator contribution) {
  program_combine_atomic(&state.received_sums[target], contribution);
  return bit_insert(next_bits, target);
}
#endif

/* One round of a tile: every thread takes an edge. */
QN_DEVICE void push_round(const struct frontier_state &state,
                          const struct qn_program_context &context, uint32_t *next_bits,
                          uint32_t unit, uint32_t num_units, uint32_t num_entries, double threshold,
                          int far_turn, struct push_tile *tile) {
  uint32_t low = 0, high = num_entries; /* the last entry that starts at or before the unit */
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (tile->starts[middle] <= unit)
      low = middle;
    else
      high = middle;
  }
  bool is_new = false, is_far = false;
  uint32_t target = 0;
  if (unit < num_units) {
    const uint64_t edge = tile->begins[low] + (uint64_t)(unit - tile->starts[low]) * QN_UNIT_EDGES +
                          threadIdx.x % QN_UNIT_EDGES;
    if (edge < tile->ends[low]) {
      target = __ldcs(&state.out.column_indices[edge]);
      const program_accumulator contribution =
          program_gather(&context, tile->messages[low], engine_weight(&state.out.weights, edge));
#if PROGRAM_IN_PLACE
      is_new = push_in_place(state, context, next_bits, target, contribution, threshold, &is_far);
#else
      (void)threshold;
      is_new = push_received(state, next_bits, target, contribution);
#endif
    }
  }
#if PROGRAM_PRIORITY
  const uint32_t far_slot = qn_warp_reserve(&state.counters->num_far[far_turn], is_new && is_far);
  if (is_new && is_far)
    state.far[far_turn][far_slot] = target;
  is_new = is_new && !is_far;
#else
  (void)far_turn, (void)is_far;
#endif
  const uint32_t slot = qn_warp_reserve(&tile->num_found, is_new);
  if (is_new)
    tile->found[slot] = target;
}

/* What the tile found goes to the next queue, or to the list of those that received. */
QN_DEVICE void push_flush(const struct frontier_state &state, const struct frontier_queue &next,
                          struct push_tile *tile, struct frontier_share *share) {
#if PROGRAM_IN_PLACE
  for (uint32_t first = 0; first < tile->num_found; first += QN_PUSH_THREADS) {
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
  for (uint32_t i = threadIdx.x; i < tile->num_found; i += QN_PUSH_THREADS)
    state.received[base[0] + i] = tile->found[i];
#endif
}

__global__ void __launch_bounds__(QN_PUSH_THREADS)
    push_edges(const struct frontier_state state, const struct qn_program_context context, int turn,
               uint32_t num_entries, uint32_t num_units, double threshold, int far_turn) {
  QN_SHARED(struct push_tile, tiles, 1);
  struct push_tile *tile = tiles;
  struct frontier_share share = {0, 0};
  const struct frontier_queue queue = state.queues[turn], next = state.queues[1 - turn];
  for (uint64_t first = (uint64_t)blockIdx.x * PUSH_UNITS; first < num_units;
       first += (uint64_t)gridDim.x * PUSH_UNITS) {
    if (threadIdx.x == 0)
      tile->num_found = 0;
    const uint32_t loaded = push_load(state, context, queue, num_entries, (uint32_t)first, tile);
    const uint32_t left = num_units - (uint32_t)first;
    const uint32_t units = left < PUSH_UNITS ? left : PUSH_UNITS;
    const uint32_t groups = QN_PUSH_THREADS / QN_UNIT_EDGES;
    for (uint32_t unit = threadIdx.x / QN_UNIT_EDGES; unit < PUSH_UNITS; unit += groups)
      push_round(state, context, state.bits[0], unit, units, loaded, threshold, far_turn, tile);
    __syncthreads();
    push_flush(state, next, tile, &share);
    __syncthreads();
  }
  frontier_leave(state, share);
}

#if !PROGRAM_IN_PLACE
/* The receivers' new values, and the queue of those that became active. */
__global__ void push_apply(const struct frontier_state state,
                           const struct qn_program_context context, int turn) {
  struct frontier_share share = {0, 0};
  block_steps(state.counters->num_received, [&](uint64_t i, bool there) {
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
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += (uint64_t)gridDim.x * blockDim.x) {
    const double priority = program_priority(&context, state.values[state.far[turn][i]]);
    if (priority >= threshold)
      least = fmin(least, priority);
  }
  least = qn_block_min(least);
  if (threadIdx.x == 0)
    atomicMin(&state.counters->least, qn_ordered_bits(least));
}

/* Raise the threshold: what is now near goes to the queue, what is still far to the other list. */
__global__ void far_split(const struct frontier_state state,
                          const struct qn_program_context context, int turn, double threshold,
                          double new_threshold, const struct frontier_queue queue) {
  struct frontier_share share = {0, 0};
  block_steps(state.counters->num_far[turn], [&](uint64_t i, bool there) {
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

#endif
