/* What the CPU engine on edge partitions derives from the layout before a run: where each source's
 * edges begin, and tasks of equal size that know their partitions. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/edge_partitions.h>
#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Edges of one task. It may begin and end within a source's edges, and hold several small
 * partitions or a part of one. */
#define QN_EP_TASK_EDGES ((uint64_t)1 << 15)

struct qn_ep_task {
  uint64_t edge_begin, edge_end;
  uint32_t first_row, last_row; /* dense numbers of the sources, both inclusive */
  uint32_t first_partition, last_partition;
};

struct qn_ep_index {
  const struct qn_edge_partitions *layout;
  struct qn_ep_divider divider;
  uint64_t *row_offsets; /* [V + 1] by dense number */
  uint32_t *heads;       /* [P] the partition that p is or continues */
  uint64_t num_tasks;
  struct qn_ep_task *tasks; /* in the order of edges */
};

/* Of a checked layout, which must outlive it. Owned until qn_ep_index_destroy. */
enum qn_status qn_ep_index_create(struct qn_ep_index *index,
                                  const struct qn_edge_partitions *layout, struct qn_error *error);
/* A zeroed index is allowed. */
void qn_ep_index_destroy(struct qn_ep_index *index);

/* A destination: its dense number, and the partition where its own edges begin; P: it has none. */
struct qn_ep_place {
  uint32_t dense;
  uint32_t partition;
};

static inline struct qn_ep_place qn_ep_locate(const struct qn_ep_index *index, uint32_t id) {
  uint64_t partition = qn_ep_divide(index->divider, id);
  uint64_t num_partitions = index->layout->num_partitions;
  partition = partition < num_partitions ? partition : num_partitions;
  return (struct qn_ep_place){id - index->layout->prefix_offsets[partition], (uint32_t)partition};
}

/* Has a partition of the task an active source? `flags` [P] is by head. */
static inline bool qn_ep_task_is_active(const struct qn_ep_index *index,
                                        const struct qn_ep_task *task, const uint8_t *flags) {
  for (uint64_t p = task->first_partition; p <= task->last_partition; p++)
    if (flags[index->heads[p]])
      return true;
  return false;
}

/* Set the flag of every partition that has one of the vertices marked in `bits` as a source. */
void qn_ep_flag_partitions(const struct qn_ep_index *index, const uint64_t *bits, uint8_t *flags);

#ifdef __cplusplus
}
#endif
