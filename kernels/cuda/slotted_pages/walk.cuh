/* Walking a page's records: small pages by virtual warps, large ones by all blocks (engine.cuh). */
#pragma once

#include "kernels/cuda/slotted_pages/engine_device.cuh"
#include "kernels/cuda/slotted_pages/low_memory.cuh"

#define LONG_SLOT 1024     /* edges from which on a slot is for the whole block */
#define MAX_LONG_SLOTS 512 /* of a block: those of 3 MiB of two-byte ids */

namespace {

/* `splits` as for sweep_collect. Send along one edge of a record; tell nextPIDSet of the receiver's
 * page. */
template <bool splits>
QN_DEVICE_INLINE void walk_edge(const struct sweep_state &state,
                                const struct qn_program_context &context,
                                const struct device_record &record, uint32_t edge,
                                program_message message, uint8_t *next_pages) {
  const struct device_pages &pages = state.layout.pages;
  const struct device_target target = load_target(pages, record, edge);
  if (sweep_collect<splits>(state, context, message,
                            load_weight(pages.weight_type, record.weights + 4 * (uint64_t)edge),
                            target.vertex) &&
      SWEEP_FRONTIER && next_pages)
    next_pages[target.page] = 1;
}

/* Send along a record's edges: this thread takes every `step`-th from `first` on. */
template <bool splits>
QN_DEVICE_INLINE void walk_record(const struct sweep_state &state,
                                  const struct qn_program_context &context,
                                  const struct device_record &record, program_message message,
                                  uint32_t first, uint32_t step, uint8_t *next_pages) {
  for (uint32_t edge = first; edge < record.num_edges; edge += step)
    walk_edge<splits>(state, context, record, edge, message, next_pages);
}

/* Threads that take a slot of a small page together (section 6.2). */
QN_DEVICE_INLINE uint32_t slot_threads(const struct engine_device &device, uint32_t page) {
  return device.parallelism == QN_PARALLEL_VERTEX ? 1
         : device.parallelism == QN_PARALLEL_EDGE ? 32
                                                  : virtual_warp(device.pages, page);
}

/* The block's share of a small page: slots go round the blocks of the page. A virtual warp takes a
 * slot; those with many edges wait until the whole block can take them, one after the other. */
template <bool splits>
QN_DEVICE_INLINE void walk_small_page(const struct sweep_state &state,
                                      const struct qn_program_context &context, uint32_t page,
                                      const struct page_place &place, uint8_t *next_pages) {
  QN_SHARED(uint32_t, long_slots, MAX_LONG_SLOTS);
  QN_SHARED(uint32_t, num_long, 1);
  if (threadIdx.x == 0)
    num_long[0] = 0;
  __syncthreads();
  const struct device_pages &pages = state.layout.pages;
  const uint32_t first = pages.start_vids[page], num_slots = pages.start_vids[page + 1] - first;
  const uint32_t width = slot_threads(state.layout, page), at_once = blockDim.x / width;
  for (uint32_t slot = blockIdx.y * at_once + threadIdx.x / width; slot < num_slots;
       slot += gridDim.y * at_once) {
    program_message message;
    if (!page_sends(state, context, first + slot, slot, &message))
      continue;
    const struct device_record record = load_record_at(pages, place, slot);
    if (record.num_edges < LONG_SLOT || state.layout.parallelism != QN_PARALLEL_HYBRID) {
      walk_record<splits>(state, context, record, message, threadIdx.x % width, width, next_pages);
    } else if (threadIdx.x % width == 0) {
      const uint32_t place = atomicAdd(&num_long[0], 1u);
      if (place < MAX_LONG_SLOTS)
        long_slots[place] = slot;
      else
        walk_record<splits>(state, context, record, message, 0, 1, next_pages);
    }
  }
  __syncthreads();
  for (uint32_t i = 0; i < num_long[0] && i < MAX_LONG_SLOTS; i++) {
    const uint32_t slot = long_slots[i];
    program_message message;
    if (page_sends(state, context, first + slot, slot, &message))
      walk_record<splits>(state, context, load_record_at(pages, place, slot), message, threadIdx.x,
                          blockDim.x, next_pages);
  }
}

/* The block's share of a large page, which is one vertex's. */
template <bool splits>
QN_DEVICE_INLINE void walk_large_page(const struct sweep_state &state,
                                      const struct qn_program_context &context, uint32_t page,
                                      const struct page_place &place, uint8_t *next_pages) {
  const struct device_pages &pages = state.layout.pages;
  const uint32_t vertex = pages.start_vids[page];
  program_message message;
  if (page_sends(state, context, vertex, 0, &message))
    walk_record<splits>(state, context, load_record_at(pages, place, 0), message,
                        blockIdx.y * blockDim.x + threadIdx.x, gridDim.y * blockDim.x, next_pages);
}

/* The vertices of a page. */
QN_DEVICE_INLINE struct unit_vertices engine_unit_vertices(const struct engine_device &device,
                                                           uint64_t page) {
  const uint32_t first = device.pages.start_vids[page];
  const bool is_small = device.pages.lp_ranges[page] == QN_SMALL_PAGE;
  return {first, is_small ? device.pages.start_vids[page + 1] : first + 1};
}

} /* namespace */
