/* nextPIDSet with the vertices it stands for: which pages hold active vertices, and which vertices
 * those are. Part of state.h. */
#ifndef QN_KERNELS_CPU_SLOTTED_PAGES_PAGE_FRONTIER_H
#define QN_KERNELS_CPU_SLOTTED_PAGES_PAGE_FRONTIER_H

#include "kernels/cpu/slotted_pages/state.h"

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

/* The bits of word `word` that are vertices in [begin, end). */
static inline uint64_t bits_in_word(const struct qn_frontier *vertices, uint64_t word,
                                    uint64_t begin, uint64_t end) {
  uint64_t bits = vertices->bits[word];
  if (word == begin / 64)
    bits &= ~(uint64_t)0 << (begin % 64);
  if (word == (end - 1) / 64)
    bits &= ~(uint64_t)0 >> (63 - (end - 1) % 64);
  return bits;
}

/* Find the pages of vertices that were put into the bitmap alone. */
static inline void page_frontier_find_pages(struct page_frontier *frontier,
                                            const struct qn_slotted_pages *pages) {
#pragma omp parallel for schedule(static)
  for (uint64_t page = 0; page < pages->num_pages; page++) {
    uint64_t begin = pages->start_vids[page], end = begin + qn_page_num_slots(pages, page);
    uint64_t bits = 0;
    for (uint64_t word = begin / 64; qn_page_is_first(pages, page) && word <= (end - 1) / 64;
         word++)
      bits |= bits_in_word(&frontier->vertices, word, begin, end);
    frontier->pages[page] = bits != 0;
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
static inline bool page_is_wanted(const struct page_frontier *frontier,
                                  const struct qn_slotted_pages *pages, uint64_t page) {
  return qn_page_is_large(pages, page)
             ? qn_frontier_has(&frontier->vertices, pages->start_vids[page])
             : frontier->pages[page];
}

/* The units that have a page in the frontier, ascending, into `list` [num_units]. */
static inline uint64_t wanted_units(const struct page_frontier *frontier,
                                    const struct qn_slotted_pages *pages,
                                    const struct qn_page_units *units, uint32_t *list) {
  uint64_t count = 0;
  for (uint64_t unit = 0; unit < units->count; unit++) {
    bool wanted = false;
    for (uint64_t page = units->units[unit].first_page;
         page < units->units[unit].end_page && !wanted; page++)
      wanted = page_is_wanted(frontier, pages, page);
    if (wanted)
      list[count++] = (uint32_t)unit;
  }
  return count;
}

#endif
