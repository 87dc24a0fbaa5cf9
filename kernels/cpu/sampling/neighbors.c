/* Neighbours, hop by hop. A hop along a type of edges takes four steps: the rows of its centers are
 * found; it is counted how many edges are taken of each; these are chosen, and their neighbours
 * read; and then, in order, the neighbours get their places. All but the last are done by any
 * number of threads, and ask for the memory that they need some time before. */
#include "kernels/cpu/sampling/choose.h"
#include "kernels/cpu/sampling/scratch.h"

#include <stdlib.h>

#define STREAM_NEIGHBORS 0x4E31
/* Rows whose edges are fetched before the first of their neighbours is read. */
#define GROUP ((uint64_t)8)

/* ---- Times -------------------------------------------------------------------- */

/* What is taken of a row is no newer than its tree. */
struct cut_off {
  const struct qn_sampling_row *row;
  const int64_t *of_vertices, *of_edges; /* NULL: they are of any time */
  int64_t time;
};

static bool has_times(const struct qn_sampling_work *work, const struct qn_sampling_edges *edges) {
  return work->sampling->disjoint &&
         (edges->times || (work->sampling->times && work->sampling->times[edges->neighbor_type]));
}

/* Times are those of whole rows. */
static bool are_read(const struct qn_sampling_work *work, const struct qn_sampling_edges *edges) {
  return edges->rows.reads && !has_times(work, edges);
}

static struct cut_off cut_off_of(const struct qn_sampling_reading *reading, uint64_t i) {
  const struct qn_sampling_work *work = reading->work;
  const struct qn_sampling *sampling = work->sampling;
  const int64_t *trees = work->sampled->vertices[reading->edges->center_type].trees;
  return (struct cut_off){
      .row = &work->scratch->rows[i].row,
      .of_vertices = sampling->times ? sampling->times[reading->edges->neighbor_type] : NULL,
      .of_edges = reading->edges->times,
      .time = work->scratch->tree_times[trees[reading->first_center + i]],
  };
}

static bool is_vertex(const struct qn_sampling_reading *reading, uint32_t column) {
  const struct qn_sampling_edges *edges = reading->edges;
  return column - edges->first_column < reading->work->sampling->num_vertices[edges->neighbor_type];
}

/* One that is not a vertex is: it is found out when it is read again. */
static bool is_in_time(const struct qn_sampling_reading *reading, const struct cut_off *cut_off,
                       uint64_t edge, struct qn_row_reader *reader) {
  if (cut_off->of_edges && cut_off->of_edges[edge] > cut_off->time)
    return false;
  if (!cut_off->of_vertices)
    return true;
  const uint32_t column = qn_column_of(&reading->edges->rows, cut_off->row, edge, reader);
  return !is_vertex(reading, column) ||
         cut_off->of_vertices[column - reading->edges->first_column] <= cut_off->time;
}

/* ---- How many ------------------------------------------------------------------- */

static uint64_t taken_of(const struct qn_sampling_reading *reading, uint64_t available) {
  const int64_t fanout = reading->edges->fanouts[reading->hop];
  if (fanout == QN_ALL_NEIGHBORS || !available)
    return available;
  return reading->work->sampling->replace || (uint64_t)fanout < available ? (uint64_t)fanout
                                                                          : available;
}

static uint64_t count_available(const struct qn_sampling_reading *reading, uint64_t i,
                                struct qn_row_reader *reader) {
  const struct cut_off cut_off = cut_off_of(reading, i);
  const uint64_t end = cut_off.row->first + cut_off.row->length;
  uint64_t available = 0;
  for (uint64_t e = cut_off.row->first; e < end; e++)
    available += is_in_time(reading, &cut_off, e, reader);
  return available;
}

static void count_in_time(const struct qn_sampling_reading *reading, uint64_t begin, uint64_t end,
                          struct qn_row_reader *reader) {
  for (uint64_t i = begin; i < end; i++)
    reading->work->scratch->rows[i].begin = count_available(reading, i, reader);
}

/* Where the edges of each row begin; returns how many there are. */
static uint64_t lay_out(const struct qn_sampling_reading *reading, uint64_t count, bool timed) {
  struct qn_sampled_row *rows = reading->work->scratch->rows;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t taken = taken_of(reading, timed ? rows[i].begin : rows[i].row.length);
    rows[i].begin = sum;
    sum += taken;
  }
  rows[count].begin = sum;
  return sum;
}

/* ---- Which ---------------------------------------------------------------------- */

static uint64_t key_of_row(const struct qn_sampling_reading *reading, uint64_t i) {
  const struct qn_sampling_work *work = reading->work;
  const struct qn_sampled_vertices *centers = &work->sampled->vertices[reading->edges->center_type];
  const uint64_t place = reading->first_center + i;
  const uint64_t key = qn_random_at(work->key, (uint64_t)reading->hop << 32 | reading->edge_type);
  return qn_random_at(work->sampling->disjoint ? qn_random_at(key, (uint64_t)centers->trees[place])
                                               : key,
                      (uint64_t)centers->vertices[place]);
}

