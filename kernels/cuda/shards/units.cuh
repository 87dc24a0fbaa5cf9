/* Shards that do not fit into device memory: consecutive rows of a shard, or a part of a hub's row,
 * are the units of streaming (sweep/units.cuh).
 *
 * Of a unit the sources, the destination offsets and the weights are moved: 6 bytes an edge, 10
 * with weights. A block gathers a unit the way it does where all is resident, so no accumulator is
 * combined into by two units but those of hubs, whose parts are added up in their order afterwards.
 *
 * Out-edges stay on the host: which units have something to receive is found there, along the
 * out-edges of the active vertices (kernels/work_division/shard_units.h), of those units alone that
 * have a vertex which may still receive. */
#pragma once

#include "kernels/cuda/shards/gather.cuh"

namespace {

/* ---- Walking ------------------------------------------------------------------------------- */

/* A unit's pieces, in describe_unit's order; edges are counted from the first that was moved. */
QN_DEVICE_INLINE struct gathered_edges streamed_edges(const struct engine_device &device,
                                                      const struct qn_sh_unit &unit,
                                                      const struct qn_unit_entry &entry) {
  struct gathered_edges from;
  memset(&from, 0, sizeof from);
  from.begin = unit.first_edge - aligned_edge(unit.first_edge);
  from.end = from.begin + unit.num_edges;
  from.in.num_edges = from.end;
  from.in.sources = reinterpret_cast<const uint32_t *>(entry.pieces[0]);
  from.in.weights.type = device.in.weights.type;
  from.in.weights.data = entry.pieces[2];
  from.destination_offsets = reinterpret_cast<const uint16_t *>(entry.pieces[1]);
  return from;
}

/* A block a unit. */
__global__ void __launch_bounds__(QN_TILE_THREADS)
    gather_units(const struct sweep_state state, const struct qn_program_context context,
                 const struct qn_unit_entry *entries) {
  const struct qn_unit_entry entry = entries[blockIdx.x];
  const struct qn_sh_unit unit = state.layout.units[entry.unit];
  const struct gathered_edges from = streamed_edges(state.layout, unit, entry);
  if (unit.segment == QN_SH_NO_SEGMENT)
    gather_task(state, context, unit, from);
  else
    gather_segment(state, context, from.in, unit.first_row, from.begin, from.end, unit.segment);
}

inline enum qn_status engine_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                                  uint64_t count, cudaStream_t stream, struct qn_error *error) {
  QN_LAUNCH(gather_units, (unsigned)count, QN_TILE_THREADS, 0, stream, run->state, run->context,
            entries);
  return qn_cuda_launched("gathering shards", error);
}

inline enum qn_status engine_complete(struct sweep_run *run, struct qn_error *error) {
  merge_hubs(run, true);
  return qn_cuda_launched("adding up the parts of hubs", error);
}

/* ---- Which units take part ---------------------------------------------------------------- */

/* The host's side of a streamed run. */
struct streamed_shards {
  const struct qn_sh_units *units;
  bool joint; /* the CPU does a part (joint/shards.cuh) */
  struct qn_sh_receivers receivers;
  uint64_t *active, *open; /* [V / 64 + 1] bits, pinned */
};

inline void streamed_shards_destroy(struct streamed_shards *streamed) {
  if (streamed->active)
    cudaFreeHost(streamed->active);
  if (streamed->open)
    cudaFreeHost(streamed->open);
  qn_sh_receivers_destroy(&streamed->receivers);
}

#if SWEEP_FRONTIER

/* Pinned, as to download them staged takes five times as long. */
inline enum qn_status pinned_bits(uint64_t **bits, uint64_t num_vertices, struct qn_error *error) {
  const uint64_t bytes = (num_vertices / 64 + 1) * sizeof **bits;
  const cudaError_t result = cudaHostAlloc((void **)bits, bytes, cudaHostAllocDefault);
  if (result == cudaSuccess)
    memset(*bits, 0, bytes);
  return qn_cuda_status(result, "allocating pinned memory", error);
}

