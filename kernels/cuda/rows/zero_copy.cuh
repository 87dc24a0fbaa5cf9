/* Rows that are read where they lie, in pinned host memory, instead of moving their unit: merged
 * and aligned, 128 bytes by a warp (EMOGI: Min et al., VLDB 2020). Part of streamed_rows.cuh.
 *
 * The row offsets stay on the device, so that it can tell before each iteration what reading the
 * rows that are needed of every unit costs. A unit that the device holds is walked there; of the
 * others each is moved or read, whichever the bus has done with sooner. If a contribution suffices,
 * open vertices may also look for an active neighbour that sends to them: they read their row, of
 * in-edges, until they find one, so most edges never cross the bus. The iteration does what costs
 * less. In-edges that are others than out-edges have units of their own. Where there is little
 * memory, the offsets move with their units and nothing is read.
 *
 * If the program has priorities and an iteration has much to do, only the first go on, no further
 * than a window and no more of them than a share of the topology is for; the others wait: by the
 * time that it is their turn many have changed once more, and their rows cross the bus once for
 * all. (Shortest paths on R-MAT 20 read each edge 1.02 times like this, 1.88 times with a window
 * alone, and 3 times without either, in as many iterations.)
 *
 * What bounds it: the bus, by requests as much as by bytes, at rates that are measured before the
 * first iteration (stream/rates.cuh). On an H200 it carries 750 million requests a second of 32
 * bytes, 670 of 64 and 400 of 128, at 51 GB/s beside 55 of copies; but of pages at random 180 of
 * any size, so a block reads a unit's rows together. Two blocks of threads on each multiprocessor
 * keep it busy; the other half of what the device has walks what moves. */
#pragma once

#include <algorithm>

#include "kernels/cuda/edges/mean_weight.cuh"
#include "kernels/cuda/rows/row_walks.cuh"
#include "kernels/cuda/sweep/in_place.cuh"

#define NEEDED_LINE 32   /* edges of a line */
#define NEEDED_PART 8    /* edges of a sector */
#define NEEDED_AT_ONCE 4 /* lines that a warp has in flight */
/* A row that looks for an active neighbour is expected to be read for so many times the edges that
 * this takes on average. */
#define NEEDED_REACH 2
#define NEEDED_ALL UINT32_MAX
/* Less than one byte in so many is not worth finding out whether pulling costs less. */
#define NEEDED_FEW 64
/* Who waits if an iteration costs more than one byte in NEEDED_MUCH: who is further from the first
 * than so much of the mean weight, or behind those that cost one byte in NEEDED_ENOUGH. */
#define NEEDED_WINDOW 0.25
#define NEEDED_MUCH 16
#define NEEDED_ENOUGH 8
#define NEEDED_PLACES 256 /* by distance from the first: an octave has eight */