/* Which of `available`, from 0. */
static void choose(const struct qn_sampling_reading *reading, uint64_t i, uint64_t available,
                   uint64_t count, int64_t *chosen) {
  const uint64_t key = key_of_row(reading, i);
  const bool replace =
      reading->work->sampling->replace && reading->edges->fanouts[reading->hop] >= 0;
  if (!replace && count < available) {
    qn_choose(key, available, count, chosen);
    return;
  }
  for (uint64_t j = 0; j < count; j++)
    chosen[j] = replace ? (int64_t)qn_random_below(qn_random_at(key, j), available) : (int64_t)j;
}

static int by_number(const void *a, const void *b) {
  const int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
  return (first > second) - (first < second);
}

/* Edges by their ranks among those that are in time: false if by now there are others. */
static bool find_ranks(const struct qn_sampling_reading *reading, uint64_t i, uint64_t count,
                       int64_t *chosen, struct qn_row_reader *reader) {
  const struct cut_off cut_off = cut_off_of(reading, i);
  const uint64_t end = cut_off.row->first + cut_off.row->length;
  uint64_t found = 0;
  int64_t rank = 0;
  qsort(chosen, count, sizeof *chosen, by_number);
  for (uint64_t e = cut_off.row->first; e < end && found < count; e++) {
    if (!is_in_time(reading, &cut_off, e, reader))
      continue;
    for (; found < count && chosen[found] == rank; found++)
      chosen[found] = (int64_t)e;
    rank++;
  }
  return found == count;
}

static bool choose_in_time(const struct qn_sampling_reading *reading, uint64_t i, uint64_t count,
                           int64_t *chosen, struct qn_row_reader *reader) {
  const uint64_t available = count_available(reading, i, reader);
  if (!available || taken_of(reading, available) != count)
    return false;
  choose(reading, i, available, count, chosen);
  return find_ranks(reading, i, count, chosen, reader);
}

/* The edges of row i that are taken go to the batch. */
static void choose_row(const struct qn_sampling_reading *reading, uint64_t i, uint64_t base,
                       bool timed, struct qn_row_reader *reader) {
  struct qn_sampled_edges *out = &reading->work->sampled->edges[reading->edge_type];
  const struct qn_sampled_row *row = &reading->work->scratch->rows[i];
  const uint64_t begin = row[0].begin, count = row[1].begin - begin;
  int64_t *chosen = out->numbers + base + begin;
  if (timed && count && !choose_in_time(reading, i, count, chosen, reader)) {
    reader->damaged = true;
    for (uint64_t j = 0; j < count; j++)
      chosen[j] = 0;
  }
  if (!timed) {
    choose(reading, i, row->row.length, count, chosen);
    for (uint64_t j = 0; j < count; j++)
      chosen[j] += (int64_t)row->row.first;
  }
  for (uint64_t j = 0; j < count && !are_read(reading->work, reading->edges); j++)
    qn_column_prefetch(&reading->edges->rows, (uint64_t)chosen[j]);
}

static void read_edge(const struct qn_sampling_reading *reading,
                      const struct qn_sampled_row *sampled, uint64_t j, uint64_t base,
                      struct qn_row_reader *reader) {
  const struct qn_sampled_edges *out = &reading->work->sampled->edges[reading->edge_type];
  const uint32_t column =
      qn_column_of(&reading->edges->rows, &sampled->row, (uint64_t)out->numbers[base + j], reader);
  if (!is_vertex(reading, column))
    reader->damaged = true;
  reading->work->scratch->columns[j] = column - (uint32_t)reading->edges->first_column;
}

/* Few edges are in no order: with one that has to be decoded all that are decoded by that. */
static void read_row(const struct qn_sampling_reading *reading, uint64_t i, uint64_t base,
                     struct qn_row_reader *reader) {
  const struct qn_sampled_row *sampled = &reading->work->scratch->rows[i];
  const int64_t *numbers =
      reading->work->sampled->edges[reading->edge_type].numbers + base + sampled[0].begin;
  const uint64_t begin = sampled[0].begin, count = sampled[1].begin - begin;
  if (count > QN_CHOOSE_FEW || !reading->edges->rows.packed) {
    for (uint64_t j = 0; j < count; j++)
      read_edge(reading, sampled, begin + j, base, reader);
    return;
  }
  uint64_t left = ((uint64_t)1 << count) - 1;
  while (left) {
    const int first = __builtin_ctzll(left);
    read_edge(reading, sampled, begin + (uint64_t)first, base, reader);
    left &= left - 1;
    for (uint64_t others = left; others; others &= others - 1) {
      const int j = __builtin_ctzll(others);
      if (!qn_is_decoded(&reading->edges->rows, (uint64_t)numbers[j], reader))
        continue;
      read_edge(reading, sampled, begin + (uint64_t)j, base, reader);
      left &= ~((uint64_t)1 << j);
    }
  }
}

static void set_centers(const struct qn_sampling_reading *reading, uint64_t i, uint64_t base) {
  struct qn_sampled_edges *out = &reading->work->sampled->edges[reading->edge_type];
  const struct qn_sampled_row *sampled = &reading->work->scratch->rows[i];
  for (uint64_t j = sampled[0].begin; j < sampled[1].begin; j++)
    out->centers[base + j] = (int64_t)(reading->first_center + i);
}

