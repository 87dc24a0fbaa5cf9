/* Slotted pages where device memory is too short for all that vertices have. GTS (section 3.1)
 * keeps there what is combined into, anywhere (WA), and streams what senders offer (RA) with their
 * pages:
 *
 *   all-active programs   accumulators stay: 8 bytes a vertex for PageRank. Values, out-degrees and
 *                         what vertices send lie in pinned host memory; kernels go over them in
 *                         order, and what the vertices of a batch's pages send is copied, in order,
 *                         to a buffer of its stream before the pages are walked
 *   programs in place     values stay, and two bits: 4.25 bytes for BFS. They are combined into at
 *                         once, and what a vertex sends is made of its value. Where others would
 * see it before the iteration ends (that is, unless one message suffices), iterations are not those
 * of other runs, only the result is: not for runs that end after so many
 *
 * The bus carries, beside p + q bytes an edge, for each vertex of an all-active program its value
 * twice, its out-degree and what it sends: 20 bytes an iteration for PageRank, and 8 the other way.
 * Checkpoints of all-active programs, and those that are given something, are not for this. */
#pragma once

#include "kernels/cuda/slotted_pages/engine_device.cuh"
#include "kernels/cuda/sweep/loop.cuh"
#include "kernels/cuda/sweep/unit_reading.cuh"
#include "kernels/work_division/page_tasks.h"
#include "support/checked.h"

#define LOW_MEMORY_IN_PLACE                                                                        \
  (SWEEP_FRONTIER && PROGRAM_IN_PLACE && !PROGRAM_HAS_INITIAL && !PROGRAM_ROUNDS)
#define LOW_MEMORY_ALL_ACTIVE (!SWEEP_FRONTIER && !PROGRAM_HAS_INITIAL)
/* Part of the memory that is left for buffers of what is sent. */
#define LOW_MEMORY_OFFERS_SHARE 8
#define LOW_MEMORY_MAX_PINNED 5

