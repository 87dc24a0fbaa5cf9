/* The hybrid layout, if it does not fit into device memory: the units of streaming are slices of
 * the ELL part, consecutive rows with all of their places, and stretches of the COO part, whose
 * rows the host knows by where they begin (row_units.cuh).
 *
 * Programs whose vertices are all active gather along the in-edges, every unit of them: a slice
 * stores its rows' sums, the COO part the sums of its rows, which are added afterwards, so sums of
 * real numbers have one order. Frontier programs push along the out-edges, if the container has
 * them: their rows tell which units have an active vertex, and no others move. Rows of in-edges do
 * not tell who is active among their columns, so with in-edges alone all units move in every
 * iteration (quern-hybrid --direction both does better).
 *
 * Per entry of the ELL part, padding included, 4 bytes (8 with weights) cross the bus, and as many
 * per entry of the COO part, with 8 or 12 for each of its rows. */
#pragma once

#include "kernels/cuda/hybrid/ell.cuh"
#include "kernels/cuda/rows/row_walks.cuh"
#include "kernels/cuda/sweep/loop.cuh"
#include "kernels/cuda/sweep/near_far.cuh"
#include "kernels/cuda/sweep/senders.cuh"
#include "kernels/work_division/hybrid_rest.h"

/* A slice has at least so many rows, if it need not have more than SLICE_MOST bytes for it: the
 * host copies as many entries at a time. */
#define SLICE_ROWS 1024
#define SLICE_MOST ROW_UNIT_MOST

