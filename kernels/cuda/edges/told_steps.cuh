/* Steps (row_steps.cuh) whose outcome several devices tell each other, where each walks its rows.
 *
 * A visit has two halves, so that one device does both at once and several tell each other what
 * lies between:
 *
 *   send(v, other)            what v has for `other`, below 2^32; 0: nothing
 *   take(other, amount)       `other` has it; is it next? Each device asks, for its own values
 *   gather(waiting, amount)   on a device: put it to what waits for `other`, by atomics; was there
 *                             nothing before?
 *
 * It is walked as any other visit, as step_told(visit). Until all have been told nobody's values
 * change, and then all take the same: so they stay the same, in whatever order they take it.
 *
 * Bytes: for each vertex that one has something for, 8 to each other device and 20 of its own
 * memory. A walk costs two meetings more. */
#pragma once

#include "kernels/cuda/edges/row_steps.cuh"
#include "kernels/cuda/edges/row_team.cuh"

namespace {

template <class Visit> struct step_tell {
  Visit visit;
  __device__ bool operator()(uint32_t v, uint32_t other) const {
    const uint32_t amount = visit.send(v, other);
    return amount > 0 && visit.take(other, amount);
  }
};

template <class Visit> struct step_tell<Visit> step_told(const Visit &visit) {
  return {visit};
}

/* How most visits gather. */
QN_DEVICE_INLINE bool
step_gather_sum(uint32_t *waiting, uint32_t amount) {
  return atomicAdd(waiting, amount) == 0;
}

QN_DEVICE_INLINE bool step_gather_most(uint32_t *waiting, uint32_t amount) {
  return atomicMax(waiting, amount) == 0;
}

template <class Visit> struct step_note {
  Visit visit;
  uint32_t *amounts;
  __device__ bool operator()(uint32_t v, uint32_t other) const {
    const uint32_t amount = visit.send(v, other);
    return amount > 0 && visit.gather(&amounts[other], amount);
  }
};

__global__ void steps_pack(const struct step_changes changes) {
  const uint32_t count = *changes.touched.count;
  qn_grid_steps(count, [&](uint64_t i) {
    const uint32_t v = changes.touched.vertices[i];
    changes.told[i] = (uint64_t)v << 32 | changes.amounts[v];
    changes.amounts[v] = 0;
  });
}

template <class Visit>
__global__ void steps_take(const uint64_t *told, uint64_t count, const struct step_list next,
                           Visit visit) {
  qn_block_steps(count, [&](uint64_t i, bool there) {
    const uint64_t said = there ? told[i] : 0;
    step_put(next, there && visit.take((uint32_t)(said >> 32), (uint32_t)said),
             (uint32_t)(said >> 32));
  });
}

/* What was noted becomes what is told. */
inline enum qn_status steps_tell(struct row_steps *steps, struct qn_error *error) {
  struct qn_cuda_memory *memory = steps->memory;
  struct step_changes *changes = &steps->changes;
  uint32_t count = 0;
  enum qn_status status = qn_cuda_status(
      cudaMemcpy(&count, changes->touched.count, sizeof count, cudaMemcpyDeviceToHost), "a step",
      error);
  if (!status && count > 0) {
    QN_LAUNCH(steps_pack, qn_run_blocks(memory, count), QN_QUEUE_THREADS, 0, NULL, *changes);
    status = qn_cuda_launched("a step", error);
  }
  if (!status)
    status = qn_cuda_status(cudaMemset(changes->touched.count, 0, sizeof count), "a step", error);
  changes->num_told = count;
  return qn_row_tell(memory->member, status, changes, error);
}

/* What was noted is told, and all take it. */
template <class Visit>
enum qn_status steps_share(struct row_steps *steps, Visit visit, struct qn_error *error) {
  struct qn_cuda_memory *memory = steps->memory;
  struct qn_row_member *member = memory->member;
  const unsigned members = qn_row_members(member);
  enum qn_status status = steps_tell(steps, error);
  for (unsigned turn = 0; turn < members && !status; turn++) {
    const unsigned by = (member->index + turn) % members;
    const struct step_changes *theirs = (const struct step_changes *)qn_row_told(member, by);
    const uint64_t count = theirs->num_told;
    const uint64_t *received = turn == 0 ? steps->changes.told : steps->changes.received;
    if (count == 0)
      continue;
    if (turn > 0)
      status = qn_row_copy(memory, steps->changes.received, by, theirs->told,
                           count * sizeof *received, error);
    if (status)
      break;
    QN_LAUNCH((steps_take<Visit>), qn_run_blocks(memory, count), QN_QUEUE_THREADS, 0, NULL,
              received, count, steps->next, visit);
    status = qn_cuda_launched("a step", error);
  }
  if (!status)
    status = qn_cuda_status(cudaDeviceSynchronize(), "a step", error);
  return qn_row_agree(member, status);
}

template <class Visit>
enum qn_status steps_walk(struct row_steps *steps, const struct qn_csr &csr,
                          struct step_tell<Visit> both, struct qn_error *error) {
  if (!steps->memory->member)
    return steps_walk_to(steps, csr, steps->next, both, error);
  const struct step_note<Visit> note = { both.visit, steps->changes.amounts };
  enum qn_status status = steps_walk_to(steps, csr, steps->changes.touched, note, error);
  return status ? status : steps_share(steps, both.visit, error);
}

/* ---- Values of the list at hand ------------------------------------------------------------- */

__global__ void steps_note_values(const struct step_list list, uint64_t begin, uint64_t end,
                                  const uint32_t *values, const struct step_changes changes) {
  qn_block_steps(*list.count, [&](uint64_t i, bool there) {
    const uint32_t v = there ? list.vertices[i] : 0;
    const bool own = there && v >= begin && v < end;
    if (own)
      changes.amounts[v] = values[v];
    step_put(changes.touched, own, v);
  });
}

struct step_value {
  uint32_t *values;
  __device__ bool take(uint32_t v, uint32_t value) const {
    values[v] = value;
    return false;
  }
};

/* Of the vertices at hand a device has found the values of those whose rows it has: now all have
 * all. */
inline enum qn_status steps_share_values(struct row_steps *steps, uint64_t num_vertices,
                                         uint32_t *values, struct qn_error *error) {
  uint64_t begin, end;
  if (!steps->memory->member)
    return QN_OK;
  qn_row_range(steps->memory->member, num_vertices, &begin, &end);
  QN_LAUNCH(steps_note_values, qn_run_blocks(steps->memory, steps->count), QN_QUEUE_THREADS, 0,
            NULL, steps->now, begin, end, values, steps->changes);
  enum qn_status status = qn_cuda_launched("a step", error);
  return status ? status : steps_share(steps, step_value{values}, error);
}

} /* namespace */
