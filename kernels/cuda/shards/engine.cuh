/* Shards on a CUDA device, resident or streamed (view: struct qn_shards), after Garaph, section 3.
 *
 * Gather (gather.cuh): a block of threads takes consecutive edges of one shard, and adds up
 * what their destinations receive; the 16-bit offsets tell where a row begins. A row that does not
 * fit, a *hub*, is cut into segments, whose sums are merged by a kernel of their own. Frontier
 * programs whose active vertices have few out-edges notify their destinations, and only these pull
 * (notify-pull, section 4.2; notify.cuh), with as many lanes a vertex as its shard has
 * replicas. Apply is a sweep over all vertices (sweeps.cuh).
 *
 * The paper's block initialises the accumulators of a shard in shared memory, R replicas of each
 * (equation 2), combines into them by atomics (thread t into replica t mod R, so that neighbours do
 * not wait for each other), and merges the replicas two by two. Here a replica is not shared: as
 * edges are sorted by destination, it is what one thread adds up of one row, in a register, and
 * replicas are merged in a scan, or, in notify-pull, where R lanes take every R-th edge each, two
 * by two. There are no conflicts, sums of real numbers have one order, and shared memory holds next
 * to nothing, which leaves it to the L1 cache for the messages of hubs; whole shards in shared
 * memory would take it all, and leave a hub's shard to one multiprocessor.
 *
 * Asynchronous (section 3.1) are programs that are PROGRAM_IN_PLACE, as on the CPU: a sender that
 * receives something better sends that to whoever looks later in the same iteration.
 *
 * A gather moves, per edge, 6 bytes (10 with weights) in order and one 32-byte sector out of the L2
 * cache (of device memory where messages do not fit), in frontier programs another for the source's
 * bit; per vertex one accumulator, beside what sweeps.cuh says. Notify-pull moves per out-edge of
 * an active vertex 4 bytes and a sector with a bit, per in-edge of a notified one the same as a
 * gather but for the offset's 2 bytes, and V / 8 bytes of bits. */
#pragma once

#include "kernels/cuda/shards/gather.cuh"
#include "kernels/cuda/shards/units.cuh"
#include "kernels/cuda/sweep/loop.cuh"
#if PROGRAM_SCHEDULE == QN_FRONTIER
#include "kernels/cuda/shards/frontier.cuh"
#endif

namespace {

inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
#if SWEEP_FRONTIER
  return collect_active(run, error);
#else
  collect_hubs(run, true);
  collect_shards(run);
  return qn_cuda_launched("gathering shards", error);
#endif
}

/* ---- Uploading --------------------------------------------------------------------- */

/* Tasks and segments, which are launched apart, of the units. */
struct shard_cuts {
  struct qn_sh_unit *tasks;
  struct device_segment *segments;
};

inline void split_units(const struct qn_sh_units *units, const struct shard_cuts *cuts) {
  uint64_t num_tasks = 0, hub = 0;
  for (uint64_t i = 0; i < units->num_units; i++) {
    const struct qn_sh_unit *unit = &units->units[i];
    if (unit->segment == QN_SH_NO_SEGMENT) {
      cuts->tasks[num_tasks++] = *unit;
      continue;
    }
    while (units->hubs[hub].row < unit->first_row)
      hub++;
    cuts->segments[unit->segment] = {unit->first_edge, unit->num_edges, (uint32_t)hub};
  }
}

inline enum qn_status upload_hubs(const struct qn_sh_units *units, struct sweep_run *run,
                                  struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  device->num_hubs = (uint32_t)units->num_hubs;
  device->num_segments = (uint32_t)units->num_segments;
  enum qn_status status = qn_cuda_copy_of(memory, &device->hubs, units->hubs, units->num_hubs, 0,
                                          sizeof *units->hubs, "hubs", error);
  if (!status)
    status = qn_cuda_alloc(memory, &device->segment_sums, units->num_segments,
                           sizeof *device->segment_sums, "sums of hubs", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &device->segment_received, units->num_segments + 1,
                                  sizeof *device->segment_received, "sums of hubs", error);
  return status;
}

inline enum qn_status upload_cuts(const struct qn_sh_units *units, struct sweep_run *run,
                                  struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  const uint64_t num_segments = units->num_segments, num_tasks = units->num_units - num_segments;
  struct shard_cuts cuts;
  memset(&cuts, 0, sizeof cuts);
  device->num_tasks = (uint32_t)num_tasks;
  enum qn_status status =
      qn_alloc(&cuts.tasks, num_tasks, sizeof *cuts.tasks, "tasks of shards", error);
  if (!status)
    status =
        qn_alloc(&cuts.segments, num_segments, sizeof *cuts.segments, "segments of hubs", error);
  if (!status) {
    split_units(units, &cuts);
    status = qn_cuda_copy_of(memory, &device->tasks, cuts.tasks, num_tasks, 0, sizeof *cuts.tasks,
                             "tasks of shards", error);
  }
  if (!status)
    status = qn_cuda_copy_of(memory, &device->segments, cuts.segments, num_segments, 0,
                             sizeof *cuts.segments, "segments of hubs", error);
  qn_free(cuts.segments);
  qn_free(cuts.tasks);
  return status;
}

