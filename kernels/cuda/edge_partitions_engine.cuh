/* Edge partitions on a CUDA device, resident (view: struct qn_edge_partitions), after Graphie's
 * PartitionKernelV3: a block of threads takes a task of consecutive edges of one partition, loads
 * the messages of their sources, which are neighbours in memory, into shared memory, and walks the
 * edges. A partition none of whose vertices received anything is left out: a receiver sets the flag
 * of its partition, id / range_size, in constant time.
 *
 * Per edge 8 bytes (12 with weights) are read in order, and one accumulator is combined into,
 * anywhere: atomics in the L2 cache are the limit once it holds the accumulators. */
#ifndef QN_KERNELS_CUDA_EDGE_PARTITIONS_ENGINE_CUH
#define QN_KERNELS_CUDA_EDGE_PARTITIONS_ENGINE_CUH

#include "formats/edge_partitions.h"
#include "kernels/cpu/edge_partitions_index.h"
#include "kernels/cuda/combine.cuh"
#include "kernels/cuda/csr_device.cuh"

namespace {

#define TASK_SHARED_BYTES 32768u
#define TASK_MAX_EDGES 4096u

/* As many edges have at most as many sources, whose messages fit in the shared memory. */
constexpr uint32_t TASK_EDGES = sizeof(program_message) * TASK_MAX_EDGES <= TASK_SHARED_BYTES
                                    ? TASK_MAX_EDGES
                                    : TASK_SHARED_BYTES / (uint32_t)sizeof(program_message);

/* Consecutive edges of one partition. */
struct device_task {
  uint64_t edge_begin;
  uint32_t num_edges;   /* at most TASK_EDGES */
  uint32_t partition;   /* where the sources' ids belong */
  uint32_t first_id;    /* of the first source */
  uint32_t first_dense; /* the same vertex */
  uint32_t num_sources;
  uint32_t padding;
};

struct engine_device {
  const uint32_t *sources;        /* [E] ids */
  const uint32_t *destinations;   /* [E] ids */
  struct qn_weights weights;      /* [E] */
  const uint32_t *prefix_offsets; /* [P + 1] */
  const uint64_t *row_offsets;    /* [V + 1] by dense number, if the program uses out-degrees */
  const struct device_task *tasks;
  uint8_t *flags[2]; /* [P] has the partition a vertex that received? this iteration, and before */
  uint32_t num_tasks;
  uint32_t num_partitions;
  struct qn_ep_divider divider;
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t dense) {
  return device.row_offsets[dense + 1] - device.row_offsets[dense];
}

} /* namespace */

#include "kernels/cuda/sweeps.cuh"

namespace {

/* The block's task: messages of its active sources to shared memory. Is there one? */
QN_DEVICE_INLINE bool load_sources(const struct sweep_state &state, const struct device_task &task,
                                   program_message *messages, uint8_t *active) {
  bool any = false;
  for (uint32_t i = threadIdx.x; i < task.num_sources; i += blockDim.x) {
    const bool is_active = sweep_is_active(state, task.first_dense + i);
    active[i] = is_active;
    if (is_active)
      messages[i] = state.messages[task.first_dense + i];
    any = any || is_active;
  }
  return __syncthreads_or(any);
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    collect_task(const struct sweep_state state, const struct qn_program_context context, int turn,
                 bool all_partitions) {
  const struct engine_device &device = state.layout;
  const struct device_task task = device.tasks[blockIdx.x];
  QN_SHARED(program_message, messages, TASK_EDGES);
  QN_SHARED(uint8_t, active, TASK_EDGES);
  if (SWEEP_FRONTIER && !all_partitions && !device.flags[turn][task.partition])
    return;
  if (!load_sources(state, task, messages, active))
    return;
  for (uint32_t i = threadIdx.x; i < task.num_edges; i += blockDim.x) {
    const uint64_t edge = task.edge_begin + i;
    const uint32_t source = device.sources[edge] - task.first_id;
    if (SWEEP_FRONTIER && !active[source])
      continue;
    const uint32_t id = device.destinations[edge];
    uint64_t partition = qn_ep_divide(device.divider, id);
    if (partition >= device.num_partitions)
      partition = device.num_partitions;
    else if (SWEEP_FRONTIER)
      device.flags[1 - turn][partition] = 1;
    sweep_collect(state, context, messages[source], engine_weight(&device.weights, edge),
                  id - device.prefix_offsets[partition]);
  }
}

/* Walk the partitions that have an active vertex. */
inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  const int turn = (int)(run->context.iteration % 2);
  if (device->num_tasks == 0)
    return QN_OK;
  if (SWEEP_FRONTIER) {
    enum qn_status status =
        qn_cuda_status(cudaMemsetAsync(device->flags[1 - turn], 0, device->num_partitions, NULL),
                       "clearing the flags of partitions", error);
    if (status)
      return status;
  }
  QN_LAUNCH(collect_task, device->num_tasks, SWEEP_THREADS, 0, NULL, run->state, run->context, turn,
            run->woken);
  return qn_cuda_launched("walking the partitions", error);
}

} /* namespace */

