/* Counting triangles, of the rows of any layout.
 *
 * Vertices are numbered by rank, the one of the highest degree first, and a list has the neighbours
 * of smaller rank (Schank, Wagner: Finding, Counting and Listing All Triangles in Large Graphs,
 * 2005). An edge is a task of its end with the longer list: every entry of the other end's list is
 * looked up there. So the lookups are the sum over edges of the shorter list, less than half of
 * what an end by degree would take on R-MAT graphs.
 *
 * Long lists are bits in shared memory while a block does a piece of their tasks: where many
 * triangles are, ranks are small, so that TC_WINDOW of them at a time are nearly always all. A
 * lookup is then 4 bytes of L2, coalesced, and one read of shared memory at a random bank. Short
 * lists, which have few tasks, are searched by warps.
 *
 * Where the device has no room to make lists and tasks, the host does, and where they do not fit
 * either, lookups read them over the bus. */
#pragma once

#include "kernels/cuda/edges/host_lists.cuh"

#define COUNT_THREADS 512
#define COUNT_WARPS (COUNT_THREADS / 32)
#define COUNT_PIECE 512  /* tasks of a long list that a block takes at a time */
#define COUNT_AT_ONCE 16 /* of these a warp takes one after the other */
#define COUNT_UNROLLED 4
#ifndef TC_SHORT
#define TC_SHORT 64          /* entries of a list that a warp keeps */
#define TC_WINDOW (1u << 18) /* ranks whose bits a block keeps */
#endif

namespace {

/* By rank. */
struct tc_state {
  uint64_t num_vertices;
  struct tc_lists lists;
  struct tc_lists tasks;  /* a list's: neighbours whose lists are looked up in it */
  struct tc_lists others; /* where a list is if not in `lists`: of another device; or the same */
};

struct found_list {
  const uint32_t *entries;
  uint64_t length;
};

QN_DEVICE_INLINE struct found_list find_list(const struct tc_state &state, uint64_t v) {
  const uint64_t begin = state.lists.offsets[v], end = state.lists.offsets[v + 1];
  if (begin < end)
    return {state.lists.entries + begin, end - begin};
  const uint64_t other = state.others.offsets[v];
  return {state.others.entries + other, state.others.offsets[v + 1] - other};
}

__global__ void order_by_degree(const uint32_t *degrees, uint64_t num_vertices, uint64_t *keys) {
  qn_grid_steps(num_vertices, [&](uint64_t v) {
    keys[v] = (uint64_t)(UINT32_MAX - degrees[v]) << 32 | (UINT32_MAX - (uint32_t)v);
  });
}

__global__ void note_ranks(const uint64_t *keys, uint64_t num_vertices, uint32_t *ranks) {
  qn_grid_steps(num_vertices,
                [&](uint64_t i) { ranks[UINT32_MAX - (uint32_t)keys[i]] = (uint32_t)i; });
}

/* Edges as (rank of the first, rank of the second); the first has the larger one. */
__global__ void rank_edges(uint64_t *keys, uint64_t count, const uint32_t *ranks) {
  qn_grid_steps(count, [&](uint64_t i) {
    keys[i] = (uint64_t)ranks[keys[i] >> 32] << 32 | ranks[(uint32_t)keys[i]];
  });
}

/* Edges as (the end with the longer list, the other one). */
__global__ void assign_tasks(const uint64_t *edges, uint64_t count, const uint64_t *offsets,
                             uint64_t *tasks) {
  qn_grid_steps(count, [&](uint64_t i) {
    const uint64_t u = edges[i] >> 32, v = (uint32_t)edges[i];
    const bool first = offsets[u + 1] - offsets[u] >= offsets[v + 1] - offsets[v];
    tasks[i] = first ? edges[i] : v << 32 | u;
  });
}

/* Lists that are long, and their tasks in pieces. */
__global__ void queue_long(const struct tc_state state, const struct qn_unit_queue queue,
                           qn_queue_size *size) {
  qn_block_steps(state.num_vertices, [&](uint64_t u, bool there) {
    const bool is_long = there && find_list(state, u).length > TC_SHORT;
    const uint64_t tasks = is_long ? list_length(state.tasks, u) : 0;
    if (__syncthreads_or(tasks > 0))
      qn_queue_put(queue, size, (uint32_t)((tasks + COUNT_PIECE - 1) / COUNT_PIECE), (uint32_t)u);
  });
}

/* For the lists of the tasks [begin, begin + count), count <= 32, by a warp: visit(entry). Where
 * they begin is loaded for all at once. */
template <class Visit>
QN_DEVICE_INLINE void visit_entries(const struct tc_state &state, uint64_t begin, uint32_t count,
                                    Visit visit) {
  struct found_list its = {NULL, 0};
  if (qn_lane() < count)
    its = find_list(state, state.tasks.entries[begin + qn_lane()]);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t *list =
        (const uint32_t *)__shfl_sync(QN_FULL_WARP, (unsigned long long)its.entries, i);
    const uint32_t length = __shfl_sync(QN_FULL_WARP, (uint32_t)its.length, i);
    uint32_t at = qn_lane();
    for (; at + 32 * (COUNT_UNROLLED - 1) < length; at += 32 * COUNT_UNROLLED) {
      uint32_t some[COUNT_UNROLLED];
      QN_UNROLL
      for (int j = 0; j < COUNT_UNROLLED; j++)
        some[j] = list[at + 32 * j];
      QN_UNROLL
      for (int j = 0; j < COUNT_UNROLLED; j++)
        visit(some[j]);
    }
    for (; at < length; at += 32)
      visit(list[at]);
  }
}

