/* Sub-communities of each community: vertices begin alone and join the one where modularity gains
 * most, if both are well connected within the community (MergeNodesSubset of the paper, which
 * leaves some to chance; here chance says who moves when). In each round a coin says of every
 * vertex that is alone still whether it may move or be joined, so nobody joins one that moves
 * away, and sub-communities stay connected. */
#pragma once

#include "kernels/cuda/communities/work.cuh"

/* The last rounds are two in which nobody moved. */
#define MOST_REFINING_ROUNDS 32

namespace {

struct look_to_merge {
  const uint32_t *community;
  const fixed_weight *community_degrees;
  struct communities refined;
  const fixed_weight *outside;
  const fixed_weight *degrees; /* of vertices */
  double scale;
  uint64_t key;
  uint32_t *target;
  struct step_list moved;

  __device__ bool moves(uint32_t v) const { return turn_of(key, v) & 1; }
  /* Is a sub-community connected with the rest of its community at least as well as chance would
   * have it? */
  __device__ bool is_well_connected(uint32_t label, fixed_weight community_degrees) const {
    const double degrees_of = (double)refined.degrees[label];
    return (double)outside[label] >= degrees_of * ((double)community_degrees - degrees_of) * scale;
  }
  __device__ bool wants(uint32_t v) const {
    return refined.of[v] == v && refined.sizes[v] == 1 && moves(v) &&
           is_well_connected(v, community_degrees[community[v]]);
  }
  __device__ uint32_t label(uint32_t v, uint32_t other) const {
    return other != v && community[other] == community[v] ? refined.of[other] : NO_LABEL;
  }
  __device__ double gain(uint32_t v, uint32_t label, fixed_weight weight) const {
    if ((refined.sizes[label] == 1 && moves(label)) ||
        !is_well_connected(label, community_degrees[community[v]]))
      return NO_GAIN;
    return (double)weight - (double)degrees[v] * (double)refined.degrees[label] * scale;
  }
  __device__ void take(uint32_t v, choice best) const {
    if (best.amount > 0)
      move_to(moved, target, v, best.label);
  }
};

struct sum_outside {
  struct level level;
  const uint32_t *community, *refined;
  fixed_weight *outside;
  __device__ void operator()(bool there, uint32_t v, uint32_t other, uint64_t entry) {
    const bool counts = there && community[other] == community[v] && refined[other] != refined[v];
    const fixed_weight sum = piece_sum(counts ? level_weight(level, entry) : 0);
    if (threadIdx.x % QN_UNIT_EDGES == 0 && sum > 0)
      atomicAdd(&outside[refined[v]], sum);
  }
  __device__ void end() {}
};

__global__ void set_alone(uint32_t *of, uint64_t num_vertices) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { of[v] = (uint32_t)v; });
}

inline enum qn_status find_outside(struct leiden_work *work, const struct level *level,
                                   struct qn_error *error) {
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(work->outside, 0, level->csr.num_vertices * sizeof *work->outside, NULL),
      "clearing weights", error);
  return status ? status
                : level_visit(
                      work->memory, level,
                      sum_outside{*level, work->communities.of, work->refined.of, work->outside},
                      error);
}

/* Sub-communities of the communities, which are added up. */
inline enum qn_status refine_communities(struct leiden_work *work, const struct level *level,
                                         struct qn_error *error) {
  const uint64_t V = level->csr.num_vertices;
  uint32_t still = 0;
  LAUNCH_ALL(work, set_alone, V, work->refined.of, V);
  enum qn_status status = communities_add_up(work, level, &work->refined, error);
  if (!status)
    status = moved_clear(work, error);
  for (uint32_t round = 0; !status && still < 2 && round < MOST_REFINING_ROUNDS; round++) {
    if (still == 0)
      status = find_outside(work, level, error);
    const struct look_to_merge look = {work->communities.of, work->communities.degrees,
                                       work->refined,        work->outside,
                                       level->degrees,       work->scale,
                                       next_key(work),       work->target,
                                       work->steps.next};
    if (!status)
      status = look_around(work->memory, level, &work->looking, look, error);
    if (!status)
      status = steps_next(&work->steps, error);
    still = work->steps.count > 0 ? 0 : still + 1;
    if (!status && work->steps.count > 0)
      LAUNCH_ALL(work, apply_moves, work->steps.count, *level, work->refined, work->steps.now,
                 work->target);
  }
  return status ? status : qn_cuda_launched("refining communities", error);
}

} /* namespace */
