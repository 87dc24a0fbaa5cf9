#include "kernels/cuda/unit_stream.cuh"

#include <string.h>

#include "kernels/cuda/unit_gather.cuh"
#include "kernels/cuda/unit_keep.cuh"
#include "kernels/cuda/unit_list.cuh"
#include "kernels/cuda/unit_pins.cuh"
#include "kernels/cuda/unit_rates.cuh"
#include "kernels/cuda/unit_readers.cuh"
#include "kernels/cuda/unit_trace.cuh"
#include "support/memory.h"
#include "support/threads.h"

/* In so many iterations what is gained by pinning is more than it costs. */
#define MANY_PASSES 8

struct lane {
  cudaStream_t stream;
  cudaEvent_t walked; /* the last batch in its buffer */
  bool waited;        /* for what came before the iteration */
};

/* Batches are numbered over all iterations: number n is gathered in stage n % num_stages, sent to
 * the buffer of lane n % num_streams and walked on that lane. All are sent on one stream: copies of
 * several streams leave the bus idle for 4 us between any two, those of one for 3 (H200). */
struct qn_unit_stream {
  struct qn_cuda_memory *memory;
  const struct qn_unit_source *source;
  struct qn_stream_plan plan;
  struct qn_unit_list list;      /* of the running iteration, or the next one's begin */
  uint64_t base;                 /* number of the list's first batch */
  uint64_t copied;               /* batches before have been copied to their lanes, or will be */
  uint64_t freed;                /* stages of batches before are free again */
  bool goes_on;                  /* the next list is for the iteration of the last one */
  bool ahead;                    /* the list is the next iteration's, of all units */
  uint8_t *cached;               /* device: [cache_units x unit_bytes] */
  uint8_t *buffers;              /* device: [num_streams x batch_bytes] */
  uint8_t *stages;               /* pinned: [num_stages x batch_bytes] */
  struct qn_unit_copies *copies; /* [num_stages] what makes their batches */
  struct qn_unit_pins *pins;     /* NULL: all is gathered */
  double waited;                 /* seconds, for readers, since pinning was considered */
  double wait_seconds;           /* for readers, in all */
  uint64_t direct_bytes;         /* of all batches: not from stages */
  struct lane lanes[QN_MAX_STREAMS];
  cudaStream_t bus;  /* where copies run */
  cudaEvent_t *sent; /* [num_stages] the stage's last copy */
  cudaEvent_t before;
  struct qn_unit_readers readers;
  struct qn_unit_trace trace;
};

static struct lane *lane_of(struct qn_unit_stream *stream, uint64_t number) {
  return &stream->lanes[number % stream->plan.num_streams];
}

static uint8_t *buffer_of(const struct qn_unit_stream *stream, uint64_t number) {
  return stream->buffers + number % stream->plan.num_streams * stream->plan.batch_bytes;
}

static uint8_t *stage_of(const struct qn_unit_stream *stream, uint64_t number) {
  return stream->stages + number % stream->plan.num_stages * stream->plan.batch_bytes;
}

static struct qn_unit_copies *copies_of(const struct qn_unit_stream *stream, uint64_t number) {
  return &stream->copies[number % stream->plan.num_stages];
}

static const struct qn_unit_batch *batch_of(const struct qn_unit_stream *stream, uint64_t number) {
  return &stream->list.batches[number - stream->base];
}

static uint64_t list_end(const struct qn_unit_stream *stream) {
  return stream->base + stream->list.num_batches;
}

/* What the reader threads do. */
static void fill_batch(void *user, uint64_t number) {
  const struct qn_unit_stream *stream = (const struct qn_unit_stream *)user;
  const uint64_t later = number + stream->readers.num_threads;
  if (later < list_end(stream))
    qn_unit_read_ahead(&stream->list, batch_of(stream, later));
  qn_unit_gather(&stream->list, batch_of(stream, number), stream->pins, stage_of(stream, number),
                 buffer_of(stream, number), stream->cached, copies_of(stream, number));
}

/* ---- What the sender does --------------------------------------------------------- */

/* The list of an iteration follows the one before, of which nothing is left to copy. */
static void begin_list(struct qn_unit_stream *stream, const uint8_t *flags) {
  const double begin = qn_seconds();
  stream->base = list_end(stream);
  qn_unit_list_make(&stream->list, flags, stream->goes_on);
  stream->list.figures.find_seconds = qn_seconds() - begin;
  stream->goes_on = false;
  qn_unit_readers_add(&stream->readers, stream->list.num_batches);
}

/* A list that was begun ahead in vain. The cache is as before: what a list of all units keeps, the
 * one before, of all units too, has kept. */
