/* Iterations that sweep over all vertices before and after the edges: what the engines of most
 * layouts share on a CUDA device. Their iterations are in loop.cuh, several devices in devices.cuh.
 *
 * An engine has a header of its own with the device pointers of its layout, `struct engine_device`,
 * which it includes before this one. It defines
 *
 *   engine_out_degree(device, vertex)       for vertices as it numbers them
 *   engine_collect(run, error)              launches what walks the edges of a resident layout: for
 *                                           each edge whose source is active, sweep_collect
 *   engine_walk(run, entries, count, stream, error)         the same for `count` units of a layout
 *                                           that is streamed, as they lie on the device
 *   engine_complete(run, error)             launches what is left to do after all units were walked
 *   engine_flag_units(run, error)           sets run->host_flags for the units that an iteration of
 *                                           a frontier program needs, and run->all_flagged if it
 *                                           needs all; senders.cuh does it by the units' senders
 *
 * and calls sweep_run_units (loop.cuh), or sweep_run_devices (devices.cuh) for several devices.
 *
 * Per iteration and vertex a sweep moves the value (twice), the message, the accumulator (twice)
 * and, in frontier programs, two bits; only active vertices send and only receivers apply. */
#pragma once

#include "kernels/cuda/device/memory.cuh"
#include "kernels/cuda/edges/combine.cuh"
#include "kernels/cuda/stream/pins.cuh"
#include "kernels/engine.h"
#include "support/memory.h"
#include "support/threads.h"

#define SWEEP_FRONTIER (PROGRAM_SCHEDULE == QN_FRONTIER)
#ifndef SWEEP_THREADS
#define SWEEP_THREADS 256
#endif
#define SWEEP_MAX_BLOCKS 2048
/* May others see a new value before the iteration ends (request->asynchronous)? Where one message
 * suffices nobody would be helped. */
#define SWEEP_MAY_SEE (PROGRAM_IN_PLACE && !PROGRAM_FIRST_SUFFICES)
#define SWEEP_TRAITS (SWEEP_MAY_SEE ? QN_KERNEL_SEES : 0)

namespace {

/* Consecutive vertices. */
struct unit_vertices {
  uint32_t begin, end;
};

/* What kernels see. Vertices are numbered as the engine's layout does. */
struct sweep_state {
  struct engine_device layout;
  struct unit_vertices held; /* those whose values are here: all, unless somebody else has others */
  const uint32_t *to_vertex; /* [V] the graph's vertex, or NULL: the same */
  const uint32_t *positions; /* [V] in original order, by the graph's vertex, or NULL: the same */
  program_value *values;     /* [V] */
  program_message *messages; /* [V] of active vertices */
  program_accumulator *sums; /* [V] the identity between iterations */
  uint32_t *active;          /* [V / 32 + 1] bits; NULL if all are */
  uint32_t *received;        /* [V / 32 + 1] bits; NULL if all did */
  double *parts;             /* [SWEEP_MAX_BLOCKS] of a sum over all vertices */
  unsigned long long *count; /* of active vertices */
  unsigned long long *least; /* PROGRAM_ROUNDS, as ordered bits */
  bool sees;                 /* SWEEP_MAY_SEE: contributions are combined into values at once */
  uint32_t *waiting; /* [V / 32 + 1] bits of those that changed and have not sent; NULL: none may */
  double bound;      /* of priorities: from it on they wait (near_far.cuh) */
};

struct sweep_member;

/* The host's side of a run. */
struct sweep_run {
  struct sweep_member *member; /* of several devices; NULL: one alone */
  const struct qn_run_request *request;
  struct qn_run_result *result;
  struct qn_cuda_memory memory;
  struct qn_program_context context;
  struct sweep_state state;
  const uint32_t *order; /* [V] on the host: the graph's vertex, or NULL: the same */
  unsigned blocks;       /* of SWEEP_THREADS threads, for a loop over all vertices */
  uint64_t num_active;
  const struct qn_shared_iteration *shared; /* several devices: what they did in this iteration */
  bool splits;    /* only messages to vertices that are held are collected */
  bool stands_in; /* for an engine that keeps all resident (state.cuh) */
  bool woken;     /* the active vertices are not those that the last iteration activated */
  /* What moves the topology, and what for; NULL if all of it is resident. */
  struct qn_unit_stream *stream;
  struct qn_unit_pins *pins; /* while the run is prepared, and on */
  const struct qn_unit_source *source;
  const uint8_t *mine;            /* [num_units] of several devices: this one's; NULL: all are */
  struct qn_stream_figures moved; /* in this iteration */
  uint8_t *unit_flags;            /* [num_units] on the device, in frontier programs */
  uint8_t *host_flags;
  bool all_flagged; /* for sure */
  bool all_begun;   /* the stream has begun the first iteration, over all units */
  double step;      /* of state.bound */
  /* When no vertex is active; NULL: none waits (near_far.cuh). */
  enum qn_status (*raise_bound)(struct sweep_run *run, struct qn_error *error);
  void *engine; /* the engine's own, on the host */
};

/* ---- What an engine defines ------------------------------------------------------------ */

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex);
inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error);
inline enum qn_status engine_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                                  uint64_t count, cudaStream_t stream, struct qn_error *error);
inline enum qn_status engine_complete(struct sweep_run *run, struct qn_error *error);
inline enum qn_status engine_flag_units(struct sweep_run *run, struct qn_error *error);