namespace {

struct needed_counts {
  unsigned long long edges; /* that begin at active rows */
  unsigned long long bytes; /* read */
  uint32_t waiting;
  uint32_t turn; /* of the units to be read, the next one */
#if PROGRAM_PRIORITY
  unsigned long long at[NEEDED_PLACES]; /* what active vertices cost, the furthest first */
#endif
};

QN_DEVICE_INLINE const struct needed_side &needed_now(const struct zero_copy &needed) {
  return needed.pulls ? needed.in : needed.out;
}

/* Where a unit's part of a vertex's row lies. */
QN_DEVICE_INLINE void needed_bounds(const struct needed_side &side, const struct row_unit &unit,
                                    uint32_t vertex, uint64_t *begin, uint64_t *end) {
  const uint64_t first = side.offsets[vertex], last = side.offsets[vertex + 1];
  const uint64_t unit_end = unit.edge_begin + unit.num_edges;
  *begin = first > unit.edge_begin ? first : unit.edge_begin;
  *end = last < unit_end ? last : unit_end;
}

/* Before the edge how many of its line there are. */
QN_DEVICE_INLINE uint32_t needed_lead(const struct needed_side &side, uint64_t edge) {
  return (uint32_t)(reinterpret_cast<uintptr_t>(side.columns + edge) / 4 % NEEDED_LINE);
}

/* What the columns of `edges` edges cost that begin so far into a line. */
QN_DEVICE_INLINE uint64_t needed_cost(const struct qn_read_costs &bus, uint32_t lead,
                                      uint64_t edges) {
  const uint64_t lines = (lead + edges - 1) / NEEDED_LINE + 1;
  const uint64_t sectors = (lead % NEEDED_PART + edges - 1) / NEEDED_PART + 1;
  return lines * bus.request + sectors * bus.sector;
}

QN_DEVICE_INLINE bool needed_by(const struct sweep_state &state,
                                const struct qn_program_context &context, uint32_t vertex) {
  return state.layout.needed.pulls ? sweep_may_receive(state, context, vertex)
                                   : sweep_is_active(state, vertex);
}

/* A warp a unit of [first, end): what an iteration would cost that reads its rows, none beyond
 * needed.reach edges; 0 if it needs no row. */
__global__ void find_needed(const struct sweep_state state, const struct qn_program_context context,
                            uint64_t first_unit, uint64_t end_unit) {
  const struct zero_copy &needed = state.layout.needed;
  const struct needed_side &side = needed_now(needed);
  const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
  unsigned long long edges = 0;
  for (uint64_t number = first_unit + (uint64_t)blockIdx.x * (blockDim.x / 32) + qn_warp();
       number < end_unit; number += warps) {
    const struct row_unit unit = state.layout.rows.units[number];
    unsigned long long cost = 0;
    for (uint32_t row = qn_lane(); row < unit.num_rows; row += 32) {
      const uint32_t vertex = (uint32_t)unit.first_row + row;
      uint64_t begin = 0, end = 0;
      if (!needed_by(state, context, vertex))
        continue;
      if (side.offsets)
        needed_bounds(side, unit, vertex, &begin, &end);
      else
        cost++;
      if (begin >= end)
        continue;
      edges += end - begin;
      cost += needed_cost(needed.bus, needed_lead(side, begin),
                          end - begin < needed.reach ? end - begin : needed.reach);
    }
    __syncwarp();
    for (int step = 16; step > 0; step /= 2)
      cost += __shfl_xor_sync(QN_FULL_WARP, cost, step);
    if (qn_lane() == 0)
      needed.costs[number] = cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
  }
  if (edges > 0)
    atomicAdd(&needed.counts->edges, edges);
}

#if PROGRAM_PRIORITY
/* Nobody waits any more. Finds the first priority of active vertices. */
__global__ void end_waiting(const struct sweep_state state,
                            const struct qn_program_context context) {
  uint32_t *waiting = state.layout.needed.waiting;
  double least = INFINITY;
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    const bool is_active = valid && sweep_is_active(state, v);
    const bool waits = valid && (waiting[v / 32] >> v % 32 & 1);
    if (waits && !is_active)
      state.messages[v] = program_send(&context, state.values[v], sweep_out_degree(state, v));
    if (waits || is_active)
      least = fmin(least, program_priority(&context, state.values[v]));
    const uint32_t all = __ballot_sync(QN_FULL_WARP, waits || is_active);
    if (sweep_writes_word(valid)) {
      state.active[v / 32] = all;
      waiting[v / 32] = 0;
    }
  });
  least = qn_block_min(least);
  if (threadIdx.x == 0)
    atomicMin(state.least, qn_ordered_bits(least));
}

/* Exponent and three bits of a number that is not negative: they are in its order. */
QN_DEVICE_INLINE uint32_t needed_octaves(double number) {
  const float rounded = (float)number;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  return bits >> 20;
}

/* Of an active vertex: 0 for those that are furthest, NEEDED_PLACES beyond the window. */
QN_DEVICE_INLINE uint32_t needed_place(const struct sweep_state &state,
                                       const struct qn_program_context &context, uint32_t vertex,
                                       double least, double window) {
  const double beyond = program_priority(&context, state.values[vertex]) - least;
  if (beyond > window)
    return NEEDED_PLACES;
  const uint32_t place = needed_octaves(window) - needed_octaves(beyond);
  return place < NEEDED_PLACES ? place : NEEDED_PLACES - 1;
}

