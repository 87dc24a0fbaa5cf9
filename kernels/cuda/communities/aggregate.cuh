/* The next level: each sub-community becomes a vertex. Entries between two of them are sorted by
 * both and added up.
 *
 * Bytes: an entry between sub-communities moves 16 for each byte of the keys that the sort looks
 * at, there and back. */
#pragma once

#include "kernels/cuda/communities/host_aggregate.cuh"
#include "kernels/cuda/communities/work.cuh"
#include "kernels/cuda/device/sort_pairs.cuh"

namespace {

/* Memory of a level that was made, and of its making. */
struct level_memory {
  struct qn_cuda_scratch offsets, neighbors, weights, degrees, vertices, units, queued;
  struct host_memory host;
};
struct aggregation_memory {
  struct qn_cuda_scratch keys[2], values[2], flags, places;
};

/* Device memory of both, and of the sort, for so many vertices and entries. */
inline uint64_t aggregation_bytes(uint64_t num_vertices, uint64_t num_entries) {
  return 2 * (24 * num_vertices + 12 * num_entries) + (2 * 32 + 5) * num_entries;
}

__global__ void flag_labels(const uint32_t *sizes, uint64_t num_labels, uint8_t *flags) {
  qn_grid_steps(num_labels + 1,
                [&](uint64_t label) { flags[label] = label < num_labels && sizes[label] > 0; });
}

/* Number the labels that occur, and say so of all vertices. */
__global__ void renumber(uint32_t *of, const uint32_t *places, uint64_t num_vertices) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { of[v] = places[of[v]]; });
}

struct count_between {
  const uint32_t *of;
  fixed_weight *sum, part;
  __device__ void operator()(bool there, uint32_t v, uint32_t other, uint64_t) {
    part += there && of[v] != of[other];
  }
  __device__ void end() {
    part = qn_block_sum(part);
    if (threadIdx.x == 0 && part > 0)
      atomicAdd(sum, part);
  }
};

struct list_between {
  struct level level;
  const uint32_t *of;
  fixed_weight *sum;
  uint64_t *keys, *values;
  __device__ void operator()(bool there, uint32_t v, uint32_t other, uint64_t entry) {
    const bool is_between = there && of[v] != of[other];
    const fixed_weight place = qn_warp_reserve(sum, is_between);
    if (!is_between)
      return;
    keys[place] = (uint64_t)of[v] << 32 | of[other];
    values[place] = level_weight(level, entry);
  }
  __device__ void end() {}
};

__global__ void flag_heads(const uint64_t *keys, uint64_t count, uint8_t *flags) {
  qn_grid_steps(count + 1,
                [&](uint64_t i) { flags[i] = i < count && (i == 0 || keys[i] != keys[i - 1]); });
}

/* The i-th of `count` pairs is added to its entry; where a row begins, rows from the one before on
 * begin there. */
__global__ void fill_rows(const uint64_t *keys, const uint64_t *values, const uint8_t *flags,
                          const uint32_t *places, uint64_t count, uint64_t num_rows,
                          uint64_t *offsets, uint32_t *neighbors, fixed_weight *weights) {
  qn_grid_steps(count, [&](uint64_t i) {
    const uint32_t place = flags[i] ? places[i] : places[i] - 1;
    const uint64_t row = keys[i] >> 32;
    if (values[i] > 0)
      atomicAdd(&weights[place], (fixed_weight)values[i]);
    if (flags[i]) {
      neighbors[place] = (uint32_t)keys[i];
      const uint64_t first = i == 0 ? 0 : (keys[i - 1] >> 32) + 1;
      for (uint64_t empty = first; empty <= row; empty++)
        offsets[empty] = place;
    }
    if (i + 1 == count)
      for (uint64_t empty = row + 1; empty <= num_rows; empty++)
        offsets[empty] = places[count];
  });
}

__global__ void add_up_degrees(const struct level fine, const uint32_t *of, fixed_weight *degrees) {
  qn_grid_steps(fine.csr.num_vertices, [&](uint64_t v) {
    if (fine.degrees[v] > 0)
      atomicAdd(&degrees[of[v]], fine.degrees[v]);
  });
}

