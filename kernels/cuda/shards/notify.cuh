/* Frontier programs on shards: active vertices notify their destinations along the out-edges, in
 * pieces of 8 edges (edges/row_queue.cuh), so that a hub is shared by many blocks; then a warp
 * takes 32 vertices, of which those that were notified pull, each with as many lanes as its shard
 * has replicas.
 *
 * The paper notifies (on the CPU) while the active vertices have at most half of all out-edges. But
 * if they have the share f, a vertex of d in-edges is notified with probability 1 - (1 - f)^d, 0.56
 * for f = 1/20 and d = 16, and a gather in order costs less per edge than notifying, so here it is
 * one in NOTIFY_SHARE. Where the first contribution suffices, the vertices that are still open
 * pull then, one and all, until they find an active source. */
#pragma once

#include "kernels/cuda/edges/run_device.cuh"
#include "kernels/cuda/shards/gather.cuh"

/* Notify while active vertices have at most one in so many of all out-edges. */
#define NOTIFY_SHARE 20
/* A row of more than so many edges a lane is pulled by a whole warp. */
#define LONG_ROW 8

namespace {

/* ---- Notifying ---------------------------------------------------------------------------- */

__global__ void count_out_edges(const struct sweep_state state,
                                const struct qn_program_context context) {
  unsigned long long count = 0;
  sweep_words(context.num_vertices, [&](uint32_t v, bool valid) {
    if (valid && sweep_is_active(state, v))
      count += engine_out_degree(state.layout, v);
  });
  count = qn_block_sum(count);
  if (threadIdx.x == 0 && count > 0)
    atomicAdd(&state.layout.counters->num_out_edges, count);
}

__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    queue_active(const struct sweep_state state, const struct qn_program_context context) {
  qn_block_bits(state.active, context.num_vertices, [&](uint32_t v, bool there) {
    qn_queue_put(state.layout.queue, &state.layout.counters->queue_size,
                 there ? qn_units_of(engine_out_degree(state.layout, v)) : 0, v);
  });
}

QN_DEVICE_INLINE void notify(uint32_t *notified, uint32_t vertex) {
  const uint32_t bit = 1u << vertex % 32;
  if (!(*(volatile uint32_t *)&notified[vertex / 32] & bit))
    atomicOr(&notified[vertex / 32], bit);
}

__global__ void __launch_bounds__(QN_QUEUE_THREADS) notify_targets(const struct sweep_state state) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  struct qn_unit_tile *tile = tiles;
  const struct engine_device &device = state.layout;
  const qn_queue_size size = device.counters->queue_size;
  qn_unit_tiles(qn_queue_units(size), [&](uint32_t first, uint32_t units) {
    const uint32_t loaded =
        qn_unit_load(device.queue, qn_queue_entries(size), device.out.row_offsets, first, tile);
    for (uint32_t unit = threadIdx.x / QN_UNIT_EDGES; unit < units;
         unit += QN_QUEUE_THREADS / QN_UNIT_EDGES) {
      const uint32_t entry = qn_unit_entry(tile, loaded, unit);
      const uint64_t edge = qn_unit_edge(tile, entry, unit);
      if (edge < tile->ends[entry])
        notify(device.notified, __ldcs(&device.out.column_indices[edge]));
    }
    __syncthreads();
  });
}

/* ---- Pulling ------------------------------------------------------------------------------ */

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
  uint64_t edge = begin + qn_lane() % width;
#if PROGRAM_FIRST_SUFFICES
  while (__any_sync(QN_FULL_WARP, edge < end && !received)) {
    if (edge < end && !received)
      received = pull_edge(state, context, row, edge, total);
    received = any_of(received, width);
    edge += width;
  }
#else
  for (; edge < end; edge += width)
    received = pull_edge(state, context, row, edge, total) || received;
  received = any_of(received, width);
#endif
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

/* The vertices that were notified, or all. Nobody is notified any more afterwards. Warps take
 * `span` words at once, 1 to 32, as most may be zero. */
