/* Edge partitions on a CUDA device, resident or streamed (view: struct qn_edge_partitions), after
 * Graphie's PartitionKernelV3: a block of threads takes a task of consecutive edges of one
 * partition, loads the messages of their sources, which are neighbours in memory, into shared
 * memory, and walks the edges. A partition none of whose vertices received anything is left out: a
 * receiver sets the flag of its partition, id / range_size, in constant time. Searches that are
 * resident look at rows alone (search.cuh). Streamed, the tasks are the units, so that no more of a
 * partition is moved than the tasks whose sources are active (sweep/units.cuh).
 *
 * Per edge 8 bytes (12 with weights) are read in order, and one accumulator is combined into,
 * anywhere: atomics in the L2 cache are the limit once it holds the accumulators. */
#pragma once

#define SWEEP_FLAGS_UNITS 1

#include "kernels/cuda/edge_partitions/device.cuh"
#include "kernels/cuda/edge_partitions/read_in_place.cuh"
#include "kernels/cuda/edges/csr_device.cuh"
#if PROGRAM_FIRST_SUFFICES
#include "kernels/cuda/edge_partitions/search.cuh"
#endif
#include "kernels/cuda/sweep/senders.cuh"
#include "kernels/cuda/sweep/shared_reading.cuh"

namespace {

/* The block's task: messages of its active sources to shared memory. Is there one? */
QN_DEVICE_INLINE bool load_sources(const struct sweep_state &state,
                                   const struct qn_program_context &context,
                                   const struct device_task &task, program_message *messages,
                                   uint8_t *active) {
  bool any = false;
  for (uint32_t i = threadIdx.x; i < task.num_sources; i += blockDim.x) {
    const bool sends = sweep_sends(state, context, task.first_dense + i, &messages[i]);
    active[i] = sends;
    any = any || sends;
  }
  return __syncthreads_or(any);
}

/* A task's edges, by their number in the task. */
struct task_edges {
  const uint32_t *sources, *destinations;
  struct qn_weights weights;
};

QN_DEVICE_INLINE struct task_edges resident_edges(const struct engine_device &device,
                                                  const struct device_task &task) {
  struct task_edges edges = {device.sources + task.edge_begin,
                             device.destinations + task.edge_begin, device.weights};
  if (edges.weights.data)
    edges.weights.u32 += task.edge_begin; /* of 4 bytes, whatever their type */
  return edges;
}

/* The pieces in describe_task's order. */
QN_DEVICE_INLINE struct task_edges streamed_edges(const struct engine_device &device,
                                                  const struct qn_unit_entry &entry) {
  struct task_edges edges = {reinterpret_cast<const uint32_t *>(entry.pieces[0]),
                             reinterpret_cast<const uint32_t *>(entry.pieces[1]), device.weights};
  edges.weights.data = entry.pieces[2];
  return edges;
}

/* The tasks of partitions with an active vertex, or those that `entries` says; `splits` as for
 * sweep_collect. */
template <bool splits>
__global__ void __launch_bounds__(SWEEP_THREADS)
    collect_task(const struct sweep_state state, const struct qn_program_context context,
                 const struct qn_unit_entry *entries, int turn, bool all_partitions) {
  const struct engine_device &device = state.layout;
  const struct device_task task = device.tasks[entries ? entries[blockIdx.x].unit : blockIdx.x];
  QN_SHARED(program_message, messages, TASK_EDGES);
  QN_SHARED(uint8_t, active, TASK_EDGES);
#if PROGRAM_FIRST_SUFFICES
  if (entries && device.in_place.searches) {
    const struct task_edges moved = streamed_edges(device, entries[blockIdx.x]);
    walk_rows_of(state, context, task, {moved.destinations, moved.weights});
    return;
  }
#endif
  if (SWEEP_FRONTIER && !entries && !all_partitions && !device.flags[turn][task.partition])
    return;
  if (!load_sources(state, context, task, messages, active))
    return;
  const struct task_edges edges =
      entries ? streamed_edges(device, entries[blockIdx.x]) : resident_edges(device, task);
  for (uint32_t edge = threadIdx.x; edge < task.num_edges; edge += blockDim.x) {
    const uint32_t source = edges.sources[edge] - task.first_id;
    if (SWEEP_FRONTIER && !active[source])
      continue;
    const struct qn_ep_place receiver = locate(device, edges.destinations[edge]);
    if (sweep_collect<splits>(state, context, messages[source], engine_weight(&edges.weights, edge),
                              receiver.dense) &&
        SWEEP_FRONTIER && !entries && receiver.partition < device.num_partitions)
      device.flags[1 - turn][receiver.partition] = 1;
  }
}

/* The sources of a task; or of its partition, if all of that moves as soon as one of them is
 * active, as in the paper. */
QN_DEVICE_INLINE struct unit_vertices engine_unit_vertices(const struct engine_device &device,
                                                           uint64_t task) {
  const uint32_t first = device.tasks[task].first_dense, p = device.tasks[task].partition;
  if (!device.moves_partitions)
    return {first, first + device.tasks[task].num_sources};
  const uint32_t range = device.range_size;
  return {p * range - device.prefix_offsets[p], (p + 1) * range - device.prefix_offsets[p + 1]};
}

inline enum qn_status engine_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                                  uint64_t count, cudaStream_t stream, struct qn_error *error) {
  const int turn = (int)(run->context.iteration % 2);
  if (run->splits)
    QN_LAUNCH((collect_task<true>), (unsigned)count, SWEEP_THREADS, 0, stream, run->state,
              run->context, entries, turn, run->woken);
  else
    QN_LAUNCH((collect_task<false>), (unsigned)count, SWEEP_THREADS, 0, stream, run->state,
              run->context, entries, turn, run->woken);
  return qn_cuda_launched("walking the partitions", error);
}

