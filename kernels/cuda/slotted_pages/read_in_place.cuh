/* Frontier programs on pages that are streamed: records that are read where they lie, in pinned
 * memory of the container, instead of moving their page (sweep/in_place.cuh). Per iteration the
 * device counts the active vertices of each page; the host says what reading their records would
 * cost, and each page is moved or read, whichever the bus has done with sooner. Searches of
 * undirected graphs may let open vertices look for an active neighbour (bottom_up.cuh) in place of
 * being pushed to, if that costs less in all.
 *
 * Of a record cross the bus 10 bytes of its slot, which lies beside others, 4 of its length, and
 * the ids that are looked at, with their weights if the program uses them, in sectors of 32 bytes.
 * On the device it takes 4 bytes a page, 8 for searches. */
#pragma once

#if PROGRAM_FIRST_SUFFICES
#include "kernels/cuda/slotted_pages/bottom_up.cuh"
#endif
#include "kernels/cuda/slotted_pages/walk.cuh"
#include "kernels/cuda/sweep/in_place.cuh"
#include "kernels/cuda/sweep/senders.cuh"

#define IN_PLACE_SECTOR 32
#define IN_PLACE_LINE 128
#define IN_PLACE_BLOCKS 4 /* on a multiprocessor */
/* Who looks for an active neighbour is expected to look at so many times the edges that this takes
 * on average. */
#define IN_PLACE_REACH 2
/* Less than one byte in so many is not worth finding out whether a search costs less. */
#define IN_PLACE_FEW 64

namespace {

struct in_place_counts {
  unsigned long long bytes; /* read */
  uint32_t turn;            /* of the pages to be read, the next one */
};

/* A run's. Zero it before use. */
struct page_reading {
  const struct qn_slotted_pages *view;
  bool may_read, may_search; /* at all, */
  bool reads;                /* and does it, in this iteration? */
  struct qn_read_costs bus;
  uint32_t *senders, *open; /* [P] of each page's vertices */
  uint32_t *list;           /* [P] of pages to be read */
  uint32_t num_read;
  uint8_t *holds, *pinned; /* [P] is a page on the device, and may it be read? */
  cudaStream_t stream;
  cudaEvent_t before;
};

#if SWEEP_FRONTIER

/* ---- On the device ---------------------------------------------------------------------- */

/* How many vertices of each page are active, and, in searches, may receive: a warp a page. */
__global__ void count_needed(const struct sweep_state state,
                             const struct qn_program_context context) {
  const struct engine_device &device = state.layout;
  const uint32_t warps = gridDim.x * (blockDim.x / 32);
  for (uint32_t page = blockIdx.x * (blockDim.x / 32) + qn_warp(); page < device.pages.num_pages;
       page += warps) {
    const struct unit_vertices vertices = engine_unit_vertices(device, page);
    uint32_t senders = 0, open = 0;
    for (uint64_t v = (uint64_t)vertices.begin + qn_lane(); v < vertices.end; v += 32) {
      senders += sweep_is_active(state, (uint32_t)v);
      if (PROGRAM_FIRST_SUFFICES)
        open += sweep_may_receive(state, context, (uint32_t)v);
    }
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
      senders += __shfl_xor_sync(QN_FULL_WARP, senders, step);
      open += __shfl_xor_sync(QN_FULL_WARP, open, step);
    }
    if (qn_lane() == 0) {
      device.in_place.senders[page] = senders;
      if (PROGRAM_FIRST_SUFFICES)
        device.in_place.open[page] = open;
    }
  }
}

/* Bytes that cross the bus for a record's slot and the first of its edges. */
QN_DEVICE_INLINE uint64_t bytes_in_place(const struct device_pages &pages, uint64_t num_edges) {
  const uint64_t edge = PROGRAM_USES_WEIGHTS ? pages.format.edge_bytes : physical_id_bytes(pages);
  const uint64_t record = QN_ADJLIST_SIZE_BYTES + num_edges * edge;
  return QN_SLOT_BYTES + (record + IN_PLACE_SECTOR - 1) / IN_PLACE_SECTOR * IN_PLACE_SECTOR;
}

