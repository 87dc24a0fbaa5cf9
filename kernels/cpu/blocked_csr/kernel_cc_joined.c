/* Weakly connected components on blocked CSR (loop/components.h): along the
 * local rows of whichever blocks there are, block after block, so that one end of the edges of a
 * block is in the caches. */
#include "kernels/cpu/blocked_csr/block_tasks.h"
#include "kernels/cpu/loop/components.h"
#include <quern/blocked_csr.h>

extern const struct qn_kernel qn_kernel_cc_joined_blocked_csr_cpu;

static void join_task(const struct qn_blocking *blocking, const struct qn_block_task *task,
                      const struct qn_joining *joining) {
  const uint32_t *offsets = qn_block_offsets(blocking, task->block);
  const uint32_t *columns = blocking->columns + blocking->block_edges[task->block];
  const uint32_t *ids = blocking->id_map + blocking->block_rows[task->block];
  for (uint64_t row = task->begin; row < task->end; row++)
    qn_joining_neighbors(
        joining, ids[row],
        (struct qn_neighbors){columns + offsets[row], columns + offsets[row + 1], 0});
}

static enum qn_status join_edges(const void *view, struct qn_joining *joining,
                                 struct qn_error *error) {
  const struct qn_blocked_csr *blocked = view;
  const struct qn_blocking *blocking = blocked->has_pull ? &blocked->pull : &blocked->push;
  struct qn_block_tasks tasks;
  enum qn_status status = qn_block_tasks_create(&tasks, blocking, error);
  while (!status && qn_joining_next(joining)) {
#pragma omp parallel for schedule(dynamic, 1)
    for (uint64_t task = 0; task < tasks.count; task++)
      join_task(blocking, &tasks.tasks[task], joining);
  }
  qn_block_tasks_destroy(&tasks);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_blocked_csr *view = request->view;
  const struct qn_joined_layout layout = {.num_vertices = view->num_vertices,
                                          .directedness = view->directedness};
  return qn_components_run(request, &layout, join_edges, result, error);
}

const struct qn_kernel qn_kernel_cc_joined_blocked_csr_cpu =
    QN_CC_JOINED_KERNEL("blocked-csr, union-find", QN_LAYOUT_BLOCKED_CSR, QN_CPU, run);
