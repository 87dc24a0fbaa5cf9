#include "kernels/cuda/unit_stream.cuh"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/unit_cache.cuh"
#include "kernels/cuda/unit_readers.cuh"
#include "kernels/cuda/unit_trace.cuh"
#include "support/memory.h"
#include "support/threads.h"

#define KEEP_THREADS 256
#define MEASURED_COPIES 16
#define MEASURED_CALLS 256

/* Consecutive units of the iteration's list that travel together: in a stage and on the device
 * first their entries, then their bytes. */
struct batch {
  uint64_t first;
  uint64_t bytes;
  uint32_t count;
  bool resident; /* entries alone: the units lie in the cache */
  bool keeps;    /* some of them have been given a slot of the cache */
};

struct lane {
  cudaStream_t stream;
  bool waited; /* for what came before the iteration */
};

struct qn_unit_stream {
  struct qn_cuda_memory *memory;
  const struct qn_unit_source *source;
  struct qn_stream_plan plan;
  uint32_t turn; /* counts iterations */
  struct qn_unit_cache cache;
  uint8_t *cached;  /* device: [cache_units x unit_bytes] */
  uint8_t *buffers; /* device: [num_streams x batch_bytes] */
  uint8_t *stages;  /* pinned: [num_stages x batch_bytes] */
  struct lane lanes[QN_MAX_STREAMS];
  cudaEvent_t *sent; /* [num_stages] the stage's last copy */
  cudaEvent_t before;
  struct qn_unit_readers readers;
  struct qn_unit_trace trace;
  /* This iteration's units, those in the cache first, and their slots of the cache. */
  uint32_t *units, *slots;
  uint64_t num_listed;
  struct batch *batches;
  uint64_t num_batches;
};

/* A block a unit; the slots lie 16-byte aligned. */
__global__ void keep_units(const struct qn_unit_entry *entries) {
  const struct qn_unit_entry entry = entries[blockIdx.x];
  const uint64_t *from = reinterpret_cast<const uint64_t *>(entry.bytes);
  uint64_t *to = reinterpret_cast<uint64_t *>(entry.keep);
  for (uint64_t i = threadIdx.x; to && i < entry.num_bytes / sizeof *to; i += blockDim.x)
    to[i] = from[i];
}

__global__ void do_nothing(void) {}

/* ---- What an iteration has to walk ---------------------------------------------- */

/* `action(unit)` for all units whose flag is set. */
template <class Action>
static void each_active(const struct qn_unit_stream *stream, const uint8_t *flags, Action action) {
  const uint64_t num_units = stream->source->num_units;
  for (uint64_t unit = 0; unit < num_units; unit++) {
    uint64_t eight = 1;
    if (flags && unit + sizeof eight <= num_units)
      memcpy(&eight, flags + unit, sizeof eight);
    if (eight == 0)
      unit += sizeof eight - 1;
    else if (!flags || flags[unit])
      action(unit);
  }
}

static void list_unit(struct qn_unit_stream *stream, uint64_t unit, uint32_t slot) {
  stream->units[stream->num_listed] = (uint32_t)unit;
  stream->slots[stream->num_listed++] = slot;
}

/* Units in the cache; then what must be moved. The order of the list is that of walking. */
static void list_units(struct qn_unit_stream *stream, const uint8_t *flags,
                       struct qn_stream_figures *figures) {
  const struct qn_unit_source *source = stream->source;
  stream->num_listed = 0;
  if (stream->cache.num_used > 0)
    each_active(stream, flags, [&](uint64_t unit) {
      const uint32_t slot = qn_unit_cache_find(&stream->cache, unit, stream->turn);
      if (slot != QN_NO_SLOT)
        list_unit(stream, unit, slot);
    });
  figures->cache_hits = stream->num_listed;
  for (int late = 0; late <= (source->is_late != NULL); late++)
    each_active(stream, flags, [&](uint64_t unit) {
      if (source->is_late && source->is_late(source->user, unit) != (late != 0))
        return;
      if (!qn_unit_cache_has(&stream->cache, unit))
        list_unit(stream, unit, QN_NO_SLOT);
    });
  for (uint64_t i = figures->cache_hits; i < stream->num_listed; i++)
    stream->slots[i] = qn_unit_cache_take(&stream->cache, stream->units[i], stream->turn);
  figures->active_units = stream->num_listed;
  figures->moved_units = stream->num_listed - figures->cache_hits;
}

