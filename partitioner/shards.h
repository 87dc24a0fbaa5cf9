/* From a graph to shards (specs/shards.md), as Garaph makes them. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "partitioner/build_common.h"
#include <quern/shards.h>

/* Shared memory of a shard unless told otherwise: two thread blocks of 1024 threads fill a
 * multiprocessor, which has 228 KiB on current GPUs (Garaph, section 2.1: C_shm / N_block). */
#define QN_SH_DEFAULT_SHARED_BYTES ((uint64_t)112 << 10)
/* Of a page: a transfer long enough to reach the bus's rate, short enough to overlap with others.
 */
#define QN_SH_DEFAULT_PAGE_BYTES ((uint64_t)64 << 20)

/* All zero: the defaults. At most one of the first two is set. */
struct qn_shards_options {
  uint64_t shard_vertices; /* destinations of every shard but the last */
  uint64_t shared_bytes;   /* destinations x replication x 4 bytes of a shard at most */
  uint64_t page_bytes;     /* sources, destination offsets and weights of a page at most */
};

/* The `build` of struct qn_builder; `options` is a struct qn_shards_options.
 *
 * Parallel, linear, the same bytes for any number of threads. For a directed graph without a stored
 * transpose it takes what qn_csr_transpose does beside the output.
 * QN_USAGE with the value that would fit for more than 65,536 vertices a shard, shared memory for
 * less than one vertex, and pages smaller than the largest shard. */
enum qn_status qn_shards_build(struct qn_source *source, const void *options,
                               struct qn_writer *writer, json_t **used, struct qn_error *error);
