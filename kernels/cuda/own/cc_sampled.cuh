/* Weakly connected components by Afforest (Sutton, Ben-Nun, Barak: Optimizing Parallel Graph
 * Connectivity Computation via Subgraph Sampling, IPDPS 2018) on rows of columns in device memory,
 * for kernels of their own: a vertex may have several rows.
 *
 * Bytes: the rounds over first neighbours read 16 bytes of offsets, a column index and some
 * random parents a row; what remains is bound by the random accesses to `parent`, 4 V bytes, which
 * stay in L2 up to some ten million vertices.
 *
 * parent[v] <= v always holds, so a root is the smallest vertex of its tree, whatever the order in
 * which edges are joined. A parent that was read may be old, but then it is an ancestor all the
 * same, and the compare-and-swap that joins two trees tells; so parents are read through L1 (the
 * roots of large trees, which everyone reads, would serialise in L2), and paths are halved without
 * atomics (Jaiganesh, Burtscher: A High-Performance Connected Components Implementation for GPUs,
 * HPDC 2018). */
#ifndef QN_KERNELS_CUDA_OWN_CC_SAMPLED_CUH
#define QN_KERNELS_CUDA_OWN_CC_SAMPLED_CUH

#include "kernels/cuda/own/cc_trees.cuh"

/* Edges of each vertex that are joined before the large component is looked for. */
#define NEIGHBOR_ROUNDS 2
#define NUM_SAMPLES 1024

namespace {

struct cc_counters {
  qn_queue_size queued;
};

QN_DEVICE_INLINE uint32_t vertex_of_row(const uint32_t *ids, uint64_t row) {
  return ids ? ids[row] : (uint32_t)row;
}

/* Every vertex alone, or below the first neighbour of its row. Where that is larger nothing is
 * joined: the neighbour will do it, or a later pass. Of several rows of a vertex one may undo
 * what another did; both are looked at again, or lead within the large component. */
__global__ void begin_below_first(const struct qn_csr csr, const uint32_t *ids, uint64_t num_rows,
                                  uint32_t *parent) {
  qn_grid_steps(num_rows, [&](uint64_t row) {
    const uint64_t edge = csr.row_offsets[row];
    const uint32_t vertex = vertex_of_row(ids, row);
    const uint32_t first = edge < csr.row_offsets[row + 1] ? csr.column_indices[edge] : vertex;
    if (!ids || first < vertex)
      parent[vertex] = first < vertex ? first : vertex;
  });
}

__global__ void join_neighbor(const struct qn_csr csr, const uint32_t *ids, uint64_t num_rows,
                              uint32_t *parent, uint64_t round) {
  qn_grid_steps(num_rows, [&](uint64_t row) {
    const uint64_t edge = csr.row_offsets[row] + round;
    if (edge < csr.row_offsets[row + 1])
      join(parent, vertex_of_row(ids, row), csr.column_indices[edge]);
  });
}

/* The roots of vertices spread evenly, though not at regular distances, which may be alike. */
__global__ void take_samples(const uint32_t *parent, uint64_t num_vertices, uint32_t *samples) {
  const uint64_t stretch = num_vertices / NUM_SAMPLES;
  const uint64_t sample = threadIdx.x;
  const uint64_t vertex = sample * stretch + (stretch ? sample * 0x9E3779B97F4A7C15u % stretch : 0);
  samples[sample] = vertex < num_vertices ? parent[vertex] : UINT32_MAX;
}

/* Queue the rows whose edges are still to be joined. */
__global__ void queue_rest(const struct qn_csr csr, const uint32_t *ids, const uint32_t *parent,
                           bool skips, uint32_t largest, const struct qn_unit_queue queue,
                           struct cc_counters *counters) {
  qn_queue_rows(csr, queue, &counters->queued, [&](uint64_t row) {
    return !(skips && parent[vertex_of_row(ids, row)] == largest);
  });
}

__global__ void join_rest(const struct qn_csr csr, const uint32_t *ids, uint32_t *parent,
                          const struct qn_unit_queue queue, const struct cc_counters *counters) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  struct qn_unit_tile *tile = tiles;
  const uint32_t num_entries = qn_queue_entries(counters->queued);
  qn_unit_tiles(qn_queue_units(counters->queued), [&](uint32_t first, uint32_t units) {
    const uint32_t loaded = qn_unit_load(queue, num_entries, csr.row_offsets, first, tile);
    for (uint32_t unit = threadIdx.x / QN_UNIT_EDGES; unit < units;
         unit += QN_QUEUE_THREADS / QN_UNIT_EDGES) {
      const uint32_t entry = qn_unit_entry(tile, loaded, unit);
      const uint64_t edge = qn_unit_edge(tile, entry, unit);
      if (edge < tile->ends[entry])
        join(parent, vertex_of_row(ids, tile->vertices[entry]), __ldcs(&csr.column_indices[edge]));
    }
    __syncthreads();
  });
}

