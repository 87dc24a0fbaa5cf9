/* Weakly connected components on edge partitions (loop/components.h): task after
 * task of edges, whose ends are dense numbers here. */
#include "kernels/cpu/loop/components.h"
#include "kernels/work_division/edge_partitions_index.h"

extern const struct qn_kernel qn_kernel_cc_joined_edge_partitions_cpu;

static void join_task(const struct qn_ep_index *index, const struct qn_ep_task *task,
                      uint32_t *parent) {
  const struct qn_edge_partitions *layout = index->layout;
  uint64_t edge = task->edge_begin;
  for (uint64_t row = task->first_row; row <= task->last_row; row++) {
    uint64_t end = index->row_offsets[row + 1];
    for (; edge < (end < task->edge_end ? end : task->edge_end); edge++) {
      uint32_t dense = qn_ep_locate(index, layout->destinations[edge]).dense;
      qn_components_join_ends(parent, layout->new_to_old[row], layout->new_to_old[dense]);
    }
  }
}

static enum qn_status join_edges(const void *view, uint32_t *parent, struct qn_error *error) {
  struct qn_ep_index index;
  enum qn_status status = qn_ep_index_create(&index, view, error);
  uint64_t num_tasks = status ? 0 : index.num_tasks;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t task = 0; task < num_tasks; task++)
    join_task(&index, &index.tasks[task], parent);
  qn_ep_index_destroy(&index);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_edge_partitions *view = request->view;
  return qn_components_run(request, view->num_vertices, join_edges, result, error);
}

const struct qn_kernel qn_kernel_cc_joined_edge_partitions_cpu =
    QN_CC_JOINED_KERNEL("edge partitions, union-find", QN_LAYOUT_EDGE_PARTITIONS, QN_CPU, run);
