/* Packed rows on a CUDA device, resident or streamed (view: struct qn_packed), or on several. */
#pragma once

#define SWEEP_FLAGS_UNITS 1

#include "kernels/cuda/packed/devices.cuh"
#include "kernels/cuda/packed/walk.cuh"
#if PROGRAM_FIRST_SUFFICES
#include "kernels/cuda/packed/search.cuh"
#endif

namespace {

inline enum qn_status run_units(const struct qn_run_request *request, const struct qn_packed *view,
                                const struct qn_packed_units *units, struct qn_run_result *result,
                                struct qn_error *error) {
  struct unit_reading reading;
  struct qn_unit_source source = unit_source(units);
  source.moves_once = tiles_end_soon(request, units->rows);
  memset(&reading, 0, sizeof reading);
  auto upload = [&](struct sweep_run *run, struct qn_error *failure) {
    run->engine = &reading;
    enum qn_status planned = run->source ? plan_reading(view, run) : QN_OK;
    return planned ? planned : upload_layout(view, units, &source, run, failure);
  };
  auto stream = [&](struct sweep_run *run, struct qn_error *failure) {
    enum qn_status ended = sweep_iterations(run, failure);
    unit_reading_destroy(&reading);
    return ended;
  };
#if PROGRAM_FIRST_SUFFICES
  struct packed_search search;
  memset(&search, 0, sizeof search);
  enum qn_status status = sweep_run_with(
      request, view->num_vertices, view->num_edges, NULL, &source, upload,
      [&](struct sweep_run *run, struct qn_error *failure) {
        return run->source ? unit_reading_create(&reading, run, failure)
                           : search_create(&search, run, failure);
      },
      [&](struct sweep_run *run, struct qn_error *failure) {
        return run->source ? stream(run, failure) : search_levels(&search, failure);
      },
      result, error);
  search_destroy(&search);
#else
  enum qn_status status = sweep_run_with(
      request, view->num_vertices, view->num_edges, NULL, &source, upload,
      [&](struct sweep_run *run, struct qn_error *failure) {
        return run->source ? unit_reading_create(&reading, run, failure) : QN_OK;
      },
      stream, result, error);
#endif
  unit_reading_destroy(&reading);
  return status;
}

inline enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const struct qn_packed *view = (const struct qn_packed *)request->view;
  const struct qn_packed_rows *rows;
  struct qn_packed_units units;
  memset(result, 0, sizeof *result);
  memset(&units, 0, sizeof units);
  enum qn_status status =
      qn_packed_need(view, SWEEP_FRONTIER ? QN_PACKED_OUT : QN_PACKED_IN, &rows, error);
  if (!status)
    status = qn_packed_check_weights(rows, engine_check_weights, error);
  const bool weighted = PROGRAM_USES_WEIGHTS && !status && rows->weights.type != QN_WEIGHT_NONE;
  if (!status)
    status = qn_packed_units_create(&units, rows, weighted, PACKED_UNIT_BYTES, error);
  if (!status && request->device->num_devices > 1)
    status = packed_run_devices(request, view, &units, result, error);
  else if (!status)
    status = run_units(request, view, &units, result, error);
  qn_packed_units_destroy(&units);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_PACKED, QN_CUDA,
                 SWEEP_FRONTIER ? "packed push, a tile a block" : "packed pull, a tile a block",
                 QN_KERNEL_DELTA | QN_KERNEL_DEVICES);
