/* Betweenness centrality from given sources on CSR (Brandes: A Faster Algorithm for
 * Betweenness Centrality, 2001), on a device; not normalised; parallel edges are different paths.
 *
 * A kernel of its own because it has two phases, see kernels/cpu/csr/kernel_bc.c. As there both
 * phases pull what the vertices of one level offer, so that sums of real numbers have one order
 * (edges/row_sums.cuh). A bit a vertex tells who belongs to that level: most columns do not, and
 * cost no more than that. Levels stay in one queue (edges/row_queue.cuh), with units for the longer
 * of a vertex's two rows, so the same pieces serve pushes, sums over in-edges and sums over
 * out-edges. A level that will reach most of what is left is found from below, by summing up the
 * rows of all vertices that are left.
 *
 * Bytes: each phase moves 4 of column index an edge and gathers a bit of an array that stays in L2,
 * and a random double (a sector) for each edge between neighbouring levels. */
#include "kernels/cuda/csr/both_ways.cuh"
#include "kernels/cuda/edges/row_sums.cuh"
#include "kernels/cuda/edges/run_with.cuh"
#include "kernels/cuda/standalone/bc_state.cuh"
#include "kernels/standalone_kernel.h"
#include "support/arrays/reserve.h"

extern "C" const struct qn_kernel qn_kernel_bc_csr_cuda;

namespace {

struct bc_state {
  struct qn_csr out, in;
  uint32_t *seen;           /* [V] bits: reached */
  uint32_t *level;          /* [V] bits: in the level that is summed up */
  uint32_t *next;           /* [V] bits: found from below */
  double *paths;            /* [V] of those that are reached */
  double *offer;            /* [V] of those below the level that is summed up */
  double *score;            /* [V] the result */
  double *partials;         /* [units of a level] */
  struct qn_unit_queue all; /* [V] all levels, one after the other; units count from each level's
                               beginning */
  qn_queue_size *size;      /* of the level that is being found */
  qn_queue_size *open;      /* of the queue of all that are left */
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
  state.paths[source] = 1;
  state.seen[source / 32] = state.level[source / 32] = 1u << (source % 32);
  state.all.vertices[0] = source;
  state.all.units[0] = 0;
  *state.size = (qn_queue_size)units_of_vertex(state, source) << 32 | 1u;
}

/* Find the next level: its vertices go behind the current level's. */
__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    find_level(const struct bc_state state, const struct bc_level level) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  QN_SHARED(qn_queue_size, base, 1);
  struct qn_unit_tile *tile = tiles;
  const struct qn_unit_queue queue = level_queue(state, level.begin);
  const struct qn_unit_queue next = level_queue(state, level.begin + level.count);
  qn_unit_tiles(level.units, [&](uint32_t first, uint32_t units) {
    const uint32_t loaded = qn_unit_load(queue, level.count, state.out.row_offsets, first, tile);
    struct qn_unit_columns unit = {};
    if (threadIdx.x < units)
      unit = qn_unit_columns(tile, qn_unit_entry(tile, loaded, threadIdx.x), threadIdx.x,
                             state.out.column_indices);
    uint32_t its_units[QN_UNIT_EDGES];
    qn_queue_size found = 0, total;
    QN_UNROLL
    for (uint32_t i = 0; i < QN_UNIT_EDGES; i++)
      its_units[i] = i < unit.count && !qn_bit_has(state.seen, unit.columns[i]);
    QN_UNROLL
    for (uint32_t i = 0; i < QN_UNIT_EDGES; i++)
      if (its_units[i] && (its_units[i] = qn_bit_insert(state.seen, unit.columns[i]))) {
        its_units[i] = units_of_vertex(state, unit.columns[i]);
        found += (qn_queue_size)its_units[i] << 32 | 1u;
      }
    qn_queue_size place = qn_block_scan(found, &total);
    if (threadIdx.x == 0)
      base[0] = total ? atomicAdd(state.size, total) : 0;
    __syncthreads();
    place += base[0];
    QN_UNROLL
    for (uint32_t i = 0; i < QN_UNIT_EDGES; i++)
      if (its_units[i]) {
        next.vertices[qn_queue_entries(place)] = unit.columns[i];
        next.units[qn_queue_entries(place)] = qn_queue_units(place);
        place += (qn_queue_size)its_units[i] << 32 | 1u;
      }
    __syncthreads();
  });
}

QN_DEVICE_INLINE struct qn_unit_sums queue_sums(const struct bc_state &state, uint32_t begin,
                                                qn_queue_size size) {
  struct qn_unit_sums sums = {level_queue(state, begin), qn_queue_entries(size),
                              qn_queue_units(size), state.partials};
  return sums;
}