#include "kernels/cuda/sweep_loop.cuh"

#define ENGINE_NAME "edge partitions, sources in shared memory"

namespace {

inline struct device_task make_task(const struct qn_edge_partitions *view,
                                    struct qn_ep_divider divider, uint64_t begin, uint64_t end) {
  struct device_task task;
  memset(&task, 0, sizeof task);
  task.edge_begin = begin;
  task.num_edges = (uint32_t)(end - begin);
  task.first_id = view->sources[begin];
  task.partition = (uint32_t)qn_ep_divide(divider, task.first_id);
  task.first_dense = qn_ep_dense(view, divider, task.first_id);
  task.num_sources = view->sources[end - 1] - task.first_id + 1;
  return task;
}

/* Cut every partition into tasks. */
inline enum qn_status upload_tasks(const struct qn_edge_partitions *view, struct sweep_run *run,
                                   struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct device_task *tasks;
  uint64_t count = 0;
  for (uint64_t p = 0; p < view->num_partitions; p++)
    count += (view->edge_offsets[p + 1] - view->edge_offsets[p] + TASK_EDGES - 1) / TASK_EDGES;
  if (count > INT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
  enum qn_status status = qn_alloc(&tasks, count, sizeof *tasks, "tasks of partitions", error);
  if (status)
    return status;
  for (uint64_t p = 0; p < view->num_partitions; p++) {
    const uint64_t end = view->edge_offsets[p + 1];
    for (uint64_t begin = view->edge_offsets[p]; begin < end; begin += TASK_EDGES)
      tasks[device->num_tasks++] = make_task(view, device->divider, begin,
                                             end - begin < TASK_EDGES ? end : begin + TASK_EDGES);
  }
  status = qn_cuda_copy_of(&run->memory, &device->tasks, tasks, count, 0, sizeof *tasks,
                           "tasks of partitions", error);
  qn_free(tasks);
  return status;
}

inline enum qn_status upload_out_degrees(const struct qn_edge_partitions *view,
                                         struct sweep_run *run, struct qn_error *error) {
  struct qn_ep_index index;
  memset(&index, 0, sizeof index);
  enum qn_status status = qn_ep_index_create(&index, view, error);
  if (!status)
    status =
        qn_cuda_copy_of(&run->memory, &run->state.layout.row_offsets, index.row_offsets,
                        view->num_vertices + 1, 0, sizeof *index.row_offsets, "row offsets", error);
  qn_ep_index_destroy(&index);
  return status;
}

inline enum qn_status upload_edges(const struct qn_edge_partitions *view, struct sweep_run *run,
                                   struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  enum qn_status status = qn_cuda_copy_of(memory, &device->sources, view->sources, view->num_edges,
                                          0, sizeof *view->sources, "sources", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->destinations, view->destinations, view->num_edges, 0,
                             sizeof *view->destinations, "destinations", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->prefix_offsets, view->prefix_offsets,
                             view->num_partitions + 1, 0, sizeof *view->prefix_offsets,
                             "prefix offsets", error);
  if (!status && PROGRAM_USES_WEIGHTS)
    status =
        qn_cuda_weights_upload(memory, &view->weights, view->num_edges, &device->weights, error);
  for (int turn = 0; turn < 2 && !status && SWEEP_FRONTIER; turn++)
    status = qn_cuda_alloc_zeroed(memory, &device->flags[turn], view->num_partitions, 1,
                                  "flags of partitions", error);
  return status;
}

enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_edge_partitions *view = (const struct qn_edge_partitions *)request->view;
  auto upload = [view](struct sweep_run *run, struct qn_error *failure) {
    struct engine_device *device = &run->state.layout;
    device->num_partitions = (uint32_t)view->num_partitions;
    device->divider = qn_ep_divider(view->range_size);
    enum qn_status done = upload_edges(view, run, failure);
    if (!done)
      done = upload_tasks(view, run, failure);
    if (!done && PROGRAM_USES_OUT_DEGREE)
      done = upload_out_degrees(view, run, failure);
    return done;
  };
  memset(result, 0, sizeof *result);
  enum qn_status status = sweep_check_weights(&view->weights, view->num_edges, error);
  if (!status)
    status = sweep_run_program(request, view->num_vertices, view->num_edges, view->new_to_old,
                               upload, result, error);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_EDGE_PARTITIONS, QN_CUDA, ENGINE_NAME);

#endif
