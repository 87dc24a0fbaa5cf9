/* Plain CSR that does not fit into device memory: consecutive rows are the units of streaming
 * (sweep_units.cuh), each with its row offsets, columns and weights. An engine that has plain rows
 * falls back on
 *
 *   streamed_rows_run(request, out, in, result, error)
 *
 * Frontier programs push along the out-edges of the units that have an active row. Programs whose
 * vertices are all active pull: a unit holds rows whole, so sums of real numbers have one order and
 * nothing is combined by atomics; the parts of a *hub*, a row that has too many edges for a unit,
 * are added up in their order afterwards.
 *
 * Per edge 4 bytes (8 with weights) cross the bus, per row 8. Includes sweeps.cuh, whose engine it
 * is. */
#ifndef QN_KERNELS_CUDA_STREAMED_ROWS_CUH
#define QN_KERNELS_CUDA_STREAMED_ROWS_CUH

#include "formats/graph.h"
#include "kernels/cuda/combine.cuh"
#include "kernels/cuda/csr_device.cuh"
#include "kernels/cuda/warp_rows.cuh"

#ifndef ROW_UNIT_EDGES
#define ROW_UNIT_EDGES 4096u
#define ROW_UNIT_ROWS 1024u
#endif
#define NO_PART UINT32_MAX

namespace {

/* Consecutive rows, or a part of one. */
struct row_unit {
  uint64_t edge_begin;
  uint32_t num_edges; /* at most ROW_UNIT_EDGES */
  uint32_t first_row;
  uint32_t num_rows; /* at most ROW_UNIT_ROWS */
  uint32_t part;     /* of a hub, counted over all hubs; NO_PART: the rows are whole */
};

struct row_hub {
  uint32_t row;
  uint32_t first_part, num_parts;
};

struct engine_device {
  const struct row_unit *units;
  const struct row_hub *hubs;
  program_accumulator *parts;  /* sums of hubs' parts */
  const uint64_t *out_offsets; /* [V + 1], if the program uses out-degrees */
  enum qn_weight_type weight_type;
  uint32_t num_hubs;
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.out_offsets[vertex + 1] - device.out_offsets[vertex];
}

} /* namespace */

#define ENGINE_STREAMS
#define ENGINE_COMPLETES
#include "kernels/cuda/sweeps.cuh"

namespace {

/* A unit's bytes, as describe_rows lays them out. */
struct unit_rows {
  const uint64_t *offsets; /* [num_rows + 1] */
  const uint32_t *columns; /* [num_edges] */
  struct qn_weights weights;
};

QN_DEVICE_INLINE struct unit_rows rows_of(const struct engine_device &device,
                                          const struct row_unit &unit, const uint8_t *bytes) {
  const uint8_t *columns = bytes + qn_unit_rounded((unit.num_rows + 1) * sizeof(uint64_t));
  const uint8_t *weights = columns + qn_unit_rounded(unit.num_edges * sizeof(uint32_t));
  struct unit_rows rows;
  memset(&rows, 0, sizeof rows);
  rows.offsets = reinterpret_cast<const uint64_t *>(bytes);
  rows.columns = reinterpret_cast<const uint32_t *>(columns);
  rows.weights.type = device.weight_type;
  rows.weights.u32 = reinterpret_cast<const uint32_t *>(weights);
  rows.weights.f32 = reinterpret_cast<const float *>(weights);
  return rows;
}

/* `action(valid, row, begin, end)` for all rows of a unit, whole warps at a time; edges are counted
 * in the unit. */
template <class Action>
QN_DEVICE_INLINE void each_unit_row(const struct row_unit &unit, const struct unit_rows &rows,
                                    Action action) {
  for (uint32_t first = threadIdx.x - qn_lane(); first < unit.num_rows; first += blockDim.x) {
    const uint32_t row = first + qn_lane();
    uint64_t begin = 0, end = 0;
    if (row < unit.num_rows) {
      begin = rows.offsets[row] > unit.edge_begin ? rows.offsets[row] - unit.edge_begin : 0;
      end = rows.offsets[row + 1] - unit.edge_begin;
      end = end < unit.num_edges ? end : unit.num_edges;
    }
    action(row < unit.num_rows, unit.first_row + row, begin, end);
  }
}

#if SWEEP_FRONTIER

__global__ void __launch_bounds__(SWEEP_THREADS)
    walk_rows(const struct sweep_state state, const struct qn_program_context context,
              const struct qn_unit_entry *entries) {
  const struct row_unit unit = state.layout.units[entries[blockIdx.x].unit];
  const struct unit_rows rows = rows_of(state.layout, unit, entries[blockIdx.x].bytes);
  each_unit_row(unit, rows, [&](bool valid, uint32_t vertex, uint64_t begin, uint64_t end) {
    if (!valid || !sweep_is_active(state, vertex))
      begin = end = 0;
    warp_visit_rows(vertex, begin, end, [&](uint32_t sender, uint64_t edge) {
      sweep_collect(state, context, state.messages[sender], engine_weight(&rows.weights, edge),
                    rows.columns[edge]);
    });
  });
}

#else

__global__ void __launch_bounds__(SWEEP_THREADS)
    walk_rows(const struct sweep_state state, const struct qn_program_context context,
              const struct qn_unit_entry *entries) {
  const struct row_unit unit = state.layout.units[entries[blockIdx.x].unit];
  const struct unit_rows rows = rows_of(state.layout, unit, entries[blockIdx.x].bytes);
  each_unit_row(unit, rows, [&](bool valid, uint32_t vertex, uint64_t begin, uint64_t end) {
    warp_combine_rows(
        valid, vertex, begin, end,
        [&](uint64_t edge, program_accumulator *total) {
          program_combine(total, program_gather(&context, state.messages[rows.columns[edge]],
                                                engine_weight(&rows.weights, edge)));
          return true;
        },
        [&](uint32_t receiver, program_accumulator total, bool any) {
          (void)any;
          if (unit.part == NO_PART)
            state.sums[receiver] = total;
          else
            state.layout.parts[unit.part] = total;
        });
  });
}

/* A thread a hub: hubs are few, and their parts are many only where transfers take long. */
__global__ void add_parts(const struct sweep_state state) {
  const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < state.layout.num_hubs;
       i += step) {
    const struct row_hub hub = state.layout.hubs[i];
    program_accumulator total = program_identity();
    for (uint32_t part = 0; part < hub.num_parts; part++)
      program_combine(&total, state.layout.parts[hub.first_part + part]);
    state.sums[hub.row] = total;
  }
}

