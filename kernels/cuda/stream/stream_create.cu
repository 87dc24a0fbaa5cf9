#include "kernels/cuda/stream/stream_state.cuh"

#include "kernels/cuda/stream/rates.cuh"
#include "support/memory.h"

/* ---- What the reader threads do ---------------------------------------------------- */

static unsigned begin_batch(void *user, uint64_t number) {
  struct qn_unit_stream *stream = (struct qn_unit_stream *)user;
  stream->num_pinned[number % stream->plan.num_stages] = qn_unit_pins_count(stream->pins);
  return qn_unit_parts(batch_of(stream, number));
}

static void fill_part(void *user, uint64_t number, unsigned part) {
  const struct qn_unit_stream *stream = (const struct qn_unit_stream *)user;
  const struct qn_unit_target target = {
      stream->pins, stream->num_pinned[number % stream->plan.num_stages], stage_of(stream, number),
      buffer_of(stream, number), stream->cached};
  const uint64_t later = number + stream->plan.num_stages;
  if (part == 0 && later < stream->end)
    qn_unit_read_ahead(&stream->list, batch_of(stream, later));
  qn_unit_gather(&stream->list, batch_of(stream, number), &target, part, copies_of(stream, number));
}

static enum qn_status create_readers(struct qn_unit_stream *stream, struct qn_error *error) {
  const struct qn_stream_plan *plan = &stream->plan;
  const struct qn_unit_filling filling = {begin_batch, fill_part, stream};
  enum qn_status status = qn_alloc_zeroed(&stream->num_pinned, plan->num_stages,
                                          sizeof *stream->num_pinned, "staging buffers", error);
  return status ? status
                : qn_unit_readers_create(&stream->readers, plan->num_readers, plan->num_stages,
                                         &filling, error);
}

/* ---- Making it ---------------------------------------------------------------------- */

static enum qn_status create_streams(struct qn_unit_stream *stream, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&stream->sent, stream->plan.num_stages,
                                          sizeof *stream->sent, "staging buffers", error);
  if (status)
    return status;
  cudaError_t result = cudaEventCreateWithFlags(&stream->before, cudaEventDisableTiming);
  for (unsigned i = 0; i < stream->plan.num_streams && result == cudaSuccess; i++)
    result = cudaEventCreateWithFlags(&stream->lanes[i].walked, cudaEventDisableTiming);
  for (unsigned i = 0; i < stream->plan.num_stages && result == cudaSuccess; i++)
    result = cudaEventCreateWithFlags(&stream->sent[i], cudaEventDisableTiming);
  for (unsigned i = 0; i < stream->plan.num_streams && result == cudaSuccess; i++)
    result = cudaStreamCreateWithFlags(&stream->lanes[i].stream, cudaStreamNonBlocking);
  if (result == cudaSuccess)
    result = cudaStreamCreateWithFlags(&stream->bus, cudaStreamNonBlocking);
  return qn_cuda_status(result, "creating a CUDA stream", error);
}

static enum qn_status create_buffers(struct qn_unit_stream *stream, struct qn_error *error) {
  const struct qn_stream_plan *plan = &stream->plan;
  enum qn_status status = qn_cuda_alloc(stream->memory, &stream->buffers, plan->num_streams,
                                        plan->batch_bytes, "streaming buffers", error);
  if (!status && plan->cache_units)
    status = qn_cuda_alloc(stream->memory, &stream->cached, plan->cache_units, plan->unit_bytes,
                           "the cache of the graph's units", error);
  if (!status)
    status = qn_alloc_zeroed(&stream->copies, plan->num_stages, sizeof *stream->copies,
                             "lists of copies", error);
  if (!status)
    status =
        qn_cuda_status(cudaHostAlloc((void **)&stream->stages, plan->num_stages * plan->batch_bytes,
                                     cudaHostAllocDefault),
                       "allocating pinned memory", error);
  return status;
}