static void drop_list(struct qn_unit_stream *stream) {
  qn_unit_readers_skip(&stream->readers);
  stream->copied = list_end(stream);
  stream->ahead = false;
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
static cudaError_t wait_for_buffer(struct qn_unit_stream *stream, const struct lane *lane) {
  const cudaError_t result = cudaEventQuery(lane->walked);
  if (result != cudaErrorNotReady)
    return result;
  cudaGetLastError();
  return cudaStreamWaitEvent(stream->bus, lane->walked, 0);
}

/* If the readers have been waited for longer than it takes to do without them, they are. */
static void wait_for_readers(struct qn_unit_stream *stream, uint64_t number) {
  const double begin = qn_seconds();
  qn_unit_readers_wait(&stream->readers, number);
  const double seconds = qn_seconds() - begin;
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
    status =
        qn_unit_trace_begin(&stream->trace, number, (unsigned)(number % stream->plan.num_streams),
                            batch->count, batch->bytes, stream->bus, error);
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

/* Before units are kept where others lie that this iteration walks. */
static cudaError_t wait_for_residents(struct qn_unit_stream *stream, cudaStream_t on) {
  cudaError_t result = cudaSuccess;
  for (uint64_t i = 0; i < stream->list.num_resident && i < stream->plan.num_streams; i++)
    if (result == cudaSuccess)
      result = cudaStreamWaitEvent(on, lane_of(stream, stream->base + i)->walked, 0);
  return result;
}

/* Keep and walk a batch that has been sent. */
static enum qn_status walk_batch(struct qn_unit_stream *stream, uint64_t number, qn_unit_walk *walk,
                                 void *user, struct qn_error *error) {
  const struct qn_unit_batch *batch = batch_of(stream, number);
  const struct qn_unit_entry *entries = (const struct qn_unit_entry *)buffer_of(stream, number);
  struct lane *lane = lane_of(stream, number);
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
  const uint64_t end = list_end(stream);
  enum qn_status status = QN_OK;
  for (uint64_t number = stream->base; number < end && !status; number++) {
    if (number == stream->copied)
      status = copy_batch(stream, error);
    if (!status)
      status = walk_batch(stream, number, walk, user, error);
  }
  return status;
}

/* The next iteration needs the same units: one batch can go to each lane before the iteration
 * begins, so that the bus has work while the last walks end and the vertices are updated. */
static enum qn_status copy_ahead(struct qn_unit_stream *stream, struct qn_error *error) {
  enum qn_status status = QN_OK;
  begin_list(stream, NULL);
  stream->ahead = true;
  for (unsigned i = 0; i < stream->plan.num_streams && i < stream->list.num_batches && !status; i++)
    status = copy_batch(stream, error);
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

enum qn_status qn_unit_stream_part(struct qn_unit_stream *stream, const uint8_t *flags,
                                   qn_unit_walk *walk, void *user,
                                   struct qn_stream_figures *figures, struct qn_error *error) {
  const uint64_t direct_bytes = stream->direct_bytes;
  const double wait_seconds = stream->wait_seconds;
  if (stream->ahead && (flags || stream->goes_on))
    drop_list(stream);
  if (!stream->ahead)
    begin_list(stream, flags);
  stream->ahead = false;
  *figures = stream->list.figures;
  enum qn_status status = qn_cuda_status(cudaEventRecord(stream->before, NULL),
                                         "recording the begin of an iteration", error);
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
  if (!status && !flags && is_whole)
    status = copy_ahead(stream, error);
  if (!status)
    status = qn_unit_stream_wait(stream, error);
  figures->direct_bytes = stream->direct_bytes - direct_bytes;
  figures->wait_seconds = stream->wait_seconds - wait_seconds;
  return status;
}

void qn_unit_stream_go_on(struct qn_unit_stream *stream) {
  stream->goes_on = true;
}

/* ---- Making it -------------------------------------------------------------------- */

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
  if (plan->passes >= MANY_PASSES || qn_unit_pins_bytes(stream->pins) == 0)
    qn_unit_pins_more(stream->pins, plan->passes >= MANY_PASSES ? UINT64_MAX : 1);
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
    status = qn_unit_readers_create(&stream->readers, plan->num_readers, plan->num_stages,
                                    fill_batch, stream, error);
  if (status) {
    qn_unit_stream_destroy(stream);
    return status;
  }
  *plan = stream->plan;
  *out = stream;
  return QN_OK;
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
  qn_free(stream->copies);
  qn_free(stream->sent);
  qn_free(stream);
}