#endif

/* Senders; asked for only where the rows send. */
QN_DEVICE_INLINE struct unit_vertices engine_unit_vertices(const struct engine_device &device,
                                                           uint64_t number) {
  const struct row_unit unit = device.units[number];
  return {unit.first_row, unit.first_row + unit.num_rows};
}

inline enum qn_status engine_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                                  uint64_t count, cudaStream_t stream, struct qn_error *error) {
  QN_LAUNCH(walk_rows, (unsigned)count, SWEEP_THREADS, 0, stream, run->state, run->context,
            entries);
  return qn_cuda_launched("walking the rows", error);
}

inline enum qn_status engine_complete(struct sweep_run *run, struct qn_error *error) {
  (void)run;
#if !SWEEP_FRONTIER
  if (run->state.layout.num_hubs > 0)
    QN_LAUNCH(add_parts, run->blocks, SWEEP_THREADS, 0, NULL, run->state);
#endif
  return qn_cuda_launched("adding up the parts of rows", error);
}

/* Nothing is resident: a graph without edges has nothing to walk. */
inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  (void)run, (void)error;
  return QN_OK;
}

} /* namespace */

#include "kernels/cuda/sweep_loop.cuh"

namespace {

/* ---- Cutting rows into units ------------------------------------------------------ */

struct host_rows {
  const struct qn_csr *csr;
  uint64_t num_units, num_hubs, num_parts;
  struct row_unit *units; /* NULL while they are counted */
  struct row_hub *hubs;
};

inline void add_unit(struct host_rows *rows, uint64_t first_row, uint64_t num_rows,
                     uint64_t edge_begin, uint64_t edge_end, uint32_t part) {
  if (rows->units)
    rows->units[rows->num_units] = {edge_begin, (uint32_t)(edge_end - edge_begin),
                                    (uint32_t)first_row, (uint32_t)num_rows, part};
  rows->num_units++;
}

inline void add_hub(struct host_rows *rows, uint64_t row, uint64_t begin, uint64_t end) {
  const uint64_t num_parts = (end - begin + ROW_UNIT_EDGES - 1) / ROW_UNIT_EDGES;
  if (rows->hubs)
    rows->hubs[rows->num_hubs] = {(uint32_t)row, (uint32_t)rows->num_parts, (uint32_t)num_parts};
  rows->num_hubs++;
  for (uint64_t at = begin; at < end; at += ROW_UNIT_EDGES)
    add_unit(rows, row, 1, at, end - at < ROW_UNIT_EDGES ? end : at + ROW_UNIT_EDGES,
             (uint32_t)rows->num_parts++);
}

/* Rows without edges are left out where a unit would begin with them. */
inline void cut_rows(struct host_rows *rows) {
  const uint64_t *offsets = rows->csr->row_offsets, num_rows = rows->csr->num_vertices;
  rows->num_units = rows->num_hubs = rows->num_parts = 0;
  for (uint64_t row = 0; row < num_rows;) {
    const uint64_t begin = offsets[row];
    uint64_t end_row = row;
    while (end_row < num_rows && end_row - row < ROW_UNIT_ROWS &&
           offsets[end_row + 1] - begin <= ROW_UNIT_EDGES)
      end_row++;
    if (end_row == row) {
      add_hub(rows, row, begin, offsets[row + 1]);
      end_row++;
    } else if (offsets[row + 1] == begin) {
      end_row = row + 1;
    } else {
      add_unit(rows, row, end_row - row, begin, offsets[end_row], NO_PART);
    }
    row = end_row;
  }
}

inline enum qn_status host_rows_create(struct host_rows *rows, const struct qn_csr *csr,
                                       struct qn_error *error) {
  memset(rows, 0, sizeof *rows);
  rows->csr = csr;
  cut_rows(rows);
  if (rows->num_units > INT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
  enum qn_status status =
      qn_pages_alloc(&rows->units, rows->num_units, sizeof *rows->units, "units of rows", error);
  if (!status)
    status =
        qn_pages_alloc(&rows->hubs, rows->num_hubs, sizeof *rows->hubs, "units of rows", error);
  if (!status)
    cut_rows(rows);
  return status;
}

inline void host_rows_destroy(struct host_rows *rows) {
  qn_pages_free(rows->units, rows->num_units, sizeof *rows->units);
  qn_pages_free(rows->hubs, rows->num_hubs, sizeof *rows->hubs);
  memset(rows, 0, sizeof *rows);
}

/* ---- Streaming them ---------------------------------------------------------------- */

inline bool rows_have_weights(const struct qn_csr *csr) {
  return PROGRAM_USES_WEIGHTS && csr->weights.type != QN_WEIGHT_NONE;
}

inline void describe_rows(const void *user, uint64_t number, struct qn_unit *out) {
  const struct host_rows *rows = (const struct host_rows *)user;
  const struct qn_csr *csr = rows->csr;
  const struct row_unit *unit = &rows->units[number];
  const uint64_t bytes = (uint64_t)unit->num_edges * sizeof(uint32_t);
  out->num_pieces = 2;
  out->pieces[0] = {csr->row_offsets + unit->first_row,
                    ((uint64_t)unit->num_rows + 1) * sizeof *csr->row_offsets};
  out->pieces[1] = {csr->column_indices + unit->edge_begin, bytes};
  if (rows_have_weights(csr))
    out->pieces[out->num_pieces++] = {qn_cuda_weights_at(&csr->weights, unit->edge_begin), bytes};
}

inline struct qn_unit_source rows_source(const struct host_rows *rows) {
  const struct qn_csr *csr = rows->csr;
  struct qn_unit_source source;
  memset(&source, 0, sizeof source);
  source.user = rows;
  source.num_units = rows->num_units;
  for (uint64_t i = 0; i < rows->num_units; i++) {
    struct qn_unit unit;
    uint64_t bytes = 0;
    describe_rows(rows, i, &unit);
    for (unsigned piece = 0; piece < unit.num_pieces; piece++)
      bytes += qn_unit_rounded(unit.pieces[piece].bytes);
    source.unit_bytes = bytes > source.unit_bytes ? bytes : source.unit_bytes;
    source.total_bytes += bytes;
  }
  source.fixed_bytes = qn_cuda_rounded(rows->num_units * sizeof *rows->units) +
                       qn_cuda_rounded(rows->num_hubs * sizeof *rows->hubs) +
                       qn_cuda_rounded(rows->num_parts * sizeof(program_accumulator));
  if (PROGRAM_USES_OUT_DEGREE)
    source.fixed_bytes += qn_cuda_rounded((csr->num_vertices + 1) * sizeof(uint64_t));
  source.resident_bytes = UINT64_MAX;
  source.describe = describe_rows;
  return source;
}

inline enum qn_status upload_rows(const struct host_rows *rows, const struct qn_csr *out,
                                  struct sweep_run *run, struct qn_error *error) {
  struct qn_cuda_memory *memory = &run->memory;
  struct engine_device *device = &run->state.layout;
  device->num_hubs = (uint32_t)rows->num_hubs;
  device->weight_type = rows->csr->weights.type;
  enum qn_status status = qn_cuda_copy_of(memory, &device->units, rows->units, rows->num_units, 0,
                                          sizeof *rows->units, "units of rows", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->hubs, rows->hubs, rows->num_hubs, 0,
                             sizeof *rows->hubs, "units of rows", error);
  if (!status)
    status = qn_cuda_alloc(memory, &device->parts, rows->num_parts, sizeof *device->parts,
                           "sums of parts of rows", error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = qn_cuda_copy_of(memory, &device->out_offsets, out->row_offsets, out->num_vertices + 1,
                             0, sizeof *out->row_offsets, "row offsets", error);
  return status;
}

/* `in` is used by programs whose vertices are all active, `out` by the others; out-degrees are
 * those of `out`. */
inline enum qn_status streamed_rows_run(const struct qn_run_request *request,
                                        const struct qn_csr *out, const struct qn_csr *in,
                                        struct qn_run_result *result, struct qn_error *error) {
  struct host_rows rows;
  auto upload = [&rows, out](struct sweep_run *run, struct qn_error *failure) {
    return upload_rows(&rows, out, run, failure);
  };
  enum qn_status status = host_rows_create(&rows, SWEEP_FRONTIER ? out : in, error);
  if (!status) {
    const struct qn_unit_source source = rows_source(&rows);
    status = sweep_run_units(request, out->num_vertices, out->num_edges, NULL, &source, upload,
                             result, error);
  }
  host_rows_destroy(&rows);
  return status;
}

} /* namespace */

#endif