__global__ void __launch_bounds__(SWEEP_THREADS)
    pull_notified(const struct sweep_state state, const struct qn_program_context context, bool all,
                  uint32_t span) {
  uint32_t *notified = state.layout.notified;
  const uint64_t num_words = (context.num_vertices + 31) / 32;
  const uint64_t warp = (uint64_t)blockIdx.x * (SWEEP_THREADS / 32) + qn_warp();
  const uint64_t step = (uint64_t)gridDim.x * (SWEEP_THREADS / 32) * span;
  for (uint64_t first = warp * span; first < num_words; first += step) {
    const uint64_t word = first + qn_lane();
    unsigned wanted = 0;
    if (qn_lane() < span && word < num_words)
      wanted = all ? QN_FULL_WARP : notified[word];
    if (!all && wanted)
      notified[word] = 0;
    for (unsigned left = __ballot_sync(QN_FULL_WARP, wanted != 0); left; left &= left - 1) {
      const int owner = __ffs((int)left) - 1;
      pull_word(state, context, (uint32_t)first + (uint32_t)owner,
                __shfl_sync(QN_FULL_WARP, wanted, owner));
    }
  }
}

/* ---- The host's side ---------------------------------------------------------------------- */

inline enum qn_status count_active_edges(struct sweep_run *run, uint64_t *num_edges,
                                         struct qn_error *error) {
  struct device_counters *counters = run->state.layout.counters;
  enum qn_status status = qn_cuda_status(cudaMemsetAsync(counters, 0, sizeof *counters, NULL),
                                         "clearing counters", error);
  if (status)
    return status;
  SWEEP_LAUNCH(run, count_out_edges);
  return sweep_read(run, num_edges, &counters->num_out_edges, 1, sizeof *num_edges, error);
}

/* Many, but not so many that warps remain without a word. */
inline uint32_t words_a_warp(const struct sweep_run *run) {
  const uint64_t each = run->context.num_vertices / ((uint64_t)run->blocks * SWEEP_THREADS);
  return each < 1 ? 1 : each < 32 ? (uint32_t)each : 32;
}

/* Active vertices have `num_edges` out-edges. */
inline enum qn_status collect_counted(struct sweep_run *run, uint64_t num_edges,
                                      struct qn_error *error) {
  if (num_edges == 0)
    return QN_OK;
  const bool all = num_edges > run->context.num_edges / NOTIFY_SHARE;
  if (!all) {
    struct device_counters *counters = run->state.layout.counters;
    enum qn_status status =
        qn_cuda_status(cudaMemsetAsync(&counters->queue_size, 0, sizeof counters->queue_size, NULL),
                       "clearing counters", error);
    if (status)
      return status;
    QN_LAUNCH(queue_active, qn_run_blocks(&run->memory, run->context.num_vertices / 32),
              QN_QUEUE_THREADS, 0, NULL, run->state, run->context);
    QN_LAUNCH(notify_targets, qn_run_blocks(&run->memory, num_edges), QN_QUEUE_THREADS, 0, NULL,
              run->state);
  }
  collect_hubs(run, all);
#if !PROGRAM_FIRST_SUFFICES
  if (all)
    collect_shards(run);
  else
#endif
    SWEEP_LAUNCH(run, pull_notified, all, words_a_warp(run));
  return qn_cuda_launched(all ? "gathering shards" : "notifying and pulling", error);
}

inline enum qn_status collect_active(struct sweep_run *run, struct qn_error *error) {
  uint64_t num_edges;
  enum qn_status status = count_active_edges(run, &num_edges, error);
  return status ? status : collect_counted(run, num_edges, error);
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

inline enum qn_status create_notification(const struct qn_shards *view, struct sweep_run *run,
                                          struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  const uint64_t num_vertices = view->num_vertices;
  enum qn_status status = qn_run_check_units(num_vertices, view->num_edges, error);
  if (!status)
    status = upload_word_replication(view, run, error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &device->notified, num_vertices / 32 + 1,
                                  sizeof *device->notified, "bits of vertices", error);
  if (!status)
    status = qn_run_queue(memory, num_vertices, &device->queue, error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &device->counters, 1, sizeof *device->counters,
                                  "counters", error);
  return status;
}

} /* namespace */
