/* Rows that are read from where they lie: all of a hop at a time. */
#include "kernels/cpu/sampling/scratch.h"

#include "support/memory.h"

/* The offsets of all rows, and those behind each. */
static enum qn_status read_offsets(const struct qn_sampling_rows *rows, uint64_t first_row,
                                   const int64_t *centers, uint64_t count, uint64_t *offsets,
                                   struct qn_error *error) {
  int64_t *places;
  enum qn_status status = qn_alloc(&places, 2 * count, sizeof *places, "rows of a batch", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < count; i++) {
    places[2 * i] = (int64_t)first_row + centers[i];
    places[2 * i + 1] = places[2 * i] + 1;
  }
  status = rows->reads->offsets(rows->reads->context, places, 2 * count, offsets, error);
  qn_free(places);
  return status;
}

enum qn_status qn_sampling_read_rows(struct qn_sampling_work *work, uint32_t edge_type,
                                     uint64_t first, uint64_t count, struct qn_error *error) {
  const struct qn_sampling_edges *edges = &work->sampling->edges[edge_type];
  const int64_t *centers = work->sampled->vertices[edges->center_type].vertices + first;
  bool damaged = false;
  uint64_t *offsets = NULL;
  enum qn_status status = qn_sampling_reserve_rows(work->scratch, count + 1, error);
  if (!status)
    status = qn_alloc(&offsets, 2 * count, sizeof *offsets, "rows of a batch", error);
  if (!status)
    status = read_offsets(&edges->rows, edges->first_row, centers, count, offsets, error);
  for (uint64_t i = 0; i < count && !status; i++) {
    const uint64_t begin = offsets[2 * i], end = offsets[2 * i + 1];
    const bool within = begin <= end && end <= edges->rows.num_edges;
    damaged = damaged || !within;
    work->scratch->rows[i] =
        (struct qn_sampled_row){.row = {edges->first_row + (uint64_t)centers[i], within ? begin : 0,
                                        within ? end - begin : 0}};
  }
  if (!status)
    work->scratch->rows[count] = (struct qn_sampled_row){0};
  qn_free(offsets);
  return status ? status : qn_sampling_read_status(damaged ? QN_ROWS_DAMAGED : QN_ROWS_READ, error);
}

enum qn_status qn_sampling_read_columns(const struct qn_sampling_reading *reading, uint64_t count,
                                        struct qn_error *error) {
  const struct qn_sampling_edges *edges = reading->edges;
  const struct qn_sampling_reads *reads = edges->rows.reads;
  const uint64_t num_neighbors = reading->work->sampling->num_vertices[edges->neighbor_type];
  const struct qn_sampled_edges *out = &reading->work->sampled->edges[reading->edge_type];
  uint32_t *columns = reading->work->scratch->columns;
  bool damaged = false;
  enum qn_status status =
      reads->columns(reads->context, out->numbers + out->count, count, columns, error);
  for (uint64_t i = 0; i < count && !status; i++) {
    columns[i] -= (uint32_t)edges->first_column;
    damaged = damaged || columns[i] >= num_neighbors;
  }
  return status ? status : qn_sampling_read_status(damaged ? QN_ROWS_DAMAGED : QN_ROWS_READ, error);
}