#if PROGRAM_FIRST_SUFFICES

inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  return search_collect(run, error);
}

#else

/* Walk the partitions that have an active vertex. */
inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  const int turn = (int)(run->context.iteration % 2);
  enum qn_status status = QN_OK;
  if (device->num_tasks == 0)
    return QN_OK;
  if (SWEEP_FRONTIER)
    status =
        qn_cuda_status(cudaMemsetAsync(device->flags[1 - turn], 0, device->num_partitions, NULL),
                       "clearing the flags of partitions", error);
  return status ? status : engine_walk(run, NULL, device->num_tasks, NULL, error);
}

#endif

/* A task leaves nothing to add up. */
inline enum qn_status engine_complete(struct sweep_run *run, struct qn_error *error) {
  struct unit_reading *reading = (struct unit_reading *)run->engine;
  return reading ? end_unit_reading(run, reading, error) : QN_OK;
}

inline enum qn_status engine_flag_units(struct sweep_run *run, struct qn_error *error) {
  struct unit_reading *reading = (struct unit_reading *)run->engine;
  return reading && reading->may_read ? flag_needed_units(run, reading, error)
                                      : sweep_flag_senders(run, error);
}

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
  task.continues = begin > 0 && view->sources[begin - 1] == task.first_id;
  return task;
}

/* All partitions cut into tasks, on the host. */
struct host_tasks {
  const struct qn_edge_partitions *view;
  uint64_t count;
  struct device_task *tasks; /* qn_pages_alloc */
};

