/* Reading units of a topology that is streamed where they lie, in pinned memory of the container:
 * whether a run may, what it costs, and whether a search is too short for it. Who reads what is the
 * engine's (rows/zero_copy.cuh, unit_reading.cuh). */
#pragma once

#include <algorithm>

#include "kernels/cuda/stream/in_place.cuh"
#include "kernels/cuda/stream/rates.cuh"
#include "kernels/cuda/sweep/units.cuh"

/* What it takes may be this part of the memory for the cache; more, if it costs streams, of which
 * so many are left. */
#define SWEEP_READING_SHARE 2
#define SWEEP_READING_STREAMS 4
#define SWEEP_READING_BLOCKS 4 /* on a multiprocessor */
/* A search that sees no more edges ends soon. */
#define SWEEP_FEW_EDGES 256
#define SWEEP_MAY_END_SOON(request)                                                                \
  (SWEEP_FRONTIER && PROGRAM_NEEDS_SOURCE && !PROGRAM_ROUNDS && (request)->inputs.num_sources == 1)

namespace {

/* Streams that keep their buffers beside so many bytes, of `room` for all of it; 0: there is no
 * room for these. They cost the cache first, then streams: what is read is not moved. */
inline uint64_t sweep_streams_beside(const struct qn_stream_plan *plan, uint64_t room,
                                     uint64_t bytes) {
  const uint64_t streams = plan->num_streams;
  if (bytes <= (room - streams * plan->batch_bytes) / SWEEP_READING_SHARE)
    return streams;
  const uint64_t least = std::min<uint64_t>(streams, SWEEP_READING_STREAMS);
  return bytes + least * plan->batch_bytes > room
             ? 0
             : std::min(streams, (room - bytes) / plan->batch_bytes);
}

/* Is the container to be pinned, and does the device reach that by its address on the host? Then
 * make room for so many bytes of device memory, if enough of it is left. */
inline bool sweep_may_read(struct sweep_run *run, uint64_t bytes) {
  struct qn_stream_plan *plan = &run->request->device->report.plan;
  int reaches = 0;
  if (cudaDeviceGetAttribute(&reaches, cudaDevAttrCanUseHostPointerForRegisteredMem,
                             run->memory.device.index) != cudaSuccess)
    cudaGetLastError();
  if (!reaches || run->request->device->streaming.moves != QN_MOVE_ACTIVE || plan->pin_bytes == 0)
    return false;
  const uint64_t usable = qn_cuda_plannable_bytes(&run->memory.device, run->memory.cap);
  const uint64_t room = usable - plan->attribute_bytes;
  const uint64_t streams = sweep_streams_beside(plan, room, bytes);
  if (streams == 0)
    return false;
  plan->num_streams = (unsigned)streams;
  plan->attribute_bytes += bytes;
  const uint64_t left = room - bytes - streams * plan->batch_bytes;
  if (plan->cache_bytes > left) {
    plan->cache_units = left / plan->unit_bytes;
    plan->cache_bytes = plan->cache_units * plan->unit_bytes;
  }
  return true;
}

/* Are all of these bytes of the container pinned, as it was when pins were counted? */
inline bool sweep_is_pinned(const struct sweep_run *run, uint64_t count, const void *data,
                            uint64_t bytes) {
  const uint8_t *at = (const uint8_t *)data, *end = at + bytes;
  bool pinned = true;
  while (at < end && pinned)
    at += qn_unit_pins_reach(run->pins, count, at, (uint64_t)(end - at), &pinned);
  return pinned;
}

/* Before the first iteration: what reading costs. The first of the device's units go to the cache,
 * as many as it has room for: all lie there that would be on the device if it had room for all. One
 * moves in any case: the first copy takes milliseconds. */
inline enum qn_status sweep_begin_reading(struct sweep_run *run, struct qn_read_costs *bus,
                                          struct qn_error *error) {
  struct qn_stream_figures ignored;
  uint64_t left = std::max<uint64_t>(run->request->device->report.plan.cache_units, 1);
  auto walk_nothing = [](void *, const struct qn_unit_entry *, uint64_t, cudaStream_t,
                         struct qn_error *) { return QN_OK; };
  enum qn_status status = qn_unit_stream_read_costs(run->stream, bus, error);
  if (status)
    return status;
  for (uint64_t unit = 0; unit < run->source->num_units; unit++) {
    run->host_flags[unit] = left > 0 && (!run->mine || run->mine[unit]);
    left -= run->host_flags[unit];
  }
  return qn_unit_stream_run(run->stream, run->host_flags, walk_nothing, NULL, &ignored, error);
}

/* Begin: `launch(blocks, stream)` a kernel that reads the listed units, which `units` gets, and
 * counts bytes in `counts`. */
template <class Counts, class Launch>
enum qn_status in_place_begin(struct sweep_run *run, struct qn_unit_reader *reader, Counts *counts,
                              uint32_t *units, Launch launch, struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (reader->num_read == 0)
    return QN_OK;
  status = qn_unit_reader_begin(reader, run->stream, units, counts, sizeof *counts, error);
  if (status)
    return status;
  launch((unsigned)run->memory.device.multiprocessors * SWEEP_READING_BLOCKS, reader->stream);
  return qn_unit_reader_launched(reader, error);
}

/* Does a search from `first` alone end before it has seen more than a few edges? Then nothing is
 * read in place: to pin the container and to fill the cache would take longer than all of it.
 * each_edge(vertex, visit) calls visit(neighbour) for its edges until that returns false, and
 * returns false then, or if the input has changed. */
template <class EachEdge>
bool sweep_ends_soon(const struct qn_run_request *request, uint32_t first, EachEdge each_edge) {
  uint32_t found[SWEEP_FEW_EDGES + 1] = {first};
  uint32_t count = 1, edges = 0;
  if (qn_state_resumed(request))
    return false;
  auto see = [&](uint32_t neighbour) {
    if (std::find(found, found + count, neighbour) == found + count && count <= SWEEP_FEW_EDGES)
      found[count++] = neighbour;
    return ++edges <= SWEEP_FEW_EDGES;
  };
  for (uint32_t i = 0; i < count; i++)
    if (!each_edge(found[i], see))
      return false;
  return true;
}

} /* namespace */
