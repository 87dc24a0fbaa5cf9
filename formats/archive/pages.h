/* The pages of slotted pages as what their bytes follow from: out-degrees, destinations by number
 * and weights (specs/archive.md, "Pages"). For the other archive_*.c only. */
#pragma once

#include "formats/archive/filter.h"
#include <quern/slotted_pages.h>

/* Larger pages are archived as bytes. */
#define QN_ARCHIVE_PAGE_LIMIT ((uint64_t)1 << 26)

/* Physical ids of vertices without a table of all vertices: a group is the vertices of one first
 * page, a bucket 2^shift vertices, most often of one group. */
struct qn_page_groups {
  uint64_t num_vertices;
  unsigned page_id_bits;
  unsigned shift;
  /* [buckets] what to add to a vertex << page_id_bits to get its id; all ones in the bits of the
   * page id, which no page has, if the bucket has several groups. */
  uint64_t *bases;
  uint32_t *buckets; /* [buckets + 1] the group of a bucket's first vertex; the last group */
  uint32_t *starts;  /* [groups + 1] first vertex */
  uint32_t *pages;   /* [groups] */
  uint64_t room;     /* groups */
};

/* What frames of pages are encoded and decoded by. */
struct qn_paging {
  struct qn_slotted_pages view; /* the RVT; `pages` only where they are encoded */
  struct qn_page_groups groups;
};

/* Is this the section of pages that are not too large? */
bool qn_paging_applies(const struct qn_container *container, const struct qn_section *section);

/* Bytes of a frame: whole pages, 1 MiB of them if they are not larger. */
uint64_t qn_paging_frame_bytes(uint64_t page_bytes);

/* `view` is borrowed, and its RVT has been checked. Undone by qn_paging_destroy, which takes a
 * zeroed struct too. */
enum qn_status qn_paging_create(const struct qn_slotted_pages *view, struct qn_paging *paging,
                                struct qn_error *error);
void qn_paging_destroy(struct qn_paging *paging);

static inline bool qn_filter_is_of_pages(unsigned filter) {
  return filter == QN_FILTER_PAGE_GAPS || filter == QN_FILTER_PAGE_ROWS;
}

/* Bytes of a frame of `frame_bytes` when filtered, at most; and of scratch memory for either way.
 */
uint64_t qn_paging_bound(uint64_t frame_bytes);
uint64_t qn_paging_scratch(uint64_t frame_bytes);

/* Filter the pages [first, end) to `out`, of the size above and QN_ROWS_SLACK. Returns the bytes
 * written, of which all but the first `*head_bytes` hardly compress. */
uint64_t qn_paging_encode(const struct qn_paging *paging, enum qn_filter filter, uint64_t first,
                          uint64_t end, void *scratch, uint8_t *out, uint64_t *head_bytes);

/* The reverse; QN_ROWS_SLACK bytes more than `bytes` can be read at `in`. False if that is not an
 * encoding of these pages; they are sound then but for the order of a vertex's destinations. */
bool qn_paging_decode(const struct qn_paging *paging, enum qn_filter filter, uint64_t first,
                      uint64_t end, const uint8_t *in, uint64_t bytes, void *scratch, uint8_t *out);
