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

#define SWEEP_FLAGS_UNITS 1

#include "kernels/cuda/slotted_pages/engine_device.cuh"
#include "kernels/cuda/slotted_pages/low_memory.cuh"
#include "kernels/cuda/slotted_pages/read_in_place.cuh"
#include "kernels/cuda/slotted_pages/streamed.cuh"
#include "kernels/cuda/slotted_pages/walk.cuh"
#include "kernels/cuda/sweep/senders.cuh"
#include "kernels/cuda/sweep/shared_reading.cuh"
#include "kernels/work_division/page_tasks.h"

#define PAGE_BLOCKS 4 /* of threads that share a page, where all pages are walked at once */
#define STREAMED_BLOCK_BYTES 32768 /* of a page are a block's where few pages are */
#define STREAMED_MAX_BLOCKS 64

namespace {

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
#if PROGRAM_FIRST_SUFFICES
  if (entries && device.in_place.searches) {
    search_page(state, context, page, place);
    return;
  }
#endif
  if (device.pages.lp_ranges[page] != QN_SMALL_PAGE)
    walk_large_page<splits>(state, context, page, place, next_pages);
  else if (!SWEEP_FRONTIER || entries || all_pages || device.next_pages[turn][page])
    walk_small_page<splits>(state, context, page, place, next_pages);
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

/* What reads in place. */
inline struct unit_reading *reading_of(const struct sweep_run *run) {
  const struct page_host *host = (const struct page_host *)run->engine;
  return host ? host->reading : NULL;
}

/* A page leaves nothing to add up. */
inline enum qn_status engine_complete(struct sweep_run *run, struct qn_error *error) {
  return reading_of(run) ? end_unit_reading(run, reading_of(run), error) : QN_OK;
}

inline enum qn_status engine_flag_units(struct sweep_run *run, struct qn_error *error) {
  struct unit_reading *reading = reading_of(run);
  return reading && reading->may_read ? flag_needed_units(run, reading, error)
                                      : sweep_flag_senders(run, error);
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
  const struct page_host *host = (const struct page_host *)run->engine;
  const bool has_degrees =
      host && host->low_memory && LOW_MEMORY_ALL_ACTIVE; /* on the host: low_memory.cuh */
  enum qn_status status = run->source ? upload_page_table(memory, view, &device->pages, error)
                                      : upload_pages(memory, view, &device->pages, error);
  for (int turn = 0; turn < 2 && !status && SWEEP_FRONTIER && !run->source; turn++)
    status = qn_cuda_alloc_zeroed(memory, &device->next_pages[turn], view->num_pages, 1,
                                  "nextPIDSet", error);
  if (!status && PROGRAM_USES_OUT_DEGREE && !has_degrees)
    status = upload_degrees(view, run, error);
  device->host_pages = view->pages;
  if (!status && run->source && reading_of(run))
    status = unit_reading_upload(reading_of(run), run, error);
  return status;
}

inline enum qn_status plan_reading(const struct qn_slotted_pages *view, struct sweep_run *run) {
  return unit_reading_plan(reading_of(run), run, view->directedness == QN_UNDIRECTED, 0);
}

inline enum qn_status run_devices(const struct qn_run_request *request,
                                  const struct qn_slotted_pages *view,
                                  const struct qn_unit_source *source, struct qn_run_result *result,
                                  struct qn_error *error) {
  struct unit_reading readings[QN_MAX_DEVICES];
  struct page_host hosts[QN_MAX_DEVICES];
  auto plan = [&](struct sweep_run *run) {
    struct page_host *host = &hosts[run->member->index];
    *host = {NULL, &readings[run->member->index]};
    run->engine = host;
    return plan_reading(view, run);
  };
  auto upload = [view](struct sweep_run *run, struct qn_error *failure) {
    return upload_layout(view, run, failure);
  };
  return sweep_run_devices_reading(
      request, view->num_vertices, view->num_edges, NULL, source, NULL,
      [&](unsigned index) { return &readings[index]; }, plan, upload, result, error);
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
  struct unit_reading reading;
  struct qn_unit_source source = page_source(view, &packing);
  source.moves_once |= pages_end_soon(request, view);
  memset(&reading, 0, sizeof reading);
  auto upload = [view](struct sweep_run *run, struct qn_error *failure) {
    enum qn_status planned = run->source ? plan_reading(view, run) : QN_OK;
    return planned ? planned : upload_layout(view, run, failure);
  };
  memset(result, 0, sizeof *result);
  enum qn_status status = check_weights(view, error);
  if (status)
    return status;
  if (request->device->num_devices > 1)
    return run_devices(request, view, &source, result, error);
  return low_memory_run(request, view, &source, &reading, upload, result, error);
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_SLOTTED_PAGES, QN_CUDA, "slotted pages, virtual warps by density",
                 QN_KERNEL_DEVICES | QN_KERNEL_PARALLELISM | SWEEP_TRAITS);
