/* Betweenness centrality from given sources on CSR (Brandes: A Faster Algorithm for
 * Betweenness Centrality, 2001), on a device; not normalised; parallel edges are different paths.
 *
 * A kernel of its own because it has two phases, see kernels/cpu/csr/kernel_bc.c. As there both
 * phases pull what the vertices of one level `offer`, 0 elsewhere, so that sums of real numbers
 * have one order. Levels stay in one queue (edges/row_queue.cuh), with units for the longer of a
 * vertex's two rows, so the same pieces serve pushes, sums over in-edges and sums over out-edges
 * (edges/row_sums.cuh).
 *
 * Bytes: each phase moves 4 bytes of column index and one random double (a sector of L2) an edge.
 */
#include "kernels/cuda/csr/both_ways.cuh"
#include "kernels/cuda/edges/row_sums.cuh"
#include "kernels/cuda/edges/run_device.cuh"
#include "kernels/cuda/own/bc_state.cuh"
#include "kernels/own_kernel.h"
#include "kernels/own_state.h"

extern "C" const struct qn_kernel qn_kernel_bc_csr_cuda;

namespace {

struct bc_state {
  struct qn_csr out, in;
  uint32_t *levels;         /* [V] UINT32_MAX: not reached */
  double *paths;            /* [V] */
  double *offer;            /* [V] zero but for one level's vertices */
  double *share;            /* [V] */
  double *score;            /* [V] the result */
  double *partials;         /* [units of a level] */
  struct qn_unit_queue all; /* [V] all levels, one after the other; units count from each level's
                               beginning */
  qn_queue_size *size;      /* of the level that is being found */
};

/* A level in the queue. */
struct bc_level {
  uint32_t begin, count, units;
};

QN_DEVICE_INLINE struct qn_unit_queue level_queue(const struct bc_state &state, uint32_t begin) {
  struct qn_unit_queue queue = {state.all.vertices + begin, state.all.units + begin};
  return queue;
}

QN_DEVICE_INLINE uint32_t units_of_vertex(const struct bc_state &state, uint32_t v) {
  const uint64_t leaving = state.out.row_offsets[v + 1] - state.out.row_offsets[v];
  const uint64_t arriving = state.in.row_offsets[v + 1] - state.in.row_offsets[v];
  const uint32_t units = qn_units_of(leaving > arriving ? leaving : arriving);
  return units ? units : 1;
}

__global__ void begin_source(const struct bc_state state, uint32_t source) {
  qn_grid_steps(state.out.num_vertices, [&](uint64_t v) {
    state.levels[v] = v == source ? 0 : UINT32_MAX;
    state.paths[v] = state.offer[v] = v == source ? 1 : 0;
    if (v == source) {
      state.all.vertices[0] = source;
      state.all.units[0] = 0;
      *state.size = (qn_queue_size)units_of_vertex(state, source) << 32 | 1u;
    }
  });
}

/* Find the next level: its vertices go behind the current level's. */
__global__ void find_level(const struct bc_state state, const struct bc_level level,
                           uint32_t depth) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  struct qn_unit_tile *tile = tiles;
  const struct qn_unit_queue queue = level_queue(state, level.begin);
  const struct qn_unit_queue next = level_queue(state, level.begin + level.count);
  qn_unit_tiles(level.units, [&](uint32_t first, uint32_t units) {
    const uint32_t loaded = qn_unit_load(queue, level.count, state.out.row_offsets, first, tile);
    for (uint32_t unit = threadIdx.x / QN_UNIT_EDGES; unit < QN_TILE_UNITS;
         unit += QN_QUEUE_THREADS / QN_UNIT_EDGES) {
      uint32_t target = 0;
      bool found = false;
      if (unit < units) {
        const uint32_t entry = qn_unit_entry(tile, loaded, unit);
        const uint64_t edge = qn_unit_edge(tile, entry, unit);
        if (edge < tile->ends[entry]) {
          target = __ldcs(&state.out.column_indices[edge]);
          found = __ldcg(&state.levels[target]) == UINT32_MAX &&
                  atomicCAS(&state.levels[target], UINT32_MAX, depth) == UINT32_MAX;
        }
      }
      if (__syncthreads_or(found))
        qn_queue_put(next, state.size, found ? units_of_vertex(state, target) : 0, target);
    }
    __syncthreads();
  });
}