inline enum qn_status upload_in(const struct qn_shards *view, struct sweep_run *run,
                                bool needs_offsets, struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  const struct qn_csr *in = &view->in;
  device->in.num_edges = in->num_edges;
  enum qn_status status =
      qn_cuda_copy_of(memory, &device->in.sources, in->column_indices, in->num_edges, 0,
                      sizeof *in->column_indices, "sources", error);
  if (!status && PROGRAM_USES_WEIGHTS)
    status =
        qn_cuda_weights_upload(memory, &in->weights, in->num_edges, &device->in.weights, error);
  if (!status && SWEEP_FRONTIER)
    status = qn_cuda_copy_of(memory, &device->in_offsets, in->row_offsets, in->num_vertices + 1, 0,
                             sizeof *in->row_offsets, "row offsets", error);
  if (!status && needs_offsets)
    status = qn_cuda_copy_of(memory, &device->destination_offsets, view->destination_offsets,
                             in->num_edges, 0, sizeof *view->destination_offsets,
                             "destination offsets", error);
  return status;
}

/* Out-edges for frontier programs, or their row offsets alone, where the in-edges don't serve. */
inline enum qn_status upload_out(const struct qn_shards *view, struct sweep_run *run,
                                 struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  const bool is_in = view->out.row_offsets == view->in.row_offsets;
  device->out.num_vertices = view->num_vertices;
  device->out.num_edges = view->num_edges;
  if (SWEEP_FRONTIER && is_in) {
    device->out.row_offsets = device->in_offsets;
    device->out.column_indices = device->in.sources;
    return QN_OK;
  }
  if (SWEEP_FRONTIER)
    return qn_cuda_csr_upload(&run->memory, &view->out, false, &device->out, error);
  if (PROGRAM_USES_OUT_DEGREE)
    return qn_cuda_copy_of(&run->memory, &device->out.row_offsets, view->out.row_offsets,
                           view->num_vertices + 1, 0, sizeof *view->out.row_offsets, "row offsets",
                           error);
  return QN_OK;
}

/* What streaming needs of the topology. */
inline enum qn_status upload_units(const struct qn_sh_units *units, struct sweep_run *run,
                                   bool needs_degrees, struct qn_error *error) {
  const struct qn_shards *view = units->view;
  struct engine_device *device = &run->state.layout;
  device->in.weights.type = view->in.weights.type;
  enum qn_status status =
      qn_cuda_copy_of(&run->memory, &device->units, units->units, units->num_units, 0,
                      sizeof *units->units, "units of shards", error);
  if (!status && needs_degrees)
    status = qn_cuda_copy_of(&run->memory, &device->out.row_offsets, view->out.row_offsets,
                             view->num_vertices + 1, 0, sizeof *view->out.row_offsets,
                             "row offsets", error);
  return status;
}

inline enum qn_status upload_layout(struct streamed_shards *streamed, struct sweep_run *run,
                                    struct qn_error *error) {
  const struct qn_sh_units *units = streamed->units;
  enum qn_status status = upload_hubs(units, run, error);
  if (!status && streamed->joint && SWEEP_FRONTIER)
    status = qn_cuda_alloc_zeroed(&run->memory, &run->state.layout.next_active,
                                  units->view->num_vertices / 32 + 1, sizeof(uint32_t),
                                  "bits of vertices", error);
  if (!status && run->source) {
    status = upload_units(units, run, needs_streamed_degrees(streamed->joint), error);
    return status ? status : streamed_shards_create(streamed, run, error);
  }
  if (!status)
    status = upload_in(units->view, run, needs_destination_offsets(streamed->joint), error);
  if (!status)
    status = upload_out(units->view, run, error);
  if (!status)
    status = upload_cuts(units, run, error);
#if SWEEP_FRONTIER
  if (!status)
    status = frontier_create(units->view, run, error);
#endif
  return status;
}

inline enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const struct qn_shards *view = (const struct qn_shards *)request->view;
  struct qn_sh_units units;
  struct streamed_shards streamed;
  auto upload = [&streamed](struct sweep_run *run, struct qn_error *failure) {
    run->engine = &streamed;
    return upload_layout(&streamed, run, failure);
  };
  memset(result, 0, sizeof *result);
  memset(&streamed, 0, sizeof streamed);
  streamed.units = &units;
  enum qn_status status =
      engine_check_weights(&view->in.weights, view->num_edges, view->num_vertices, error);
  if (status)
    return status;
  status = qn_sh_units_create(&units, view, TASK_EDGES, QN_TILE_ITEMS, NULL, 0, error);
  if (!status) {
    const struct qn_unit_source source = shards_source(&units, false);
    status = sweep_run_units(request, view->num_vertices, view->num_edges, NULL, &source, upload,
                             result, error);
  }
  streamed_shards_destroy(&streamed);
  qn_sh_units_destroy(&units);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_SHARDS, QN_CUDA,
                 PROGRAM_FIRST_SUFFICES ? "shards, push/bottom-up"
                 : SWEEP_FRONTIER       ? "shards, notify-pull"
                                        : "shards, gather",
                 0);
