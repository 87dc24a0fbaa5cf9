/* The way back from slotted pages to the graph: every page knows its first vertex and its first
 * edge, so pages are decoded independently. */
#include "formats/graph/restored.h"
#include <quern/slotted_pages.h>

/* `id_bytes` is a constant where this is called, so that the load of an id is one instruction. */
static inline void decode_ids(const struct qn_slotted_pages *view,
                              const struct qn_page_record *record, unsigned id_bytes,
                              uint32_t *columns) {
  for (uint64_t i = 0; i < record->num_edges; i++)
    columns[i] = qn_physical_id_vertex(view->start_vids, view->format.address,
                                       qn_load_physical_id(record->ids + i * id_bytes, id_bytes));
}

static void decode_page(const struct qn_slotted_pages *view, uint64_t page,
                        const struct qn_graph_arrays *arrays) {
  const uint8_t *bytes = qn_page_at(view, page);
  uint32_t num_slots = qn_page_num_slots(view, page);
  uint64_t edge = view->edge_offsets[page];
  uint64_t first_vertex = view->start_vids[page];
  bool first = qn_page_is_first(view, page);
  unsigned weight_bytes = qn_weight_bytes(view->weight_type);
  for (uint64_t slot = 0; slot < num_slots; slot++) {
    struct qn_page_record record = qn_page_record(&view->format, bytes, slot);
    if (first_vertex + slot >= view->num_vertices || edge > view->num_edges ||
        record.num_edges > view->num_edges - edge)
      return; /* the file is being overwritten (used_files.h) */
    if (first)
      arrays->row_offsets[first_vertex + slot] = edge;
    if (qn_page_id_bytes(view->format.address) == 4)
      decode_ids(view, &record, 4, arrays->column_indices + edge);
    else
      decode_ids(view, &record, 6, arrays->column_indices + edge);
    if (weight_bytes)
      memcpy((char *)arrays->weights + edge * weight_bytes, record.weights,
             (size_t)record.num_edges * weight_bytes);
    edge += record.num_edges;
  }
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
#pragma omp parallel for schedule(dynamic, qn_pages_per_task(&view))
  for (uint64_t page = 0; page < view.num_pages; page++)
    decode_page(&view, page, &arrays);
  arrays.row_offsets[view.num_vertices] = view.num_edges;
  qn_graph_restored(graph, view.directedness, &view.ids);
  return QN_OK;
}
