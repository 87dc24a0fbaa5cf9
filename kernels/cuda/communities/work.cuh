/* What the parts of the Leiden algorithm work with on a device, and modularity. */
#pragma once

#include "kernels/cuda/communities/best_label.cuh"
#include "kernels/visit_order.h"
#include "support/random.h"

/* Of sums of real numbers: the same on every device. */
#define SUM_BLOCKS 64

namespace {

/* Labels of vertices, and what they add up to. */
struct communities {
  uint32_t *of;          /* [V] labels below V */
  fixed_weight *degrees; /* [V] by label */
  uint32_t *sizes;       /* [V] by label: how many vertices */
};

struct leiden_work {
  struct qn_cuda_memory *memory;
  struct row_steps steps; /* over vertices that moved */
  struct looking looking;
  struct qn_cuda_scratch tables[2], scratch;
  uint64_t most_slots;      /* of all tables, where edges are read in the host's memory */
  fixed_weight total;       /* of the first level's degrees */
  double resolution, scale; /* scale: resolution / total */
  uint64_t seed, stage;     /* each move and each refinement has random numbers of its own */
  struct communities communities, refined;
  uint32_t *target;      /* [V] where a vertex that moves goes */
  uint8_t *active;       /* [V] might the vertex move? */
  fixed_weight *outside; /* [V] by sub-community: weight to the rest of its community */
  uint32_t *best;        /* [V] the best communities of the level so far */
  uint32_t *vertex;      /* [V of the first level] the vertex of the level at hand that it is in */
  fixed_weight *sum;
  uint32_t *count;
  double *parts; /* [SUM_BLOCKS] */
};

#define LAUNCH_ALL(work, kernel, items, ...)                                                       \
  QN_LAUNCH(kernel, qn_run_blocks((work)->memory, items), QN_QUEUE_THREADS, 0, NULL, __VA_ARGS__)

inline uint64_t next_key(struct leiden_work *work) {
  return qn_random_key(work->seed, work->stage++);
}

/* A random number of a vertex, which says when its turn is. */
QN_DEVICE_INLINE uint32_t turn_of(uint64_t key, uint32_t v) {
  return qn_scatter(qn_scatter(v ^ (uint32_t)key) + (uint32_t)(key >> 32));
}

/* ---- Figures of communities ---------------------------------------------------------------- */

__global__ void add_up_communities(const struct level level, const struct communities communities) {
  qn_grid_steps(level.csr.num_vertices, [&](uint64_t v) {
    const uint32_t label = communities.of[v];
    if (level.degrees[v] > 0)
      atomicAdd(&communities.degrees[label], level.degrees[v]);
    atomicAdd(&communities.sizes[label], 1u);
  });
}

inline enum qn_status communities_add_up(struct leiden_work *work, const struct level *level,
                                         const struct communities *communities,
                                         struct qn_error *error) {
  const uint64_t V = level->csr.num_vertices;
  enum qn_status status =
      qn_cuda_status(cudaMemsetAsync(communities->degrees, 0, V * sizeof(fixed_weight), NULL),
                     "clearing degrees", error);
  if (!status)
    status = qn_cuda_status(cudaMemsetAsync(communities->sizes, 0, V * sizeof(uint32_t), NULL),
                            "clearing sizes", error);
  if (status)
    return status;
  LAUNCH_ALL(work, add_up_communities, V, *level, *communities);
  return qn_cuda_launched("adding up communities", error);
}

__global__ void count_labels(const uint32_t *sizes, uint64_t num_vertices, uint32_t *count) {
  uint32_t some = 0;
  qn_grid_steps(num_vertices, [&](uint64_t label) { some += sizes[label] > 0; });
  some = qn_block_sum(some);
  if (threadIdx.x == 0 && some > 0)
    atomicAdd(count, some);
}

/* How many communities there are. */
inline enum qn_status communities_count(struct leiden_work *work, const struct level *level,
                                        const struct communities *communities, uint32_t *count,
                                        struct qn_error *error) {
  enum qn_status status = qn_cuda_status(cudaMemsetAsync(work->count, 0, sizeof *work->count, NULL),
                                         "clearing a counter", error);
  if (status)
    return status;
  LAUNCH_ALL(work, count_labels, level->csr.num_vertices, communities->sizes,
             level->csr.num_vertices, work->count);
  status = qn_cuda_launched("counting communities", error);
  return status
             ? status
             : qn_cuda_status(cudaMemcpy(count, work->count, sizeof *count, cudaMemcpyDeviceToHost),
                              "counting communities", error);
}

/* ---- Modularity ------------------------------------------------------------------------------ */

struct sum_inside {
  struct level level;
  const uint32_t *of;
  fixed_weight *sum, part;
  __device__ void operator()(bool there, uint32_t v, uint32_t other, uint64_t entry) {
    if (there && of[v] == of[other])
      part += level_weight(level, entry) * (v == other ? 2 : 1);
  }
  __device__ void end() {
    part = qn_block_sum(part);
    if (threadIdx.x == 0 && part > 0)
      atomicAdd(sum, part);
  }
};

__global__ void sum_squares(const fixed_weight *degrees, uint64_t num_labels, double total,
                            double *parts) {
  double part = 0;
  qn_grid_steps(num_labels, [&](uint64_t label) {
    const double share = (double)degrees[label] / total;
    part += share * share;
  });
  part = qn_block_sum(part);
  if (threadIdx.x == 0)
    parts[blockIdx.x] = part;
}

/* Modularity of communities that are added up. Of a coarse level, whose loops count in degrees
 * alone, it lacks what does not change: the weight inside its vertices. */
inline enum qn_status communities_modularity(struct leiden_work *work, const struct level *level,
                                             const struct communities *communities,
                                             double *modularity, struct qn_error *error) {
  double parts[SUM_BLOCKS], expected = 0;
  fixed_weight inside;
  *modularity = 0;
  if (work->total == 0)
    return QN_OK;
  enum qn_status status = qn_cuda_status(cudaMemsetAsync(work->sum, 0, sizeof *work->sum, NULL),
                                         "clearing a sum", error);
  if (!status)
    status =
        level_visit(work->memory, level, sum_inside{*level, communities->of, work->sum, 0}, error);
  if (status)
    return status;
  QN_LAUNCH(sum_squares, SUM_BLOCKS, QN_QUEUE_THREADS, 0, NULL, communities->degrees,
            level->csr.num_vertices, (double)work->total, work->parts);
  status = qn_cuda_launched("modularity", error);
  if (!status)
    status = qn_cuda_status(cudaMemcpy(&inside, work->sum, sizeof inside, cudaMemcpyDeviceToHost),
                            "modularity", error);
  if (!status)
    status = qn_cuda_status(cudaMemcpy(parts, work->parts, sizeof parts, cudaMemcpyDeviceToHost),
                            "modularity", error);
  for (int i = 0; !status && i < SUM_BLOCKS; i++)
    expected += parts[i];
  if (!status)
    *modularity = (double)inside / (double)work->total - work->resolution * expected;
  return status;
}

/* ---- Rounds -----------------------------------------------------------------------------------
 */

/* Tables for the longest rows of a level. Together they take no more than its entries do, but there
 * is one at least. */
__global__ void find_longest(const struct qn_csr csr, fixed_weight *longest) {
  fixed_weight most = 0;
  qn_grid_steps(csr.num_vertices, [&](uint64_t v) {
    const fixed_weight length = row_length(csr, v);
    most = length > most ? length : most;
  });
  most = ~qn_block_min(~most);
  if (threadIdx.x == 0 && most > 0)
    atomicMax(longest, most);
}

inline enum qn_status tables_reserve(struct leiden_work *work, const struct level *level,
                                     struct qn_error *error) {
  struct looking *looking = &work->looking;
  const uint64_t V = level->csr.num_vertices;
  fixed_weight longest;
  looking->num_tables = 0;
  enum qn_status status = qn_cuda_status(cudaMemsetAsync(work->sum, 0, sizeof *work->sum, NULL),
                                         "clearing a counter", error);
  if (status)
    return status;
  LAUNCH_ALL(work, find_longest, V, level->csr, work->sum);
  status = qn_cuda_launched("looking for long rows", error);
  if (!status)
    status = qn_cuda_status(cudaMemcpy(&longest, work->sum, sizeof longest, cudaMemcpyDeviceToHost),
                            "looking for long rows", error);
  if (status || longest <= WIDE_LABELS)
    return status;
  looking->num_slots = slots_for(longest < V ? longest : V);
  const uint64_t most = work->memory->reads_edges ? work->most_slots : level->csr.num_edges;
  const uint64_t fitting = most / looking->num_slots;
  looking->num_tables = (unsigned)(fitting < 1 ? 1 : fitting < MOST_TABLES ? fitting : MOST_TABLES);
  const uint64_t slots = looking->num_tables * looking->num_slots;
  status = level_room(work->memory, &work->tables[0], slots, sizeof *looking->keys,
                      "weights to communities", &looking->keys, error);
  return status ? status
                : level_room(work->memory, &work->tables[1], slots, sizeof *looking->sums,
                             "weights to communities", &looking->sums, error);
}

/* Nobody has moved yet. */
inline enum qn_status moved_clear(struct leiden_work *work, struct qn_error *error) {
  return qn_cuda_status(
      cudaMemsetAsync(work->steps.next.count, 0, sizeof *work->steps.next.count, NULL),
      "clearing a counter", error);
}

QN_DEVICE_INLINE void move_to(const struct step_list &moved, uint32_t *target, uint32_t v,
                              uint32_t label) {
  target[v] = label;
  moved.vertices[atomicAdd(moved.count, 1u)] = v;
}

/* Those that moved are where they want to be. */
__global__ void apply_moves(const struct level level, const struct communities communities,
                            const struct step_list moved, const uint32_t *target) {
  qn_grid_steps(*moved.count, [&](uint64_t i) {
    const uint32_t v = moved.vertices[i], before = communities.of[v], after = target[v];
    const fixed_weight degree = level.degrees[v];
    communities.of[v] = after;
    atomicAdd(&communities.degrees[before], ~degree + 1);
    atomicAdd(&communities.degrees[after], degree);
    atomicAdd(&communities.sizes[before], ~0u);
    atomicAdd(&communities.sizes[after], 1u);
  });
}

} /* namespace */
