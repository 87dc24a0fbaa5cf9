/* nextPIDSet with the vertices it stands for: which pages hold active vertices, and which vertices
 * those are. */
#pragma once

#include <string.h>

#include "kernels/cpu/loop/frontier.h"
#include "kernels/work_division/page_tasks.h"
#include "support/memory.h"

struct page_frontier {
  struct qn_frontier vertices; /* its bitmap alone */
  uint8_t *pages;              /* [P] 1: a first page with active vertices */
};

static inline enum qn_status page_frontier_create(struct page_frontier *frontier,
                                                  const struct qn_slotted_pages *pages,
                                                  struct qn_error *error) {
  enum qn_status status = qn_frontier_create(&frontier->vertices, pages->num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&frontier->pages, pages->num_pages, 1, "nextPIDSet", error);
  return status;
}

static inline void page_frontier_destroy(struct page_frontier *frontier,
                                         const struct qn_slotted_pages *pages) {
  qn_frontier_destroy(&frontier->vertices);
  qn_pages_free(frontier->pages, pages->num_pages, 1);
}

/* Insert a vertex, whose first page is `page`, from any thread; true if it was new. */
static inline bool page_frontier_insert(struct page_frontier *frontier, uint32_t vertex,
                                        uint64_t page) {
  if (!qn_frontier_insert(&frontier->vertices, vertex))
    return false;
  if (!__atomic_load_n(&frontier->pages[page], __ATOMIC_RELAXED))
    __atomic_store_n(&frontier->pages[page], 1, __ATOMIC_RELAXED);
  return true;
}

/* The first pages of active vertices: sets all of `flags` [P]. */
static inline void page_find_senders(const struct qn_frontier *vertices,
                                     const struct qn_slotted_pages *pages, uint8_t *flags) {
#pragma omp parallel for schedule(static)
  for (uint64_t page = 0; page < pages->num_pages; page++) {
    uint64_t begin = pages->start_vids[page], end = begin + qn_page_num_slots(pages, page);
    uint64_t bits = 0;
    for (uint64_t word = begin / 64; qn_page_is_first(pages, page) && word <= (end - 1) / 64;
         word++)
      bits |= vertices->bits[word] & qn_bits_between(word, begin, end);
    flags[page] = bits != 0;
  }
}

/* Empty it: words of the pages it names, which hold all its vertices. */
static inline void page_frontier_clear(struct page_frontier *frontier,
                                       const struct qn_slotted_pages *pages) {
  for (uint64_t page = 0; page < pages->num_pages; page++) {
    if (!frontier->pages[page])
      continue;
    uint64_t begin = pages->start_vids[page], end = begin + qn_page_num_slots(pages, page);
    memset(&frontier->vertices.bits[begin / 64], 0, 8 * ((end - 1) / 64 - begin / 64 + 1));
    frontier->pages[page] = 0;
  }
  frontier->vertices.count = 0;
}

/* Is the vertex of a large page active, or any vertex of a small one? */
static inline bool page_is_wanted(const struct qn_frontier *vertices, const uint8_t *flags,
                                  const struct qn_slotted_pages *pages, uint64_t page) {
  return qn_page_is_large(pages, page) ? qn_frontier_has(vertices, pages->start_vids[page])
                                       : flags[page];
}

/* The tasks that have a page in the frontier, ascending, into `list` [num_tasks]. */
static inline uint64_t wanted_tasks(const struct page_frontier *frontier,
                                    const struct qn_slotted_pages *pages,
                                    const struct qn_page_tasks *tasks, uint32_t *list) {
  uint64_t count = 0;
  for (uint64_t task = 0; task < tasks->count; task++) {
    bool wanted = false;
    for (uint64_t page = tasks->tasks[task].first_page;
         page < tasks->tasks[task].end_page && !wanted; page++)
      wanted = page_is_wanted(&frontier->vertices, frontier->pages, pages, page);
    if (wanted)
      list[count++] = (uint32_t)task;
  }
  return count;
}
