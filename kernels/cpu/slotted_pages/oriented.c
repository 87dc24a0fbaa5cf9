#include "kernels/cpu/slotted_pages/oriented.h"

#include "kernels/cpu/triangles/decoded.h"
#include <quern/slotted_pages.h>

/* The page that begins with `vertex`. */
static uint64_t page_of(const struct qn_slotted_pages *pages, uint64_t vertex) {
  return vertex < pages->num_vertices ? qn_slotted_pages_find(pages, vertex) : pages->num_pages;
}

/* All pages with edges of a vertex belong together. */
static uint64_t band_end(const void *rows, uint64_t vertex) {
  const struct qn_slotted_pages *pages = rows;
  const uint64_t page = page_of(pages, vertex);
  return qn_page_is_large(pages, page) ? vertex + 1 : pages->start_vids[page + 1];
}

static uint64_t edges_before(const void *rows, uint64_t vertex) {
  const struct qn_slotted_pages *pages = rows;
  return pages->edge_offsets[page_of(pages, vertex)];
}

static bool decode(const void *rows, uint64_t begin, uint64_t end, uint64_t num_edges,
                   uint64_t *offsets, uint32_t *columns) {
  const struct qn_slotted_pages *pages = rows;
  const struct qn_page_rows to = {.first_vertex = begin,
                                  .num_rows = end - begin,
                                  .first_edge = edges_before(pages, begin),
                                  .num_edges = num_edges,
                                  .offsets = offsets,
                                  .columns = columns};
  return qn_slotted_pages_decode(pages, page_of(pages, begin), page_of(pages, end), &to);
}

static const struct qn_decoder decoder = {band_end, edges_before, decode};

enum qn_status qn_slotted_pages_orient(const void *view, bool wants_ways,
                                       struct qn_orientation *edges, struct qn_error *error) {
  const struct qn_slotted_pages *pages = view;
  return qn_orientation_of_decoded(&decoder, pages->num_vertices, pages, NULL,
                                   pages->directedness != QN_UNDIRECTED, wants_ways, edges, error);
}
