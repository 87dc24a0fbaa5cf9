/* Blocked CSR that does not fit into device memory: stretches of the rows of a block are the units
 * of streaming (row_units.cuh).
 *
 * Programs whose vertices are all active move every unit, block after block. Rows that pull leave
 * their results as they do in a resident run, so what reduces them stays on the device: 8 bytes or
 * 12 for each local row, and the starts of ranges. A container that has push blocks alone sends,
 * combining with atomics.
 *
 * Frontier programs send: along the plain out-edges, where the container stores them, else along
 * the rows of push blocks; both tell which units have an active vertex, and no others move. With
 * pull blocks alone the units of those blocks move whose vertices, the columns, have an active one
 * among them: that is nearly all as soon as more than a few are active (quern-block --out-edges or
 * --direction both does better). */
#pragma once

#include "kernels/cuda/blocked_csr/walk.cuh"
#include "kernels/cuda/rows/row_walks.cuh"
#include "kernels/cuda/sweep/near_far.cuh"
#include "kernels/cuda/sweep/senders.cuh"

namespace {

#if !SWEEP_FRONTIER
QN_DEVICE_INLINE void engine_store_row(const struct sweep_state &state, uint64_t row,
                                       program_accumulator total) {
  state.layout.partials[row] = tile_store(total);
}
#endif

__global__ void __launch_bounds__(SWEEP_THREADS)
    walk_units(const struct sweep_state state, const struct qn_program_context context,
               const struct qn_unit_entry *entries) {
  const struct qn_unit_entry entry = entries[blockIdx.x];
  if (state.layout.rows_send) {
    push_unit(state, context, entry.unit, entry);
    return;
  }
#if SWEEP_FRONTIER
  gather_unit_active(state, context, entry.unit, entry);
#else
  gather_unit(state, context, entry.unit, entry);
#endif
}

QN_DEVICE_INLINE struct unit_vertices engine_unit_vertices(const struct engine_device &device,
                                                           uint64_t number) {
  return {device.rows.units[number].first_sender, device.rows.units[number].end_sender};
}

inline enum qn_status engine_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                                  uint64_t count, cudaStream_t stream, struct qn_error *error) {
  QN_LAUNCH(walk_units, dim3((unsigned)count, row_unit_blocks(run->source)), SWEEP_THREADS, 0,
            stream, run->state, run->context, entries);
  return qn_cuda_launched("walking the blocks", error);
}

/* After all units. */
inline enum qn_status engine_complete(struct sweep_run *run, struct qn_error *error) {
  (void)run;
#if !SWEEP_FRONTIER
  if (run->state.layout.pulls) {
    launch_row_parts(run);
    launch_reduction(run);
  }
#endif
  return qn_cuda_launched("adding up partial results", error);
}

/* ---- The host's side ---------------------------------------------------------- */

/* What is streamed, if anything must be. */
struct blocked_stream {
  const struct qn_blocked_csr *view;
  const struct qn_blocking *blocking; /* NULL: the plain out-edges */
  bool rows_send;
  uint64_t bounds[4]; /* of the plain rows */
  struct row_units cut;
};

inline struct row_matrix blocked_matrix(struct blocked_stream *stream) {
  const struct qn_blocked_csr *view = stream->view;
  const struct qn_blocking *blocking = stream->blocking;
  if (!blocking)
    return row_matrix_of_csr(&view->out, PROGRAM_USES_WEIGHTS, stream->bounds);
  struct row_matrix matrix;
  memset(&matrix, 0, sizeof matrix);
  matrix.num_blocks = blocking->num_blocks;
  matrix.block_rows = blocking->block_rows;
  matrix.block_edges = blocking->block_edges;
  matrix.narrow_offsets = blocking->row_offsets;
  matrix.ids = blocking->id_map;
  matrix.moves_ids = SWEEP_FRONTIER || stream->rows_send;
  matrix.columns = blocking->columns;
  if (PROGRAM_USES_WEIGHTS)
    matrix.weights = blocking->weights;
  matrix.column_vertices = stream->rows_send ? 0 : blocking->block_vertices;
  matrix.num_vertices = view->num_vertices;
  return matrix;
}

/* Owned until row_units_destroy of its `cut`, also after a failure. */
inline enum qn_status blocked_stream_create(struct blocked_stream *stream,
                                            const struct qn_run_request *request,
                                            struct qn_error *error) {
  const struct qn_blocked_csr *view = (const struct qn_blocked_csr *)request->view;
  const bool has_rows = view->has_out || view->has_push;
  memset(stream, 0, sizeof *stream);
  stream->view = view;
  stream->rows_send = SWEEP_FRONTIER ? has_rows && request->direction != QN_DIRECTION_PULL
                                     : !blocked_pulls(request);
  if (!stream->rows_send)
    stream->blocking = &view->pull;
  else if (!SWEEP_FRONTIER || !view->has_out)
    stream->blocking = &view->push;
  const struct row_matrix matrix = blocked_matrix(stream);
  return row_units_create(&stream->cut, &matrix, SWEEP_FRONTIER ? ROW_UNIT_ACTIVE : ROW_UNIT_ALL,
                          error);
}

/* Do rows leave partial results, to be reduced? */
inline bool blocked_stream_reduces(const struct blocked_stream *stream) {
  return !SWEEP_FRONTIER && !stream->rows_send;
}

