#include "kernels/cuda/stream/stream_state.cuh"

#include <string.h>

#include "kernels/cuda/stream/follow.cuh"
#include "kernels/cuda/stream/keep.cuh"
#include "kernels/cuda/stream/rates.cuh"
#include "support/threads.h"

/* The batches of what was copied ahead are on their lanes already; those of what is cached follow
 * each other on the next one; the others take turns, after those. */
static void choose_lanes(struct qn_unit_stream *stream) {
  struct qn_unit_list *list = &stream->list;
  const struct qn_unit_ahead *ahead = &list->ahead;
  const unsigned lanes = stream->plan.num_streams;
  unsigned lane = stream->lane, of_ahead = 0;
  uint32_t end = ahead->batches[0].count;
  if (ahead->num_batches > 0)
    lane = ahead->batches[0].lane;
  else if (list->num_resident > 0)
    lane = (lane + 1) % lanes;
  for (uint64_t i = 0; i < list->num_batches; i++) {
    struct qn_unit_batch *batch = &list->batches[i];
    while (batch->was_ahead && batch->uses->ahead > end)
      end += ahead->batches[++of_ahead].count;
    batch->lane = batch->resident    ? stream->lane
                  : batch->was_ahead ? ahead->batches[of_ahead].lane
                                     : lane;
    if (!batch->resident && !batch->was_ahead)
      lane = (lane + 1) % lanes;
  }
  stream->lane = lane;
}

/* The list of an iteration, whose batches are numbered after all before. */
static void begin_list(struct qn_unit_stream *stream, const uint8_t *flags) {
  const double begin = qn_seconds();
  qn_unit_list_make(&stream->list, flags, stream->goes_on);
  choose_lanes(stream);
  qn_unit_ahead_forget(&stream->list.ahead);
  stream->list.figures.find_seconds = qn_seconds() - begin;
  stream->goes_on = false;
  stream->base = stream->end;
  stream->end += stream->list.num_batches;
  stream->ahead = stream->end;
  qn_unit_readers_add(&stream->readers, stream->list.num_batches);
}

void qn_unit_stream_begin(struct qn_unit_stream *stream, const uint8_t *flags) {
  begin_list(stream, flags);
  stream->list.figures.find_seconds = 0; /* of the iteration, that is */
  stream->begun = true;
}

/* Let readers fill what has been sent; at most half of the stages may wait for the bus. */
static enum qn_status free_stages(struct qn_unit_stream *stream, uint64_t number,
                                  struct qn_error *error) {
  const uint64_t num_stages = stream->plan.num_stages, in_flight = num_stages / 2;
  cudaError_t result = cudaSuccess;
  for (; stream->freed + in_flight < number && result == cudaSuccess; stream->freed++)
    result = cudaEventSynchronize(stream->sent[stream->freed % num_stages]);
  while (stream->freed < number && result == cudaSuccess) {
    result = cudaEventQuery(stream->sent[stream->freed % num_stages]);
    stream->freed += result == cudaSuccess;
  }
  if (result == cudaErrorNotReady)
    result = (cudaGetLastError(), cudaSuccess);
  if (result != cudaSuccess)
    return qn_cuda_status(result, "waiting for a copy to the device", error);
  qn_unit_readers_allow(&stream->readers, stream->freed);
  return QN_OK;
}

/* Mostly it was walked long ago: to wait would cost the bus 5 us. */
static cudaError_t wait_for_buffer(struct qn_unit_stream *stream, const struct qn_unit_lane *lane) {
  const cudaError_t result = cudaEventQuery(lane->walked);
  if (result != cudaErrorNotReady)
    return result;
  cudaGetLastError();
  return cudaStreamWaitEvent(stream->bus, lane->walked, 0);
}

/* Has the bus nothing to do? */
static bool is_idle(const struct qn_unit_stream *stream) {
  const uint64_t last = (stream->copied + stream->plan.num_stages - 1) % stream->plan.num_stages;
  const cudaError_t result = cudaEventQuery(stream->sent[last]);
  if (result != cudaSuccess)
    cudaGetLastError();
  return result == cudaSuccess;
}

