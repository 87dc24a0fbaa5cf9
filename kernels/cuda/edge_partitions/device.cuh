/* Edge partitions on the device, cut into tasks. Needs a completed program. */
#pragma once

#include "kernels/cuda/edges/combine.cuh"
#include "kernels/cuda/edges/csr_device.cuh"
#include "kernels/cuda/edges/row_queue.cuh"
#include "kernels/cuda/sweep/in_place_device.cuh"
#include "kernels/work_division/edge_partitions_index.h"
#include <quern/edge_partitions.h>

#define TASK_SHARED_BYTES 32768u
#define TASK_MAX_EDGES 4096u

namespace {

/* As many edges have at most as many sources, whose messages fit in the shared memory. */
constexpr uint32_t TASK_EDGES = sizeof(program_message) * TASK_MAX_EDGES <= TASK_SHARED_BYTES
                                    ? TASK_MAX_EDGES
                                    : TASK_SHARED_BYTES / (uint32_t)sizeof(program_message);

/* Consecutive edges of one partition. */
struct device_task {
  uint64_t edge_begin;
  uint32_t num_edges;   /* at most TASK_EDGES */
  uint32_t partition;   /* where the sources' ids belong */
  uint32_t first_id;    /* of the first source */
  uint32_t first_dense; /* the same vertex */
  uint32_t num_sources;
  uint32_t continues; /* the first source's edges begin in the task before? */
};

struct engine_device {
  const uint32_t *sources;        /* [E] ids; NULL if the edges are streamed */
  const uint32_t *destinations;   /* [E] ids */
  struct qn_weights weights;      /* [E] */
  const uint32_t *prefix_offsets; /* [P + 1] */
  const uint64_t *row_offsets;    /* of held vertices, by dense number, and one more; if the program
                                     uses out-degrees */
  const struct device_task *tasks;
  uint8_t *flags[2]; /* [P] has the partition a vertex that received? this iteration, and before */
  uint32_t num_tasks;
  uint32_t num_partitions;
  uint32_t range_size;   /* of ids, of each partition */
  bool moves_partitions; /* as a whole */
  struct qn_ep_divider divider;
  /* Searches where all is resident (search.cuh); rows are those of dense numbers: */
  struct qn_csr out;
  struct qn_unit_queue queue; /* [V] of active vertices */
  qn_queue_size *queued;
  /* Frontier programs that are streamed (read_in_place.cuh): */
  struct units_in_place in_place;
  const uint16_t *row_begins;        /* [num_sources] in the task where the row begins */
  const uint32_t *host_destinations; /* [E] in the host's memory */
  struct qn_weights host_weights;    /* the same */
};

/* Where an id belongs: num_partitions is where vertices without out-edges are. */
QN_DEVICE_INLINE struct qn_ep_place locate(const struct engine_device &device, uint32_t id) {
  uint64_t partition = qn_ep_divide(device.divider, id);
  if (partition >= device.num_partitions)
    partition = device.num_partitions;
  return {id - device.prefix_offsets[partition], (uint32_t)partition};
}

/* Where the edges of each dense number begin, and those of the last one end. */
inline enum qn_status upload_row_offsets(struct qn_cuda_memory *memory,
                                         const struct qn_edge_partitions *view,
                                         const uint64_t **row_offsets, struct qn_error *error) {
  struct qn_ep_index index;
  memset(&index, 0, sizeof index);
  enum qn_status status = qn_ep_index_create(&index, view, error);
  if (!status)
    status = qn_cuda_copy_of(memory, row_offsets, index.row_offsets, view->num_vertices + 1, 0,
                             sizeof *index.row_offsets, "row offsets", error);
  qn_ep_index_destroy(&index);
  return status;
}

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t dense) {
  return device.row_offsets[dense + 1] - device.row_offsets[dense];
}

} /* namespace */