QN_DEVICE_INLINE void leave_count(unsigned long long count, unsigned long long *triangles) {
  count = qn_block_sum(count);
  if (threadIdx.x == 0 && count)
    atomicAdd(triangles, count);
}

__global__ void __launch_bounds__(TC_THREADS)
    count_short(const struct tc_state state, unsigned long long *triangles) {
  QN_SHARED(uint32_t, kept, TC_WARPS * TC_SHORT);
  uint32_t *list = kept + qn_warp() * TC_SHORT;
  unsigned long long count = 0;
  for (uint64_t u = (uint64_t)blockIdx.x * TC_WARPS + qn_warp(); u < state.num_vertices;
       u += (uint64_t)gridDim.x * TC_WARPS) {
    const struct found_list from = find_list(state, u);
    const uint64_t length = from.length;
    const uint64_t first = state.tasks.offsets[u], end = state.tasks.offsets[u + 1];
    if (length == 0 || length > TC_SHORT || first == end)
      continue;
    for (uint32_t i = qn_lane(); i < length; i += 32)
      list[i] = from.entries[i];
    __syncwarp();
    for (uint64_t task = first; task < end; task += 32)
      visit_entries(state, task, end - task < 32 ? (uint32_t)(end - task) : 32,
                    [&](uint32_t w) { count += place_of(list, (uint32_t)length, w) < length; });
    __syncwarp();
  }
  leave_count(count, triangles);
}

/* A piece of u's tasks, as far as entries in [first, first + TC_WINDOW) go. */
QN_DEVICE_INLINE uint32_t count_in_window(const struct tc_state &state, uint32_t u, uint32_t first,
                                          uint64_t piece, uint32_t *bits) {
  const struct found_list list = find_list(state, u);
  const uint64_t last = state.tasks.offsets[u + 1];
  auto each_bit = [&](auto visit) {
    for (uint64_t i = threadIdx.x; i < list.length; i += COUNT_THREADS) {
      const uint32_t bit = list.entries[i] - first;
      if (bit < TC_WINDOW)
        visit(bit);
    }
  };
  uint32_t count = 0;
  each_bit([&](uint32_t bit) { atomicOr(&bits[bit / 32], 1u << (bit % 32)); });
  __syncthreads();
  for (uint64_t task = piece + qn_warp() * COUNT_AT_ONCE; task < last && task < piece + COUNT_PIECE;
       task += COUNT_WARPS * COUNT_AT_ONCE)
    visit_entries(state, task,
                  last - task < COUNT_AT_ONCE ? (uint32_t)(last - task) : COUNT_AT_ONCE,
                  [&](uint32_t w) {
                    const uint32_t bit = w - first;
                    if (bit < TC_WINDOW)
                      count += bits[bit / 32] >> (bit % 32) & 1u;
                  });
  __syncthreads();
  each_bit([&](uint32_t bit) { bits[bit / 32] = 0; });
  __syncthreads();
  return count;
}

