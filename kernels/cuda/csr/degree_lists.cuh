/* Each edge of the simple undirected graph once (loops, directions and multiplicities ignored), at
 * its end of smaller degree (ties: smaller number), on the device: what algorithms on triangles
 * walk. So lists are at most sqrt(2 E) long (Schank, Wagner: Finding, Counting and Listing All
 * Triangles in Large Graphs, 2005), and a triangle is found once, at its edge between the vertices
 * first and second in that order. */
#ifndef QN_KERNELS_CUDA_CSR_DEGREE_LISTS_CUH
#define QN_KERNELS_CUDA_CSR_DEGREE_LISTS_CUH

#include "kernels/cuda/device/primitives.cuh"
#include "kernels/cuda/edges/run_device.cuh"

#define TC_THREADS 256
#define TC_WARPS (TC_THREADS / 32)
#define TC_DROPPED UINT64_MAX
#define ORIENT_EDGES 2048 /* edges of a block */

namespace {

/* The last row in [low, high] that begins at or before `edge`. */
QN_DEVICE_INLINE uint64_t row_of(const uint64_t *offsets, uint64_t low, uint64_t high,
                                 uint64_t edge) {
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    if (offsets[middle] <= edge)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

__global__ void count_degrees(const struct qn_csr csr, bool directed, uint32_t *degrees) {
  qn_grid_steps(csr.num_vertices, [&](uint64_t v) {
    const uint64_t degree = csr.row_offsets[v + 1] - csr.row_offsets[v];
    if (degree)
      atomicAdd(&degrees[v], degree < (1u << 31) ? (uint32_t)degree : 1u << 31);
  });
  if (directed)
    qn_grid_steps(csr.num_edges,
                  [&](uint64_t edge) { atomicAdd(&degrees[csr.column_indices[edge]], 1u); });
}

/* Does u come before v in the order of degrees? */
QN_DEVICE_INLINE bool is_first(const uint32_t *degrees, uint32_t u, uint32_t v) {
  return degrees[u] < degrees[v] || (degrees[u] == degrees[v] && u < v);
}

/* visit(edge, u, v) for every edge u -> v, in equal parts. The whole grid calls. */
template <class Visit>
QN_DEVICE_INLINE void visit_edges_of_rows(const struct qn_csr &csr, Visit visit) {
  QN_SHARED(uint64_t, rows, 2);
  for (uint64_t first = (uint64_t)blockIdx.x * ORIENT_EDGES; first < csr.num_edges;
       first += (uint64_t)gridDim.x * ORIENT_EDGES) {
    const uint64_t rest = csr.num_edges - first;
    const uint64_t end = first + (rest < ORIENT_EDGES ? rest : ORIENT_EDGES);
    if (threadIdx.x < 2)
      rows[threadIdx.x] =
          row_of(csr.row_offsets, 0, csr.num_vertices - 1, threadIdx.x ? end - 1 : first);
    __syncthreads();
    for (uint64_t edge = first + threadIdx.x; edge < end; edge += blockDim.x)
      visit(edge, (uint32_t)row_of(csr.row_offsets, rows[0], rows[1], edge),
            csr.column_indices[edge]);
    __syncthreads();
  }
}

/* Every edge as (its first end, its second end) in the order of degrees; edges that are loops, or
 * in an undirected graph the other copy, are dropped. */
__global__ void orient(const struct qn_csr csr, bool directed, const uint32_t *degrees,
                       uint64_t *keys) {
  visit_edges_of_rows(csr, [&](uint64_t edge, uint32_t u, uint32_t v) {
    const bool before = is_first(degrees, u, v);
    const bool keeps = u != v && (directed || before);
    const uint64_t key = before ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
    keys[edge] = keeps ? key : TC_DROPPED;
  });
}

/* Equal edges are neighbours now. */
__global__ void flag_first(const uint64_t *keys, uint64_t count, uint8_t *flags) {
  qn_grid_steps(count, [&](uint64_t i) {
    flags[i] = keys[i] != TC_DROPPED && (i == 0 || keys[i] != keys[i - 1]);
  });
}

/* Sorted edges as lists: entries, and where each vertex's list begins. */
__global__ void make_lists(const uint64_t *keys, uint64_t count, uint64_t num_vertices,
                           uint64_t *offsets, uint32_t *entries) {
  qn_grid_steps(count + 1, [&](uint64_t i) {
    const uint64_t begin = i == 0 ? 0 : (keys[i - 1] >> 32) + 1;
    const uint64_t end = i == count ? num_vertices : keys[i] >> 32;
    for (uint64_t v = begin; v <= end; v++)
      offsets[v] = i;
    if (i < count)
      entries[i] = (uint32_t)keys[i];
  });
}

struct tc_lists {
  uint64_t num_vertices;
  const uint64_t *offsets;
  const uint32_t *entries;
};

QN_DEVICE_INLINE uint64_t list_length(const struct tc_lists &lists, uint64_t v) {
  return lists.offsets[v + 1] - lists.offsets[v];
}

/* The place of `wanted` in an ascending list; `length` if it is not there. */
QN_DEVICE_INLINE uint32_t place_of(const uint32_t *sorted, uint32_t length, uint32_t wanted) {
  uint32_t low = 0, high = length;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (sorted[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low < length && sorted[low] == wanted ? low : length;
}

/* The unit's entry in the queue of lists, in every thread. The whole block calls. */
QN_DEVICE_INLINE uint32_t entry_of_unit(const struct qn_unit_queue &queue, uint32_t num_entries,
                                        uint32_t unit) {
  QN_SHARED(uint32_t, entry, 1);
  if (qn_warp() == 0) {
    const uint32_t found = qn_queue_find(queue.units, num_entries, unit);
    if (qn_lane() == 0)
      entry[0] = found;
  }
  __syncthreads();
  const uint32_t found = entry[0];
  __syncthreads();
  return found;
}

struct tc_work {
  struct qn_cuda_memory *memory;
  struct qn_cuda_scratch scratch;
  const struct qn_graph *graph;
  bool directed;
  struct qn_csr csr; /* on the device; released when the lists are made, if not before */
  uint32_t *degrees;
  uint64_t *keys;
  uint64_t num_edges; /* of the lists */
  struct tc_lists lists;
};

/* Sort (a directed graph's edges meet their reverse), and keep each edge once. */
enum qn_status keep_each_once(struct tc_work *work, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t num_edges = work->csr.num_edges;
  uint64_t *other = NULL, *count = NULL;
  uint8_t *flags = NULL;
  enum qn_status status =
      qn_cuda_alloc(memory, &other, num_edges, sizeof *other, "oriented edges", error);
  if (!status && work->directed) {
    status = qn_cuda_sort(memory, &work->scratch, work->keys, other, num_edges, NULL, error);
    uint64_t *sorted = other;
    other = work->keys;
    work->keys = sorted;
  }
  if (!status)
    status = qn_cuda_alloc(memory, &flags, num_edges, sizeof *flags, "flags of edges", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &count, 1, sizeof *count, "a counter", error);
  if (!status) {
    QN_LAUNCH(flag_first, qn_run_blocks(memory, num_edges), QN_QUEUE_THREADS, 0, NULL, work->keys,
              num_edges, flags);
    status = qn_cuda_launched("orienting edges", error);
  }
  if (!status)
    status = qn_cuda_select(memory, &work->scratch, work->keys, flags, other, count, num_edges,
                            NULL, error);
  if (!status)
    status =
        qn_cuda_download(memory, &work->num_edges, count, 1, sizeof *count, "a counter", error);
  if (status)
    return status;
  qn_cuda_release(memory, work->keys);
  qn_cuda_release(memory, flags);
  qn_cuda_release(memory, count);
  work->keys = other;
  return QN_OK;
}

/* Bring the edges to the device, and orient them. */
enum qn_status orient_edges(struct tc_work *work, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  enum qn_status status = qn_cuda_csr_upload(memory, &work->graph->out, false, &work->csr, error);
  const uint64_t num_vertices = work->csr.num_vertices, num_edges = work->csr.num_edges;
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &work->degrees, num_vertices, sizeof *work->degrees,
                                  "degrees", error);
  if (!status)
    status =
        qn_cuda_alloc(memory, &work->keys, num_edges, sizeof *work->keys, "oriented edges", error);
  if (status)
    return status;
  QN_LAUNCH(count_degrees,
            qn_run_blocks(memory, num_vertices > num_edges ? num_vertices : num_edges),
            QN_QUEUE_THREADS, 0, NULL, work->csr, work->directed, work->degrees);
  QN_LAUNCH(orient, qn_grid(num_edges, ORIENT_EDGES, memory->device.multiprocessors, 8), TC_THREADS,
            0, NULL, work->csr, work->directed, work->degrees, work->keys);
  status = qn_cuda_launched("orienting edges", error);
  if (!status)
    status = keep_each_once(work, error);
  return status;
}

/* Sorted edges as lists. */
enum qn_status create_lists(struct tc_work *work, const uint64_t *keys, struct tc_lists *lists,
                            struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t num_vertices = work->csr.num_vertices;
  uint64_t *offsets;
  uint32_t *entries;
  enum qn_status status =
      qn_cuda_alloc(memory, &offsets, num_vertices + 1, sizeof *offsets, "lists", error);
  if (!status)
    status =
        qn_cuda_alloc(memory, &entries, work->num_edges, sizeof *entries, "list entries", error);
  if (status)
    return status;
  QN_LAUNCH(make_lists, qn_run_blocks(memory, work->num_edges + 1), QN_QUEUE_THREADS, 0, NULL, keys,
            work->num_edges, num_vertices, offsets, entries);
  lists->num_vertices = num_vertices;
  lists->offsets = offsets;
  lists->entries = entries;
  return qn_cuda_launched("making lists", error);
}

/* Edges of the request's graph, sorted, as keys of `work`, a zeroed one; `memory` is the run's.
 * `own_bytes`: what the algorithm wants beside them. */
enum qn_status degree_edges_create(const struct qn_run_request *request, const char *algorithm,
                                   uint64_t own_bytes, struct qn_cuda_memory *memory,
                                   struct tc_work *work, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const uint64_t V = graph->out.num_vertices, E = graph->out.num_edges;
  work->memory = memory;
  work->graph = graph;
  work->directed = graph->directedness != QN_UNDIRECTED;
  enum qn_status status = qn_run_check_units(V, E, error);
  if (!status) /* both numbers of every edge twice, with flags, beside the rows and degrees */
    status = qn_run_must_fit(memory, algorithm, 12 * V + 21 * E + own_bytes, error);
  return status ? status : orient_edges(work, error);
}

} /* namespace */

#endif