QN_DEVICE_INLINE struct qn_unit_sums level_sums(const struct bc_state &state,
                                                const struct bc_level &level) {
  return queue_sums(state, level.begin, (qn_queue_size)level.units << 32 | level.count);
}

/* Sums over the rows of `csr` of what `values` has for the level. */
template <class Visit>
QN_DEVICE_INLINE void sum_tiles(const struct bc_state &state, const struct qn_unit_sums &sums,
                                const struct qn_csr &csr, const double *values, Visit visit) {
  qn_unit_sum_tiles(
      sums, csr, [&](uint32_t v) { return qn_bit_has(state.level, v); },
      [&](uint32_t v) { return values[v]; }, visit);
}

/* The paths to a level that was found from above. */
struct take_paths {
  const struct bc_state &state;
  __device__ void operator()(uint32_t v, double sum) const { state.paths[v] = sum; }
};

__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    count_tiles(const struct bc_state state, const struct bc_level level) {
  sum_tiles(state, level_sums(state, level), state.in, state.paths, take_paths{state});
}

__global__ void count_rest(const struct bc_state state, const struct bc_level level) {
  qn_unit_sum_rest(level_sums(state, level), take_paths{state});
}

/* Queue all that are left, behind the level; in-edges alone count. */
__global__ void queue_open(const struct bc_state state, uint32_t begin) {
  const uint64_t *offsets = state.in.row_offsets;
  qn_block_steps(state.in.num_vertices, [&](uint64_t v, bool there) {
    const bool is_open = there && !qn_bit_has(state.seen, (uint32_t)v);
    const uint32_t units = is_open ? qn_units_of(offsets[v + 1] - offsets[v]) : 0;
    if (__syncthreads_or(units > 0))
      qn_queue_put(level_queue(state, begin), state.open, units, (uint32_t)v);
  });
}

/* Whoever has a path through the level is in the next. */
struct take_found {
  const struct bc_state &state;
  __device__ void operator()(uint32_t v, double sum) const {
    if (sum > 0) {
      state.paths[v] = sum;
      qn_bit_insert(state.next, v);
    }
  }
};

__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    search_tiles(const struct bc_state state, uint32_t begin) {
  sum_tiles(state, queue_sums(state, begin, *state.open), state.in, state.paths, take_found{state});
}

__global__ void search_rest(const struct bc_state state, uint32_t begin) {
  qn_unit_sum_rest(queue_sums(state, begin, *state.open), take_found{state});
}

/* The next level's vertices take the place of the queue of those that were left. */
__global__ void queue_found(const struct bc_state state, uint32_t begin) {
  qn_block_steps(state.in.num_vertices, [&](uint64_t v, bool there) {
    const bool found = there && qn_bit_has(state.next, (uint32_t)v);
    if (!__syncthreads_or(found))
      return;
    if (found)
      qn_bit_insert(state.seen, (uint32_t)v);
    qn_queue_put(level_queue(state, begin), state.size,
                 found ? units_of_vertex(state, (uint32_t)v) : 0, (uint32_t)v);
  });
}

__global__ void leave_level(const struct bc_state state, const struct bc_level level) {
  const uint32_t *vertices = level_queue(state, level.begin).vertices;
  qn_grid_steps(level.count, [&](uint64_t i) { state.level[vertices[i] / 32] = 0; });
}

__global__ void enter_level(const struct bc_state state, const struct bc_level level) {
  const uint32_t *vertices = level_queue(state, level.begin).vertices;
  qn_grid_steps(level.count, [&](uint64_t i) { qn_bit_insert(state.level, vertices[i]); });
}

/* What the level below offers is known. */
struct take_shares {
  const struct bc_state &state;
  uint32_t source;
  __device__ void operator()(uint32_t v, double sum) const {
    const double paths = state.paths[v], share = paths * sum;
    if (v != source)
      state.score[v] += share;
    state.offer[v] = (1 + share) / paths;
  }
};

__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    share_tiles(const struct bc_state state, const struct bc_level level, uint32_t source) {
  sum_tiles(state, level_sums(state, level), state.out, state.offer, take_shares{state, source});
}

__global__ void share_rest(const struct bc_state state, const struct bc_level level,
                           uint32_t source) {
  qn_unit_sum_rest(level_sums(state, level), take_shares{state, source});
}

/* The deepest level. */
__global__ void offer_alone(const struct bc_state state, const struct bc_level level) {
  const uint32_t *vertices = level_queue(state, level.begin).vertices;
  qn_grid_steps(level.count,
                [&](uint64_t i) { state.offer[vertices[i]] = 1 / state.paths[vertices[i]]; });
}

