/* Notify-pull on shards (section 4.2): active vertices notify their destinations along the
 * out-edges (sweep/push.cuh); then a warp takes 32 vertices, of which those that were notified
 * pull, each with as many lanes as its shard has replicas. */
#pragma once

#include "kernels/cuda/shards/gather.cuh"
#include "kernels/cuda/sweep/push.cuh"

/* A row of more than so many edges a lane is pulled by a whole warp. */
#define LONG_ROW 8

namespace {

struct notify_edge {
  QN_DEVICE_INLINE void visit(const struct sweep_state &state, const struct qn_program_context &,
                              uint32_t, uint64_t edge) {
    const uint32_t vertex = __ldcs(&state.layout.out.column_indices[edge]), bit = 1u << vertex % 32;
    uint32_t *word = &state.layout.notified[vertex / 32];
    if (!(*(volatile uint32_t *)word & bit))
      atomicOr(word, bit);
  }
};

/* The place of the n-th set bit (from 0) of a word that has more. */
QN_DEVICE_INLINE int place_of_bit(unsigned word, unsigned n) {
  int place = 0;
  for (int width = 16; width > 0; width /= 2) {
    const unsigned below = (unsigned)__popc(word >> place & ((1u << width) - 1));
    if (n >= below) {
      n -= below;
      place += width;
    }
  }
  return place;
}

/* Is the flag set in any of this lane's `width` neighbours? */
QN_DEVICE_INLINE bool any_of(bool flag, unsigned width) {
  const unsigned flags = __ballot_sync(QN_FULL_WARP, flag) >> (qn_lane() / width * width);
  return (flags & (width == 32 ? QN_FULL_WARP : (1u << width) - 1)) != 0;
}

/* Combine what an edge's source sends to `row`, if it is active. */
QN_DEVICE_INLINE bool pull_edge(const struct sweep_state &state,
                                const struct qn_program_context &context, uint32_t row,
                                uint64_t edge, program_accumulator *total) {
  const uint32_t source = state.layout.in.sources[edge];
  if (!sweep_is_active(state, source))
    return false;
  program_combine(total, program_contribution(&context, state.messages[source],
                                              engine_weight(&state.layout.in.weights, edge),
                                              state.values, row));
  return true;
}

/* `width` lanes pull over the edges [begin, end) of their `row`; the total is in the first lane.
 * Has the row received anything? The whole warp calls. */
QN_DEVICE_INLINE bool pull_row(const struct sweep_state &state,
                               const struct qn_program_context &context, uint32_t row,
                               uint64_t begin, uint64_t end, unsigned width,
                               program_accumulator *total) {
  bool received = false;
  *total = program_identity();
  for (uint64_t edge = begin + qn_lane() % width; edge < end; edge += width)
    received = pull_edge(state, context, row, edge, total) || received;
  received = any_of(received, width);
  *total = warp_combine(*total, (int)width);
  return received;
}

/* The warp pulls for the vertices 32 word + i, for all bits i of `rows`, of which lane i has the
 * edges [begin, end). */
QN_DEVICE_INLINE void pull_rows(const struct sweep_state &state,
                                const struct qn_program_context &context, uint32_t word,
                                unsigned rows, unsigned width, uint64_t begin, uint64_t end) {
  const unsigned count = (unsigned)__popc(rows);
  while (2 * width * count <= 32)
    width *= 2; /* lanes without a row help the others */
  for (unsigned done = 0; done < count; done += 32 / width) {
    const unsigned n = done + qn_lane() / width;
    const int place = n < count ? place_of_bit(rows, n) : 0;
    const uint64_t row_begin = __shfl_sync(QN_FULL_WARP, begin, place);
    const uint64_t row_end = __shfl_sync(QN_FULL_WARP, end, place);
    const uint32_t row = word * 32 + (uint32_t)place;
    program_accumulator total;
    const bool received =
        pull_row(state, context, row, row_begin, n < count ? row_end : row_begin, width, &total);
    if (received && qn_lane() % width == 0) {
      receive(state, context, row, total);
      atomicOr(&state.received[word], 1u << place);
    }
  }
}

/* Pull for those of the 32 vertices of a word that are `wanted`, but for hubs, which were there
 * before. The whole warp calls. */
QN_DEVICE_INLINE void pull_word(const struct sweep_state &state,
                                const struct qn_program_context &context, uint32_t word,
                                unsigned wanted) {
  const struct engine_device &device = state.layout;
  const uint64_t vertex = (uint64_t)word * 32 + qn_lane();
  uint64_t begin = 0, end = 0;
  if (vertex < context.num_vertices && (wanted >> qn_lane() & 1u) &&
      sweep_may_receive(state, context, (uint32_t)vertex)) {
    begin = device.in_offsets[vertex];
    end = device.in_offsets[vertex + 1];
    if (is_hub(begin, end))
      end = begin;
  }
  const unsigned width = device.word_replication[word];
  const bool is_long = end - begin > LONG_ROW * width;
  const unsigned short_rows = __ballot_sync(QN_FULL_WARP, begin < end && !is_long);
  const unsigned long_rows = __ballot_sync(QN_FULL_WARP, is_long);
  if (short_rows)
    pull_rows(state, context, word, short_rows, width, begin, end);
  if (long_rows)
    pull_rows(state, context, word, long_rows, 32, begin, end);
}

/* The vertices that were notified. Nobody is any more afterwards. Warps take `span` words at once,
 * 1 to 32, as most may be zero. */
__global__ void __launch_bounds__(SWEEP_THREADS)
    pull_notified(const struct sweep_state state, const struct qn_program_context context,
                  uint32_t span) {
  uint32_t *notified = state.layout.notified;
  const uint64_t num_words = (context.num_vertices + 31) / 32;
  const uint64_t warp = (uint64_t)blockIdx.x * (SWEEP_THREADS / 32) + qn_warp();
  const uint64_t step = (uint64_t)gridDim.x * (SWEEP_THREADS / 32) * span;
  for (uint64_t first = warp * span; first < num_words; first += step) {
    const uint64_t word = first + qn_lane();
    unsigned wanted = 0;
    if (qn_lane() < span && word < num_words)
      wanted = notified[word];
    if (wanted)
      notified[word] = 0;
    for (unsigned left = __ballot_sync(QN_FULL_WARP, wanted != 0); left; left &= left - 1) {
      const int owner = __ffs((int)left) - 1;
      pull_word(state, context, (uint32_t)first + (uint32_t)owner,
                __shfl_sync(QN_FULL_WARP, wanted, owner));
    }
  }
}

/* ---- The host's side ---------------------------------------------------------------------- */

/* Many, but not so many that warps remain without a word. */
inline uint32_t words_a_warp(const struct sweep_run *run) {
  const uint64_t each = run->context.num_vertices / ((uint64_t)run->blocks * SWEEP_THREADS);
  return each < 1 ? 1 : each < 32 ? (uint32_t)each : 32;
}

/* Active vertices have few out-edges. */
inline enum qn_status collect_few(struct sweep_run *run, struct qn_error *error) {
  enum qn_status status = sweep_queue_active(run, error);
  if (!status)
    status = sweep_push_queued<notify_edge>(run, error);
  if (status)
    return status;
  collect_hubs(run, false);
  SWEEP_LAUNCH(run, pull_notified, words_a_warp(run));
  return qn_cuda_launched("notifying and pulling", error);
}

inline enum qn_status collect_many(struct sweep_run *run, struct qn_error *error) {
  collect_hubs(run, true);
  collect_shards(run);
  return qn_cuda_launched("gathering shards", error);
}

/* The replication factor of the shard that each 32 vertices begin in. */
inline enum qn_status upload_word_replication(const struct qn_shards *view, struct sweep_run *run,
                                              struct qn_error *error) {
  const uint64_t words = view->num_vertices / 32 + 1;
  uint8_t *replication;
  enum qn_status status = qn_alloc(&replication, words, 1, "replication factors", error);
  if (status)
    return status;
  memset(replication, 1, words);
  for (uint64_t shard = 0; shard < view->num_shards; shard++)
    for (uint64_t word = ((uint64_t)view->vertex_offsets[shard] + 31) / 32;
         word * 32 < view->vertex_offsets[shard + 1]; word++)
      replication[word] = view->replication[shard];
  status = qn_cuda_copy_of(&run->memory, &run->state.layout.word_replication, replication, words, 0,
                           1, "replication factors", error);
  qn_free(replication);
  return status;
}

inline enum qn_status collect_create(const struct qn_shards *view, struct sweep_run *run,
                                     struct qn_error *error) {
  enum qn_status status = upload_word_replication(view, run, error);
  return status ? status
                : qn_cuda_alloc_zeroed(&run->memory, &run->state.layout.notified,
                                       view->num_vertices / 32 + 1, sizeof(uint32_t),
                                       "bits of vertices", error);
}

} /* namespace */
