/* Sweeps (sweeps.cuh) over a topology that is streamed. An engine that can do so defines
 *
 *   #define ENGINE_STREAMS
 *   QN_DEVICE_INLINE struct unit_vertices engine_unit_vertices(device, unit)
 *       the vertices whose out-edges the unit holds, as the engine numbers them: if none of them is
 *       active, a frontier program leaves the unit out
 *   inline enum qn_status engine_walk(run, entries, count, stream, error)
 *       launches the walk over `count` units on the device (struct qn_unit_entry)
 *
 *   #define ENGINE_FLAGS_UNITS             only if units are not by sender; then, in place of
 *                                                                      engine_unit_vertices:
 *   inline enum qn_status engine_flag_units(run, error)
 *       sets run->host_flags for the units that an iteration of a frontier program needs, and
 *       run->all_flagged if it needs all
 *
 *   #define ENGINE_COMPLETES                                     only if it has something to do
 *   inline enum qn_status engine_complete(run, error)                   after all units were walked
 *
 * before it includes loop.cuh, and gives sweep_run_units a struct qn_unit_source.
 *
 * Which units are active is looked up in the bitmap of active vertices: V / 8 bytes read from
 * device memory, which is nothing beside a transfer. This is Graphie's array of flags and GTS's
 * nextPIDSet without what those mark in vain: a vertex that received but didn't change. */
#ifndef QN_KERNELS_CUDA_SWEEP_UNITS_CUH
#define QN_KERNELS_CUDA_SWEEP_UNITS_CUH

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
  enum qn_status status =
      qn_unit_pins_open(&run->pins, run->source, run->result->plan.pin_bytes, error);
  if (!status)
    qn_unit_pins_begin(run->pins, run->memory.device.index);
  return status;
}

inline enum qn_status sweep_stream_create(struct sweep_run *run, struct qn_error *error) {
  const struct qn_stream_options *options = &run->request->streaming;
  enum qn_status status =
      qn_pages_alloc(&run->host_flags, run->source->num_units, 1, "flags of units", error);
  const bool is_busy = run->source->joint || run->request->num_devices > 1;
  run->result->plan.pins_first =
      is_busy && !SWEEP_FRONTIER && run->request->max_iterations >= SWEEP_MANY_PASSES;
  if (!status)
    status = qn_unit_stream_create(&run->stream, &run->memory, run->source, options,
                                   &run->result->plan, error);
  if (!status && options->on_plan)
    options->on_plan(options->user, &run->result->plan);
  return status;
}

/* Is every vertex active at first? */
inline bool sweep_all_start(const struct sweep_run *run) {
#if SWEEP_FRONTIER
  if (engine_resumed(run->request))
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

#ifdef ENGINE_STREAMS

#ifdef ENGINE_FLAGS_UNITS

inline enum qn_status sweep_flag_units(struct sweep_run *run, struct qn_error *error) {
  return engine_flag_units(run, error);
}

#else

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
inline enum qn_status sweep_flag_units(struct sweep_run *run, struct qn_error *error) {
  const uint64_t num_units = run->source->num_units;
  const unsigned blocks =
      qn_grid(num_units, SWEEP_THREADS / 32, run->memory.device.multiprocessors, 8);
  QN_LAUNCH(sweep_find_units, blocks, SWEEP_THREADS, 0, NULL, run->state, num_units,
            run->unit_flags);
  return sweep_read(run, run->host_flags, run->unit_flags, num_units, 1, error);
}

#endif

inline enum qn_status sweep_walk_units(void *user, const struct qn_unit_entry *entries,
                                       uint64_t count, cudaStream_t stream,
                                       struct qn_error *error) {
  return engine_walk((struct sweep_run *)user, entries, count, stream, error);
}

inline enum qn_status sweep_collect_units(struct sweep_run *run, struct qn_error *error) {
  const double begin = qn_seconds();
  const bool finds = SWEEP_FRONTIER && !run->all_begun;
  enum qn_status status = finds ? sweep_flag_units(run, error) : QN_OK;
  const double seconds = qn_seconds() - begin;
  const uint8_t *flags = finds && !run->all_flagged ? run->host_flags : NULL;
  run->all_begun = false;
  if (!status)
    status = qn_unit_stream_run(run->stream, flags, sweep_walk_units, run, &run->moved, error);
  run->moved.find_seconds += seconds;
#ifdef ENGINE_COMPLETES
  if (!status)
    status = engine_complete(run, error);
#endif
  return status;
}

#endif

} /* namespace */

#endif
