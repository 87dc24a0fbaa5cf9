/* Runs of steps (row_steps.cuh), until one finds nothing:
 *
 *   steps_begin(&steps, num_vertices, wants, error);
 *   steps_run(&steps, step_along(csr, visit), step_along_none(), UINT64_MAX, error);
 *
 * Steps from a few short rows, as along a chain, are taken by one block without the host, unless
 * several devices share them: a launch and a wait for each would take about ten times as long. */
#pragma once

#include "kernels/cuda/edges/told_steps.cuh"

/* What one block takes: so many vertices with so many edges each at most; by one launch so many
 * steps. */
#define STEPS_FEW (QN_QUEUE_THREADS / 4)
#define STEPS_SHORT 128
#define STEPS_A_LAUNCH 10000

namespace {

/* A step goes along these rows: visit(v, other). */
template <class Visit> struct step_walk {
  struct qn_csr csr; /* zeroed: along none */
  Visit visit;
};

struct step_no_visit {
  __device__ bool operator()(uint32_t, uint32_t) const { return false; }
};

template <class Visit>
struct step_walk<Visit> step_along(const struct qn_csr &csr, const Visit &visit) {
  return {csr, visit};
}

inline struct step_walk<step_no_visit>
step_along_none() {
  struct step_walk<step_no_visit> none;
  memset(&none, 0, sizeof none);
  return none;
}

QN_DEVICE_INLINE bool
step_is_long(const struct qn_csr &csr, uint32_t v) {
  return csr.num_vertices > 0 && csr.row_offsets[v + 1] - csr.row_offsets[v] > STEPS_SHORT;
}

/* QN_UNIT_EDGES threads of the block a row. */
template <class Visit>
QN_DEVICE_INLINE void step_visit_few(const struct step_walk<Visit> &walk, const uint32_t *from,
                                     uint32_t count, uint32_t *to, uint32_t *num_found) {
  if (walk.csr.num_vertices == 0)
    return;
  for (uint32_t i = threadIdx.x / QN_UNIT_EDGES; i < count; i += blockDim.x / QN_UNIT_EDGES) {
    const uint64_t begin = walk.csr.row_offsets[from[i]], end = walk.csr.row_offsets[from[i] + 1];
    for (uint64_t edge = begin + threadIdx.x % QN_UNIT_EDGES; edge < end; edge += QN_UNIT_EDGES) {
      const uint32_t other = walk.csr.column_indices[edge];
      if (walk.visit(from[i], other))
        to[atomicAdd(num_found, 1u)] = other;
    }
  }
}

/* By one block: steps from `now`, until one has found nothing, or too much for it. */
template <class First, class Second>
__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    steps_follow(const struct step_walk<First> first, const struct step_walk<Second> second,
                 const struct step_list now, const struct step_list next,
                 struct step_report *report) {
  QN_SHARED(uint32_t, num_found, 1);
  uint32_t *from = now.vertices, *to = next.vertices;
  uint32_t count = *now.count, taken = 0, found = 0;
  while (count > 0 && count <= STEPS_FEW && taken < STEPS_A_LAUNCH) {
    const bool is_mine = threadIdx.x < count;
    if (__syncthreads_or(is_mine && (step_is_long(first.csr, from[threadIdx.x]) ||
                                     step_is_long(second.csr, from[threadIdx.x]))))
      break;
    if (threadIdx.x == 0)
      num_found[0] = 0;
    __syncthreads();
    step_visit_few(first, from, count, to, num_found);
    __syncthreads();
    step_visit_few(second, from, count, to, num_found);
    __syncthreads();
    count = num_found[0];
    found += count;
    taken++;
    uint32_t *const walked = from;
    from = to;
    to = walked;
  }
  if (threadIdx.x > 0)
    return;
  *now.count = taken % 2 ? 0 : count;
  *next.count = taken % 2 ? count : 0;
  report->taken = taken;
  report->found = found;
  report->count = count;
}

template <class First, class Second>
enum qn_status steps_by_block(struct row_steps *steps, const struct step_walk<First> &first,
                              const struct step_walk<Second> &second, struct qn_error *error) {
  const struct step_list now = steps->now;
  struct step_report report;
  QN_LAUNCH((steps_follow<First, Second>), 1, QN_QUEUE_THREADS, 0, NULL, first, second, now,
            steps->next, steps->report);
  enum qn_status status = qn_cuda_launched("steps", error);
  if (!status)
    status = qn_cuda_status(
        cudaMemcpy(&report, steps->report, sizeof report, cudaMemcpyDeviceToHost), "steps", error);
  if (status)
    return status;
  if (report.taken % 2) {
    steps->now = steps->next;
    steps->next = now;
  }
  steps->count = report.count;
  steps->taken += report.taken;
  steps->found += report.found;
  return QN_OK;
}

/* One step by all blocks. */
template <class First, class Second>
enum qn_status steps_by_all(struct row_steps *steps, const struct step_walk<First> &first,
                            const struct step_walk<Second> &second, struct qn_error *error) {
  enum qn_status status = steps_walk(steps, first.csr, first.visit, error);
  if (!status && second.csr.num_vertices > 0)
    status = steps_walk(steps, second.csr, second.visit, error);
  if (!status)
    status = steps_next(steps, error);
  steps->taken++;
  steps->found += steps->count;
  return status;
}

/* Steps along both, until one finds nothing (steps->count is 0), or about `most` are taken. */
template <class First, class Second>
enum qn_status steps_run(struct row_steps *steps, const struct step_walk<First> &first,
                         const struct step_walk<Second> &second, uint64_t most,
                         struct qn_error *error) {
  enum qn_status status = QN_OK;
  while (!status && steps->count > 0 && steps->taken < most) {
    const uint64_t before = steps->taken;
    if (steps->count <= STEPS_FEW && !steps->memory->member)
      status = steps_by_block(steps, first, second, error);
    if (!status && steps->taken == before)
      status = steps_by_all(steps, first, second, error);
  }
  return status;
}

} /* namespace */