__global__ void __launch_bounds__(COUNT_THREADS)
    count_long(const struct tc_state state, const struct qn_unit_queue queue,
               const qn_queue_size *size, unsigned long long *triangles) {
  QN_SHARED(uint32_t, bits, TC_WINDOW / 32);
  const uint32_t num_entries = qn_queue_entries(*size), num_units = qn_queue_units(*size);
  unsigned long long count = 0;
  for (uint32_t i = threadIdx.x; i < TC_WINDOW / 32; i += COUNT_THREADS)
    bits[i] = 0;
  for (uint64_t unit = blockIdx.x; unit < num_units; unit += gridDim.x) {
    const uint32_t entry = entry_of_unit(queue, num_entries, (uint32_t)unit);
    const uint32_t u = queue.vertices[entry];
    const uint64_t piece =
        state.tasks.offsets[u] + (uint64_t)((uint32_t)unit - queue.units[entry]) * COUNT_PIECE;
    const struct found_list list = find_list(state, u);
    const uint32_t greatest = list.entries[list.length - 1];
    for (uint64_t first = 0; first <= greatest; first += TC_WINDOW)
      count += count_in_window(state, u, (uint32_t)first, piece, bits);
  }
  leave_count(count, triangles);
}

struct tc_counting {
  struct qn_unit_queue queue;
  qn_queue_size *size;
  unsigned long long *total;
};

enum qn_status counting_create(struct qn_cuda_memory *memory, uint64_t num_vertices,
                               struct tc_counting *counting, struct qn_error *error) {
  enum qn_status status = qn_run_queue(memory, num_vertices, &counting->queue, error);
  if (!status)
    status = qn_cuda_alloc(memory, &counting->size, 1, sizeof *counting->size, "counters", error);
  return status ? status
                : qn_cuda_alloc_zeroed(memory, &counting->total, 1, sizeof *counting->total,
                                       "counters", error);
}

/* The triangles of `num_tasks` edges. */
enum qn_status count_tasks(struct qn_cuda_memory *memory, const struct tc_state &state,
                           const struct tc_counting &counting, uint64_t num_tasks,
                           struct qn_error *error) {
  const int multiprocessors = memory->device.multiprocessors;
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(counting.size, 0, sizeof *counting.size, NULL), "clearing counters", error);
  if (status)
    return status;
  QN_LAUNCH(queue_long, qn_run_blocks(memory, state.num_vertices), QN_QUEUE_THREADS, 0, NULL, state,
            counting.queue, counting.size);
  QN_LAUNCH(count_long, qn_grid(num_tasks, COUNT_PIECE, multiprocessors, 4), COUNT_THREADS, 0, NULL,
            state, counting.queue, counting.size, counting.total);
  QN_LAUNCH(count_short, qn_grid(state.num_vertices, TC_WARPS, multiprocessors, 8), TC_THREADS, 0,
            NULL, state, counting.total);
  return qn_cuda_launched("counting triangles", error);
}

enum qn_status count(struct tc_work *work, struct tc_state *state, uint64_t *triangles,
                     struct qn_error *error) {
  struct tc_counting counting;
  enum qn_status status = counting_create(work->memory, state->num_vertices, &counting, error);
  state->others = state->lists;
  if (!status)
    status = count_tasks(work->memory, *state, counting, work->num_edges, error);
  return status ? status
                : qn_cuda_download(work->memory, triangles, counting.total, 1,
                                   sizeof *counting.total, "the count", error);
}

/* ---- Before: oriented edges become lists and tasks by rank ---- */

