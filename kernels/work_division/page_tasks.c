#include "kernels/work_division/page_tasks.h"

#include "support/memory.h"
#include "support/used_files.h"

static uint64_t work_of(const struct qn_slotted_pages *view, uint64_t page) {
  return view->edge_offsets[page + 1] - view->edge_offsets[page] + qn_page_num_slots(view, page);
}

/* The tasks of the pages from `*page` on, up to a page's end, of which `out` has room for some. */
static uint64_t next_tasks(const struct qn_slotted_pages *view, uint64_t *page,
                           struct qn_page_task *out, uint64_t room) {
  uint64_t first = *page, work = work_of(view, first);
  uint64_t parts = (work + QN_PAGE_TASK_WORK - 1) / QN_PAGE_TASK_WORK;
  *page = first + 1;
  if (parts <= 1) {
    while (*page < view->num_pages && work + work_of(view, *page) <= QN_PAGE_TASK_WORK)
      work += work_of(view, (*page)++);
    parts = 1;
  }
  for (uint64_t part = 0; part < parts && part < room; part++)
    out[part] =
        (struct qn_page_task){(uint32_t)first, (uint32_t)*page, (uint32_t)part, (uint32_t)parts};
  return parts;
}

enum qn_status qn_page_tasks_create(struct qn_page_tasks *tasks,
                                    const struct qn_slotted_pages *view, struct qn_error *error) {
  *tasks = (struct qn_page_tasks){0};
  uint64_t count = 0;
  for (uint64_t page = 0; page < view->num_pages;)
    count += next_tasks(view, &page, NULL, 0);
  enum qn_status status =
      qn_alloc(&tasks->tasks, count, sizeof *tasks->tasks, "tasks of pages", error);
  if (status)
    return status;
  for (uint64_t page = 0; page < view->num_pages && tasks->count <= count;)
    tasks->count += next_tasks(view, &page, tasks->tasks + tasks->count, count - tasks->count);
  if (tasks->count == count)
    return QN_OK;
  qn_page_tasks_destroy(tasks);
  return qn_input_changed(error);
}

void qn_page_tasks_destroy(struct qn_page_tasks *tasks) {
  qn_free(tasks->tasks);
  *tasks = (struct qn_page_tasks){0};
}

static void page_degrees(const struct qn_slotted_pages *view, uint64_t page, uint64_t *degrees) {
  uint32_t slots = qn_page_num_slots(view, page), start = view->start_vids[page];
  if (qn_page_is_large(view, page)) {
    uint64_t end = page + 1 + (uint64_t)view->lp_ranges[page];
    if (qn_page_is_first(view, page))
      degrees[start] = view->edge_offsets[end] - view->edge_offsets[page];
    return;
  }
  for (uint32_t slot = 0; slot < slots; slot++)
    degrees[start + slot] = qn_page_record(&view->format, qn_page_at(view, page), slot).num_edges;
}

enum qn_status qn_page_degrees_create(uint64_t **degrees, const struct qn_slotted_pages *view,
                                      struct qn_error *error) {
  enum qn_status status =
      qn_pages_alloc(degrees, view->num_vertices, sizeof **degrees, "out-degrees", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, qn_pages_per_task(view))
  for (uint64_t page = 0; page < view->num_pages; page++)
    page_degrees(view, page, *degrees);
  return QN_OK;
}

/* The first edge of a page whose weight is not within the limit; UINT64_MAX if there is none. */
static uint64_t edge_beyond(const struct qn_slotted_pages *view,
                            const struct qn_weight_limit *limit, uint64_t page, uint64_t *bits) {
  uint64_t edge = view->edge_offsets[page];
  unsigned weight_bytes = qn_weight_bytes(view->weight_type);
  for (uint32_t slot = 0; slot < qn_page_num_slots(view, page); slot++) {
    struct qn_page_record record = qn_page_record(&view->format, qn_page_at(view, page), slot);
    for (uint64_t i = 0; i < record.num_edges; i++) {
      *bits = qn_weight_load(record.weights, weight_bytes, i);
      if (!qn_weight_is_within(view->weight_type, *bits, limit))
        return edge + i;
    }
    edge += record.num_edges;
  }
  return UINT64_MAX;
}

bool qn_page_weight_beyond(const struct qn_slotted_pages *view, const struct qn_weight_limit *limit,
                           uint64_t *edge, uint64_t *bits) {
  uint64_t bad = UINT64_MAX;
  if (view->weight_type == QN_WEIGHT_NONE || view->weight_type == QN_WEIGHT_U32)
    return false;
#pragma omp parallel for schedule(dynamic, qn_pages_per_task(view)) reduction(min : bad)
  for (uint64_t page = 0; page < view->num_pages; page++) {
    uint64_t ignored;
    if (page < bad && edge_beyond(view, limit, page, &ignored) != UINT64_MAX)
      bad = page;
  }
  if (bad == UINT64_MAX)
    return false;
  *edge = edge_beyond(view, limit, bad, bits);
  return true;
}
