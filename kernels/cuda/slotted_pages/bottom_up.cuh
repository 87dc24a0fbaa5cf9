/* Searches on pages of an undirected graph, in steps in which much would be pushed
 * (sweep/bottom_up.cuh). A vertex that is found early costs its slot, and a sector or two of its
 * record. */
#pragma once

#include "kernels/cuda/edges/row_queue.cuh"
#include "kernels/cuda/slotted_pages/engine_device.cuh"
#include "kernels/cuda/slotted_pages/low_memory.cuh"
#include "kernels/cuda/sweep/bottom_up.cuh"
#include "kernels/cuda/sweep/directions.cuh"

namespace {

/* Does an edge of a record lead to an active vertex? */
QN_DEVICE_INLINE bool leads_to_active(const struct sweep_state &state,
                                      const struct device_record &record, uint64_t edge) {
  return sweep_is_active(state, load_target(state.layout.pages, record, (uint32_t)edge).vertex);
}

QN_DEVICE_INLINE void receive_from(const struct sweep_state &state,
                                   const struct qn_program_context &context,
                                   const struct device_record &record, uint64_t edge,
                                   uint32_t vertex) {
  const struct device_pages &pages = state.layout.pages;
  const uint32_t sender = load_target(pages, record, (uint32_t)edge).vertex;
  const program_weight weight = load_weight(pages.weight_type, record.weights + 4 * edge);
#if LOW_MEMORY_IN_PLACE
  if (state.sees) { /* nothing is kept but values */
    const program_message message =
        program_send(&context, state.values[sender], sweep_out_degree(state, sender));
    program_combine_atomic(&state.values[vertex], program_gather(&context, message, weight));
    sweep_mark_received(state, vertex);
    return;
  }
#endif
  search_receive(state, context, sender, weight, vertex);
  sweep_mark_received(state, vertex);
}

/* Each lane's vertex looks along the record of its slot, if it `looks`; `first` is that of slot 0.
 * All of the warp call. */
template <bool in_place>
QN_DEVICE_INLINE struct search_end<struct device_record>
search_slot(const struct sweep_state &state, const struct qn_program_context &context,
            const struct page_place &place, uint32_t first, uint32_t slot, bool looks) {
  const auto end = search_row<struct device_record>(
      slot, looks,
      [&](uint32_t other) {
        return in_place ? load_record_in_place(state.layout.pages, place, other)
                        : load_record_at(state.layout.pages, place, other);
      },
      [&](const struct device_record &record, uint64_t edge) {
        return leads_to_active(state, record, edge);
      });
  if (end.edge != SEARCH_NONE)
    receive_from(state, context, end.row, end.edge, first + slot);
  return end;
}

/* The block's share of a small page, a slot a lane. Has any of its vertices received? */
QN_DEVICE_INLINE bool
search_small_page(const struct sweep_state &state, const struct qn_program_context &context,
                  uint32_t page, const struct page_place &place) {
  const struct device_pages &pages = state.layout.pages;
  const uint32_t first = pages.start_vids[page], num_slots = pages.start_vids[page + 1] - first;
  bool any = false;
  for (uint32_t begin = blockIdx.y * blockDim.x; begin < num_slots;
       begin += gridDim.y * blockDim.x) {
    const uint32_t slot = begin + threadIdx.x;
    const bool looks = slot < num_slots && sweep_may_receive(state, context, first + slot);
    any |= search_slot<false>(state, context, place, first, slot, looks).edge != SEARCH_NONE;
  }
  return any;
}

/* The block's share of a large page, which is one vertex's: whoever finds somebody ends the others,
 * too. */
QN_DEVICE_INLINE void search_large_page(const struct sweep_state &state,
                                        const struct qn_program_context &context, uint32_t page,
                                        const struct page_place &place) {
  const uint32_t vertex = state.layout.pages.start_vids[page];
  if (!sweep_may_receive(state, context, vertex))
    return;
  const struct device_record record = load_record_at(state.layout.pages, place, 0);
  const uint32_t step = gridDim.y * blockDim.x;
  for (uint32_t edge = blockIdx.y * blockDim.x + threadIdx.x; edge < record.num_edges;
       edge += step) {
    if (((volatile uint32_t *)state.received)[vertex / 32] >> vertex % 32 & 1u)
      return;
    if (leads_to_active(state, record, edge)) {
      receive_from(state, context, record, edge, vertex);
      return;
    }
  }
}

/* Has any vertex of a small page received? */
QN_DEVICE_INLINE bool search_page(const struct sweep_state &state,
                                  const struct qn_program_context &context, uint32_t page,
                                  const struct page_place &place) {
  if (state.layout.pages.lp_ranges[page] == QN_SMALL_PAGE)
    return search_small_page(state, context, page, place);
  search_large_page(state, context, page, place);
  return false;
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    search_pages(const struct sweep_state state, const struct qn_program_context context,
                 uint8_t *next_pages) {
  if (search_page(state, context, blockIdx.x, resident_page(state.layout.pages, blockIdx.x)))
    next_pages[blockIdx.x] = 1;
}

/* How many edges begin at active vertices of the pages. */
__global__ void __launch_bounds__(SWEEP_THREADS) count_pushes(const struct sweep_state state) {
  const struct device_pages &pages = state.layout.pages;
  const uint32_t page = blockIdx.x, first = pages.start_vids[page];
  const bool is_small = pages.lp_ranges[page] == QN_SMALL_PAGE;
  const uint32_t num_slots = is_small ? pages.start_vids[page + 1] - first : 1;
  unsigned long long count = 0;
  for (uint32_t slot = threadIdx.x; slot < num_slots; slot += blockDim.x)
    if (sweep_is_active(state, first + slot))
      count += load_record(pages, page, slot).num_edges;
  count = qn_block_sum(count);
  if (threadIdx.x == 0 && count > 0)
    atomicAdd(state.count, count);
}

/* ---- The host's side ---------------------------------------------------------- */

/* Would a push look at more than a search? */
inline enum qn_status choose_search(struct sweep_run *run, bool *search, struct qn_error *error) {
  const struct qn_slotted_pages *view = (const struct qn_slotted_pages *)run->request->view;
  const uint64_t num_vertices = run->context.num_vertices;
  uint64_t pushes = 0;
  *search =
      view->directedness == QN_UNDIRECTED && run->num_active > num_vertices / SWEEP_COUNT_SHARE;
  if (!*search || run->num_active > num_vertices / SWEEP_PULL_SHARE)
    return QN_OK;
  enum qn_status status = sweep_clear(run->state.count, 0, error);
  if (status)
    return status;
  QN_LAUNCH(count_pushes, (unsigned)view->num_pages, SWEEP_THREADS, 0, NULL, run->state);
  status = sweep_read_count(run, &pushes, error);
  *search = pushes > view->num_edges / SWEEP_PULL_EDGES;
  return status;
}

inline enum qn_status search_all(struct sweep_run *run, unsigned shares, uint8_t *next_pages,
                                 struct qn_error *error) {
  const dim3 blocks(run->state.layout.pages.num_pages, shares);
  QN_LAUNCH(search_pages, blocks, SWEEP_THREADS, 0, NULL, run->state, run->context, next_pages);
  return qn_cuda_launched("searching the pages", error);
}

} /* namespace */
