/* Blocked CSR on a CUDA device, resident or streamed (view: struct qn_blocked_csr). From Chen,
 * GraphCage (2019).
 *
 * Pull (section 3.1, TOCAB): block after block, so that the messages that a block's edges read at
 * random stay in the L2 cache; each local row's partial result is written in order, and a block of
 * threads then sums one range of vertices over all blocks in shared memory, with coalesced reads.
 * Push: block after block too, where the accumulators that a block's edges combine into stay in
 * the cache. Traversals (section 3.3) push along the plain out-edges while few vertices are active
 * and pull by blocks while many are.
 *
 * A pull cuts the edges of all blocks into equal tiles (edge_tiles.cuh). Only where it skips rows,
 * or must know whether a sum that adds up to nothing was collected, rows go by lanes and warps.
 * A push along plain out-edges takes equal pieces of the active vertices' edges
 * (edges/row_queue.cuh); one along push blocks goes by rows too, and combines with atomics.
 *
 * A pull moves, per edge, 4 bytes (8 with weights) in order and one 32-byte sector within the L2
 * cache; per local row 8 bytes of offset and id, and the partial result twice; per vertex the sum.
 * Where the messages fit in the cache anyway, the partial results are the price of nothing. (How it
 * is streamed: streamed.cuh.) */
#pragma once

#include "kernels/cuda/blocked_csr/streamed.cuh"
#include "kernels/cuda/blocked_csr/walk.cuh"
#include "kernels/cuda/sweep/loop.cuh"