namespace {

/* A slice, as the ELL part of a layout of its rows alone. */
QN_DEVICE_INLINE struct hybrid_ell slice_at(const struct engine_device &device, uint64_t number,
                                            const struct qn_unit_entry &entry, uint64_t *first_row,
                                            uint64_t *num_rows) {
  const struct hybrid_slices &slices = device.slices;
  struct hybrid_ell ell;
  memset(&ell, 0, sizeof ell);
  *first_row = number * slices.num_rows;
  const uint64_t left = slices.pitch - *first_row;
  *num_rows = left < slices.num_rows ? left : slices.num_rows;
  ell.width = slices.width;
  ell.pitch = entry.strides[0] / sizeof *ell.columns; /* the weights' is the same */
  ell.columns = reinterpret_cast<const uint32_t *>(entry.pieces[0]);
  ell.weights.type = slices.weight_type;
  ell.weights.data = entry.pieces[1];
  return ell;
}

/* `action(ell, row, vertex)` for the vertices of a slice, a thread each. */
template <class Action>
QN_DEVICE_INLINE void each_slice_row(const struct engine_device &device, uint64_t num_vertices,
                                     uint64_t number, const struct qn_unit_entry &entry,
                                     Action action) {
  uint64_t first, num_rows;
  const struct hybrid_ell ell = slice_at(device, number, entry, &first, &num_rows);
  for (uint64_t row = (uint64_t)blockIdx.y * blockDim.x + threadIdx.x;
       row < num_rows && first + row < num_vertices; row += (uint64_t)gridDim.y * blockDim.x)
    action(ell, row, (uint32_t)(first + row));
}

#if SWEEP_FRONTIER

/* Send along the places of an active row. */
QN_DEVICE_INLINE void push_slice(const struct sweep_state &state,
                                 const struct qn_program_context &context, uint64_t number,
                                 const struct qn_unit_entry &entry) {
  each_slice_row(state.layout, context.num_vertices, number, entry,
                 [&](const struct hybrid_ell &ell, uint64_t row, uint32_t vertex) {
                   if (!sweep_is_active(state, vertex))
                     return;
                   const program_message message = state.messages[vertex];
                   for (uint64_t k = 0; k < ell.width; k++) {
                     const uint64_t at = k * ell.pitch + row;
                     if (ell.columns[at] == QN_HYBRID_PADDING)
                       break;
                     sweep_collect(state, context, message, engine_weight(&ell.weights, at),
                                   ell.columns[at]);
                   }
                 });
}

QN_DEVICE_INLINE void walk_slice(const struct sweep_state &state,
                                 const struct qn_program_context &context, uint64_t number,
                                 const struct qn_unit_entry &entry) {
  if (state.layout.rows_send) {
    push_slice(state, context, number, entry);
    return;
  }
  each_slice_row(state.layout, context.num_vertices, number, entry,
                 [&](const struct hybrid_ell &ell, uint64_t row, uint32_t vertex) {
                   program_accumulator total = program_identity();
                   if (!sweep_may_receive(state, context, vertex) ||
                       !ell_combine(state, context, ell, row, vertex, &total))
                     return;
                   program_combine_atomic(&state.sums[vertex], total);
                   sweep_mark_received(state, vertex);
                 });
}

QN_DEVICE_INLINE void walk_rest(const struct sweep_state &state,
                                const struct qn_program_context &context, uint64_t number,
                                const struct qn_unit_entry &entry) {
  if (state.layout.rows_send)
    push_unit(state, context, number, entry);
  else
    gather_unit_active(state, context, number, entry);
}

#else

QN_DEVICE_INLINE void engine_store_row(const struct sweep_state &state, uint64_t row,
                                       program_accumulator total) {
  state.layout.row_sums[row] = tile_store(total);
}

QN_DEVICE_INLINE void walk_slice(const struct sweep_state &state,
                                 const struct qn_program_context &context, uint64_t number,
                                 const struct qn_unit_entry &entry) {
  each_slice_row(state.layout, context.num_vertices, number, entry,
                 [&](const struct hybrid_ell &ell, uint64_t row, uint32_t vertex) {
                   program_accumulator total = program_identity();
                   ell_sum(ell, state.messages, context, row, &total);
                   state.sums[vertex] = total;
                 });
}

QN_DEVICE_INLINE void walk_rest(const struct sweep_state &state,
                                const struct qn_program_context &context, uint64_t number,
                                const struct qn_unit_entry &entry) {
  gather_unit(state, context, number, entry);
}

/* Add what the COO part came to. */
__global__ void add_rests(const struct sweep_state state, uint64_t num_rows) {
  const struct engine_device &device = state.layout;
  qn_grid_steps(num_rows, [&](uint64_t row) {
    program_combine(&state.sums[device.coo.row_ids[row]], tile_load(device.row_sums[row]));
  });
}

#endif

__global__ void __launch_bounds__(SWEEP_THREADS)
    walk_units(const struct sweep_state state, const struct qn_program_context context,
               const struct qn_unit_entry *entries) {
  const struct qn_unit_entry entry = entries[blockIdx.x];
  const uint64_t num_slices = state.layout.slices.count;
  if (entry.unit < num_slices)
    walk_slice(state, context, entry.unit, entry);
  else
    walk_rest(state, context, entry.unit - num_slices, entry);
}

/* Who sends along a unit: its rows, or anybody. */
QN_DEVICE_INLINE struct unit_vertices engine_unit_vertices(const struct engine_device &device,
                                                           uint64_t number) {
  const struct hybrid_slices &slices = device.slices;
  if (!device.rows_send)
    return {0, slices.num_vertices};
  if (number >= slices.count) {
    const struct row_unit &unit = device.rows.units[number - slices.count];
    return {unit.first_sender, unit.end_sender};
  }
  const uint64_t first = number * slices.num_rows;
  const uint64_t left = slices.num_vertices - first;
  return {(uint32_t)first, (uint32_t)(first + (left < slices.num_rows ? left : slices.num_rows))};
}

inline enum qn_status engine_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                                  uint64_t count, cudaStream_t stream, struct qn_error *error) {
  const struct hybrid_slices *slices = &run->state.layout.slices;
  const unsigned for_rows = row_unit_blocks(run->source);
  const unsigned for_slices = qn_grid(slices->num_rows, SWEEP_THREADS, 1, ROW_UNIT_BLOCKS);
  const dim3 grid((unsigned)count, for_rows > for_slices ? for_rows : for_slices);
  QN_LAUNCH(walk_units, grid, SWEEP_THREADS, 0, stream, run->state, run->context, entries);
  return qn_cuda_launched("walking the ELL and COO parts", error);
}

/* After all units. */
inline enum qn_status engine_complete(struct sweep_run *run, struct qn_error *error) {
  (void)run;
#if !SWEEP_FRONTIER
  const uint64_t num_rows = run->state.layout.coo.num_rows;
  launch_row_parts(run);
  if (num_rows > 0)
    QN_LAUNCH(add_rests, run->blocks, SWEEP_THREADS, 0, NULL, run->state, num_rows);
#endif
  return qn_cuda_launched("adding up the COO part", error);
}

#if !SWEEP_FRONTIER
/* Nothing is resident: a graph without edges has nothing to walk. */
inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  (void)run, (void)error;
  return QN_OK;
}
#endif

/* ---- The host's side ---------------------------------------------------------- */

/* What is streamed, if anything must be. */
struct hybrid_stream {
  const struct qn_hybrid *view;
  const struct qn_hybrid_matrix *matrix;
  bool rows_send;
  struct qn_hybrid_rest rest;
  uint64_t bounds[4]; /* of its rows */
  struct row_units cut;
  struct hybrid_slices slices;
};

inline uint64_t slice_place_bytes(const struct hybrid_stream *stream) {
  return stream->slices.weight_type == QN_WEIGHT_NONE ? 4 : 8;
}