/* Degrees become ranks, in the same memory. */
enum qn_status rank_vertices(struct tc_work *work, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t num_vertices = work->num_vertices;
  const unsigned blocks = qn_run_blocks(memory, num_vertices);
  uint64_t *keys, *sorted;
  enum qn_status status =
      qn_cuda_alloc(memory, &keys, num_vertices, sizeof *keys, "vertices by degree", error);
  if (!status)
    status =
        qn_cuda_alloc(memory, &sorted, num_vertices, sizeof *sorted, "vertices by degree", error);
  if (status)
    return status;
  QN_LAUNCH(order_by_degree, blocks, QN_QUEUE_THREADS, 0, NULL, work->degrees, num_vertices, keys);
  status = qn_cuda_launched("ranking vertices", error);
  if (!status)
    status = qn_cuda_sort(memory, &work->scratch, keys, sorted, num_vertices, NULL, error);
  if (status)
    return status;
  QN_LAUNCH(note_ranks, blocks, QN_QUEUE_THREADS, 0, NULL, sorted, num_vertices, work->degrees);
  qn_cuda_release(memory, keys);
  qn_cuda_release(memory, sorted);
  return qn_cuda_launched("ranking vertices", error);
}

/* Lists of the edges by rank, which are `sorted`. */
enum qn_status rank_keys(struct tc_work *work, struct tc_state *state, uint64_t **sorted,
                         struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  enum qn_status status = rank_vertices(work, error);
  if (!status)
    status = qn_cuda_alloc(memory, sorted, work->num_edges, sizeof **sorted, "sorted edges", error);
  if (status)
    return status;
  QN_LAUNCH(rank_edges, qn_run_blocks(memory, work->num_edges), QN_QUEUE_THREADS, 0, NULL,
            work->keys, work->num_edges, work->degrees);
  status = qn_cuda_launched("ranking edges", error);
  if (!status)
    status =
        qn_cuda_sort(memory, &work->scratch, work->keys, *sorted, work->num_edges, NULL, error);
  return status ? status : create_lists(work, *sorted, &state->lists, error);
}

enum qn_status rank_lists(struct tc_work *work, struct tc_state *state, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const unsigned blocks = qn_run_blocks(memory, work->num_edges);
  uint64_t *sorted;
  enum qn_status status = rank_keys(work, state, &sorted, error);
  if (status)
    return status;
  QN_LAUNCH(assign_tasks, blocks, QN_QUEUE_THREADS, 0, NULL, sorted, work->num_edges,
            state->lists.offsets, work->keys);
  status = qn_cuda_launched("assigning edges", error);
  if (!status)
    status = qn_cuda_sort(memory, &work->scratch, work->keys, sorted, work->num_edges, NULL, error);
  if (!status)
    status = create_lists(work, sorted, &state->tasks, error);
  state->num_vertices = state->lists.num_vertices;
  return status;
}

/* ---- Or: the host's lists ---- */

/* Of vertices: offsets of lists and of tasks, and a queue. */
inline uint64_t list_bytes(uint64_t num_vertices) {
  return (2 * 8 + 8) * num_vertices + 64;
}

/* visit(the end with the longer list, the other one) of every edge. */
template <class Visit> void visit_tasks(const struct qn_orientation *edges, Visit visit) {
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t u = 0; u < edges->num_vertices; u++)
    for (uint64_t i = edges->offsets[u]; i < edges->offsets[u + 1]; i++) {
      const uint32_t v = edges->earlier[i];
      const bool first = edges->counts[u] >= edges->counts[v];
      visit(first ? (uint32_t)u : v, first ? v : (uint32_t)u);
    }
}

/* Tasks by the list that they look into: `offsets` [V + 1] are zeros. */
inline void sort_tasks(const struct qn_orientation *edges, uint64_t *offsets, uint32_t *tasks) {
  const uint64_t V = edges->num_vertices;
  visit_tasks(edges, [&](uint32_t u, uint32_t) {
    __atomic_fetch_add(&offsets[u + 1], 1, __ATOMIC_RELAXED);
  });
  for (uint64_t u = 0; u < V; u++)
    offsets[u + 1] += offsets[u];
  visit_tasks(edges, [&](uint32_t u, uint32_t v) {
    tasks[__atomic_fetch_add(&offsets[u], 1, __ATOMIC_RELAXED)] = v;
  });
  for (uint64_t u = V; u > 0; u--)
    offsets[u] = offsets[u - 1];
  offsets[0] = 0;
}

