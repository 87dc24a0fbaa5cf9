/* Reading units of a topology that is streamed where they lie, in pinned memory of the container:
 * whether a run may, what it costs, and whether a search is too short for it. Who reads what is the
 * engine's (rows/zero_copy.cuh, unit_reading.cuh). */
#pragma once

#include <algorithm>

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

/* What reads units in an iteration, beside those that move: kernels in a stream of their own. Zero
 * it before use. */
struct in_place_reader {
  cudaStream_t stream;
  cudaEvent_t before;
  uint32_t *list; /* [units] to be read */
  uint32_t num_read;
  bool reads; /* this iteration */
};

inline enum qn_status in_place_create(struct in_place_reader *reader, struct qn_error *error) {
  enum qn_status status =
      qn_cuda_status(cudaEventCreateWithFlags(&reader->before, cudaEventDisableTiming),
                     "creating an event", error);
  return status ? status
                : qn_cuda_status(cudaStreamCreateWithFlags(&reader->stream, cudaStreamNonBlocking),
                                 "creating a CUDA stream", error);
}

/* Nothing is read any more. A zeroed struct is allowed. */
inline void in_place_wait(const struct in_place_reader *reader) {
  if (reader->stream)
    cudaStreamSynchronize(reader->stream);
}

inline void in_place_destroy(struct in_place_reader *reader) {
  in_place_wait(reader);
  if (reader->stream)
    cudaStreamDestroy(reader->stream);
  if (reader->before)
    cudaEventDestroy(reader->before);
}

/* Begin: `launch(blocks, stream)` a kernel that reads the listed units, which `units` gets, and
 * counts bytes in `counts`, after what the default stream has left. */
template <class Counts, class Launch>
enum qn_status in_place_begin(struct sweep_run *run, struct in_place_reader *reader, Counts *counts,
                              uint32_t *units, Launch launch, struct qn_error *error) {
  const uint64_t bytes = reader->num_read * sizeof *units;
  cudaError_t result = cudaSuccess;
  if (reader->num_read == 0)
    return QN_OK;
  result = cudaMemsetAsync(counts, 0, sizeof *counts, NULL);
  if (result == cudaSuccess)
    result = cudaMemcpy(units, reader->list, bytes, cudaMemcpyHostToDevice);
  if (result == cudaSuccess)
    result = cudaEventRecord(reader->before, NULL);
  if (result == cudaSuccess)
    result = cudaStreamWaitEvent(reader->stream, reader->before, 0);
  if (result != cudaSuccess)
    return qn_cuda_status(result, "reading rows", error);
  run->memory.copy_bytes += bytes;
  reader->reads = true;
  launch((unsigned)run->memory.device.multiprocessors * SWEEP_READING_BLOCKS, reader->stream);
  return qn_cuda_launched("reading rows", error);
}

/* Until all is read. */
template <class Counts>
enum qn_status in_place_end(struct sweep_run *run, struct in_place_reader *reader,
                            const Counts *counts, struct qn_error *error) {
  Counts told;
  if (!reader->reads)
    return QN_OK;
  reader->reads = false;
  enum qn_status status =
      qn_cuda_status(cudaStreamSynchronize(reader->stream), "reading rows", error);
  if (!status)
    status = sweep_read(run, &told, counts, 1, sizeof told, error);
  if (status)
    return status;
  run->moved.active_units += reader->num_read;
  run->moved.moved_units += reader->num_read;
  run->moved.moved_bytes += told.bytes;
  run->moved.direct_bytes += told.bytes;
  return QN_OK;
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
