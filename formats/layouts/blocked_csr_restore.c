/* From blocks back to plain rows.
 *
 * Columns of a row ascend from block to block, so a row is its parts in block
 * order, one after the other. The range starts tell where the rows of 1024
 * vertices are in each block; ranges are worked on in parallel. */
#include <string.h>

#include "support/used_files.h"
#include <quern/blocked_csr.h>
#include <quern/transpose.h>

struct union_work {
  const struct qn_blocking *blocking;
  uint64_t num_vertices, num_edges;
  struct qn_graph_arrays arrays;
};

/* row_offsets[v + 1] becomes the length of row v, for the vertices of a range. */
static void count_range(const struct union_work *work, uint64_t range) {
  const struct qn_blocking *blocking = work->blocking;
  for (uint64_t block = 0; block < blocking->num_blocks; block++) {
    const uint32_t *offsets = qn_block_offsets(blocking, block);
    const uint32_t *starts = qn_block_ranges(blocking, block);
    const uint32_t *ids = blocking->id_map + blocking->block_rows[block];
    for (uint64_t row = starts[range]; row < starts[range + 1]; row++)
      work->arrays.row_offsets[(uint64_t)ids[row] + 1] += offsets[row + 1] - offsets[row];
  }
}

static void copy_row(const struct union_work *work, uint64_t from, uint64_t to, uint64_t count) {
  memcpy(work->arrays.column_indices + to, work->blocking->columns + from, 4 * count);
  unsigned weight_bytes = qn_weight_bytes(work->blocking->weights.type);
  if (weight_bytes)
    memcpy((char *)work->arrays.weights + to * weight_bytes,
           (const char *)work->blocking->weights.data + from * weight_bytes, count * weight_bytes);
}

static void copy_range(const struct union_work *work, uint64_t range) {
  const struct qn_blocking *blocking = work->blocking;
  uint64_t first = range * QN_RANGE_VERTICES;
  uint64_t places[QN_RANGE_VERTICES] = {0};
  for (uint64_t v = first; v < first + QN_RANGE_VERTICES && v < work->num_vertices; v++)
    places[v - first] = work->arrays.row_offsets[v];
  for (uint64_t block = 0; block < blocking->num_blocks; block++) {
    const uint32_t *offsets = qn_block_offsets(blocking, block);
    const uint32_t *starts = qn_block_ranges(blocking, block);
    const uint32_t *ids = blocking->id_map + blocking->block_rows[block];
    for (uint64_t row = starts[range]; row < starts[range + 1]; row++) {
      uint32_t begin = offsets[row], count = offsets[row + 1] - begin,
               own = ids[row] - (uint32_t)first;
      if (own >= QN_RANGE_VERTICES || count > work->num_edges - places[own])
        return; /* the file is being overwritten (used_files.h) */
      copy_row(work, blocking->block_edges[block] + begin, places[own], count);
      places[own] += count;
    }
  }
}

enum qn_status qn_blocking_unite(const struct qn_blocking *blocking, uint64_t num_vertices,
                                 struct qn_graph *graph, struct qn_error *error) {
  struct union_work work = {
      .blocking = blocking, .num_vertices = num_vertices, .num_edges = blocking->num_edges};
  enum qn_status status = qn_graph_create(num_vertices, work.num_edges, blocking->weights.type,
                                          graph, &work.arrays, error);
  if (status)
    return status;
  uint64_t *offsets = work.arrays.row_offsets;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v <= num_vertices; v++)
    offsets[v] = 0;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t range = 0; range < blocking->num_ranges; range++)
    count_range(&work, range);
  for (uint64_t v = 0; v < num_vertices; v++)
    offsets[v + 1] += offsets[v];
  if (offsets[num_vertices] != work.num_edges) {
    qn_graph_unmap(graph);
    return qn_input_changed(error);
  }
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t range = 0; range < blocking->num_ranges; range++)
    copy_range(&work, range);
  return QN_OK;
}

enum qn_status qn_blocked_csr_out_edges(const struct qn_blocked_csr *blocked,
                                        struct qn_graph *graph, struct qn_error *error) {
  struct qn_graph in;
  if (blocked->has_push)
    return qn_blocking_unite(&blocked->push, blocked->num_vertices, graph, error);
  /* An undirected graph's rows are the same in both directions. */
  if (blocked->directedness == QN_UNDIRECTED)
    return qn_blocking_unite(&blocked->pull, blocked->num_vertices, graph, error);
  enum qn_status status = qn_blocking_unite(&blocked->pull, blocked->num_vertices, &in, error);
  if (status)
    return status;
  status = qn_graph_create_transpose(&in.out, graph, error);
  qn_graph_unmap(&in);
  return status;
}