inline enum qn_status bring_tasks(struct qn_cuda_memory *memory, const struct qn_orientation *edges,
                                  struct tc_state *state, struct qn_error *error) {
  const uint64_t V = edges->num_vertices, count = edges->offsets[V];
  uint64_t *offsets = NULL;
  uint32_t *tasks = NULL;
  enum qn_status status = qn_pages_alloc(&offsets, V + 1, sizeof *offsets, "tasks", error);
  if (!status)
    status = qn_pages_alloc(&tasks, count, sizeof *tasks, "tasks", error);
  if (!status) {
    sort_tasks(edges, offsets, tasks);
    status = host_lists_bring(memory, V, offsets, tasks, true, &state->tasks, error);
  }
  qn_pages_free(offsets, V + 1, sizeof *offsets);
  qn_pages_free(tasks, count, sizeof *tasks);
  return status;
}

/* Lists come before tasks where the device has room for one of them: each is read many times. */
template <class Orient>
enum qn_status bring_lists(const struct qn_run_request *request, uint64_t num_vertices,
                           Orient orient, struct tc_work *work, struct tc_state *state,
                           struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t own_bytes = list_bytes(num_vertices);
  struct qn_orientation edges;
  memset(&edges, 0, sizeof edges);
  enum qn_status status =
      host_lists_create(request, "tc", own_bytes, memory, orient, &edges, error);
  if (!status) {
    const uint64_t bytes = 4 * edges.offsets[num_vertices];
    const bool read = own_bytes + bytes > qn_cuda_plannable_bytes(&memory->device, memory->cap);
    work->num_edges = edges.offsets[num_vertices];
    status = qn_run_fit_or_read(memory, request, "tc", own_bytes + 2 * bytes,
                                read ? 2 * bytes : bytes, 0, error);
    if (!status)
      status = host_lists_bring(memory, num_vertices, edges.offsets, edges.earlier, read,
                                &state->lists, error);
    state->num_vertices = num_vertices;
  }
  if (!status)
    status = bring_tasks(memory, &edges, state, error);
  qn_orientation_destroy(&edges);
  return status;
}

/* A run whole, where the device needs `bytes` to orient the edges, beside what is of vertices:
 * `prepare(work, error)` does so, in a `work` that is zero but for its memory; `orient(edges,
 * error)` on the host. */
template <class Prepare, class Orient>
enum qn_status run_triangles(const struct qn_run_request *request, uint64_t num_vertices,
                             uint64_t bytes, Prepare prepare, Orient orient,
                             struct qn_run_result *result, struct qn_error *error) {
  struct qn_cuda_memory memory;
  struct tc_work work;
  struct tc_state state;
  memset(&work, 0, sizeof work);
  memset(&state, 0, sizeof state);
  memset(result, 0, sizeof *result);
  work.memory = &memory;
  auto prepare_all = [&](struct qn_error *failure) {
    if (bytes + list_bytes(num_vertices) > qn_cuda_plannable_bytes(&memory.device, memory.cap))
      return bring_lists(request, num_vertices, orient, &work, &state, failure);
    enum qn_status status = prepare(&work, failure);
    return status ? status : rank_lists(&work, &state, failure);
  };
  auto algorithm = [&](struct qn_error *failure) {
    return count(&work, &state, &result->number, failure);
  };
  auto finish = [&](enum qn_status status, struct qn_error *) {
    result->shape = QN_SHAPE_NUMBER;
    result->stats.iterations = 1;
    result->stats.converged = true;
    return status;
  };
  return qn_run_whole(request, &memory, prepare_all, algorithm, finish, result, error);
}

} /* namespace */
