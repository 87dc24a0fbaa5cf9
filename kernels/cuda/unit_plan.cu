#include "kernels/cuda/unit_readers.cuh"
#include "kernels/cuda/unit_stream.cuh"
#include "support/sizes.h"
#include "support/threads.h"

/* What the bus needs to reach its full rate. */
#define BATCH_BYTES ((uint64_t)2 << 20)
#define STAGES_PER_STREAM 2

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* The list of a batch's units, in front of them. */
static uint64_t list_bytes(uint64_t entries) {
  return entries * sizeof(struct qn_unit_entry);
}

/* A batch with room for the largest unit: `bytes`, if that is more. */
static uint64_t batch_of(const struct qn_unit_source *source, uint64_t bytes) {
  const uint64_t one = list_bytes(1) + source->unit_bytes;
  return bytes > one ? bytes / QN_UNIT_ALIGN * QN_UNIT_ALIGN : one;
}

uint64_t qn_unit_stream_least(const struct qn_unit_source *source) {
  return batch_of(source, 0);
}

/* Buffers get half of the memory at most, as long as there is one: a cache saves more than larger
 * batches or more streams do. */
static void plan_device(const struct qn_unit_source *source,
                        const struct qn_stream_options *options, uint64_t available,
                        struct qn_stream_plan *plan) {
  uint64_t streams = options->num_streams ? options->num_streams : QN_DEFAULT_STREAMS;
  streams = least(streams, QN_MAX_STREAMS);
  streams = least(streams, available / 2 / qn_unit_stream_least(source));
  streams = streams ? streams : 1;
  plan->num_streams = (unsigned)streams;
  plan->batch_bytes = batch_of(source, least(BATCH_BYTES, available / 2 / streams));
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
  const uint64_t wanted = (uint64_t)plan->num_streams * STAGES_PER_STREAM;
  if (options->host_memory && options->host_memory < plan->batch_bytes)
    plan->batch_bytes = batch_of(source, options->host_memory);
  plan->num_stages = (unsigned)wanted;
  if (options->host_memory)
    plan->num_stages = (unsigned)least(wanted, options->host_memory / plan->batch_bytes);
  if (plan->num_stages == 0) {
    char needed[32], given[32];
    return qn_fail(error, QN_DEVICE,
                   "streaming this graph needs at least %s of pinned host memory for its largest "
                   "unit, and --host-memory allows %s",
                   qn_size_text(plan->batch_bytes, needed, sizeof needed),
                   qn_size_text(options->host_memory, given, sizeof given));
  }
  plan->num_readers = (unsigned)least(least(qn_threads(), plan->num_stages), QN_MAX_READERS);
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
