/* Breadth-first search from several sources on CSR, 64 at a time, on a device: what
 * kernels/cpu/csr/kernel_multi_source_bfs.c says, byte for byte. A vertex has a bit for each
 * search, so that one walk over an edge serves all that have come to it (Then and others: The More
 * the Merrier, VLDB 2014). Only vertices that something came to push; where these have many edges,
 * those that not all searches have been to pull, until all have come.
 *
 * Hops are kept as bits, too: of a vertex and each bit of a level's number, a word of the searches
 * that came in such levels. At the end they are turned to columns, as many at a time as there is
 * room for.
 *
 * Bytes: an edge moves 4 of column index and a word of searches at its end, a sector of L2; a
 * vertex 8 for each set bit of the levels that something comes in, and 4 a search at the end.
 *
 * A kernel of its own because it has a value for every source and vertex. */
#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/row_steps.cuh"
#include "kernels/cuda/edges/run_with.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_multi_source_bfs_csr_cuda;

#define SEARCHES 64
/* An edge that is pushed along takes as long as so many that are pulled along, most of which are
 * never looked at. */
#define PUSH_COST 2
/* Fewer edges than vertices in so many are pushed along: a pull goes through all vertices. */
#define FEW_EDGES 4
/* Rows of so many edges are pulled along by a warp, and of so many by a block. */
#define LONG_ROW 32
#ifndef HUB_ROW
#define HUB_ROW (8 * QN_QUEUE_THREADS)
#endif
#define LEVEL_BITS 32
/* Bits of levels that room is kept for; there are more where searches go deeper. */
#define LIKELY_BITS 8