/* Slices as large as other units, but with rows enough. */
inline void cut_slices(struct hybrid_stream *stream, uint64_t most) {
  const struct qn_hybrid_matrix *matrix = stream->matrix;
  struct hybrid_slices *slices = &stream->slices;
  slices->width = matrix->width;
  slices->pitch = matrix->pitch;
  slices->num_vertices = (uint32_t)matrix->num_vertices;
  slices->weight_type = PROGRAM_USES_WEIGHTS ? matrix->ell_weights.type : QN_WEIGHT_NONE;
  slices->num_rows = QN_HYBRID_PITCH;
  if (matrix->width == 0 || matrix->pitch == 0)
    return;
  const uint64_t row_bytes = matrix->width * slice_place_bytes(stream);
  const uint64_t wanted = row_bytes * matrix->pitch / ROW_UNITS_WANTED;
  uint64_t rows = (wanted < most ? wanted : most) / row_bytes;
  const uint64_t longer = (wanted < SLICE_MOST ? wanted : SLICE_MOST) / row_bytes;
  if (rows < SLICE_ROWS)
    rows = longer < SLICE_ROWS ? longer : SLICE_ROWS;
  rows -= rows % QN_HYBRID_PITCH;
  slices->num_rows = rows > QN_HYBRID_PITCH ? rows : QN_HYBRID_PITCH;
  slices->count = (matrix->pitch + slices->num_rows - 1) / slices->num_rows;
}

inline uint64_t slice_bytes(const struct hybrid_stream *stream) {
  const struct hybrid_slices *slices = &stream->slices;
  return slice_place_bytes(stream) / 4 * qn_unit_rounded(4 * slices->width * slices->num_rows);
}

inline struct row_matrix rest_matrix(struct hybrid_stream *stream) {
  const struct qn_hybrid_matrix *from = stream->matrix;
  struct row_matrix matrix;
  memset(&matrix, 0, sizeof matrix);
  stream->bounds[1] = stream->rest.num_rows;
  stream->bounds[3] = from->num_coo;
  matrix.num_blocks = 1;
  matrix.block_rows = stream->bounds;
  matrix.block_edges = stream->bounds + 2;
  matrix.wide_offsets = stream->rest.offsets;
  matrix.ids = stream->rest.rows;
  matrix.moves_ids = SWEEP_FRONTIER;
  matrix.columns = from->coo_columns;
  if (PROGRAM_USES_WEIGHTS)
    matrix.weights = from->coo_weights;
  matrix.column_vertices = stream->rows_send ? 0 : from->num_vertices;
  matrix.num_vertices = from->num_vertices;
  return matrix;
}

/* Owned until hybrid_stream_destroy, also after a failure. */
inline enum qn_status hybrid_stream_create(struct hybrid_stream *stream,
                                           const struct qn_hybrid *view, struct qn_error *error) {
  const uint64_t most = SWEEP_FRONTIER ? ROW_UNIT_ACTIVE : ROW_UNIT_ALL;
  memset(stream, 0, sizeof *stream);
  stream->view = view;
  stream->rows_send = SWEEP_FRONTIER && view->has_out;
  stream->matrix = stream->rows_send ? &view->out : &view->in;
  cut_slices(stream, most);
  enum qn_status status = qn_hybrid_rest_create(&stream->rest, stream->matrix, error);
  if (status)
    return status;
  const struct row_matrix matrix = rest_matrix(stream);
  uint64_t room = stream->slices.count ? slice_bytes(stream) : 0; /* of a slot of the cache */
  room = room > most ? room : most;
  return row_units_create(&stream->cut, &matrix, room < SLICE_MOST ? room : SLICE_MOST, error);
}

inline void hybrid_stream_destroy(struct hybrid_stream *stream) {
  row_units_destroy(&stream->cut);
  qn_hybrid_rest_destroy(&stream->rest);
}

inline void describe_unit(const void *user, uint64_t number, struct qn_unit *out) {
  const struct hybrid_stream *stream = (const struct hybrid_stream *)user;
  const struct hybrid_slices *slices = &stream->slices;
  const struct qn_hybrid_matrix *matrix = stream->matrix;
  if (number >= slices->count) {
    row_unit_describe(&stream->cut, number - slices->count, out);
    return;
  }
  const uint64_t first = number * slices->num_rows, left = slices->pitch - first;
  const uint64_t num_rows = left < slices->num_rows ? left : slices->num_rows;
  memset(out, 0, sizeof *out);
  out->num_pieces = slice_place_bytes(stream) / 4;
  out->pieces[0].data = matrix->ell_columns + first;
  if (out->num_pieces > 1)
    out->pieces[1].data = qn_cuda_weights_at(&matrix->ell_weights, first);
  out->more = (unsigned)slices->width - 1;
  for (unsigned piece = 0; piece < out->num_pieces; piece++) {
    out->pieces[piece].bytes = num_rows * sizeof *matrix->ell_columns;
    out->pieces[piece].stride = slices->pitch * sizeof *matrix->ell_columns;
  }
}

