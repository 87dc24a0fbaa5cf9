#include "kernels/cuda/stream/gather.cuh"
#include "kernels/cuda/stream/readers.cuh"
#include "kernels/cuda/stream/stream.cuh"
#include "support/memory_plan.h"
#include "support/sizes.h"
#include "support/threads.h"

/* A copy costs the bus 3 us in which nothing moves, and a batch has one at least for each array
 * that its units are of: shards 4 % of the time of such a batch (H200). Half of the stages are
 * filled while the other half are sent. */
#define BATCH_BYTES ((uint64_t)6 << 20)
#define ENOUGH_STREAMS 4
#define MAX_STAGES 16
#define MIN_STAGES 4
#define STAGED_BYTES ((uint64_t)64 << 20)

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* A batch of about `bytes`: room for as many of the largest units, at least one. */
static uint64_t batch_of(const struct qn_unit_source *source, uint64_t bytes) {
  const uint64_t one = QN_UNIT_OVERHEAD + source->unit_bytes;
  return bytes > source->unit_bytes ? bytes / source->unit_bytes * one : one;
}

uint64_t qn_unit_stream_least(const struct qn_unit_source *source) {
  return batch_of(source, 0);
}

/* Buffers get a quarter of the memory, or half if units are so large: a cache saves more than
 * larger batches or more streams do. Beyond a few streams large batches are worth more than
 * streams. No batch need hold more than all there is. */
static void plan_device(const struct qn_unit_source *source,
                        const struct qn_stream_options *options, uint64_t available,
                        struct qn_stream_plan *plan) {
  const uint64_t full = available / 4 / BATCH_BYTES;
  uint64_t streams = options->num_streams ? options->num_streams : QN_DEFAULT_STREAMS;
  streams = least(streams, full > ENOUGH_STREAMS ? full : ENOUGH_STREAMS);
  streams = least(streams, QN_MAX_STREAMS);
  streams = least(streams, available / 2 / qn_unit_stream_least(source));
  streams = streams ? streams : 1;
  plan->num_streams = (unsigned)streams;
  const uint64_t room = least(BATCH_BYTES, available / 4 / streams);
  plan->batch_bytes = batch_of(source, least(room, source->total_bytes));
}

static void plan_cache(const struct qn_unit_source *source, const struct qn_stream_options *options,
                       uint64_t available, struct qn_stream_plan *plan) {
  const uint64_t buffers = plan->num_streams * plan->batch_bytes;
  uint64_t cache = available > buffers ? available - buffers : 0;
  if (options->limit_cache)
    cache = least(cache, options->cache_memory);
  plan->cache_units = source->unit_bytes ? cache / source->unit_bytes : 0;
  plan->cache_units = least(plan->cache_units, least(source->num_units, UINT32_MAX - 1));
  plan->cache_bytes = plan->cache_units * source->unit_bytes;
}

static enum qn_status plan_host(const struct qn_unit_source *source,
                                const struct qn_stream_options *options,
                                struct qn_stream_plan *plan, struct qn_error *error) {
  const uint64_t host = options->host_memory;
  if (host && host / MAX_STAGES < plan->batch_bytes) /* rather small batches than few */
    plan->batch_bytes = batch_of(source, host / MAX_STAGES);
  uint64_t stages = STAGED_BYTES / plan->batch_bytes;
  stages = stages < MIN_STAGES ? MIN_STAGES : least(stages, MAX_STAGES);
  stages = least(stages, source->total_bytes / plan->batch_bytes + 1);
  plan->num_stages = (unsigned)(host ? least(stages, host / plan->batch_bytes) : stages);
  if (plan->num_stages == 0) {
    char needed[32], given[32];
    return qn_fail(error, QN_DEVICE,
                   "streaming this graph needs at least %s of pinned host memory for its largest "
                   "unit, and --host-memory allows %s",
                   qn_size_text(plan->batch_bytes, needed, sizeof needed),
                   qn_size_text(options->host_memory, given, sizeof given));
  }
  const uint64_t left =
      host ? host - plan->num_stages * plan->batch_bytes : qn_memory_available() / 2;
  plan->pin_bytes = source->moves_once ? 0 : least(left, source->total_bytes);
  /* More of them take time from the sender, and memory's from the bus. */
  const unsigned readers = qn_threads() - qn_threads() * 3 / 8;
  const uint64_t parts = plan->num_stages * (plan->batch_bytes / QN_UNIT_PART_BYTES + 1);
  plan->num_readers = (unsigned)least(least(readers, parts), QN_MAX_READERS);
  return QN_OK;
}

enum qn_status qn_unit_stream_plan(const struct qn_unit_source *source,
                                   const struct qn_stream_options *options, uint64_t available,
                                   struct qn_stream_plan *plan, struct qn_error *error) {
  plan->streams = true;
  plan->topology_bytes = source->total_bytes;
  plan->num_units = source->num_units;
  plan->unit_bytes = source->unit_bytes;
  plan_device(source, options, available, plan);
  enum qn_status status = plan_host(source, options, plan, error);
  if (!status) /* smaller buffers leave more for the cache */
    plan_cache(source, options, available, plan);
  return status;
}