struct bc_work {
  const struct qn_run_request *request;
  struct qn_cuda_memory *memory;
  struct qn_run_result *result;
  struct bc_state state;
  struct bc_level *levels; /* of this source, on the host */
  uint64_t capacity;
  uint32_t num_levels;
  qn_queue_size *found; /* pinned */
};

enum qn_status append_level(struct bc_work *work, const struct bc_level *level,
                            struct qn_error *error) {
  enum qn_status status = qn_reserve(&work->levels, &work->capacity, work->num_levels + 1,
                                     sizeof *work->levels, "levels", error);
  if (!status)
    work->levels[work->num_levels++] = *level;
  return status;
}

/* Wait for the level that is being found and read its size. */
enum qn_status read_size(struct bc_work *work, struct bc_level *level, struct qn_error *error) {
  enum qn_status status = qn_cuda_launched("searching", error);
  if (!status)
    status = qn_cuda_status(cudaMemcpyAsync(work->found, work->state.size, sizeof *work->found,
                                            cudaMemcpyDeviceToHost, NULL),
                            "reading counters", error);
  if (!status)
    status = qn_cuda_status(cudaStreamSynchronize(NULL), "searching", error);
  if (!status) {
    level->count = qn_queue_entries(*work->found);
    level->units = qn_queue_units(*work->found);
  }
  return status;
}

#define LAUNCH_LEVEL(kernel, items, ...)                                                           \
  QN_LAUNCH(kernel, qn_run_blocks(work->memory, items), QN_QUEUE_THREADS, 0, NULL, work->state,    \
            __VA_ARGS__)

enum qn_status clear_bits(struct bc_work *work, uint32_t *bits, struct qn_error *error) {
  const uint64_t words = (work->state.out.num_vertices + 31) / 32;
  return qn_cuda_status(cudaMemsetAsync(bits, 0, words * sizeof *bits, NULL), "clearing bits",
                        error);
}

enum qn_status clear_size(qn_queue_size *size, struct qn_error *error) {
  return qn_cuda_status(cudaMemsetAsync(size, 0, sizeof *size, NULL), "clearing counters", error);
}

/* From above, by the level's rows; then the found sum up theirs. */
enum qn_status push_level(struct bc_work *work, const struct bc_level *level, struct bc_level *next,
                          struct qn_error *error) {
  LAUNCH_LEVEL(find_level, level->units, *level);
  enum qn_status status = read_size(work, next, error);
  if (status || next->count == 0)
    return status;
  LAUNCH_LEVEL(count_tiles, next->units, *next);
  LAUNCH_LEVEL(count_rest, next->count, *next);
  LAUNCH_LEVEL(leave_level, level->count, *level);
  LAUNCH_LEVEL(enter_level, next->count, *next);
  return qn_cuda_launched("counting paths", error);
}

/* From below, by the rows of all that are left. */
enum qn_status pull_level(struct bc_work *work, struct bc_level *next, struct qn_error *error) {
  struct bc_state *state = &work->state;
  const uint64_t num_vertices = state->in.num_vertices;
  enum qn_status status = clear_bits(work, state->next, error);
  if (!status)
    status = clear_size(state->open, error);
  if (status)
    return status;
  LAUNCH_LEVEL(queue_open, num_vertices, next->begin);
  LAUNCH_LEVEL(search_tiles, num_vertices + state->in.num_edges / QN_UNIT_EDGES, next->begin);
  LAUNCH_LEVEL(search_rest, num_vertices, next->begin);
  LAUNCH_LEVEL(queue_found, num_vertices, next->begin);
  uint32_t *left = state->level;
  state->level = state->next;
  state->next = left;
  return read_size(work, next, error);
}

/* Do so many edges lead on that those that are left had better look for them? */
bool had_better_pull(const struct bc_work *work, const struct bc_level *level) {
  const uint64_t left = work->state.in.num_vertices - level->begin - level->count;
  return (uint64_t)level->units * QN_UNIT_EDGES > left;
}

/* Forwards: the levels, and how many shortest paths lead to each vertex. */
enum qn_status count_paths(struct bc_work *work, uint32_t source, struct qn_error *error) {
  struct bc_state *state = &work->state;
  struct bc_level level = {0, 0, 0};
  work->num_levels = 0;
  enum qn_status status = clear_bits(work, state->seen, error);
  if (!status)
    status = clear_bits(work, state->level, error);
  if (status)
    return status;
  QN_LAUNCH(begin_source, 1, 1, 0, NULL, *state, source);
  status = read_size(work, &level, error);
  while (!status && level.count > 0) {
    struct bc_level next = {level.begin + level.count, 0, 0};
    status = append_level(work, &level, error);
    if (!status)
      status = clear_size(state->size, error);
    if (!status)
      status = had_better_pull(work, &level) ? pull_level(work, &next, error)
                                             : push_level(work, &level, &next, error);
    level = next;
  }
  return status;
}

