/* Plain CSR that does not fit into device memory: consecutive rows are the units of streaming
 * (row_units.cuh, sweep/units.cuh). An engine that has plain rows falls back on
 *
 *   streamed_rows_run(request, out, in, result, error)
 *
 * Frontier programs push along the out-edges of the units that have an active row, or read what
 * they need of them (zero_copy.cuh). Programs whose vertices are all active pull: a unit holds
 * rows whole, so sums of real numbers have one order and nothing is combined by atomics; the parts
 * of a hub are added up in their order afterwards.
 *
 * Includes sweeps.cuh, whose engine it is. A state of it (run_state.h) goes on here, not in the
 * engine that fell back on it. */
#pragma once

#include <algorithm>

#include "kernels/cuda/rows/device.cuh"
#include "kernels/cuda/rows/row_walks.cuh"
#include "kernels/cuda/rows/zero_copy.cuh"
#include "kernels/cuda/sweep/loop.cuh"

namespace {

#if !SWEEP_FRONTIER
QN_DEVICE_INLINE void engine_store_row(const struct sweep_state &state, uint64_t row,
                                       program_accumulator total) {
  state.sums[row] = total;
}
#endif

__global__ void __launch_bounds__(SWEEP_THREADS)
    walk_rows(const struct sweep_state state, const struct qn_program_context context,
              const struct qn_unit_entry *entries) {
  const struct qn_unit_entry entry = entries[blockIdx.x];
#if PROGRAM_FIRST_SUFFICES
  if (state.layout.needed.pulls || entry.unit >= state.layout.needed.first_in) {
    gather_unit_active(state, context, entry.unit, entry);
    return;
  }
#endif
#if SWEEP_FRONTIER
  push_unit(state, context, entry.unit, entry);
#else
  gather_unit(state, context, entry.unit, entry);
#endif
}

inline enum qn_status engine_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                                  uint64_t count, cudaStream_t stream, struct qn_error *error) {
  QN_LAUNCH(walk_rows, dim3((unsigned)count, row_unit_blocks(run->source)), SWEEP_THREADS, 0,
            stream, run->state, run->context, entries);
  return qn_cuda_launched("walking the rows", error);
}

inline enum qn_status engine_flag_units(struct sweep_run *run, struct qn_error *error) {
  return flag_needed(run, (struct row_reading *)run->engine, error);
}

inline enum qn_status engine_complete(struct sweep_run *run, struct qn_error *error) {
#if SWEEP_FRONTIER
  return end_reading(run, (struct row_reading *)run->engine, error);
#else
  launch_row_parts(run);
  return qn_cuda_launched("adding up the parts of rows", error);
#endif
}

/* Nothing is resident: a graph without edges has nothing to walk. */
inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  (void)run, (void)error;
  return QN_OK;
}

inline bool rows_end_soon(const struct qn_run_request *request, const struct qn_csr *out) {
  auto each_edge = [&](uint32_t vertex, auto visit) {
    const uint64_t begin = out->row_offsets[vertex], end = out->row_offsets[vertex + 1];
    bool all = begin <= end && end <= out->num_edges; /* or the input changes */
    for (uint64_t edge = begin; all && edge < end; edge++)
      all = out->column_indices[edge] < out->num_vertices && visit(out->column_indices[edge]);
    return all;
  };
  return sweep_ends_soon(request, request->inputs.sources[0], each_edge);
}

/* The units of both directions. */
inline void describe_rows(const void *user, uint64_t number, struct qn_unit *out) {
  const struct row_reading *reading = (const struct row_reading *)user;
  struct row_units cut = *reading->cut;
  cut.matrix = *matrix_of(reading, number);
  row_unit_describe(&cut, number, out);
}

/* Units of the in-edges follow, for searches that look from below; an undirected graph's are the
 * same. */
inline enum qn_status add_in_units(struct row_units *cut, const struct row_matrix *in,
                                   struct qn_error *error) {
  struct row_units more;
  struct row_unit *units = NULL;
  enum qn_status status = row_units_create(&more, in, ROW_UNIT_ACTIVE, error);
  const uint64_t num_units = cut->num_units + more.num_units;
  if (!status && num_units > INT32_MAX)
    status = qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
  if (!status)
    status = qn_pages_alloc(&units, num_units, sizeof *units, "units of rows", error);
  if (!status) {
    std::copy_n(cut->units, cut->num_units, units);
    std::copy_n(more.units, more.num_units, units + cut->num_units);
    qn_pages_free(cut->units, cut->num_units, sizeof *units);
    cut->units = units;
    cut->num_units = num_units;
  }
  row_units_destroy(&more);
  return status;
}

/* `in` is used by programs whose vertices are all active, `out` by the others, and `in` by searches
 * from below, too, where it is not NULL; out-degrees are those of `out`. */