/* What the rows of active vertices cost, by their places. */
__global__ void find_places(const struct sweep_state state, const struct qn_program_context context,
                            double window) {
  QN_SHARED(unsigned long long, at, NEEDED_PLACES);
  const struct zero_copy &needed = state.layout.needed;
  const double least = qn_from_ordered_bits(*state.least);
  for (uint32_t place = threadIdx.x; place < NEEDED_PLACES; place += blockDim.x)
    at[place] = 0;
  __syncthreads();
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    if (!valid || !sweep_is_active(state, v))
      return;
    const uint64_t begin = needed.out.offsets[v], end = needed.out.offsets[v + 1];
    const uint32_t place = needed_place(state, context, v, least, window);
    if (begin < end && place < NEEDED_PLACES)
      atomicAdd(&at[place], (unsigned long long)needed_cost(
                                needed.bus, needed_lead(needed.out, begin), end - begin));
  });
  __syncthreads();
  for (uint32_t place = threadIdx.x; place < NEEDED_PLACES; place += blockDim.x)
    if (at[place] > 0)
      atomicAdd(&needed.counts->at[place], at[place]);
}

/* All wait but those in the window from `first_place` on. */
__global__ void begin_waiting(const struct sweep_state state,
                              const struct qn_program_context context, double window,
                              uint32_t first_place) {
  const struct zero_copy &needed = state.layout.needed;
  const double least = qn_from_ordered_bits(*state.least);
  uint32_t count = 0;
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    const bool is_active = valid && sweep_is_active(state, v);
    const uint32_t place =
        is_active ? needed_place(state, context, v, least, window) : NEEDED_PLACES;
    const bool waits = is_active && (place == NEEDED_PLACES || place < first_place);
    const uint32_t waiting = __ballot_sync(QN_FULL_WARP, waits);
    const uint32_t others = __ballot_sync(QN_FULL_WARP, is_active && !waits);
    count += waits;
    if (sweep_writes_word(valid)) {
      state.active[v / 32] = others;
      needed.waiting[v / 32] = waiting;
    }
  });
  if (count > 0)
    atomicAdd(&needed.counts->waiting, count);
}
#endif

/* ---- Reading --------------------------------------------------------------------------- */

/* Bytes that cross the bus for edges [begin, end), in sectors. */
QN_DEVICE_INLINE uint64_t needed_bytes(const struct needed_side &side, uint64_t begin,
                                       uint64_t end) {
  const uint64_t sectors = (end + NEEDED_PART - 1) / NEEDED_PART - begin / NEEDED_PART;
  const uint64_t weight = side.weights.type == QN_WEIGHT_NONE ? 0 : sizeof(program_weight);
  return sectors * NEEDED_PART * (4 + weight);
}

/* Send along edges [begin, end), which `warps` warps share. */
QN_DEVICE_INLINE void push_needed(const struct sweep_state &state,
                                  const struct qn_program_context &context, uint32_t vertex,
                                  uint64_t begin, uint64_t end, uint32_t warp, uint32_t warps) {
  const struct needed_side &side = state.layout.needed.out;
  const program_message message = state.messages[vertex];
  const int64_t step = NEEDED_LINE * NEEDED_AT_ONCE, first_edge = (int64_t)begin;
  for (int64_t first = first_edge - needed_lead(side, begin) + warp * step + qn_lane();
       first < (int64_t)end; first += warps * step) {
    uint32_t columns[NEEDED_AT_ONCE];
    program_weight weights[NEEDED_AT_ONCE];
    auto is_there = [&](int i) {
      return first + i * NEEDED_LINE >= first_edge && first + i * NEEDED_LINE < (int64_t)end;
    };
    QN_UNROLL
    for (int i = 0; i < NEEDED_AT_ONCE; i++)
      if (is_there(i)) {
        const uint64_t edge = (uint64_t)(first + i * NEEDED_LINE);
        columns[i] = __ldcs(&side.columns[edge]);
        weights[i] = engine_weight(&side.weights, edge);
      }
    QN_UNROLL
    for (int i = 0; i < NEEDED_AT_ONCE; i++)
      if (is_there(i))
        sweep_collect(state, context, message, weights[i], columns[i]);
  }
}