/* Backwards. No vertex is in `level`, or those of the deepest level are. */
enum qn_status spread_shares(struct bc_work *work, uint32_t source, struct qn_error *error) {
  uint32_t depth = work->num_levels - 1;
  enum qn_status status = clear_bits(work, work->state.level, error);
  if (status)
    return status;
  LAUNCH_LEVEL(offer_alone, work->levels[depth].count, work->levels[depth]);
  while (depth-- > 0) {
    const struct bc_level level = work->levels[depth], below = work->levels[depth + 1];
    LAUNCH_LEVEL(enter_level, below.count, below);
    LAUNCH_LEVEL(share_tiles, level.units, level, source);
    LAUNCH_LEVEL(share_rest, level.count, level, source);
    LAUNCH_LEVEL(leave_level, below.count, below);
  }
  return qn_cuda_launched("spreading shares", error);
}

/* A level's units are those of the longer rows: at most the sum over both directions. */
uint64_t most_units(const struct qn_graph *graph) {
  return (qn_both_ways_alike(graph) ? 1 : 2) * (graph->out.num_edges / QN_UNIT_EDGES) +
         graph->out.num_vertices + 1;
}

/* Memory for a run. */
uint64_t needed_bytes(const struct qn_graph *graph) {
  const uint64_t V = graph->out.num_vertices;
  return qn_both_ways_bytes(graph) + (3 * 8 + 8) * V + 3 * (V / 8 + 4) + /* values, queue, bits */
         8 * most_units(graph) + 64;                                     /* sums */
}

enum qn_status create(struct bc_work *work, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)work->request->view;
  struct bc_state *state = &work->state;
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = graph->out.num_vertices;
  enum qn_status status = qn_run_check_units(V, 2 * graph->out.num_edges, error);
  if (!status)
    status = qn_run_fit_or_read(memory, work->request, "bc", needed_bytes(graph),
                                qn_both_ways_edge_bytes(graph), 0, error);
  if (!status)
    status = qn_both_ways_upload(memory, graph, &state->out, &state->in, error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &state->score, V, sizeof *state->score, "scores", error);
  double **arrays[] = {&state->paths, &state->offer};
  for (int i = 0; i < 2 && !status; i++)
    status = qn_cuda_alloc(memory, arrays[i], V, sizeof(double), "vertex values", error);
  uint32_t **bits[] = {&state->seen, &state->level, &state->next};
  for (int i = 0; i < 3 && !status; i++)
    status = qn_cuda_alloc(memory, bits[i], (V + 31) / 32, sizeof(uint32_t), "bits", error);
  if (!status)
    status =
        qn_cuda_alloc(memory, &state->partials, most_units(graph), sizeof(double), "sums", error);
  if (!status)
    status = qn_run_queue(memory, V, &state->all, error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &state->size, 2, sizeof *state->size, "counters", error);
  state->open = state->size + 1;
  if (!status)
    status = qn_cuda_status(
        cudaHostAlloc((void **)&work->found, sizeof *work->found, cudaHostAllocDefault),
        "allocating pinned memory", error);
  return status;
}

enum qn_status add_sources_up(struct bc_work *work, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  const uint64_t V = work->state.out.num_vertices;
  enum qn_status status = bc_resume(request, work->memory, work->state.score, V, error);
  for (uint64_t i = qn_state_iterations(request); i < request->inputs.num_sources && !status; i++) {
    status = count_paths(work, request->inputs.sources[i], error);
    if (!status)
      status = spread_shares(work, request->inputs.sources[i], error);
    if (!status && i + 1 < request->inputs.num_sources)
      status = bc_keep(request, work->memory, i + 1, work->state.score, V, error);
  }
  return status;
}

enum qn_status finish(struct bc_work *work, enum qn_status status, struct qn_error *error) {
  if (work->found)
    cudaFreeHost(work->found);
  qn_free(work->levels);
  status = qn_run_give(status, work->memory, QN_RESULT_F64, work->state.score,
                       work->state.out.num_vertices, work->result, error);
  work->result->stats.iterations = work->request->inputs.num_sources;
  return status;
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_with(request, create, add_sources_up, finish, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_bc_csr_cuda =
    QN_BC_KERNEL("csr Brandes pull", QN_LAYOUT_GRAPH, QN_CUDA, 0, run);