namespace {

typedef unsigned long long search_set;

struct place {
  search_set seen, next; /* have been here, come next */
};

struct search_counters {
  unsigned long long edges; /* out-edges of vertices that something came to */
  unsigned long long open;  /* in-edges of those that not all have been to */
};

struct search_state {
  struct qn_csr out, in;
  struct place *places; /* [V] */
  search_set *fresh;    /* [V] came now */
  search_set all;       /* of the batch */
  struct search_counters *counters;
  const uint32_t *hubs; /* [num_hubs] vertices with long rows of in-edges */
  uint32_t num_hubs;
};

/* Of each bit of a level: the searches that came in levels with it, by vertex. */
struct hop_bits {
  search_set *of[LEVEL_BITS]; /* [V] */
  uint32_t count;
};

QN_DEVICE_INLINE search_set warp_union(search_set set) {
  for (int step = 16; step > 0; step /= 2)
    set |= __shfl_xor_sync(QN_FULL_WARP, set, step);
  return set;
}

/* The union over the block, in every thread. */
QN_DEVICE_INLINE search_set block_union(search_set set) {
  QN_SHARED(search_set, parts, QN_MAX_WARPS);
  set = warp_union(set);
  if (qn_lane() == 0)
    parts[qn_warp()] = set;
  __syncthreads();
  for (unsigned warp = 0; warp < blockDim.x / 32; warp++)
    set |= parts[warp];
  __syncthreads();
  return set;
}

/* ---- Levels ------------------------------------------------------------------------------- */

__global__ void begin_searches(const struct search_state state, const uint32_t *sources,
                               uint32_t num_sources, const struct step_list list) {
  const bool there = threadIdx.x < num_sources;
  const uint32_t v = there ? sources[threadIdx.x] : 0;
  const bool is_first = there && atomicOr(&state.places[v].next, (search_set)1 << threadIdx.x) == 0;
  step_put(list, is_first, v);
}

struct push_searches {
  const search_set *fresh;
  struct place *places;
  __device__ bool operator()(uint32_t v, uint32_t other) const {
    struct place *place = &places[other];
    const search_set come = fresh[v] & ~place->seen;
    return come & ~__ldcg(&place->next) && atomicOr(&place->next, come) == 0;
  }
};

/* Which searches are fresh at the ends of a row's edges, by a warp; no more are looked for when
 * all of `open` are found. */
QN_DEVICE_INLINE search_set pull_by_warp(const struct search_state &state, uint64_t begin,
                                         uint64_t end, search_set open) {
  search_set found = 0;
  for (uint64_t first = begin; first < end && open & ~found; first += 4 * 32) {
    for (uint64_t edge = first + qn_lane(); edge < end && edge < first + 4 * 32; edge += 32)
      found |= state.fresh[state.in.column_indices[edge]];
    found = warp_union(found);
  }
  return found;
}

QN_DEVICE_INLINE search_set pull_by_thread(const struct search_state &state, uint64_t begin,
                                           uint64_t end, search_set open) {
  search_set found = 0;
  for (uint64_t edge = begin; edge < end && open & ~found; edge++)
    found |= state.fresh[state.in.column_indices[edge]];
  return found;
}

/* All rows but the hubs'. The lanes of a warp bring a row each. */
__global__ void pull_rows(const struct search_state state, const struct step_list next) {
  unsigned long long open_edges = 0;
  qn_block_steps(state.in.num_vertices, [&](uint64_t v, bool there) {
    const search_set open = there ? state.all & ~state.places[v].seen : 0;
    const uint64_t begin = open ? state.in.row_offsets[v] : 0;
    uint64_t end = open ? state.in.row_offsets[v + 1] : 0;
    if (end - begin >= HUB_ROW)
      end = begin;
    const bool is_long = end - begin >= LONG_ROW;
    search_set come = is_long ? 0 : pull_by_thread(state, begin, end, open);
    for (unsigned left = __ballot_sync(QN_FULL_WARP, is_long); left; left &= left - 1) {
      const int owner = __ffs((int)left) - 1;
      const uint64_t first = __shfl_sync(QN_FULL_WARP, begin, owner);
      const uint64_t last = __shfl_sync(QN_FULL_WARP, end, owner);
      const search_set found =
          pull_by_warp(state, first, last, __shfl_sync(QN_FULL_WARP, open, owner));
      if ((int)qn_lane() == owner)
        come = found;
    }
    come &= open;
    if (come)
      state.places[v].next = come;
    open_edges += come != open ? end - begin : 0;
    step_put(next, come != 0, (uint32_t)v);
  });
  open_edges = qn_block_sum(open_edges);
  if (threadIdx.x == 0 && open_edges > 0)
    atomicAdd(&state.counters->open, open_edges);
}

/* A block a hub. */
__global__ void pull_hubs(const struct search_state state, const struct step_list next) {
  for (uint32_t i = blockIdx.x; i < state.num_hubs; i += gridDim.x) {
    const uint32_t v = state.hubs[i];
    const search_set open = state.all & ~state.places[v].seen;
    const uint64_t begin = state.in.row_offsets[v], end = state.in.row_offsets[v + 1];
    search_set found = 0;
    for (uint64_t first = begin; first < end && open & ~found; first += 4 * blockDim.x) {
      for (uint64_t edge = first + threadIdx.x; edge < end && edge < first + 4 * blockDim.x;
           edge += blockDim.x)
        found |= state.fresh[state.in.column_indices[edge]];
      found = block_union(found);
    }
    if (threadIdx.x > 0)
      continue;
    if (found & open) {
      state.places[v].next = found & open;
      next.vertices[atomicAdd(next.count, 1u)] = v;
    }
    if (open & ~found)
      atomicAdd(&state.counters->open, (unsigned long long)(end - begin));
  }
}

__global__ void forget_fresh(const struct search_state state, const struct step_list list) {
  qn_grid_steps(*list.count, [&](uint64_t i) { state.fresh[list.vertices[i]] = 0; });
}

/* What was to come next, to the vertices of the list, is there. */
__global__ void arrive(const struct search_state state, const struct hop_bits bits,
                       const struct step_list list, uint32_t level) {
  unsigned long long edges = 0;
  qn_grid_steps(*list.count, [&](uint64_t i) {
    const uint32_t v = list.vertices[i];
    const search_set come = state.places[v].next;
    state.places[v].next = 0;
    state.places[v].seen |= come;
    state.fresh[v] = come;
    for (uint32_t left = level; left; left &= left - 1)
      bits.of[__ffs((int)left) - 1][v] |= come;
    edges += state.out.row_offsets[v + 1] - state.out.row_offsets[v];
  });
  edges = qn_block_sum(edges);
  if (threadIdx.x == 0 && edges > 0)
    atomicAdd(&state.counters->edges, edges);
}

/* Columns of `count` searches from `first` on. */
__global__ void make_columns(const struct search_state state, const struct hop_bits bits,
                             uint32_t first, uint32_t count, uint32_t *columns) {
  const uint64_t num_vertices = state.out.num_vertices;
  qn_grid_steps(num_vertices, [&](uint64_t v) {
    const search_set seen = state.places[v].seen;
    search_set planes[LIKELY_BITS];
    QN_UNROLL
    for (uint32_t bit = 0; bit < LIKELY_BITS; bit++)
      planes[bit] = bit < bits.count ? bits.of[bit][v] : 0;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t hops = 0;
      QN_UNROLL
      for (uint32_t bit = 0; bit < LIKELY_BITS; bit++)
        hops |= (uint32_t)(planes[bit] >> (first + i) & 1) << bit;
      for (uint32_t bit = LIKELY_BITS; bit < bits.count; bit++)
        hops |= (uint32_t)(bits.of[bit][v] >> (first + i) & 1) << bit;
      columns[i * num_vertices + v] = seen >> (first + i) & 1 ? hops : UINT32_MAX;
    }
  });
}