QN_DEVICE_INLINE struct qn_unit_sums level_sums(const struct bc_state &state,
                                                const struct bc_level &level) {
  struct qn_unit_sums sums = {level_queue(state, level.begin), level.count, level.units,
                              state.partials};
  return sums;
}

/* What a level's vertices are offered along the rows of `csr`. */
__global__ void sum_units(const struct bc_state state, const struct qn_csr csr,
                          const struct bc_level level) {
  qn_unit_sum_pieces(level_sums(state, level), csr, state.offer);
}

__global__ void take_paths(const struct bc_state state, const struct bc_level level) {
  qn_unit_sum_rows(level_sums(state, level), [&](uint32_t v, double sum) { state.paths[v] = sum; });
}

__global__ void take_shares(const struct bc_state state, const struct bc_level level,
                            bool has_below, uint32_t source) {
  qn_unit_sum_rows(level_sums(state, level), [&](uint32_t v, double sum) {
    state.share[v] = has_below ? state.paths[v] * sum : 0;
    if (v != source)
      state.score[v] += state.share[v];
  });
}

__global__ void clear_offers(const struct bc_state state, const struct bc_level level) {
  const struct qn_unit_queue queue = level_queue(state, level.begin);
  qn_grid_steps(level.count, [&](uint64_t i) { state.offer[queue.vertices[i]] = 0; });
}

__global__ void offer_paths(const struct bc_state state, const struct bc_level level) {
  const struct qn_unit_queue queue = level_queue(state, level.begin);
  qn_grid_steps(level.count, [&](uint64_t i) {
    state.offer[queue.vertices[i]] = state.paths[queue.vertices[i]];
  });
}

__global__ void offer_shares(const struct bc_state state, const struct bc_level level) {
  const struct qn_unit_queue queue = level_queue(state, level.begin);
  qn_grid_steps(level.count, [&](uint64_t i) {
    const uint32_t v = queue.vertices[i];
    state.offer[v] = (1 + state.share[v]) / state.paths[v];
  });
}

struct bc_work {
  struct qn_cuda_memory *memory;
  struct bc_state state;
  struct bc_level *levels; /* of this source, on the host */
  uint32_t num_levels, capacity;
  qn_queue_size *seen; /* pinned */
};

enum qn_status append_level(struct bc_work *work, const struct bc_level *level,
                            struct qn_error *error) {
  if (work->num_levels == work->capacity) {
    const uint32_t capacity = work->capacity ? 2 * work->capacity : 64;
    enum qn_status status =
        qn_realloc(&work->levels, capacity, sizeof *work->levels, "levels", error);
    if (status)
      return status;
    work->capacity = capacity;
  }
  work->levels[work->num_levels++] = *level;
  return QN_OK;
}

/* Wait for the level that is being found and read its size. */
enum qn_status read_size(struct bc_work *work, struct qn_error *error) {
  enum qn_status status = qn_cuda_launched("searching", error);
  if (!status)
    status = qn_cuda_status(cudaMemcpyAsync(work->seen, work->state.size, sizeof *work->seen,
                                            cudaMemcpyDeviceToHost, NULL),
                            "reading counters", error);
  if (!status)
    status = qn_cuda_status(cudaStreamSynchronize(NULL), "searching", error);
  return status;
}

#define LAUNCH_LEVEL(kernel, items, ...)                                                           \
  QN_LAUNCH(kernel, qn_run_blocks(work->memory, items), QN_QUEUE_THREADS, 0, NULL, work->state,    \
            __VA_ARGS__)

/* Forwards: the levels, and how many shortest paths lead to each vertex. */
enum qn_status count_paths(struct bc_work *work, uint32_t source, struct qn_error *error) {
  work->num_levels = 0;
  LAUNCH_LEVEL(begin_source, work->state.out.num_vertices, source);
  enum qn_status status = read_size(work, error);
  struct bc_level level = {0, 1, qn_queue_units(*work->seen)};
  while (!status) {
    status = append_level(work, &level, error);
    if (!status)
      status = qn_cuda_status(cudaMemsetAsync(work->state.size, 0, sizeof *work->state.size, NULL),
                              "clearing counters", error);
    if (status)
      break;
    LAUNCH_LEVEL(find_level, (uint64_t)level.units * QN_UNIT_EDGES, level, work->num_levels);
    status = read_size(work, error);
    const struct bc_level above = level;
    level.begin += level.count;
    level.count = qn_queue_entries(*work->seen);
    level.units = qn_queue_units(*work->seen);
    if (status || level.count == 0)
      break;
    LAUNCH_LEVEL(sum_units, (uint64_t)level.units * QN_UNIT_EDGES, work->state.in, level);
    LAUNCH_LEVEL(take_paths, (uint64_t)level.count * 32, level);
    LAUNCH_LEVEL(clear_offers, above.count, above);
    LAUNCH_LEVEL(offer_paths, level.count, level);
    status = qn_cuda_launched("counting paths", error);
  }
  return status;
}

