/* Communities by modularity on CSR, on a device: the Leiden algorithm
 * (kernels/cuda/communities/leiden.cuh), on undirected graphs, with weights if there are any.
 *
 * A kernel of its own because a vertex weighs communities against each other, of which every move
 * changes two, and because the graph itself shrinks from level to level. */
#include "kernels/cuda/communities/fixed_weights.cuh"
#include "kernels/cuda/communities/leiden.cuh"
#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_leiden_csr_cuda;

namespace {

/* ---- What lies on the device ------------------------------------------------------------------
 */

uint64_t edge_bytes(const struct qn_graph *graph) {
  return (graph->out.weights.type == QN_WEIGHT_NONE ? 4 : 12) * graph->out.num_edges;
}

uint64_t needed_bytes(const struct qn_graph *graph) {
  const uint64_t V = graph->out.num_vertices, E = graph->out.num_edges;
  const uint64_t first = 8 * (V + 1) + 8 * V + 8 * V + edge_bytes(graph);
  return first + steps_bytes(V) + (2 * 16 + 3 * 4 + 8 + 4 * 5 + 1) * V + aggregation_bytes(V, E);
}

/* Of vertices alone: levels have no more than the first, and one table is enough. */
uint64_t vertex_bytes(uint64_t V) {
  return 3 * 24 * (V + 1) + steps_bytes(V) + (2 * 16 + 3 * 4 + 8 + 4 * 5 + 1) * V +
         (1 + 4) * (V + 1) + 12 * slots_for(V) + V / 16 + 4096;
}

/* Is there room for all, or is that of edges on the host? */
enum qn_status plan_memory(struct leiden_levels *levels, const struct qn_run_request *request,
                           struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const uint64_t V = graph->out.num_vertices, vertices = vertex_bytes(V);
  struct qn_cuda_memory *memory = levels->work.memory;
  const uint64_t room = qn_cuda_plannable_bytes(&memory->device, memory->cap);
  if (needed_bytes(graph) <= room)
    return QN_OK;
  levels->work.most_slots = slots_for(V);
  levels->spare = room > vertices ? (room - vertices) / 2 : 0; /* for each of two rooms */
  return qn_run_read(memory, request, "leiden", vertices, edge_bytes(graph), error);
}

enum qn_status bring_weights(struct leiden_levels *levels, const struct qn_csr *csr,
                             struct qn_error *error) {
  struct qn_cuda_memory *memory = levels->work.memory;
  fixed_weight *weights = NULL, *there = NULL;
  if (csr->weights.type == QN_WEIGHT_NONE)
    return QN_OK;
  enum qn_status status = fixed_weights_create(csr, &weights, error);
  if (status)
    return status;
  status =
      qn_run_edges_of(memory, &there, weights, csr->num_edges, sizeof *there, "weights", error);
  levels->first.weights = there;
  qn_pages_free(weights, csr->num_edges, sizeof *weights);
  return status;
}

__global__ void sum_all(const fixed_weight *values, uint64_t count, fixed_weight *sum) {
  fixed_weight part = 0;
  qn_grid_steps(count, [&](uint64_t i) { part += values[i]; });
  part = qn_block_sum(part);
  if (threadIdx.x == 0 && part > 0)
    atomicAdd(sum, part);
}

/* The graph, its degrees and their sum. */
enum qn_status create_first(struct leiden_levels *levels, const struct qn_graph *graph,
                            struct qn_error *error) {
  struct leiden_work *work = &levels->work;
  struct qn_cuda_memory *memory = work->memory;
  struct level *first = &levels->first;
  const uint64_t V = graph->out.num_vertices;
  enum qn_status status = qn_run_rows_of(memory, &graph->out, &first->csr, error);
  if (!status)
    status = bring_weights(levels, &graph->out, error);
  levels->first_there = {V, graph->out.row_offsets, graph->out.column_indices, first->weights};
  if (!status)
    status =
        qn_cuda_alloc_zeroed(memory, &first->degrees, V, sizeof *first->degrees, "degrees", error);
  if (!status)
    status = qn_run_queue(memory, V, &first->queue, error);
  if (!status)
    status = qn_cuda_alloc(memory, &first->queued, 1, sizeof *first->queued, "a counter", error);
  if (!status)
    status = level_cut(memory, first, error);
  if (!status)
    status = level_visit(memory, first, sum_degrees{*first}, error);
  if (status)
    return status;
  LAUNCH_ALL(work, sum_all, V, first->degrees, V, work->sum);
  status = qn_cuda_launched("adding up degrees", error);
  return status ? status
                : qn_cuda_status(cudaMemcpy(&work->total, work->sum, sizeof work->total,
                                            cudaMemcpyDeviceToHost),
                                 "adding up degrees", error);
}

enum qn_status create_communities(struct qn_cuda_memory *memory, struct communities *communities,
                                  uint64_t num_vertices, struct qn_error *error) {
  enum qn_status status = qn_cuda_alloc(memory, &communities->of, num_vertices,
                                        sizeof *communities->of, "communities", error);
  if (!status)
    status = qn_cuda_alloc(memory, &communities->degrees, num_vertices,
                           sizeof *communities->degrees, "communities", error);
  return status ? status
                : qn_cuda_alloc(memory, &communities->sizes, num_vertices,
                                sizeof *communities->sizes, "communities", error);
}

enum qn_status create_looking(struct leiden_work *work, uint64_t num_vertices,
                              struct qn_error *error) {
  uint32_t *counts;
  enum qn_status status =
      qn_cuda_alloc_zeroed(work->memory, &counts, ROW_CLASSES, sizeof *counts, "counters", error);
  for (int i = 0; i < ROW_CLASSES && !status; i++) {
    struct step_list *list = &work->looking.lists[i];
    list->count = counts + i;
    status = qn_cuda_alloc(work->memory, &list->vertices, num_vertices, sizeof *list->vertices,
                           "a list", error);
  }
  return status;
}

enum qn_status create_work(struct leiden_levels *levels, uint64_t V, struct qn_error *error) {
  struct leiden_work *work = &levels->work;
  struct qn_cuda_memory *memory = work->memory;
  enum qn_status status = create_communities(memory, &work->communities, V, error);
  if (!status)
    status = create_communities(memory, &work->refined, V, error);
  uint32_t **labels[] = {&work->target, &work->best, &work->vertex, &levels->community};
  for (int i = 0; i < 4 && !status; i++)
    status = qn_cuda_alloc(memory, labels[i], V, sizeof **labels[i], "labels", error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->active, V, 1, "marks", error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->outside, V, sizeof *work->outside,
                           "weights within communities", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &work->sum, 1, sizeof *work->sum, "a counter", error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->count, 1, sizeof *work->count, "a counter", error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->parts, SUM_BLOCKS, sizeof *work->parts, "sums", error);
  if (!status)
    status = create_looking(work, V, error);
  return status ? status : steps_create(memory, V, &work->steps, error);
}

enum qn_status create(struct leiden_levels *levels, const struct qn_run_request *request,
                      struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const uint64_t V = graph->out.num_vertices;
  struct leiden_work *work = &levels->work;
  work->resolution = qn_argument(request, "resolution").real;
  work->seed = qn_argument(request, "seed").whole;
  enum qn_status status = qn_run_check_units(V, graph->out.num_edges, error);
  if (!status)
    status = plan_memory(levels, request, error);
  if (!status)
    status = create_work(levels, V, error);
  if (!status)
    status = create_first(levels, graph, error);
  work->scale = work->total > 0 ? work->resolution / (double)work->total : 0;
  return status;
}

/* ---- The result --------------------------------------------------------------------------------
 */

__global__ void find_first_positions(const uint32_t *community, const uint32_t *positions,
                                     uint64_t num_vertices, uint32_t *first) {
  qn_grid_steps(num_vertices, [&](uint64_t v) {
    atomicMin(&first[community[v]], positions ? positions[v] : (uint32_t)v);
  });
}

__global__ void name_by_first(const uint32_t *first, uint64_t num_vertices, uint32_t *community) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { community[v] = first[community[v]]; });
}