inline enum qn_status make_tasks(const struct qn_edge_partitions *view, struct host_tasks *made,
                                 struct qn_error *error) {
  const struct qn_ep_divider divider = qn_ep_divider(view->range_size);
  uint64_t next = 0;
  made->view = view;
  made->count = 0;
  for (uint64_t p = 0; p < view->num_partitions; p++)
    made->count +=
        (view->edge_offsets[p + 1] - view->edge_offsets[p] + TASK_EDGES - 1) / TASK_EDGES;
  if (made->count > INT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
  enum qn_status status =
      qn_pages_alloc(&made->tasks, made->count, sizeof *made->tasks, "tasks of partitions", error);
  if (status)
    return status;
  for (uint64_t p = 0; p < view->num_partitions; p++) {
    const uint64_t end = view->edge_offsets[p + 1];
    for (uint64_t begin = view->edge_offsets[p]; begin < end; begin += TASK_EDGES)
      made->tasks[next++] =
          make_task(view, divider, begin, end - begin < TASK_EDGES ? end : begin + TASK_EDGES);
  }
  return QN_OK;
}

inline enum qn_status upload_out_degrees(const struct qn_edge_partitions *view,
                                         struct sweep_run *run, struct qn_error *error) {
  struct qn_ep_index index;
  memset(&index, 0, sizeof index);
  enum qn_status status = qn_ep_index_create(&index, view, error);
  if (!status)
    status = sweep_copy_of_held(run, &run->state.layout.row_offsets, index.row_offsets, 1,
                                "row offsets", error);
  qn_ep_index_destroy(&index);
  return status;
}

#if PROGRAM_FIRST_SUFFICES

inline enum qn_status upload_resident(const struct qn_edge_partitions *view, struct sweep_run *run,
                                      struct qn_error *error) {
  return search_upload(view, run, error);
}

inline uint64_t upload_bytes(const struct qn_edge_partitions *view) {
  return search_bytes(view);
}

#else

inline enum qn_status upload_resident(const struct qn_edge_partitions *view, struct sweep_run *run,
                                      struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  enum qn_status status = qn_cuda_copy_of(memory, &device->sources, view->sources, view->num_edges,
                                          0, sizeof *view->sources, "sources", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->destinations, view->destinations, view->num_edges, 0,
                             sizeof *view->destinations, "destinations", error);
  if (!status && PROGRAM_USES_WEIGHTS)
    status =
        qn_cuda_weights_upload(memory, &view->weights, view->num_edges, &device->weights, error);
  for (int turn = 0; turn < 2 && !status && SWEEP_FRONTIER; turn++)
    status = qn_cuda_alloc_zeroed(memory, &device->flags[turn], view->num_partitions, 1,
                                  "flags of partitions", error);
  return status;
}

/* Bytes of all that. */
inline uint64_t upload_bytes(const struct qn_edge_partitions *view) {
  const bool weighted = PROGRAM_USES_WEIGHTS && view->weights.type != QN_WEIGHT_NONE;
  return (weighted ? 3 : 2) * qn_cuda_rounded(sizeof(uint32_t) * view->num_edges) +
         (SWEEP_FRONTIER ? 2 * qn_cuda_rounded(view->num_partitions) : 0);
}

#endif

inline enum qn_status plan_reading(const struct host_tasks *made, struct sweep_run *run) {
  const struct qn_edge_partitions *view = made->view;
  return unit_reading_plan((struct unit_reading *)run->engine, run,
                           view->directedness == QN_UNDIRECTED, row_begins_bytes(view));
}

inline enum qn_status upload_reading(const struct host_tasks *made, struct sweep_run *run,
                                     struct qn_error *error) {
  const struct qn_edge_partitions *view = made->view;
  const struct unit_reading *reading = (const struct unit_reading *)run->engine;
  run->state.layout.host_destinations = view->destinations;
  run->state.layout.host_weights = view->weights;
  if (!PROGRAM_USES_WEIGHTS)
    run->state.layout.host_weights.data = NULL;
  enum qn_status status = unit_reading_upload(reading, run, error);
  return status || !reading->may_read
             ? status
             : upload_row_begins(view, made->tasks, made->count, run, error);
}

inline enum qn_status upload_layout(const struct host_tasks *made, struct sweep_run *run,
                                    struct qn_error *error) {
  const struct qn_edge_partitions *view = made->view;
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  device->num_partitions = (uint32_t)view->num_partitions;
  device->num_tasks = (uint32_t)made->count;
  device->divider = qn_ep_divider(view->range_size);
  device->range_size = (uint32_t)view->range_size;
  device->moves_partitions = run->request->device->streaming.moves == QN_MOVE_PARTITIONS;
  device->weights.type = view->weights.type;
  run->state.sees = SWEEP_MAY_SEE && run->request->asynchronous;
  enum qn_status status = qn_cuda_copy_of(memory, &device->prefix_offsets, view->prefix_offsets,
                                          view->num_partitions + 1, 0, sizeof *view->prefix_offsets,
                                          "prefix offsets", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->tasks, made->tasks, made->count, 0,
                             sizeof *made->tasks, "tasks of partitions", error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = upload_out_degrees(view, run, error);
  if (!status && !run->source)
    status = upload_resident(view, run, error);
  if (!status && run->source && run->engine)
    status = upload_reading(made, run, error);
  return status;
}

/* ---- Streaming: a unit is a task ------------------------------------------------ */

inline void describe_task(const void *user, uint64_t unit, struct qn_unit *out) {
  const struct host_tasks *made = (const struct host_tasks *)user;
  const struct device_task *task = &made->tasks[unit];
  const uint64_t bytes = (uint64_t)task->num_edges * sizeof(uint32_t);
  out->num_pieces = 2;
  out->more = 0;
  out->pieces[0] = {made->view->sources + task->edge_begin, bytes, 0};
  out->pieces[1] = {made->view->destinations + task->edge_begin, bytes, 0};
  if (PROGRAM_USES_WEIGHTS && made->view->weights.type != QN_WEIGHT_NONE)
    out->pieces[out->num_pieces++] = {qn_cuda_weights_at(&made->view->weights, task->edge_begin),
                                      bytes, 0};
}

inline struct qn_unit_source task_source(const struct host_tasks *made) {
  const struct qn_edge_partitions *view = made->view;
  const bool weighted = PROGRAM_USES_WEIGHTS && view->weights.type != QN_WEIGHT_NONE;
  const uint64_t pieces = weighted ? 3 : 2;
  uint64_t most_edges = 0;
  struct qn_unit_source source;
  memset(&source, 0, sizeof source);
  for (uint64_t i = 0; i < made->count; i++)
    most_edges = made->tasks[i].num_edges > most_edges ? made->tasks[i].num_edges : most_edges;
  source.user = made;
  source.num_units = made->count;
  source.unit_bytes = pieces * qn_unit_rounded(most_edges * sizeof(uint32_t));
  source.total_bytes = pieces * sizeof(uint32_t) * view->num_edges;
  source.fixed_bytes = qn_cuda_rounded((view->num_partitions + 1) * sizeof *view->prefix_offsets) +
                       qn_cuda_rounded(made->count * sizeof *made->tasks);
  source.vertex_bytes = PROGRAM_USES_OUT_DEGREE ? sizeof(uint64_t) : 0;
  source.fixed_bytes += source.vertex_bytes;
  source.resident_bytes = source.fixed_bytes + upload_bytes(view);
  source.describe = describe_task;
  return source;
}

/* On one device. */
inline enum qn_status run_alone(const struct qn_run_request *request, const struct host_tasks *made,
                                const struct qn_unit_source *source, struct qn_run_result *result,
                                struct qn_error *error) {
  const struct qn_edge_partitions *view = made->view;
  struct unit_reading reading;
  memset(&reading, 0, sizeof reading);
  auto upload = [&](struct sweep_run *run, struct qn_error *failure) {
    run->engine = &reading;
    enum qn_status planned = run->source ? plan_reading(made, run) : QN_OK;
    return planned ? planned : upload_layout(made, run, failure);
  };
  auto prepare = [&](struct sweep_run *run, struct qn_error *failure) {
    return run->source ? unit_reading_create(&reading, run, failure) : QN_OK;
  };
  auto algorithm = [&](struct sweep_run *run, struct qn_error *failure) {
    enum qn_status ended = sweep_iterations(run, failure);
    unit_reading_destroy(&reading);
    return ended;
  };
  enum qn_status status =
      sweep_run_with(request, view->num_vertices, view->num_edges, view->new_to_old, source, upload,
                     prepare, algorithm, result, error);
  unit_reading_destroy(&reading);
  return status;
}

inline enum qn_status run_devices(const struct qn_run_request *request,
                                  const struct host_tasks *made,
                                  const struct qn_unit_source *source, struct qn_run_result *result,
                                  struct qn_error *error) {
  const struct qn_edge_partitions *view = made->view;
  struct unit_reading readings[QN_MAX_DEVICES];
  auto plan = [&](struct sweep_run *run) {
    run->engine = &readings[run->member->index];
    return plan_reading(made, run);
  };
  auto upload = [&](struct sweep_run *run, struct qn_error *failure) {
    return upload_layout(made, run, failure);
  };
  return sweep_run_devices_reading(
      request, view->num_vertices, view->num_edges, view->new_to_old, source, NULL,
      [&](unsigned index) { return &readings[index]; }, plan, upload, result, error);
}

enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_edge_partitions *view = (const struct qn_edge_partitions *)request->view;
  struct host_tasks made;
  memset(result, 0, sizeof *result);
  memset(&made, 0, sizeof made);
  enum qn_status status =
      engine_check_weights(&view->weights, view->num_edges, view->num_vertices, error);
  if (!status)
    status = make_tasks(view, &made, error);
  if (status)
    return status;
  struct qn_unit_source source = task_source(&made);
  source.moves_once = partitions_end_soon(request, view);
  status = request->device->num_devices > 1 ? run_devices(request, &made, &source, result, error)
                                            : run_alone(request, &made, &source, result, error);
  qn_pages_free(made.tasks, made.count, sizeof *made.tasks);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_EDGE_PARTITIONS, QN_CUDA,
                 PROGRAM_FIRST_SUFFICES ? "edge partitions, push/bottom-up"
                                        : "edge partitions, sources in shared memory",
                 QN_KERNEL_DEVICES | SWEEP_TRAITS);
