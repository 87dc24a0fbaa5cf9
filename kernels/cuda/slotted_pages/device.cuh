/* Slotted pages in device memory, for engines and kernels. */
#pragma once

#include "kernels/cuda/device/block.cuh"
#include "kernels/cuda/device/memory.cuh"
#include <quern/slotted_pages.h>

namespace {

struct device_pages {
  struct qn_page_format format;
  enum qn_weight_type weight_type;
  uint32_t num_pages;
  const uint32_t *start_vids;   /* [P + 1] */
  const int32_t *lp_ranges;     /* [P] */
  const uint64_t *edge_offsets; /* [P + 1] */
  const uint8_t *pages;         /* [P x page_bytes]; NULL if they are streamed */
  bool packed;                  /* without weights (streamed.cuh) */
};

/* Where a page lies. */
struct page_place {
  const uint8_t *bytes, *end;
};

/* A vertex's edges on a page. */
struct device_record {
  const uint8_t *ids, *weights;
  uint32_t num_edges;
};

/* What a physical id names. */
struct device_target {
  uint32_t page, vertex;
};

/* Numbers in pages are aligned to 2 bytes. */
QN_DEVICE_INLINE uint32_t load_u16(const uint8_t *bytes) {
  return *reinterpret_cast<const uint16_t *>(bytes);
}

QN_DEVICE_INLINE uint32_t load_u32(const uint8_t *bytes) {
  return load_u16(bytes) + load_u16(bytes + 2) * 65536u;
}

QN_DEVICE_INLINE uint32_t physical_id_bytes(const struct device_pages &pages) {
  return (uint32_t)pages.format.address.page_id_bytes + pages.format.address.slot_bytes;
}

QN_DEVICE_INLINE struct page_place resident_page(const struct device_pages &pages, uint32_t page) {
  const uint8_t *bytes = pages.pages + (uint64_t)page * pages.format.page_bytes;
  return {bytes, bytes + pages.format.page_bytes};
}

QN_DEVICE_INLINE struct device_record load_record_at(const struct device_pages &pages,
                                                     const struct page_place &page, uint32_t slot) {
  const uint32_t id_bytes = physical_id_bytes(pages);
  uint32_t offset = load_u32(page.end - (slot + 1) * QN_SLOT_BYTES + 6);
  if (pages.packed) { /* as it would be without the weights before it */
    const uint32_t counts = slot * QN_ADJLIST_SIZE_BYTES;
    offset = counts + (offset - counts) / pages.format.edge_bytes * id_bytes;
  }
  const uint8_t *record = page.bytes + offset;
  struct device_record result;
  result.num_edges = load_u32(record);
  result.ids = record + QN_ADJLIST_SIZE_BYTES;
  result.weights = result.ids + (uint64_t)result.num_edges * id_bytes;
  return result;
}

/* The same of a page in the host's memory, which may change under the run: all lies on the page. */
QN_DEVICE_INLINE struct device_record load_record_in_place(const struct device_pages &pages,
                                                           const struct page_place &page,
                                                           uint32_t slot) {
  const uint32_t most = pages.format.page_bytes - QN_ADJLIST_SIZE_BYTES;
  const uint32_t offset = load_u32(page.end - (slot + 1) * QN_SLOT_BYTES + 6);
  struct device_record record;
  memset(&record, 0, sizeof record);
  if (offset > most)
    return record;
  const uint32_t fit = (most - offset) / pages.format.edge_bytes;
  const uint32_t num_edges = load_u32(page.bytes + offset);
  record.num_edges = num_edges < fit ? num_edges : fit;
  record.ids = page.bytes + offset + QN_ADJLIST_SIZE_BYTES;
  record.weights = record.ids + (uint64_t)record.num_edges * physical_id_bytes(pages);
  return record;
}

QN_DEVICE_INLINE struct device_record load_record(const struct device_pages &pages, uint32_t page,
                                                  uint32_t slot) {
  return load_record_at(pages, resident_page(pages, page), slot);
}

/* The receiver of one of a record's edges. */
QN_DEVICE_INLINE struct device_target
load_target(const struct device_pages &pages, const struct device_record &record, uint32_t edge) {
  const uint32_t id_bytes = physical_id_bytes(pages);
  const uint32_t page_bits = 8u * pages.format.address.page_id_bytes;
  const uint8_t *at = record.ids + (uint64_t)edge * id_bytes;
  uint64_t id = load_u32(at);
  if (id_bytes == 6)
    id |= (uint64_t)load_u16(at + 4) << 32;
  struct device_target target;
  target.page = (uint32_t)(id & (((uint64_t)1 << page_bits) - 1));
  target.vertex = pages.start_vids[target.page] + (uint32_t)(id >> page_bits);
  return target;
}

/* Threads a vertex of a small page gets: the power of two at or below its mean degree, up to 32. */
QN_DEVICE_INLINE uint32_t virtual_warp(const struct device_pages &pages, uint32_t page) {
  const uint64_t num_edges = pages.edge_offsets[page + 1] - pages.edge_offsets[page];
  const uint64_t num_slots = pages.start_vids[page + 1] - pages.start_vids[page];
  uint32_t width = 1;
  while (width < 32 && 2 * width * num_slots <= num_edges)
    width *= 2;
  return width;
}

/* All but the pages themselves. */
inline enum qn_status upload_page_table(struct qn_cuda_memory *memory,
                                        const struct qn_slotted_pages *view,
                                        struct device_pages *pages, struct qn_error *error) {
  pages->format = view->format;
  pages->weight_type = view->weight_type;
  pages->num_pages = (uint32_t)view->num_pages;
  enum qn_status status =
      qn_cuda_copy_of(memory, &pages->start_vids, view->start_vids, view->num_pages + 1, 0,
                      sizeof *view->start_vids, "start vertices of pages", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &pages->lp_ranges, view->lp_ranges, view->num_pages, 0,
                             sizeof *view->lp_ranges, "ranges of large pages", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &pages->edge_offsets, view->edge_offsets, view->num_pages + 1,
                             0, sizeof *view->edge_offsets, "edge offsets of pages", error);
  return status;
}

inline enum qn_status upload_pages(struct qn_cuda_memory *memory,
                                   const struct qn_slotted_pages *view, struct device_pages *pages,
                                   struct qn_error *error) {
  enum qn_status status = upload_page_table(memory, view, pages, error);
  if (!status)
    status = qn_cuda_copy_of(memory, &pages->pages, view->pages, view->num_pages, 0,
                             view->format.page_bytes, "pages", error);
  return status;
}

} /* namespace */