/* If the bus has waited for the readers longer than it takes to do without them, they are. */
static void wait_for_readers(struct qn_unit_stream *stream, uint64_t number) {
  const double begin = qn_seconds();
  qn_unit_readers_wait(&stream->readers, number);
  const double seconds = qn_seconds() - begin;
  if (!is_idle(stream))
    return;
  stream->wait_seconds += seconds;
  stream->waited += seconds;
  if (stream->waited < qn_unit_pins_cost(stream->pins))
    return;
  qn_unit_pins_more(stream->pins, UINT64_MAX);
  stream->waited = 0;
}

/* Send the next batch to its lane's buffer, once the one there has been walked. */
static enum qn_status copy_batch(struct qn_unit_stream *stream, struct qn_error *error) {
  const uint64_t number = stream->copied;
  const struct qn_unit_batch *batch = batch_of(stream, number);
  uint64_t direct;
  enum qn_status status = free_stages(stream, number, error);
  if (status)
    return status;
  wait_for_readers(stream, number);
  cudaError_t result = wait_for_buffer(stream, lane_of(stream, number));
  if (result == cudaSuccess)
    status = qn_unit_trace_begin(&stream->trace, number, batch->lane, batch->count, batch->bytes,
                                 stream->bus, error);
  if (status)
    return status;
  if (result == cudaSuccess)
    result = qn_unit_copies_send(copies_of(stream, number), stream->bus);
  if (result == cudaSuccess)
    result = cudaEventRecord(stream->sent[number % stream->plan.num_stages], stream->bus);
  if (result != cudaSuccess)
    return qn_cuda_status(result, "sending a part of the graph to the device", error);
  stream->copied++;
  const uint64_t bytes = qn_unit_copies_bytes(copies_of(stream, number), &direct);
  stream->memory->copy_bytes += bytes;
  stream->direct_bytes += direct;
  return qn_unit_trace_copied(&stream->trace, number, stream->bus, error);
}

/* Before units are kept where others lie that this iteration walks, all on one lane. */
static cudaError_t wait_for_residents(struct qn_unit_stream *stream, cudaStream_t on) {
  return stream->list.num_resident > 0
             ? cudaStreamWaitEvent(on, lane_of(stream, stream->base)->walked, 0)
             : cudaSuccess;
}

/* Keep and walk a batch that has been sent. */
static enum qn_status walk_batch(struct qn_unit_stream *stream, uint64_t number, qn_unit_walk *walk,
                                 void *user, struct qn_error *error) {
  const struct qn_unit_batch *batch = batch_of(stream, number);
  const struct qn_unit_entry *entries = (const struct qn_unit_entry *)buffer_of(stream, number);
  struct qn_unit_lane *lane = lane_of(stream, number);
  cudaError_t result = cudaSuccess;
  if (!lane->waited)
    result = cudaStreamWaitEvent(lane->stream, stream->before, 0);
  lane->waited = true;
  if (result == cudaSuccess)
    result = cudaStreamWaitEvent(lane->stream, stream->sent[number % stream->plan.num_stages], 0);
  if (batch->takes_over && result == cudaSuccess)
    result = wait_for_residents(stream, lane->stream);
  enum qn_status status = qn_cuda_status(result, "waiting for a part of the graph", error);
  if (!status)
    status = qn_unit_trace_walking(&stream->trace, number, lane->stream, error);
  if (status)
    return status;
  if (batch->keeps) {
    status = qn_unit_keep(entries, batch->count, lane->stream, error);
  }
  if (!status)
    status = walk(user, entries, batch->count, lane->stream, error);
  if (!status)
    status = qn_cuda_status(cudaEventRecord(lane->walked, lane->stream),
                            "walking a part of the graph", error);
  return status ? status : qn_unit_trace_end(&stream->trace, number, lane->stream, error);
}

static enum qn_status walk_list(struct qn_unit_stream *stream, qn_unit_walk *walk, void *user,
                                struct qn_error *error) {
  const uint64_t end = stream->base + stream->list.num_batches;
  enum qn_status status = QN_OK;
  for (uint64_t number = stream->base; number < end && !status; number++) {
    if (number == stream->copied)
      status = copy_batch(stream, error);
    if (!status)
      status = walk_batch(stream, number, walk, user, error);
  }
  return status;
}

/* If it does need most units again, there is work for the bus until it knows (ahead.cuh). */
static bool is_worth_guessing(const struct qn_unit_stream *stream) {
  const struct qn_stream_figures *figures = &stream->list.figures;
  return figures->active_units * 2 >= stream->source->num_units && !stream->source->moves_once;
}