namespace {

/* The host's side. */
struct page_low_memory {
  void *pinned[LOW_MEMORY_MAX_PINNED]; /* to be given back */
  unsigned num_pinned;
  uint64_t slots;          /* of the small page with the most */
  uint64_t offers_bytes;   /* that the plan leaves for buffers */
  program_message *offers; /* [num_places x pages x slots], or NULL: read over the bus */
  uint64_t pages;          /* of a buffer */
  unsigned num_places, taken;
  cudaStream_t streams[QN_MAX_STREAMS]; /* whose buffer it is */
};

/* In run->engine. */
struct page_host {
  struct page_low_memory *low_memory; /* NULL: all that vertices have is on the device */
  struct unit_reading *reading;
};

/* Does the vertex in a slot of the block's page send? If so, what. */
QN_DEVICE_INLINE bool page_sends(const struct sweep_state &state,
                                 const struct qn_program_context &context, uint32_t vertex,
                                 uint32_t slot, program_message *message) {
#if LOW_MEMORY_ALL_ACTIVE
  if (state.layout.offers) {
    *message = state.layout.offers[blockIdx.x * (uint64_t)state.layout.offers_slots + slot];
    return true;
  }
#elif LOW_MEMORY_IN_PLACE && PROGRAM_FIRST_SUFFICES
  if (state.sees) { /* a value that sends is not changed any more */
    if (!sweep_is_active(state, vertex))
      return false;
    *message = program_send(&context, state.values[vertex], sweep_out_degree(state, vertex));
    return true;
  }
#endif
  (void)slot;
  return sweep_sends(state, context, vertex, message);
}

#if LOW_MEMORY_ALL_ACTIVE

/* ---- What is sent, beside its page ------------------------------------------------ */

/* What the vertices of each page send, to the stream's buffer. */
__global__ void fetch_offers(const struct sweep_state state, const struct qn_unit_entry *entries) {
  const struct engine_device &device = state.layout;
  const uint32_t page = (uint32_t)entries[blockIdx.x].unit;
  const uint32_t first = device.pages.start_vids[page];
  const bool is_small = device.pages.lp_ranges[page] == QN_SMALL_PAGE;
  const uint32_t count = is_small ? device.pages.start_vids[page + 1] - first : 1;
  program_message *to = device.offers + blockIdx.x * (uint64_t)device.offers_slots;
  for (uint32_t slot = blockIdx.y * blockDim.x + threadIdx.x; slot < count;
       slot += gridDim.y * blockDim.x)
    to[slot] = state.messages[first + slot];
}

/* The stream's buffer; NULL if there are more streams than buffers. */
inline program_message *low_memory_buffer(struct page_low_memory *low_memory, cudaStream_t stream) {
  unsigned place = 0;
  while (place < low_memory->taken && low_memory->streams[place] != stream)
    place++;
  if (place == low_memory->taken && place == low_memory->num_places)
    return NULL;
  low_memory->streams[place] = stream;
  low_memory->taken += place == low_memory->taken;
  return low_memory->offers + place * low_memory->pages * low_memory->slots;
}

/* `walk(state, entries, count)` in turns, as many pages at once as the buffer has room for. */
template <class Walk>
enum qn_status low_memory_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                               uint64_t count, unsigned shares, cudaStream_t stream, Walk walk,
                               struct qn_error *error) {
  const struct page_host *host = (const struct page_host *)run->engine;
  struct page_low_memory *low_memory = host ? host->low_memory : NULL;
  struct sweep_state state = run->state;
  state.layout.offers =
      low_memory && low_memory->offers ? low_memory_buffer(low_memory, stream) : NULL;
  if (!state.layout.offers)
    return walk(state, entries, count);
  state.layout.offers_slots = (uint32_t)low_memory->slots;
  enum qn_status status = QN_OK;
  for (uint64_t first = 0; first < count && !status; first += low_memory->pages) {
    const uint64_t some = count - first < low_memory->pages ? count - first : low_memory->pages;
    const dim3 blocks((unsigned)some, shares);
    QN_LAUNCH(fetch_offers, blocks, SWEEP_THREADS, 0, stream, state, entries + first);
    status = qn_cuda_launched("fetching what vertices send", error);
    if (!status)
      status = walk(state, entries + first, some);
  }
  return status;
}

#endif

/* ---- Memory ----------------------------------------------------------------------- */

inline uint64_t low_memory_most_slots(const struct qn_slotted_pages *view) {
  uint64_t most = 1;
  for (uint64_t page = 0; page < view->num_pages; page++) {
    const uint64_t slots = view->start_vids[page + 1] - view->start_vids[page];
    if (view->lp_ranges[page] == QN_SMALL_PAGE && slots > most)
      most = slots;
  }
  return most;
}

/* What stays on the device. */
inline unsigned low_memory_arrays(struct sweep_run *run, struct sweep_array *arrays) {
  struct sweep_state *state = &run->state;
  const uint64_t num_vertices = run->context.num_vertices, words = num_vertices / 32 + 1;
  unsigned count = 0;
  if (LOW_MEMORY_IN_PLACE)
    arrays[count++] = {&state->values, num_vertices, sizeof *state->values,
                       NULL,           false,        "vertex values"};
  else
    arrays[count++] = {&state->sums, num_vertices, sizeof *state->sums,
                       NULL,         false,        "accumulators"};
  arrays[count++] = {&state->parts, SWEEP_MAX_BLOCKS, sizeof *state->parts, NULL, false, "sums"};
  arrays[count++] = {&state->count, 1, sizeof *state->count, NULL, true, "a counter"};
  arrays[count++] = {&state->least, 1, sizeof *state->least, NULL, true, "a counter"};
  if (!SWEEP_FRONTIER)
    return count;
  arrays[count++] = {&state->active, words, 4, NULL, true, "bits of vertices"};
  arrays[count++] = {&state->received, words, 4, NULL, true, "bits of vertices"};
  arrays[count++] = {&run->unit_flags, run->source->num_units, 1, NULL, true, "flags of units"};
  return count;
}

