/* Slotted pages on a CUDA device, resident (view: struct qn_slotted_pages), after GTS (section 6.2
 * and appendix B): a block of threads takes a page. On a small page virtual warps take its slots,
 * as wide as the page is dense: one thread a vertex (vertex-centric) on sparse pages, up to a warp
 * a vertex (edge-centric) on dense ones. On a large page the whole block takes the one record.
 * Small pages without an active vertex are left out: a receiver's physical id names its page, so
 * nextPIDSet is filled in constant time; a large page looks at its own vertex.
 *
 * Per edge p + q bytes (4 more with weights) are read in order, START_VID of the receiver's page is
 * looked up (4 bytes a page: the L2 cache holds them), and one accumulator is combined into. */
#ifndef QN_KERNELS_CUDA_SLOTTED_PAGES_ENGINE_CUH
#define QN_KERNELS_CUDA_SLOTTED_PAGES_ENGINE_CUH

#include "formats/slotted_pages.h"
#include "kernels/cpu/page_units.h"
#include "kernels/cuda/combine.cuh"
#include "kernels/cuda/memory.cuh"

namespace {

struct engine_device {
  struct qn_page_format format;
  enum qn_weight_type weight_type;
  uint32_t num_pages;
  const uint32_t *start_vids;   /* [P + 1] */
  const int32_t *lp_ranges;     /* [P] */
  const uint64_t *edge_offsets; /* [P + 1] */
  const uint8_t *pages;         /* [P x page_bytes] */
  const uint64_t *degrees;      /* [V], if the program uses out-degrees */
  uint8_t *next_pages[2];       /* [P] nextPIDSet: this iteration's, and the next one's, in turn */
};

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.degrees[vertex];
}

} /* namespace */

#include "kernels/cuda/sweeps.cuh"

namespace {

/* Numbers in pages are aligned to 2 bytes. */
QN_DEVICE_INLINE uint32_t load_u16(const uint8_t *bytes) {
  return *reinterpret_cast<const uint16_t *>(bytes);
}

QN_DEVICE_INLINE uint32_t load_u32(const uint8_t *bytes) {
  return load_u16(bytes) + load_u16(bytes + 2) * 65536u;
}

/* A vertex's edges on a page. */
struct device_record {
  const uint8_t *ids, *weights;
  uint32_t num_edges;
};

QN_DEVICE_INLINE struct device_record load_record(const struct engine_device &device,
                                                  const uint8_t *page, uint32_t slot,
                                                  uint32_t id_bytes) {
  const uint8_t *entry = page + device.format.page_bytes - (slot + 1) * QN_SLOT_BYTES;
  const uint8_t *record = page + load_u32(entry + 6);
  struct device_record result;
  result.num_edges = load_u32(record);
  result.ids = record + QN_ADJLIST_SIZE_BYTES;
  result.weights = result.ids + (uint64_t)result.num_edges * id_bytes;
  return result;
}

QN_DEVICE_INLINE program_weight load_weight(const struct engine_device &device,
                                            const uint8_t *bytes) {
  struct qn_weights one;
  memset(&one, 0, sizeof one);
  one.type = device.weight_type;
  if (!PROGRAM_USES_WEIGHTS || one.type == QN_WEIGHT_NONE)
    return engine_weight(&one, 0);
  const uint32_t bits = load_u32(bytes);
  float real;
  memcpy(&real, &bits, sizeof real);
  one.u32 = &bits;
  one.f32 = &real;
  return engine_weight(&one, 0);
}

/* Send along one edge of a record; tell nextPIDSet of the receiver's page. */
QN_DEVICE_INLINE void walk_edge(const struct sweep_state &state,
                                const struct qn_program_context &context,
                                const struct device_record &record, uint32_t edge,
                                program_message message, uint8_t *next_pages) {
  const struct engine_device &device = state.layout;
  const struct qn_page_address address = device.format.address;
  const uint32_t id_bytes = (uint32_t)address.page_id_bytes + address.slot_bytes;
  const uint8_t *at = record.ids + (uint64_t)edge * id_bytes;
  uint64_t id = load_u32(at);
  if (id_bytes == 6)
    id |= (uint64_t)load_u16(at + 4) << 32;
  const uint64_t page = id & (((uint64_t)1 << 8 * address.page_id_bytes) - 1);
  const uint32_t slot = (uint32_t)(id >> 8 * address.page_id_bytes);
  if (SWEEP_FRONTIER)
    next_pages[page] = 1;
  sweep_collect(state, context, message, load_weight(device, record.weights + 4 * (uint64_t)edge),
                device.start_vids[page] + slot);
}

/* Threads a vertex of a small page gets: the power of two at or below its mean degree, up to 32. */
QN_DEVICE_INLINE uint32_t virtual_warp(uint64_t num_edges, uint32_t num_slots) {
  uint32_t width = 1;
  while (width < 32 && 2 * width * (uint64_t)num_slots <= num_edges)
    width *= 2;
  return width;
}

QN_DEVICE_INLINE void walk_small_page(const struct sweep_state &state,
                                      const struct qn_program_context &context, uint32_t page,
                                      uint8_t *next_pages) {
  const struct engine_device &device = state.layout;
  const uint32_t id_bytes =
      (uint32_t)device.format.address.page_id_bytes + device.format.address.slot_bytes;
  const uint32_t first = device.start_vids[page], num_slots = device.start_vids[page + 1] - first;
  const uint64_t num_edges = device.edge_offsets[page + 1] - device.edge_offsets[page];
  const uint8_t *bytes = device.pages + (uint64_t)page * device.format.page_bytes;
  const uint32_t width = virtual_warp(num_edges, num_slots);
  for (uint32_t slot = threadIdx.x / width; slot < num_slots; slot += blockDim.x / width) {
    if (!sweep_is_active(state, first + slot))
      continue;
    const struct device_record record = load_record(device, bytes, slot, id_bytes);
    const program_message message = state.messages[first + slot];
    for (uint32_t edge = threadIdx.x % width; edge < record.num_edges; edge += width)
      walk_edge(state, context, record, edge, message, next_pages);
  }
}

QN_DEVICE_INLINE void walk_large_page(const struct sweep_state &state,
                                      const struct qn_program_context &context, uint32_t page,
                                      uint8_t *next_pages) {
  const struct engine_device &device = state.layout;
  const uint32_t id_bytes =
      (uint32_t)device.format.address.page_id_bytes + device.format.address.slot_bytes;
  const uint32_t vertex = device.start_vids[page];
  if (!sweep_is_active(state, vertex))
    return;
  const uint8_t *bytes = device.pages + (uint64_t)page * device.format.page_bytes;
  const struct device_record record = load_record(device, bytes, 0, id_bytes);
  const program_message message = state.messages[vertex];
  for (uint32_t edge = threadIdx.x; edge < record.num_edges; edge += blockDim.x)
    walk_edge(state, context, record, edge, message, next_pages);
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    collect_page(const struct sweep_state state, const struct qn_program_context context, int turn,
                 bool all_pages) {
  const struct engine_device &device = state.layout;
  const uint32_t page = blockIdx.x;
  uint8_t *next_pages = device.next_pages[1 - turn];
  if (device.lp_ranges[page] != QN_SMALL_PAGE)
    walk_large_page(state, context, page, next_pages);
  else if (!SWEEP_FRONTIER || all_pages || device.next_pages[turn][page])
    walk_small_page(state, context, page, next_pages);
}

/* Walk the pages of nextPIDSet. */
inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  const struct engine_device *device = &run->state.layout;
  const int turn = (int)(run->context.iteration % 2);
  enum qn_status status = QN_OK;
  if (device->num_pages == 0)
    return QN_OK;
  if (SWEEP_FRONTIER)
    status =
        qn_cuda_status(cudaMemsetAsync(device->next_pages[1 - turn], 0, device->num_pages, NULL),
                       "clearing nextPIDSet", error);
  if (status)
    return status;
  QN_LAUNCH(collect_page, device->num_pages, SWEEP_THREADS, 0, NULL, run->state, run->context, turn,
            run->woken);
  return qn_cuda_launched("walking the pages", error);
}

} /* namespace */

