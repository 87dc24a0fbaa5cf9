/* Frontier programs on units by senders that are streamed (units.cuh, senders.cuh): rows that are
 * read where they lie, in pinned memory of the container, instead of moving their unit. Per
 * iteration the device finds what reading the rows of active vertices would cost of each unit, and
 * the host has each moved or read, whichever the bus has done with sooner. Searches of undirected
 * graphs may let open vertices look for an active neighbour (bottom_up.cuh) in place of being
 * pushed to, if that costs less in all. It takes 4 bytes a unit on the device.
 *
 * The engine's struct engine_device has `struct units_in_place in_place`, and it defines
 *
 *   engine_read_unit(state, context, unit)  by a block: walks the rows of the unit that are needed,
 *                                           where they lie; returns the bytes that this thread read
 *   engine_needs(state, context, unit, rows)
 *                                           by a warp: what it would read; each lane returns its
 *                                           part of the sum
 *
 * and walks a unit that is moved as in_place.searches says, too. */
#pragma once

#include "kernels/cuda/sweep/in_place.cuh"
#include "kernels/cuda/sweep/in_place_device.cuh"
#include "kernels/cuda/sweep/senders.cuh"

#define IN_PLACE_SECTOR 32
#define IN_PLACE_LINE 128
/* Who looks for an active neighbour is expected to look at so many times the edges that this takes
 * on average. */
#define IN_PLACE_REACH 2
/* Less than one byte in so many is not worth finding out whether a search costs less. */
#define IN_PLACE_FEW 64