inline enum qn_status streamed_shards_create(struct streamed_shards *streamed,
                                             struct sweep_run *run, struct qn_error *error) {
  const uint64_t num_vertices = run->context.num_vertices;
  const struct qn_csr *out = &streamed->units->view->out;
  qn_unit_map_array(out->row_offsets, (num_vertices + 1) * sizeof *out->row_offsets);
  qn_unit_map_array(out->column_indices, out->num_edges * sizeof *out->column_indices);
  enum qn_status status = qn_sh_receivers_create(&streamed->receivers, streamed->units, error);
  if (!status)
    status = pinned_bits(&streamed->active, num_vertices, error);
  if (!status && PROGRAM_FIRST_SUFFICES)
    status = pinned_bits(&streamed->open, num_vertices, error);
  if (!status && PROGRAM_FIRST_SUFFICES)
    status = qn_cuda_alloc_zeroed(&run->memory, &run->state.layout.open, num_vertices / 32 + 1, 4,
                                  "bits of vertices", error);
  return status;
}

#if PROGRAM_FIRST_SUFFICES
__global__ void find_open(const struct sweep_state state, const struct qn_program_context context) {
  unsigned count = 0;
  sweep_words(context.num_vertices, [&](uint32_t v, bool valid) {
    const bool open = valid && program_open(&context, state.values[v]);
    sweep_store_word(state.layout.open, v, valid, open, &count);
  });
}
#endif

/* Flag the units that have something to receive; nothing of a hub is left over from before. */
inline enum qn_status engine_flag_units(struct sweep_run *run, struct qn_error *error) {
  struct streamed_shards *streamed = (struct streamed_shards *)run->engine;
  const struct engine_device *device = &run->state.layout;
  const uint64_t words = (run->context.num_vertices + 31) / 32;
  enum qn_status status =
      sweep_read(run, streamed->active, run->state.active, words, sizeof(uint32_t), error);
#if PROGRAM_FIRST_SUFFICES
  if (!status) {
    SWEEP_LAUNCH(run, find_open);
    status = sweep_read(run, streamed->open, device->open, words, sizeof(uint32_t), error);
  }
#endif
  if (!status)
    status =
        qn_cuda_status(cudaMemsetAsync(device->segment_received, 0, device->num_segments + 1, NULL),
                       "clearing sums of hubs", error);
  if (!status)
    run->all_flagged = qn_sh_receivers_find(&streamed->receivers, streamed->active, streamed->open,
                                            run->host_flags);
  return status;
}

#else

inline enum qn_status streamed_shards_create(struct streamed_shards *streamed,
                                             struct sweep_run *run, struct qn_error *error) {
  (void)streamed, (void)run, (void)error;
  return QN_OK;
}

inline enum qn_status engine_flag_units(struct sweep_run *run, struct qn_error *error) {
  (void)run, (void)error;
  return QN_OK;
}

#endif

/* ---- What is moved ---------------------------------------------------------------------- */

inline bool shards_have_weights(const struct qn_shards *view) {
  return PROGRAM_USES_WEIGHTS && view->in.weights.type != QN_WEIGHT_NONE;
}

inline void describe_unit(const void *user, uint64_t number, struct qn_unit *out) {
  const struct qn_sh_units *units = (const struct qn_sh_units *)user;
  const struct qn_sh_unit *unit = &units->units[number];
  const struct qn_shards *view = units->view;
  const uint64_t first = aligned_edge(unit->first_edge);
  const uint64_t count = unit->first_edge + unit->num_edges - first;
  out->num_pieces = 2;
  out->more = 0;
  out->pieces[0] = {view->in.column_indices + first, count * sizeof(uint32_t), 0};
  out->pieces[1] = {view->destination_offsets + first, count * sizeof(uint16_t), 0};
  if (shards_have_weights(view))
    out->pieces[out->num_pieces++] = {qn_cuda_weights_at(&view->in.weights, first),
                                      count * sizeof(uint32_t), 0};
}

/* Frontier programs whose receivers stop at the first sender walk rows, not units, unless they
 * share the rows with the CPU; which looks at the out-degrees of the active vertices, too. */
constexpr bool needs_destination_offsets(bool joint) {
  return joint || !PROGRAM_FIRST_SUFFICES;
}