#if PROGRAM_FIRST_SUFFICES
/* Look along edges [begin, end) for one that an active vertex sends on: first in the sectors where
 * one is to be expected, then line by line. Returns the end of what was read. The whole warp calls.
 */
QN_DEVICE_INLINE uint64_t pull_needed(const struct sweep_state &state,
                                      const struct qn_program_context &context, uint32_t vertex,
                                      uint64_t begin, uint64_t end) {
  const struct zero_copy &needed = state.layout.needed;
  const struct needed_side &side = needed.in;
  const uint32_t lead = needed_lead(side, begin);
  const uint64_t sectors =
      (lead % NEEDED_PART + (uint64_t)needed.reach + NEEDED_PART - 1) / NEEDED_PART;
  const uint64_t expected = sectors * NEEDED_PART - lead % NEEDED_PART;
  const uint64_t in_line = NEEDED_LINE - lead;
  uint64_t next = begin + (expected < in_line ? expected : in_line);
  for (uint64_t first = begin; first < end;
       first = next, next += NEEDED_LINE - needed_lead(side, next)) {
    const uint64_t edge = first + qn_lane();
    uint32_t sender = 0;
    bool hit = false;
    next = next < end ? next : end;
    if (edge < next) {
      sender = __ldcs(&side.columns[edge]);
      hit = sweep_is_active(state, sender);
    }
    const unsigned hits = __ballot_sync(QN_FULL_WARP, hit);
    if (hits == 0)
      continue;
    if ((int)qn_lane() == __ffs((int)hits) - 1) {
      program_combine_atomic(&state.sums[vertex],
                             program_contribution(&context, state.messages[sender],
                                                  engine_weight(&side.weights, edge), state.values,
                                                  vertex));
      sweep_mark_received(state, vertex);
    }
    return next;
  }
  return end;
}
#endif

/* The rows of a unit that are needed, by a block. Long rows that send are shared by all of it. */
QN_DEVICE_INLINE uint64_t read_unit(const struct sweep_state &state,
                                    const struct qn_program_context &context,
                                    const struct row_unit &unit) {
  QN_SHARED(uint32_t, long_rows, ROW_MOST_LONG);
  QN_SHARED(uint32_t, num_long, 1);
  const struct zero_copy &needed = state.layout.needed;
  const struct needed_side &side = needed_now(needed);
  const uint32_t warp = qn_warp(), warps = blockDim.x / 32;
  uint64_t bytes = 0;
  if (threadIdx.x == 0)
    num_long[0] = 0;
  __syncthreads();
  for (uint32_t first = warp * 32; first < unit.num_rows; first += blockDim.x) {
    const uint32_t row = first + qn_lane(), vertex = (uint32_t)unit.first_row + row;
    uint64_t begin = 0, end = 0;
    if (row < unit.num_rows && needed_by(state, context, vertex))
      needed_bounds(side, unit, vertex, &begin, &end);
    if (!needed.pulls && begin < end && end - begin >= ROW_LONG) {
      long_rows[atomicAdd(&num_long[0], 1u)] = vertex;
      end = begin;
    }
    for (unsigned left = __ballot_sync(QN_FULL_WARP, begin < end); left; left &= left - 1) {
      const int lane = __ffs((int)left) - 1;
      const uint64_t its_begin = __shfl_sync(QN_FULL_WARP, begin, lane);
      uint64_t its_end = __shfl_sync(QN_FULL_WARP, end, lane);
      const uint32_t its_vertex = (uint32_t)unit.first_row + first + (uint32_t)lane;
#if PROGRAM_FIRST_SUFFICES
      if (needed.pulls)
        its_end = pull_needed(state, context, its_vertex, its_begin, its_end);
      else
#endif
        push_needed(state, context, its_vertex, its_begin, its_end, 0, 1);
      bytes += needed_bytes(side, its_begin, its_end);
    }
  }
  __syncthreads();
  for (uint32_t i = 0; i < num_long[0]; i++) {
    uint64_t begin, end;
    needed_bounds(side, unit, long_rows[i], &begin, &end);
    push_needed(state, context, long_rows[i], begin, end, warp, warps);
    if (warp == 0)
      bytes += needed_bytes(side, begin, end);
  }
  return bytes; /* the same in all lanes of a warp */
}

