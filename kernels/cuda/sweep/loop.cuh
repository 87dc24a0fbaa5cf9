/* The loop of iterations over sweeps.cuh, once an engine has defined engine_collect, and the run
 * around it. */
#ifndef QN_KERNELS_CUDA_SWEEP_LOOP_CUH
#define QN_KERNELS_CUDA_SWEEP_LOOP_CUH

#include "kernels/cuda/device/ranges.cuh"
#include "kernels/cuda/edges/output.cuh"
#include "kernels/cuda/sweep/memory.cuh"
#include "kernels/cuda/sweep/state.cuh"
#include "kernels/cuda/sweep/units.cuh"

namespace {

/* Walk the edges of active vertices, wherever the topology is. */
inline enum qn_status sweep_walk(struct sweep_run *run, struct qn_error *error) {
#ifdef ENGINE_STREAMS
  if (run->stream)
    return sweep_collect_units(run, error);
#endif
  return engine_collect(run, error);
}

#if SWEEP_FRONTIER

/* When no vertex is active: begin the next round; *count stays 0 if there is none. */
inline enum qn_status sweep_next_round(struct sweep_run *run, uint64_t *count,
                                       struct qn_error *error) {
#if PROGRAM_ROUNDS
  unsigned long long least;
  enum qn_status status = sweep_clear(run->state.least, 0xff, error);
  if (status)
    return status;
  SWEEP_LAUNCH(run, sweep_least_round);
  status = sweep_read(run, &least, run->state.least, 1, sizeof least, error);
  if (status || isinf(qn_from_ordered_bits(least)))
    return status;
  run->context.round = qn_from_ordered_bits(least);
  run->woken = true;
  status = sweep_clear(run->state.count, 0, error);
  if (status)
    return status;
  SWEEP_LAUNCH(run, sweep_wake);
  return sweep_read_count(run, count, error);
#else
  (void)run, (void)count, (void)error;
  return QN_OK;
#endif
}

inline enum qn_status sweep_iterations(struct sweep_run *run, struct qn_error *error) {
  uint64_t count;
  enum qn_status status = sweep_clear(run->state.count, 0, error);
  if (status)
    return status;
  SWEEP_LAUNCH(run, sweep_init);
  run->woken = true;
  status = sweep_read_count(run, &count, error);
  if (!status)
    status = sweep_resume(run, &count, error);
  for (bool finished = engine_is_finished(run->request, &run->context); !status && !finished;) {
    const struct qn_range range("iteration");
    const double begin = qn_seconds();
    if (count == 0)
      status = sweep_next_round(run, &count, error);
    if (status || count == 0)
      break;
    run->num_active = count;
    status = sweep_begin(run, error);
    if (!status)
      status = sweep_walk(run, error);
    if (!status)
      status = sweep_clear(run->state.count, 0, error);
    if (status)
      break;
    SWEEP_LAUNCH(run, sweep_apply);
    run->woken = false;
    status = sweep_read_count(run, &count, error);
    finished = !status && sweep_finished(run, run->num_active, 0, begin);
    if (!status && !finished)
      status = sweep_keep(run, error);
  }
  run->result->converged = count == 0;
  return status;
}

#else

inline enum qn_status sweep_iterations(struct sweep_run *run, struct qn_error *error) {
  const uint64_t num_vertices = run->context.num_vertices;
  uint64_t count = num_vertices;
  SWEEP_LAUNCH(run, sweep_init);
  enum qn_status status = sweep_resume(run, &count, error);
  for (bool finished = engine_is_finished(run->request, &run->context); !status && !finished;) {
    const struct qn_range range("iteration");
    const double begin = qn_seconds();
    double change = 0;
    status = sweep_begin(run, error);
    if (!status)
      status = sweep_walk(run, error);
    if (status)
      break;
    SWEEP_LAUNCH(run, sweep_apply);
    if (PROGRAM_CONVERGES)
      status = sweep_total(run, &change, error);
    else
      status = qn_cuda_status(cudaStreamSynchronize(NULL), "an iteration on the device", error);
    if (status)
      break;
    finished = sweep_finished(run, num_vertices, change, begin);
    if (PROGRAM_CONVERGES && change < run->context.tolerance)
      finished = run->result->converged = true;
    if (!finished)
      status = sweep_keep(run, error);
  }
  return status;
}

#endif

} /* namespace */

