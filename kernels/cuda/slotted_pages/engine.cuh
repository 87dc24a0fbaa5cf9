/* Slotted pages on a CUDA device, resident or streamed page by page (view: struct
 * qn_slotted_pages), after GTS (sections 3 and 6.2, appendix B): a few blocks of threads share a
 * page. On a small page virtual warps take its slots, as wide as the page is dense: one thread a
 * vertex (vertex-centric) on sparse pages, up to a warp a vertex (edge-centric) on dense ones, and
 * a block for those with a thousand edges. On a large page all blocks take the one record. Small
 * pages without an active vertex are left out: a receiver's physical id names its page, so
 * nextPIDSet is filled in constant time; a large page looks at its own vertex. Searches of
 * undirected graphs look for senders instead in steps with many (bottom_up.cuh). (Streamed pages:
 * sweep/units.cuh.)
 *
 * Per edge p + q bytes (4 more with weights) are read in order, START_VID of the receiver's page is
 * looked up (4 bytes a page: the L2 cache holds them), and one accumulator is combined into. */
#pragma once

#include "kernels/cuda/slotted_pages/engine_device.cuh"
#include "kernels/cuda/slotted_pages/low_memory.cuh"
#if PROGRAM_FIRST_SUFFICES
#include "kernels/cuda/slotted_pages/bottom_up.cuh"
#endif
#include "kernels/cuda/slotted_pages/streamed.cuh"
#include "kernels/cuda/sweep/devices.cuh"
#include "kernels/cuda/sweep/senders.cuh"
#include "kernels/work_division/page_tasks.h"

#define PAGE_BLOCKS 4 /* of threads that share a page, where all pages are walked at once */
#define STREAMED_BLOCK_BYTES 32768 /* of a page are a block's where few pages are */
#define STREAMED_MAX_BLOCKS 64
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

/* The pages of nextPIDSet, or those that `entries` says. */
template <bool splits>
__global__ void __launch_bounds__(SWEEP_THREADS)
    collect_page(const struct sweep_state state, const struct qn_program_context context,
                 const struct qn_unit_entry *entries, int turn, bool all_pages) {
  const struct engine_device &device = state.layout;
  const uint32_t page = entries ? (uint32_t)entries[blockIdx.x].unit : blockIdx.x;
  const struct page_place place =
      entries ? streamed_page(entries[blockIdx.x]) : resident_page(device.pages, page);
  uint8_t *next_pages = device.next_pages[1 - turn];
  if (device.pages.lp_ranges[page] != QN_SMALL_PAGE)
    walk_large_page<splits>(state, context, page, place, next_pages);
  else if (!SWEEP_FRONTIER || entries || all_pages || device.next_pages[turn][page])
    walk_small_page<splits>(state, context, page, place, next_pages);
}

/* The vertices of a page. */
QN_DEVICE_INLINE struct unit_vertices engine_unit_vertices(const struct engine_device &device,
                                                           uint64_t page) {
  const uint32_t first = device.pages.start_vids[page];
  const bool is_small = device.pages.lp_ranges[page] == QN_SMALL_PAGE;
  return {first, is_small ? device.pages.start_vids[page + 1] : first + 1};
}

/* A batch has few pages, and their rows wait for memory one after the other. */
inline unsigned streamed_blocks(uint32_t page_bytes) {
  const uint32_t blocks = page_bytes / STREAMED_BLOCK_BYTES;
  return blocks < PAGE_BLOCKS           ? PAGE_BLOCKS
         : blocks < STREAMED_MAX_BLOCKS ? blocks
                                        : STREAMED_MAX_BLOCKS;
}

inline enum qn_status walk_pages(const struct sweep_run *run, const struct sweep_state &state,
                                 const struct qn_unit_entry *entries, uint64_t count,
                                 unsigned shares, cudaStream_t stream, struct qn_error *error) {
  const int turn = (int)(run->context.iteration % 2);
  const dim3 blocks((unsigned)count, shares);
  if (run->splits)
    QN_LAUNCH((collect_page<true>), blocks, SWEEP_THREADS, 0, stream, state, run->context, entries,
              turn, run->woken);
  else
    QN_LAUNCH((collect_page<false>), blocks, SWEEP_THREADS, 0, stream, state, run->context, entries,
              turn, run->woken);
  return qn_cuda_launched("walking the pages", error);
}

