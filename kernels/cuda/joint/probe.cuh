/* How fast the CPU, the device and the bus are, before anything is known of a run: each pulls a
 * part of the rows, whose sums are forgotten. */
#pragma once

#include "kernels/cuda/joint/iterations.cuh"

/* Bytes of units that are streamed to find out how fast that is, after a quarter of it that wakes
 * who takes part. */
#define PROBED_BYTES ((uint64_t)128 << 20)

namespace {

/* Flag units from number *unit on, about so many bytes; how many that are. */
inline uint64_t flag_probed(struct sweep_run *run, uint64_t *unit, uint64_t wanted) {
  uint64_t bytes = 0;
  memset(run->host_flags, 0, run->source->num_units);
  for (; *unit < run->source->num_units && bytes < wanted; ++*unit) {
    struct qn_unit described;
    run->source->describe(run->source->user, *unit, &described);
    for (unsigned piece = 0; piece < described.num_pieces; piece++)
      bytes += qn_unit_rounded(described.pieces[piece].bytes);
    run->host_flags[*unit] = 1;
  }
  return bytes;
}

/* Seconds to stream what the cache will not hold; *seconds stays what it is if there is too little
 * to tell. */
inline enum qn_status probe_stream(struct sweep_run *run, double *seconds, struct qn_error *error) {
  const double total = (double)run->source->total_bytes;
  const double left = 1 - (double)run->request->device->report.plan.cache_bytes / total;
  struct qn_stream_figures moved;
  uint64_t unit = 0;
  enum qn_status status = QN_OK;
  for (int round = 0; round < 2 && !status; round++) {
    const uint64_t bytes = flag_probed(run, &unit, round == 0 ? PROBED_BYTES / 4 : PROBED_BYTES);
    const double begin = qn_seconds();
    if (bytes > 0)
      status =
          qn_unit_stream_run(run->stream, run->host_flags, sweep_walk_units, run, &moved, error);
    if (bytes > 0)
      *seconds = (qn_seconds() - begin) / (double)bytes * total * (left > 0.1 ? left : 0.1);
  }
  return status;
}

inline enum qn_status probe_resident(struct joint_run *joint, double *seconds,
                                     struct qn_error *error) {
  const uint32_t part = (uint32_t)(joint->num_stretches + 7) / 8;
  enum qn_status status = QN_OK;
  for (int round = 0; round < 2 && !status; round++) { /* the first one warms up */
    const double begin = qn_seconds();
    status = gather_stretches(joint, 0, part, error);
    *seconds = (qn_seconds() - begin) / part * (double)joint->num_stretches;
  }
  return status;
}

/* Seconds of an iteration of the device alone in which all vertices are active; the accumulators
 * are left as they are. */
inline enum qn_status probe_device(struct joint_run *joint, double *seconds,
                                   struct qn_error *error) {
  struct sweep_run *run = joint->run;
  enum qn_status status = QN_OK;
  if (SWEEP_FRONTIER)
    status = qn_cuda_status(
        cudaMemsetAsync(run->state.active, 0xff, (run->context.num_vertices + 31) / 32 * 4, NULL),
        "measuring the device", error);
  if (status)
    return status;
  SWEEP_LAUNCH(run, sweep_send);
  return run->source ? probe_stream(run, seconds, error) : probe_resident(joint, seconds, error);
}

/* And of one in which none is. */
inline enum qn_status probe_idle_device(struct joint_run *joint, double *seconds,
                                        struct qn_error *error) {
  struct sweep_run *run = joint->run;
  const struct qn_program_context context = run->context;
  double change;
  *seconds = 0;
  if (!SWEEP_FRONTIER)
    return QN_OK;
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(run->state.active, 0, (run->context.num_vertices + 31) / 32 * 4, NULL),
      "measuring the device", error);
  joint->active_edges = 1;                             /* so that it looks for them */
  for (int round = 0; round < 2 && !status; round++) { /* the first one warms up */
    const double begin = qn_seconds();
    status = step_on_device(joint, &change, error);
    *seconds = qn_seconds() - begin;
  }
  run->context = context;
  joint->on_host = true; /* as nothing has changed */
  return status;
}

/* Until a side goes on from what is valid on the other one. */
inline enum qn_status probe_moving(struct joint_run *joint, struct qn_error *error) {
  const struct row_range all = {0, joint->run->context.num_vertices}, none = {0, 0};
  struct qn_joint_plan *plan = &joint->plan;
  enum qn_status status = exchange(joint, none, all, NULL, NULL, error);
  plan->exchange_seconds = plan->to_device = joint->figures.exchange_seconds;
  const double begin = qn_seconds();
  joint->on_host = false;
  if (!status)
    status = bring_to_host(joint, error);
  plan->to_host = qn_seconds() - begin;
  return status;
}

/* What the probes left behind. */
inline enum qn_status forget_probes(struct sweep_run *run, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  cudaError_t result = cudaMemsetAsync(device->segment_received, 0, device->num_segments + 1, NULL);
  if (result == cudaSuccess && SWEEP_FRONTIER)
    result =
        cudaMemsetAsync(run->state.received, 0, (run->context.num_vertices / 32 + 1) * 4, NULL);
  return qn_cuda_status(result, "measuring the device", error);
}

inline enum qn_status probe(struct joint_run *joint, struct qn_error *error) {
  struct sweep_run *run = joint->run;
  struct qn_joint_plan *plan = &joint->plan;
  double cpu_seconds, device_seconds = 0, device_fixed;
  plan->all_active = !SWEEP_FRONTIER;
  plan->streams = run->source != NULL;
  plan->random_cost = joint->side->random_cost;
  if (run->request->device->joint_choices || run->context.num_edges == 0) /* no matter */
    return QN_OK;
  cpu_seconds = qn_joint_probe(&joint->worker, &QN_JOINT_CPU, joint->side, joint->num_stretches);
  enum qn_status status = probe_moving(joint, error);
  if (!status)
    status = probe_device(joint, &device_seconds, error);
  if (!status)
    status = forget_probes(run, error);
  if (!status)
    status = probe_idle_device(joint, &device_fixed, error);
  if (!status)
    qn_joint_plan_begin(plan, cpu_seconds, device_seconds, device_fixed);
  return status;
}

} /* namespace */