struct has_long_row {
  const uint64_t *row_offsets;
  __device__ bool operator()(uint32_t v) const {
    return row_offsets[v + 1] - row_offsets[v] >= HUB_ROW;
  }
};

/* ---- The host's side ---------------------------------------------------------------------- */

struct searches {
  const struct qn_run_request *request;
  struct qn_cuda_memory *memory;
  struct qn_run_result *result;
  struct row_steps steps;
  struct search_state state;
  bool has_in; /* there are in-edges to pull along */
  struct hop_bits bits;
  uint64_t num_vertices, num_edges;
  struct search_counters counters; /* as the host knows them */
  uint32_t *sources;               /* [SEARCHES] on the device */
  uint32_t *piece;                 /* [piece_columns][V] on the device, which wait */
  uint32_t piece_columns;
  uint32_t *columns;                   /* [num_sources][V] on the host */
  uint64_t first_waiting, num_waiting; /* columns that the piece has */
};

#define LAUNCH(work, kernel, items, ...)                                                           \
  QN_LAUNCH(kernel, qn_run_blocks((work)->memory, items), QN_QUEUE_THREADS, 0, NULL,               \
            (work)->state, __VA_ARGS__)

/* Bring the columns that wait on the device to the host. */
enum qn_status fetch_columns(struct searches *work, struct qn_error *error) {
  const uint64_t count = work->num_waiting * work->num_vertices;
  work->num_waiting = 0;
  return qn_cuda_download(work->memory, work->columns + work->first_waiting * work->num_vertices,
                          work->piece, count, sizeof *work->piece, "hops", error);
}

/* The batch that begins with the source `first` is done. What is made last waits: the run's end
 * fetches it. */
enum qn_status finish_batch(struct searches *work, uint64_t first, uint32_t num_sources,
                            struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t done = 0; done < num_sources && !status;) {
    const uint32_t left = num_sources - done;
    const uint32_t count = left < work->piece_columns ? left : work->piece_columns;
    if (work->num_waiting)
      status = fetch_columns(work, error);
    if (status)
      break;
    LAUNCH(work, make_columns, work->num_vertices, work->bits, done, count, work->piece);
    status = qn_cuda_launched("making columns", error);
    work->first_waiting = first + done;
    work->num_waiting = count;
    done += count;
  }
  return status;
}

/* Have words for each bit of a level. */
enum qn_status reserve_bits(struct searches *work, uint32_t level, struct qn_error *error) {
  enum qn_status status = QN_OK;
  while (!status && work->bits.count < LEVEL_BITS && level >> work->bits.count) {
    search_set **words = &work->bits.of[work->bits.count];
    status = qn_cuda_alloc_zeroed(work->memory, words, work->num_vertices, sizeof **words,
                                  "hops from many sources", error);
    work->bits.count += !status;
  }
  return status;
}

/* What was found is there, and the list at hand. */
enum qn_status take_found(struct searches *work, uint32_t level, struct qn_error *error) {
  struct search_counters *counters = work->state.counters;
  enum qn_status status = reserve_bits(work, level, error);
  if (status)
    return status;
  LAUNCH(work, forget_fresh, work->steps.count, work->steps.now);
  LAUNCH(work, arrive, work->num_vertices, work->bits, work->steps.next, level);
  status = steps_next(&work->steps, error);
  if (!status)
    status = qn_cuda_status(
        cudaMemcpy(&work->counters, counters, sizeof *counters, cudaMemcpyDeviceToHost),
        "reading counters", error);
  if (!status)
    status = qn_cuda_status(cudaMemsetAsync(counters, 0, sizeof *counters, NULL),
                            "clearing counters", error);
  return status;
}