/* ---- On the device ---------------------------------------------------------------------- */

QN_DEVICE_INLINE uint64_t sweep_out_degree(const struct sweep_state &state, uint32_t vertex) {
#if PROGRAM_USES_OUT_DEGREE
  return engine_out_degree(state.layout, vertex);
#else
  (void)state, (void)vertex;
  return 0;
#endif
}

QN_DEVICE_INLINE uint32_t sweep_position(const struct sweep_state &state, uint32_t vertex) {
  const uint32_t original = state.to_vertex ? state.to_vertex[vertex] : vertex;
  return state.positions ? state.positions[original] : original;
}

QN_DEVICE_INLINE bool sweep_is_active(const struct sweep_state &state, uint32_t vertex) {
  return !SWEEP_FRONTIER || (state.active[vertex / 32] >> vertex % 32 & 1);
}

/* Does the vertex send? If so, what. Where new values are seen, those who received in this
 * iteration send too, and what a sender has now. They all send again in the next: what was walked
 * before they changed has not been told. */
QN_DEVICE_INLINE bool sweep_sends(const struct sweep_state &state,
                                  const struct qn_program_context &context, uint32_t vertex,
                                  program_message *message) {
#if SWEEP_MAY_SEE
  if (state.sees) {
    const bool sends =
        sweep_is_active(state, vertex) || (__ldcg(&state.received[vertex / 32]) >> vertex % 32 & 1);
    if (sends)
      *message =
          program_send(&context, __ldcg(&state.values[vertex]), sweep_out_degree(state, vertex));
    return sends;
  }
#endif
  if (!sweep_is_active(state, vertex))
    return false;
  *message = state.messages[vertex];
  return true;
}

/* May a contribution still change the vertex? */
QN_DEVICE_INLINE bool sweep_may_receive(const struct sweep_state &state,
                                        const struct qn_program_context &context, uint32_t vertex) {
#if PROGRAM_CLOSES
  return program_open(&context, state.values[vertex]);
#else
  (void)state, (void)context, (void)vertex;
  return true;
#endif
}

QN_DEVICE_INLINE void sweep_mark_received(const struct sweep_state &state, uint32_t receiver) {
  const uint32_t bit = 1u << receiver % 32;
  uint32_t *word = &state.received[receiver / 32];
  if (!(*(volatile uint32_t *)word & bit))
    atomicOr(word, bit);
}

/* Send `message` along an edge to `receiver`. Called by an engine's kernels. Returns whether the
 * receiver may be active because of it: false if it would change nothing, or if somebody sent it
 * the same before. Finding that out saves the atomics, which serialise where a hub receives.
 * `splits`: receivers that are held elsewhere are left to others. */
template <bool splits = false>
QN_DEVICE_INLINE bool
sweep_collect(const struct sweep_state &state, const struct qn_program_context &context,
              program_message message, program_weight weight, uint32_t receiver) {
  if (splits && receiver - state.held.begin >= state.held.end - state.held.begin)
    return false;
  if (PROGRAM_CLOSES && !PROGRAM_IN_PLACE && !sweep_may_receive(state, context, receiver))
    return false;
  const program_accumulator contribution =
      program_contribution(&context, message, weight, state.values, receiver);
  if (program_refuses(contribution))
    return false;
#if PROGRAM_IN_PLACE
  static_assert(PROGRAM_LANES == 1, "values that are combined in place have one lane");
  const program_value value = state.sees ? __ldcg(&state.values[receiver]) : state.values[receiver];
  if (!program_active(&context, value, program_combine_lane(value, contribution)))
    return false;
  if (state.sees) {
    program_combine_atomic(&state.values[receiver], contribution);
    sweep_mark_received(state, receiver);
    return true;
  }
  const program_accumulator sum = __ldcg(&state.sums[receiver]);
  if (program_combine_lane(sum, contribution) == sum)
    return false;
#endif
  program_combine_atomic(&state.sums[receiver], contribution);
  if (SWEEP_FRONTIER)
    sweep_mark_received(state, receiver);
  return true;
}

