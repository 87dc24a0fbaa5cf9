/* Cross-edges on slotted pages (cross_edges.h): one sweep of all pages, as K_SP and K_LP of GTS's
 * appendix B; groups are the read-only attributes (RA) and counts the updated ones (WA). */
#include "kernels/cross_edges.h"
#include "kernels/standalone_kernel.h"
#include "kernels/work_division/page_tasks.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/slotted_pages.h>

extern const struct qn_kernel qn_kernel_cross_edges_slotted_pages_cpu;

static uint64_t count_record(const struct qn_slotted_pages *pages, const uint32_t *groups,
                             uint32_t vertex, const struct qn_page_record *record) {
  const struct qn_page_address address = pages->format.address;
  const unsigned id_bytes = qn_page_id_bytes(address);
  const uint8_t *at = record->ids;
  uint64_t count = 0;
  for (uint32_t i = 0; i < record->num_edges; i++, at += id_bytes) {
    uint64_t id = qn_load_physical_id(at, id_bytes);
    count +=
        qn_is_cross_edge(groups, vertex, qn_physical_id_vertex(pages->start_vids, address, id));
  }
  return count;
}

/* A large vertex has records on several pages, and parts of them in several tasks. */
static void sweep_page(const struct qn_slotted_pages *pages, const struct qn_page_task *task,
                       uint64_t page, const uint32_t *groups, uint64_t *counts) {
  struct qn_page_part part = qn_page_part_of(pages, task, page);
  for (uint32_t slot = part.slot_begin; slot < part.slot_end; slot++) {
    uint32_t vertex = part.start_vid + slot;
    struct qn_page_record record = qn_page_part_record(&pages->format, &part, slot);
    uint64_t count = count_record(pages, groups, vertex, &record);
    if (part.split || qn_page_is_large(pages, page))
      __atomic_fetch_add(&counts[vertex], count, __ATOMIC_RELAXED);
    else
      counts[vertex] = count;
  }
}

static void sweep_all(const struct qn_slotted_pages *pages, const struct qn_page_tasks *tasks,
                      const uint32_t *groups, uint64_t *counts) {
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t index = 0; index < tasks->count; index++) {
    const struct qn_page_task *task = &tasks->tasks[index];
    for (uint64_t page = task->first_page; page < task->end_page; page++)
      sweep_page(pages, task, page, groups, counts);
  }
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_slotted_pages *pages = request->view;
  struct qn_page_tasks tasks = {0};
  uint64_t *counts = NULL;
  double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_page_tasks_create(&tasks, pages, error);
  if (!status)
    status = qn_pages_alloc(&counts, pages->num_vertices, sizeof *counts, "result values", error);
  if (status)
    goto cleanup;
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (request->limits.max_iterations > 0)
    sweep_all(pages, &tasks, request->inputs.groups, counts);
  result->type = QN_RESULT_U64;
  result->num_values = pages->num_vertices;
  result->values = counts;
  result->stats.iterations = request->limits.max_iterations > 0;
  result->stats.converged = true;
  result->stats.kernel_seconds = qn_seconds() - begin;
cleanup:
  qn_page_tasks_destroy(&tasks);
  return status;
}

const struct qn_kernel qn_kernel_cross_edges_slotted_pages_cpu =
    QN_CROSS_EDGES_KERNEL("slotted-pages sweep", QN_LAYOUT_SLOTTED_PAGES, QN_CPU, run);
