/* Weakly connected components on slotted pages: where they are resident by a sample of
 * the slots (own/cc_sampled.cuh), else by one pass over all (own/cc_joined.cuh). */
#include "kernels/cuda/standalone/cc_program.cuh"

#include "kernels/cuda/slotted_pages/engine.cuh"

#include "kernels/cuda/standalone/cc_joined.cuh"
#include "kernels/cuda/standalone/cc_sampled.cuh"

namespace {

#define FIRST_EDGES 2 /* of each record */

/* Edges lane, lane + width, ... of a record, up to `end`. */
QN_DEVICE_INLINE void join_record(const struct device_pages &pages, uint32_t *parent,
                                  uint32_t vertex, const struct device_record &record,
                                  uint32_t lane, uint32_t width, uint32_t end) {
  for (uint32_t edge = lane; edge < end; edge += width)
    join_below(parent, parent[vertex], vertex, load_target(pages, record, edge).vertex);
}

/* The records of a page, by blocks that share it: at most `most` edges of each, of vertices whose
 * root is not `left_out`. */
QN_DEVICE_INLINE void join_page(const struct device_pages &pages, uint32_t *parent, uint32_t page,
                                uint32_t width, uint32_t most, uint32_t left_out) {
  const uint32_t first = pages.start_vids[page];
  const bool is_small = pages.lp_ranges[page] == QN_SMALL_PAGE;
  const uint32_t num_slots = is_small ? pages.start_vids[page + 1] - first : 1;
  if (!is_small)
    width = blockDim.x * gridDim.y;
  const uint32_t thread = blockIdx.y * blockDim.x + threadIdx.x;
  for (uint32_t slot = thread / width; slot < num_slots; slot += blockDim.x * gridDim.y / width) {
    if (parent[first + slot] == left_out)
      continue;
    const struct device_record record = load_record(pages, page, slot);
    join_record(pages, parent, first + slot, record, thread % width, width,
                record.num_edges < most ? record.num_edges : most);
  }
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    join_first_edges(const struct device_pages pages, uint32_t *parent) {
  join_page(pages, parent, blockIdx.x, 1, FIRST_EDGES, UINT32_MAX);
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    join_rest(const struct device_pages pages, const struct cc_forest forest) {
  join_page(pages, forest.parent, blockIdx.x, virtual_warp(pages, blockIdx.x), UINT32_MAX,
            *forest.largest);
}

/* *too_large: nothing is wrong but that there is too little memory. */
enum qn_status run_resident(const struct qn_run_request *request, struct qn_run_result *result,
                            bool *too_large, struct qn_error *error) {
  const struct qn_slotted_pages *view = (const struct qn_slotted_pages *)request->view;
  const struct cc_resident resident = {view->num_vertices,
                                       view->num_pages * view->format.page_bytes,
                                       view->directedness == QN_UNDIRECTED, NULL};
  struct device_pages pages;
  const dim3 blocks((unsigned)view->num_pages, PAGE_BLOCKS);
  memset(&pages, 0, sizeof pages);
  auto upload = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    return upload_pages(memory, view, &pages, failure);
  };
  auto first = [&](const struct cc_forest *forest, struct qn_error *failure) {
    if (view->num_pages > 0)
      QN_LAUNCH(join_first_edges, blocks, SWEEP_THREADS, 0, NULL, pages, forest->parent);
    return qn_cuda_launched("joining first edges", failure);
  };
  auto rest = [&](const struct cc_forest *forest, struct qn_error *failure) {
    if (view->num_pages > 0)
      QN_LAUNCH(join_rest, blocks, SWEEP_THREADS, 0, NULL, pages, *forest);
    return qn_cuda_launched("joining edges", failure);
  };
  return cc_run_resident(request, &resident, upload, first, rest, result, too_large, error);
}

} /* namespace */

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_slotted_pages_cuda, "slotted pages, union-find",
                    QN_LAYOUT_SLOTTED_PAGES, qn_slotted_pages);
