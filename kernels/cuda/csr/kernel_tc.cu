/* Triangles of the simple undirected graph (loops, directions and multiplicities
 * ignored), each counted once, on CSR, on a device.
 *
 * A kernel of its own because a triangle needs the intersection of two rows, which is no
 * combination of messages (edges/triangles.cuh). */
#include "kernels/cuda/csr/shared_lists.cuh"
#include "kernels/cuda/edges/triangles.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_tc_csr_cuda;

namespace {

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  auto prepare = [&](struct tc_work *work, struct qn_error *failure) {
    struct qn_csr csr;
    enum qn_status status = degree_edges_of_csr(graph, &csr, work, failure);
    if (!status)
      qn_cuda_release(work->memory, (void *)csr.column_indices);
    return status;
  };
  auto orient = [&](struct qn_orientation *edges, struct qn_error *failure) {
    return qn_orientation_create(graph, false, edges, failure);
  };
  return run_triangles(request, graph->out.num_vertices, degree_edges_csr_bytes(graph), prepare,
                       orient, result, error);
}

/* ---- Several devices (shared_lists.cuh) ----------------------------------------------------- */

/* A device's edges to lists that are at hand, as tasks. */
__global__ void assign_shared_tasks(const uint64_t *edges, uint64_t count,
                                    const struct tc_state state, uint64_t *tasks) {
  qn_grid_steps(count, [&](uint64_t i) {
    const uint64_t u = edges[i] >> 32, v = (uint32_t)edges[i];
    const bool first = list_length(state.lists, u) >= list_length(state.others, v);
    tasks[i] = list_length(state.others, v) == 0 ? TC_DROPPED : first ? edges[i] : v << 32 | u;
  });
}

/* Where sorted tasks end. */
__global__ void find_end(const uint64_t *tasks, uint64_t count, unsigned long long *end) {
  qn_grid_steps(count, [&](uint64_t i) {
    if (tasks[i] != TC_DROPPED && (i + 1 == count || tasks[i + 1] == TC_DROPPED))
      *end = i + 1;
  });
}

struct shared_work {
  struct tc_work edges;
  struct tc_state state;
  struct tc_counting counting;
  uint64_t *sorted; /* the device's edges by rank; edges.keys has room for tasks */
  uint64_t *tasks;
  unsigned long long *end;
};

enum qn_status create_shared(struct shared_work *work, const struct qn_graph *graph,
                             struct qn_cuda_memory *memory, struct qn_error *error) {
  const uint64_t V = graph->out.num_vertices;
  struct own_rows rows;
  enum qn_status status = own_lists_fit(memory, graph, "tc", (16 + 8 + 8) * V, error);
  if (!status)
    status = own_keys_create(graph, memory, &rows, &work->edges, error);
  if (status)
    return status;
  qn_cuda_release(memory, (void *)rows.out.column_indices);
  if (rows.in.column_indices != rows.out.column_indices)
    qn_cuda_release(memory, (void *)rows.in.column_indices);
  status = rank_keys(&work->edges, &work->state, &work->sorted, error);
  work->state.num_vertices = V;
  if (!status)
    status = counting_create(memory, V, &work->counting, error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->tasks, work->edges.num_edges, sizeof *work->tasks,
                           "tasks", error);
  return status ? status
                : qn_cuda_alloc(memory, &work->end, 1, sizeof *work->end, "a counter", error);
}

/* Of the device's edges those whose second end's list is among the others. */
enum qn_status count_with(struct shared_work *work, const struct tc_lists &others,
                          struct qn_error *error) {
  struct qn_cuda_memory *memory = work->edges.memory;
  const uint64_t count = work->edges.num_edges;
  const unsigned blocks = qn_run_blocks(memory, count);
  struct tc_work tasks = work->edges;
  work->state.others = others;
  QN_LAUNCH(assign_shared_tasks, blocks, QN_QUEUE_THREADS, 0, NULL, work->sorted, count,
            work->state, work->edges.keys);
  enum qn_status status = qn_cuda_launched("assigning edges", error);
  if (!status)
    status = qn_cuda_sort(memory, &work->edges.scratch, work->edges.keys, work->tasks, count, NULL,
                          error);
  if (!status)
    status = qn_cuda_status(cudaMemsetAsync(work->end, 0, sizeof *work->end, NULL),
                            "clearing a counter", error);
  if (status)
    return status;
  QN_LAUNCH(find_end, blocks, QN_QUEUE_THREADS, 0, NULL, work->tasks, count, work->end);
  status = qn_cuda_download(memory, &tasks.num_edges, work->end, 1, sizeof *work->end, "a counter",
                            error);
  if (!status)
    status = create_lists(&tasks, work->tasks, &work->state.tasks, error);
  if (!status)
    status = count_tasks(memory, work->state, work->counting, tasks.num_edges, error);
  if (!status)
    status = qn_cuda_status(cudaDeviceSynchronize(), "counting triangles", error);
  if (status)
    return status;
  qn_cuda_release(memory, (void *)work->state.tasks.offsets);
  qn_cuda_release(memory, (void *)work->state.tasks.entries);
  return QN_OK;
}

enum qn_status count_shared(struct shared_work *work, uint64_t *triangles, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->edges.memory;
  const struct told_lists own = {work->state.lists, NULL, work->edges.num_edges};
  auto count = [&](const struct told_lists *others, struct qn_error *failure) {
    return count_with(work, others->lists, failure);
  };
  enum qn_status status = with_lists_of_all(memory, &own, count, error);
  if (!status)
    status = qn_cuda_download(memory, triangles, work->counting.total, 1, sizeof *triangles,
                              "the count", error);
  return qn_row_sum(memory->member, status, triangles);
}

enum qn_status run_member(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  struct qn_cuda_memory memory;
  struct shared_work work;
  memset(&work, 0, sizeof work);
  memset(result, 0, sizeof *result);
  auto prepare = [&](struct qn_error *failure) {
    return create_shared(&work, graph, &memory, failure);
  };
  auto algorithm = [&](struct qn_error *failure) {
    return count_shared(&work, &result->number, failure);
  };
  auto finish = [&](enum qn_status status, struct qn_error *) {
    result->shape = QN_SHAPE_NUMBER;
    result->stats.iterations = 1;
    result->stats.converged = true;
    return status;
  };
  return qn_run_whole(request, &memory, prepare, algorithm, finish, result, error);
}

enum qn_status run_any(const struct qn_run_request *request, struct qn_run_result *result,
                       struct qn_error *error) {
  return request->device->num_devices > 1 ? qn_run_by_rows(request, true, run_member, result, error)
                                          : run(request, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_tc_csr_cuda =
    QN_TC_KERNEL("csr lists by degree", QN_LAYOUT_GRAPH, QN_CUDA, run_any);