namespace {

/* A run's. Zero it before use. */
struct unit_reading {
  uint64_t num_units;
  uint64_t total_bytes; /* of all units */
  /* Of several devices: all get the sum of what they say, or the first failure. NULL: this one is
   * alone. */
  enum qn_status (*add_up)(struct sweep_run *run, enum qn_status status, uint64_t *number);
  bool may_read, may_search;
  struct qn_read_costs bus;
  uint32_t *pushed, *searched; /* [units] what reading costs what is needed; 0: it is nothing */
  uint32_t *moved;             /* [units] what they cost if they move, */
  uint32_t *most; /* [units] and reading them must cost less than; 0: they are not pinned */
  uint8_t *holds; /* [units] the device does */
  struct qn_unit_reader reader;
};

QN_DEVICE_INLINE uint64_t in_whole_sectors(uint64_t bytes) {
  return (bytes + IN_PLACE_SECTOR - 1) / IN_PLACE_SECTOR * IN_PLACE_SECTOR;
}

#if SWEEP_FRONTIER

/* ---- On the device ---------------------------------------------------------------------- */

/* Requests and sectors of the bus. */
struct unit_reads {
  uint64_t requests, sectors;
};

/* `count` stretches of so many bytes each. */
QN_DEVICE_INLINE struct unit_reads unit_reads_of(uint64_t count, uint64_t bytes) {
  return {count * ((bytes + IN_PLACE_LINE - 1) / IN_PLACE_LINE),
          count * ((bytes + IN_PLACE_SECTOR - 1) / IN_PLACE_SECTOR)};
}

QN_DEVICE_INLINE struct unit_reads unit_reads_both(struct unit_reads one, struct unit_reads other) {
  return {one.requests + other.requests, one.sectors + other.sectors};
}

/* Those that `whole` takes are the most. */
QN_DEVICE_INLINE struct unit_reads unit_reads_least(struct unit_reads one,
                                                    struct unit_reads whole) {
  return {one.requests < whole.requests ? one.requests : whole.requests,
          one.sectors < whole.sectors ? one.sectors : whole.sectors};
}

/* Which rows are needed: those of active vertices, or of those that may be reached, of whose edges
 * no more than `reach` are expected to be looked at. */
struct unit_rows {
  bool looking;
  uint64_t reach;
};

QN_DEVICE_INLINE bool unit_needs(const struct sweep_state &state,
                                 const struct qn_program_context &context, struct unit_rows rows,
                                 uint32_t vertex) {
  return rows.looking ? sweep_may_receive(state, context, vertex) : sweep_is_active(state, vertex);
}

/* What of a row is looked at. */
QN_DEVICE_INLINE uint64_t unit_looked_at(struct unit_rows rows, uint64_t num_edges) {
  return num_edges < rows.reach ? num_edges : rows.reach;
}

/* What a unit's rows take that are needed, and how many edges they have. */
struct unit_needs {
  uint64_t edges;
  struct unit_reads reads;
};

QN_DEVICE_INLINE struct unit_needs engine_needs(const struct sweep_state &state,
                                                const struct qn_program_context &context,
                                                uint32_t unit, struct unit_rows rows);

QN_DEVICE_INLINE uint64_t engine_read_unit(const struct sweep_state &state,
                                           const struct qn_program_context &context, uint32_t unit);

QN_DEVICE_INLINE uint64_t unit_warp_sum(uint64_t value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(QN_FULL_WARP, (unsigned long long)value, step);
  return value;
}

/* Of the vertices [begin, end) how many are needed? The whole warp calls. */
QN_DEVICE_INLINE uint64_t unit_count_needed(const struct sweep_state &state,
                                            const struct qn_program_context &context,
                                            struct unit_rows rows, struct unit_vertices vertices) {
  uint64_t count = 0;
  for (uint64_t v = (uint64_t)vertices.begin + qn_lane(); v < vertices.end; v += 32)
    count += unit_needs(state, context, rows, (uint32_t)v);
  __syncwarp();
  return unit_warp_sum(count);
}

/* A warp a unit: what it costs to read what is needed of it; 0 if that is nothing. */
__global__ void find_unit_costs(const struct sweep_state state,
                                const struct qn_program_context context, uint32_t num_units,
                                struct unit_rows rows, struct qn_read_costs bus) {
  const struct units_in_place &in_place = state.layout.in_place;
  const uint32_t warps = gridDim.x * (blockDim.x / 32);
  uint64_t edges = 0;
  for (uint32_t unit = blockIdx.x * (blockDim.x / 32) + qn_warp(); unit < num_units;
       unit += warps) {
    const struct unit_needs needs = engine_needs(state, context, unit, rows);
    const uint64_t cost =
        unit_warp_sum(needs.reads.requests * bus.request + needs.reads.sectors * bus.sector);
    edges += needs.edges;
    if (qn_lane() == 0)
      in_place.needed[unit] = cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
  }
  __syncwarp();
  edges = unit_warp_sum(edges);
  if (qn_lane() == 0 && edges > 0)
    atomicAdd(&in_place.counts->edges, (unsigned long long)edges);
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    read_units(const struct sweep_state state, const struct qn_program_context context,
               uint32_t num_units) {
  QN_SHARED(uint32_t, turn, 1);
  const struct units_in_place &in_place = state.layout.in_place;
  unsigned long long bytes = 0;
  for (;;) {
    if (threadIdx.x == 0)
      turn[0] = atomicAdd(&in_place.counts->turn, 1u);
    __syncthreads();
    const uint32_t number = turn[0];
    __syncthreads();
    if (number >= num_units)
      break;
    bytes += engine_read_unit(state, context, in_place.needed[number]);
  }
  bytes = qn_block_sum(bytes);
  if (threadIdx.x == 0 && bytes > 0)
    atomicAdd(&in_place.counts->bytes, bytes);
}

/* ---- The host's side -------------------------------------------------------------------- */

/* Of device memory, for so many units. */
inline uint64_t unit_reading_bytes(uint64_t num_units) {
  return qn_cuda_rounded(num_units * sizeof(uint32_t)) +
         qn_cuda_rounded(sizeof(struct in_place_counts));
}

/* What all devices say together; whoever has failed asks, too. */
inline enum qn_status add_up(struct sweep_run *run, const struct unit_reading *reading,
                             enum qn_status status, uint64_t *number) {
  return reading->add_up ? reading->add_up(run, status, number) : status;
}

/* Before the stream is made, which has less room then: `more` bytes are the engine's own. A graph
 * that `may_search` is undirected. All devices read if all can, and have all vertices' values. */
inline enum qn_status unit_reading_plan(struct unit_reading *reading, struct sweep_run *run,
                                        bool may_search, uint64_t more) {
  const uint64_t devices = reading->add_up ? run->request->device->num_devices : 1;
  uint64_t able;
  reading->num_units = run->source->num_units;
  reading->total_bytes = run->source->total_bytes;
  reading->may_search = PROGRAM_FIRST_SUFFICES && may_search;
  able = !run->splits && sweep_may_read(run, unit_reading_bytes(reading->num_units) + more);
  enum qn_status status = add_up(run, reading, QN_OK, &able);
  if (!status)
    status = add_up(run, reading, QN_OK, &reading->total_bytes);
  reading->may_read = able == devices;
  return status;
}

inline enum qn_status unit_reading_upload(const struct unit_reading *reading, struct sweep_run *run,
                                          struct qn_error *error) {
  struct units_in_place *in_place = &run->state.layout.in_place;
  struct qn_cuda_memory *memory = &run->memory;
  const uint64_t num_units = reading->num_units;
  if (!reading->may_read)
    return QN_OK;
  enum qn_status status = qn_cuda_alloc(memory, &in_place->needed, num_units,
                                        sizeof *in_place->needed, "costs of units", error);
  return status ? status
                : qn_cuda_alloc_zeroed(memory, &in_place->counts, 1, sizeof *in_place->counts,
                                       "counters", error);
}

/* What units cost, and which lie in pinned memory. */
inline void find_pinned_units(const struct sweep_run *run, struct unit_reading *reading) {
  const struct qn_unit_source *source = run->source;
  const uint64_t count = qn_unit_pins_count(run->pins);
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < reading->num_units; i++) {
    struct qn_unit unit;
    bool pinned = true;
    uint64_t bytes = 0;
    source->describe(source->user, i, &unit);
    for (unsigned piece = 0; piece < unit.num_pieces; piece++) {
      pinned =
          pinned && sweep_is_pinned(run, count, unit.pieces[piece].data, unit.pieces[piece].bytes);
      bytes += unit.pieces[piece].bytes;
    }
    reading->moved[i] = (uint32_t)bytes;
    reading->most[i] = pinned ? (uint32_t)bytes : 0;
  }
}

/* Before the first iteration. All that can be pinned is, then. */
inline enum qn_status unit_reading_create(struct unit_reading *reading, struct sweep_run *run,
                                          struct qn_error *error) {
  static const char what[] = "units to be read";
  const uint64_t num_units = reading->num_units;
  if (!reading->may_read)
    return QN_OK;
  enum qn_status status = QN_OK;
  for (uint32_t **array : {&reading->pushed, &reading->searched, &reading->moved, &reading->most,
                           &reading->reader.list})
    if (!status)
      status = qn_pages_alloc(array, num_units, sizeof **array, what, error);
  if (!status)
    status = qn_pages_alloc(&reading->holds, num_units, 1, what, error);
  if (!status)
    status = qn_unit_reader_create(&reading->reader, error);
  if (status)
    return status;
  qn_unit_pins_more(run->pins, UINT64_MAX);
  find_pinned_units(run, reading);
  reading->bus = qn_read_costs_of(0, 0, 0);
  return run->all_begun ? QN_OK : sweep_begin_reading(run, &reading->bus, error);
}

/* Nothing is read any more. A zeroed struct is allowed, as this leaves it. */
inline void unit_reading_destroy(struct unit_reading *reading) {
  qn_unit_reader_destroy(&reading->reader);
  for (uint32_t *array :
       {reading->pushed, reading->searched, reading->moved, reading->most, reading->reader.list})
    qn_pages_free(array, reading->num_units, sizeof *array);
  qn_pages_free(reading->holds, reading->num_units, 1);
  memset(reading, 0, sizeof *reading);
}

/* ---- What an iteration does ------------------------------------------------------------- */

/* `action(unit, reads)` for those of the device's units of which something is needed, as reading it
 * `costs` [units]. Returns what the bus does for them, in bytes that are copied. */
template <class Action>
uint64_t each_needed_unit(const struct sweep_run *run, const struct unit_reading *reading,
                          const uint32_t *costs, Action action) {
  uint64_t total = 0;
  for (uint64_t unit = 0; unit < reading->num_units; unit++) {
    if (costs[unit] == 0 || (run->mine && !run->mine[unit]))
      continue;
    const bool holds = reading->holds[unit], is_read = !holds && costs[unit] < reading->most[unit];
    total += holds ? 0 : is_read ? costs[unit] : reading->moved[unit];
    action(unit, is_read);
  }
  return total;
}

/* What reading costs that `rows` need, of each unit, to the host; and how many edges these have. */
inline enum qn_status find_costs(struct sweep_run *run, const struct unit_reading *reading,
                                 struct unit_rows rows, uint32_t *costs, uint64_t *edges,
                                 struct qn_error *error) {
  const struct units_in_place *in_place = &run->state.layout.in_place;
  const uint64_t num_units = reading->num_units;
  struct in_place_counts counts;
  enum qn_status status =
      qn_cuda_status(cudaMemsetAsync(in_place->counts, 0, sizeof *in_place->counts, NULL),
                     "clearing counters", error);
  if (status)
    return status;
  QN_LAUNCH(find_unit_costs,
            qn_grid(num_units, SWEEP_THREADS / 32, run->memory.device.multiprocessors, 8),
            SWEEP_THREADS, 0, NULL, run->state, run->context, (uint32_t)num_units, rows,
            reading->bus);
  status = sweep_read(run, costs, in_place->needed, num_units, sizeof *costs, error);
  if (!status)
    status = sweep_read(run, &counts, in_place->counts, 1, sizeof counts, error);
  *edges = status ? 0 : counts.edges;
  return status;
}

/* Does it cost less that open vertices search than to push along so many edges from all active
 * ones? */
inline enum qn_status choose_searches(struct sweep_run *run, const struct unit_reading *reading,
                                      uint64_t push_cost, uint64_t active_edges,
                                      struct qn_error *error) {
  uint64_t edges, search_cost = 0;
  if (!reading->may_search || push_cost <= reading->total_bytes / IN_PLACE_FEW)
    return QN_OK;
  const struct unit_rows open = {true, IN_PLACE_REACH *
                                           (run->context.num_edges / (active_edges + 1) + 1)};
  enum qn_status status = find_costs(run, reading, open, reading->searched, &edges, error);
  if (!status)
    search_cost = each_needed_unit(run, reading, reading->searched, [](uint64_t, bool) {});
  status = add_up(run, reading, status, &search_cost);
  run->state.layout.in_place.searches = !status && search_cost < push_cost;
  return status;
}

/* engine_flag_units: choose how the iteration goes, flag the units that it moves, and begin to read
 * the others. */
inline enum qn_status flag_needed_units(struct sweep_run *run, struct unit_reading *reading,
                                        struct qn_error *error) {
  const struct unit_rows active = {false, UINT64_MAX};
  uint64_t push_cost = 0, active_edges;
  qn_unit_stream_holds(run->stream, reading->holds);
  enum qn_status status = find_costs(run, reading, active, reading->pushed, &active_edges, error);
  if (!status)
    push_cost = each_needed_unit(run, reading, reading->pushed, [](uint64_t, bool) {});
  status = add_up(run, reading, status, &push_cost);
  if (!status)
    status = choose_searches(run, reading, push_cost, active_edges, error);
  if (status)
    return status;
  struct qn_unit_reader *reader = &reading->reader;
  reader->num_read = 0;
  memset(run->host_flags, 0, reading->num_units);
  each_needed_unit(run, reading,
                   run->state.layout.in_place.searches ? reading->searched : reading->pushed,
                   [&](uint64_t unit, bool is_read) {
                     if (is_read)
                       reader->list[reader->num_read++] = (uint32_t)unit;
                     else
                       run->host_flags[unit] = 1;
                   });
  auto launch = [&](unsigned blocks, cudaStream_t stream) {
    QN_LAUNCH(read_units, blocks, SWEEP_THREADS, 0, stream, run->state, run->context,
              reader->num_read);
  };
  const struct units_in_place *in_place = &run->state.layout.in_place;
  return in_place_begin(run, reader, in_place->counts, in_place->needed, launch, error);
}

/* engine_complete: until all is read. */
inline enum qn_status end_unit_reading(struct sweep_run *run, struct unit_reading *reading,
                                       struct qn_error *error) {
  run->state.layout.in_place.searches = false;
  if (!reading->reader.reads)
    return QN_OK;
  return qn_unit_reader_end(&reading->reader, run->stream,
                            &run->state.layout.in_place.counts->bytes, &run->moved, error);
}

#else

/* All units are walked. */
inline enum qn_status unit_reading_plan(struct unit_reading *, struct sweep_run *, bool, uint64_t) {
  return QN_OK;
}

inline enum qn_status unit_reading_upload(const struct unit_reading *, struct sweep_run *,
                                          struct qn_error *) {
  return QN_OK;
}

inline enum qn_status unit_reading_create(struct unit_reading *, struct sweep_run *,
                                          struct qn_error *) {
  return QN_OK;
}

inline void unit_reading_destroy(struct unit_reading *) {}

inline enum qn_status flag_needed_units(struct sweep_run *, struct unit_reading *,
                                        struct qn_error *) {
  return QN_OK;
}

inline enum qn_status end_unit_reading(struct sweep_run *, struct unit_reading *,
                                       struct qn_error *) {
  return QN_OK;
}

#endif

} /* namespace */
