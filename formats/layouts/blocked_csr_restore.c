/* From blocks back to plain rows.
 *
 * Columns of a row ascend from block to block, so a row is its parts in block
 * order, one after the other. The range starts tell where the rows of 1024
 * vertices are in each block; ranges are worked on in parallel. */
#include <string.h>

#include "support/used_files.h"
#include <quern/blocked_csr.h>
#include <quern/transpose.h>

/* Where the rows of some ranges go. */
struct union_work {
  const struct qn_blocking *blocking;
  uint64_t first_vertex, num_rows, num_edges;
  uint64_t *offsets; /* [num_rows + 1] */
  uint32_t *columns;
  void *weights; /* NULL: they are not wanted */
};

/* offsets[row + 1] becomes the length of a row, for the vertices of a range. */
static void count_range(const struct union_work *work, uint64_t range) {
  const struct qn_blocking *blocking = work->blocking;
  for (uint64_t block = 0; block < blocking->num_blocks; block++) {
    const uint32_t *offsets = qn_block_offsets(blocking, block);
    const uint32_t *starts = qn_block_ranges(blocking, block);
    const uint32_t *ids = blocking->id_map + blocking->block_rows[block];
    for (uint64_t row = starts[range]; row < starts[range + 1]; row++)
      if (ids[row] - work->first_vertex < work->num_rows)
        work->offsets[ids[row] - work->first_vertex + 1] += offsets[row + 1] - offsets[row];
  }
}

static void copy_row(const struct union_work *work, uint64_t from, uint64_t to, uint64_t count) {
  memcpy(work->columns + to, work->blocking->columns + from, 4 * count);
  unsigned weight_bytes = work->weights ? qn_weight_bytes(work->blocking->weights.type) : 0;
  if (weight_bytes)
    memcpy((char *)work->weights + to * weight_bytes,
           (const char *)work->blocking->weights.data + from * weight_bytes, count * weight_bytes);
}

static void copy_range(const struct union_work *work, uint64_t range) {
  const struct qn_blocking *blocking = work->blocking;
  const uint64_t first = range * QN_RANGE_VERTICES, base = first - work->first_vertex;
  uint64_t places[QN_RANGE_VERTICES] = {0};
  for (uint64_t i = 0; i < QN_RANGE_VERTICES && base + i < work->num_rows; i++)
    places[i] = work->offsets[base + i];
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

static bool unite(const struct union_work *work, uint64_t begin, uint64_t end) {
  uint64_t *offsets = work->offsets;
#pragma omp parallel for schedule(static)
  for (uint64_t row = 0; row <= work->num_rows; row++)
    offsets[row] = 0;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t range = begin; range < end; range++)
    count_range(work, range);
  for (uint64_t row = 0; row < work->num_rows; row++)
    offsets[row + 1] += offsets[row];
  if (offsets[work->num_rows] != work->num_edges)
    return false;
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t range = begin; range < end; range++)
    copy_range(work, range);
  return true;
}

uint64_t qn_blocking_edges_before(const struct qn_blocking *blocking, uint64_t range) {
  uint64_t sum = 0;
  for (uint64_t block = 0; block < blocking->num_blocks; block++)
    sum += qn_block_offsets(blocking, block)[qn_block_ranges(blocking, block)[range]];
  return sum;
}

bool qn_blocking_unite_between(const struct qn_blocking *blocking, uint64_t begin, uint64_t end,
                               uint64_t num_rows, uint64_t num_edges, uint64_t *offsets,
                               uint32_t *columns) {
  const struct union_work work = {.blocking = blocking,
                                  .first_vertex = begin * QN_RANGE_VERTICES,
                                  .num_rows = num_rows,
                                  .num_edges = num_edges,
                                  .offsets = offsets,
                                  .columns = columns};
  return unite(&work, begin, end);
}

enum qn_status qn_blocking_unite(const struct qn_blocking *blocking, uint64_t num_vertices,
                                 struct qn_graph *graph, struct qn_error *error) {
  struct qn_graph_arrays arrays;
  enum qn_status status = qn_graph_create(num_vertices, blocking->num_edges, blocking->weights.type,
                                          graph, &arrays, error);
  if (status)
    return status;
  const struct union_work work = {.blocking = blocking,
                                  .num_rows = num_vertices,
                                  .num_edges = blocking->num_edges,
                                  .offsets = arrays.row_offsets,
                                  .columns = arrays.column_indices,
                                  .weights = arrays.weights};
  if (unite(&work, 0, blocking->num_ranges))
    return QN_OK;
  qn_graph_unmap(graph);
  return qn_input_changed(error);
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