inline enum qn_status engine_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                                  uint64_t count, cudaStream_t stream, struct qn_error *error) {
  const unsigned shares = streamed_blocks(run->state.layout.pages.format.page_bytes);
  auto walk = [&](const struct sweep_state &state, const struct qn_unit_entry *some,
                  uint64_t how_many) {
    return walk_pages(run, state, some, how_many, shares, stream, error);
  };
#if LOW_MEMORY_ALL_ACTIVE
  return low_memory_walk(run, entries, count, shares, stream, walk, error);
#else
  return walk(run->state, entries, count);
#endif
}

/* Walk the pages of nextPIDSet, or all of them where that looks at less. */
inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  const int turn = (int)(run->context.iteration % 2);
  enum qn_status status = QN_OK;
  if (device->pages.num_pages == 0)
    return QN_OK;
  if (SWEEP_FRONTIER)
    status = qn_cuda_status(
        cudaMemsetAsync(device->next_pages[1 - turn], 0, device->pages.num_pages, NULL),
        "clearing nextPIDSet", error);
#if PROGRAM_FIRST_SUFFICES
  bool search = false;
  if (!status)
    status = choose_search(run, &search, error);
  if (status || search)
    return status ? status : search_all(run, PAGE_BLOCKS, device->next_pages[1 - turn], error);
#endif
  return status
             ? status
             : walk_pages(run, run->state, NULL, device->pages.num_pages, PAGE_BLOCKS, NULL, error);
}

/* A page leaves nothing to add up. */
inline enum qn_status engine_complete(struct sweep_run *, struct qn_error *) {
  return QN_OK;
}

inline enum qn_status upload_degrees(const struct qn_slotted_pages *view, struct sweep_run *run,
                                     struct qn_error *error) {
  uint64_t *degrees;
  enum qn_status status = qn_page_degrees_create(&degrees, view, error);
  if (status)
    return status;
  status = sweep_copy_of_held(run, &run->state.layout.degrees, degrees, 0, "out-degrees", error);
  qn_pages_free(degrees, view->num_vertices, sizeof *degrees);
  return status;
}

inline enum qn_status upload_layout(const struct qn_slotted_pages *view, struct sweep_run *run,
                                    struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  device->parallelism = run->request->device->parallelism;
  device->pages.packed = run->source && qn_unit_packing_of(run->source);
  if (run->source && PROGRAM_LOOKS_ONCE)
    qn_unit_map(run->source);
  run->state.sees = SWEEP_MAY_SEE && run->request->asynchronous;
  const bool has_degrees = run->engine && LOW_MEMORY_ALL_ACTIVE; /* on the host: spare.cuh */
  enum qn_status status = run->source ? upload_page_table(memory, view, &device->pages, error)
                                      : upload_pages(memory, view, &device->pages, error);
  for (int turn = 0; turn < 2 && !status && SWEEP_FRONTIER && !run->source; turn++)
    status = qn_cuda_alloc_zeroed(memory, &device->next_pages[turn], view->num_pages, 1,
                                  "nextPIDSet", error);
  if (!status && PROGRAM_USES_OUT_DEGREE && !has_degrees)
    status = upload_degrees(view, run, error);
  return status;
}

inline enum qn_status check_weights(const struct qn_slotted_pages *view, struct qn_error *error) {
  uint64_t edge, bits;
  const struct qn_weight_limit limit =
      qn_weight_limit_for(&engine_weight_demand, view->num_vertices);
  if (!PROGRAM_NON_NEGATIVE || !qn_page_weight_beyond(view, &limit, &edge, &bits))
    return QN_OK;
  return qn_weight_refuse(&engine_weight_demand, view->weight_type, bits, edge, view->num_vertices,
                          error);
}

inline enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const struct qn_slotted_pages *view = (const struct qn_slotted_pages *)request->view;
  struct qn_unit_packing packing;
  const struct qn_unit_source source = page_source(view, &packing);
  auto upload = [view](struct sweep_run *run, struct qn_error *failure) {
    return upload_layout(view, run, failure);
  };
  memset(result, 0, sizeof *result);
  enum qn_status status = check_weights(view, error);
  if (status)
    return status;
  if (request->device->num_devices > 1)
    return sweep_run_devices(request, view->num_vertices, view->num_edges, NULL, &source, upload,
                             result, error);
  return low_memory_run(request, view, &source, upload, result, error);
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_SLOTTED_PAGES, QN_CUDA, "slotted pages, virtual warps by density",
                 QN_KERNEL_DEVICES | QN_KERNEL_PARALLELISM | SWEEP_TRAITS);