/* Number the sub-communities from 0, in `refined.of`; how many there are. */
inline enum qn_status number_refined(struct leiden_work *work, struct aggregation_memory *room,
                                     const struct level *level, uint32_t *count,
                                     struct qn_error *error) {
  const uint64_t V = level->csr.num_vertices;
  uint8_t *flags;
  uint32_t *places;
  enum qn_status status =
      level_room(work->memory, &room->flags, V + 1, sizeof *flags, "flags", &flags, error);
  if (!status)
    status =
        level_room(work->memory, &room->places, V + 1, sizeof *places, "places", &places, error);
  if (status)
    return status;
  LAUNCH_ALL(work, flag_labels, V + 1, work->refined.sizes, V, flags);
  status = qn_cuda_exclusive_sum(work->memory, &work->scratch, flags, places, V + 1, NULL, error);
  if (status)
    return status;
  LAUNCH_ALL(work, renumber, V, work->refined.of, places, V);
  status = qn_cuda_launched("numbering sub-communities", error);
  return status
             ? status
             : qn_cuda_status(cudaMemcpy(count, places + V, sizeof *count, cudaMemcpyDeviceToHost),
                              "numbering sub-communities", error);
}

/* Entries between sub-communities in `keys` and `values`, sorted; how many. */
inline enum qn_status sort_between(struct leiden_work *work, struct aggregation_memory *room,
                                   const struct level *level, uint32_t num_groups,
                                   const uint64_t **sorted_keys, const uint64_t **sorted_values,
                                   fixed_weight *count, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const uint32_t *of = work->refined.of;
  uint64_t *keys[2], *values[2];
  int bits = 32;
  while (bits < 64 && num_groups >> (bits - 32))
    bits++;
  enum qn_status status = qn_cuda_status(cudaMemsetAsync(work->sum, 0, sizeof *work->sum, NULL),
                                         "clearing a counter", error);
  if (!status)
    status = level_visit(memory, level, count_between{of, work->sum, 0}, error);
  if (!status)
    status = qn_cuda_status(cudaMemcpy(count, work->sum, sizeof *count, cudaMemcpyDeviceToHost),
                            "counting edges", error);
  if (!status && *count >= UINT32_MAX)
    status = qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
  for (int i = 0; i < 2 && !status; i++) {
    status = level_room(memory, &room->keys[i], *count, sizeof **keys, "edges between communities",
                        &keys[i], error);
    if (!status)
      status = level_room(memory, &room->values[i], *count, sizeof **values,
                          "edges between communities", &values[i], error);
  }
  if (!status)
    status = qn_cuda_status(cudaMemsetAsync(work->sum, 0, sizeof *work->sum, NULL),
                            "clearing a counter", error);
  if (!status)
    status =
        level_visit(memory, level, list_between{*level, of, work->sum, keys[0], values[0]}, error);
  if (status)
    return status;
  *sorted_keys = keys[1];
  *sorted_values = values[1];
  return *count > 0 ? qn_cuda_sort_pairs(memory, &work->scratch, keys[0], keys[1], values[0],
                                         values[1], *count, bits, NULL, error)
                    : QN_OK;
}

/* A coarse level without its edges, whose degrees are 0. */
inline enum qn_status reserve_vertices(struct leiden_work *work, struct level_memory *room,
                                       uint64_t num_vertices, struct level *coarse,
                                       struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const char *what = "communities";
  enum qn_status status = level_room(memory, &room->offsets, num_vertices + 1, sizeof(uint64_t),
                                     what, &coarse->csr.row_offsets, error);
  if (!status)
    status = level_room(memory, &room->degrees, num_vertices, sizeof *coarse->degrees, what,
                        &coarse->degrees, error);
  if (!status)
    status = level_room(memory, &room->vertices, num_vertices, sizeof(uint32_t), what,
                        &coarse->queue.vertices, error);
  if (!status)
    status = level_room(memory, &room->units, num_vertices, sizeof(uint32_t), what,
                        &coarse->queue.units, error);
  if (!status)
    status =
        level_room(memory, &room->queued, 1, sizeof *coarse->queued, what, &coarse->queued, error);
  coarse->csr.num_vertices = num_vertices;
  return status ? status
                : qn_cuda_status(cudaMemsetAsync(coarse->degrees, 0,
                                                 num_vertices * sizeof *coarse->degrees, NULL),
                                 "clearing degrees", error);
}

inline enum qn_status reserve_edges(struct leiden_work *work, struct level_memory *room,
                                    uint64_t num_entries, struct level *coarse,
                                    struct qn_error *error) {
  enum qn_status status = level_room(work->memory, &room->neighbors, num_entries, sizeof(uint32_t),
                                     "communities", &coarse->csr.column_indices, error);
  coarse->csr.num_edges = num_entries;
  return status ? status
                : level_room(work->memory, &room->weights, num_entries, sizeof *coarse->weights,
                             "communities", &coarse->weights, error);
}