#include "kernels/cuda/sweep_loop.cuh"

#define ENGINE_NAME "slotted pages, virtual warps by density"

namespace {

inline enum qn_status upload_degrees(const struct qn_slotted_pages *view, struct sweep_run *run,
                                     struct qn_error *error) {
  uint64_t *degrees;
  enum qn_status status = qn_page_degrees_create(&degrees, view, error);
  if (status)
    return status;
  status = qn_cuda_copy_of(&run->memory, &run->state.layout.degrees, degrees, view->num_vertices, 0,
                           sizeof *degrees, "out-degrees", error);
  qn_pages_free(degrees, view->num_vertices, sizeof *degrees);
  return status;
}

inline enum qn_status upload_pages(const struct qn_slotted_pages *view, struct sweep_run *run,
                                   struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  struct qn_cuda_memory *memory = &run->memory;
  device->format = view->format;
  device->weight_type = view->weight_type;
  device->num_pages = (uint32_t)view->num_pages;
  enum qn_status status =
      qn_cuda_copy_of(memory, &device->start_vids, view->start_vids, view->num_pages + 1, 0,
                      sizeof *view->start_vids, "start vertices of pages", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->lp_ranges, view->lp_ranges, view->num_pages, 0,
                             sizeof *view->lp_ranges, "ranges of large pages", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->edge_offsets, view->edge_offsets, view->num_pages + 1,
                             0, sizeof *view->edge_offsets, "edge offsets of pages", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &device->pages, view->pages, view->num_pages, 0,
                             view->format.page_bytes, "pages", error);
  for (int turn = 0; turn < 2 && !status && SWEEP_FRONTIER; turn++)
    status = qn_cuda_alloc_zeroed(memory, &device->next_pages[turn], view->num_pages, 1,
                                  "nextPIDSet", error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = upload_degrees(view, run, error);
  return status;
}

inline enum qn_status check_weights(const struct qn_slotted_pages *view, struct qn_error *error) {
  uint64_t edge;
  float weight;
  if (!PROGRAM_NON_NEGATIVE || !qn_page_negative_weight(view, &edge, &weight))
    return QN_OK;
  return qn_fail(error, QN_INVALID,
                 "%s needs weights that are not negative, but that of edge %llu is %g",
                 PROGRAM_NAME, (unsigned long long)edge, (double)weight);
}

enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_slotted_pages *view = (const struct qn_slotted_pages *)request->view;
  auto upload = [view](struct sweep_run *run, struct qn_error *failure) {
    return upload_pages(view, run, failure);
  };
  memset(result, 0, sizeof *result);
  enum qn_status status = check_weights(view, error);
  if (!status)
    status = sweep_run_program(request, view->num_vertices, view->num_edges, NULL, upload, result,
                               error);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_SLOTTED_PAGES, QN_CUDA, ENGINE_NAME);

#endif
