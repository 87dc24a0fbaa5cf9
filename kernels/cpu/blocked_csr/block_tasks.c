#include "kernels/cpu/blocked_csr/block_tasks.h"

#include "kernels/work_division/chunks.h"
#include "support/memory.h"
#include "support/used_files.h"

/* The first row after `begin` with which rows and edges from `begin` on exceed a chunk. */
static uint32_t task_end(const uint32_t *offsets, uint32_t begin, uint32_t rows) {
  uint64_t limit = (uint64_t)offsets[begin] + begin + QN_CHUNK_EDGES;
  uint32_t low = begin + 1, high = rows;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if ((uint64_t)offsets[middle] + middle < limit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The rows [first, next) of all, which are a block's. */
static enum qn_status cut_block(struct qn_block_tasks *tasks, const struct qn_blocking *blocking,
                                uint64_t block, uint64_t first, uint64_t next,
                                struct qn_error *error) {
  const uint32_t *offsets = qn_block_offsets(blocking, block);
  const uint32_t rows = (uint32_t)(next - first);
  for (uint32_t begin = 0, end; begin < rows; begin = end) {
    if (tasks->count == tasks->capacity)
      return qn_input_changed(error);
    end = task_end(offsets, begin, rows);
    tasks->tasks[tasks->count++] = (struct qn_block_task){first, (uint32_t)block, begin, end};
  }
  return QN_OK;
}

enum qn_status qn_block_tasks_create(struct qn_block_tasks *tasks,
                                     const struct qn_blocking *blocking, struct qn_error *error) {
  const uint64_t num_blocks = blocking->num_blocks;
  const uint64_t work = blocking->num_rows + blocking->num_edges;
  *tasks = (struct qn_block_tasks){.capacity = work / QN_CHUNK_EDGES + num_blocks};
  enum qn_status status =
      qn_pages_alloc(&tasks->tasks, tasks->capacity, sizeof *tasks->tasks, "tasks", error);
  uint64_t first = 0, next;
  for (uint64_t block = 0; block < num_blocks && !status; block++, first = next) {
    next = blocking->block_rows[block + 1];
    status = next < first || next > blocking->num_rows
                 ? qn_input_changed(error)
                 : cut_block(tasks, blocking, block, first, next, error);
  }
  if (status)
    qn_block_tasks_destroy(tasks);
  return status;
}

void qn_block_tasks_destroy(struct qn_block_tasks *tasks) {
  qn_pages_free(tasks->tasks, tasks->capacity, sizeof *tasks->tasks);
  *tasks = (struct qn_block_tasks){0};
}