__global__ void __launch_bounds__(SWEEP_THREADS)
    read_rows(const struct sweep_state state, const struct qn_program_context context,
              uint32_t num_units) {
  QN_SHARED(uint32_t, turn, 1);
  const struct zero_copy &needed = state.layout.needed;
  uint64_t bytes = 0;
  for (;;) {
    if (threadIdx.x == 0)
      turn[0] = atomicAdd(&needed.counts->turn, 1u);
    __syncthreads();
    const uint32_t number = turn[0];
    if (number >= num_units)
      break;
    bytes += read_unit(state, context, state.layout.rows.units[needed.units[number]]);
    __syncthreads();
  }
  if (qn_lane() == 0 && bytes > 0)
    atomicAdd(&needed.counts->bytes, bytes);
}

/* ---- The host's side ------------------------------------------------------------------ */

/* A run's; its engine. Zero it before use. */
/* Units of consecutive numbers. */
struct row_span {
  uint64_t first, end;
};

/* What an iteration costs, and the edges that it begins at. */
struct row_tally {
  uint64_t cost, edges;
  uint32_t first_place; /* of those that do not wait */
};

struct row_reading {
  const struct row_units *cut;     /* of rows that vertices send along, */
  uint64_t first_in;               /* and from this one on of in-edges alone */
  struct row_matrix in;            /* what is sent to vertices, if they may pull */
  struct row_span sends, receives; /* units to push along, and to pull along: this device's */
  uint64_t total_bytes;            /* of all */
  /* Of several devices: all get the sums of what they say, and the least place, or the first
   * failure. NULL: this one is alone. */
  enum qn_status (*add_up)(struct sweep_run *run, enum qn_status status, struct row_tally *tally);
  bool may_read; /* row offsets are on the device */
  bool may_pull; /* those of what is sent, too */
  double window; /* of priorities beyond which vertices wait; 0: they do not */
  uint32_t num_waiting;
  uint32_t *moved;  /* [units] what they cost if they move, */
  uint32_t *most;   /* [units] and reading them must cost less than; 0: they are not pinned */
  uint8_t *holds;   /* [units] the device does */
  uint32_t *pushed; /* [units] what they cost if the iteration pushes */
  uint32_t *pulled; /* [units] and if it pulls */
  struct qn_unit_reader reader;
};

/* Has it units for pulls alone? */
inline bool pulls_apart(const struct row_reading *reading) {
  return reading->first_in < reading->cut->num_units;
}

/* By one device. */
inline void read_all_rows(struct row_reading *reading, uint64_t total_bytes) {
  reading->total_bytes = total_bytes;
  reading->sends = {0, reading->first_in};
  reading->receives = {pulls_apart(reading) ? reading->first_in : 0, reading->cut->num_units};
}

inline const struct row_matrix *matrix_of(const struct row_reading *reading, uint64_t unit) {
  return unit < reading->first_in ? &reading->cut->matrix : &reading->in;
}

/* Device memory that it takes, */
inline uint64_t row_reading_bytes(const struct row_units *cut) {
  return qn_cuda_rounded(cut->num_units * sizeof(uint32_t)) +
         qn_cuda_rounded(sizeof(struct needed_counts));
}

/* and where rows are read. */
inline uint64_t zero_copy_bytes(const struct row_reading *reading) {
  const uint64_t num_vertices = reading->cut->matrix.num_vertices;
  const unsigned sides = reading->may_pull && pulls_apart(reading) ? 2 : 1;
  return sides * qn_cuda_rounded((num_vertices + 1) * sizeof(uint64_t)) +
         qn_cuda_rounded(reading->cut->num_units * sizeof(uint32_t)) +
         (PROGRAM_PRIORITY ? qn_cuda_rounded((num_vertices / 32 + 1) * 4) : 0);
}