/* A community is called after its first vertex in original order. */
enum qn_status name_communities(struct leiden_levels *levels, const uint32_t *host_positions,
                                struct qn_error *error) {
  struct leiden_work *work = &levels->work;
  const uint64_t V = levels->first.csr.num_vertices;
  const uint32_t *positions = NULL;
  enum qn_status status = QN_OK;
  if (host_positions)
    status = qn_cuda_copy_of(work->memory, &positions, host_positions, V, 0, sizeof *positions,
                             "positions", error);
  if (!status)
    status = qn_cuda_status(cudaMemsetAsync(work->target, 0xff, V * sizeof *work->target, NULL),
                            "clearing names", error);
  if (status)
    return status;
  LAUNCH_ALL(work, find_first_positions, V, levels->community, positions, V, work->target);
  LAUNCH_ALL(work, name_by_first, V, work->target, V, levels->community);
  return qn_cuda_launched("naming communities", error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  struct qn_cuda_memory memory;
  struct leiden_levels levels;
  memset(&levels, 0, sizeof levels);
  memset(result, 0, sizeof *result);
  levels.work.memory = &memory;
  auto prepare = [&](struct qn_error *failure) { return create(&levels, request, failure); };
  auto told = [&](uint64_t iteration) {
    struct qn_iteration said = {};
    said.iteration = (uint32_t)iteration;
    said.mode = "levels";
    said.num_active = levels.first.csr.num_vertices;
    if (request->hooks.on_iteration)
      request->hooks.on_iteration(request->hooks.user, &said);
  };
  auto algorithm = [&](struct qn_error *failure) {
    enum qn_status status = leiden_iterate(&levels, request->limits.max_iterations, told, failure);
    return status ? status : name_communities(&levels, request->positions, failure);
  };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    result->score = {"modularity", levels.modularity};
    result->stats.iterations = levels.iterations;
    result->stats.converged = levels.converged;
    return status ? status
                  : qn_run_download(&memory, QN_RESULT_U32, levels.community,
                                    levels.first.csr.num_vertices, result, failure);
  };
  return qn_run_whole(request, &memory, prepare, algorithm, finish, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_leiden_csr_cuda =
    QN_LEIDEN_KERNEL("csr, Leiden in rounds", QN_LAYOUT_GRAPH, QN_CUDA, run);
