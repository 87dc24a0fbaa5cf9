/* Visit vertices in parallel, each after all its neighbours of higher priority and before those of
 * lower (kernels/cpu/csr/by_priority.h): the outcome is the CPU's. A step visits those that wait
 * for nobody any more (Jones, Plassmann 1993); there are some O(log V) on graphs of low degree, and
 * at least as many as the longest clique has vertices. Of several devices each visits the vertices
 * whose rows it has, and tells the others who waits for less.
 *
 * Bytes: each edge is looked at twice, with a random priority of 8 bytes at its end, and lowers a
 * counter once. */
#pragma once

#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/told_steps.cuh"
#include "kernels/standalone_kernel.h"
#include "kernels/visit_order.h"

namespace {

struct priorities {
  struct qn_csr csr; /* on the device, of an undirected graph */
  unsigned long long *of;
  unsigned long long *waits_for; /* [V] edges to neighbours before that were not visited */
};

QN_DEVICE_INLINE bool comes_before(const struct priorities &priorities, uint32_t other,
                                   uint32_t v) {
  return priorities.of[other] > priorities.of[v];
}

__global__ void find_priorities(const struct priorities priorities, const uint32_t *positions,
                                bool high_degrees_first) {
  const uint64_t *offsets = priorities.csr.row_offsets;
  qn_grid_steps(priorities.csr.num_vertices, [&](uint64_t v) {
    priorities.of[v] = qn_visit_priority(
        offsets[v + 1] - offsets[v], positions ? positions[v] : (uint32_t)v, high_degrees_first);
  });
}

struct count_before {
  struct priorities priorities;
  __device__ bool operator()(uint32_t v, uint32_t other) const {
    return comes_before(priorities, other, v);
  }
  __device__ void add(uint32_t v, unsigned count) const {
    atomicAdd(&priorities.waits_for[v], (unsigned long long)count);
  }
};

struct waits_for_nobody {
  struct priorities priorities;
  __device__ bool operator()(uint32_t v) const { return priorities.waits_for[v] == 0; }
};

/* Beside the number of those that a vertex waits for no more. */
#define IS_TOLD (1u << 31)

/* v was visited: those after it wait for one less, and are told what `tell` has for all of them. */
template <class Tell> struct release {
  struct priorities priorities;
  Tell tell;
  __device__ uint32_t send(uint32_t v, uint32_t other) const {
    if (!comes_before(priorities, v, other))
      return 0;
    return tell.has_something(v) ? 1 | IS_TOLD : 1;
  }
  __device__ bool gather(uint32_t *waiting, uint32_t amount) const {
    if (amount & IS_TOLD)
      atomicOr(waiting, IS_TOLD);
    return (atomicAdd(waiting, 1u) & ~IS_TOLD) == 0;
  }
  __device__ bool take(uint32_t other, uint32_t amount) const {
    const unsigned long long count = amount & ~IS_TOLD;
    if (amount & IS_TOLD)
      tell.to(other);
    return atomicAdd(&priorities.waits_for[other], 0ull - count) == count;
  }
};

/* Device memory of a run but for what the algorithm itself has. */
inline uint64_t by_priority_bytes(const struct qn_run_request *request) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const uint64_t V = graph->out.num_vertices, E = graph->out.num_edges;
  return 8 * (V + 1) + 4 * E + 2 * 8 * V + 64 + steps_bytes(V) + (request->positions ? 4 * V : 0);
}

/* A run whole of `name`, whose values are [V] of uint32_t at *values. prepare_own(memory, error)
 * makes these; visit(priorities, steps, error) launches what visits the list at hand; make_tell()
 * is what those after a visited vertex are told: if has_something(v), to(other). */
template <class Prepare, class Visit, class MakeTell>
enum qn_status by_priority_run(const struct qn_run_request *request, const char *name,
                               bool high_degrees_first, uint64_t own_bytes, uint32_t **values,
                               Prepare prepare_own, Visit visit, MakeTell make_tell,
                               struct qn_run_result *result, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const uint64_t num_vertices = graph->out.num_vertices;
  struct qn_cuda_memory memory;
  struct row_steps steps;
  struct priorities priorities;
  const uint32_t *positions = NULL;
  memset(result, 0, sizeof *result);
  memset(&steps, 0, sizeof steps);
  memset(&priorities, 0, sizeof priorities);
  auto prepare = [&](struct qn_error *failure) {
    enum qn_status status = qn_run_check_units(num_vertices, graph->out.num_edges, failure);
    if (!status)
      status = qn_run_fit_or_read(&memory, request, name, by_priority_bytes(request) + own_bytes,
                                  4 * graph->out.num_edges, 0, failure);
    if (!status)
      status = qn_run_rows_of(&memory, &graph->out, &priorities.csr, failure);
    if (!status)
      status = qn_cuda_alloc(&memory, &priorities.of, num_vertices, sizeof *priorities.of,
                             "priorities", failure);
    if (!status)
      status = qn_cuda_alloc_zeroed(&memory, &priorities.waits_for, num_vertices,
                                    sizeof *priorities.waits_for, "edges to wait for", failure);
    if (!status && request->positions)
      status = qn_cuda_copy_of(&memory, &positions, request->positions, num_vertices, 0,
                               sizeof *positions, "positions", failure);
    if (!status)
      status = steps_create(&memory, num_vertices, &steps, failure);
    return status ? status : prepare_own(&memory, failure);
  };
  auto algorithm = [&](struct qn_error *failure) {
    QN_LAUNCH(find_priorities, qn_run_blocks(&memory, num_vertices), QN_QUEUE_THREADS, 0, NULL,
              priorities, positions, high_degrees_first);
    enum qn_status status = qn_row_gather(&memory, priorities.of, sizeof *priorities.of, failure);
    if (!status)
      status = steps_begin(&steps, num_vertices, step_everyone(), failure);
    if (!status)
      status = steps_add_up(&steps, priorities.csr, count_before{priorities}, failure);
    if (!status)
      status = qn_row_gather(&memory, priorities.waits_for, sizeof *priorities.waits_for, failure);
    if (!status)
      status = steps_begin(&steps, num_vertices, waits_for_nobody{priorities}, failure);
    while (!status && steps.count > 0) {
      status = visit(priorities, steps, failure);
      if (!status)
        status =
            steps_walk(&steps, priorities.csr,
                       step_told(release<decltype(make_tell())>{priorities, make_tell()}), failure);
      if (!status)
        status = steps_next(&steps, failure);
    }
    return status;
  };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    result->stats.iterations = 1;
    result->stats.converged = true;
    return status ? status
                  : qn_run_download(&memory, QN_RESULT_U32, *values, num_vertices, result, failure);
  };
  return qn_run_whole(request, &memory, prepare, algorithm, finish, result, error);
}

} /* namespace */