/* What both a reduction and the blocks need, but for partial results. */
inline enum qn_status upload_bounds(const struct qn_blocking *from, struct qn_cuda_memory *memory,
                                    struct qn_blocking *to, struct qn_error *error) {
  enum qn_status status =
      qn_cuda_copy_of(memory, &to->block_rows, from->block_rows, from->num_blocks + 1, 0,
                      sizeof *from->block_rows, "block bounds", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &to->id_map, from->id_map, from->num_rows, 0,
                             sizeof *from->id_map, "id maps", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &to->range_starts, from->range_starts,
                             from->num_blocks * (from->num_ranges + 1), 0,
                             sizeof *from->range_starts, "range starts", error);
  return status;
}

inline enum qn_status upload_reduction(const struct qn_blocking *from, struct sweep_run *run,
                                       struct qn_error *error) {
  struct qn_cuda_memory *memory = &run->memory;
  struct engine_device *device = &run->state.layout;
  struct qn_blocking *to = &device->blocking;
  to->num_blocks = from->num_blocks;
  to->num_ranges = from->num_ranges;
  to->block_vertices = from->block_vertices;
  enum qn_status status = upload_bounds(from, memory, to, error);
  return status ? status
                : qn_cuda_alloc(memory, &device->partials, from->num_rows, sizeof *device->partials,
                                "partial results", error);
}

/* Of these. */
inline uint64_t bounds_bytes(const struct qn_blocking *blocking) {
  const uint64_t num_rows = blocking->num_rows;
  return qn_cuda_rounded((blocking->num_blocks + 1) * sizeof *blocking->block_rows) +
         qn_cuda_rounded(num_rows * sizeof *blocking->id_map) +
         qn_cuda_rounded(blocking->num_blocks * (blocking->num_ranges + 1) *
                         sizeof *blocking->range_starts);
}

inline uint64_t partials_bytes(const struct qn_blocking *blocking) {
  return qn_cuda_rounded(blocking->num_rows * sizeof(tile_partial));
}

inline enum qn_status upload_streamed(const struct blocked_stream *stream, struct sweep_run *run,
                                      struct qn_error *error) {
  const struct qn_blocked_csr *view = stream->view;
  struct engine_device *device = &run->state.layout;
  device->rows_send = stream->rows_send;
  device->pulls = blocked_stream_reduces(stream);
  enum qn_status status = streamed_rows_upload(&stream->cut, run, error);
  if (!status && device->pulls)
    status = upload_reduction(stream->blocking, run, error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status =
        qn_cuda_copy_of(&run->memory, &device->out_degrees, view->out_degrees, view->num_vertices,
                        0, sizeof *view->out_degrees, "out-degrees", error);
  return status;
}

/* Where all is resident: the blocks, and for frontier programs the plain out-edges, too. */
inline uint64_t blocked_resident_bytes(const struct qn_run_request *request) {
  const struct qn_blocked_csr *view = (const struct qn_blocked_csr *)request->view;
  const bool pulls = blocked_pulls(request);
  const struct qn_blocking *blocking = pulls ? &view->pull : &view->push;
  const uint64_t num_rows = blocking->num_rows;
  const bool weighted = PROGRAM_USES_WEIGHTS && blocking->weights.type != QN_WEIGHT_NONE;
  const uint64_t edges = (weighted ? 2 : 1) * qn_cuda_rounded(4 * view->num_edges);
  uint64_t bytes = 0;
  if (!SWEEP_FRONTIER || pulls) {
    bytes +=
        bounds_bytes(blocking) + edges + qn_cuda_rounded(4 * (num_rows + blocking->num_blocks));
  }
  if (pulls) {
    bytes += partials_bytes(blocking);
    bytes += PULLS_BY_TILES
                 ? qn_cuda_rounded(8 * (num_rows + 1)) + edge_tiles_bytes(view->num_edges)
                 : qn_cuda_rounded(num_rows);
  }
  if (SWEEP_FRONTIER)
    bytes += edges + qn_cuda_rounded(8 * (view->num_vertices + 1)) +
             2 * qn_cuda_rounded(4 * view->num_vertices) + qn_cuda_rounded(sizeof(qn_queue_size)) +
             sweep_near_far_bytes(view->num_vertices);
  return bytes;
}

inline struct qn_unit_source blocked_source(const struct blocked_stream *stream,
                                            const struct qn_run_request *request) {
  const struct qn_blocked_csr *view = stream->view;
  const uint64_t degree_bytes =
      PROGRAM_USES_OUT_DEGREE ? qn_cuda_rounded(view->num_vertices * sizeof *view->out_degrees) : 0;
  struct qn_unit_source source;
  memset(&source, 0, sizeof source);
  row_units_count(&stream->cut, &source);
  source.user = &stream->cut;
  source.describe = row_unit_describe;
  source.fixed_bytes = streamed_rows_bytes(&stream->cut) + degree_bytes;
  if (blocked_stream_reduces(stream))
    source.fixed_bytes += bounds_bytes(stream->blocking) + partials_bytes(stream->blocking);
  source.resident_bytes = blocked_resident_bytes(request) + degree_bytes;
  return source;
}

} /* namespace */
