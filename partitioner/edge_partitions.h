/* From a graph to edge partitions (specs/edge-partitions.md): Graphie's two renamings. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "partitioner/build_common.h"
#include <quern/edge_partitions.h>

/* Partitions unless told otherwise: one for each of the 32 queues that a GPU works off at the same
 * time (Graphie, section V-C: a partition has 1/32 of the edges). */
#define QN_EP_DEFAULT_PARTITIONS 32

/* Of a device's memory, for what it keeps of each vertex: as much as PageRank does. */
#define QN_EP_VERTEX_MEMORY 24

/* All zero: the default. At most one of the first three is set. */
struct qn_edge_partitions_options {
  uint64_t num_partitions;  /* at most so many, as equal as can be */
  uint64_t partition_bytes; /* sources, destinations and weights of one partition at most */
  uint64_t device_memory;   /* QN_EP_DEFAULT_PARTITIONS of the partitions fit into it, beside
                               QN_EP_VERTEX_MEMORY bytes a vertex */
  uint64_t max_ids;         /* ids end before this; 0: QN_EP_MAX_IDS. Less is for tests. */
};

/* The `build` of struct qn_builder; `options` is a struct qn_edge_partitions_options.
 *
 * Parallel, linear in V + E + P log V, the same bytes for any number of threads; takes 4 bytes a
 * vertex beside the output. Where ids would exceed 32 bits, a number of partitions gives way
 * to the least partition size that avoids it, with a notice; a size is refused (QN_USAGE) with
 * the size that would fit. */
enum qn_status qn_edge_partitions_build(struct qn_source *source, const void *options,
                                        struct qn_writer *writer, json_t **used,
                                        struct qn_error *error);