inline uint64_t low_memory_device_bytes(struct sweep_run *run) {
  struct sweep_array arrays[SWEEP_MAX_ARRAYS];
  const unsigned count = low_memory_arrays(run, arrays);
  uint64_t bytes = run->source->fixed_bytes;
  if (LOW_MEMORY_IN_PLACE)
    bytes += sweep_table_bytes(run->source, run->context.num_vertices);
  for (unsigned i = 0; i < count; i++)
    bytes += qn_cuda_rounded(arrays[i].count * arrays[i].size);
  return bytes;
}

/* Of pinned host memory, while the run lasts. */
inline uint64_t low_memory_host_bytes(const struct sweep_run *run) {
  uint64_t bytes = run->request->positions ? sizeof(uint32_t) : 0;
  if (LOW_MEMORY_ALL_ACTIVE)
    bytes += sizeof(program_value) + sizeof(program_message) + run->source->vertex_bytes;
  return bytes * run->context.num_vertices;
}

/* May the run go this way? */
inline bool low_memory_may(const struct qn_run_request *request) {
  if (LOW_MEMORY_ALL_ACTIVE)
    return !request->hooks.checkpointing;
  return LOW_MEMORY_IN_PLACE &&
         (PROGRAM_FIRST_SUFFICES || request->limits.max_iterations == UINT32_MAX);
}

/* After sweep_plan_memory has found no room: a plan with what must be on the device there, and a
 * part of what is left for buffers. */
inline enum qn_status low_memory_plan(struct sweep_run *run, struct page_low_memory *low_memory,
                                      const struct qn_slotted_pages *view, struct qn_error *error) {
  const struct qn_unit_source *source = run->source;
  struct qn_stream_options options = run->request->device->streaming;
  struct qn_stream_plan *plan = &run->request->device->report.plan;
  const uint64_t usable = qn_cuda_plannable_bytes(&run->memory.device, run->memory.cap);
  const uint64_t device = low_memory_device_bytes(run), host = low_memory_host_bytes(run);
  const uint64_t least_bytes = qn_unit_stream_least(source);
  if (device > usable || least_bytes > usable - device)
    return sweep_too_large(run, device, least_bytes, usable, error);
  if (options.host_memory && options.host_memory <= host)
    return qn_fail(error, QN_DEVICE,
                   "not enough device memory for all that vertices have, and --host-memory is too "
                   "little for it; allow more of either");
  options.host_memory -= options.host_memory ? host : 0;
  const uint64_t left = usable - device;
  low_memory->slots = low_memory_most_slots(view);
  low_memory->offers_bytes =
      LOW_MEMORY_ALL_ACTIVE && left / LOW_MEMORY_OFFERS_SHARE <= left - least_bytes
          ? left / LOW_MEMORY_OFFERS_SHARE
          : 0;
  plan->attribute_bytes = device;
  plan->message_bytes = host;
  plan->strategy = QN_SCALABILITY;
  return qn_unit_stream_plan(source, &options, left - low_memory->offers_bytes, plan, error);
}

template <class Type>
enum qn_status low_memory_pin(struct page_low_memory *low_memory, Type **out, uint64_t count,
                              struct qn_error *error) {
  uint64_t bytes;
  void *memory = NULL;
  if (!qn_mul_u64(count, sizeof(Type), &bytes))
    return qn_fail_memory(error, "pinned memory", UINT64_MAX);
  enum qn_status status =
      qn_cuda_status(cudaHostAlloc(&memory, bytes ? bytes : 1, cudaHostAllocPortable),
                     "allocating pinned memory for vertices", error);
  if (!status)
    low_memory->pinned[low_memory->num_pinned++] = memory;
  *out = (Type *)memory;
  return status;
}

