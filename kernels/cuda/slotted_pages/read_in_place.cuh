/* Records that are read where they lie instead of moving their page (sweep/unit_reading.cuh). Of a
 * record cross the bus 10 bytes of its slot, which lies beside others, 4 of its length, and the ids
 * that are looked at, with their weights if the program uses them, in sectors of 32 bytes. */
#pragma once

#if PROGRAM_FIRST_SUFFICES
#include "kernels/cuda/slotted_pages/bottom_up.cuh"
#endif
#include "kernels/cuda/slotted_pages/walk.cuh"
#include "kernels/cuda/sweep/unit_reading.cuh"

namespace {

#if SWEEP_FRONTIER

/* Bytes that cross the bus for a record's slot and the first of its edges. */
QN_DEVICE_INLINE uint64_t bytes_in_place(const struct device_pages &pages, uint64_t num_edges) {
  const uint64_t edge = PROGRAM_USES_WEIGHTS ? pages.format.edge_bytes : physical_id_bytes(pages);
  return QN_SLOT_BYTES + in_whole_sectors(QN_ADJLIST_SIZE_BYTES + num_edges * edge);
}

/* The warp sends along the record of `slot`. Returns the bytes that were read. */
QN_DEVICE_INLINE uint64_t push_record_in_place(const struct sweep_state &state,
                                               const struct qn_program_context &context,
                                               const struct page_place &place, uint32_t first,
                                               uint32_t slot) {
  program_message message;
  if (!page_sends(state, context, first + slot, slot, &message))
    return 0;
  const struct device_record record = load_record_in_place(state.layout.pages, place, slot);
  walk_record<false>(state, context, record, message, qn_lane(), 32, NULL);
  return bytes_in_place(state.layout.pages, record.num_edges);
}

/* Its records are expected to be as long as each other; slots lie side by side. */
QN_DEVICE_INLINE struct unit_needs engine_needs(const struct sweep_state &state,
                                                const struct qn_program_context &context,
                                                uint32_t page, struct unit_rows rows) {
  const struct device_pages &pages = state.layout.pages;
  const struct unit_vertices vertices = engine_unit_vertices(state.layout, page);
  const uint64_t count = unit_count_needed(state, context, rows, vertices);
  const uint64_t num_edges = pages.edge_offsets[page + 1] - pages.edge_offsets[page];
  const uint64_t num_slots = vertices.end - vertices.begin;
  if (qn_lane() > 0 || count == 0)
    return {0, {0, 0}};
  const uint64_t mean = (num_edges + num_slots - 1) / num_slots;
  const uint64_t edge = PROGRAM_USES_WEIGHTS ? pages.format.edge_bytes : physical_id_bytes(pages);
  const struct unit_reads records =
      unit_reads_of(count, QN_ADJLIST_SIZE_BYTES + unit_looked_at(rows, mean) * edge);
  const struct unit_reads slots = unit_reads_least(unit_reads_of(count, QN_SLOT_BYTES),
                                                   unit_reads_of(1, num_slots * QN_SLOT_BYTES));
  return {count * mean, unit_reads_both(records, slots)};
}

QN_DEVICE_INLINE uint64_t engine_read_unit(const struct sweep_state &state,
                                           const struct qn_program_context &context,
                                           uint32_t page) {
  const struct device_pages &pages = state.layout.pages;
  const uint8_t *at = state.layout.host_pages + page * (uint64_t)pages.format.page_bytes;
  const struct page_place place = {at, at + pages.format.page_bytes};
  const struct unit_vertices vertices = engine_unit_vertices(state.layout, page);
  uint64_t bytes = 0;
  for (uint32_t begin = qn_warp() * 32; begin < vertices.end - vertices.begin;
       begin += blockDim.x) {
    const uint32_t slot = begin + qn_lane(), vertex = vertices.begin + slot;
    const bool valid = slot < vertices.end - vertices.begin;
#if PROGRAM_FIRST_SUFFICES
    if (state.layout.in_place.searches) {
      const bool looks = valid && sweep_may_receive(state, context, vertex);
      const auto end = search_slot<true>(state, context, place, vertices.begin, slot, looks);
      if (looks)
        bytes += bytes_in_place(pages, end.edge == SEARCH_NONE ? end.row.num_edges : end.edge + 1);
      continue;
    }
#endif
    for (unsigned left = __ballot_sync(QN_FULL_WARP, valid && sweep_is_active(state, vertex)); left;
         left &= left - 1) {
      const uint64_t read = push_record_in_place(state, context, place, vertices.begin,
                                                 begin + (uint32_t)__ffs((int)left) - 1);
      bytes += qn_lane() == 0 ? read : 0;
    }
  }
  return bytes;
}

#endif

/* ---- The host's side -------------------------------------------------------------------- */

/* sweep_ends_soon's each_edge. A vertex on large pages has too many. */
template <class Visit>
bool each_edge_of_page(const struct qn_slotted_pages *view, uint32_t vertex, Visit visit) {
  const struct qn_page_format *format = &view->format;
  const unsigned id_bytes = qn_page_id_bytes(format->address);
  const uint64_t page = qn_slotted_pages_find(view, vertex);
  if (qn_page_is_large(view, page))
    return false;
  const uint8_t *at = qn_page_at(view, page);
  const uint32_t slot = vertex - view->start_vids[page];
  const uint64_t offset = qn_slot_offset(qn_slot_at(format, at, slot));
  if (offset > format->page_bytes - QN_ADJLIST_SIZE_BYTES)
    return false; /* an input that changes */
  const struct qn_page_record record = qn_page_record_at(format, at, (uint32_t)offset);
  if (record.num_edges > qn_page_edge_limit(format) ||
      record.num_edges * (uint64_t)format->edge_bytes >
          format->page_bytes - QN_ADJLIST_SIZE_BYTES - offset)
    return false;
  for (uint32_t edge = 0; edge < record.num_edges; edge++) {
    const uint64_t id = qn_load_physical_id(record.ids + (uint64_t)edge * id_bytes, id_bytes);
    if ((id & qn_page_id_mask(format->address)) >= view->num_pages)
      return false;
    const uint32_t neighbour = qn_physical_id_vertex(view->start_vids, format->address, id);
    if (neighbour >= view->num_vertices || !visit(neighbour))
      return false;
  }
  return true;
}

inline bool pages_end_soon(const struct qn_run_request *request,
                           const struct qn_slotted_pages *view) {
  return SWEEP_MAY_END_SOON(request) &&
         sweep_ends_soon(request, request->inputs.sources[0], [&](uint32_t vertex, auto visit) {
           return each_edge_of_page(view, vertex, visit);
         });
}

} /* namespace */