inline enum qn_status upload_side(const struct row_matrix *matrix, struct sweep_run *run,
                                  struct needed_side *side, struct qn_error *error) {
  side->columns = matrix->columns;
  side->weights = matrix->weights;
  return qn_cuda_copy_of(&run->memory, &side->offsets, matrix->wide_offsets,
                         matrix->num_vertices + 1, 0, sizeof(uint64_t), "row offsets", error);
}

inline enum qn_status row_reading_upload(struct row_reading *reading, struct sweep_run *run,
                                         struct qn_error *error) {
  struct zero_copy *needed = &run->state.layout.needed;
  const uint64_t num_units = reading->cut->num_units;
  needed->bus = qn_read_costs_of(0, 0, 0);
  needed->first_in = (uint32_t)reading->first_in;
  enum qn_status status = qn_cuda_alloc(&run->memory, &needed->costs, num_units,
                                        sizeof *needed->costs, "costs of units", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(&run->memory, &needed->counts, 1, sizeof *needed->counts,
                                  "counters", error);
  if (status || !reading->may_read)
    return status;
  status = upload_side(&reading->cut->matrix, run, &needed->out, error);
  needed->in = needed->out;
  if (!status && reading->may_pull && pulls_apart(reading))
    status = upload_side(&reading->in, run, &needed->in, error);
  if (!status)
    status = qn_cuda_alloc(&run->memory, &needed->units, num_units, sizeof *needed->units,
                           "units to be read", error);
  if (!status && PROGRAM_PRIORITY)
    status =
        qn_cuda_alloc_zeroed(&run->memory, &needed->waiting, run->context.num_vertices / 32 + 1,
                             sizeof *needed->waiting, "bits of vertices", error);
  return status;
}

#if PROGRAM_PRIORITY
/* A state to go on from has no vertices that wait, nor has the end of a round. */
inline double window_of(const struct row_reading *reading, const struct sweep_run *run) {
  const struct row_matrix *matrix = &reading->cut->matrix;
  if (PROGRAM_ROUNDS || run->request->hooks.checkpointing)
    return 0;
  return NEEDED_WINDOW * mean_weight(&matrix->weights, matrix->block_edges[1]);
}
#endif

/* What units cost, and which lie in pinned memory. */
inline void find_pinned(const struct sweep_run *run, struct row_reading *reading) {
  const uint64_t count = qn_unit_pins_count(run->pins);
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < reading->cut->num_units; i++) {
    const struct row_matrix *matrix = matrix_of(reading, i);
    const struct row_unit *unit = &reading->cut->units[i];
    const uint64_t edges = unit->num_edges, weight = qn_weight_bytes(matrix->weights.type);
    const bool pinned =
        reading->may_read &&
        sweep_is_pinned(run, count, matrix->columns + unit->edge_begin, 4 * edges) &&
        sweep_is_pinned(run, count, qn_cuda_weights_at(&matrix->weights, unit->edge_begin),
                        weight * edges);
    reading->moved[i] = (uint32_t)row_unit_bytes(matrix, unit->num_rows, unit->num_edges);
    reading->most[i] = pinned ? reading->moved[i] : 0;
  }
}

/* Before the first iteration. All that can be pinned is, then. */
inline enum qn_status row_reading_create(struct row_reading *reading, struct sweep_run *run,
                                         struct qn_error *error) {
  static const char what[] = "units to be read";
  const uint64_t num_units = reading->cut->num_units;
  enum qn_status status = qn_pages_alloc(&reading->holds, num_units, 1, what, error);
  for (uint32_t **array :
       {&reading->moved, &reading->most, &reading->pushed, &reading->pulled, &reading->reader.list})
    if (!status)
      status = qn_pages_alloc(array, num_units, sizeof **array, what, error);
  if (status)
    return status;
  if (reading->may_read)
    qn_unit_pins_more(run->pins, UINT64_MAX);
  find_pinned(run, reading);
  if (!reading->may_read)
    return QN_OK;
#if PROGRAM_PRIORITY
  reading->window = window_of(reading, run);
#endif
  status = qn_unit_reader_create(&reading->reader, error);
  if (status || run->all_begun)
    return status;
  return sweep_begin_reading(run, &run->state.layout.needed.bus, error);
}