constexpr bool needs_streamed_degrees(bool joint) {
  return PROGRAM_USES_OUT_DEGREE || (joint && SWEEP_FRONTIER);
}

/* Device memory of the parts of hubs. */
inline uint64_t hub_bytes(const struct qn_sh_units *units) {
  return qn_cuda_rounded(units->num_hubs * sizeof *units->hubs) +
         qn_cuda_rounded(units->num_segments * sizeof(program_accumulator)) +
         qn_cuda_rounded(units->num_segments + 1);
}

/* Of what frontier_create makes. */
inline uint64_t frontier_bytes(uint64_t num_vertices) {
  const uint64_t words = num_vertices / 32 + 1;
  const uint64_t notified = qn_cuda_rounded(words) + qn_cuda_rounded(words * sizeof(uint32_t));
  return (PROGRAM_FIRST_SUFFICES ? 0 : notified) +
         2 * qn_cuda_rounded(num_vertices * sizeof(uint32_t)) +
         qn_cuda_rounded(sizeof(qn_queue_size));
}

inline uint64_t next_active_bytes(const struct qn_sh_units *units) {
  return qn_cuda_rounded((units->view->num_vertices / 32 + 1) * sizeof(uint32_t));
}

/* Of all that upload_layout brings where nothing is streamed. */
inline uint64_t shards_resident_bytes(const struct qn_sh_units *units, bool joint) {
  const struct qn_shards *view = units->view;
  const uint64_t num_vertices = view->num_vertices, num_edges = view->num_edges;
  const uint64_t offsets = qn_cuda_rounded((num_vertices + 1) * sizeof(uint64_t));
  const bool is_in = view->out.row_offsets == view->in.row_offsets;
  uint64_t bytes = hub_bytes(units) + qn_cuda_rounded(num_edges * sizeof(uint32_t));
  bytes += qn_cuda_rounded((units->num_units - units->num_segments) * sizeof(struct qn_sh_unit)) +
           qn_cuda_rounded(units->num_segments * sizeof(struct device_segment));
  if (shards_have_weights(view))
    bytes += qn_cuda_rounded(num_edges * sizeof(uint32_t));
  if (needs_destination_offsets(joint))
    bytes += qn_cuda_rounded(num_edges * sizeof(uint16_t));
  if (SWEEP_FRONTIER)
    bytes += offsets + frontier_bytes(num_vertices) + (joint ? next_active_bytes(units) : 0);
  if (SWEEP_FRONTIER && !is_in)
    bytes += offsets + qn_cuda_rounded(num_edges * sizeof(uint32_t));
  else if (!SWEEP_FRONTIER && PROGRAM_USES_OUT_DEGREE)
    bytes += offsets;
  return bytes;
}

inline struct qn_unit_source shards_source(const struct qn_sh_units *units, bool joint) {
  struct qn_unit_source source;
  memset(&source, 0, sizeof source);
  source.user = units;
  source.num_units = units->num_units;
  for (uint64_t i = 0; i < units->num_units; i++) {
    struct qn_unit unit;
    uint64_t bytes = 0;
    describe_unit(units, i, &unit);
    for (unsigned piece = 0; piece < unit.num_pieces; piece++)
      bytes += qn_unit_rounded(unit.pieces[piece].bytes);
    source.unit_bytes = bytes > source.unit_bytes ? bytes : source.unit_bytes;
    source.total_bytes += bytes;
  }
  source.fixed_bytes = hub_bytes(units) + qn_cuda_rounded(units->num_units * sizeof *units->units);
  if (needs_streamed_degrees(joint))
    source.fixed_bytes += qn_cuda_rounded((units->view->num_vertices + 1) * sizeof(uint64_t));
  if (joint && SWEEP_FRONTIER)
    source.fixed_bytes += next_active_bytes(units);
  if (PROGRAM_FIRST_SUFFICES)
    source.fixed_bytes += qn_cuda_rounded((units->view->num_vertices / 32 + 1) * sizeof(uint32_t));
  source.resident_bytes = shards_resident_bytes(units, joint);
  source.joint = joint;
  source.by_receiver = true;
  source.describe = describe_unit;
  return source;
}

} /* namespace */