/* Backwards. On entry the deepest level still offers its paths; it has no share of its own. */
enum qn_status spread_shares(struct bc_work *work, uint32_t source, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t depth = work->num_levels; depth-- > 0 && !status;) {
    const struct bc_level level = work->levels[depth];
    const bool has_below = depth + 1 < work->num_levels;
    LAUNCH_LEVEL(sum_units, (uint64_t)level.units * QN_UNIT_EDGES, work->state.out, level);
    LAUNCH_LEVEL(take_shares, (uint64_t)level.count * 32, level, has_below, source);
    const struct bc_level offering = has_below ? work->levels[depth + 1] : level;
    LAUNCH_LEVEL(clear_offers, offering.count, offering);
    LAUNCH_LEVEL(offer_shares, level.count, level);
    status = qn_cuda_launched("spreading shares", error);
  }
  return status;
}

/* Device memory for a run. */
uint64_t needed_bytes(const struct qn_graph *graph) {
  const uint64_t V = graph->out.num_vertices, E = graph->out.num_edges;
  return qn_both_ways_bytes(graph) + (4 + 4 * 8 + 8) * V + /* levels, values, queue */
         8 * (2 * (E / QN_UNIT_EDGES) + V + 1);            /* sums */
}

enum qn_status create(struct bc_work *work, const struct qn_graph *graph, struct qn_error *error) {
  struct bc_state *state = &work->state;
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = graph->out.num_vertices;
  /* A level's units are those of the longer rows: at most the sum over both directions. */
  const uint64_t units = 2 * (graph->out.num_edges / QN_UNIT_EDGES) + V + 1;
  enum qn_status status = qn_run_check_units(V, 2 * graph->out.num_edges, error);
  if (!status)
    status = qn_run_must_fit(memory, "bc", needed_bytes(graph), error);
  if (!status)
    status = qn_both_ways_upload(memory, graph, &state->out, &state->in, error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->levels, V, sizeof *state->levels, "levels", error);
  double **arrays[] = {&state->paths, &state->offer, &state->share, &state->score};
  for (int i = 0; i < 4 && !status; i++)
    status = qn_cuda_alloc_zeroed(memory, arrays[i], V, sizeof(double), "vertex values", error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->partials, units, sizeof(double), "sums", error);
  if (!status)
    status = qn_run_queue(memory, V, &state->all, error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &state->size, 1, sizeof *state->size, "counters", error);
  if (!status)
    status = qn_cuda_status(
        cudaHostAlloc((void **)&work->seen, sizeof *work->seen, cudaHostAllocDefault),
        "allocating pinned memory", error);
  return status;
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  struct qn_cuda_memory memory;
  struct bc_work work;
  memset(&work, 0, sizeof work);
  memset(result, 0, sizeof *result);
  work.memory = &memory;
  const uint64_t num_vertices = graph->out.num_vertices;
  auto prepare = [&](struct qn_error *failure) { return create(&work, graph, failure); };
  auto algorithm = [&](struct qn_error *failure) {
    enum qn_status status = bc_resume(request, &memory, work.state.score, num_vertices, failure);
    for (uint64_t i = qn_own_iterations(request); i < request->num_sources && !status; i++) {
      status = count_paths(&work, request->sources[i], failure);
      if (!status)
        status = spread_shares(&work, request->sources[i], failure);
      if (!status && i + 1 < request->num_sources)
        status = bc_keep(request, &memory, i + 1, work.state.score, num_vertices, failure);
    }
    return status;
  };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    result->iterations = request->num_sources;
    result->converged = true;
    if (work.seen)
      cudaFreeHost(work.seen);
    qn_free(work.levels);
    return status ? status
                  : qn_run_download(&memory, QN_RESULT_F64, work.state.score, num_vertices, result,
                                    failure);
  };
  return qn_run_whole(request, &memory, prepare, algorithm, finish, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_bc_csr_cuda =
    QN_BC_KERNEL("csr Brandes pull", QN_LAYOUT_GRAPH, QN_CUDA, 0, run);