/* A zeroed struct is allowed. */
inline void row_reading_destroy(struct row_reading *reading) {
  const uint64_t num_units = reading->cut->num_units;
  qn_unit_reader_destroy(&reading->reader);
  qn_pages_free(reading->holds, num_units, 1);
  for (uint32_t *array :
       {reading->moved, reading->most, reading->pushed, reading->pulled, reading->reader.list})
    qn_pages_free(array, num_units, sizeof *array);
}

/* What reading each unit's rows costs an iteration, and how many edges they have. */
inline enum qn_status find_costs(struct sweep_run *run, struct row_reading *reading, bool pulls,
                                 uint64_t reach, uint32_t *costs, uint64_t *edges,
                                 struct qn_error *error) {
  const auto [first, end] = pulls ? reading->receives : reading->sends;
  struct zero_copy *needed = &run->state.layout.needed;
  struct needed_counts counts;
  needed->pulls = pulls;
  needed->reach = (uint32_t)(reach < NEEDED_ALL ? reach : NEEDED_ALL);
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(needed->counts, 0, sizeof *needed->counts, NULL), "clearing counters", error);
  if (status)
    return status;
  QN_LAUNCH(find_needed,
            qn_grid(end - first, SWEEP_THREADS / 32, run->memory.device.multiprocessors, 8),
            SWEEP_THREADS, 0, NULL, run->state, run->context, first, end);
  status = sweep_read(run, costs + first, needed->costs + first, end - first, sizeof *costs, error);
  if (!status)
    status = sweep_read(run, &counts, needed->counts, 1, sizeof counts, error);
  *edges = status ? 0 : counts.edges;
  return status;
}

/* `action(unit, reads)` for what an iteration needs of these units. Returns what the bus does for
 * it, in bytes that are copied. */
template <class Action>
uint64_t each_needed_unit(const struct row_reading *reading, struct row_span units,
                          const uint32_t *costs, Action action) {
  const uint64_t arrays = row_edge_bytes(&reading->cut->matrix) / 4;
  uint64_t total = 0;
  for (uint64_t unit = units.first; unit < units.end; unit++) {
    if (costs[unit] == 0)
      continue;
    const uint64_t read = arrays * costs[unit];
    const bool holds = reading->holds[unit], reads = !holds && read < reading->most[unit];
    total += holds ? 0 : reads ? read : reading->moved[unit];
    action(unit, reads);
  }
  return total;
}

/* What an iteration costs on all devices that share it. Whoever has failed asks, too. */
inline enum qn_status add_up(struct sweep_run *run, const struct row_reading *reading,
                             enum qn_status status, struct row_tally *tally) {
  return reading->add_up ? reading->add_up(run, status, tally) : status;
}

/* Does pulling cost less than pushing? If so reading->pulled says what it needs. */
inline enum qn_status choose_pull(struct sweep_run *run, struct row_reading *reading,
                                  const struct row_tally *push, bool *pulls,
                                  struct qn_error *error) {
  const uint64_t num_edges = reading->cut->matrix.block_edges[1];
  const uint64_t reach = NEEDED_REACH * (num_edges / (push->edges + 1) + 1);
  struct row_tally open = {};
  *pulls = false;
  if (!reading->may_pull || !reading->may_read || push->cost <= reading->total_bytes / NEEDED_FEW)
    return QN_OK;
  enum qn_status status =
      find_costs(run, reading, true, reach, reading->pulled, &open.edges, error);
  if (!status)
    open.cost =
        each_needed_unit(reading, reading->receives, reading->pulled, [](uint64_t, bool) {});
  status = add_up(run, reading, status, &open);
  *pulls = !status && open.cost < push->cost;
  run->state.layout.needed.pulls = *pulls;
  return status;
}

/* What it costs to push from all active vertices, if nothing has failed. */
inline enum qn_status find_push(struct sweep_run *run, struct row_reading *reading,
                                enum qn_status status, struct row_tally *push,
                                struct qn_error *error) {
  *push = {};
  if (!status)
    status = find_costs(run, reading, false, NEEDED_ALL, reading->pushed, &push->edges, error);
  if (!status)
    push->cost = each_needed_unit(reading, reading->sends, reading->pushed, [](uint64_t, bool) {});
  return add_up(run, reading, status, push);
}