static void choose_piece(const struct qn_sampling_reading *reading, uint64_t begin, uint64_t end,
                         struct qn_row_reader *reader) {
  const uint64_t base = reading->work->sampled->edges[reading->edge_type].count;
  const bool timed = has_times(reading->work, reading->edges);
  uint64_t chosen = begin;
  for (uint64_t i = begin; i < end; i++) {
    for (; chosen < end && chosen < i + GROUP; chosen++)
      choose_row(reading, chosen, base, timed, reader);
    if (!are_read(reading->work, reading->edges))
      read_row(reading, i, base, reader);
    set_centers(reading, i, base);
  }
}

/* ---- Where to ------------------------------------------------------------------- */

/* Neighbours of [0, count) of the hop's edges get their places. */
static enum qn_status place_neighbors(const struct qn_sampling_reading *reading, uint64_t count,
                                      struct qn_error *error) {
  struct qn_sampling_work *work = reading->work;
  const uint32_t type = reading->edges->neighbor_type;
  const uint32_t *columns = work->scratch->columns;
  struct qn_places *places = &work->scratch->places[type];
  struct qn_sampled_edges *out = &work->sampled->edges[reading->edge_type];
  const int64_t *trees =
      work->sampling->disjoint ? work->sampled->vertices[reading->edges->center_type].trees : NULL;
  enum qn_status status = qn_sampled_reserve_vertices(
      &work->sampled->vertices[type], work->sampled->vertices[type].count + count, error);
  if (trees) /* which may have moved */
    trees = work->sampled->vertices[reading->edges->center_type].trees;
  for (uint64_t e = 0; e < count && !status; e++) {
    const uint64_t at = out->count + e, ahead = e + QN_SAMPLING_AHEAD;
    if (ahead < count)
      qn_places_prefetch(places, columns[ahead],
                         trees ? trees[out->centers[out->count + ahead]] : 0);
    status = qn_sampling_place(work, type, columns[e], trees ? trees[out->centers[at]] : 0,
                               &out->neighbors[at], error);
  }
  return status;
}

/* ---- A hop ---------------------------------------------------------------------- */

static enum qn_status hop_along(struct qn_sampling_work *work, uint32_t hop, uint32_t edge_type,
                                struct qn_error *error) {
  const struct qn_sampling_edges *edges = &work->sampling->edges[edge_type];
  const uint64_t first = work->scratch->ends[0][edges->center_type];
  const uint64_t count = work->scratch->ends[1][edges->center_type] - first;
  struct qn_sampled_edges *out = &work->sampled->edges[edge_type];
  struct qn_sampling_reading reading = {work, edges, edge_type, hop, first, NULL};
  const bool timed = has_times(work, edges);
  if (!count || !edges->fanouts[hop])
    return QN_OK;
  const bool read = are_read(work, edges);
  enum qn_status status = read ? qn_sampling_read_rows(work, edge_type, first, count, error)
                               : qn_sampling_find_rows(work, edge_type, first, count, error);
  reading.read = count_in_time;
  if (!status && timed)
    status = qn_sampling_read(&reading, count, error);
  if (status)
    return status;
  const uint64_t taken = lay_out(&reading, count, timed);
  status = qn_sampled_reserve_edges(out, out->count + taken, error);
  if (!status)
    status = qn_sampling_reserve_columns(work->scratch, taken, error);
  reading.read = choose_piece;
  if (!status)
    status = qn_sampling_read(&reading, count, error);
  if (!status && read)
    status = qn_sampling_read_columns(&reading, taken, error);
  if (!status)
    status = place_neighbors(&reading, taken, error);
  if (!status)
    status = qn_sampling_number_edges(&reading, count, error);
  out->count += status ? 0 : taken;
  out->hops[hop] = (int64_t)taken;
  return status;
}

enum qn_status qn_sample_neighbors(const struct qn_sampling *sampling,
                                   struct qn_sampling_scratch *scratch,
                                   const struct qn_sampling_seeds *seeds, uint64_t number,
                                   struct qn_sampled *sampled, struct qn_error *error) {
  struct qn_sampling_work work = {
      .sampling = sampling,
      .scratch = scratch,
      .sampled = sampled,
      .key = qn_random_at(qn_random_key(sampling->seed, STREAM_NEIGHBORS), number)};
  enum qn_status status = qn_sampling_begin(&work, seeds, false, error);
  for (uint32_t hop = 0; hop < sampling->num_hops && !status; hop++) {
    for (uint32_t type = 0; type < sampling->num_edge_types && !status; type++)
      status = hop_along(&work, hop, type, error);
    for (uint32_t type = 0; type < sampling->num_vertex_types; type++) {
      scratch->ends[0][type] = scratch->ends[1][type];
      scratch->ends[1][type] = sampled->vertices[type].count;
      sampled->vertices[type].hops[hop + 1] =
          (int64_t)(scratch->ends[1][type] - scratch->ends[0][type]);
    }
  }
  return status;
}