/* `action(vertex, valid)` for vertices, whole warps at a time: with the vertices of one word of a
 * bitmap, of which those before the first and past the last are not valid. */
template <class Action>
QN_DEVICE_INLINE void sweep_words(struct unit_vertices vertices, Action action) {
  const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
  for (uint64_t first = vertices.begin / 32 * 32 + (uint64_t)blockIdx.x * blockDim.x;
       first < vertices.end; first += step) {
    const uint64_t vertex = first + threadIdx.x;
    action((uint32_t)vertex, vertex >= vertices.begin && vertex < vertices.end);
  }
}

template <class Action> QN_DEVICE_INLINE void sweep_words(uint64_t num_vertices, Action action) {
  sweep_words(unit_vertices{0, (uint32_t)num_vertices}, action);
}

/* Is this the thread that writes the word of a warp's vertices? All of the warp ask. */
QN_DEVICE_INLINE bool sweep_writes_word(bool valid) {
  return __any_sync(QN_FULL_WARP, valid) && qn_lane() == 0;
}

/* Store a bitmap's word from its vertices' flags; add the number set to the thread's count. */
QN_DEVICE_INLINE void sweep_store_word(uint32_t *bits, uint32_t vertex, bool valid, bool flag,
                                       unsigned *count) {
  const unsigned word = __ballot_sync(QN_FULL_WARP, valid && flag);
  if (sweep_writes_word(valid)) {
    bits[vertex / 32] = word;
    *count += (unsigned)__popc(word);
  }
}

QN_DEVICE_INLINE void sweep_add_count(const struct sweep_state &state, unsigned count) {
  const unsigned sum = qn_block_sum(count);
  if (threadIdx.x == 0 && sum > 0)
    atomicAdd(state.count, (unsigned long long)sum);
}

QN_DEVICE_INLINE void sweep_leave_part(const struct sweep_state &state, double part) {
  part = qn_block_sum(part);
  if (threadIdx.x == 0)
    state.parts[blockIdx.x] = part;
}

__global__ void sweep_init(const struct sweep_state state,
                           const struct qn_program_context context) {
  unsigned count = 0;
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    bool starts = false;
    if (valid) {
      const uint32_t position = sweep_position(state, v);
#if PROGRAM_HAS_INITIAL /* the host makes it: given.cuh */
      (void)position;
#else
      state.values[v] = program_init(&context, position, sweep_out_degree(state, v));
#endif
      state.sums[v] = program_identity();
#if SWEEP_FRONTIER
      starts = program_starts(&context, position);
#endif
    }
    if (SWEEP_FRONTIER)
      sweep_store_word(state.active, v, valid, starts, &count);
  });
  if (SWEEP_FRONTIER)
    sweep_add_count(state, count);
}

__global__ void sweep_send(const struct sweep_state state,
                           const struct qn_program_context context) {
  double aggregate = 0;
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    if (!valid || !sweep_is_active(state, v))
      return;
    const uint64_t out_degree = sweep_out_degree(state, v);
    state.messages[v] = program_send(&context, state.values[v], out_degree);
#if PROGRAM_AGGREGATE
    aggregate += program_aggregate(&context, state.values[v], out_degree);
#endif
  });
  if (PROGRAM_AGGREGATE)
    sweep_leave_part(state, aggregate);
}

/* Does a vertex send next that is active or waits? If not, it waits. All of a word's ask. */
QN_DEVICE_INLINE bool sweep_goes_on(const struct sweep_state &state,
                                    const struct qn_program_context &context, uint32_t vertex,
                                    bool valid, bool is_active) {
#if PROGRAM_PRIORITY
  if (!state.waiting)
    return is_active;
  const bool pending = is_active || (valid && (state.waiting[vertex / 32] >> vertex % 32 & 1));
  const bool near = pending && program_priority(&context, state.values[vertex]) < state.bound;
  const uint32_t wait = __ballot_sync(QN_FULL_WARP, pending && !near);
  if (sweep_writes_word(valid))
    state.waiting[vertex / 32] = wait;
  return near;
#else
  (void)state, (void)context, (void)vertex, (void)valid;
  return is_active;
#endif
}