/* At least a chunk is pinned, so that the plan can say whether that works. */
static enum qn_status open_pins(struct qn_unit_stream *stream, struct qn_error *error) {
  struct qn_stream_plan *plan = &stream->plan;
  if (plan->pin_bytes == 0)
    return QN_OK;
  enum qn_status status = qn_unit_pins_open(&stream->pins, stream->source, plan->pin_bytes, error);
  if (status)
    return status;
  qn_unit_pins_settle(stream->pins);
  if (plan->pins_first || qn_unit_pins_bytes(stream->pins) == 0)
    qn_unit_pins_more(stream->pins, plan->pins_first ? UINT64_MAX : 1);
  plan->pin_refusal = qn_unit_pins_refusal(stream->pins);
  plan->pin_bytes =
      plan->pin_refusal ? qn_unit_pins_bytes(stream->pins) : qn_unit_pins_wanted(stream->pins);
  return QN_OK;
}

enum qn_status qn_unit_stream_create(struct qn_unit_stream **out, struct qn_cuda_memory *memory,
                                     const struct qn_unit_source *source,
                                     const struct qn_stream_options *options,
                                     struct qn_stream_plan *plan, struct qn_error *error) {
  struct qn_unit_stream *stream;
  enum qn_status status = qn_alloc_zeroed(&stream, 1, sizeof *stream, "streams", error);
  *out = NULL;
  if (status)
    return status;
  stream->memory = memory;
  stream->source = source;
  stream->plan = *plan;
  status = qn_unit_list_create(&stream->list, source, plan, error);
  if (!status)
    status = create_buffers(stream, error);
  if (!status)
    status = create_streams(stream, error);
  if (!status)
    status = qn_unit_trace_create(&stream->trace, options, 2 * plan->num_streams, error);
  if (!status && options->measure)
    status = qn_unit_measure(&stream->plan, stream->buffers, stream->stages, stream->bus, error);
  if (!status)
    status = open_pins(stream, error);
  if (!status)
    status = create_readers(stream, error);
  if (status) {
    qn_unit_stream_destroy(stream);
    return status;
  }
  *plan = stream->plan;
  *out = stream;
  return QN_OK;
}

enum qn_status qn_unit_stream_read_costs(struct qn_unit_stream *stream, struct qn_read_costs *costs,
                                         struct qn_error *error) {
  return qn_read_costs_measure(&stream->plan, stream->buffers, stream->stages, stream->bus, costs,
                               error);
}

void qn_unit_stream_destroy(struct qn_unit_stream *stream) {
  if (!stream)
    return;
  qn_unit_readers_destroy(&stream->readers);
  if (stream->bus) {
    cudaStreamSynchronize(stream->bus); /* nothing may read the stages any more */
    cudaStreamDestroy(stream->bus);
  }
  for (unsigned i = 0; i < stream->plan.num_streams; i++) {
    if (stream->lanes[i].stream) {
      cudaStreamSynchronize(stream->lanes[i].stream);
      cudaStreamDestroy(stream->lanes[i].stream);
    }
    if (stream->lanes[i].walked)
      cudaEventDestroy(stream->lanes[i].walked);
  }
  qn_unit_trace_destroy(&stream->trace);
  for (unsigned i = 0; stream->sent && i < stream->plan.num_stages; i++)
    if (stream->sent[i])
      cudaEventDestroy(stream->sent[i]);
  if (stream->before)
    cudaEventDestroy(stream->before);
  if (stream->stages)
    cudaFreeHost(stream->stages);
  qn_unit_pins_close(stream->pins);
  qn_cuda_release(stream->memory, stream->buffers);
  qn_cuda_release(stream->memory, stream->cached);
  qn_unit_list_destroy(&stream->list);
  qn_free(stream->num_pinned);
  qn_free(stream->copies);
  qn_free(stream->sent);
  qn_free(stream);
}
