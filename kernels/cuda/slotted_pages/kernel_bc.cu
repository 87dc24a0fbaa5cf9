/* Betweenness centrality on slotted pages (GTS runs it with its K_SP and K_LP), resident or
 * streamed: forwards the engine, backwards the pages that have a vertex of the level, see
 * brandes.cuh. A block takes a page: virtual warps the slots of a small one; the whole block a
 * large one, whose sum it leaves in `partials`, as its vertex may have more; these are added up
 * afterwards, in their order. */
#include "kernels/cuda/standalone/bc_program.h"

#include "kernels/cuda/slotted_pages/engine.cuh"

#include "kernels/cuda/edges/warp_rows.cuh"
#include "kernels/cuda/standalone/brandes.cuh"
#include "kernels/standalone_kernel.h"

namespace {

struct page_walk {
  uint32_t *least, *most; /* [P] levels on a page, of those that were reached */
  double *partials;       /* [P] of large pages */
  bool has_large;
  uint32_t *host_levels; /* [2 P] least and most, of pages that are streamed; on the host */
};

QN_DEVICE_INLINE bool page_has_level(const struct page_walk &walk, uint32_t page, uint32_t level) {
  return walk.least[page] <= level && level <= walk.most[page];
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    find_page_levels(const struct sweep_state state, const struct bc_state bc,
                     const struct page_walk walk) {
  const uint32_t page = blockIdx.x;
  const struct unit_vertices vertices = engine_unit_vertices(state.layout, page);
  uint32_t least = UINT32_MAX, below_most = UINT32_MAX; /* UINT32_MAX less the most */
  for (uint64_t v = (uint64_t)vertices.begin + threadIdx.x; v < vertices.end; v += SWEEP_THREADS) {
    const uint32_t level = bc.levels[v];
    if (level == UINT32_MAX)
      continue;
    least = level < least ? level : least;
    below_most = UINT32_MAX - level < below_most ? UINT32_MAX - level : below_most;
  }
  least = qn_block_min(least);
  below_most = qn_block_min(below_most);
  if (threadIdx.x == 0) {
    walk.least[page] = least;
    walk.most[page] = UINT32_MAX - below_most;
  }
}

/* What every `step`-th edge of a record is offered, from the `first` on. */
QN_DEVICE_INLINE double record_offers(const struct device_pages &pages,
                                      const struct device_record &record, const double *offers,
                                      uint32_t first, uint32_t step) {
  double sum = 0;
  for (uint64_t edge = first; edge < record.num_edges; edge += step)
    sum += offers[load_target(pages, record, (uint32_t)edge).vertex];
  return sum;
}

QN_DEVICE_INLINE void walk_level_slots(const struct sweep_state &state, const struct bc_state &bc,
                                       uint32_t level, uint32_t page,
                                       const struct page_place &place) {
  const struct device_pages &pages = state.layout.pages;
  const uint32_t first = pages.start_vids[page], num_slots = pages.start_vids[page + 1] - first;
  const uint32_t width = virtual_warp(pages, page), lane = threadIdx.x % width;
  for (uint32_t begin = 0; begin < num_slots; begin += SWEEP_THREADS / width) {
    const uint32_t slot = begin + threadIdx.x / width;
    const bool is_here = slot < num_slots && bc.levels[first + slot] == level;
    double sum = 0;
    if (is_here)
      sum = record_offers(pages, load_record_at(pages, place, slot), bc_offers_to(bc, level), lane,
                          width);
    sum = warp_combine(sum, (int)width);
    if (is_here && lane == 0)
      bc_take(state, bc, level, first + slot, sum);
  }
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    walk_level_pages(const struct sweep_state state, const struct bc_state bc,
                     const struct page_walk walk, uint32_t level,
                     const struct qn_unit_entry *entries) {
  const struct device_pages &pages = state.layout.pages;
  const uint32_t page = entries ? (uint32_t)entries[blockIdx.x].unit : blockIdx.x;
  const struct page_place place =
      entries ? streamed_page(entries[blockIdx.x]) : resident_page(pages, page);
  if (!page_has_level(walk, page, level))
    return;
  if (pages.lp_ranges[page] == QN_SMALL_PAGE) {
    walk_level_slots(state, bc, level, page, place);
    return;
  }
  const double sum = qn_block_sum(record_offers(
      pages, load_record_at(pages, place, 0), bc_offers_to(bc, level), threadIdx.x, SWEEP_THREADS));
  if (threadIdx.x == 0)
    walk.partials[page] = sum;
}

/* Add up the large pages of a vertex: a warp a page, if it is the vertex's first one. */
__global__ void __launch_bounds__(SWEEP_THREADS)
    finish_large_pages(const struct sweep_state state, const struct bc_state bc,
                       const struct page_walk walk, uint32_t level) {
  const struct device_pages &pages = state.layout.pages;
  const uint64_t warps = (uint64_t)gridDim.x * (SWEEP_THREADS / 32);
  for (uint64_t page = (uint64_t)blockIdx.x * (SWEEP_THREADS / 32) + qn_warp();
       page < pages.num_pages; page += warps) {
    const int32_t more = pages.lp_ranges[page];
    const bool is_first = page == 0 || pages.lp_ranges[page - 1] <= 0;
    if (more == QN_SMALL_PAGE || !is_first || !page_has_level(walk, (uint32_t)page, level))
      continue;
    double sum = 0;
    for (uint64_t at = page + qn_lane(); at <= page + (uint64_t)more; at += 32)
      sum += walk.partials[at];
    sum = warp_combine(sum);
    if (qn_lane() == 0)
      bc_take(state, bc, level, pages.start_vids[page], sum);
  }
}

/* ---- The host's side ---------------------------------------------------------- */

enum qn_status upload_walk(const struct qn_slotted_pages *view, struct sweep_run *run,
                           struct page_walk *walk, struct qn_error *error) {
  enum qn_status status = upload_layout(view, run, error);
  if (!status)
    status = qn_cuda_alloc(&run->memory, &walk->least, view->num_pages, sizeof *walk->least,
                           "levels of pages", error);
  if (!status)
    status = qn_cuda_alloc(&run->memory, &walk->most, view->num_pages, sizeof *walk->most,
                           "levels of pages", error);
  if (!status)
    status = qn_cuda_alloc(&run->memory, &walk->partials, view->num_pages, sizeof *walk->partials,
                           "sums of large pages", error);
  for (uint64_t page = 0; page < view->num_pages && !walk->has_large; page++)
    walk->has_large = qn_page_is_large(view, page);
  if (!status && run->source)
    status = qn_pages_alloc(&walk->host_levels, 2 * view->num_pages, sizeof *walk->host_levels,
                            "levels of pages", error);
  return status;
}

/* What the walk takes beside the engine. */
struct qn_unit_source walked_source(const struct qn_slotted_pages *view,
                                    struct qn_unit_packing *packing) {
  struct qn_unit_source source = page_source(view, packing);
  const uint64_t more = bc_bytes(view->num_vertices) +
                        2 * qn_cuda_rounded(view->num_pages * sizeof(uint32_t)) +
                        qn_cuda_rounded(view->num_pages * sizeof(double));
  source.fixed_bytes += more;
  source.resident_bytes += more;
  return source;
}

/* A level that is walked as its pages arrive. */
struct streamed_level {
  struct sweep_run *run;
  const struct bc_state *bc;
  const struct page_walk *walk;
  uint32_t level;
};

enum qn_status walk_streamed_pages(void *user, const struct qn_unit_entry *entries, uint64_t count,
                                   cudaStream_t stream, struct qn_error *error) {
  const struct streamed_level *level = (const struct streamed_level *)user;
  QN_LAUNCH(walk_level_pages, (unsigned)count, SWEEP_THREADS, 0, stream, level->run->state,
            *level->bc, *level->walk, level->level, entries);
  return qn_cuda_launched("spreading shares", error);
}

/* Those pages that have a vertex of the level. */
enum qn_status stream_level(struct sweep_run *run, const struct bc_state *bc,
                            const struct page_walk *walk, uint32_t level, struct qn_error *error) {
  const uint32_t num_pages = run->state.layout.pages.num_pages;
  uint32_t *const least = walk->host_levels, *const most = walk->host_levels + num_pages;
  struct streamed_level streamed = {run, bc, walk, level};
  struct qn_device_iteration device = {};
  struct qn_iteration moved = {};
  enum qn_status status = QN_OK;
  if (level + 1 == run->context.iteration) {
    status = sweep_read(run, least, walk->least, num_pages, sizeof *least, error);
    if (!status)
      status = sweep_read(run, most, walk->most, num_pages, sizeof *most, error);
  }
  if (status)
    return status;
  for (uint32_t page = 0; page < num_pages; page++)
    run->host_flags[page] = least[page] <= level && level <= most[page];
  status = qn_unit_stream_run(run->stream, run->host_flags, walk_streamed_pages, &streamed,
                              &device.moved, error);
  moved.device = &device;
  run->request->hooks.on_iteration(run->request->hooks.user, &moved);
  return status;
}

/* The deepest level is the first: then each page learns which it has. */
enum qn_status walk_pages(struct sweep_run *run, const struct bc_state *bc,
                          const struct page_walk *walk, uint32_t level, struct qn_error *error) {
  const uint32_t num_pages = run->state.layout.pages.num_pages;
  enum qn_status status = QN_OK;
  if (level + 1 == run->context.iteration)
    QN_LAUNCH(find_page_levels, num_pages, SWEEP_THREADS, 0, NULL, run->state, *bc, *walk);
  if (run->source)
    status = stream_level(run, bc, walk, level, error);
  else
    QN_LAUNCH(walk_level_pages, num_pages, SWEEP_THREADS, 0, NULL, run->state, *bc, *walk, level,
              (const struct qn_unit_entry *)NULL);
  if (status)
    return status;
  if (walk->has_large)
    QN_LAUNCH(finish_large_pages,
              qn_grid(num_pages, SWEEP_THREADS / 32, run->memory.device.multiprocessors, 8),
              SWEEP_THREADS, 0, NULL, run->state, *bc, *walk, level);
  return qn_cuda_launched("spreading shares", error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  const struct qn_slotted_pages *view = (const struct qn_slotted_pages *)request->view;
  struct qn_unit_packing packing;
  const struct qn_unit_source source = walked_source(view, &packing);
  struct page_walk walk;
  memset(&walk, 0, sizeof walk);
  auto upload = [view, &walk](struct sweep_run *sweep, struct qn_error *failure) {
    return upload_walk(view, sweep, &walk, failure);
  };
  auto walk_level = [&walk](struct sweep_run *sweep, const struct bc_state *bc, uint32_t level,
                            struct qn_error *failure) {
    return walk_pages(sweep, bc, &walk, level, failure);
  };
  const enum qn_status status = bc_run(request, view->num_vertices, view->num_edges, &source,
                                       upload, walk_level, result, error);
  qn_pages_free(walk.host_levels, 2 * view->num_pages, sizeof *walk.host_levels);
  return status;
}

} /* namespace */

extern "C" const struct qn_kernel qn_kernel_bc_slotted_pages_cuda;
const struct qn_kernel qn_kernel_bc_slotted_pages_cuda =
    QN_BC_KERNEL("slotted pages Brandes", QN_LAYOUT_SLOTTED_PAGES, QN_CUDA, 0, run);