/* The warp sends along the record of `slot`. Returns the bytes that were read. */
QN_DEVICE_INLINE uint64_t push_record_in_place(const struct sweep_state &state,
                                               const struct qn_program_context &context,
                                               const struct page_place &place, uint32_t first,
                                               uint32_t slot) {
  program_message message;
  if (!page_sends(state, context, first + slot, slot, &message))
    return 0;
  const struct device_record record = load_record_in_place(state.layout.pages, place, slot);
  walk_record<false>(state, context, record, message, qn_lane(), 32, NULL);
  return bytes_in_place(state.layout.pages, record.num_edges);
}

/* The block walks those records of a page that are needed. Returns the thread's part of the bytes
 * that were read. */
QN_DEVICE_INLINE uint64_t read_page(const struct sweep_state &state,
                                    const struct qn_program_context &context, uint32_t page,
                                    const struct page_place &place) {
  const struct unit_vertices vertices = engine_unit_vertices(state.layout, page);
  uint64_t bytes = 0;
  for (uint32_t begin = qn_warp() * 32; begin < vertices.end - vertices.begin;
       begin += blockDim.x) {
    const uint32_t slot = begin + qn_lane(), vertex = vertices.begin + slot;
    const bool valid = slot < vertices.end - vertices.begin;
#if PROGRAM_FIRST_SUFFICES
    if (state.layout.in_place.searches) {
      const bool looks = valid && sweep_may_receive(state, context, vertex);
      const auto end = search_slot<true>(state, context, place, vertices.begin, slot, looks);
      if (looks)
        bytes += bytes_in_place(state.layout.pages,
                                end.edge == SEARCH_NONE ? end.row.num_edges : end.edge + 1);
      continue;
    }
#endif
    for (unsigned left = __ballot_sync(QN_FULL_WARP, valid && sweep_is_active(state, vertex)); left;
         left &= left - 1) {
      const uint64_t read = push_record_in_place(state, context, place, vertices.begin,
                                                 begin + (uint32_t)__ffs((int)left) - 1);
      bytes += qn_lane() == 0 ? read : 0;
    }
  }
  return bytes;
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    read_pages(const struct sweep_state state, const struct qn_program_context context,
               uint32_t num_pages) {
  QN_SHARED(uint32_t, turn, 1);
  const struct pages_in_place &in_place = state.layout.in_place;
  const uint64_t page_bytes = state.layout.pages.format.page_bytes;
  uint64_t bytes = 0;
  for (;;) {
    if (threadIdx.x == 0)
      turn[0] = atomicAdd(&in_place.counts->turn, 1u);
    __syncthreads();
    const uint32_t number = turn[0];
    __syncthreads();
    if (number >= num_pages)
      break;
    const uint32_t page = in_place.senders[number];
    const uint8_t *at = in_place.pages + page * page_bytes;
    bytes += read_page(state, context, page, {at, at + page_bytes});
  }
  bytes = qn_block_sum((unsigned long long)bytes);
  if (threadIdx.x == 0 && bytes > 0)
    atomicAdd(&in_place.counts->bytes, (unsigned long long)bytes);
}

/* ---- The host's side -------------------------------------------------------------------- */

/* Of device memory. */
inline uint64_t page_reading_bytes(const struct qn_slotted_pages *view) {
  return (PROGRAM_FIRST_SUFFICES ? 2 : 1) * qn_cuda_rounded(view->num_pages * sizeof(uint32_t)) +
         qn_cuda_rounded(sizeof(struct in_place_counts));
}

inline enum qn_status page_reading_upload(struct page_reading *reading, struct sweep_run *run,
                                          struct qn_error *error) {
  struct pages_in_place *in_place = &run->state.layout.in_place;
  struct qn_cuda_memory *memory = &run->memory;
  const uint64_t num_pages = reading->view->num_pages;
  reading->may_read = sweep_may_read(run);
  reading->may_search = PROGRAM_FIRST_SUFFICES && reading->view->directedness == QN_UNDIRECTED;
  in_place->pages = reading->view->pages;
  enum qn_status status = qn_cuda_alloc(memory, &in_place->senders, num_pages,
                                        sizeof *in_place->senders, "counts of vertices", error);
  if (!status && PROGRAM_FIRST_SUFFICES)
    status = qn_cuda_alloc(memory, &in_place->open, num_pages, sizeof *in_place->open,
                           "counts of vertices", error);
  return status ? status
                : qn_cuda_alloc_zeroed(memory, &in_place->counts, 1, sizeof *in_place->counts,
                                       "counters", error);
}

inline void find_pinned_pages(const struct sweep_run *run, struct page_reading *reading) {
  const struct qn_slotted_pages *view = reading->view;
  const uint64_t count = qn_unit_pins_count(run->pins);
#pragma omp parallel for schedule(static)
  for (uint64_t page = 0; page < view->num_pages; page++)
    reading->pinned[page] =
        sweep_is_pinned(run, count, qn_page_at(view, page), view->format.page_bytes);
}

/* Before the first iteration. All that can be pinned is, then. */
inline enum qn_status page_reading_create(struct page_reading *reading, struct sweep_run *run,
                                          struct qn_error *error) {
  static const char what[] = "pages to be read";
  const uint64_t num_pages = reading->view->num_pages;
  if (!reading->may_read)
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(&reading->senders, num_pages, sizeof(uint32_t), what, error);
  if (!status)
    status = qn_pages_alloc(&reading->open, num_pages, sizeof(uint32_t), what, error);
  if (!status)
    status = qn_pages_alloc(&reading->list, num_pages, sizeof(uint32_t), what, error);
  if (!status)
    status = qn_pages_alloc(&reading->holds, num_pages, 1, what, error);
  if (!status)
    status = qn_pages_alloc(&reading->pinned, num_pages, 1, what, error);
  if (!status)
    status = qn_cuda_status(cudaEventCreateWithFlags(&reading->before, cudaEventDisableTiming),
                            "creating an event", error);
  if (!status)
    status = qn_cuda_status(cudaStreamCreateWithFlags(&reading->stream, cudaStreamNonBlocking),
                            "creating a CUDA stream", error);
  if (status)
    return status;
  qn_unit_pins_more(run->pins, UINT64_MAX);
  find_pinned_pages(run, reading);
  reading->bus = qn_read_costs_of(0, 0, 0);
  return run->all_begun ? QN_OK : sweep_begin_reading(run, &reading->bus, error);
}

/* A zeroed struct is allowed. */
inline void page_reading_destroy(struct page_reading *reading) {
  const uint64_t num_pages = reading->view ? reading->view->num_pages : 0;
  if (reading->stream) {
    cudaStreamSynchronize(reading->stream);
    cudaStreamDestroy(reading->stream);
  }
  if (reading->before)
    cudaEventDestroy(reading->before);
  qn_pages_free(reading->senders, num_pages, sizeof(uint32_t));
  qn_pages_free(reading->open, num_pages, sizeof(uint32_t));
  qn_pages_free(reading->list, num_pages, sizeof(uint32_t));
  qn_pages_free(reading->holds, num_pages, 1);
  qn_pages_free(reading->pinned, num_pages, 1);
}

/* ---- What an iteration does ------------------------------------------------------------- */

/* Edges of a record of the page, on average. */
inline uint64_t mean_edges(const struct qn_slotted_pages *view, uint64_t page) {
  const uint32_t num_slots = qn_page_num_slots(view, page);
  const uint64_t num_edges = view->edge_offsets[page + 1] - view->edge_offsets[page];
  return num_slots ? (num_edges + num_slots - 1) / num_slots : 0;
}

inline uint64_t parts_of(uint64_t bytes, uint64_t part) {
  return (bytes + part - 1) / part;
}

/* What reading so many of a page's records costs, no more than `reach` edges of each, in bytes that
 * are copied. */
inline uint64_t reading_cost(const struct page_reading *reading, uint64_t page, uint64_t count,
                             uint64_t reach) {
  const struct qn_slotted_pages *view = reading->view;
  const uint64_t slots = (uint64_t)qn_page_num_slots(view, page) * QN_SLOT_BYTES;
  const uint64_t edges = std::min(mean_edges(view, page), reach);
  const uint64_t edge =
      PROGRAM_USES_WEIGHTS ? view->format.edge_bytes : qn_page_id_bytes(view->format.address);
  const uint64_t record = QN_ADJLIST_SIZE_BYTES + edges * edge;
  const uint64_t requests =
      std::min(count, parts_of(slots, IN_PLACE_LINE)) + count * parts_of(record, IN_PLACE_LINE);
  const uint64_t sectors =
      std::min(count, parts_of(slots, IN_PLACE_SECTOR)) + count * parts_of(record, IN_PLACE_SECTOR);
  return requests * reading->bus.request + sectors * reading->bus.sector;
}

/* `action(page, reads)` for the pages with vertices that are `needed` [P]. Returns what the bus
 * does for them, in bytes that are copied. */
template <class Action>
uint64_t each_needed_page(const struct page_reading *reading, const uint32_t *needed,
                          uint64_t reach, Action action) {
  const struct qn_slotted_pages *view = reading->view;
  uint64_t total = 0;
  for (uint64_t page = 0; page < view->num_pages; page++) {
    if (needed[page] == 0)
      continue;
    const uint64_t moved = view->format.page_bytes;
    const uint64_t read = reading_cost(reading, page, needed[page], reach);
    const bool holds = reading->holds[page],
               reads = !holds && reading->pinned[page] && read < moved;
    total += holds ? 0 : reads ? read : moved;
    action(page, reads);
  }
  return total;
}

/* Does it cost less that open vertices search than to push from all active ones? *reach says how
 * far they look. */
inline bool searching_pays(const struct sweep_run *run, const struct page_reading *reading,
                           uint64_t push_cost, uint64_t *reach) {
  const struct qn_slotted_pages *view = reading->view;
  uint64_t active_edges = 0;
  if (!reading->may_search || push_cost <= run->source->total_bytes / IN_PLACE_FEW)
    return false;
  for (uint64_t page = 0; page < view->num_pages; page++)
    active_edges += reading->senders[page] * mean_edges(view, page);
  *reach = IN_PLACE_REACH * (view->num_edges / (active_edges + 1) + 1);
  return each_needed_page(reading, reading->open, *reach, [](uint64_t, bool) {}) < push_cost;
}

/* Begin to read. */
inline enum qn_status read_listed(struct sweep_run *run, struct page_reading *reading,
                                  struct qn_error *error) {
  const struct pages_in_place *in_place = &run->state.layout.in_place;
  const uint64_t bytes = reading->num_read * sizeof *reading->list;
  cudaError_t result = cudaMemsetAsync(in_place->counts, 0, sizeof *in_place->counts, NULL);
  if (result == cudaSuccess)
    result = cudaMemcpy(in_place->senders, reading->list, bytes, cudaMemcpyHostToDevice);
  if (result == cudaSuccess)
    result = cudaEventRecord(reading->before, NULL);
  if (result == cudaSuccess)
    result = cudaStreamWaitEvent(reading->stream, reading->before, 0);
  if (result != cudaSuccess)
    return qn_cuda_status(result, "reading pages", error);
  run->memory.copy_bytes += bytes;
  reading->reads = true;
  QN_LAUNCH(read_pages, (unsigned)run->memory.device.multiprocessors * IN_PLACE_BLOCKS,
            SWEEP_THREADS, 0, reading->stream, run->state, run->context, reading->num_read);
  return qn_cuda_launched("reading pages", error);
}

/* Choose how the iteration goes, flag the pages that it moves, and begin to read the others. */
inline enum qn_status flag_needed_pages(struct sweep_run *run, struct page_reading *reading,
                                        struct qn_error *error) {
  struct pages_in_place *in_place = &run->state.layout.in_place;
  const uint64_t num_pages = reading->view->num_pages;
  uint64_t reach = UINT64_MAX;
  qn_unit_stream_holds(run->stream, reading->holds);
  QN_LAUNCH(count_needed,
            qn_grid(num_pages, SWEEP_THREADS / 32, run->memory.device.multiprocessors, 8),
            SWEEP_THREADS, 0, NULL, run->state, run->context);
  enum qn_status status =
      sweep_read(run, reading->senders, in_place->senders, num_pages, sizeof(uint32_t), error);
  if (!status && PROGRAM_FIRST_SUFFICES)
    status = sweep_read(run, reading->open, in_place->open, num_pages, sizeof(uint32_t), error);
  if (status)
    return status;
  const uint64_t push_cost =
      each_needed_page(reading, reading->senders, reach, [](uint64_t, bool) {});
  in_place->searches = searching_pays(run, reading, push_cost, &reach);
  reading->num_read = 0;
  memset(run->host_flags, 0, num_pages);
  each_needed_page(reading, in_place->searches ? reading->open : reading->senders,
                   in_place->searches ? reach : UINT64_MAX, [&](uint64_t page, bool reads) {
                     if (reads)
                       reading->list[reading->num_read++] = (uint32_t)page;
                     else
                       run->host_flags[page] = 1;
                   });
  return reading->num_read > 0 ? read_listed(run, reading, error) : QN_OK;
}

/* Until all is read. */
inline enum qn_status end_reading_pages(struct sweep_run *run, struct page_reading *reading,
                                        struct qn_error *error) {
  struct in_place_counts counts;
  run->state.layout.in_place.searches = false;
  if (!reading->reads)
    return QN_OK;
  reading->reads = false;
  enum qn_status status =
      qn_cuda_status(cudaStreamSynchronize(reading->stream), "reading pages", error);
  if (!status)
    status = sweep_read(run, &counts, run->state.layout.in_place.counts, 1, sizeof counts, error);
  if (status)
    return status;
  run->moved.active_units += reading->num_read;
  run->moved.moved_units += reading->num_read;
  run->moved.moved_bytes += counts.bytes;
  run->moved.direct_bytes += counts.bytes;
  return QN_OK;
}

/* ---- Is it worth while? ------------------------------------------------------------------ */

/* sweep_ends_soon's each_edge. A vertex on large pages has too many. */
template <class Visit>
bool each_edge_of_page(const struct qn_slotted_pages *view, uint32_t vertex, Visit visit) {
  const struct qn_page_format *format = &view->format;
  const unsigned id_bytes = qn_page_id_bytes(format->address);
  const uint64_t page = qn_slotted_pages_find(view, vertex);
  if (qn_page_is_large(view, page))
    return false;
  const uint8_t *at = qn_page_at(view, page);
  const uint32_t slot = vertex - view->start_vids[page];
  const uint64_t offset = qn_slot_offset(qn_slot_at(format, at, slot));
  if (offset > format->page_bytes - QN_ADJLIST_SIZE_BYTES)
    return false; /* an input that changes */
  const struct qn_page_record record = qn_page_record_at(format, at, (uint32_t)offset);
  if (record.num_edges > qn_page_edge_limit(format) ||
      record.num_edges * (uint64_t)format->edge_bytes >
          format->page_bytes - QN_ADJLIST_SIZE_BYTES - offset)
    return false;
  for (uint32_t edge = 0; edge < record.num_edges; edge++) {
    const uint64_t id = qn_load_physical_id(record.ids + (uint64_t)edge * id_bytes, id_bytes);
    if ((id & qn_page_id_mask(format->address)) >= view->num_pages)
      return false;
    const uint32_t neighbour = qn_physical_id_vertex(view->start_vids, format->address, id);
    if (neighbour >= view->num_vertices || !visit(neighbour))
      return false;
  }
  return true;
}

inline bool pages_end_soon(const struct qn_run_request *request,
                           const struct qn_slotted_pages *view) {
  return sweep_ends_soon(
      request, [&](uint32_t vertex, auto visit) { return each_edge_of_page(view, vertex, visit); });
}

#else

/* All pages are walked. */
inline uint64_t page_reading_bytes(const struct qn_slotted_pages *) {
  return 0;
}

inline enum qn_status page_reading_upload(struct page_reading *, struct sweep_run *,
                                          struct qn_error *) {
  return QN_OK;
}

inline enum qn_status page_reading_create(struct page_reading *, struct sweep_run *,
                                          struct qn_error *) {
  return QN_OK;
}

inline void page_reading_destroy(struct page_reading *) {}

inline enum qn_status flag_needed_pages(struct sweep_run *, struct page_reading *,
                                        struct qn_error *) {
  return QN_OK;
}

inline enum qn_status end_reading_pages(struct sweep_run *, struct page_reading *,
                                        struct qn_error *) {
  return QN_OK;
}

inline bool pages_end_soon(const struct qn_run_request *, const struct qn_slotted_pages *) {
  return false;
}

#endif

} /* namespace */
