/* Shards on a CUDA device, resident (view: struct qn_shards), after Garaph, section 3.
 *
 * Gather (shards_gather.cuh): a block of threads takes consecutive edges of one shard, and adds up
 * what their destinations receive; the 16-bit offsets tell where a row begins. A row that does not
 * fit, a *hub*, is cut into segments, whose sums are merged by a kernel of their own. Frontier
 * programs whose active vertices have few out-edges notify their destinations, and only these pull
 * (notify-pull, section 4.2; shards_notify.cuh), with as many lanes a vertex as its shard has
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
#ifndef QN_KERNELS_CUDA_SHARDS_ENGINE_CUH
#define QN_KERNELS_CUDA_SHARDS_ENGINE_CUH

#include "formats/shards.h"
#include "kernels/cuda/csr_device.cuh"
#include "kernels/cuda/edge_tiles.cuh"
#include "kernels/cuda/run_device.cuh"
#include "kernels/cuda/unit_queue.cuh"
#include "kernels/cuda/warp_rows.cuh"

namespace {

/* Consecutive rows of one shard, and their edges. */
struct device_task {
  uint64_t first_edge;
  uint32_t num_edges; /* at least 1 */
  uint32_t first_row;
  uint32_t first_offset; /* of the first row in its shard */
};

/* A row that has too many edges for a task, and the segments that it is cut into. */
struct device_hub {
  uint32_t row;
  uint32_t first_segment, num_segments;
};

struct device_segment {
  uint64_t first_edge;
  uint32_t num_edges;
  uint32_t hub;
};

/* Of one iteration. */
struct device_counters {
  qn_queue_size queue_size;         /* of active vertices with out-edges */
  unsigned long long num_out_edges; /* of active vertices */
};

struct engine_device {
  struct edge_tiles in; /* sources and weights alone */
  const uint16_t *destination_offsets;
  const struct device_task *tasks;
  const struct device_hub *hubs;
  const struct device_segment *segments;
  uint32_t num_tasks, num_hubs, num_segments;
  program_accumulator *segment_sums; /* [num_segments] */
  uint8_t *segment_received;         /* [num_segments] */
  struct qn_csr out;                 /* out-degrees need the row offsets only */
  /* Frontier programs: */
  const uint64_t *in_offsets;      /* [V + 1] */
  const uint8_t *word_replication; /* [V / 32 + 1] of the first of each 32 vertices */
  uint32_t *notified;              /* [V / 32 + 1] bits, zero between iterations */
  struct qn_unit_queue queue;      /* [V] of active vertices */
  struct device_counters *counters;
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.out.row_offsets[vertex + 1] - device.out.row_offsets[vertex];
}

} /* namespace */

#include "kernels/cuda/sweeps.cuh"

#include "kernels/cuda/shards_gather.cuh"
#if PROGRAM_SCHEDULE == QN_FRONTIER
#include "kernels/cuda/shards_notify.cuh"
#define ENGINE_NAME "shards, notify-pull"
#else
#define ENGINE_NAME "shards, replicated gather"
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

} /* namespace */

#include "kernels/cuda/sweep_loop.cuh"

