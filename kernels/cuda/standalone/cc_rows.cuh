/* Components by a sample (cc_sampled.cuh) of rows of columns: their vertices' own, or several of a
 * vertex. Rows is struct cc_rows, or one that is made of it and knows columns by other numbers. */
#pragma once

#include "kernels/cuda/standalone/cc_sampled.cuh"

/* Edges of each row that are joined first. */
#define NEIGHBOR_ROUNDS 2

namespace {

/* Pointers are device memory. */
struct cc_rows {
  struct qn_csr csr;   /* rows instead of vertices */
  const uint32_t *ids; /* the vertices of rows; NULL: themselves */
  struct qn_unit_queue queue;
  qn_queue_size *queued;

  __device__ uint32_t vertex_of_column(uint32_t column) const { return column; }
};

QN_DEVICE_INLINE uint32_t vertex_of_row(const struct cc_rows &rows, uint64_t row) {
  return rows.ids ? rows.ids[row] : (uint32_t)row;
}

/* Every vertex below the first neighbour of its row. Where that is larger nothing is joined: the
 * neighbour will do it, or a later pass. Of several rows of a vertex one may undo what another
 * did; all are looked at again, or lead within the large component. */
template <class Rows>
__global__ void hang_below_first(const Rows rows, uint64_t num_rows, uint32_t *parent) {
  qn_grid_steps(num_rows, [&](uint64_t row) {
    const uint64_t edge = rows.csr.row_offsets[row];
    if (edge == rows.csr.row_offsets[row + 1])
      return;
    const uint32_t vertex = vertex_of_row(rows, row);
    const uint32_t first = rows.vertex_of_column(rows.csr.column_indices[edge]);
    if (first < vertex)
      parent[vertex] = first;
  });
}

template <class Rows>
__global__ void join_neighbor(const Rows rows, uint64_t num_rows, uint32_t *parent,
                              uint64_t round) {
  qn_grid_steps(num_rows, [&](uint64_t row) {
    const uint64_t edge = rows.csr.row_offsets[row] + round;
    if (edge < rows.csr.row_offsets[row + 1])
      join(parent, vertex_of_row(rows, row), rows.vertex_of_column(rows.csr.column_indices[edge]));
  });
}

/* Queue the rows whose edges are still to be joined. */
__global__ void queue_rest(const struct cc_rows rows, const struct cc_forest forest) {
  const uint32_t largest = *forest.largest;
  qn_queue_rows(rows.csr, rows.queue, rows.queued,
                [&](uint64_t row) { return forest.parent[vertex_of_row(rows, row)] != largest; });
}

template <class Rows> __global__ void join_rest(const Rows rows, uint32_t *parent) {
  QN_SHARED(struct qn_unit_tile, tiles, 1);
  struct qn_unit_tile *tile = tiles;
  const uint32_t num_entries = qn_queue_entries(*rows.queued);
  qn_unit_tiles(qn_queue_units(*rows.queued), [&](uint32_t first, uint32_t units) {
    const uint32_t loaded =
        qn_unit_load(rows.queue, num_entries, rows.csr.row_offsets, first, tile);
    for (uint32_t unit = threadIdx.x / QN_UNIT_EDGES; unit < units;
         unit += QN_QUEUE_THREADS / QN_UNIT_EDGES) {
      const uint32_t entry = qn_unit_entry(tile, loaded, unit);
      const uint64_t edge = qn_unit_edge(tile, entry, unit);
      if (edge < tile->ends[entry])
        join(parent, vertex_of_row(rows, tile->vertices[entry]),
             rows.vertex_of_column(__ldcs(&rows.csr.column_indices[edge])));
    }
    __syncthreads();
  });
}

/* What is needed beside the rows, which are there. */
inline enum qn_status cc_rows_create(struct qn_cuda_memory *memory, struct cc_rows *rows,
                                     struct qn_error *error) {
  if (qn_run_check_units(rows->csr.num_vertices, rows->csr.num_edges, NULL))
    return qn_run_no_room(memory); /* other engines need no queue */
  enum qn_status status = qn_run_queue(memory, rows->csr.num_vertices, &rows->queue, error);
  return status ? status
                : qn_cuda_alloc(memory, &rows->queued, 1, sizeof *rows->queued, "counters", error);
}

/* cc_join's `first`, of as many rows as there are vertices. */
template <class Rows>
enum qn_status cc_rows_first(const Rows *rows, const struct cc_forest *forest,
                             struct qn_error *error) {
  const uint64_t num_rows =
      rows->csr.num_vertices < forest->num_vertices ? rows->csr.num_vertices : forest->num_vertices;
  const unsigned blocks = qn_run_blocks(forest->memory, forest->num_vertices);
  QN_LAUNCH((hang_below_first<Rows>), blocks, QN_QUEUE_THREADS, 0, NULL, *rows, num_rows,
            forest->parent);
  for (uint64_t round = 1; round < NEIGHBOR_ROUNDS; round++) {
    QN_LAUNCH(compress, blocks, QN_QUEUE_THREADS, 0, NULL, forest->parent, forest->num_vertices);
    QN_LAUNCH((join_neighbor<Rows>), blocks, QN_QUEUE_THREADS, 0, NULL, *rows, num_rows,
              forest->parent, round);
  }
  return qn_cuda_launched("joining first neighbours", error);
}

/* cc_join's `rest`. */
template <class Rows>
enum qn_status cc_rows_rest(const Rows *rows, const struct cc_forest *forest,
                            struct qn_error *error) {
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(rows->queued, 0, sizeof *rows->queued, NULL), "clearing counters", error);
  if (status)
    return status;
  QN_LAUNCH(queue_rest, qn_run_blocks(forest->memory, rows->csr.num_vertices), QN_QUEUE_THREADS, 0,
            NULL, *rows, *forest);
  QN_LAUNCH((join_rest<Rows>), qn_run_blocks(forest->memory, rows->csr.num_edges), QN_QUEUE_THREADS,
            0, NULL, *rows, forest->parent);
  return qn_cuda_launched("joining edges", error);
}

/* cc_run_resident of rows, which `upload(memory, rows, error)` brings. */
template <class Rows = struct cc_rows, class Upload>
enum qn_status cc_rows_run(const struct qn_run_request *request, const struct cc_resident *graph,
                           Upload upload, struct qn_run_result *result, bool *too_large,
                           struct qn_error *error) {
  Rows rows;
  memset(&rows, 0, sizeof rows);
  return cc_run_resident(
      request, graph,
      [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
        enum qn_status status = upload(memory, &rows, failure);
        return status ? status : cc_rows_create(memory, &rows, failure);
      },
      [&](const struct cc_forest *forest, struct qn_error *failure) {
        return cc_rows_first(&rows, forest, failure);
      },
      [&](const struct cc_forest *forest, struct qn_error *failure) {
        return cc_rows_rest(&rows, forest, failure);
      },
      result, too_large, error);
}

} /* namespace */
