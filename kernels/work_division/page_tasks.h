/* Cutting slotted pages into tasks of about equal size, whatever the size of a page: some
 * small pages, or a part of a big one. Tasks are in the order of pages, and so of vertices. */
#pragma once

#include "formats/graph/weight_limit.h"
#include "support/threads.h"
#include <quern/slotted_pages.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Edges and slots of a task, about. */
#define QN_PAGE_TASK_WORK ((uint64_t)1 << 16)

/* Pages [first_page, end_page) whole if parts is 1; else part `part` of `parts` of one page. */
struct qn_page_task {
  uint32_t first_page, end_page;
  uint32_t part, parts;
};

struct qn_page_tasks {
  uint64_t count;
  struct qn_page_task *tasks; /* [count] */
};

/* Owned until qn_page_tasks_destroy. */
enum qn_status qn_page_tasks_create(struct qn_page_tasks *tasks,
                                    const struct qn_slotted_pages *view, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_page_tasks_destroy(struct qn_page_tasks *tasks);

/* The out-degree of every vertex, from the records: [V], qn_pages_alloc. */
enum qn_status qn_page_degrees_create(uint64_t **degrees, const struct qn_slotted_pages *view,
                                      struct qn_error *error);

/* Is there a weight that is negative (or NaN), or larger than the limit? The first one's edge, and
 * its bits. */
bool qn_page_weight_beyond(const struct qn_slotted_pages *view, const struct qn_weight_limit *limit,
                           uint64_t *edge, uint64_t *bits);

/* Slots [slot_begin, slot_end) of a page; on a large page edges [edge_begin, edge_end) of its one
 * record. */
struct qn_page_part {
  const uint8_t *bytes;
  uint32_t start_vid; /* the vertex of slot 0 */
  uint32_t slot_begin, slot_end;
  bool split; /* the record is cut to these edges */
  uint32_t edge_begin, edge_end;
};

/* What a task has of a page. */
static inline struct qn_page_part qn_page_part_of(const struct qn_slotted_pages *view,
                                                  const struct qn_page_task *task, uint64_t page) {
  struct qn_page_part part;
  memset(&part, 0, sizeof part);
  part.bytes = qn_page_at(view, page);
  part.start_vid = view->start_vids[page];
  part.slot_end = qn_page_num_slots(view, page);
  uint64_t begin, end;
  if (task->parts == 1)
    return part;
  part.split = part.slot_end == 1;
  uint64_t edges = view->edge_offsets[page + 1] - view->edge_offsets[page];
  qn_part_of(part.split ? edges : part.slot_end, task->parts, task->part, &begin, &end);
  if (part.split) {
    part.edge_begin = (uint32_t)begin;
    part.edge_end = (uint32_t)end;
  } else {
    part.slot_begin = (uint32_t)begin;
    part.slot_end = (uint32_t)end;
  }
  return part;
}

/* A slot's record, cut to the part's edges. */
static inline struct qn_page_record qn_page_part_record(const struct qn_page_format *format,
                                                        const struct qn_page_part *part,
                                                        uint32_t slot) {
  struct qn_page_record record = qn_page_record(format, part->bytes, slot);
  if (part->split) {
    record.ids += (uint64_t)part->edge_begin * qn_page_id_bytes(format->address);
    record.weights +=
        (uint64_t)part->edge_begin * (format->edge_bytes - qn_page_id_bytes(format->address));
    record.num_edges = part->edge_end - part->edge_begin;
  }
  return record;
}

#ifdef __cplusplus
}
#endif
