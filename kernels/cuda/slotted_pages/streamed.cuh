/* Slotted pages that are streamed: a unit is a page. Where a run has no use for weights, and no
 * page is moved again, they stay behind: readers pack a page's records without them, and its slots,
 * which say where records begin in the container, from which follows where they begin then
 * (load_record_at). So 4 + w d bytes cross the bus for a record, and 10 for a slot. Who comes again
 * is better off with pages that are pinned, and copied as they are. */
#pragma once

#include "kernels/cuda/slotted_pages/device.cuh"
#include "kernels/cuda/stream/packing.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

#ifndef PROGRAM_LOOKS_ONCE /* own/visit_program.cuh */
#define PROGRAM_LOOKS_ONCE 0
#endif

namespace {

QN_DEVICE_INLINE struct page_place streamed_page(const struct qn_unit_entry &entry) {
  return {entry.pieces[0], entry.pieces[0] + entry.bytes[0]};
}

inline bool packs_pages(const struct qn_slotted_pages *view) {
  return PROGRAM_LOOKS_ONCE && view->weight_type != QN_WEIGHT_NONE;
}

inline void describe_page(const void *user, uint64_t page, struct qn_unit *out) {
  const struct qn_slotted_pages *view = (const struct qn_slotted_pages *)user;
  out->num_pieces = 1;
  out->more = 0;
  out->pieces[0] = {qn_page_at(view, page), view->format.page_bytes, 0};
}

inline uint64_t packed_page_bytes(const void *user, uint64_t page) {
  const struct qn_slotted_pages *view = (const struct qn_slotted_pages *)user;
  const uint64_t num_edges = view->edge_offsets[page + 1] - view->edge_offsets[page];
  return (uint64_t)qn_page_num_slots(view, page) * (QN_ADJLIST_SIZE_BYTES + QN_SLOT_BYTES) +
         num_edges * qn_page_id_bytes(view->format.address);
}

/* Copies more than is asked for where there is room for it: most records are short. */
inline void copy_record(uint8_t *to, const uint8_t *from, uint64_t bytes, bool has_room) {
  if (!has_room) {
    memcpy(to, from, bytes);
    return;
  }
  for (uint64_t at = 0; at < bytes; at += 32)
    memcpy(to + at, from + at, 32);
}

/* Nothing beyond `bytes` is written, whatever has become of the container. */
inline void pack_page(const void *user, uint64_t page, uint8_t *to, uint64_t bytes) {
  const struct qn_slotted_pages *view = (const struct qn_slotted_pages *)user;
  const uint8_t *from = qn_page_at(view, page), *from_end = from + view->format.page_bytes;
  const uint32_t num_slots = qn_page_num_slots(view, page);
  const uint64_t slots = (uint64_t)num_slots * QN_SLOT_BYTES;
  if (slots > bytes || slots > view->format.page_bytes)
    return;
  uint8_t *const end = to + bytes - slots;
  for (uint32_t slot = 0; slot < num_slots; slot++) {
    const uint64_t num_edges = qn_load_u32(from), left = (uint64_t)(from_end - from);
    const uint64_t record =
        QN_ADJLIST_SIZE_BYTES + num_edges * qn_page_id_bytes(view->format.address);
    const uint64_t stride = QN_ADJLIST_SIZE_BYTES + num_edges * view->format.edge_bytes;
    if (record > (uint64_t)(end - to) || stride + QN_SLOT_BYTES > left)
      break;
    copy_record(to, from, record, record + 32 <= (uint64_t)(end - to) && record + 32 <= left);
    to += record;
    from += stride;
  }
  memcpy(end, from_end - slots, slots);
}

inline bool page_is_large(const void *user, uint64_t page) {
  return qn_page_is_large((const struct qn_slotted_pages *)user, page);
}

/* `packing` is to live as long as the source. */
inline struct qn_unit_source page_source(const struct qn_slotted_pages *view,
                                         struct qn_unit_packing *packing) {
  const bool packs = packs_pages(view);
  const uint64_t num_pages = view->num_pages;
  struct qn_unit_source source;
  memset(&source, 0, sizeof source);
  source.num_units = num_pages;
  source.fixed_bytes = qn_cuda_rounded((num_pages + 1) * sizeof *view->start_vids) +
                       qn_cuda_rounded(num_pages * sizeof *view->lp_ranges) +
                       qn_cuda_rounded((num_pages + 1) * sizeof *view->edge_offsets);
  source.vertex_bytes = PROGRAM_USES_OUT_DEGREE ? sizeof(uint64_t) : 0;
  source.resident_bytes = source.fixed_bytes +
                          qn_cuda_rounded(num_pages * view->format.page_bytes) +
                          (SWEEP_FRONTIER ? 2 * qn_cuda_rounded(num_pages) : 0);
  *packing = {view, describe_page, packed_page_bytes, pack_page};
  source.user = packs ? (const void *)packing : view;
  source.describe = packs ? qn_unit_packed : describe_page;
  source.moves_once = PROGRAM_LOOKS_ONCE;
  source.is_late = PROGRAM_LOOKS_ONCE ? NULL : page_is_large;
  source.unit_bytes = packs ? 0 : qn_unit_rounded(view->format.page_bytes);
  source.total_bytes = packs ? 0 : num_pages * view->format.page_bytes;
  for (uint64_t page = 0; page < num_pages && packs; page++) {
    const uint64_t bytes = qn_unit_rounded(packed_page_bytes(view, page));
    source.unit_bytes = bytes > source.unit_bytes ? bytes : source.unit_bytes;
    source.total_bytes += bytes;
  }
  return source;
}

} /* namespace */
