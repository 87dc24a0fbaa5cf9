/* Edge partitions as the CPU's engine sees them (loop/state.h): by an index, in which a vertex is
 * its dense number. Template: needs a completed program. */
#pragma once

#include "kernels/cpu/loop/bins.h"
#include "kernels/cpu/loop/frontier.h"
#include "kernels/engine.h"
#include "kernels/work_division/edge_partitions_index.h"
#include <quern/edge_partitions.h>

typedef struct qn_ep_index engine_view;

static inline uint64_t engine_out_degree(const engine_view *index, uint64_t dense) {
  return index->row_offsets[dense + 1] - index->row_offsets[dense];
}

struct engine_walk {
  struct qn_run_request request; /* with positions by dense number */
  uint32_t *positions;           /* [V] these, where they are derived */
  struct qn_ep_index index;
  bool pulls;                 /* all-active programs of undirected graphs (pull.h), and then: */
  program_accumulator *heads; /* [num_tasks] of vertices with whose edges tasks go on */
  /* Other programs that collect contributions (collect.h): */
  unsigned block_log2;
  uint64_t num_blocks;
  uint32_t *begins;          /* [num_tasks][num_blocks] of bins, from the begin of the batch */
  uint32_t *ends;            /* [BATCH_TASKS][num_blocks] of the current batch */
  struct bin_entry *entries; /* [num_entries] */
  uint64_t num_entries;
  program_accumulator *sums; /* all-active programs: [V] identity between iterations */
  uint8_t *senders;          /* frontier programs: [P] has the partition an active source? */
};

/* The task's edges of one of its rows. */
struct task_row {
  uint64_t begin, end;
};

static inline struct task_row row_in_task(const struct qn_ep_index *index,
                                          const struct qn_ep_task *task, uint64_t row) {
  uint64_t begin = index->row_offsets[row], end = index->row_offsets[row + 1];
  return (struct task_row){begin > task->edge_begin ? begin : task->edge_begin,
                           end < task->edge_end ? end : task->edge_end};
}

/* The bits of word `word` that are rows of the task. */
static inline uint64_t rows_in_word(const struct qn_ep_task *task, uint64_t word) {
  return qn_bits_between(word, task->first_row, (uint64_t)task->last_row + 1);
}
