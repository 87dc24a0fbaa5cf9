/* Searches on shards. Where the first message suffices nobody need pull who is notified: the
 * notification is the message, and is pushed along the out-edges (sweep/push.cuh). Where active
 * vertices have many, the vertices that are still open look for one of them along their in-edges
 * (sweep/bottom_up.cuh). */
#pragma once

#include "kernels/cuda/shards/gather.cuh"
#include "kernels/cuda/sweep/bottom_up.cuh"
#include "kernels/cuda/sweep/push.cuh"

static_assert(!PROGRAM_USES_WEIGHTS, "out-edges of shards have no weights");

namespace {

/* In-edges of all rows but hubs. */
struct search_in_edges {
  struct row {
    uint64_t first_edge, num_edges;
  };
  const uint64_t *offsets;
  struct edge_tiles in;

  __device__ struct row row_of(uint32_t vertex) const {
    const uint64_t begin = offsets[vertex], end = offsets[vertex + 1];
    return {begin, is_hub(begin, end) ? 0 : end - begin};
  }
  __device__ uint32_t sender(const struct row &row, uint64_t edge) const {
    return in.sources[row.first_edge + edge];
  }
  __device__ program_weight weight(const struct row &row, uint64_t edge) const {
    return engine_weight(&in.weights, row.first_edge + edge);
  }
};

/* A warp takes a segment of a hub; a sender in any other ends the search. */
__global__ void __launch_bounds__(SWEEP_THREADS)
    search_hubs(const struct sweep_state state, const struct qn_program_context context) {
  const struct engine_device &device = state.layout;
  const uint32_t number = blockIdx.x * (SWEEP_THREADS / 32) + qn_warp();
  if (number >= device.num_segments)
    return;
  const struct device_segment segment = device.segments[number];
  const uint32_t vertex = device.hubs[segment.hub].row;
  const bool received = ((volatile uint32_t *)state.received)[vertex / 32] >> vertex % 32 & 1u;
  if (__any_sync(QN_FULL_WARP, received || !sweep_may_receive(state, context, vertex)))
    return; /* all of the warp, though others mark the vertex meanwhile */
  for (uint32_t begin = 0; begin < segment.num_edges; begin += 32) {
    const uint64_t edge = segment.first_edge + begin + qn_lane();
    const bool leads =
        begin + qn_lane() < segment.num_edges && sweep_is_active(state, device.in.sources[edge]);
    if (leads) {
      search_receive(state, context, device.in.sources[edge],
                     engine_weight(&device.in.weights, edge), vertex);
      sweep_mark_received(state, vertex);
    }
    if (__any_sync(QN_FULL_WARP, leads))
      return;
  }
}

/* ---- The host's side ---------------------------------------------------------------------- */

/* Active vertices have few out-edges. */
inline enum qn_status collect_few(struct sweep_run *run, struct qn_error *error) {
  return sweep_push(run, error);
}

inline enum qn_status collect_many(struct sweep_run *run, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  const unsigned warps = SWEEP_THREADS / 32;
  const struct search_in_edges rows = {device->in_offsets, device->in};
  SWEEP_LAUNCH(run, (search_rows<struct search_in_edges>), rows);
  if (device->num_segments > 0)
    QN_LAUNCH(search_hubs, (device->num_segments + warps - 1) / warps, SWEEP_THREADS, 0, NULL,
              run->state, run->context);
  return qn_cuda_launched("searching shards", error);
}

inline enum qn_status collect_create(const struct qn_shards *, struct sweep_run *,
                                     struct qn_error *) {
  return QN_OK;
}

} /* namespace */
