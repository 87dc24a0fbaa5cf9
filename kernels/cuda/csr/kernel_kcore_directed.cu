/* Coreness on directed CSR, on a device: what kernels/cpu/csr/kernel_kcore_directed.c says; of
 * undirected graphs for several devices, which don't share the program. Rounds peel as there; each
 * looks at all vertices for the least degree that is left. Devices tell each other by how much
 * degrees fall.
 *
 * Bytes: each edge lowers a counter of 8 bytes at either end; a round reads 12 bytes a vertex
 * twice. */
#include "kernels/cuda/csr/both_ways.cuh"
#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/run_with.cuh"
#include "kernels/cuda/edges/step_runs.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_kcore_directed_csr_cuda;

#define NOT_YET UINT32_MAX

namespace {

struct core_state {
  struct qn_csr out, in;       /* `in` is zero if an edge is stored at both its ends */
  unsigned long long *degrees; /* [V] edges to vertices that are left */
  uint32_t *cores;             /* [V] NOT_YET: it is left */
  unsigned long long *least;   /* degree of a vertex that is left */
};

__global__ void begin_degrees(const struct core_state state) {
  const uint64_t *out = state.out.row_offsets, *in = state.in.row_offsets;
  qn_grid_steps(state.out.num_vertices, [&](uint64_t v) {
    state.degrees[v] = out[v + 1] - out[v] + (in ? in[v + 1] - in[v] : 0);
    state.cores[v] = NOT_YET;
  });
}

/* A loop counts once. */
struct drop_loops {
  unsigned long long *degrees;
  __device__ bool operator()(uint32_t v, uint32_t other) const { return v == other; }
  __device__ void add(uint32_t v, unsigned count) const { atomicAdd(&degrees[v], 0ull - count); }
};

__global__ void find_least(const struct core_state state) {
  unsigned long long least = ~0ull;
  qn_grid_steps(state.out.num_vertices, [&](uint64_t v) {
    if (state.cores[v] == NOT_YET && state.degrees[v] < least)
      least = state.degrees[v];
  });
  least = qn_block_min(least);
  if (threadIdx.x == 0 && least != ~0ull)
    atomicMin(state.least, least);
}

QN_DEVICE_INLINE uint32_t core_of(uint64_t round) {
  return round < NOT_YET ? (uint32_t)round : NOT_YET - 1;
}

struct has_too_few {
  struct core_state state;
  uint64_t round;
  __device__ bool operator()(uint32_t v) const {
    if (state.cores[v] != NOT_YET || state.degrees[v] > round)
      return false;
    state.cores[v] = core_of(round);
    return true;
  }
};

/* v is removed. Who is not left has a degree that nobody asks for. */
struct lower {
  struct core_state state;
  uint64_t round;
  __device__ uint32_t send(uint32_t v, uint32_t other) const { return other != v; }
  __device__ bool gather(uint32_t *waiting, uint32_t count) const {
    return step_gather_sum(waiting, count);
  }
  __device__ bool take(uint32_t other, uint32_t count) const {
    const unsigned long long before = atomicAdd(&state.degrees[other], 0ull - count);
    if (before <= round || before - count > round)
      return false;
    state.cores[other] = core_of(round);
    return true;
  }
};

struct core_work {
  const struct qn_run_request *request;
  struct qn_cuda_memory *memory;
  struct qn_run_result *result;
  struct row_steps steps;
  struct core_state state;
};

enum qn_status create(struct core_work *work, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)work->request->view;
  struct core_state *state = &work->state;
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = graph->out.num_vertices;
  enum qn_status status = qn_run_check_units(V, graph->out.num_edges, error);
  if (!status)
    status = qn_run_fit_or_read(memory, work->request, "kcore",
                                qn_both_ways_bytes(graph) + steps_bytes(V) + 12 * V + 64,
                                qn_both_ways_edge_bytes(graph), 0, error);
  if (!status)
    status = qn_both_ways_upload(memory, graph, &state->out, &state->in, error);
  if (graph->directedness == QN_UNDIRECTED)
    memset(&state->in, 0, sizeof state->in);
  if (!status)
    status = steps_create(memory, V, &work->steps, error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->degrees, V, sizeof *state->degrees, "degrees", error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->cores, V, sizeof *state->cores, "cores", error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->least, 1, sizeof *state->least, "a degree", error);
  return status;
}

enum qn_status begin(struct core_work *work, struct qn_error *error) {
  const uint64_t V = work->state.out.num_vertices;
  QN_LAUNCH(begin_degrees, qn_run_blocks(work->memory, V), QN_QUEUE_THREADS, 0, NULL, work->state);
  enum qn_status status = steps_begin(&work->steps, V, step_everyone(), error);
  if (!status && work->state.in.num_vertices > 0)
    status = steps_add_up(&work->steps, work->state.out, drop_loops{work->state.degrees}, error);
  return status
             ? status
             : qn_row_gather(work->memory, work->state.degrees, sizeof *work->state.degrees, error);
}

/* The least degree that is left; UINT64_MAX: nobody is. */
enum qn_status next_round(struct core_work *work, uint64_t *round, struct qn_error *error) {
  const struct core_state &state = work->state;
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(state.least, 0xff, sizeof *state.least, NULL), "a round", error);
  if (status)
    return status;
  QN_LAUNCH(find_least, qn_run_blocks(work->memory, state.out.num_vertices), QN_QUEUE_THREADS, 0,
            NULL, state);
  status = qn_cuda_launched("a round", error);
  return status
             ? status
             : qn_cuda_status(cudaMemcpy(round, state.least, sizeof *round, cudaMemcpyDeviceToHost),
                              "a round", error);
}

enum qn_status peel(struct core_work *work, uint64_t round, struct qn_error *error) {
  const struct core_state &state = work->state;
  struct row_steps *steps = &work->steps;
  enum qn_status status =
      steps_begin(steps, state.out.num_vertices, has_too_few{state, round}, error);
  const auto visit = step_told(lower{state, round});
  return status ? status
                : steps_run(steps, step_along(state.out, visit), step_along(state.in, visit),
                            UINT64_MAX, error);
}

enum qn_status find_cores(struct core_work *work, struct qn_error *error) {
  uint64_t round = 0;
  enum qn_status status = begin(work, error);
  if (!status)
    status = next_round(work, &round, error);
  while (!status && round != UINT64_MAX) {
    status = peel(work, round, error);
    if (!status)
      status = next_round(work, &round, error);
  }
  return status;
}

enum qn_status finish(struct core_work *work, enum qn_status status, struct qn_error *error) {
  return qn_run_give(status, work->memory, QN_RESULT_U32, work->state.cores,
                     work->state.out.num_vertices, work->result, error);
}

enum qn_status run_one(const struct qn_run_request *request, struct qn_run_result *result,
                       struct qn_error *error) {
  return qn_run_with(request, create, find_cores, finish, result, error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_by_rows(request, true, run_one, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_kcore_directed_csr_cuda =
    QN_KCORE_DIRECTED_KERNEL("csr, both ways", QN_LAYOUT_GRAPH, QN_CUDA, run);