/* Where all is resident. */
inline uint64_t hybrid_resident_bytes(const struct qn_hybrid *view,
                                      const struct qn_hybrid_rest *rest) {
  const struct qn_hybrid_matrix *in = &view->in;
  const uint64_t arrays = PROGRAM_USES_WEIGHTS && in->ell_weights.type != QN_WEIGHT_NONE ? 2 : 1;
  uint64_t bytes =
      arrays * (qn_cuda_rounded(4 * in->width * in->pitch) + qn_cuda_rounded(4 * in->num_coo)) +
      qn_cuda_rounded(8 * (rest->num_rows + 1)) + qn_cuda_rounded(4 * rest->num_rows) +
      edge_tiles_bytes(in->num_coo);
  if (HYBRID_ENTRY_ROWS)
    bytes += qn_cuda_rounded(4 * in->num_coo);
  if (SWEEP_FRONTIER && view->has_out)
    bytes += arrays * qn_cuda_rounded(4 * view->num_edges) +
             qn_cuda_rounded(8 * (view->num_vertices + 1)) +
             2 * qn_cuda_rounded(4 * view->num_vertices) + qn_cuda_rounded(sizeof(qn_queue_size)) +
             sweep_near_far_bytes(view->num_vertices);
  return bytes;
}

inline struct qn_unit_source hybrid_source(const struct hybrid_stream *stream) {
  const struct qn_hybrid *view = stream->view;
  const struct hybrid_slices *slices = &stream->slices;
  const uint64_t num_rows = stream->rest.num_rows;
  const uint64_t degree_bytes =
      PROGRAM_USES_OUT_DEGREE ? qn_cuda_rounded(view->num_vertices * sizeof *view->out_degrees) : 0;
  struct qn_unit_source source;
  memset(&source, 0, sizeof source);
  row_units_count(&stream->cut, &source);
  if (slices->count > 0) {
    source.num_units += slices->count;
    source.unit_bytes =
        slice_bytes(stream) > source.unit_bytes ? slice_bytes(stream) : source.unit_bytes;
    source.total_bytes += slice_place_bytes(stream) * slices->width * slices->pitch;
  }
  source.user = stream;
  source.describe = describe_unit;
  source.fixed_bytes = streamed_rows_bytes(&stream->cut) + degree_bytes;
  if (!SWEEP_FRONTIER)
    source.fixed_bytes +=
        qn_cuda_rounded(num_rows * 4) + qn_cuda_rounded(num_rows * sizeof(tile_partial));
  source.resident_bytes =
      SWEEP_FRONTIER ? hybrid_resident_bytes(view, &stream->rest) + degree_bytes : UINT64_MAX;
  return source;
}

inline enum qn_status hybrid_upload_streamed(const struct hybrid_stream *stream,
                                             struct sweep_run *run, struct qn_error *error) {
  const struct qn_hybrid *view = stream->view;
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  device->slices = stream->slices;
  device->rows_send = stream->rows_send;
  run->stands_in = !SWEEP_FRONTIER;
  enum qn_status status = streamed_rows_upload(&stream->cut, run, error);
#if !SWEEP_FRONTIER
  device->coo.num_rows = stream->rest.num_rows;
  if (!status)
    status = qn_cuda_copy_of(memory, &device->coo.row_ids, stream->rest.rows, stream->rest.num_rows,
                             0, sizeof *stream->rest.rows, "rows of the COO part", error);
  if (!status)
    status = qn_cuda_alloc(memory, &device->row_sums, stream->rest.num_rows,
                           sizeof *device->row_sums, "sums of the COO part", error);
#endif
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = qn_cuda_copy_of(memory, &device->out_degrees, view->out_degrees, view->num_vertices, 0,
                             sizeof *view->out_degrees, "out-degrees", error);
  return status;
}

/* A run whole. `upload(run, error)` brings everything to the device, where the plan says that it
 * fits, which for programs whose vertices are all active it never does. */
template <class Upload>
enum qn_status hybrid_stream_run(const struct qn_run_request *request, const struct qn_hybrid *view,
                                 Upload upload, struct qn_run_result *result,
                                 struct qn_error *error) {
  struct hybrid_stream stream;
  auto upload_either = [&](struct sweep_run *run, struct qn_error *failure) {
    return !SWEEP_FRONTIER || run->source ? hybrid_upload_streamed(&stream, run, failure)
                                          : upload(run, failure);
  };
  enum qn_status status = hybrid_stream_create(&stream, view, error);
  if (!status) {
    const struct qn_unit_source source = hybrid_source(&stream);
    status = sweep_run_units(request, view->num_vertices, view->num_edges, NULL, &source,
                             upload_either, result, error);
  }
  hybrid_stream_destroy(&stream);
  return status;
}

} /* namespace */