namespace {

inline enum qn_status upload_blocking(const struct qn_blocking *from, uint64_t num_edges,
                                      struct sweep_run *run, struct qn_error *error) {
  struct qn_cuda_memory *memory = &run->memory;
  struct qn_blocking *to = &run->state.layout.blocking;
  const uint64_t num_rows = from->num_rows;
  *to = *from;
  to->weights.data = NULL;
  enum qn_status status = upload_bounds(from, memory, to, error);
  if (!status)
    status =
        qn_cuda_copy_of(memory, &to->row_offsets, from->row_offsets, num_rows + from->num_blocks, 0,
                        sizeof *from->row_offsets, "row offsets of blocks", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &to->columns, from->columns, num_edges, 0,
                             sizeof *from->columns, "columns of blocks", error);
  if (!status && PROGRAM_USES_WEIGHTS)
    status = qn_cuda_weights_upload(memory, &from->weights, num_edges, &to->weights, error);
  if (!status && run->state.layout.pulls)
    status = qn_cuda_alloc(memory, &run->state.layout.partials, num_rows, sizeof(tile_partial),
                           "partial results", error);
  if (!status && run->state.layout.pulls && !PULLS_BY_TILES)
    status =
        qn_cuda_alloc(memory, &run->state.layout.collected, num_rows, 1, "partial results", error);
  return status;
}

#if PULLS_BY_TILES
__global__ void find_row_begins(const struct device_block block, uint64_t *begins) {
  qn_grid_steps((uint64_t)block.num_rows + 1, [&](uint64_t row) {
    begins[block.first_row + row] = block.first_edge + block.offsets[row];
  });
}

/* All blocks' local rows, one after the other, as the rows of one CSR, cut into tiles. */
inline enum qn_status create_tiles(struct sweep_run *run, uint64_t num_edges,
                                   struct qn_error *error) {
  const struct qn_blocking &blocking = run->state.layout.blocking;
  struct edge_tiles *tiles = &run->state.layout.tiles;
  uint64_t *begins;
  tiles->sources = blocking.columns;
  tiles->weights = blocking.weights;
  tiles->num_edges = num_edges;
  tiles->num_rows = host_blocking(run)->num_rows;
  enum qn_status status = qn_cuda_alloc_zeroed(&run->memory, &begins, tiles->num_rows + 1,
                                               sizeof *begins, "offsets of rows", error);
  if (status)
    return status;
  for (uint64_t index = 0; index < blocking.num_blocks; index++) {
    const struct device_block block = block_of(run, index);
    QN_LAUNCH(find_row_begins, row_blocks(run, (uint64_t)block.num_rows + 1), SWEEP_THREADS, 0,
              NULL, block, begins);
  }
  tiles->begins = begins;
  status = qn_cuda_launched("listing rows", error);
  return status ? status : edge_tiles_cut(&run->memory, tiles, error);
}
#endif

/* The plain out-edges: stored, or made here. */
inline enum qn_status upload_out(const struct qn_blocked_csr *view, struct sweep_run *run,
                                 struct qn_error *error) {
  struct qn_graph made;
  memset(&made, 0, sizeof made);
  enum qn_status status = view->has_out ? QN_OK : qn_blocked_csr_out_edges(view, &made, error);
  if (!status)
    status = qn_cuda_csr_upload(&run->memory, view->has_out ? &view->out : &made.out,
                                PROGRAM_USES_WEIGHTS, &run->state.layout.out, error);
  qn_graph_unmap(&made);
  return status;
}

inline const struct qn_weights *blocked_weights(const struct qn_blocked_csr *view) {
  return view->has_pull ? &view->pull.weights : &view->push.weights;
}

inline enum qn_status upload_layout(const struct qn_blocked_csr *view, struct sweep_run *run,
                                    struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  enum qn_status status = QN_OK;
  device->pulls = blocked_pulls(run->request);
  if (!SWEEP_FRONTIER || device->pulls)
    status = upload_blocking(host_blocking(run), view->num_edges, run, error);
#if SWEEP_FRONTIER
  if (!status)
    status = upload_out(view, run, error);
  if (!status)
    status = sweep_push_create(run, error);
  if (!status)
    status = sweep_near_far_create(
        run, [&] { return mean_weight(blocked_weights(view), view->num_edges); }, error);
#endif
#if PULLS_BY_TILES
  if (!status && device->pulls)
    status = create_tiles(run, view->num_edges, error);
#endif
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status =
        qn_cuda_copy_of(&run->memory, &device->out_degrees, view->out_degrees, view->num_vertices,
                        0, sizeof *view->out_degrees, "out-degrees", error);
  return status;
}

/* Has the container the blocks that --direction asks for? */
inline enum qn_status check_direction(const struct qn_run_request *request,
                                      struct qn_error *error) {
  const struct qn_blocked_csr *view = (const struct qn_blocked_csr *)request->view;
  const bool lacks_pull = request->direction == QN_DIRECTION_PULL && !view->has_pull;
  const bool lacks_push =
      request->direction == QN_DIRECTION_PUSH && !SWEEP_FRONTIER && !view->has_push;
  if (!lacks_pull && !lacks_push)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "the container has no %s blocks; make them with quern-block --direction both",
                 lacks_pull ? "pull" : "push");
}

inline enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const struct qn_blocked_csr *view = (const struct qn_blocked_csr *)request->view;
  const struct qn_weights *weights = blocked_weights(view);
  struct blocked_stream stream;
  struct qn_unit_source source;
  auto upload = [view, &stream](struct sweep_run *run, struct qn_error *failure) {
    if (!run->source)
      return upload_layout(view, run, failure);
    enum qn_status refused = near_far_refuse(run->request, failure);
    return refused ? refused : upload_streamed(&stream, run, failure);
  };
  memset(result, 0, sizeof *result);
  enum qn_status status = engine_check_weights(weights, view->num_edges, view->num_vertices, error);
  if (!status)
    status = check_direction(request, error);
  if (status)
    return status;
  status = blocked_stream_create(&stream, request, error);
  if (!status) {
    source = blocked_source(&stream, request);
    status = sweep_run_units(request, view->num_vertices, view->num_edges, NULL, &source, upload,
                             result, error);
  }
  row_units_destroy(&stream.cut);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_BLOCKED_CSR, QN_CUDA, SWEEP_FRONTIER ? "push/TOCAB pull" : "TOCAB",
                 QN_KERNEL_DIRECTION | QN_KERNEL_DELTA);
