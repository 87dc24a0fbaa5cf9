/* The numbers of sampled edges: of rows of destinations those that edges have in the rows of
 * sources. */
#include "kernels/cpu/sampling/scratch.h"

int64_t qn_edge_number(const struct qn_sampling_edges *edges, const struct qn_sampling_row *row,
                       uint64_t edge, struct qn_row_reader *reader) {
  const struct qn_sampling_rows *rows = &edges->rows, *numbered = &edges->numbered;
  const uint32_t column = qn_column_of(rows, row, edge, reader);
  struct qn_sampling_row other;
  if (column >= numbered->num_vertices || !qn_row_of(numbered, column, &other))
    return -1;
  /* Parallel edges are in the same order in both. */
  const uint64_t before = edge - qn_row_search(rows, row, edge, column, reader);
  const uint64_t end = other.first + other.length;
  const uint64_t number =
      qn_row_search(numbered, &other, end, (uint32_t)row->number, reader) + before;
  return number < end ? (int64_t)number : -1;
}

static void number_piece(const struct qn_sampling_reading *reading, uint64_t begin, uint64_t end,
                         struct qn_row_reader *reader) {
  struct qn_sampling_work *work = reading->work;
  struct qn_sampled_edges *out = &work->sampled->edges[reading->edge_type];
  for (uint64_t i = begin; i < end; i++) {
    const struct qn_sampled_row *sampled = &work->scratch->rows[i];
    for (uint64_t j = sampled[0].begin; j < sampled[1].begin; j++) {
      int64_t *number = &out->numbers[out->count + j];
      *number = qn_edge_number(reading->edges, &sampled->row, (uint64_t)*number, reader);
      reader->damaged = reader->damaged || *number < 0;
    }
  }
}

enum qn_status qn_sampling_number_edges(const struct qn_sampling_reading *reading, uint64_t count,
                                        struct qn_error *error) {
  struct qn_sampling_reading numbering = *reading;
  numbering.read = number_piece;
  return reading->work->sampling->numbers && reading->edges->numbered.row_offsets
             ? qn_sampling_read(&numbering, count, error)
             : QN_OK;
}
