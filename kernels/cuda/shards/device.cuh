/* Shards on the device, cut into tasks and hubs into segments. Needs a completed program. */
#pragma once

#include "kernels/cuda/edges/edge_tiles.cuh"
#include "kernels/cuda/edges/row_queue.cuh"
#include "kernels/work_division/shard_units.h"
#include <quern/shards.h>

namespace {

/* A part of a hub. */
struct device_segment {
  uint64_t first_edge;
  uint32_t num_edges;
  uint32_t hub;
};

struct engine_device {
  struct edge_tiles in; /* sources and weights alone */
  const uint16_t *destination_offsets;
  const struct qn_sh_unit *tasks; /* whose rows are whole */
  const struct qn_sh_hub *hubs;
  const struct device_segment *segments;
  uint32_t num_tasks, num_hubs, num_segments;
  program_accumulator *segment_sums; /* [num_segments] */
  uint8_t *segment_received;         /* [num_segments] */
  struct qn_csr out;                 /* out-degrees need the row offsets only */
  /* Frontier programs: */
  const uint64_t *in_offsets;      /* [V + 1] */
  const uint8_t *word_replication; /* [V / 32 + 1] of the first of each 32 vertices */
  uint32_t *notified;              /* [V / 32 + 1] bits, zero between iterations */
  struct qn_unit_queue queue;      /* [V] of active vertices */
  qn_queue_size *queued;
  uint32_t *next_active; /* [V / 32 + 1] bits; where the CPU does a part (joint/shards.cuh) */
  /* Where the edges are streamed: */
  const struct qn_sh_unit *units;
  uint32_t *open; /* [V / 32 + 1] bits of vertices that may still receive */
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.out.row_offsets[vertex + 1] - device.out.row_offsets[vertex];
}

} /* namespace */