/* Let vertices wait that can, if the iteration would cost much. */
inline enum qn_status let_wait(struct sweep_run *run, struct row_reading *reading,
                               struct row_tally *push, struct qn_error *error) {
  reading->num_waiting = 0;
#if PROGRAM_PRIORITY
  const uint64_t enough = reading->total_bytes / NEEDED_ENOUGH;
  const uint64_t arrays = row_edge_bytes(&reading->cut->matrix) / 4;
  const struct needed_counts *on_device = run->state.layout.needed.counts;
  struct needed_counts counts = {};
  struct row_tally first = {0, 0, NEEDED_PLACES};
  if (push->cost <= reading->total_bytes / NEEDED_MUCH || reading->window <= 0)
    return QN_OK;
  SWEEP_LAUNCH(run, find_places, reading->window);
  enum qn_status status = sweep_read(run, &counts, on_device, 1, sizeof counts, error);
  for (uint64_t sum = 0; first.first_place > 0; first.first_place--) {
    const uint64_t more = arrays * counts.at[first.first_place - 1];
    if (sum > 0 && sum + more > enough)
      break;
    sum += more;
  }
  status = add_up(run, reading, status, &first);
  if (status)
    return status;
  SWEEP_LAUNCH(run, begin_waiting, reading->window, first.first_place);
  status = sweep_read(run, &reading->num_waiting, &on_device->waiting, 1,
                      sizeof reading->num_waiting, error);
  if (!reading->add_up && (status || reading->num_waiting == 0))
    return status; /* several ask once more in any case: one that has failed does not know */
  return find_push(run, reading, status, push, error);
#else
  (void)run, (void)push, (void)error;
  return QN_OK;
#endif
}

/* Nobody waits, for now. */
inline enum qn_status wake_all(struct sweep_run *run, const struct row_reading *reading,
                               struct qn_error *error) {
  enum qn_status status = QN_OK;
#if PROGRAM_PRIORITY
  if (reading->window <= 0)
    return QN_OK;
  status = sweep_clear(run->state.least, 0xff, error);
  if (!status)
    SWEEP_LAUNCH(run, end_waiting);
#else
  (void)run, (void)reading, (void)error;
#endif
  return status;
}

/* Choose how the iteration goes, flag the units that it moves, and begin to read the others. */
inline enum qn_status flag_needed(struct sweep_run *run, struct row_reading *reading,
                                  struct qn_error *error) {
  struct row_tally push;
  bool pulls;
  qn_unit_stream_holds(run->stream, reading->holds);
  enum qn_status status = find_push(run, reading, wake_all(run, reading, error), &push, error);
  if (!status)
    status = let_wait(run, reading, &push, error);
  if (!status)
    status = choose_pull(run, reading, &push, &pulls, error);
  if (status)
    return status;
  struct qn_unit_reader *reader = &reading->reader;
  reader->num_read = 0;
  memset(run->host_flags, 0, reading->cut->num_units);
  each_needed_unit(reading, pulls ? reading->receives : reading->sends,
                   pulls ? reading->pulled : reading->pushed, [&](uint64_t unit, bool reads) {
                     if (reads)
                       reader->list[reader->num_read++] = (uint32_t)unit;
                     else
                       run->host_flags[unit] = 1;
                   });
  auto launch = [&](unsigned blocks, cudaStream_t stream) {
    QN_LAUNCH(read_rows, blocks, SWEEP_THREADS, 0, stream, run->state, run->context,
              reader->num_read);
  };
  const struct zero_copy *needed = &run->state.layout.needed;
  return in_place_begin(run, reader, needed->counts, needed->units, launch, error);
}

/* Until all is read. */
inline enum qn_status end_reading(struct sweep_run *run, struct row_reading *reading,
                                  struct qn_error *error) {
  run->state.layout.needed.pulls = false;
  return qn_unit_reader_end(&reading->reader, run->stream, &run->state.layout.needed.counts->bytes,
                            &run->moved, error);
}

} /* namespace */
