/* The frontier of a CSR traversal on the device: a queue whose edges can be cut into
 * equal pieces. Part of csr_frontier.cuh.
 *
 * A queue entry is a vertex with out-edges, and the number of *units* of up to
 * QN_UNIT_EDGES edges that the entries before it have. Blocks reserve entries and units together,
 * with one 64-bit atomic, so both ascend along the queue and no scan over it is needed: a
 * block of a push finds the vertices of its units by binary search. That balances a hub against a
 * thousand leaves without the three size classes of TWC (Merrill, Garland, Grimshaw: Scalable GPU
 * Graph Traversal, PPoPP 2012), whose block-sized class still gives a hub to one block. */
#ifndef QN_KERNELS_CUDA_CSR_QUEUE_CUH
#define QN_KERNELS_CUDA_CSR_QUEUE_CUH

#include "kernels/cuda/combine.cuh"
#include "kernels/cuda/csr_device.cuh"

#ifndef QN_PUSH_THREADS
#define QN_PUSH_THREADS 256
#endif
#define QN_UNIT_EDGES 8 /* one 32-byte sector of column indices */

namespace {

struct frontier_counters {
  unsigned long long reserved; /* of the next queue: units << 32 | entries */
  unsigned long long edges;    /* out-edges of the next frontier */
  unsigned int active;         /* its vertices, with those that have no out-edges */
  unsigned int num_received;
  unsigned long long least; /* qn_ordered_bits of a minimum */
  unsigned int num_far[2];  /* not reset between iterations */
};

struct frontier_queue {
  uint32_t *vertices; /* [V] */
  uint32_t *units;    /* [V] units of the entries before */
};

struct frontier_state {
  struct qn_csr out, in; /* `in`: if there is any */
  program_value *values;
  struct frontier_queue queues[2]; /* the current and the next, in turn */
  uint32_t *bits[2];               /* [V / 32 + 1] membership */
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

QN_DEVICE void frontier_leave(const struct frontier_state &state, struct frontier_share share) {
  const unsigned long long edges = qn_block_sum(share.edges);
  const unsigned int active = qn_block_sum(share.active);
  if (threadIdx.x == 0 && active > 0) {
    atomicAdd(&state.counters->edges, edges);
    atomicAdd(&state.counters->active, active);
  }
}

QN_DEVICE bool bit_has(const uint32_t *bits, uint32_t vertex) {
  return bits[vertex / 32] >> (vertex % 32) & 1u;
}

/* Set a bit; true if it was not set. */
QN_DEVICE bool bit_insert(uint32_t *bits, uint32_t vertex) {
  const uint32_t bit = 1u << (vertex % 32);
  return !(atomicOr(&bits[vertex / 32], bit) & bit);
}

QN_DEVICE uint64_t frontier_out_degree(const struct frontier_state &state, uint32_t vertex) {
  return state.out.row_offsets[vertex + 1] - state.out.row_offsets[vertex];
}

QN_DEVICE uint64_t frontier_sent_degree(const struct frontier_state &state, uint32_t vertex) {
#if PROGRAM_USES_OUT_DEGREE
  return frontier_out_degree(state, vertex);
#else
  (void)state, (void)vertex;
  return 0;
#endif
}

/* Put the vertices of the threads that `want` into a queue. The whole block calls. */
QN_DEVICE void frontier_enqueue(const struct frontier_state &state,
                                const struct frontier_queue &queue, bool wants, uint32_t vertex,
                                struct frontier_share *share) {
  QN_SHARED(unsigned long long, base, 1);
  if (!__syncthreads_or(wants))
    return;
  const uint64_t degree = wants ? frontier_out_degree(state, vertex) : 0;
  const unsigned long long units = (degree + QN_UNIT_EDGES - 1) / QN_UNIT_EDGES;
  unsigned long long total;
  unsigned long long place = qn_block_scan(degree ? units << 32 | 1u : 0ull, &total);
  if (threadIdx.x == 0 && total)
    base[0] = atomicAdd(&state.counters->reserved, total);
  __syncthreads();
  if (degree) {
    place += base[0];
    queue.vertices[(uint32_t)place] = vertex;
    queue.units[(uint32_t)place] = (uint32_t)(place >> 32);
  }
  __syncthreads(); /* before the next call writes `base` */
  share->edges += degree;
  share->active += wants;
}

/* For all i < count, by whole blocks: visit(i, i < count). */
template <class Visit> QN_DEVICE void block_steps(uint64_t count, Visit visit) {
  for (uint64_t first = (uint64_t)blockIdx.x * blockDim.x; first < count;
       first += (uint64_t)gridDim.x * blockDim.x)
    visit(first + threadIdx.x, first + threadIdx.x < count);
}

/* Every vertex's first value; the queue of those that start. */
__global__ void frontier_start(const struct frontier_state state,
                               const struct qn_program_context context, const uint32_t *positions) {
  struct frontier_share share = {0, 0};
  block_steps(context.num_vertices, [&](uint64_t v, bool there) {
    const uint32_t vertex = (uint32_t)v;
    bool starts = false;
    if (there) {
      const uint32_t position = positions ? positions[vertex] : vertex;
      state.values[vertex] = program_init(&context, position, frontier_sent_degree(state, vertex));
      starts = program_starts(&context, position);
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
  for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < context.num_vertices;
       v += (uint64_t)gridDim.x * blockDim.x)
    least = fmin(least, program_round(&context, state.values[v]));
  least = qn_block_min(least);
  if (threadIdx.x == 0)
    atomicMin(&state.counters->least, qn_ordered_bits(least));
}

__global__ void round_wake(const struct frontier_state state,
                           const struct qn_program_context context,
                           const struct frontier_queue queue) {
  struct frontier_share share = {0, 0};
  block_steps(context.num_vertices, [&](uint64_t v, bool there) {
    const bool wakes = there && program_wake(&context, &state.values[v]);
    frontier_enqueue(state, queue, wakes, (uint32_t)v, &share);
  });
  frontier_leave(state, share);
}
#endif

} /* namespace */

#endif