enum qn_status begin_batch(struct searches *work, const uint32_t *sources, uint32_t num_sources,
                           struct qn_error *error) {
  struct search_state *state = &work->state;
  const uint64_t V = work->num_vertices;
  state->all = num_sources == SEARCHES ? ~0ull : (1ull << num_sources) - 1;
  work->steps.count = 0;
  enum qn_status status = qn_cuda_status(cudaMemsetAsync(state->places, 0, V * sizeof(place), NULL),
                                         "clearing searches", error);
  for (uint32_t bit = 0; bit < work->bits.count && !status; bit++)
    status =
        qn_cuda_status(cudaMemsetAsync(work->bits.of[bit], 0, V * sizeof *work->bits.of[bit], NULL),
                       "clearing hops", error);
  if (!status)
    status = qn_cuda_status(cudaMemsetAsync(state->fresh, 0, V * sizeof *state->fresh, NULL),
                            "clearing searches", error);
  const uint32_t *const lists[] = {work->steps.now.count, work->steps.next.count};
  for (int i = 0; i < 2 && !status; i++)
    status = qn_cuda_status(cudaMemsetAsync((void *)lists[i], 0, sizeof *lists[i], NULL),
                            "clearing lists", error);
  if (!status)
    status = qn_cuda_upload(work->memory, work->sources, sources, num_sources, sizeof *sources,
                            "sources", error);
  if (status)
    return status;
  QN_LAUNCH(begin_searches, 1, SEARCHES, 0, NULL, *state, work->sources, num_sources,
            work->steps.next);
  return take_found(work, 0, error);
}

enum qn_status push(struct searches *work, struct qn_error *error) {
  const struct push_searches push = {work->state.fresh, work->state.places};
  return steps_walk(&work->steps, work->state.out, push, error);
}

enum qn_status pull(struct searches *work, struct qn_error *error) {
  LAUNCH(work, pull_rows, work->num_vertices, work->steps.next);
  if (work->state.num_hubs > 0)
    QN_LAUNCH(pull_hubs, qn_grid(work->state.num_hubs, 1, work->memory->device.multiprocessors, 8),
              QN_QUEUE_THREADS, 0, NULL, work->state, work->steps.next);
  return qn_cuda_launched("pulling searches", error);
}

void report(const struct qn_run_request *request, uint32_t level, bool pulls, uint32_t num_active,
            double seconds) {
  struct qn_iteration said = {};
  said.iteration = level;
  said.mode = pulls ? "pull" : "push";
  said.num_active = num_active;
  said.seconds = seconds;
  if (request->hooks.on_iteration)
    request->hooks.on_iteration(request->hooks.user, &said);
}

enum qn_status run_batch(struct searches *work, uint64_t first, uint32_t num_sources,
                         struct qn_run_result *result, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  uint64_t open_edges = work->num_edges;
  uint32_t level = 0;
  enum qn_status status = begin_batch(work, request->inputs.sources + first, num_sources, error);
  while (!status && work->steps.count > 0 && level < request->limits.max_iterations) {
    const uint64_t edges = work->counters.edges;
    const bool pulls =
        work->has_in && edges > work->num_vertices / FEW_EDGES && edges * PUSH_COST > open_edges;
    const uint32_t num_active = work->steps.count;
    const double began = qn_seconds();
    status = pulls ? pull(work, error) : push(work, error);
    if (!status)
      status = take_found(work, level + 1, error);
    if (status)
      break;
    open_edges = pulls ? work->counters.open : open_edges;
    report(request, level++, pulls, num_active, qn_seconds() - began);
  }
  result->stats.iterations += level;
  result->stats.converged &= work->steps.count == 0;
  return status ? status : finish_batch(work, first, num_sources, error);
}

enum qn_status run_batches(struct searches *work, struct qn_error *error) {
  enum qn_status status = QN_OK;
  work->result->stats.converged = true;
  for (uint64_t first = 0; !status && first < work->request->inputs.num_sources;
       first += SEARCHES) {
    const uint64_t left = work->request->inputs.num_sources - first;
    status =
        run_batch(work, first, (uint32_t)(left < SEARCHES ? left : SEARCHES), work->result, error);
  }
  return status;
}

/* In-edges are brought along where there are any and room for them. */
enum qn_status bring_in_edges(struct searches *work, const struct qn_graph *graph, uint64_t taken,
                              struct qn_error *error) {
  const struct qn_cuda_memory *memory = work->memory;
  const uint64_t free = qn_cuda_plannable_bytes(&memory->device, memory->cap) - taken;
  work->state.in = work->state.out;
  work->has_in = true;
  if (graph->directedness == QN_UNDIRECTED ||
      (graph->has_transpose && graph->in.row_offsets == graph->out.row_offsets))
    return QN_OK;
  work->has_in = graph->has_transpose && 8 * (work->num_vertices + 1) + 4 * work->num_edges <= free;
  return work->has_in ? qn_cuda_csr_upload(work->memory, &graph->in, false, &work->state.in, error)
                      : QN_OK;
}

