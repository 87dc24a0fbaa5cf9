/* Pushing along plain out-edges, for engines with sweeps (sweeps.cuh) whose layout walks all rows,
 * when few vertices are active. The engine's struct engine_device has
 *
 *   struct qn_csr out;             plain out-edges
 *   struct qn_unit_queue queue;    made by sweep_push_create
 *   qn_queue_size *queued;
 *
 * The active vertices go into a queue whose edges are cut into equal pieces, so that a hub is
 * shared by all blocks: 8 bytes an active vertex; per edge 4 bytes (8 with weights) and one
 * accumulator to combine into, anywhere. */
#pragma once

#include "kernels/cuda/device/load_once.cuh"
#include "kernels/cuda/edges/run_device.cuh"
#include "kernels/cuda/sweep/directions.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

namespace {

__global__ void sweep_enqueue(const struct sweep_state state, uint64_t num_vertices) {
  const uint64_t *offsets = state.layout.out.row_offsets;
  qn_block_bits(state.active, num_vertices, [&](uint32_t vertex, bool there) {
    const uint64_t degree = there ? offsets[vertex + 1] - offsets[vertex] : 0;
    qn_queue_put(state.layout.queue, state.layout.queued, qn_units_of(degree), vertex);
  });
}

/* What is done with an edge of an active vertex: it is pushed along. */
struct sweep_push_edge {
  QN_DEVICE_INLINE void visit(const struct sweep_state &state,
                              const struct qn_program_context &context, uint32_t sender,
                              uint64_t edge) {
    const struct qn_csr &out = state.layout.out;
    sweep_collect(state, context, state.messages[sender], streamed_weight(out.weights, edge),
                  __ldcs(&out.column_indices[edge]));
  }
};

template <class Edge>
__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    sweep_push_units(const struct sweep_state state, const struct qn_program_context context) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  struct qn_unit_tile *tile = tiles;
  const struct engine_device &device = state.layout;
  const qn_queue_size queued = *device.queued;
  qn_unit_tiles(qn_queue_units(queued), [&](uint32_t first, uint32_t units) {
    const uint32_t loaded =
        qn_unit_load(device.queue, qn_queue_entries(queued), device.out.row_offsets, first, tile);
    for (uint32_t unit = threadIdx.x / QN_UNIT_EDGES; unit < units;
         unit += QN_QUEUE_THREADS / QN_UNIT_EDGES) {
      const uint32_t entry = qn_unit_entry(tile, loaded, unit);
      const uint64_t edge = qn_unit_edge(tile, entry, unit);
      if (edge < tile->ends[entry])
        Edge::visit(state, context, tile->vertices[entry], edge);
    }
    __syncthreads(); /* before the next tile is loaded */
  });
}

/* ---- The host's side ---------------------------------------------------------- */

/* What pushing wants beside the out-edges, which are there. */
inline enum qn_status sweep_push_create(struct sweep_run *run, struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  const uint64_t num_vertices = run->context.num_vertices;
  enum qn_status status = qn_run_check_units(num_vertices, device->out.num_edges, error);
  if (!status)
    status = qn_run_queue(memory, num_vertices, &device->queue, error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &device->queued, 1, sizeof *device->queued, "a counter",
                                  error);
  return status;
}

/* Is the result of this iteration the same if all that is sent is combined in any order? Sums of
 * real numbers are not, unless they are counts. */
inline bool sweep_any_order(const struct sweep_run *run) {
#if PROGRAM_COUNTS
  return program_exact(&run->context);
#else
  (void)run;
  return !(PROGRAM_COMBINE == QN_ADD && engine_lane_is_real());
#endif
}

inline enum qn_status sweep_queue_active(struct sweep_run *run, struct qn_error *error) {
  enum qn_status status = sweep_clear(run->state.layout.queued, 0, error);
  if (status)
    return status;
  QN_LAUNCH(sweep_enqueue,
            qn_grid(run->context.num_vertices / 32 + 1, QN_QUEUE_THREADS,
                    run->memory.device.multiprocessors, 8),
            QN_QUEUE_THREADS, 0, NULL, run->state, run->context.num_vertices);
  return qn_cuda_launched("listing active vertices", error);
}

/* Do few edges begin at active vertices, which are queued? */
inline enum qn_status sweep_few_edges(struct sweep_run *run, bool *few, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  qn_queue_size queued;
  *few = run->num_active <= run->context.num_vertices / SWEEP_COUNT_SHARE;
  if (*few)
    return QN_OK;
  enum qn_status status = sweep_read(run, &queued, device->queued, 1, sizeof queued, error);
  /* Of its last unit a vertex fills half, as a rule. */
  *few = (uint64_t)qn_queue_units(queued) * QN_UNIT_EDGES <=
         device->out.num_edges / SWEEP_PULL_EDGES + run->num_active * (QN_UNIT_EDGES / 2);
  return status;
}

/* Push, for an engine that can pull as well? If so, the active vertices are queued. Real sums must
 * have one order, which a push has not. */
inline enum qn_status sweep_choose(struct sweep_run *run, bool *push, struct qn_error *error) {
  const enum qn_direction direction = run->request->direction;
  const bool few_vertices =
      !PROGRAM_FIRST_SUFFICES || run->num_active <= run->context.num_vertices / SWEEP_PULL_SHARE;
  *push = SWEEP_FRONTIER && direction != QN_DIRECTION_PULL && sweep_any_order(run) &&
          (few_vertices || direction == QN_DIRECTION_PUSH);
  if (!*push)
    return QN_OK;
  enum qn_status status = sweep_queue_active(run, error);
  return status || direction == QN_DIRECTION_PUSH ? status : sweep_few_edges(run, push, error);
}

/* From the queue; or do something else with each edge. */
template <class Edge = sweep_push_edge>
enum qn_status sweep_push_queued(struct sweep_run *run, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  QN_LAUNCH((sweep_push_units<Edge>),
            qn_grid(device->out.num_edges / QN_UNIT_EDGES + run->num_active, QN_TILE_UNITS,
                    run->memory.device.multiprocessors, 8),
            QN_QUEUE_THREADS, 0, NULL, run->state, run->context);
  return qn_cuda_launched("pushing", error);
}

inline enum qn_status sweep_push(struct sweep_run *run, struct qn_error *error) {
  enum qn_status status = sweep_queue_active(run, error);
  return status ? status : sweep_push_queued(run, error);
}

} /* namespace */
