/* The Leiden algorithm on a device: the iterations and levels of
 * kernels/cpu/communities/leiden.c around local moving (move.cuh), refinement (refine.cuh) and
 * aggregation (aggregate.cuh) of its own, which do many things at a time. So the communities are
 * others than the CPU's. The guarantees are the same: communities are connected, modularity is what
 * is said, and a seed gives one result. */
#pragma once

#include "kernels/cuda/communities/aggregate.cuh"
#include "kernels/cuda/communities/move.cuh"
#include "kernels/cuda/communities/refine.cuh"
#include "kernels/cuda/edges/trees.cuh"

/* An iteration that gains less is the last. */
#define LEAST_GAIN 1e-7

namespace {

struct leiden_levels {
  struct leiden_work work;
  struct level first;
  struct host_level first_there; /* where edges are read in the host's memory, */
  uint64_t spare;                /* of which the device may have so many bytes of a level */
  struct level_memory rooms[2];  /* of coarse levels, in turn */
  struct aggregation_memory aggregation;
  uint32_t *community; /* [V of the first level] so far */
  double modularity;
  uint64_t iterations;
  bool converged;
};

/* ---- From level to level ------------------------------------------------------------------- */

/* A coarse vertex is of the community of all its members, which is called after the first. */
__global__ void find_first_groups(const struct communities communities, const uint32_t *groups,
                                  uint64_t num_vertices, uint32_t *first) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { atomicMin(&first[communities.of[v]], groups[v]); });
}

__global__ void take_communities(const uint32_t *of, const uint32_t *groups, uint64_t num_vertices,
                                 const uint32_t *first, uint32_t *coarse) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { coarse[groups[v]] = first[of[v]]; });
}

__global__ void follow(uint32_t *vertex, const uint32_t *groups, uint64_t num_vertices) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { vertex[v] = groups[vertex[v]]; });
}

inline enum qn_status step_down(struct leiden_levels *levels, const struct level *level,
                                uint32_t num_groups, struct level_memory *to, struct level *coarse,
                                struct host_level *there, struct qn_error *error) {
  struct leiden_work *work = &levels->work;
  const uint64_t V = level->csr.num_vertices;
  const uint32_t *groups = work->refined.of;
  const struct host_level fine = *there;
  enum qn_status status =
      work->memory->reads_edges
          ? aggregate_there(work, levels->spare, level, fine, num_groups, to, coarse, there, error)
          : aggregate(work, &levels->aggregation, level, num_groups, to, coarse, error);
  if (!status)
    status = qn_cuda_status(cudaMemsetAsync(work->target, 0xff, V * sizeof *work->target, NULL),
                            "clearing labels", error);
  if (status)
    return status;
  LAUNCH_ALL(work, find_first_groups, V, work->communities, groups, V, work->target);
  LAUNCH_ALL(work, take_communities, V, work->communities.of, groups, V, work->target, work->best);
  LAUNCH_ALL(work, follow, levels->first.csr.num_vertices, work->vertex, groups,
             levels->first.csr.num_vertices);
  uint32_t *communities = work->best;
  work->best = work->communities.of;
  work->communities.of = communities;
  return qn_cuda_launched("going to the next level", error);
}

/* From the first level on to coarser ones, until communities are single vertices. */
inline enum qn_status descend(struct leiden_levels *levels, struct qn_error *error) {
  struct leiden_work *work = &levels->work;
  struct level level = levels->first, coarse;
  struct host_level there = levels->first_there;
  enum qn_status status = QN_OK;
  for (unsigned depth = 0; !status; depth++) {
    const uint64_t V = level.csr.num_vertices;
    uint32_t num_communities = 0, num_refined = 0;
    status = tables_reserve(work, &level, error);
    if (!status)
      status = move_vertices(work, &level, error);
    if (!status)
      status = communities_count(work, &level, &work->communities, &num_communities, error);
    if (status || num_communities == V)
      break;
    status = refine_communities(work, &level, error);
    if (!status)
      status = number_refined(work, &levels->aggregation, &level, &num_refined, error);
    if (status || num_refined == V)
      break;
    status =
        step_down(levels, &level, num_refined, &levels->rooms[depth % 2], &coarse, &there, error);
    level = coarse;
  }
  return status;
}