static uint64_t unit_bytes(const struct qn_unit *unit) {
  uint64_t bytes = 0;
  for (unsigned piece = 0; piece < unit->num_pieces; piece++)
    bytes += qn_unit_piece_bytes(&unit->pieces[piece]);
  return bytes;
}

/* Cut the list into batches. */
static void cut_batches(struct qn_unit_stream *stream, struct qn_stream_figures *figures) {
  struct batch *batch = NULL;
  stream->num_batches = 0;
  for (uint64_t i = 0; i < stream->num_listed; i++) {
    const bool resident = i < figures->cache_hits;
    uint64_t bytes = sizeof(struct qn_unit_entry);
    if (!resident) {
      struct qn_unit unit;
      stream->source->describe(stream->source->user, stream->units[i], &unit);
      bytes += unit_bytes(&unit);
    }
    if (!batch || batch->resident != resident || batch->bytes + bytes > stream->plan.batch_bytes) {
      batch = &stream->batches[stream->num_batches++];
      memset(batch, 0, sizeof *batch);
      batch->first = i;
      batch->resident = resident;
    }
    batch->bytes += bytes;
    batch->count++;
    batch->keeps = batch->keeps || (!resident && stream->slots[i] != QN_NO_SLOT);
    figures->moved_bytes += bytes;
  }
  figures->batches = stream->num_batches;
}

/* ---- What readers do -------------------------------------------------------------- */

static void advise_range(uintptr_t begin, uintptr_t end) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  begin -= begin % page;
  if (begin < end) /* no more than advice: memory that is no mapping may refuse it */
    madvise((void *)begin, end - begin, MADV_WILLNEED);
}

/* Let the system read a later batch from storage; units that follow each other in the file make one
 * range. */
static void read_ahead(const struct qn_unit_stream *stream, uint64_t number) {
  uintptr_t begin[QN_UNIT_PIECES] = {0}, end[QN_UNIT_PIECES] = {0};
  if (number >= stream->num_batches || stream->batches[number].resident)
    return;
  const struct batch *batch = &stream->batches[number];
  for (uint64_t i = batch->first; i < batch->first + batch->count; i++) {
    struct qn_unit unit;
    stream->source->describe(stream->source->user, stream->units[i], &unit);
    for (unsigned piece = 0; piece < unit.num_pieces; piece++) {
      const uintptr_t at = (uintptr_t)unit.pieces[piece].data;
      if (at != end[piece]) {
        advise_range(begin[piece], end[piece]);
        begin[piece] = at;
      }
      end[piece] = at + unit.pieces[piece].bytes;
    }
  }
  for (unsigned piece = 0; piece < QN_UNIT_PIECES; piece++)
    advise_range(begin[piece], end[piece]);
}

static uint8_t *slot_at(const struct qn_unit_stream *stream, uint32_t slot) {
  return slot == QN_NO_SLOT ? NULL : stream->cached + slot * stream->source->unit_bytes;
}

/* Copy a unit's pieces; how many bytes they take. */
static uint64_t gather_unit(const struct qn_unit_stream *stream, uint64_t number, uint8_t *to) {
  struct qn_unit unit;
  uint64_t at = 0;
  stream->source->describe(stream->source->user, number, &unit);
  for (unsigned piece = 0; piece < unit.num_pieces; piece++) {
    const struct qn_unit_piece *from = &unit.pieces[piece];
    for (uint64_t run = 0; run <= from->more; run++)
      memcpy(to + at + run * from->bytes, (const char *)from->data + run * from->stride,
             from->bytes);
    at += qn_unit_piece_bytes(from);
  }
  return at;
}

static void fill_batch(void *user, uint64_t number) {
  const struct qn_unit_stream *stream = (const struct qn_unit_stream *)user;
  const struct batch *batch = &stream->batches[number];
  uint8_t *stage = stream->stages + number % stream->plan.num_stages * stream->plan.batch_bytes;
  const uint8_t *buffer =
      stream->buffers + number % stream->plan.num_streams * stream->plan.batch_bytes;
  struct qn_unit_entry *entries = (struct qn_unit_entry *)stage;
  uint64_t at = batch->count * sizeof *entries;
  read_ahead(stream, number + stream->readers.num_threads);
  for (uint32_t i = 0; i < batch->count; i++) {
    const uint32_t unit = stream->units[batch->first + i];
    uint8_t *slot = slot_at(stream, stream->slots[batch->first + i]);
    const uint64_t bytes = batch->resident ? 0 : gather_unit(stream, unit, stage + at);
    entries[i].unit = unit;
    entries[i].bytes = batch->resident ? slot : buffer + at;
    entries[i].keep = batch->resident ? NULL : slot;
    entries[i].num_bytes = bytes;
    at += bytes;
  }
}

