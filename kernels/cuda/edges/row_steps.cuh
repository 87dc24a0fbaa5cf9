/* Steps of kernels of their own over lists of vertices: each step goes through the edges of all
 * vertices of a list, and what it finds there is the next list.
 *
 *   struct row_steps steps;
 *   steps_create(memory, num_vertices, &steps, error);
 *   steps_begin(&steps, num_vertices, wants, error);     all v with wants(v)
 *   while (!status && steps.count > 0) {
 *     status = steps_walk(&steps, csr, visit, error);    visit(v, other): is `other` next?
 *     if (!status)
 *       status = steps_next(&steps, error);
 *   }
 *
 * Rows are cut into equal pieces (row_queue.cuh), so a hub is shared by many blocks. `wants` and
 * `visit` are structs with operator(), as kernels take them; a vertex may be found once a step.
 * Bytes: an edge moves 4 of column index and what `visit` reads at its end, a sector of L2; a
 * vertex of a list 28 of offsets, list and queue. A step costs three launches and a wait.
 *
 * Several devices that share the rows have the same lists, in orders of their own, as long as all
 * decide by the same values: a visit that changes values of `other` is told (told_steps.cuh). */
#pragma once

#include "kernels/cuda/edges/run_device.cuh"

namespace {

/* In device memory. */
struct step_list {
  uint32_t *vertices; /* [V] */
  uint32_t *count;
};

/* What steps without the host have come to. In device memory. */
struct step_report {
  uint32_t taken, found, count;
};

/* What several devices tell each other of a step. In device memory. */
struct step_changes {
  uint32_t *amounts; /* [V] for a vertex; 0 between steps */
  struct step_list touched;
  uint64_t *told, *received; /* [V] of this device and of another: vertex << 32 | amount */
  uint64_t num_told;         /* on the host */
};

struct row_steps {
  struct qn_cuda_memory *memory;
  struct step_changes changes;
  struct step_list now, next;
  uint32_t count;        /* of `now`, as the host knows it */
  uint64_t taken, found; /* steps since steps_begin, and vertices by them (step_runs.cuh) */
  struct step_report *report;
  struct qn_unit_queue queue;
  qn_queue_size *queued;
};

/* What all vertices are wanted by. */
struct step_everyone {
  __device__ bool operator()(uint32_t) const { return true; }
};

/* Append `vertex` for every thread that wants to. The whole warp calls. */
QN_DEVICE_INLINE void step_put(const struct step_list &list, bool wants, uint32_t vertex) {
  const uint32_t place = qn_warp_reserve(list.count, wants);
  if (wants)
    list.vertices[place] = vertex;
}

template <class Wants>
__global__ void steps_choose(uint64_t num_vertices, const struct step_list list, Wants wants) {
  qn_block_steps(num_vertices, [&](uint64_t v, bool there) {
    step_put(list, there && wants((uint32_t)v), (uint32_t)v);
  });
}

__global__ void steps_queue(const struct qn_csr csr, const struct step_list list,
                            const struct qn_unit_queue queue, qn_queue_size *queued) {
  qn_block_steps(*list.count, [&](uint64_t i, bool there) {
    const uint32_t v = there ? list.vertices[i] : 0;
    const uint64_t degree = there ? csr.row_offsets[v + 1] - csr.row_offsets[v] : 0;
    if (__syncthreads_or(degree > 0))
      qn_queue_put(queue, queued, qn_units_of(degree), v);
  });
}

/* A thread an edge: neighbouring threads read neighbouring columns. */
template <class Visit>
__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    steps_visit(const struct qn_csr csr, const struct qn_unit_queue queue,
                const qn_queue_size *queued, const struct step_list next, Visit visit) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  struct qn_unit_tile *tile = tiles;
  const uint32_t num_entries = qn_queue_entries(*queued);
  qn_unit_tiles(qn_queue_units(*queued), [&](uint32_t first, uint32_t units) {
    const uint32_t loaded = qn_unit_load(queue, num_entries, csr.row_offsets, first, tile);
    for (uint32_t begin = 0; begin < units; begin += QN_QUEUE_THREADS / QN_UNIT_EDGES) {
      const uint32_t unit = begin + threadIdx.x / QN_UNIT_EDGES;
      bool wants = false;
      uint32_t other = 0;
      if (unit < units) {
        const uint32_t entry = qn_unit_entry(tile, loaded, unit);
        const uint64_t edge = qn_unit_edge(tile, entry, unit);
        if (edge < tile->ends[entry]) {
          other = csr.column_indices[edge];
          wants = visit(tile->vertices[entry], other);
        }
      }
      step_put(next, wants, other);
    }
    __syncthreads();
  });
}

/* A thread a piece of a row: sum.add(v, how many of its edges sum(v, other) accepts). */
template <class Sum>
__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    steps_sum(const struct qn_csr csr, const struct qn_unit_queue queue,
              const qn_queue_size *queued, Sum sum) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  struct qn_unit_tile *tile = tiles;
  const uint32_t num_entries = qn_queue_entries(*queued);
  qn_unit_tiles(qn_queue_units(*queued), [&](uint32_t first, uint32_t units) {
    const uint32_t loaded = qn_unit_load(queue, num_entries, csr.row_offsets, first, tile);
    if (threadIdx.x < units) {
      const uint32_t entry = qn_unit_entry(tile, loaded, threadIdx.x);
      const uint32_t vertex = tile->vertices[entry];
      const uint64_t begin =
          tile->begins[entry] + (uint64_t)(threadIdx.x - tile->starts[entry]) * QN_UNIT_EDGES;
      unsigned count = 0;
      for (uint64_t edge = begin; edge < begin + QN_UNIT_EDGES && edge < tile->ends[entry]; edge++)
        count += sum(vertex, csr.column_indices[edge]);
      if (count > 0)
        sum.add(vertex, count);
    }
    __syncthreads();
  });
}