inline enum qn_status streamed_rows_run(const struct qn_run_request *request,
                                        const struct qn_csr *out, const struct qn_csr *in,
                                        struct qn_run_result *result, struct qn_error *error) {
  uint64_t bounds[4], in_bounds[4];
  const bool may_pull =
      PROGRAM_FIRST_SUFFICES && in && request->device->streaming.moves == QN_MOVE_ACTIVE;
  struct row_units cut;
  struct qn_unit_source source;
  struct row_reading reading;
  const struct row_matrix matrix =
      row_matrix_of_csr(SWEEP_FRONTIER ? out : in, PROGRAM_USES_WEIGHTS, bounds);
  auto count = [&] {
    source.num_units = source.unit_bytes = source.total_bytes = 0;
    row_units_count(&cut, &source);
    source.fixed_bytes = streamed_rows_bytes(&cut) + (SWEEP_FRONTIER ? row_reading_bytes(&cut) : 0);
    if (PROGRAM_USES_OUT_DEGREE)
      source.fixed_bytes += qn_cuda_rounded((out->num_vertices + 1) * sizeof *out->row_offsets);
    read_all_rows(&reading, source.total_bytes);
  };
  /* In-edges of which no offsets fit are of no use, nor is it to pin them. */
  auto leave_in_edges = [&](struct sweep_run *run, struct qn_error *failure) {
    reading.may_pull = false;
    qn_unit_pins_close(run->pins);
    run->pins = NULL;
    row_units_destroy(&cut);
    enum qn_status status = row_units_create(&cut, &matrix, ROW_UNIT_ACTIVE, failure);
    if (status)
      return status;
    count();
    status = sweep_plan_memory(run, NULL, &source, failure);
    if (status)
      return status;
    reading.may_read = sweep_may_read(run, zero_copy_bytes(&reading));
    return run->request->device->report.plan.pin_bytes > 0 ? sweep_begin_pins(run, failure) : QN_OK;
  };
  auto upload = [&](struct sweep_run *run, struct qn_error *failure) {
    enum qn_status status = QN_OK;
    run->stands_in = true;
    run->engine = &reading;
    reading.may_read =
        SWEEP_FRONTIER && run->source && sweep_may_read(run, zero_copy_bytes(&reading));
    if (run->source && !reading.may_read && pulls_apart(&reading))
      status = leave_in_edges(run, failure);
    if (!status)
      status = streamed_rows_upload(&cut, run, failure);
    if (!status && PROGRAM_USES_OUT_DEGREE)
      status = qn_cuda_copy_of(&run->memory, &run->state.layout.out_offsets, out->row_offsets,
                               out->num_vertices + 1, 0, sizeof *out->row_offsets, "row offsets",
                               failure);
    if (!status && SWEEP_FRONTIER && run->source)
      status = row_reading_upload(&reading, run, failure);
    return status;
  };
  auto prepare = [&](struct sweep_run *run, struct qn_error *failure) {
    return SWEEP_FRONTIER && run->source ? row_reading_create(&reading, run, failure) : QN_OK;
  };
  auto algorithm = [&](struct sweep_run *run, struct qn_error *failure) {
    enum qn_status status = sweep_iterations(run, failure);
    while (!status && reading.num_waiting > 0 && !engine_is_finished(request, &run->context)) {
      run->num_active = reading.num_waiting;
      status = iterate(run, run, failure);
    }
    run->result->stats.converged &= reading.num_waiting == 0;
    qn_unit_reader_wait(&reading.reader);
    return status;
  };
  memset(&source, 0, sizeof source);
  memset(&reading, 0, sizeof reading);
  reading.cut = &cut;
  reading.may_pull = may_pull;
  enum qn_status status =
      row_units_create(&cut, &matrix, SWEEP_FRONTIER ? ROW_UNIT_ACTIVE : ROW_UNIT_ALL, error);
  reading.first_in = cut.num_units;
  if (may_pull)
    reading.in = row_matrix_of_csr(in, PROGRAM_USES_WEIGHTS, in_bounds);
  if (!status && may_pull && in->row_offsets != out->row_offsets)
    status = add_in_units(&cut, &reading.in, error);
  if (!status) {
    count();
    source.user = &reading;
    source.describe = describe_rows;
    source.moves_once = SWEEP_MAY_END_SOON(request) && rows_end_soon(request, out);
    source.resident_bytes = UINT64_MAX;
    status = sweep_run_with(request, out->num_vertices, out->num_edges, NULL, &source, upload,
                            prepare, algorithm, result, error);
  }
  row_reading_destroy(&reading);
  row_units_destroy(&cut);
  return status;
}

} /* namespace */