/* ---- What the sender does --------------------------------------------------------- */

/* Copy, keep and walk one batch, in order, on its stream. */
static enum qn_status send_batch(struct qn_unit_stream *stream, uint64_t number, qn_unit_walk *walk,
                                 void *user, struct qn_error *error) {
  const struct batch *batch = &stream->batches[number];
  const unsigned lane_number = (unsigned)(number % stream->plan.num_streams);
  const uint64_t stage = number % stream->plan.num_stages;
  struct lane *lane = &stream->lanes[lane_number];
  uint8_t *buffer = stream->buffers + lane_number * stream->plan.batch_bytes;
  const struct qn_unit_entry *entries = (const struct qn_unit_entry *)buffer;
  enum qn_status status = qn_unit_trace_begin(&stream->trace, number, lane_number, batch->count,
                                              batch->bytes, lane->stream, error);
  if (status)
    return status;
  cudaError_t result = cudaMemcpyAsync(buffer, stream->stages + stage * stream->plan.batch_bytes,
                                       batch->bytes, cudaMemcpyHostToDevice, lane->stream);
  if (result == cudaSuccess)
    result = cudaEventRecord(stream->sent[stage], lane->stream);
  if (result == cudaSuccess && !lane->waited)
    result = cudaStreamWaitEvent(lane->stream, stream->before, 0);
  lane->waited = true;
  if (result != cudaSuccess)
    return qn_cuda_status(result, "sending a part of the graph to the device", error);
  status = qn_unit_trace_copied(&stream->trace, number, lane->stream, error);
  if (!status && batch->keeps) {
    QN_LAUNCH(keep_units, batch->count, KEEP_THREADS, 0, lane->stream, entries);
    status = qn_cuda_launched("keeping a part of the graph on the device", error);
  }
  if (!status)
    status = walk(user, entries, batch->count, lane->stream, error);
  return status ? status : qn_unit_trace_end(&stream->trace, number, lane->stream, error);
}

/* Readers fill the stages behind those that are being sent: half of the stages each. */
static enum qn_status send_batches(struct qn_unit_stream *stream, qn_unit_walk *walk, void *user,
                                   struct qn_error *error) {
  const uint64_t num_stages = stream->plan.num_stages, in_flight = num_stages / 2;
  enum qn_status status = QN_OK;
  qn_unit_readers_begin(&stream->readers, stream->num_batches);
  qn_unit_readers_allow(&stream->readers, 0);
  for (uint64_t number = 0, sent = 0; number < stream->num_batches && !status; number++) {
    for (; sent + in_flight < number && !status; sent++)
      status = qn_cuda_status(cudaEventSynchronize(stream->sent[sent % num_stages]),
                              "waiting for a copy to the device", error);
    if (status)
      break;
    qn_unit_readers_allow(&stream->readers, sent);
    qn_unit_readers_wait(&stream->readers, number);
    status = send_batch(stream, number, walk, user, error);
  }
  qn_unit_readers_end(&stream->readers);
  return status;
}

enum qn_status qn_unit_stream_run(struct qn_unit_stream *stream, const uint8_t *flags,
                                  qn_unit_walk *walk, void *user, struct qn_stream_figures *figures,
                                  struct qn_error *error) {
  memset(figures, 0, sizeof *figures);
  stream->turn++;
  list_units(stream, flags, figures);
  cut_batches(stream, figures);
  for (unsigned i = 0; i < stream->plan.num_streams; i++)
    stream->lanes[i].waited = false;
  enum qn_status status = qn_cuda_status(cudaEventRecord(stream->before, NULL),
                                         "recording the begin of an iteration", error);
  if (!status)
    status = send_batches(stream, walk, user, error);
  for (unsigned i = 0; i < stream->plan.num_streams && !status; i++)
    status = qn_cuda_status(cudaStreamSynchronize(stream->lanes[i].stream),
                            "walking a part of the graph", error);
  if (!status)
    status = qn_unit_trace_flush(&stream->trace, error);
  stream->memory->copy_bytes += figures->moved_bytes;
  return status;
}

void qn_unit_stream_go_on(struct qn_unit_stream *stream) {
  stream->turn--;
}

/* ---- Making it -------------------------------------------------------------------- */