struct cc_work {
  struct qn_cuda_memory *memory;
  uint64_t num_vertices;
  struct qn_csr out, in; /* on the device; rows of columns; without offsets: none */
  const uint32_t *ids;   /* the vertices of rows, on the device; NULL: themselves */
  bool both_ends;        /* an edge is seen from both its ends */
  uint32_t *parent;
  uint32_t *samples;
  const uint32_t *positions; /* [V] or NULL */
  struct qn_unit_queue queue;
  struct cc_counters *counters;
  unsigned blocks;
};

/* What is needed beside the rows, which are there. */
enum qn_status cc_sampled_create(struct cc_work *work, const struct qn_run_request *request,
                                 struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = work->num_vertices, rows = work->out.num_vertices;
  enum qn_status status =
      qn_cuda_alloc(memory, &work->parent, V, sizeof *work->parent, "labels", error);
  if (!status)
    status =
        qn_cuda_alloc(memory, &work->samples, NUM_SAMPLES, sizeof *work->samples, "samples", error);
  if (!status)
    status = qn_run_queue(memory, rows > V ? rows : V, &work->queue, error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->counters, 1, sizeof *work->counters, "counters", error);
  if (!status && request->positions)
    status = qn_cuda_copy_of(memory, &work->positions, request->positions, V, 0, sizeof(uint32_t),
                             "positions", error);
  work->blocks = qn_run_blocks(memory, V);
  return status;
}

/* The root that most of the samples have: a majority vote (Boyer, Moore), which finds a component
 * of more than half of the vertices if there is one, the only case worth finding. */
uint32_t majority(const uint32_t *samples) {
  uint32_t candidate = UINT32_MAX;
  int64_t lead = 0;
  for (int sample = 0; sample < NUM_SAMPLES; sample++) {
    if (samples[sample] == UINT32_MAX)
      continue;
    if (lead == 0)
      candidate = samples[sample];
    lead += samples[sample] == candidate ? 1 : -1;
  }
  return candidate;
}

enum qn_status join_first(struct cc_work *work, uint32_t *largest, struct qn_error *error) {
  uint32_t samples[NUM_SAMPLES];
  const uint64_t rows =
      work->out.num_vertices < work->num_vertices ? work->out.num_vertices : work->num_vertices;
  if (work->ids)
    QN_LAUNCH(begin_alone, work->blocks, QN_QUEUE_THREADS, 0, NULL, work->parent,
              work->num_vertices);
  QN_LAUNCH(begin_below_first, work->blocks, QN_QUEUE_THREADS, 0, NULL, work->out, work->ids, rows,
            work->parent);
  QN_LAUNCH(compress, work->blocks, QN_QUEUE_THREADS, 0, NULL, work->parent, work->num_vertices);
  for (uint64_t round = 1; round < NEIGHBOR_ROUNDS; round++) {
    QN_LAUNCH(join_neighbor, work->blocks, QN_QUEUE_THREADS, 0, NULL, work->out, work->ids, rows,
              work->parent, round);
    QN_LAUNCH(compress, work->blocks, QN_QUEUE_THREADS, 0, NULL, work->parent, work->num_vertices);
  }
  QN_LAUNCH(take_samples, 1, NUM_SAMPLES, 0, NULL, work->parent, work->num_vertices, work->samples);
  enum qn_status status = qn_cuda_launched("joining first neighbours", error);
  if (!status)
    status =
        qn_cuda_status(cudaMemcpy(samples, work->samples, sizeof samples, cudaMemcpyDeviceToHost),
                       "joining first neighbours", error);
  if (!status)
    *largest = majority(samples);
  return status;
}

/* Join all edges but those between vertices of `largest`. Without in-edges an edge from there is
 * seen from that end alone, so none may be skipped. */
enum qn_status join_direction(struct cc_work *work, const struct qn_csr *csr, uint32_t largest,
                              struct qn_error *error) {
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(work->counters, 0, sizeof *work->counters, NULL), "clearing counters", error);
  if (status)
    return status;
  QN_LAUNCH(queue_rest, work->blocks, QN_QUEUE_THREADS, 0, NULL, *csr, work->ids, work->parent,
            work->both_ends, largest, work->queue, work->counters);
  QN_LAUNCH(join_rest, qn_run_blocks(work->memory, csr->num_edges), QN_QUEUE_THREADS, 0, NULL, *csr,
            work->ids, work->parent, work->queue, work->counters);
  QN_LAUNCH(compress, work->blocks, QN_QUEUE_THREADS, 0, NULL, work->parent, work->num_vertices);
  return qn_cuda_launched("joining edges", error);
}

/* All components, in work->parent. */
enum qn_status cc_sampled(struct cc_work *work, struct qn_error *error) {
  uint32_t largest = UINT32_MAX;
  enum qn_status status = join_first(work, &largest, error);
  if (!status)
    status = join_direction(work, &work->out, largest, error);
  if (!status && work->in.row_offsets)
    status = join_direction(work, &work->in, largest, error);
  return status ? status
                : label(work->memory, work->parent, work->positions, work->queue.units,
                        work->num_vertices, error);
}

} /* namespace */

#endif