/* Degrees of the level, whose rows are there, and its queue. */
inline enum qn_status complete_level(struct leiden_work *work, const struct level *fine,
                                     const struct level *coarse, struct qn_error *error) {
  LAUNCH_ALL(work, add_up_degrees, fine->csr.num_vertices, *fine, work->refined.of,
             coarse->degrees);
  enum qn_status status = qn_cuda_launched("making a level of communities", error);
  return status ? status : level_cut(work->memory, coarse, error);
}

/* The level of the `num_groups` sub-communities, which are numbered. It lies in `to`. */
inline enum qn_status aggregate(struct leiden_work *work, struct aggregation_memory *room,
                                const struct level *level, uint32_t num_groups,
                                struct level_memory *to, struct level *coarse,
                                struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t *keys, *values;
  fixed_weight count;
  uint8_t *flags;
  uint32_t *places, num_entries = 0;
  *coarse = *level;
  enum qn_status status =
      sort_between(work, room, level, num_groups, &keys, &values, &count, error);
  if (!status)
    status = level_room(memory, &room->flags, count + 1, sizeof *flags, "flags", &flags, error);
  if (!status)
    status = level_room(memory, &room->places, count + 1, sizeof *places, "places", &places, error);
  if (status)
    return status;
  LAUNCH_ALL(work, flag_heads, count + 1, keys, count, flags);
  status = qn_cuda_exclusive_sum(memory, &work->scratch, flags, places, count + 1, NULL, error);
  if (!status)
    status = qn_cuda_status(
        cudaMemcpy(&num_entries, places + count, sizeof num_entries, cudaMemcpyDeviceToHost),
        "counting edges", error);
  if (!status)
    status = reserve_vertices(work, to, num_groups, coarse, error);
  if (!status)
    status = reserve_edges(work, to, num_entries, coarse, error);
  uint64_t *offsets = (uint64_t *)coarse->csr.row_offsets;
  fixed_weight *weights = (fixed_weight *)coarse->weights;
  if (!status)
    status = qn_cuda_status(cudaMemsetAsync(weights, 0, num_entries * sizeof *weights, NULL),
                            "clearing weights", error);
  if (!status)
    status =
        qn_cuda_status(cudaMemsetAsync(offsets, 0, (num_groups + 1ull) * sizeof *offsets, NULL),
                       "clearing rows", error);
  if (status)
    return status;
  LAUNCH_ALL(work, fill_rows, count, keys, values, flags, places, count, (uint64_t)num_groups,
             offsets, (uint32_t *)coarse->csr.column_indices, weights);
  return complete_level(work, level, coarse, error);
}

/* The same where edges are read in the host's memory, of which the level is `fine`. The device has
 * them, too, if they take no more than `spare` bytes. */
inline enum qn_status aggregate_there(struct leiden_work *work, uint64_t spare,
                                      const struct level *level, const struct host_level &fine,
                                      uint32_t num_groups, struct level_memory *to,
                                      struct level *coarse, struct host_level *made,
                                      struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  *coarse = *level;
  enum qn_status status = host_aggregate(work, fine, num_groups, &to->host, made, error);
  if (!status)
    status = reserve_vertices(work, to, num_groups, coarse, error);
  if (!status)
    status = qn_cuda_upload(memory, (void *)coarse->csr.row_offsets, made->offsets,
                            num_groups + 1ull, sizeof *made->offsets, "communities", error);
  if (status)
    return status;
  const uint64_t count = made->offsets[num_groups];
  coarse->csr.num_edges = count;
  coarse->csr.column_indices = made->neighbors;
  coarse->weights = made->weights;
  if (count <= spare / (sizeof *made->neighbors + sizeof *made->weights)) {
    status = reserve_edges(work, to, count, coarse, error);
    if (!status)
      status = qn_cuda_upload(memory, (void *)coarse->csr.column_indices, made->neighbors, count,
                              sizeof *made->neighbors, "communities", error);
    if (!status)
      status = qn_cuda_upload(memory, (void *)coarse->weights, made->weights, count,
                              sizeof *made->weights, "communities", error);
  }
  return status ? status : complete_level(work, level, coarse, error);
}

} /* namespace */
