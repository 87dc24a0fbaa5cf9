/* Each edge of the simple undirected graph once (loops, directions and multiplicities ignored), at
 * its end of smaller degree (ties: smaller number), on the device: what algorithms on triangles
 * walk. So lists are at most sqrt(2 E) long (Schank, Wagner: Finding, Counting and Listing All
 * Triangles in Large Graphs, 2005), and a triangle is found once, at its edge between the vertices
 * first and second in that order.
 *
 * They are made of the rows of any layout. Its struct has num_vertices and num_edges, and there
 * are
 *
 *   row_begin(rows, v)         where a row begins; the next one does where it ends
 *   row_length(rows, v)        its edges
 *   row_column(rows, v, edge)  the other end of one of them, or TC_NO_EDGE
 *
 * What is no edge counts among those from row_begin on, and among num_edges, but has no length.
 * Columns of a row ascend in an undirected graph. */
#pragma once

#include "kernels/cuda/device/primitives.cuh"
#include "kernels/cuda/edges/fit_or_read.cuh"

#define TC_THREADS 256
#define TC_WARPS (TC_THREADS / 32)
#define TC_DROPPED UINT64_MAX
#define TC_NO_EDGE UINT32_MAX
#define ORIENT_EDGES 2048 /* edges of a block */

namespace {

/* ---- The rows of plain CSR ------------------------------------------------------------------ */

QN_DEVICE_INLINE uint64_t row_begin(const struct qn_csr &csr, uint64_t v) {
  return csr.row_offsets[v];
}

QN_DEVICE_INLINE uint64_t row_length(const struct qn_csr &csr, uint64_t v) {
  return csr.row_offsets[v + 1] - csr.row_offsets[v];
}

QN_DEVICE_INLINE uint32_t row_column(const struct qn_csr &csr, uint64_t, uint64_t edge) {
  return csr.column_indices[edge];
}

/* ---- Of any layout -------------------------------------------------------------------------- */

/* The last row in [low, high] that begins at or before `edge`. */
template <class Rows>
QN_DEVICE_INLINE uint64_t row_of(const Rows &rows, uint64_t low, uint64_t high, uint64_t edge) {
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    if (row_begin(rows, middle) <= edge)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* visit(edge, u, v) for every edge u -> v, in equal parts. The whole grid calls. */
template <class Rows, class Visit>
QN_DEVICE_INLINE void visit_edges_of_rows(const Rows &rows, Visit visit) {
  QN_SHARED(uint64_t, ends, 2);
  for (uint64_t first = (uint64_t)blockIdx.x * ORIENT_EDGES; first < rows.num_edges;
       first += (uint64_t)gridDim.x * ORIENT_EDGES) {
    const uint64_t rest = rows.num_edges - first;
    const uint64_t end = first + (rest < ORIENT_EDGES ? rest : ORIENT_EDGES);
    if (threadIdx.x < 2)
      ends[threadIdx.x] = row_of(rows, 0, rows.num_vertices - 1, threadIdx.x ? end - 1 : first);
    __syncthreads();
    for (uint64_t edge = first + threadIdx.x; edge < end; edge += blockDim.x) {
      const uint64_t u = row_of(rows, ends[0], ends[1], edge);
      visit(edge, (uint32_t)u, row_column(rows, u, edge));
    }
    __syncthreads();
  }
}

template <class Rows> __global__ void count_leaving(const Rows rows, uint32_t *degrees) {
  qn_grid_steps(rows.num_vertices, [&](uint64_t v) {
    const uint64_t degree = row_length(rows, v);
    degrees[v] = degree < (1u << 31) ? (uint32_t)degree : 1u << 31;
  });
}

template <class Rows> __global__ void count_arriving(const Rows rows, uint32_t *degrees) {
  visit_edges_of_rows(rows, [&](uint64_t, uint32_t, uint32_t v) {
    if (v != TC_NO_EDGE)
      atomicAdd(&degrees[v], 1u);
  });
}

/* Does u come before v in the order of degrees? */
QN_DEVICE_INLINE bool is_first(const uint32_t *degrees, uint32_t u, uint32_t v) {
  return degrees[u] < degrees[v] || (degrees[u] == degrees[v] && u < v);
}

/* Every edge as (its first end, its second end) in the order of degrees; edges that are loops, or
 * in an undirected graph the other copy, are dropped. */
template <class Rows>
__global__ void orient(const Rows rows, bool directed, const uint32_t *degrees, uint64_t *keys) {
  visit_edges_of_rows(rows, [&](uint64_t edge, uint32_t u, uint32_t v) {
    keys[edge] = TC_DROPPED;
    if (u == v || v == TC_NO_EDGE)
      return;
    const bool before = is_first(degrees, u, v);
    if (directed || before)
      keys[edge] = before ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
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
  bool directed;
  uint64_t num_vertices;
  uint32_t *degrees;
  uint64_t *keys;
  uint64_t num_edges; /* of the lists */
};

/* Sort (a directed graph's edges meet their reverse), and keep each edge once. */
enum qn_status keep_each_once(struct tc_work *work, uint64_t num_edges, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
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

template <class Rows>
enum qn_status orient_edges(const Rows &rows, struct tc_work *work, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const unsigned blocks = qn_grid(rows.num_edges, ORIENT_EDGES, memory->device.multiprocessors, 8);
  enum qn_status status = qn_cuda_alloc(memory, &work->degrees, rows.num_vertices,
                                        sizeof *work->degrees, "degrees", error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->keys, rows.num_edges, sizeof *work->keys,
                           "oriented edges", error);
  if (status)
    return status;
  QN_LAUNCH((count_leaving<Rows>), qn_run_blocks(memory, rows.num_vertices), QN_QUEUE_THREADS, 0,
            NULL, rows, work->degrees);
  if (work->directed)
    QN_LAUNCH((count_arriving<Rows>), blocks, TC_THREADS, 0, NULL, rows, work->degrees);
  QN_LAUNCH((orient<Rows>), blocks, TC_THREADS, 0, NULL, rows, work->directed, work->degrees,
            work->keys);
  status = qn_cuda_launched("orienting edges", error);
  return status ? status : keep_each_once(work, rows.num_edges, error);
}

/* Sorted edges as lists. */
enum qn_status create_lists(struct tc_work *work, const uint64_t *keys, struct tc_lists *lists,
                            struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t num_vertices = work->num_vertices;
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

/* Device memory for orienting so many edges, of rows that take `row_bytes`: the degrees, and both
 * numbers of every edge twice, with flags. In a directed graph they are sorted before half of them
 * are gone, which takes that much once more. */
inline uint64_t degree_edges_bytes(uint64_t num_vertices, uint64_t num_edges, bool directed,
                                   uint64_t row_bytes) {
  return row_bytes + 4 * num_vertices + (directed ? 28 : 17) * num_edges;
}

/* Of plain CSR. */
inline uint64_t degree_edges_csr_bytes(const struct qn_graph *graph) {
  const uint64_t V = graph->out.num_vertices, E = graph->out.num_edges;
  return degree_edges_bytes(V, E, graph->directedness != QN_UNDIRECTED, 8 * (V + 1) + 4 * E);
}

/* The edges of `rows`, which are on the device, sorted, as keys of `work`, of which `memory` and
 * `directed` are set, and the rest is zero. */
template <class Rows>
enum qn_status degree_edges_create(const Rows &rows, struct tc_work *work, struct qn_error *error) {
  work->num_vertices = rows.num_vertices;
  return orient_edges(rows, work, error);
}

/* Those of plain CSR, which is brought to the device. */
inline enum qn_status degree_edges_of_csr(const struct qn_graph *graph, struct qn_csr *csr,
                                          struct tc_work *work, struct qn_error *error) {
  work->directed = graph->directedness != QN_UNDIRECTED;
  enum qn_status status = qn_run_check_units(graph->out.num_vertices, graph->out.num_edges, error);
  if (!status)
    status = qn_cuda_csr_upload(work->memory, &graph->out, false, csr, error);
  return status ? status : degree_edges_create(*csr, work, error);
}

} /* namespace */
