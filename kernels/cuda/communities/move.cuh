/* Local moving in rounds: a random part of the vertices looks at the same time for the community
 * where modularity gains most, and moves there. Communities stay as they are while all look, so the
 * outcome does not depend on the order of threads. Two neighbours that look at the same time may
 * swap, or many may join what only one should: the parts are others in each sweep, and a sweep that
 * lost is forgotten.
 *
 * Bytes: a round moves 12 an entry of those that look, and a sector of L2 for its end's label. */
#pragma once

#include "kernels/cuda/communities/work.cuh"

/* A gain that rounding alone may make, as a part of a vertex's degree. */
#define ROUNDING_GAIN 1e-12
/* Rounds of a sweep. On a small level, where each move changes much, fewer look at a time, as a
 * round takes little more than its launches anyway. */
#define ROUNDS 8
#define SMALL_LEVEL 65536
#define SMALL_ROUNDS 32
#define MOST_SWEEPS 100
/* So many sweeps in a row that gain less are the last. */
#define LEAST_SWEEP_GAIN 1e-7
#define BAD_SWEEPS 3

namespace {

struct look_to_move {
  const uint32_t *of;
  const fixed_weight *of_degrees; /* of communities */
  const uint32_t *sizes;
  const fixed_weight *degrees; /* of vertices */
  double scale;
  uint64_t key;
  uint32_t round, rounds;
  uint8_t *active;
  uint32_t *target;
  struct step_list moved;

  __device__ bool wants(uint32_t v) const { return active[v] && turn_of(key, v) % rounds == round; }
  __device__ uint32_t label(uint32_t v, uint32_t other) const {
    return other == v ? NO_LABEL : of[other];
  }
  /* What modularity gains, times half the total, if v, alone, joins the community. */
  __device__ double gain(uint32_t v, uint32_t label, fixed_weight weight) const {
    const bool is_own = label == of[v];
    const double degree = (double)degrees[v];
    const double others = (double)(of_degrees[label] - (is_own ? degrees[v] : 0));
    return (double)weight - degree * others * scale + (is_own ? ROUNDING_GAIN * degree : 0);
  }
  /* v goes to the best community, if that is better than its own without an edge there; to none if
   * all would lose, if it may give its name to a new one. */
  __device__ void take(uint32_t v, choice best) const {
    active[v] = 0;
    const choice own = {gain(v, of[v], 0), of[v]};
    if (is_better(own, best))
      best = own;
    if (best.amount < 0 && sizes[v] == 0)
      best.label = v;
    if (best.label != of[v])
      move_to(moved, target, v, best.label);
  }
};

struct wake_others {
  const uint32_t *of;
  uint8_t *active;
  __device__ bool operator()(uint32_t v, uint32_t other) const {
    if (other != v && of[other] != of[v])
      active[other] = 1;
    return false;
  }
};

/* One part looks and moves; *moved is how many did. */
inline enum qn_status move_round(struct leiden_work *work, const struct level *level, uint64_t key,
                                 uint32_t round, uint32_t rounds, uint32_t *moved,
                                 struct qn_error *error) {
  const struct communities *communities = &work->communities;
  const struct look_to_move look = {communities->of,
                                    communities->degrees,
                                    communities->sizes,
                                    level->degrees,
                                    work->scale,
                                    key,
                                    round,
                                    rounds,
                                    work->active,
                                    work->target,
                                    work->steps.next};
  enum qn_status status = look_around(work->memory, level, &work->looking, look, error);
  if (!status)
    status = steps_next(&work->steps, error);
  *moved = work->steps.count;
  if (status || *moved == 0)
    return status;
  LAUNCH_ALL(work, apply_moves, *moved, *level, *communities, work->steps.now, work->target);
  return steps_walk(&work->steps, level->csr, wake_others{communities->of, work->active}, error);
}

inline enum qn_status copy_labels(uint64_t num_vertices, uint32_t *to, const uint32_t *from,
                                  struct qn_error *error) {
  return qn_cuda_status(
      cudaMemcpyAsync(to, from, num_vertices * sizeof *to, cudaMemcpyDeviceToDevice, NULL),
      "keeping communities", error);
}

/* Move vertices between communities until none gains. */
inline enum qn_status move_vertices(struct leiden_work *work, const struct level *level,
                                    struct qn_error *error) {
  const uint64_t V = level->csr.num_vertices;
  const uint32_t rounds = V <= SMALL_LEVEL ? SMALL_ROUNDS : ROUNDS;
  struct communities *communities = &work->communities;
  double most = 0;
  uint32_t bad = 0;
  bool left = true;
  enum qn_status status = communities_add_up(work, level, communities, error);
  if (!status)
    status = communities_modularity(work, level, communities, &most, error);
  if (!status)
    status = copy_labels(V, work->best, communities->of, error);
  if (!status)
    status = qn_cuda_status(cudaMemsetAsync(work->active, 1, V, NULL), "waking all", error);
  if (!status)
    status = moved_clear(work, error);
  for (uint32_t sweep = 0; !status && left && bad < BAD_SWEEPS && sweep < MOST_SWEEPS; sweep++) {
    const uint64_t key = next_key(work);
    double modularity = 0;
    left = false;
    for (uint32_t round = 0; round < rounds && !status; round++) {
      uint32_t moved = 0;
      status = move_round(work, level, key, round, rounds, &moved, error);
      left |= moved > 0;
    }
    if (!status)
      status = communities_modularity(work, level, communities, &modularity, error);
    const bool gains = !status && modularity > most;
    bad = gains && modularity - most >= LEAST_SWEEP_GAIN ? 0 : bad + 1;
    if (!gains)
      continue;
    most = modularity;
    status = copy_labels(V, work->best, communities->of, error);
  }
  if (!status)
    status = copy_labels(V, communities->of, work->best, error);
  return status ? status : communities_add_up(work, level, communities, error);
}

} /* namespace */
