/* Building slotted pages.
 *
 * Vertices are put on pages in their order, as many as fit, by binary search in the row offsets:
 * a page with n vertices and m edges takes 14 n + (p + q) m bytes and those of weights, so
 * nobody has to look at single vertices for that. Then all pages are filled independently. */
#include "partitioner/slotted_pages.h"

#include <stdio.h>

#include "support/memory.h"
#include "support/used_files.h"

/* Bytes of a vertex without edges: slot and ADJLIST_SZ. */
enum { VERTEX_BYTES = QN_SLOT_BYTES + QN_ADJLIST_SIZE_BYTES };

static uint64_t degree(const struct qn_csr *csr, uint64_t vertex) {
  return csr->row_offsets[vertex + 1] - csr->row_offsets[vertex];
}

static bool vertices_fit(const struct qn_csr *csr, const struct qn_page_format *format,
                         uint64_t begin, uint64_t end) {
  uint64_t head = (end - begin) * VERTEX_BYTES;
  return head <= format->page_bytes && csr->row_offsets[end] - csr->row_offsets[begin] <=
                                           (format->page_bytes - head) / format->edge_bytes;
}

/* The end of the small page that begins with vertex `begin`; `begin` if that is too large. */
static uint64_t small_page_end(const struct qn_csr *csr, const struct qn_page_format *format,
                               uint64_t begin) {
  uint64_t most = format->page_bytes / VERTEX_BYTES;
  uint64_t slots = qn_page_slot_limit(format->address);
  most = slots < most ? slots : most;
  uint64_t low = begin, high = csr->num_vertices - begin < most ? csr->num_vertices : begin + most;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (vertices_fit(csr, format, begin, middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

uint64_t qn_page_count(const struct qn_csr *csr, const struct qn_page_format *format) {
  uint64_t edge_limit = qn_page_edge_limit(format), pages = 0;
  for (uint64_t vertex = 0; vertex < csr->num_vertices;) {
    uint64_t end = small_page_end(csr, format, vertex);
    pages += end > vertex ? 1 : (degree(csr, vertex) + edge_limit - 1) / edge_limit;
    vertex = end > vertex ? end : vertex + 1;
  }
  return pages;
}

/* The RVT entries of a vertex that is too large for one page; returns the page after its last. */
static uint64_t place_large(const struct qn_csr *csr, const struct qn_page_format *format,
                            uint64_t vertex, uint64_t page, uint64_t num_pages,
                            const struct qn_slotted_pages_arrays *arrays) {
  uint64_t edge_limit = qn_page_edge_limit(format);
  uint64_t count = (degree(csr, vertex) + edge_limit - 1) / edge_limit;
  for (uint64_t i = 0; i < count && page + i < num_pages; i++) {
    arrays->start_vids[page + i] = (uint32_t)vertex;
    arrays->lp_ranges[page + i] = (int32_t)(count - 1 - i);
    arrays->edge_offsets[page + i] = csr->row_offsets[vertex] + i * edge_limit;
  }
  return page + count;
}

/* False if there are not as many pages as were counted. */
static bool fill_rvt(const struct qn_csr *csr, const struct qn_page_format *format,
                     uint64_t num_pages, const struct qn_slotted_pages_arrays *arrays) {
  uint64_t page = 0, vertex = 0;
  while (vertex < csr->num_vertices && page < num_pages) {
    uint64_t end = small_page_end(csr, format, vertex);
    if (end == vertex) {
      page = place_large(csr, format, vertex++, page, num_pages, arrays);
      continue;
    }
    arrays->start_vids[page] = (uint32_t)vertex;
    arrays->lp_ranges[page] = QN_SMALL_PAGE;
    arrays->edge_offsets[page++] = csr->row_offsets[vertex];
    vertex = end;
  }
  if (page != num_pages || vertex != csr->num_vertices)
    return false;
  arrays->start_vids[page] = (uint32_t)csr->num_vertices;
  arrays->edge_offsets[page] = csr->num_edges;
  return true;
}

/* ---- Physical ids ---------------------------------------------------------- */

/* The physical id of every vertex, 4 or 8 bytes each, whichever holds p + q. */
struct id_table {
  uint32_t *narrow;
  uint64_t *wide;
};

static enum qn_status create_ids(const struct qn_slotted_pages *view, struct id_table *table,
                                 struct qn_error *error) {
  *table = (struct id_table){0};
  unsigned shift = 8u * view->format.address.page_id_bytes;
  bool narrow = qn_page_id_bytes(view->format.address) == 4;
  enum qn_status status = narrow ? qn_pages_alloc(&table->narrow, view->num_vertices,
                                                  sizeof *table->narrow, "physical ids", error)
                                 : qn_pages_alloc(&table->wide, view->num_vertices,
                                                  sizeof *table->wide, "physical ids", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, qn_pages_per_task(view))
  for (uint64_t page = 0; page < view->num_pages; page++) {
    if (!qn_page_is_first(view, page))
      continue;
    uint64_t first = view->start_vids[page], slots = qn_page_num_slots(view, page);
    for (uint64_t slot = 0; slot < slots; slot++) {
      if (narrow)
        table->narrow[first + slot] = (uint32_t)(page | slot << shift);
      else
        table->wide[first + slot] = page | slot << shift;
    }
  }
  return QN_OK;
}

static void destroy_ids(struct id_table *table, uint64_t num_vertices) {
  qn_pages_free(table->narrow, num_vertices, sizeof *table->narrow);
  qn_pages_free(table->wide, num_vertices, sizeof *table->wide);
}

/* ---- Pages ----------------------------------------------------------------- */

static void write_ids(const struct id_table *table, const uint32_t *columns, uint64_t count,
                      uint8_t *out) {
  if (table->narrow)
    for (uint64_t i = 0; i < count; i++)
      qn_store_u32(out + 4 * i, table->narrow[columns[i]]);
  else
    for (uint64_t i = 0; i < count; i++)
      qn_store_u48(out + 6 * i, table->wide[columns[i]]);
}

/* Write edges [begin, end) as the record at `out`; returns its length. */
static uint64_t write_record(const struct qn_csr *csr, const struct qn_page_format *format,
                             const struct id_table *table, uint64_t begin, uint64_t end,
                             uint8_t *out) {
  unsigned weight_bytes = qn_weight_bytes(csr->weights.type);
  uint64_t count = end - begin;
  qn_store_u32(out, (uint32_t)count);
  write_ids(table, csr->column_indices + begin, count, out + QN_ADJLIST_SIZE_BYTES);
  if (weight_bytes)
    memcpy(out + QN_ADJLIST_SIZE_BYTES + count * qn_page_id_bytes(format->address),
           (const char *)csr->weights.data + begin * weight_bytes, count * weight_bytes);
  return QN_ADJLIST_SIZE_BYTES + count * format->edge_bytes;
}

/* Vertices and edges must fit, whatever the row offsets have become since they were looked at: else
 * the page stays empty. */
static void fill_page(const struct qn_csr *csr, const struct qn_slotted_pages *view,
                      const struct id_table *table, uint64_t page, uint8_t *out) {
  uint64_t first = view->start_vids[page], slots = qn_page_num_slots(view, page);
  uint64_t offset = 0, edge = view->edge_offsets[page], last = view->edge_offsets[page + 1];
  bool large = qn_page_is_large(view, page);
  if (edge > last || last > csr->num_edges ||
      slots * VERTEX_BYTES + (last - edge) * view->format.edge_bytes > view->format.page_bytes)
    return;
  for (uint64_t slot = 0; slot < slots; slot++) {
    uint64_t end = large ? last : csr->row_offsets[first + slot + 1];
    end = end < edge ? edge : end;
    end = end > last ? last : end;
    qn_store_slot(&view->format, out, slot, first + slot, (uint32_t)offset);
    offset += write_record(csr, &view->format, table, edge, end, out + offset);
    edge = end;
  }
}

static json_t *used_options(const struct qn_page_format *format) {
  char address[8];
  snprintf(address, sizeof address, "%u,%u", format->address.page_id_bytes,
           format->address.slot_bytes);
  return json_pack("{s:s, s:I}", "address", address, "page_size", (json_int_t)format->page_bytes);
}

enum qn_status qn_slotted_pages_build(struct qn_source *source, const void *options,
                                      struct qn_writer *writer, json_t **used,
                                      struct qn_error *error) {
  const struct qn_csr *csr = &source->graph.out;
  struct qn_slotted_pages_arrays arrays;
  struct qn_slotted_pages view = {.num_vertices = csr->num_vertices, .num_edges = csr->num_edges};
  struct id_table table = {0};
  enum qn_status status = qn_page_format_choose(csr, options, &view.format, error);
  if (status)
    return status;
  view.num_pages = qn_page_count(csr, &view.format);
  status = qn_slotted_pages_write(writer, &view.format, view.num_pages, &arrays, error);
  if (status)
    return status;
  if (!fill_rvt(csr, &view.format, view.num_pages, &arrays))
    return qn_input_changed(error);
  view.start_vids = arrays.start_vids;
  view.lp_ranges = arrays.lp_ranges;
  view.edge_offsets = arrays.edge_offsets;
  status = create_ids(&view, &table, error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, qn_pages_per_task(&view))
  for (uint64_t page = 0; page < view.num_pages; page++)
    fill_page(csr, &view, &table, page, arrays.pages + page * view.format.page_bytes);
  destroy_ids(&table, csr->num_vertices);
  *used = used_options(&view.format);
  return QN_OK;
}