namespace {

/* ---- Cutting shards into tasks, on the host -------------------------------------- */

/* What is cut so far; without arrays it is only counted. */
struct shard_cuts {
  struct device_task *tasks;
  struct device_hub *hubs;
  struct device_segment *segments;
  uint64_t num_tasks, num_hubs, num_segments;
};

/* The end of the rows from `row` on, of those before `last`, that one task can take. */
inline uint64_t task_end(const uint64_t *offsets, uint64_t row, uint64_t last) {
  uint64_t low = row, high = last;
  while (low < high) {
    const uint64_t middle = high - (high - low) / 2;
    if (!is_hub(offsets[row], offsets[middle]))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

inline void add_task(const struct qn_shards *view, struct shard_cuts *cuts, uint64_t shard,
                     uint64_t row, uint64_t end) {
  const uint64_t *offsets = view->in.row_offsets;
  if (offsets[row] == offsets[end])
    return; /* nobody receives anything */
  if (cuts->tasks) {
    struct device_task *task = &cuts->tasks[cuts->num_tasks];
    memset(task, 0, sizeof *task);
    task->first_edge = offsets[row];
    task->num_edges = (uint32_t)(offsets[end] - offsets[row]);
    task->first_row = (uint32_t)row;
    task->first_offset = (uint32_t)(row - view->vertex_offsets[shard]);
  }
  cuts->num_tasks++;
}

inline void add_hub(const struct qn_shards *view, struct shard_cuts *cuts, uint64_t row) {
  const uint64_t end = view->in.row_offsets[row + 1];
  const uint64_t first_segment = cuts->num_segments;
  for (uint64_t begin = view->in.row_offsets[row]; begin < end; cuts->num_segments++) {
    const uint64_t whole = aligned_edge(begin) + TASK_EDGES, next = whole < end ? whole : end;
    if (cuts->segments) {
      struct device_segment segment = {begin, (uint32_t)(next - begin), (uint32_t)cuts->num_hubs};
      cuts->segments[cuts->num_segments] = segment;
    }
    begin = next;
  }
  if (cuts->hubs) {
    struct device_hub hub = {(uint32_t)row, (uint32_t)first_segment,
                             (uint32_t)(cuts->num_segments - first_segment)};
    cuts->hubs[cuts->num_hubs] = hub;
  }
  cuts->num_hubs++;
}

inline void cut_shards(const struct qn_shards *view, struct shard_cuts *cuts) {
  cuts->num_tasks = cuts->num_hubs = cuts->num_segments = 0;
  for (uint64_t shard = 0; shard < view->num_shards; shard++) {
    const uint64_t last = view->vertex_offsets[shard + 1];
    for (uint64_t row = view->vertex_offsets[shard]; row < last;) {
      const uint64_t end = task_end(view->in.row_offsets, row, last);
      if (end > row)
        add_task(view, cuts, shard, row, end);
      else
        add_hub(view, cuts, row);
      row = end > row ? end : row + 1;
    }
  }
}

inline enum qn_status upload_cuts(const struct shard_cuts *cuts, struct sweep_run *run,
                                  struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  device->num_tasks = (uint32_t)cuts->num_tasks;
  device->num_hubs = (uint32_t)cuts->num_hubs;
  device->num_segments = (uint32_t)cuts->num_segments;
  enum qn_status status = qn_cuda_copy_of(memory, &device->tasks, cuts->tasks, cuts->num_tasks, 0,
                                          sizeof *cuts->tasks, "tasks of shards", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->hubs, cuts->hubs, cuts->num_hubs, 0,
                             sizeof *cuts->hubs, "hubs", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->segments, cuts->segments, cuts->num_segments, 0,
                             sizeof *cuts->segments, "segments of hubs", error);
  if (!status)
    status = qn_cuda_alloc(memory, &device->segment_sums, cuts->num_segments,
                           sizeof *device->segment_sums, "sums of hubs", error);
  if (!status)
    status = qn_cuda_alloc(memory, &device->segment_received, cuts->num_segments,
                           sizeof *device->segment_received, "sums of hubs", error);
  return status;
}

inline enum qn_status cut_and_upload(const struct qn_shards *view, struct sweep_run *run,
                                     struct qn_error *error) {
  struct shard_cuts cuts;
  memset(&cuts, 0, sizeof cuts);
  cut_shards(view, &cuts);
  if (cuts.num_tasks > INT32_MAX || cuts.num_segments > INT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the graph has too many shards or edges for one device");
  enum qn_status status =
      qn_alloc(&cuts.tasks, cuts.num_tasks, sizeof *cuts.tasks, "tasks of shards", error);
  if (!status)
    status = qn_alloc(&cuts.hubs, cuts.num_hubs, sizeof *cuts.hubs, "hubs", error);
  if (!status)
    status = qn_alloc(&cuts.segments, cuts.num_segments, sizeof *cuts.segments, "segments of hubs",
                      error);
  if (!status) {
    cut_shards(view, &cuts);
    status = upload_cuts(&cuts, run, error);
  }
  qn_free(cuts.segments);
  qn_free(cuts.hubs);
  qn_free(cuts.tasks);
  return status;
}

/* ---- Uploading --------------------------------------------------------------------- */

inline enum qn_status upload_in(const struct qn_shards *view, struct sweep_run *run,
                                struct qn_error *error) {
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
  if (!status && !PROGRAM_FIRST_SUFFICES)
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

inline enum qn_status upload_layout(const struct qn_shards *view, struct sweep_run *run,
                                    struct qn_error *error) {
  enum qn_status status = upload_in(view, run, error);
  if (!status)
    status = upload_out(view, run, error);
  if (!status)
    status = cut_and_upload(view, run, error);
#if SWEEP_FRONTIER
  if (!status)
    status = create_notification(view, run, error);
#endif
  return status;
}

inline enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const struct qn_shards *view = (const struct qn_shards *)request->view;
  auto upload = [view](struct sweep_run *run, struct qn_error *failure) {
    return upload_layout(view, run, failure);
  };
  memset(result, 0, sizeof *result);
  enum qn_status status = engine_check_weights(&view->in.weights, view->num_edges, error);
  if (!status)
    status = sweep_run_program(request, view->num_vertices, view->num_edges, NULL, upload, result,
                               error);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_SHARDS, QN_CUDA, ENGINE_NAME);

#endif
