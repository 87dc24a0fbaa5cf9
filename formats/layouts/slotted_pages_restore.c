/* The way back from slotted pages to the graph: every page knows its first vertex and its first
 * edge, so pages are decoded independently. */
#include "formats/graph/restored.h"
#include "support/used_files.h"
#include <quern/slotted_pages.h>

/* `id_bytes` is a constant where this is called, so that the load of an id is one instruction. */
static inline void decode_ids(const struct qn_slotted_pages *view,
                              const struct qn_page_record *record, unsigned id_bytes,
                              uint32_t *columns) {
  for (uint64_t i = 0; i < record->num_edges; i++)
    columns[i] = qn_physical_id_vertex(view->start_vids, view->format.address,
                                       qn_load_physical_id(record->ids + i * id_bytes, id_bytes));
}

/* False if it has other rows than asked for: the file is being overwritten (used_files.h). */
static bool decode_page(const struct qn_slotted_pages *view, uint64_t page,
                        const struct qn_page_rows *to) {
  const uint8_t *bytes = qn_page_at(view, page);
  const uint32_t num_slots = qn_page_num_slots(view, page);
  uint64_t edge = view->edge_offsets[page] - to->first_edge;
  const uint64_t first_row = view->start_vids[page] - to->first_vertex;
  const bool first = qn_page_is_first(view, page);
  const unsigned weight_bytes = to->weights ? qn_weight_bytes(view->weight_type) : 0;
  for (uint64_t slot = 0; slot < num_slots; slot++) {
    struct qn_page_record record = qn_page_record(&view->format, bytes, slot);
    if (first_row + slot >= to->num_rows || edge > to->num_edges ||
        record.num_edges > to->num_edges - edge)
      return false;
    if (first)
      to->offsets[first_row + slot] = edge;
    if (qn_page_id_bytes(view->format.address) == 4)
      decode_ids(view, &record, 4, to->columns + edge);
    else
      decode_ids(view, &record, 6, to->columns + edge);
    if (weight_bytes)
      memcpy((char *)to->weights + edge * weight_bytes, record.weights,
             (size_t)record.num_edges * weight_bytes);
    edge += record.num_edges;
  }
  return true;
}

bool qn_slotted_pages_decode(const struct qn_slotted_pages *view, uint64_t begin, uint64_t end,
                             const struct qn_page_rows *to) {
  bool fits = true;
#pragma omp parallel for schedule(dynamic, qn_pages_per_task(view)) reduction(&& : fits)
  for (uint64_t page = begin; page < end; page++)
    fits = decode_page(view, page, to) && fits;
  return fits;
}

enum qn_status qn_slotted_pages_restore(const struct qn_container *container,
                                        struct qn_graph *graph, struct qn_error *error) {
  struct qn_slotted_pages view;
  struct qn_graph_arrays arrays;
  enum qn_status status = qn_slotted_pages_view(container, &view, error);
  if (!status)
    status =
        qn_graph_create(view.num_vertices, view.num_edges, view.weight_type, graph, &arrays, error);
  if (status)
    return status;
  const struct qn_page_rows all = {.num_rows = view.num_vertices,
                                   .num_edges = view.num_edges,
                                   .offsets = arrays.row_offsets,
                                   .columns = arrays.column_indices,
                                   .weights = arrays.weights};
  if (!qn_slotted_pages_decode(&view, 0, view.num_pages, &all)) {
    qn_graph_unmap(graph);
    return qn_input_changed(error);
  }
  arrays.row_offsets[view.num_vertices] = view.num_edges;
  qn_graph_restored(graph, view.directedness, &view.ids);
  return QN_OK;
}
