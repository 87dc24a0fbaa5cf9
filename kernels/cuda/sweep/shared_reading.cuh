/* Several devices whose units are read in place (unit_reading.cuh) where few of their rows are
 * needed: each reads its own, and all choose together how an iteration goes. */
#pragma once

#include "kernels/cuda/sweep/devices.cuh"
#include "kernels/cuda/sweep/unit_reading.cuh"

namespace {

/* As sweep_run_devices. `reading_of(index)` is each member's, which `plan(run)` makes the engine's
 * and plans, before `upload(run, error)`. */
template <class ReadingOf, class Plan, class Upload>
enum qn_status
sweep_run_devices_reading(const struct qn_run_request *request, uint64_t num_vertices,
                          uint64_t num_edges, const uint32_t *to_vertex,
                          const struct qn_unit_source *source, const struct sweep_dealt_rows *rows,
                          const ReadingOf &reading_of, const Plan &plan, const Upload &upload,
                          struct qn_run_result *result, struct qn_error *error) {
  const unsigned num_devices = request->device->num_devices;
  auto plan_and_upload = [&](struct sweep_run *run, struct qn_error *failure) {
    reading_of(run->member->index)->add_up = sweep_add_up;
    enum qn_status status = plan(run);
    return status ? status : upload(run, failure);
  };
  auto prepare = [&](struct sweep_run *run, struct qn_error *failure) {
    struct unit_reading *reading = reading_of(run->member->index);
    if (!run->stream || !reading->may_read)
      return QN_OK;
    enum qn_status status = qn_unit_pins_open(&run->pins, run->source,
                                              run->request->device->report.plan.pin_bytes, failure);
    return status ? status : unit_reading_create(reading, run, failure);
  };
  for (unsigned i = 0; i < num_devices; i++)
    memset(reading_of(i), 0, sizeof(struct unit_reading));
  enum qn_status status = sweep_run_devices(request, num_vertices, num_edges, to_vertex, source,
                                            rows, plan_and_upload, prepare, result, error);
  for (unsigned i = 0; i < num_devices; i++)
    unit_reading_destroy(reading_of(i));
  return status;
}

} /* namespace */