/* A copy of an array of the host. */
template <class Type>
enum qn_status low_memory_pin_copy(struct page_low_memory *low_memory, const Type **out,
                                   const Type *from, uint64_t count, struct qn_error *error) {
  Type *copy = NULL;
  enum qn_status status = low_memory_pin(low_memory, &copy, count, error);
  if (!status && count)
    memcpy(copy, from, count * sizeof(Type));
  *out = copy;
  return status;
}

inline enum qn_status low_memory_pin_degrees(struct sweep_run *run,
                                             struct page_low_memory *low_memory,
                                             const struct qn_slotted_pages *view,
                                             struct qn_error *error) {
  uint64_t *degrees;
  enum qn_status status = qn_page_degrees_create(&degrees, view, error);
  if (status)
    return status;
  status = low_memory_pin_copy(low_memory, &run->state.layout.degrees, degrees, view->num_vertices,
                               error);
  qn_pages_free(degrees, view->num_vertices, sizeof *degrees);
  return status;
}

/* As many pages as the buffers of all streams have room for. */
inline enum qn_status low_memory_create_offers(struct sweep_run *run,
                                               struct page_low_memory *low_memory,
                                               struct qn_error *error) {
  const uint64_t page_bytes = low_memory->slots * sizeof(program_message);
  low_memory->num_places = run->request->device->report.plan.num_streams;
  low_memory->pages = low_memory->offers_bytes / (low_memory->num_places * page_bytes);
  const uint64_t most = run->source->num_units;
  low_memory->pages = low_memory->pages < most ? low_memory->pages : most;
  if (low_memory->pages == 0)
    return QN_OK;
  return qn_cuda_alloc(&run->memory, &low_memory->offers,
                       low_memory->num_places * low_memory->pages, page_bytes,
                       "buffers of what vertices send", error);
}

inline enum qn_status low_memory_create(struct sweep_run *run, struct page_low_memory *low_memory,
                                        const struct qn_slotted_pages *view,
                                        struct qn_error *error) {
  struct sweep_array arrays[SWEEP_MAX_ARRAYS];
  struct sweep_state *state = &run->state;
  const uint64_t num_vertices = run->context.num_vertices;
  const unsigned count = low_memory_arrays(run, arrays);
  enum qn_status status = sweep_create_arrays(run, arrays, count, error);
  state->sees = LOW_MEMORY_IN_PLACE;
  if (!status && run->request->positions)
    status = low_memory_pin_copy(low_memory, &state->positions, run->request->positions,
                                 num_vertices, error);
  if (status || !LOW_MEMORY_ALL_ACTIVE)
    return status;
  status = low_memory_pin(low_memory, &state->values, num_vertices, error);
  if (!status)
    status = low_memory_pin(low_memory, &state->messages, num_vertices, error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = low_memory_pin_degrees(run, low_memory, view, error);
  return status ? status : low_memory_create_offers(run, low_memory, error);
}

/* The results need no room on the device. */
inline enum qn_status low_memory_results(struct sweep_run *run, struct page_low_memory *low_memory,
                                         struct qn_run_result *result, struct qn_error *error) {
  const uint64_t num_vertices = run->context.num_vertices;
  program_result *pinned = NULL, *results = NULL;
  enum qn_status status = low_memory_pin(low_memory, &pinned, num_vertices, error);
  if (!status)
    status = qn_pages_alloc(&results, num_vertices, sizeof *results, "result values", error);
  if (status)
    return status;
  QN_LAUNCH(output_values, run->blocks, SWEEP_THREADS, 0, NULL, run->context, num_vertices,
            run->state.values, run->state.to_vertex, pinned);
  status = qn_cuda_launched("writing the results", error);
  if (!status)
    status = qn_cuda_status(cudaStreamSynchronize(NULL), "writing the results", error);
  if (status) {
    qn_pages_free(results, num_vertices, sizeof *results);
    return status;
  }
  memcpy(results, pinned, num_vertices * sizeof *results);
  result->type = PROGRAM_RESULT;
  result->num_values = num_vertices;
  result->values = results;
  return QN_OK;
}

inline void low_memory_destroy(struct page_low_memory *low_memory) {
  for (unsigned i = 0; i < low_memory->num_pinned; i++)
    cudaFreeHost(low_memory->pinned[i]);
  low_memory->num_pinned = 0;
}

/* ---- The run ---------------------------------------------------------------------- */

#if LOW_MEMORY_IN_PLACE
/* As sweep_init, without accumulators. */
__global__ void low_memory_init(const struct sweep_state state,
                                const struct qn_program_context context) {
  unsigned count = 0;
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    bool starts = false;
    if (valid) {
      const uint32_t position = sweep_position(state, v);
      state.values[v] = program_init(&context, position, sweep_out_degree(state, v));
      starts = program_starts(&context, position);
    }
    sweep_store_word(state.active, v, valid, starts, &count);
  });
  sweep_add_count(state, count);
}
#endif

