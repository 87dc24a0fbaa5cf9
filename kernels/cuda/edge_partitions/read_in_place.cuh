/* Rows of partitions that are read where they lie instead of moving their task
 * (sweep/unit_reading.cuh). As the edges of a task are sorted by source, two bytes a source say
 * where its row begins in the task, and no source is read: of a row cross the bus the destinations
 * that are looked at, and their weights if the program uses them, in sectors of 32 bytes. */
#pragma once

#include "kernels/cuda/edge_partitions/device.cuh"
#if PROGRAM_FIRST_SUFFICES
#include "kernels/cuda/sweep/bottom_up.cuh"
#endif
#include "kernels/cuda/sweep/unit_reading.cuh"

static_assert(TASK_MAX_EDGES <= UINT16_MAX, "begins of rows have two bytes");

namespace {

/* A task's edges, wherever they lie. */
struct task_rows {
  const uint32_t *destinations;
  struct qn_weights weights;
};

/* Edges of a source in a task. */
struct task_row {
  uint32_t first_edge, num_edges;
};

QN_DEVICE_INLINE struct task_row row_of_source(const struct engine_device &device,
                                               const struct device_task &task, uint32_t source) {
  const uint16_t *begins = device.row_begins + task.first_dense + source;
  const uint32_t begin = source == 0 && task.continues ? 0 : begins[0];
  const uint32_t next = source + 1 < task.num_sources ? begins[1] : task.num_edges;
  const uint32_t end = next < task.num_edges ? next : task.num_edges;
  return {begin, end > begin ? end - begin : 0}; /* also if the input has changed */
}

QN_DEVICE_INLINE uint32_t destination_of(const struct engine_device &device,
                                         const struct task_rows &rows, uint64_t edge) {
  return locate(device, rows.destinations[edge]).dense;
}

#if SWEEP_FRONTIER

QN_DEVICE_INLINE uint64_t bytes_in_place(const struct task_rows &rows, uint64_t num_edges) {
  return in_whole_sectors(num_edges * sizeof(uint32_t)) * (rows.weights.data ? 2 : 1);
}

#if PROGRAM_FIRST_SUFFICES
/* Each lane's source looks along its row, if it `looks`. Returns the bytes that it read. All of the
 * warp call. */
QN_DEVICE_INLINE uint64_t search_source(const struct sweep_state &state,
                                        const struct qn_program_context &context,
                                        const struct device_task &task,
                                        const struct task_rows &rows, uint32_t source, bool looks) {
  const struct engine_device &device = state.layout;
  const auto end = search_row<struct task_row>(
      source, looks, [&](uint32_t other) { return row_of_source(device, task, other); },
      [&](const struct task_row &row, uint64_t edge) {
        return sweep_is_active(state, destination_of(device, rows, row.first_edge + edge));
      });
  if (!looks)
    return 0;
  if (end.edge == SEARCH_NONE)
    return bytes_in_place(rows, end.row.num_edges);
  const uint32_t vertex = task.first_dense + source;
  const uint64_t edge = end.row.first_edge + end.edge;
  search_receive(state, context, destination_of(device, rows, edge),
                 engine_weight(&rows.weights, edge), vertex);
  sweep_mark_received(state, vertex);
  return bytes_in_place(rows, end.edge + 1);
}
#endif

/* The warp sends along the row of a source. Returns the bytes that it read. */
QN_DEVICE_INLINE uint64_t push_source(const struct sweep_state &state,
                                      const struct qn_program_context &context,
                                      const struct device_task &task, const struct task_rows &rows,
                                      uint32_t source) {
  program_message message;
  if (!sweep_sends(state, context, task.first_dense + source, &message))
    return 0;
  const struct task_row row = row_of_source(state.layout, task, source);
  for (uint32_t edge = qn_lane(); edge < row.num_edges; edge += 32)
    sweep_collect(state, context, message, engine_weight(&rows.weights, row.first_edge + edge),
                  destination_of(state.layout, rows, row.first_edge + edge));
  return bytes_in_place(rows, row.num_edges);
}

/* The block walks those rows of a task that are needed. Returns the thread's part of the bytes that
 * were read. */
QN_DEVICE_INLINE uint64_t walk_rows_of(const struct sweep_state &state,
                                       const struct qn_program_context &context,
                                       const struct device_task &task,
                                       const struct task_rows &rows) {
  uint64_t bytes = 0;
  for (uint32_t begin = qn_warp() * 32; begin < task.num_sources; begin += blockDim.x) {
    const uint32_t source = begin + qn_lane(), vertex = task.first_dense + source;
    const bool valid = source < task.num_sources;
#if PROGRAM_FIRST_SUFFICES
    if (state.layout.in_place.searches) {
      const bool looks = valid && sweep_may_receive(state, context, vertex);
      bytes += search_source(state, context, task, rows, source, looks);
      continue;
    }
#endif
    for (unsigned left = __ballot_sync(QN_FULL_WARP, valid && sweep_is_active(state, vertex)); left;
         left &= left - 1) {
      const uint64_t read =
          push_source(state, context, task, rows, begin + (uint32_t)__ffs((int)left) - 1);
      bytes += qn_lane() == 0 ? read : 0;
    }
  }
  return bytes;
}

QN_DEVICE_INLINE struct unit_needs engine_needs(const struct sweep_state &state,
                                                const struct qn_program_context &context,
                                                uint32_t unit, struct unit_rows rows) {
  const struct device_task task = state.layout.tasks[unit];
  const uint64_t arrays = state.layout.host_weights.data ? 2 : 1;
  struct unit_needs needs = {0, {0, 0}};
  for (uint32_t source = qn_lane(); source < task.num_sources; source += 32) {
    if (!unit_needs(state, context, rows, task.first_dense + source))
      continue;
    const uint32_t num_edges = row_of_source(state.layout, task, source).num_edges;
    needs.edges += num_edges;
    needs.reads = unit_reads_both(
        needs.reads, unit_reads_of(arrays, unit_looked_at(rows, num_edges) * sizeof(uint32_t)));
  }
  __syncwarp();
  return needs;
}

QN_DEVICE_INLINE uint64_t engine_read_unit(const struct sweep_state &state,
                                           const struct qn_program_context &context,
                                           uint32_t unit) {
  const struct engine_device &device = state.layout;
  const struct device_task task = device.tasks[unit];
  struct task_rows rows = {device.host_destinations + task.edge_begin, device.host_weights};
  if (rows.weights.data)
    rows.weights.u32 += task.edge_begin; /* of 4 bytes, whatever their type */
  return walk_rows_of(state, context, task, rows);
}

#endif

/* ---- The host's side -------------------------------------------------------------------- */

/* Where the row of each source begins in its task. */
inline enum qn_status upload_row_begins(const struct qn_edge_partitions *view,
                                        const struct device_task *tasks, uint64_t num_tasks,
                                        struct sweep_run *run, struct qn_error *error) {
  uint16_t *begins;
  enum qn_status status =
      qn_pages_alloc(&begins, view->num_sources, sizeof *begins, "begins of rows", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < num_tasks; i++) {
    const struct device_task *task = &tasks[i];
    const uint32_t *sources = view->sources + task->edge_begin;
    for (uint32_t edge = 0; edge < task->num_edges; edge++) {
      const uint32_t source = sources[edge] - task->first_id;
      if ((edge == 0 ? !task->continues : sources[edge] != sources[edge - 1]) &&
          (uint64_t)task->first_dense + source < view->num_sources) /* or the input has changed */
        begins[task->first_dense + source] = (uint16_t)edge;
    }
  }
  status = qn_cuda_copy_of(&run->memory, &run->state.layout.row_begins, begins, view->num_sources,
                           0, sizeof *begins, "begins of rows", error);
  qn_pages_free(begins, view->num_sources, sizeof *begins);
  return status;
}

inline uint64_t row_begins_bytes(const struct qn_edge_partitions *view) {
  return qn_cuda_rounded(view->num_sources * sizeof(uint16_t));
}

/* sweep_ends_soon's each_edge, by dense number; who is not among the sources has none. */
template <class Visit>
bool each_edge_of_source(const struct qn_edge_partitions *view, uint32_t dense, Visit visit) {
  const struct qn_ep_divider divider = qn_ep_divider(view->range_size);
  const uint32_t *const end = view->sources + view->num_edges;
  uint64_t low = 0, high = view->num_partitions; /* the last partition that begins before */
  if (dense >= view->num_sources)
    return true;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    *(qn_ep_first_dense(view, middle) <= dense ? &low : &high) = middle;
  }
  const uint32_t id = dense + view->prefix_offsets[low];
  for (const uint32_t *source = std::lower_bound(view->sources, end, id);
       source < end && *source == id; source++) {
    const uint32_t neighbour =
        qn_ep_dense(view, divider, view->destinations[source - view->sources]);
    if (neighbour >= view->num_vertices || !visit(neighbour)) /* an input that changes, or enough */
      return false;
  }
  return true;
}

inline bool partitions_end_soon(const struct qn_run_request *request,
                                const struct qn_edge_partitions *view) {
  const uint32_t *const end = view->new_to_old + view->num_sources;
  if (!SWEEP_MAY_END_SOON(request))
    return false;
  const uint32_t source = request->inputs.sources[0];
  const uint32_t *found = std::lower_bound(view->new_to_old, end, source);
  if (found == end || *found != source)
    return true; /* it has no edges */
  return sweep_ends_soon(
      request, (uint32_t)(found - view->new_to_old),
      [&](uint32_t dense, auto visit) { return each_edge_of_source(view, dense, visit); });
}

} /* namespace */
