/* Weakly connected components on slotted pages (loop/components.h): one sweep of
 * all pages. */
#include "kernels/cpu/loop/components.h"
#include "kernels/work_division/page_tasks.h"

extern const struct qn_kernel qn_kernel_cc_joined_slotted_pages_cpu;

static void join_record(const struct qn_slotted_pages *pages, uint32_t vertex,
                        const struct qn_page_record *record, const struct qn_joining *joining) {
  const struct qn_page_address address = pages->format.address;
  const unsigned id_bytes = qn_page_id_bytes(address);
  const uint8_t *at = record->ids;
  bool goes_on = qn_joining_row(joining, vertex);
  for (uint32_t i = 0; goes_on && i < record->num_edges && i < joining->most; i++, at += id_bytes) {
    uint64_t id = qn_load_physical_id(at, id_bytes);
    goes_on =
        qn_joining_edge(joining, vertex, qn_physical_id_vertex(pages->start_vids, address, id));
  }
}

static void join_page(const struct qn_slotted_pages *pages, const struct qn_page_task *task,
                      uint64_t page, const struct qn_joining *joining) {
  struct qn_page_part part = qn_page_part_of(pages, task, page);
  for (uint32_t slot = part.slot_begin; slot < part.slot_end; slot++) {
    struct qn_page_record record = qn_page_part_record(&pages->format, &part, slot);
    join_record(pages, part.start_vid + slot, &record, joining);
  }
}

static enum qn_status join_edges(const void *view, struct qn_joining *joining,
                                 struct qn_error *error) {
  struct qn_page_tasks tasks;
  enum qn_status status = qn_page_tasks_create(&tasks, view, error);
  while (!status && qn_joining_next(joining)) {
#pragma omp parallel for schedule(dynamic, 1)
    for (uint64_t i = 0; i < tasks.count; i++)
      for (uint64_t page = tasks.tasks[i].first_page; page < tasks.tasks[i].end_page; page++)
        join_page(view, &tasks.tasks[i], page, joining);
  }
  qn_page_tasks_destroy(&tasks);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_slotted_pages *view = request->view;
  const struct qn_joined_layout layout = {.num_vertices = view->num_vertices,
                                          .directedness = view->directedness};
  return qn_components_run(request, &layout, join_edges, result, error);
}

const struct qn_kernel qn_kernel_cc_joined_slotted_pages_cpu =
    QN_CC_JOINED_KERNEL("slotted-pages, union-find", QN_LAYOUT_SLOTTED_PAGES, QN_CPU, run);
