/* The frontier of a CSR traversal on the device: queues (edges/row_queue.cuh), bitmaps and
 * what the host wants to know of them. */
#pragma once

#include "kernels/cuda/edges/combine.cuh"
#include "kernels/cuda/edges/csr_device.cuh"
#include "kernels/cuda/edges/row_queue.cuh"

namespace {

struct frontier_counters {
  qn_queue_size queued;     /* of the next queue */
  unsigned long long edges; /* out-edges of the next frontier */
  unsigned int active;      /* its vertices, with those that have no out-edges */
  unsigned int num_received;
  unsigned long long least; /* qn_ordered_bits of a minimum */
  unsigned int num_far[2];  /* not reset between iterations */
};

struct frontier_state {
  struct qn_csr out, in; /* `in`: if there is any */
  program_value *values;
  struct qn_unit_queue queues[2]; /* the current and the next, in turn */
  uint32_t *bits[2];              /* [V / 32 + 1] membership */
  uint32_t *open_bits;            /* [V / 32 + 1] bottom-up: not yet known to be closed for good */
  struct frontier_counters *counters;
#if PROGRAM_PRIORITY
  uint32_t *far[2]; /* [V] vertices that wait, in turn */
  uint32_t *far_bits;
#endif
#if !PROGRAM_IN_PLACE
  program_accumulator *received_sums; /* [V] the identity between iterations */
  uint32_t *received;                 /* [V] vertices with contributions */
#endif
};

/* A thread's part of the counters, left once at the end of a kernel. */
struct frontier_share {
  unsigned long long edges;
  unsigned int active;
};

QN_DEVICE_INLINE void frontier_leave(const struct frontier_state &state,
                                     struct frontier_share share) {
  const unsigned long long edges = qn_block_sum(share.edges);
  const unsigned int active = qn_block_sum(share.active);
  if (threadIdx.x == 0 && active > 0) {
    atomicAdd(&state.counters->edges, edges);
    atomicAdd(&state.counters->active, active);
  }
}

QN_DEVICE_INLINE uint64_t frontier_out_degree(const struct frontier_state &state, uint32_t vertex) {
  return state.out.row_offsets[vertex + 1] - state.out.row_offsets[vertex];
}

QN_DEVICE_INLINE uint64_t frontier_sent_degree(const struct frontier_state &state,
                                               uint32_t vertex) {
#if PROGRAM_USES_OUT_DEGREE
  return frontier_out_degree(state, vertex);
#else
  (void)state, (void)vertex;
  return 0;
#endif
}

/* Put the vertices of the threads that `want` into a queue, but for those without out-edges, which
 * are only counted. The whole block calls. */
QN_DEVICE_INLINE void frontier_enqueue(const struct frontier_state &state,
                                       const struct qn_unit_queue &queue, bool wants,
                                       uint32_t vertex, struct frontier_share *share) {
  if (!__syncthreads_or(wants))
    return;
  const uint64_t degree = wants ? frontier_out_degree(state, vertex) : 0;
  qn_queue_put(queue, &state.counters->queued, qn_units_of(degree), vertex);
  share->edges += degree;
  share->active += wants;
}

/* Every vertex's first value; the queue of those that start. With `active`, values are there
 * already, and these vertices start. */
__global__ void frontier_start(const struct frontier_state state,
                               const struct qn_program_context context, const uint32_t *positions,
                               const uint32_t *active) {
  struct frontier_share share = {0, 0};
  qn_block_steps(context.num_vertices, [&](uint64_t v, bool there) {
    const uint32_t vertex = (uint32_t)v;
    bool starts = false;
    if (there && active) {
      starts = qn_bit_has(active, vertex);
    } else if (there) {
      const uint32_t position = positions ? positions[vertex] : vertex;
#if !PROGRAM_HAS_INITIAL /* else the host makes it: given.cuh */
      state.values[vertex] = program_init(&context, position, frontier_sent_degree(state, vertex));
#endif
      starts = program_starts(&context, position);
    }
    if (there) {
#if !PROGRAM_IN_PLACE
      state.received_sums[vertex] = program_identity();
#endif
    }
    frontier_enqueue(state, state.queues[0], starts, vertex, &share);
  });
  frontier_leave(state, share);
}

#if PROGRAM_ROUNDS
__global__ void round_least(const struct frontier_state state,
                            const struct qn_program_context context) {
  double least = INFINITY;
  qn_grid_steps(context.num_vertices,
                [&](uint64_t v) { least = fmin(least, program_round(&context, state.values[v])); });
  least = qn_block_min(least);
  if (threadIdx.x == 0)
    atomicMin(&state.counters->least, qn_ordered_bits(least));
}

__global__ void round_wake(const struct frontier_state state,
                           const struct qn_program_context context,
                           const struct qn_unit_queue queue) {
  struct frontier_share share = {0, 0};
  qn_block_steps(context.num_vertices, [&](uint64_t v, bool there) {
    const bool wakes = there && program_wake(&context, &state.values[v]);
    frontier_enqueue(state, queue, wakes, (uint32_t)v, &share);
  });
  frontier_leave(state, share);
}
#endif

} /* namespace */