/* As sweep_iterations. */
inline enum qn_status low_memory_iterations(struct sweep_run *run, struct qn_error *error) {
#if LOW_MEMORY_IN_PLACE
  enum qn_status status = sweep_clear(run->state.count, 0, error);
  if (!status)
    SWEEP_LAUNCH(run, low_memory_init);
  run->woken = true;
  if (!status)
    status = sweep_read_count(run, &run->num_active, error);
  if (!status)
    status = sweep_resume(run, &run->num_active, error);
  return status ? status : iterate(run, run, error);
#else
  return sweep_iterations(run, error);
#endif
}

/* As sweep_run_units, but for a run whose vertices' values do not fit. */
template <class Upload>
enum qn_status low_memory_run(const struct qn_run_request *request,
                              const struct qn_slotted_pages *view,
                              const struct qn_unit_source *source, struct unit_reading *reading,
                              Upload upload, struct qn_run_result *result, struct qn_error *error) {
  struct sweep_run run;
  struct page_low_memory low_memory;
  struct page_host host = {NULL, reading};
  memset(&run, 0, sizeof run);
  memset(&low_memory, 0, sizeof low_memory);
  run.request = request;
  run.result = result;
  run.engine = &host;
  run.context = qn_run_begin(request, view->num_vertices, view->num_edges, result);
  sweep_hold_all(&run);
  auto prepare = [&](struct qn_error *failure) {
    enum qn_status status = sweep_plan_memory(&run, NULL, source, failure);
    if (status == QN_DEVICE && run.source && !request->device->report.plan.streams &&
        low_memory_may(request)) {
      host.low_memory = &low_memory;
      status = low_memory_plan(&run, &low_memory, view, failure);
    }
    if (!status && run.source && request->device->report.plan.pin_bytes > 0)
      status = sweep_begin_pins(&run, failure);
    if (!status)
      status = upload(&run, failure);
    if (!status)
      status = host.low_memory ? low_memory_create(&run, &low_memory, view, failure)
                               : sweep_create(&run, NULL, failure);
    if (!status && run.source)
      status = sweep_stream_create(&run, failure);
    if (!status && run.source)
      sweep_stream_begin(&run);
    return status || !run.source ? status : unit_reading_create(reading, &run, failure);
  };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    unit_reading_destroy(reading);
    sweep_stream_destroy(&run);
    if (host.low_memory) {
      status = status ? status : low_memory_results(&run, &low_memory, result, failure);
      low_memory_destroy(&low_memory);
      return status;
    }
    sweep_make_room(&run);
    return status ? status
                  : output_download(&run.memory, &run.context, run.state.values,
                                    run.state.to_vertex, result, failure);
  };
  return qn_run_whole(
      request, &run.memory, prepare,
      [&](struct qn_error *failure) {
        return host.low_memory ? low_memory_iterations(&run, failure)
                               : sweep_iterations(&run, failure);
      },
      finish, result, error);
}

} /* namespace */
