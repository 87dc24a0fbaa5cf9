/* What the devices of a team (team.cuh) tell each other in an iteration.
 *
 * Values, bits and messages that a device computes for the vertices that it owns are copied to the
 * others: straight into their memory, or, where devices don't reach it, to pinned host memory, from
 * which the others fetch them after the next meeting. Accumulators are merged by ranges: the owner
 * of a vertex combines what all devices collected for it, reading their memory (or its pinned copy)
 * in a kernel; of frontier programs only those that received. So the work of GTS's master device
 * (section 4.1) is shared by all, and V / N x (N - 1) accumulators come in to each, and as many
 * values. */
#pragma once

#include "kernels/cuda/sweep/team.cuh"

#define SWEEP_LAUNCH_OVER(run, vertices, kernel, ...)                                              \
  do {                                                                                             \
    struct sweep_state over = (run)->state;                                                        \
    over.held = vertices;                                                                          \
    QN_LAUNCH(kernel, (run)->blocks, SWEEP_THREADS, 0, NULL, over, ##__VA_ARGS__);                 \
  } while (0)

namespace {

/* What the other devices collected, by vertex. */
struct sweep_others {
  unsigned count;
  const program_accumulator *sums[QN_MAX_DEVICES];
  const uint32_t *received[QN_MAX_DEVICES];
};

/* Combine it into the sums of these vertices. */
__global__ void sweep_merge(const struct sweep_state state, const struct sweep_others others) {
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    uint32_t received = 0;
    for (unsigned i = 0; i < others.count && valid; i++) {
      const uint32_t word = SWEEP_FRONTIER ? others.received[i][v / 32] : ~0u;
      received |= word;
      if (!(word >> v % 32 & 1))
        continue;
      program_accumulator sum = state.sums[v];
      program_combine(&sum, others.sums[i][v]);
      state.sums[v] = sum;
    }
    if (SWEEP_FRONTIER && valid && qn_lane() == 0 && received)
      state.received[v / 32] |= received;
  });
}

/* The sums of these vertices are the identity again: their owner has them. */
__global__ void sweep_forget(const struct sweep_state state) {
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    if (valid && (!SWEEP_FRONTIER || (state.received[v / 32] >> v % 32 & 1)))
      state.sums[v] = program_identity();
    if (SWEEP_FRONTIER) {
      __syncwarp(); /* the word is read by all before it is cleared */
      if (valid && qn_lane() == 0)
        state.received[v / 32] = 0;
    }
  });
}

/* ---- The host's side: all in the default stream of each device ----------------------- */

inline enum qn_status sweep_synchronize(struct qn_error *error) {
  enum qn_status status = qn_cuda_launched("launching an iteration's kernels", error);
  return status ? status
                : qn_cuda_status(cudaDeviceSynchronize(), "an iteration on the device", error);
}

/* Copy elements of one of the arrays that all devices have whole to the others', or to its pinned
 * copy. */
template <class Type>
enum qn_status sweep_publish(struct sweep_member *member, Type *sweep_state::*array, Type *pinned,
                             struct unit_vertices elements, struct qn_error *error) {
  const struct sweep_team *team = member->team;
  const Type *from = member->run.state.*array + elements.begin;
  const uint64_t bytes = sizeof(Type) * sweep_length(elements);
  cudaError_t result = cudaSuccess;
  if (bytes > 0 && !team->peers)
    result = cudaMemcpyAsync(pinned + elements.begin, from, bytes, cudaMemcpyDeviceToHost, NULL);
  for (unsigned i = 0; i < team->threads.num_members && bytes > 0 && team->peers; i++)
    if (i != member->index && result == cudaSuccess)
      result = cudaMemcpyAsync(team->members[i].run.state.*array + elements.begin, from, bytes,
                               cudaMemcpyDefault, NULL);
  member->merged_bytes += bytes * (team->threads.num_members - 1);
  return qn_cuda_status(result, "telling the other devices", error);
}

/* After a meeting: what the others published, unless it is here. `words`: elements are words of
 * bits, not vertices. */
template <class Type>
enum qn_status sweep_fetch(struct sweep_member *member, Type *sweep_state::*array,
                           const Type *pinned, bool words, struct qn_error *error) {
  const struct sweep_team *team = member->team;
  cudaError_t result = cudaSuccess;
  for (unsigned i = 0; i < team->threads.num_members && !team->peers; i++) {
    const struct unit_vertices own = team->members[i].own;
    const struct unit_vertices elements = words ? sweep_words_of(own) : own;
    const uint64_t bytes = sizeof(Type) * sweep_length(elements);
    if (i != member->index && bytes > 0 && result == cudaSuccess)
      result = cudaMemcpyAsync(member->run.state.*array + elements.begin, pinned + elements.begin,
                               bytes, cudaMemcpyHostToDevice, NULL);
  }
  return qn_cuda_status(result, "hearing from the other devices", error);
}

inline enum qn_status sweep_publish_active(struct sweep_member *member, struct qn_error *error) {
  if (!SWEEP_FRONTIER)
    return QN_OK;
  return sweep_publish(member, &sweep_state::active, member->team->active,
                       sweep_words_of(member->own), error);
}

inline enum qn_status sweep_fetch_active(struct sweep_member *member, struct qn_error *error) {
  if (!SWEEP_FRONTIER)
    return QN_OK;
  return sweep_fetch(member, &sweep_state::active, member->team->active, true, error);
}

/* Before the meeting after a walk: let the others see what was collected. */
inline enum qn_status sweep_show_sums(struct sweep_member *member, struct qn_error *error) {
  const struct sweep_state *state = &member->run.state;
  const uint64_t num_vertices = member->team->num_vertices;
  if (member->team->peers || sweep_team_splits(member->team) || num_vertices == 0)
    return QN_OK;
  cudaError_t result = cudaMemcpyAsync(
      member->sums, state->sums, num_vertices * sizeof *state->sums, cudaMemcpyDeviceToHost, NULL);
  if (result == cudaSuccess && SWEEP_FRONTIER)
    result = cudaMemcpyAsync(member->received, state->received,
                             (num_vertices / 32 + 1) * sizeof *state->received,
                             cudaMemcpyDeviceToHost, NULL);
  return qn_cuda_status(result, "telling the other devices", error);
}

/* After it, under performance: the owner's sums become those of all devices. */
inline void sweep_merge_others(struct sweep_member *member) {
  const struct sweep_team *team = member->team;
  struct sweep_others others;
  memset(&others, 0, sizeof others);
  for (unsigned i = 0; i < team->threads.num_members; i++) {
    const struct sweep_member *other = &team->members[i];
    if (i == member->index)
      continue;
    others.sums[others.count] = team->peers ? other->run.state.sums : other->sums;
    others.received[others.count++] = team->peers ? other->run.state.received : other->received;
  }
  SWEEP_LAUNCH_OVER(&member->run, member->own, sweep_merge, others);
  if (!SWEEP_FRONTIER)
    member->merged_bytes +=
        others.count * sizeof(program_accumulator) * (uint64_t)sweep_length(member->own);
}

/* Once all have merged. */
inline void sweep_forget_others(struct sweep_member *member) {
  const struct unit_vertices own = member->own;
  const uint32_t num_vertices = (uint32_t)member->team->num_vertices;
  const struct unit_vertices before = {0, own.begin}, after = {own.end, num_vertices};
  if (sweep_length(before) > 0)
    SWEEP_LAUNCH_OVER(&member->run, before, sweep_forget);
  if (sweep_length(after) > 0)
    SWEEP_LAUNCH_OVER(&member->run, after, sweep_forget);
}

} /* namespace */
