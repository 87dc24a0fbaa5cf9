/* Which units of a layout that is streamed have an active sender: engine_flag_units (sweeps.cuh)
 * for engines whose units are by senders, but for those that have SWEEP_FLAGS_UNITS 1 and ask for
 * it in theirs. Such an engine defines
 *
 *   engine_unit_vertices(device, unit)      the vertices whose out-edges the unit holds, as the
 *                                           engine numbers them: if none of them is active, a
 *                                           frontier program leaves the unit out
 *
 * The bitmap of active vertices tells: V / 8 bytes read from device memory, which is nothing beside
 * a transfer. This is Graphie's array of flags and GTS's nextPIDSet without what those mark in
 * vain: a vertex that received but didn't change. */
#pragma once

#include "kernels/cuda/sweep/sweeps.cuh"

#ifndef SWEEP_FLAGS_UNITS
#define SWEEP_FLAGS_UNITS 0
#endif

namespace {

QN_DEVICE_INLINE struct unit_vertices engine_unit_vertices(const struct engine_device &device,
                                                           uint64_t unit);

/* A warp a unit. */
__global__ void sweep_find_units(const struct sweep_state state, uint64_t num_units,
                                 uint8_t *flags) {
  const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
  for (uint64_t unit = (uint64_t)blockIdx.x * (blockDim.x / 32) + qn_warp(); unit < num_units;
       unit += warps) {
    const struct unit_vertices vertices = engine_unit_vertices(state.layout, unit);
    const uint64_t end_word = ((uint64_t)vertices.end + 31) / 32;
    bool any = false;
    for (uint64_t base = vertices.begin / 32; base < end_word && !any; base += 32) {
      const uint64_t word = base + qn_lane();
      uint32_t bits = word < end_word ? state.active[word] : 0;
      if (word == vertices.begin / 32)
        bits &= ~0u << vertices.begin % 32;
      if (word == vertices.end / 32)
        bits &= ~(~0u << vertices.end % 32);
      any = __any_sync(QN_FULL_WARP, bits != 0);
    }
    if (qn_lane() == 0)
      flags[unit] = any && vertices.begin < vertices.end;
  }
}

/* Which units have an active vertex, to the host. */
inline enum qn_status sweep_flag_senders(struct sweep_run *run, struct qn_error *error) {
  const uint64_t num_units = run->source->num_units;
  const unsigned blocks =
      qn_grid(num_units, SWEEP_THREADS / 32, run->memory.device.multiprocessors, 8);
  QN_LAUNCH(sweep_find_units, blocks, SWEEP_THREADS, 0, NULL, run->state, num_units,
            run->unit_flags);
  return sweep_read(run, run->host_flags, run->unit_flags, num_units, 1, error);
}

#if !SWEEP_FLAGS_UNITS
inline enum qn_status engine_flag_units(struct sweep_run *run, struct qn_error *error) {
  return sweep_flag_senders(run, error);
}
#endif

} /* namespace */