enum qn_status find_hubs(struct searches *work, struct qn_error *error) {
  struct search_state *state = &work->state;
  uint32_t *hubs;
  if (!work->has_in)
    return QN_OK;
  enum qn_status status =
      steps_begin(&work->steps, work->num_vertices, has_long_row{state->in.row_offsets}, error);
  if (!status)
    status = qn_cuda_alloc(work->memory, &hubs, work->steps.count, sizeof *hubs, "hubs", error);
  if (status)
    return status;
  state->hubs = hubs;
  state->num_hubs = work->steps.count;
  return qn_cuda_status(cudaMemcpyAsync(hubs, work->steps.now.vertices,
                                        state->num_hubs * sizeof *hubs, cudaMemcpyDeviceToDevice,
                                        NULL),
                        "listing hubs", error);
}

/* As many columns as there is room for beside the likely bits of levels. */
enum qn_status create_piece(struct searches *work, struct qn_error *error) {
  const struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = work->num_vertices,
                 most = qn_cuda_plannable_bytes(&memory->device, memory->cap);
  const uint64_t kept = memory->bytes + LIKELY_BITS * V * sizeof(search_set);
  uint64_t fitting = most > kept ? (most - kept) / (V * sizeof *work->piece) : 0;
  fitting = fitting < SEARCHES ? fitting : SEARCHES;
  fitting =
      fitting < work->request->inputs.num_sources ? fitting : work->request->inputs.num_sources;
  work->piece_columns = fitting > 1 ? (uint32_t)fitting : 1;
  return qn_cuda_alloc(work->memory, &work->piece, work->piece_columns * V, sizeof *work->piece,
                       "hops from some sources", error);
}

enum qn_status create(struct searches *work, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)work->request->view;
  struct search_state *state = &work->state;
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = graph->out.num_vertices, E = graph->out.num_edges;
  work->num_vertices = V;
  work->num_edges = E;
  const uint64_t needed = 8 * (V + 1) + 4 * E + (sizeof(place) + sizeof(search_set)) * V +
                          steps_bytes(V) + (LIKELY_BITS * sizeof(search_set) + 4) * V;
  enum qn_status status = qn_run_check_units(V, E, error);
  if (!status)
    status =
        qn_run_fit_or_read(memory, work->request, "bfs from many sources", needed, 4 * E, 0, error);
  if (!status)
    status = qn_run_rows_of(memory, &graph->out, &state->out, error);
  if (!status)
    status = bring_in_edges(work, graph, needed - (memory->reads_edges ? 4 * E : 0), error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->places, V, sizeof *state->places, "searches", error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->fresh, V, sizeof *state->fresh, "searches", error);
  if (!status)
    status =
        qn_cuda_alloc(memory, &work->sources, SEARCHES, sizeof *work->sources, "sources", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &state->counters, 1, sizeof *state->counters, "counters",
                                  error);
  if (!status)
    status = steps_create(memory, V, &work->steps, error);
  if (!status)
    status = find_hubs(work, error);
  if (!status)
    status = create_piece(work, error);
  if (!status)
    status = qn_pages_alloc(&work->columns, V * work->request->inputs.num_sources,
                            sizeof *work->columns, "hops from every source", error);
  return status;
}

enum qn_status finish(struct searches *work, enum qn_status status, struct qn_error *error) {
  const struct qn_inputs *inputs = &work->request->inputs;
  struct qn_run_result *result = work->result;
  if (!status)
    status = fetch_columns(work, error);
  if (status) {
    qn_pages_free(work->columns, work->num_vertices * inputs->num_sources, sizeof *work->columns);
    return status;
  }
  result->type = QN_RESULT_U32;
  result->num_values = work->num_vertices;
  result->shape = QN_SHAPE_COLUMNS;
  result->columns.count = inputs->num_sources;
  result->columns.sources = inputs->sources;
  result->values = work->columns;
  return QN_OK;
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_with(request, create, run_batches, finish, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_multi_source_bfs_csr_cuda =
    QN_MULTI_SOURCE_BFS_KERNEL("csr, 64 searches at once", QN_LAYOUT_GRAPH, QN_CUDA, run);
