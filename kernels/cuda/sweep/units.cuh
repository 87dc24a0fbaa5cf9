/* Sweeps (sweeps.cuh) over a topology that is streamed, as a struct qn_unit_source says, in units
 * that the engine walks. In a frontier program units that the iteration does not need stay where
 * they are. */
#pragma once

#include "kernels/cuda/sweep/sweeps.cuh"

/* In so many iterations, over all units, what readers take from a busy host is more than pinning
 * costs. */
#define SWEEP_MANY_PASSES 8

namespace {

inline void sweep_stream_destroy(struct sweep_run *run) {
  qn_unit_stream_destroy(run->stream);
  qn_unit_pins_close(run->pins);
  run->stream = NULL;
  run->pins = NULL;
  qn_pages_free(run->host_flags, run->source ? run->source->num_units : 0, 1);
  run->host_flags = NULL;
}

/* Begin to pin what will be streamed, while the run is prepared. */
inline enum qn_status sweep_begin_pins(struct sweep_run *run, struct qn_error *error) {
  enum qn_status status = qn_unit_pins_open(&run->pins, run->source,
                                            run->request->device->report.plan.pin_bytes, error);
  if (!status)
    qn_unit_pins_begin(run->pins, run->memory.device.index);
  return status;
}

inline enum qn_status sweep_stream_create(struct sweep_run *run, struct qn_error *error) {
  const struct qn_stream_options *options = &run->request->device->streaming;
  enum qn_status status =
      qn_pages_alloc(&run->host_flags, run->source->num_units, 1, "flags of units", error);
  const bool is_shared = run->request->device->num_devices > 1;
  const bool is_long = !SWEEP_FRONTIER && run->request->limits.max_iterations >= SWEEP_MANY_PASSES;
  run->request->device->report.plan.pins_first =
      is_shared ? SWEEP_FRONTIER || is_long : run->source->joint && is_long;
  if (!status)
    status = qn_unit_stream_create(&run->stream, &run->memory, run->source, options,
                                   &run->request->device->report.plan, error);
  if (!status && options->on_plan)
    options->on_plan(options->user, &run->request->device->report.plan);
  return status;
}

/* Is every vertex active at first? */
inline bool sweep_all_start(const struct sweep_run *run) {
#if SWEEP_FRONTIER
  if (qn_state_resumed(run->request))
    return false;
  for (uint64_t v = 0; v < run->context.num_vertices; v++)
    if (!program_starts(&run->context, (uint32_t)v))
      return false;
#else
  (void)run;
#endif
  return true;
}

/* If the first iteration moves all units, readers gather while the run is prepared to its end. */
inline void sweep_stream_begin(struct sweep_run *run) {
  run->all_begun = !run->source->joint && sweep_all_start(run);
  if (run->all_begun)
    qn_unit_stream_begin(run->stream, NULL);
}

inline enum qn_status sweep_walk_units(void *user, const struct qn_unit_entry *entries,
                                       uint64_t count, cudaStream_t stream,
                                       struct qn_error *error) {
  return engine_walk((struct sweep_run *)user, entries, count, stream, error);
}

inline enum qn_status sweep_collect_units(struct sweep_run *run, struct qn_error *error) {
  const double begin = qn_seconds();
  const bool finds =
      SWEEP_FRONTIER && !run->all_begun && run->request->device->streaming.moves != QN_MOVE_ALL;
  enum qn_status status = finds ? engine_flag_units(run, error) : QN_OK;
  const double seconds = qn_seconds() - begin;
  const uint8_t *flags = finds && !run->all_flagged ? run->host_flags : NULL;
  run->all_begun = false;
  if (!status)
    status = qn_unit_stream_run(run->stream, flags, sweep_walk_units, run, &run->moved, error);
  run->moved.find_seconds += seconds;
  return status ? status : engine_complete(run, error);
}

} /* namespace */