#ifdef ENGINE_SPLITS
#include "kernels/cuda/sweep/devices.cuh"
#endif

namespace {

/* A run whole: `upload(run, error)` brings the layout into run->state.layout, its vertices numbered
 * by `to_vertex` (NULL: as the graph's). With a `source` it brings the topology only if run->source
 * is NULL: else the topology is streamed. `iterate(run, error)` has all that it needs, and says
 * when the algorithm begins and ends. */
template <class Upload, class Iterate>
enum qn_status sweep_run_with(const struct qn_run_request *request, uint64_t num_vertices,
                              uint64_t num_edges, const uint32_t *to_vertex,
                              const struct qn_unit_source *source, Upload upload, Iterate iterate,
                              struct qn_run_result *result, struct qn_error *error) {
  struct sweep_run run;
  memset(&run, 0, sizeof run);
  run.request = request;
  run.result = result;
  run.context = engine_begin(request, num_vertices, num_edges, result);
  sweep_hold_all(&run);
  enum qn_status status =
      qn_cuda_memory_create(&run.memory, request->device, request->device_memory, error);
  if (!status && source)
    status = sweep_plan_memory(&run, to_vertex, source, error);
  if (!status && run.source && result->plan.pin_bytes > 0)
    status = sweep_begin_pins(&run, error);
  if (!status)
    status = upload(&run, error);
  if (!status)
    status = sweep_create(&run, to_vertex, error);
  if (!status && run.source)
    status = sweep_stream_create(&run, error);
  if (!status && run.source)
    sweep_stream_begin(&run);
  qn_load_kernels();
  if (!status)
    status = iterate(&run, error);
  sweep_stream_destroy(&run);
  sweep_make_room(&run);
  if (!status)
    status = output_download(&run.memory, &run.context, run.state.values, run.state.to_vertex,
                             result, error);
  qn_cuda_report(&run.memory, result);
  qn_cuda_memory_destroy(&run.memory);
  if (status)
    memset(result, 0, sizeof *result);
  return status;
}

/* With the usual iterations. */
template <class Upload>
enum qn_status sweep_run_units(const struct qn_run_request *request, uint64_t num_vertices,
                               uint64_t num_edges, const uint32_t *to_vertex,
                               const struct qn_unit_source *source, Upload upload,
                               struct qn_run_result *result, struct qn_error *error) {
#ifdef ENGINE_SPLITS
  if (request->num_devices > 1)
    return sweep_run_devices(request, num_vertices, num_edges, to_vertex, source, upload, result,
                             error);
#endif
  auto iterate = [](struct sweep_run *run, struct qn_error *failure) {
    enum qn_status status = qn_cuda_algorithm_begin(&run->memory, failure);
    if (!status)
      status = sweep_iterations(run, failure);
    return status ? status : qn_cuda_algorithm_end(&run->memory, failure);
  };
  return sweep_run_with(request, num_vertices, num_edges, to_vertex, source, upload, iterate,
                        result, error);
}

/* The same for a topology that is always resident. */
template <class Upload>
enum qn_status sweep_run_program(const struct qn_run_request *request, uint64_t num_vertices,
                                 uint64_t num_edges, const uint32_t *to_vertex, Upload upload,
                                 struct qn_run_result *result, struct qn_error *error) {
  return sweep_run_units(request, num_vertices, num_edges, to_vertex, NULL, upload, result, error);
}

} /* namespace */

#endif
