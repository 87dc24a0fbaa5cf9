/* Some vertices and all edges between them: what Cluster-GCN (Chiang et al., KDD 2019) and
 * GraphSAINT (Zeng et al., ICLR 2020) train on. */
#include "kernels/cpu/sampling/scratch.h"

/* The place of a neighbour among the seeds; false if it is not one. */
static bool is_seed(const struct qn_sampling_reading *reading, const struct qn_sampling_row *row,
                    uint64_t edge, int64_t *place, struct qn_row_reader *reader) {
  const struct qn_sampling_edges *edges = reading->edges;
  const uint32_t column =
      qn_column_of(&edges->rows, row, edge, reader) - (uint32_t)edges->first_column;
  const struct qn_place *found =
      qn_places_find(&reading->work->scratch->places[edges->neighbor_type], column, 0, NULL);
  *place = (int64_t)found->place - 1;
  return found->place;
}

static void count_induced(const struct qn_sampling_reading *reading, uint64_t begin, uint64_t end,
                          struct qn_row_reader *reader) {
  struct qn_sampled_row *rows = reading->work->scratch->rows;
  int64_t place;
  for (uint64_t i = begin; i < end; i++) {
    const struct qn_sampling_row *row = &rows[i].row;
    rows[i].begin = 0;
    for (uint64_t e = row->first; e < row->first + row->length; e++)
      rows[i].begin += is_seed(reading, row, e, &place, reader);
  }
}

static void take_induced(const struct qn_sampling_reading *reading, uint64_t begin, uint64_t end,
                         struct qn_row_reader *reader) {
  struct qn_sampled_edges *out = &reading->work->sampled->edges[reading->edge_type];
  const struct qn_sampled_row *rows = reading->work->scratch->rows;
  int64_t place;
  for (uint64_t i = begin; i < end; i++) {
    const struct qn_sampling_row *row = &rows[i].row;
    uint64_t at = rows[i].begin;
    for (uint64_t e = row->first; e < row->first + row->length; e++) {
      if (!is_seed(reading, row, e, &place, reader))
        continue;
      if (at < rows[i + 1].begin) {
        out->neighbors[at] = place;
        out->centers[at] = (int64_t)i;
        out->numbers[at] = (int64_t)e;
      }
      at++;
    }
    reader->damaged = reader->damaged || at != rows[i + 1].begin; /* there are others by now */
  }
}

static enum qn_status induce(struct qn_sampling_work *work, uint32_t edge_type,
                             struct qn_error *error) {
  const struct qn_sampling_edges *edges = &work->sampling->edges[edge_type];
  struct qn_sampled_edges *out = &work->sampled->edges[edge_type];
  struct qn_sampled_row *rows;
  const uint64_t count = work->sampled->vertices[edges->center_type].count;
  struct qn_sampling_reading reading = {work, edges, edge_type, 0, 0, count_induced};
  uint64_t sum = 0;
  enum qn_status status = qn_sampling_find_rows(work, edge_type, 0, count, error);
  if (!status)
    status = qn_sampling_read(&reading, count, error);
  if (status)
    return status;
  rows = work->scratch->rows;
  for (uint64_t i = 0; i <= count; i++) {
    const uint64_t taken = rows[i].begin;
    rows[i].begin = sum;
    sum += taken;
  }
  status = qn_sampled_reserve_edges(out, sum, error);
  reading.read = take_induced;
  if (!status)
    status = qn_sampling_read(&reading, count, error);
  if (!status)
    status = qn_sampling_number_edges(&reading, count, error);
  out->count = status ? 0 : sum;
  return status;
}

enum qn_status qn_sample_induced(const struct qn_sampling *sampling,
                                 struct qn_sampling_scratch *scratch,
                                 const struct qn_sampling_seeds *seeds, struct qn_sampled *sampled,
                                 struct qn_error *error) {
  struct qn_sampling plain = *sampling;
  plain.disjoint = false;
  struct qn_sampling_work work = {.sampling = &plain, .scratch = scratch, .sampled = sampled};
  enum qn_status status = qn_sampling_begin(&work, seeds, true, error);
  for (uint32_t type = 0; type < sampling->num_edge_types && !status; type++)
    status = induce(&work, type, error);
  return status;
}