/* Device memory of the steps. */
inline uint64_t steps_bytes(uint64_t num_vertices) {
  return 4 * qn_cuda_rounded(num_vertices * sizeof(uint32_t)) + 64;
}

inline enum qn_status steps_create_changes(struct qn_cuda_memory *memory, uint64_t num_vertices,
                                           struct step_changes *changes, struct qn_error *error) {
  enum qn_status status = qn_cuda_alloc_zeroed(memory, &changes->amounts, num_vertices,
                                               sizeof *changes->amounts, "what is told", error);
  if (!status)
    status = qn_cuda_alloc(memory, &changes->touched.vertices, num_vertices,
                           sizeof *changes->touched.vertices, "what is told", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &changes->touched.count, 1,
                                  sizeof *changes->touched.count, "a counter", error);
  if (!status)
    status = qn_cuda_alloc(memory, &changes->told, num_vertices, sizeof *changes->told,
                           "what is told", error);
  return status ? status
                : qn_cuda_alloc(memory, &changes->received, num_vertices, sizeof *changes->received,
                                "what is told", error);
}

inline enum qn_status steps_create(struct qn_cuda_memory *memory, uint64_t num_vertices,
                                   struct row_steps *steps, struct qn_error *error) {
  struct step_list *const lists[] = {&steps->now, &steps->next};
  enum qn_status status = qn_run_queue(memory, num_vertices, &steps->queue, error);
  for (int i = 0; i < 2 && !status; i++) {
    status = qn_cuda_alloc(memory, &lists[i]->vertices, num_vertices, sizeof *lists[i]->vertices,
                           "a list", error);
    if (!status)
      status = qn_cuda_alloc_zeroed(memory, &lists[i]->count, 1, sizeof *lists[i]->count,
                                    "a counter", error);
  }
  if (!status)
    status = qn_cuda_alloc(memory, &steps->queued, 1, sizeof *steps->queued, "a counter", error);
  if (!status)
    status = qn_cuda_alloc(memory, &steps->report, 1, sizeof *steps->report, "counters", error);
  if (!status && memory->member)
    status = steps_create_changes(memory, num_vertices, &steps->changes, error);
  steps->memory = memory;
  return status;
}

/* What was found is the list at hand. */
inline enum qn_status steps_next(struct row_steps *steps, struct qn_error *error) {
  const struct step_list found = steps->next;
  enum qn_status status = qn_cuda_launched("a step", error);
  if (!status)
    status = qn_cuda_status(
        cudaMemcpy(&steps->count, found.count, sizeof steps->count, cudaMemcpyDeviceToHost),
        "a step", error);
  if (!status)
    status =
        qn_cuda_status(cudaMemset(steps->now.count, 0, sizeof *steps->now.count), "a step", error);
  steps->next = steps->now;
  steps->now = found;
  return status;
}

/* Begin with the vertices that are wanted. */
template <class Wants>
enum qn_status steps_begin(struct row_steps *steps, uint64_t num_vertices, Wants wants,
                           struct qn_error *error) {
  QN_LAUNCH((steps_choose<Wants>), qn_run_blocks(steps->memory, num_vertices), QN_QUEUE_THREADS, 0,
            NULL, num_vertices, steps->next, wants);
  steps->taken = steps->found = 0;
  return steps_next(steps, error);
}

/* Cut the rows of the list at hand. */
inline enum qn_status steps_cut(struct row_steps *steps, const struct qn_csr &csr,
                                struct qn_error *error) {
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(steps->queued, 0, sizeof *steps->queued, NULL), "a step", error);
  if (status)
    return status;
  QN_LAUNCH(steps_queue, qn_run_blocks(steps->memory, steps->count), QN_QUEUE_THREADS, 0, NULL, csr,
            steps->now, steps->queue, steps->queued);
  return QN_OK;
}

/* No more blocks than the units of the rows of so many vertices may want. */
inline unsigned steps_blocks(const struct row_steps *steps, const struct qn_csr &csr) {
  return qn_run_blocks(steps->memory, csr.num_edges / QN_UNIT_EDGES + steps->count);
}

/* Visit all edges of the list at hand; what is found goes to `next`. */
template <class Visit>
enum qn_status steps_walk_to(struct row_steps *steps, const struct qn_csr &csr,
                             const struct step_list &next, Visit visit, struct qn_error *error) {
  enum qn_status status = steps_cut(steps, csr, error);
  if (status)
    return status;
  QN_LAUNCH((steps_visit<Visit>), steps_blocks(steps, csr), QN_QUEUE_THREADS, 0, NULL, csr,
            steps->queue, steps->queued, next, visit);
  return qn_cuda_launched("a step", error);
}

template <class Visit>
enum qn_status steps_walk(struct row_steps *steps, const struct qn_csr &csr, Visit visit,
                          struct qn_error *error) {
  return steps_walk_to(steps, csr, steps->next, visit, error);
}

/* Add up over all edges of the list at hand. */
template <class Sum>
enum qn_status steps_add_up(struct row_steps *steps, const struct qn_csr &csr, Sum sum,
                            struct qn_error *error) {
  enum qn_status status = steps_cut(steps, csr, error);
  if (status)
    return status;
  QN_LAUNCH((steps_sum<Sum>), steps_blocks(steps, csr), QN_QUEUE_THREADS, 0, NULL, csr,
            steps->queue, steps->queued, sum);
  return qn_cuda_launched("a step", error);
}

} /* namespace */
