/* A run of sweeps (sweeps.cuh) on one device, from opening it to the result.
 *
 * Per iteration it launches send, the engine's walk, and apply. Frontier programs clear a counter
 * and wait once, for the number of active vertices; all-active ones wait for each sum over all
 * vertices that the program has, at least once. */
#pragma once

#include "kernels/cuda/edges/output.cuh"
#include "kernels/cuda/edges/run_device.cuh"
#include "kernels/cuda/sweep/memory.cuh"
#include "kernels/cuda/sweep/rounds.cuh"
#include "kernels/cuda/sweep/units.cuh"

namespace {

/* ---- What rounds.cuh asks of the device alone ------------------------------------------- */

inline enum qn_status count_active(struct sweep_run *run, enum qn_status status,
                                   struct qn_error *error) {
  if (!status && SWEEP_FRONTIER)
    return sweep_read_count(run, &run->num_active, error);
  run->num_active = run->context.num_vertices;
  return status;
}

inline enum qn_status agree(struct sweep_run *, enum qn_status status) {
  return status;
}

inline enum qn_status agree_on_round(struct sweep_run *, double *, enum qn_status status) {
  return status;
}

/* ---- An iteration ------------------------------------------------------------------------- */

/* Walk the edges of active vertices, wherever the topology is. */
inline enum qn_status sweep_walk(struct sweep_run *run, struct qn_error *error) {
  return run->stream ? sweep_collect_units(run, error) : engine_collect(run, error);
}

/* The end of an iteration: receivers apply. */
inline enum qn_status sweep_end(struct sweep_run *run, double *change, struct qn_error *error) {
  enum qn_status status = SWEEP_FRONTIER ? sweep_clear(run->state.count, 0, error) : QN_OK;
  if (status)
    return status;
  SWEEP_LAUNCH(run, sweep_apply);
  run->woken = false;
  if (SWEEP_FRONTIER)
    return sweep_read_count(run, &run->num_active, error);
  if (PROGRAM_CONVERGES)
    return sweep_total(run, change, error);
  return qn_cuda_status(cudaStreamSynchronize(NULL), "an iteration on the device", error);
}

inline enum qn_status one_iteration(struct sweep_run *run, double *change, struct qn_error *error) {
  enum qn_status status = sweep_begin(run, error);
  if (!status)
    status = sweep_walk(run, error);
  return status ? status : sweep_end(run, change, error);
}

inline enum qn_status next_round(struct sweep_run *run, struct qn_error *error) {
  return run->raise_bound ? run->raise_bound(run, error) : sweep_next_round(run, run, error);
}

inline bool iteration_finished(struct sweep_run *run, uint64_t num_active, double change,
                               double begin) {
  return sweep_finished(run, num_active, change, begin);
}

inline enum qn_status keep(struct sweep_run *run, struct qn_error *error) {
  return sweep_keep(run, error);
}

inline bool may_wait(const struct sweep_run *run) {
  return run->raise_bound != NULL;
}

inline enum qn_status sweep_iterations(struct sweep_run *run, struct qn_error *error) {
  enum qn_status status = sweep_first_values(run, run, error);
  return status ? status : iterate(run, run, error);
}

/* ---- The run ------------------------------------------------------------------------------ */

/* A run whole: `upload(run, error)` brings the layout into run->state.layout, its vertices numbered
 * by `to_vertex` (NULL: as the graph's). It brings the topology only if run->source is NULL: else
 * that is streamed from `source`. Then `prepare(run, error)` does what else there is to do before
 * `algorithm(run, error)`. */
template <class Upload, class Prepare, class Algorithm>
enum qn_status sweep_run_with(const struct qn_run_request *request, uint64_t num_vertices,
                              uint64_t num_edges, const uint32_t *to_vertex,
                              const struct qn_unit_source *source, Upload upload, Prepare prepare,
                              Algorithm algorithm, struct qn_run_result *result,
                              struct qn_error *error) {
  struct sweep_run run;
  memset(&run, 0, sizeof run);
  run.request = request;
  run.result = result;
  run.context = qn_run_begin(request, num_vertices, num_edges, result);
  run.order = to_vertex;
  sweep_hold_all(&run);
  auto prepare_all = [&](struct qn_error *failure) {
    enum qn_status status = sweep_plan_memory(&run, to_vertex, source, failure);
    if (!status && run.source && request->device->report.plan.pin_bytes > 0)
      status = sweep_begin_pins(&run, failure);
    if (!status)
      status = upload(&run, failure);
    if (!status)
      status = sweep_create(&run, to_vertex, failure);
    if (!status && run.source)
      status = sweep_stream_create(&run, failure);
    if (!status && run.source)
      sweep_stream_begin(&run);
    return status ? status : prepare(&run, failure);
  };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    sweep_stream_destroy(&run);
    sweep_make_room(&run);
    return status ? status
                  : output_download(&run.memory, &run.context, run.state.values,
                                    run.state.to_vertex, result, failure);
  };
  return qn_run_whole(
      request, &run.memory, prepare_all,
      [&](struct qn_error *failure) { return algorithm(&run, failure); }, finish, result, error);
}

/* With the usual iterations. */
template <class Upload>
enum qn_status sweep_run_units(const struct qn_run_request *request, uint64_t num_vertices,
                               uint64_t num_edges, const uint32_t *to_vertex,
                               const struct qn_unit_source *source, Upload upload,
                               struct qn_run_result *result, struct qn_error *error) {
  auto nothing = [](struct sweep_run *, struct qn_error *) { return QN_OK; };
  return sweep_run_with(request, num_vertices, num_edges, to_vertex, source, upload, nothing,
                        sweep_iterations, result, error);
}

} /* namespace */
