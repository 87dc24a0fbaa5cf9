/* Looking for a parent from below: vertices that are still open scan their in-edges for a
 * member of the frontier and stop at the first (Beamer, Asanovic, Patterson:
 * Direction-Optimizing Breadth-First Search, SC 2012).
 *
 * Bytes: a bit a vertex that may be open, 4 of value and 16 of row offsets for those that may, then
 * 4 an edge until the first hit; the bitmaps (V / 8 bytes) stay in L2. A vertex without in-edges
 * is looked at once. A lane looks at its first edges alone, as most find a parent there; then the
 * warp helps those that did not. */
#pragma once

#include "kernels/cuda/csr/queue.cuh"

#define BOTTOM_UP_ALONE 16
#define BOTTOM_UP_AT_ONCE 4 /* edges that a lane has in flight: their bits don't wait */

namespace {

/* Which of the edges first, first + step, ... lead to the frontier: a bit for each. */
QN_DEVICE_INLINE unsigned bottom_up_hits(const uint32_t *columns, const uint32_t *bits,
                                         uint64_t first, unsigned step, uint64_t end) {
  unsigned hits = 0;
  QN_UNROLL
  for (unsigned i = 0; i < BOTTOM_UP_AT_ONCE; i++)
    if (first + i * step < end)
      hits |= (unsigned)qn_bit_has(bits, columns[first + i * step]) << i;
  return hits;
}

/* The first of edges [begin, end) that leads to the frontier, or `end`: by a lane alone. */
QN_DEVICE_INLINE uint64_t bottom_up_alone(const uint32_t *columns, const uint32_t *bits,
                                          uint64_t begin, uint64_t end) {
  for (uint64_t first = begin; first < end; first += BOTTOM_UP_AT_ONCE)
    if (const unsigned hits = bottom_up_hits(columns, bits, first, 1, end))
      return first + (unsigned)(__ffs((int)hits) - 1);
  return end;
}

/* The same by the whole warp. A hub that stays open is scanned whole in every iteration. */
QN_DEVICE_INLINE uint64_t bottom_up_together(const uint32_t *columns, const uint32_t *bits,
                                             uint64_t begin, uint64_t end) {
  for (uint64_t first = begin; first < end; first += 32 * BOTTOM_UP_AT_ONCE) {
    const unsigned mine = bottom_up_hits(columns, bits, first + qn_lane(), 32, end);
    for (unsigned i = 0; i < BOTTOM_UP_AT_ONCE; i++) {
      const unsigned hits = __ballot_sync(QN_FULL_WARP, mine >> i & 1);
      if (hits)
        return first + 32 * i + (unsigned)(__ffs((int)hits) - 1);
    }
  }
  return end;
}

/* One word of the next frontier's bitmap: 32 vertices by a warp. */
QN_DEVICE_INLINE uint32_t bottom_up_word(const struct frontier_state &state,
                                         const struct qn_program_context &context,
                                         const uint32_t *bits, uint64_t word,
                                         struct frontier_share *share) {
  const uint32_t may_be_open = state.open_bits[word];
  if (may_be_open == 0)
    return 0;
  const uint64_t v = word * 32 + qn_lane();
  const uint32_t vertex = (uint32_t)v;
  const bool looks = v < context.num_vertices && (may_be_open >> qn_lane() & 1);
  const uint32_t *columns = state.in.column_indices;
  /* The offsets are loaded with the value, not after it. */
  uint64_t edge = looks ? state.in.row_offsets[vertex] : 0;
  uint64_t end = looks ? state.in.row_offsets[vertex + 1] : 0;
  if (looks && !program_open(&context, state.values[vertex]))
    end = edge;
  const bool has_edges = edge < end;
  const uint64_t alone = end - edge < BOTTOM_UP_ALONE ? end : edge + BOTTOM_UP_ALONE;
  edge = bottom_up_alone(columns, bits, edge, alone);
  bool found = edge < alone;
  for (unsigned left = __ballot_sync(QN_FULL_WARP, !found && edge < end); left; left &= left - 1) {
    const int helped = __ffs((int)left) - 1;
    const uint64_t its_end = __shfl_sync(QN_FULL_WARP, end, helped);
    const uint64_t hit =
        bottom_up_together(columns, bits, __shfl_sync(QN_FULL_WARP, edge, helped), its_end);
    if ((int)qn_lane() == helped) {
      edge = hit;
      found = hit < its_end;
    }
  }
  if (found) {
    const uint32_t parent = columns[edge];
    const program_message message =
        program_send(&context, state.values[parent], frontier_sent_degree(state, parent));
    state.values[vertex] =
        program_apply(&context, state.values[vertex],
                      program_gather(&context, message, engine_weight(&state.in.weights, edge)));
    share->edges += frontier_out_degree(state, vertex);
    share->active++;
  }
  const unsigned still_open = __ballot_sync(QN_FULL_WARP, !found && has_edges);
  if (qn_lane() == 0 && still_open != may_be_open)
    state.open_bits[word] = still_open;
  return __ballot_sync(QN_FULL_WARP, found);
}

/* The threads that a multiprocessor of the architecture at hand holds: no bound may ask for more.
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define RESIDENT_THREADS 1024
#elif defined(__CUDA_ARCH__) &&                                                                    \
    (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890)
#define RESIDENT_THREADS 1536
#else
#define RESIDENT_THREADS 2048
#endif

__global__ void __launch_bounds__(QN_QUEUE_THREADS, RESIDENT_THREADS / QN_QUEUE_THREADS)
    bottom_up(const struct frontier_state state, const struct qn_program_context context,
              int turn) {
  struct frontier_share share = {0, 0};
  const uint64_t words = (context.num_vertices + 31) / 32;
  const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
  for (uint64_t word = (uint64_t)blockIdx.x * (blockDim.x / 32) + qn_warp(); word < words;
       word += warps) {
    const uint32_t found = bottom_up_word(state, context, state.bits[turn], word, &share);
    if (qn_lane() == 0)
      state.bits[1 - turn][word] = found;
  }
  frontier_leave(state, share);
}

__global__ void bits_from_queue(const struct qn_unit_queue queue, uint32_t num_entries,
                                uint32_t *bits) {
  qn_grid_steps(num_entries, [&](uint64_t i) { qn_bit_insert(bits, queue.vertices[i]); });
}

__global__ void queue_from_bits(const struct frontier_state state, uint64_t num_vertices,
                                const uint32_t *bits, const struct qn_unit_queue queue) {
  struct frontier_share share = {0, 0};
  qn_block_bits(bits, num_vertices, [&](uint32_t vertex, bool there) {
    frontier_enqueue(state, queue, there, vertex, &share);
  });
  frontier_leave(state, share);
}

} /* namespace */