/* ---- An iteration ---------------------------------------------------------------------------- */

__global__ void come_back(const uint32_t *vertex, const uint32_t *of, uint64_t num_vertices,
                          uint32_t *community) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { community[v] = of[vertex[v]]; });
}

struct join_within {
  struct level level;
  const uint32_t *of;
  uint32_t *parent;
  __device__ void operator()(bool there, uint32_t v, uint32_t other, uint64_t entry) {
    if (there && v != other && of[v] == of[other] && level_weight(level, entry) > 0)
      join(parent, v, other);
  }
  __device__ void end() {}
};

__global__ void take_roots(uint32_t *parent, uint64_t num_vertices, uint32_t *of) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { of[v] = find_root(parent, (uint32_t)v); });
}

/* Parts of a community that no edge joins become communities, each called after its first vertex:
 * modularity gains by that. */
inline enum qn_status split_apart(struct leiden_work *work, const struct level *level,
                                  struct qn_error *error) {
  const uint64_t V = level->csr.num_vertices;
  uint32_t *parent = work->target;
  LAUNCH_ALL(work, set_alone, V, parent, V);
  enum qn_status status =
      level_visit(work->memory, level, join_within{*level, work->communities.of, parent}, error);
  if (status)
    return status;
  LAUNCH_ALL(work, take_roots, V, parent, V, work->communities.of);
  return communities_add_up(work, level, &work->communities, error);
}

/* From the communities so far to better ones, in work->communities. */
inline enum qn_status improve(struct leiden_levels *levels, double *modularity,
                              struct qn_error *error) {
  struct leiden_work *work = &levels->work;
  const struct level *first = &levels->first;
  const uint64_t V = first->csr.num_vertices;
  LAUNCH_ALL(work, set_alone, V, work->vertex, V);
  enum qn_status status = copy_labels(V, work->communities.of, levels->community, error);
  if (!status)
    status = descend(levels, error);
  if (status)
    return status;
  LAUNCH_ALL(work, come_back, V, work->vertex, work->communities.of, V, work->best);
  uint32_t *communities = work->best;
  work->best = work->communities.of;
  work->communities.of = communities;
  status = split_apart(work, first, error);
  return status ? status
                : communities_modularity(work, first, &work->communities, modularity, error);
}

/* Until an iteration gains nothing; that one is forgotten. `told` hears of every iteration. */
template <class Told>
enum qn_status leiden_iterate(struct leiden_levels *levels, uint32_t max_iterations, Told told,
                              struct qn_error *error) {
  struct leiden_work *work = &levels->work;
  const struct level *first = &levels->first;
  const uint64_t V = first->csr.num_vertices;
  LAUNCH_ALL(work, set_alone, V, levels->community, V);
  enum qn_status status = copy_labels(V, work->communities.of, levels->community, error);
  if (!status)
    status = communities_add_up(work, first, &work->communities, error);
  if (!status)
    status = communities_modularity(work, first, &work->communities, &levels->modularity, error);
  levels->converged = work->total == 0;
  while (!status && !levels->converged && levels->iterations < max_iterations) {
    const double before = levels->modularity;
    double modularity;
    status = improve(levels, &modularity, error);
    if (status)
      break;
    levels->converged = modularity - before < LEAST_GAIN;
    levels->iterations++;
    told(levels->iterations - 1);
    if (modularity <= before)
      continue;
    levels->modularity = modularity;
    status = copy_labels(V, levels->community, work->communities.of, error);
  }
  return status;
}

} /* namespace */
