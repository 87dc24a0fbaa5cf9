/* Blocks of a blocked-csr layout cut into tasks for threads. */
#pragma once

#include <stdint.h>

#include <quern/blocked_csr.h>
#include <quern/error.h>

/* Local rows [begin, end) of a block, the first of whose rows is `first_row` of all. */
struct qn_block_task {
  uint64_t first_row;
  uint32_t block, begin, end;
};

/* All rows, block after block, in tasks of about QN_CHUNK_EDGES rows and edges (chunks.h). What is
 * written by row goes by these numbers alone: those of the file may become others (used_files.h).
 */
struct qn_block_tasks {
  uint64_t count;
  uint64_t capacity;
  struct qn_block_task *tasks; /* [capacity] */
};

/* Owned until qn_block_tasks_destroy. */
enum qn_status qn_block_tasks_create(struct qn_block_tasks *tasks,
                                     const struct qn_blocking *blocking, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_block_tasks_destroy(struct qn_block_tasks *tasks);