static enum qn_status copy_ahead(struct qn_unit_stream *stream, struct qn_error *error) {
  struct qn_unit_ahead *ahead = &stream->list.ahead;
  struct qn_unit_entry *entries = ahead->entries;
  enum qn_status status = QN_OK;
  if (!is_worth_guessing(stream))
    return QN_OK;
  qn_unit_ahead_guess(ahead, &stream->list, stream->plan.num_streams - 1);
  for (unsigned i = 0; i < ahead->num_batches; i++) {
    ahead->batches[i].lane = stream->lane;
    stream->lane = (stream->lane + 1) % stream->plan.num_streams;
  }
  stream->end += ahead->num_batches;
  qn_unit_readers_add(&stream->readers, ahead->num_batches);
  for (unsigned i = 0; i < ahead->num_batches && !status; i++) {
    const uint64_t number = stream->copied, count = ahead->batches[i].count;
    status = copy_batch(stream, error);
    if (!status)
      status = qn_unit_trace_ahead(&stream->trace, number, stream->bus, error);
    memcpy(entries, stage_of(stream, number), count * sizeof *entries);
    entries += count;
  }
  return status;
}

enum qn_status qn_unit_stream_wait(struct qn_unit_stream *stream, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (unsigned i = 0; i < stream->plan.num_streams && !status; i++) {
    if (stream->lanes[i].waited)
      status = qn_cuda_status(cudaEventSynchronize(stream->lanes[i].walked),
                              "walking a part of the graph", error);
    stream->lanes[i].waited = false;
  }
  return status ? status : qn_unit_trace_flush(&stream->trace, error);
}

enum qn_status qn_unit_stream_follow(struct qn_unit_stream *stream, cudaStream_t other,
                                     struct qn_error *error) {
  cudaError_t result = cudaStreamWaitEvent(other, stream->before, 0);
  for (unsigned i = 0; i < stream->plan.num_streams && result == cudaSuccess; i++)
    if (stream->lanes[i].waited)
      result = cudaStreamWaitEvent(other, stream->lanes[i].walked, 0);
  return qn_cuda_status(result, "following the walks of a part of the graph", error);
}

enum qn_status qn_unit_stream_part(struct qn_unit_stream *stream, const uint8_t *flags,
                                   qn_unit_walk *walk, void *user,
                                   struct qn_stream_figures *figures, struct qn_error *error) {
  const uint64_t direct_bytes = stream->direct_bytes;
  const double wait_seconds = stream->wait_seconds;
  if (!stream->begun)
    begin_list(stream, flags);
  stream->begun = false;
  *figures = stream->list.figures;
  enum qn_status status = qn_cuda_status(cudaEventRecord(stream->before, NULL),
                                         "recording the start of an iteration", error);
  if (!status)
    status = walk_list(stream, walk, user, error);
  figures->direct_bytes = stream->direct_bytes - direct_bytes;
  figures->wait_seconds = stream->wait_seconds - wait_seconds;
  return status;
}

enum qn_status qn_unit_stream_run(struct qn_unit_stream *stream, const uint8_t *flags,
                                  qn_unit_walk *walk, void *user, struct qn_stream_figures *figures,
                                  struct qn_error *error) {
  const bool is_whole = !stream->goes_on;
  const uint64_t direct_bytes = stream->direct_bytes;
  const double wait_seconds = stream->wait_seconds;
  enum qn_status status = qn_unit_stream_part(stream, flags, walk, user, figures, error);
  if (!status && is_whole)
    status = copy_ahead(stream, error);
  if (!status)
    status = qn_unit_stream_wait(stream, error);
  figures->direct_bytes = stream->direct_bytes - direct_bytes;
  figures->wait_seconds = stream->wait_seconds - wait_seconds;
  return status;
}

void qn_unit_stream_holds(const struct qn_unit_stream *stream, uint8_t *holds) {
  const struct qn_unit_cache *cache = &stream->list.cache;
  const struct qn_unit_ahead *ahead = &stream->list.ahead;
  memset(holds, 0, stream->source->num_units);
  for (uint32_t slot = 0; slot < cache->num_used; slot++)
    holds[cache->unit_of_slot[slot]] = 1;
  for (uint32_t i = 0; i < ahead->count; i++)
    holds[ahead->uses[i].unit] = 1;
}

void qn_unit_stream_go_on(struct qn_unit_stream *stream) {
  stream->goes_on = true;
}