static enum qn_status create_streams(struct qn_unit_stream *stream, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&stream->sent, stream->plan.num_stages,
                                          sizeof *stream->sent, "staging buffers", error);
  if (status)
    return status;
  cudaError_t result = cudaEventCreateWithFlags(&stream->before, cudaEventDisableTiming);
  for (unsigned i = 0; i < stream->plan.num_stages && result == cudaSuccess; i++)
    result = cudaEventCreateWithFlags(&stream->sent[i], cudaEventDisableTiming);
  for (unsigned i = 0; i < stream->plan.num_streams && result == cudaSuccess; i++)
    result = cudaStreamCreateWithFlags(&stream->lanes[i].stream, cudaStreamNonBlocking);
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
    status =
        qn_cuda_status(cudaHostAlloc((void **)&stream->stages, plan->num_stages * plan->batch_bytes,
                                     cudaHostAllocDefault),
                       "allocating pinned memory", error);
  return status;
}

static enum qn_status create_lists(struct qn_unit_stream *stream, struct qn_error *error) {
  const uint64_t num_units = stream->source->num_units;
  enum qn_status status =
      qn_unit_cache_create(&stream->cache, num_units, (uint32_t)stream->plan.cache_units, error);
  if (!status)
    status =
        qn_pages_alloc(&stream->units, num_units, sizeof *stream->units, "list of units", error);
  if (!status)
    status =
        qn_pages_alloc(&stream->slots, num_units, sizeof *stream->slots, "list of units", error);
  if (!status)
    status = qn_pages_alloc(&stream->batches, num_units, sizeof *stream->batches,
                            "list of transfers", error);
  return status;
}

/* The rates of the plan: copies of whole batches back to back, and launches. */
static enum qn_status measure(struct qn_unit_stream *stream, struct qn_error *error) {
  const struct qn_stream_plan *plan = &stream->plan;
  cudaStream_t on = stream->lanes[0].stream;
  memset(stream->stages, 0, plan->num_stages * plan->batch_bytes);
  cudaError_t result = cudaSuccess;
  double begin = 0;
  for (int i = -1; i < MEASURED_COPIES && result == cudaSuccess; i++) { /* the first one warms up */
    result = cudaMemcpyAsync(stream->buffers, stream->stages, plan->batch_bytes,
                             cudaMemcpyHostToDevice, on);
    if (result == cudaSuccess && i < 0) {
      result = cudaStreamSynchronize(on);
      begin = qn_seconds();
    }
  }
  if (result == cudaSuccess)
    result = cudaStreamSynchronize(on);
  stream->plan.copy_rate =
      MEASURED_COPIES * (double)plan->batch_bytes / (qn_seconds() - begin + 1e-9);
  for (int i = -1; i < MEASURED_CALLS && result == cudaSuccess; i++) {
    QN_LAUNCH(do_nothing, 1, 32, 0, on);
    result = cudaGetLastError();
    if (result == cudaSuccess && i < 0) {
      result = cudaStreamSynchronize(on);
      begin = qn_seconds();
    }
  }
  if (result == cudaSuccess)
    result = cudaStreamSynchronize(on);
  stream->plan.call_seconds = (qn_seconds() - begin) / MEASURED_CALLS;
  return qn_cuda_status(result, "measuring the device's rates", error);
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
  status = create_lists(stream, error);
  if (!status)
    status = create_buffers(stream, error);
  if (!status)
    status = create_streams(stream, error);
  if (!status)
    status = qn_unit_trace_create(&stream->trace, options, 2 * plan->num_streams, error);
  if (!status && options->measure)
    status = measure(stream, error);
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
  const uint64_t num_units = stream->source->num_units;
  qn_unit_readers_destroy(&stream->readers);
  for (unsigned i = 0; i < stream->plan.num_streams; i++)
    if (stream->lanes[i].stream) {
      cudaStreamSynchronize(stream->lanes[i].stream); /* nothing may read the stages any more */
      cudaStreamDestroy(stream->lanes[i].stream);
    }
  qn_unit_trace_destroy(&stream->trace);
  for (unsigned i = 0; stream->sent && i < stream->plan.num_stages; i++)
    if (stream->sent[i])
      cudaEventDestroy(stream->sent[i]);
  if (stream->before)
    cudaEventDestroy(stream->before);
  if (stream->stages)
    cudaFreeHost(stream->stages);
  qn_cuda_release(stream->memory, stream->buffers);
  qn_cuda_release(stream->memory, stream->cached);
  qn_unit_cache_destroy(&stream->cache);
  qn_pages_free(stream->units, num_units, sizeof *stream->units);
  qn_pages_free(stream->slots, num_units, sizeof *stream->slots);
  qn_pages_free(stream->batches, num_units, sizeof *stream->batches);
  qn_free(stream->sent);
  qn_free(stream);
}