/* Apply what was collected; the accumulators are the identity again, and nobody has received. */
__global__ void sweep_apply(const struct sweep_state state,
                            const struct qn_program_context context) {
  double change = 0;
  unsigned count = 0;
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    bool is_active = false;
    const bool receives = valid && (!SWEEP_FRONTIER || (state.received[v / 32] >> v % 32 & 1));
    if (state.sees)
      is_active = receives;
    else if (receives) {
      const program_value old_value = state.values[v];
      const program_value value = program_apply(&context, old_value, state.sums[v]);
      state.values[v] = value;
      state.sums[v] = program_identity();
#if SWEEP_FRONTIER
      is_active = program_active(&context, old_value, value);
#elif PROGRAM_CONVERGES
      change += program_change(&context, old_value, value);
#endif
    }
    if (SWEEP_FRONTIER) {
      __syncwarp(); /* the word is read by all before it is cleared */
      if (sweep_writes_word(valid))
        state.received[v / 32] = 0;
      is_active = sweep_goes_on(state, context, v, valid, is_active);
      sweep_store_word(state.active, v, valid, is_active, &count);
    }
  });
  if (SWEEP_FRONTIER)
    sweep_add_count(state, count);
  else if (PROGRAM_CONVERGES)
    sweep_leave_part(state, change);
}

#if PROGRAM_ROUNDS
__global__ void sweep_least_round(const struct sweep_state state,
                                  const struct qn_program_context context) {
  double least = INFINITY;
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    if (valid)
      least = fmin(least, program_round(&context, state.values[v]));
  });
  least = qn_block_min(least);
  if (threadIdx.x == 0)
    atomicMin(state.least, qn_ordered_bits(least));
}

__global__ void sweep_wake(const struct sweep_state state,
                           const struct qn_program_context context) {
  unsigned count = 0;
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    const bool wakes = valid && program_wake(&context, &state.values[v]);
    sweep_store_word(state.active, v, valid, wakes, &count);
  });
  sweep_add_count(state, count);
}
#endif

/* ---- The host's side ---------------------------------------------------------- */

#define SWEEP_LAUNCH(run, kernel, ...)                                                             \
  QN_LAUNCH(kernel, (run)->blocks, SWEEP_THREADS, 0, NULL, (run)->state, (run)->context,           \
            ##__VA_ARGS__)

/* What kernels of the default stream have left. Other streams are not waited for: the bus may be
 * busy with the next iteration's units. */
inline enum qn_status sweep_read(struct sweep_run *run, void *to, const void *from, uint64_t count,
                                 uint64_t size, struct qn_error *error) {
  enum qn_status status = qn_cuda_launched("launching an iteration's kernels", error);
  if (status)
    return status;
  run->memory.copy_bytes += count * size;
  return qn_cuda_status(cudaMemcpy(to, from, count * size, cudaMemcpyDeviceToHost),
                        "copying an iteration from the device", error);
}

/* Every vertex is held. */
inline void sweep_hold_all(struct sweep_run *run) {
  run->state.held = {0, (uint32_t)run->context.num_vertices};
}

/* A pointer to an element 0 that need not be there: elements are asked for by vertex, and those of
 * held vertices are. */
template <class Type> Type *sweep_by_vertex(Type *first, uint64_t begin) {
  return reinterpret_cast<Type *>(reinterpret_cast<uintptr_t>(first) - begin * sizeof(Type));
}

/* Upload what `from` says of the held vertices, and of `more` after them. */
template <class Type>
enum qn_status sweep_copy_of_held(struct sweep_run *run, const Type **out, const Type *from,
                                  uint64_t more, const char *what, struct qn_error *error) {
  const struct unit_vertices held = run->state.held;
  enum qn_status status =
      qn_cuda_copy_of(&run->memory, out, from + held.begin, held.end - held.begin + more, 0,
                      sizeof *from, what, error);
  *out = sweep_by_vertex(*out, held.begin);
  return status;
}

/* The sum over the blocks' parts, in their order. */
inline enum qn_status sweep_total(struct sweep_run *run, double *total, struct qn_error *error) {
  double parts[SWEEP_MAX_BLOCKS];
  enum qn_status status =
      sweep_read(run, parts, run->state.parts, run->blocks, sizeof parts[0], error);
  *total = 0;
  for (unsigned i = 0; !status && i < run->blocks; i++)
    *total += parts[i];
  return status;
}

/* The beginning of an iteration: active vertices send. */
inline enum qn_status sweep_begin(struct sweep_run *run, struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (!run->state.sees)
    SWEEP_LAUNCH(run, sweep_send);
  if (PROGRAM_AGGREGATE)
    status = sweep_total(run, &run->context.aggregate, error);
#if PROGRAM_BEGINS
  program_begin(&run->context);
#endif
  return status;
}

inline enum qn_status sweep_clear(void *word, int byte, struct qn_error *error) {
  return qn_cuda_status(cudaMemsetAsync(word, byte, sizeof(unsigned long long), NULL),
                        "clearing a counter", error);
}

inline enum qn_status sweep_read_count(struct sweep_run *run, uint64_t *count,
                                       struct qn_error *error) {
  return sweep_read(run, count, run->state.count, 1, sizeof *count, error);
}

} /* namespace */
