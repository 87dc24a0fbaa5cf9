/* How fast the CPU, the device and the bus are, before anything is known of a run: each pulls a
 * part of the rows, whose sums are forgotten. Part of shards_beside.cuh. */
#ifndef QN_KERNELS_CUDA_BESIDE_PROBE_CUH
#define QN_KERNELS_CUDA_BESIDE_PROBE_CUH

#include "kernels/cuda/beside_exchange.cuh"
#include "kernels/cuda/beside_share.cuh"

/* Bytes of units that are streamed to find out how fast that is. */
#define PROBED_BYTES ((uint64_t)64 << 20)

namespace {

/* Flag units from the first one on; their bytes. */
inline uint64_t flag_probed(struct sweep_run *run, uint32_t *last) {
  uint64_t bytes = 0, unit = 0;
  memset(run->host_flags, 0, run->source->num_units);
  for (; unit < run->source->num_units && bytes < PROBED_BYTES; unit++) {
    struct qn_unit described;
    run->source->describe(run->source->user, unit, &described);
    for (unsigned piece = 0; piece < described.num_pieces; piece++)
      bytes += qn_unit_rounded(described.pieces[piece].bytes);
    run->host_flags[unit] = 1;
  }
  *last = (uint32_t)unit;
  return bytes;
}

/* Seconds of an iteration of the device alone; the accumulators are left as they are. */
inline enum qn_status probe_device(struct beside_run *beside, double *seconds,
                                   struct qn_error *error) {
  struct sweep_run *run = beside->run;
  const uint32_t part = (uint32_t)(beside->num_stretches + 7) / 8;
  enum qn_status status = QN_OK;
  if (SWEEP_FRONTIER)
    status = qn_cuda_status(
        cudaMemsetAsync(run->state.active, 0xff, (run->context.num_vertices + 31) / 32 * 4, NULL),
        "measuring the device", error);
  SWEEP_LAUNCH(run, sweep_send);
  for (int round = 0; round < 2 && !status; round++) { /* the first one warms up */
    const double begin = qn_seconds();
    if (run->source) {
      uint32_t last;
      struct qn_stream_figures moved;
      const uint64_t bytes = flag_probed(run, &last);
      status =
          qn_unit_stream_run(run->stream, run->host_flags, sweep_walk_units, run, &moved, error);
      const double total = (double)run->source->total_bytes;
      const double left = 1 - (double)run->result->plan.cache_bytes / total;
      if (round == 0)
        *seconds = (qn_seconds() - begin) / (double)bytes * total * (left > 0.1 ? left : 0.1);
      break;
    }
    status = gather_stretches(beside, 0, part, error);
    if (!status)
      status = qn_cuda_status(cudaDeviceSynchronize(), "measuring the device", error);
    *seconds = (qn_seconds() - begin) / part * (double)beside->num_stretches;
  }
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

inline enum qn_status probe(struct beside_run *beside, struct qn_error *error) {
  struct sweep_run *run = beside->run;
  const struct row_range all = {0, run->context.num_vertices}, none = {0, 0};
  struct qn_beside_plan *plan = &beside->plan;
  plan->all_active = !SWEEP_FRONTIER;
  plan->streams = run->source != NULL;
  if (run->request->beside_choices || run->context.num_edges == 0) /* no matter */
    return QN_OK;
  const double cpu_seconds =
      qn_side_probe(&beside->worker, &QN_SIDE, beside->side, beside->num_stretches);
  double device_seconds = 0;
  enum qn_status status = exchange(beside, none, all, NULL, NULL, error);
  plan->exchange_seconds = beside->figures.exchange_seconds;
  if (status)
    return status;
  status = probe_device(beside, &device_seconds, error);
  if (status)
    return status;
  qn_beside_plan_begin(plan, cpu_seconds, device_seconds);
  return forget_probes(run, error);
}

} /* namespace */

#endif
