/* Weakly connected components on edge partitions (loop/components.h): task after
 * task of edges, whose ends are dense numbers here. */
#include "kernels/cpu/loop/components.h"
#include "kernels/work_division/edge_partitions_index.h"

extern const struct qn_kernel qn_kernel_cc_joined_edge_partitions_cpu;

static void join_task(const struct qn_ep_index *index, const struct qn_ep_task *task,
                      const struct qn_joining *joining) {
  const struct qn_edge_partitions *layout = index->layout;
  for (uint64_t row = task->first_row; row <= task->last_row; row++) {
    const uint64_t row_begin = index->row_offsets[row], row_end = index->row_offsets[row + 1];
    const uint64_t begin = row_begin > task->edge_begin ? row_begin : task->edge_begin;
    const uint64_t end = row_end < task->edge_end ? row_end : task->edge_end;
    bool goes_on = qn_joining_row(joining, (uint32_t)row);
    for (uint64_t i = 0; goes_on && begin + i < end && i < joining->most; i++) {
      const uint32_t other = qn_ep_locate(index, layout->destinations[begin + i]).dense;
      goes_on = qn_joining_edge(joining, (uint32_t)row, other);
    }
  }
}

static enum qn_status join_edges(const void *view, struct qn_joining *joining,
                                 struct qn_error *error) {
  struct qn_ep_index index;
  enum qn_status status = qn_ep_index_create(&index, view, error);
  while (!status && qn_joining_next(joining)) {
#pragma omp parallel for schedule(dynamic, 1)
    for (uint64_t task = 0; task < index.num_tasks; task++)
      join_task(&index, &index.tasks[task], joining);
  }
  qn_ep_index_destroy(&index);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_edge_partitions *view = request->view;
  const struct qn_joined_layout layout = {.num_vertices = view->num_vertices,
                                          .directedness = view->directedness,
                                          .order = view->new_to_old};
  return qn_components_run(request, &layout, join_edges, result, error);
}

const struct qn_kernel qn_kernel_cc_joined_edge_partitions_cpu =
    QN_CC_JOINED_KERNEL("edge partitions, union-find", QN_LAYOUT_EDGE_PARTITIONS, QN_CPU, run);
