/* Cross-edges on slotted pages (kernels/cross_edges.h) on a device: one sweep of all pages, as K_SP
 * and K_LP of GTS's appendix B. A block takes a page: virtual warps its slots, as wide as the page
 * is dense, or all threads the one record of a large page. Pages that do not fit are streamed by
 * the engine (cross_edges_program.cuh).
 *
 * Bytes: an edge moves its physical id and a 32-byte sector of L2 for its end's group, beside its
 * page's START_VID; a vertex its slot, its group and its count. */
#include "kernels/cuda/standalone/cross_edges_program.cuh"

#include "kernels/cuda/slotted_pages/engine.cuh"

#include "kernels/cuda/standalone/visit.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_cross_edges_slotted_pages_cuda;

#define PAGE_THREADS 256

namespace {

/* This thread's part of a record: every `step`-th edge from `first` on. */
QN_DEVICE_INLINE void count_record(const struct device_pages &pages,
                                   const struct cross_edges &cross, uint32_t vertex,
                                   const struct device_record &record, uint32_t first,
                                   uint32_t step) {
  unsigned count = 0;
  for (uint32_t edge = first; edge < record.num_edges; edge += step)
    count += qn_is_cross_edge(cross.groups, vertex, load_target(pages, record, edge).vertex);
  cross_edges_add(cross, vertex, count);
}

__global__ void __launch_bounds__(PAGE_THREADS)
    count_page(const struct device_pages pages, const struct cross_edges cross) {
  const uint32_t page = blockIdx.x, first = pages.start_vids[page];
  if (pages.lp_ranges[page] != QN_SMALL_PAGE) {
    count_record(pages, cross, first, load_record(pages, page, 0), threadIdx.x, PAGE_THREADS);
    return;
  }
  const uint32_t width = virtual_warp(pages, page), num_slots = pages.start_vids[page + 1] - first;
  for (uint32_t slot = threadIdx.x / width; slot < num_slots; slot += PAGE_THREADS / width)
    count_record(pages, cross, first + slot, load_record(pages, page, slot), threadIdx.x % width,
                 width);
}

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_slotted_pages *view = (const struct qn_slotted_pages *)request->view;
  struct device_pages pages;
  memset(&pages, 0, sizeof pages);
  auto upload = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    return upload_pages(memory, view, &pages, failure);
  };
  auto count = [&](struct qn_cuda_memory *, const struct cross_edges &cross,
                   struct qn_error *failure) {
    if (pages.num_pages > 0)
      QN_LAUNCH(count_page, pages.num_pages, PAGE_THREADS, 0, NULL, pages, cross);
    return qn_cuda_launched("counting cross-edges", failure);
  };
  return cross_edges_run(request, view->num_vertices, upload, count, too_large, result, error);
}

enum qn_status run_streamed(const struct qn_run_request *request, struct qn_run_result *result,
                            struct qn_error *error) {
  const struct qn_slotted_pages *view = (const struct qn_slotted_pages *)request->view;
  struct qn_run_request by_vertex = *request;
  by_vertex.positions = NULL;
  auto prepare = [&](struct qn_cuda_memory *memory, void **shared, struct qn_error *failure) {
    struct cross_edges cross;
    enum qn_status status =
        cross_edges_create(request, view->num_vertices, memory, &cross, failure);
    return status ? status
                  : qn_cuda_copy_of(memory, shared, &cross, 1, 0, sizeof cross, "counts", failure);
  };
  return visit_run(engine_run, &by_vertex, prepare, result, error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  bool too_large;
  const enum qn_status status = run_resident(request, result, &too_large, error);
  return too_large && request->limits.max_iterations > 0 ? run_streamed(request, result, error)
                                                         : status;
}

} /* namespace */

const struct qn_kernel qn_kernel_cross_edges_slotted_pages_cuda =
    QN_CROSS_EDGES_KERNEL("slotted-pages sweep", QN_LAYOUT_SLOTTED_PAGES, QN_CUDA, run);
