#include "kernels/cpu/sampling/scratch.h"

#include <inttypes.h>
#include <stdlib.h>

#include "support/memory.h"
#include "support/arrays/reserve.h"

/* Rows that a thread takes at a time; fewer than so many take less time than giving them to others.
 */
#define PIECE ((uint64_t)512)
#define FEW ((uint64_t)16384)

/* ---- Memory ------------------------------------------------------------------- */

enum qn_status qn_sampling_scratch_create(const struct qn_sampling *sampling,
                                          struct qn_sampling_scratch **out,
                                          struct qn_error *error) {
  const uint32_t types = sampling->num_vertex_types;
  struct qn_sampling_scratch *scratch;
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "memory for sampling", error);
  if (status)
    return status;
  scratch = *out;
  status = qn_alloc_zeroed(&scratch->places, types, sizeof *scratch->places, "places", error);
  for (int i = 0; i < 2 && !status; i++)
    status = qn_alloc_zeroed(&scratch->ends[i], types, sizeof(uint64_t), "hops", error);
  for (; !status && scratch->num_vertex_types < types; scratch->num_vertex_types++)
    status = qn_places_create(&scratch->places[scratch->num_vertex_types], error);
  if (status) {
    qn_sampling_scratch_destroy(scratch);
    *out = NULL;
  }
  return status;
}

void qn_sampling_scratch_destroy(struct qn_sampling_scratch *scratch) {
  if (!scratch)
    return;
  for (uint32_t t = 0; t < scratch->num_vertex_types; t++)
    qn_places_release(&scratch->places[t]);
  qn_free(scratch->places);
  qn_free(scratch->ends[0]);
  qn_free(scratch->ends[1]);
  qn_free(scratch->rows);
  qn_free(scratch->columns);
  qn_free(scratch->tree_times);
  qn_free(scratch);
}

enum qn_status qn_sampling_reserve_rows(struct qn_sampling_scratch *scratch, uint64_t count,
                                        struct qn_error *error) {
  return qn_reserve(&scratch->rows, &scratch->row_capacity, count, sizeof *scratch->rows,
                    "rows of a batch", error);
}

enum qn_status qn_sampling_reserve_columns(struct qn_sampling_scratch *scratch, uint64_t count,
                                           struct qn_error *error) {
  return qn_reserve(&scratch->columns, &scratch->column_capacity, count, sizeof *scratch->columns,
                    "edges of a batch", error);
}

/* ---- Seeds -------------------------------------------------------------------- */

enum qn_status qn_sampling_add(struct qn_sampling_work *work, uint32_t type, uint32_t vertex,
                               int64_t tree, struct qn_place *empty, struct qn_error *error) {
  struct qn_sampled_vertices *vertices = &work->sampled->vertices[type];
  struct qn_places *places = &work->scratch->places[type];
  const int64_t *trees = work->sampling->disjoint ? vertices->trees : NULL;
  if (qn_places_are_full(places)) {
    if (places->bits == 32)
      return qn_fail(error, QN_UNSUPPORTED, "a batch of 2^31 vertices or more; take fewer seeds");
    enum qn_status status = qn_places_grow(places, trees, error);
    if (status)
      return status;
    empty = qn_places_find(places, vertex, tree, trees);
  }
  vertices->vertices[vertices->count] = vertex;
  if (trees)
    vertices->trees[vertices->count] = tree;
  *empty = (struct qn_place){vertex, (uint32_t)++vertices->count};
  places->used++;
  return QN_OK;
}

/* One that is there already comes once more: each seed has its own place. */
static void repeat_seed(struct qn_sampled_vertices *vertices, int64_t vertex) {
  vertices->vertices[vertices->count++] = vertex;
}

static enum qn_status add_seeds(struct qn_sampling_work *work, uint32_t type,
                                const struct qn_sampling_seeds *seeds, bool once,
                                struct qn_error *error) {
  const struct qn_sampling *sampling = work->sampling;
  struct qn_sampling_scratch *scratch = work->scratch;
  struct qn_sampled_vertices *vertices = &work->sampled->vertices[type];
  enum qn_status status = qn_sampled_reserve_vertices(vertices, seeds->count, error);
  for (uint64_t i = 0; i < seeds->count && !status; i++) {
    const int64_t vertex = seeds->vertices[i], expected = (int64_t)vertices->count;
    int64_t place = 0;
    if (vertex < 0 || (uint64_t)vertex >= sampling->num_vertices[type])
      return qn_not_a_vertex(vertex, sampling->num_vertices[type], error);
    status =
        qn_sampling_place(work, type, (uint32_t)vertex, (int64_t)scratch->num_trees, &place, error);
    if (!status && place != expected && !once)
      repeat_seed(vertices, vertex);
    if (sampling->disjoint)
      scratch->tree_times[scratch->num_trees++] = seeds->times ? seeds->times[i] : INT64_MAX;
  }
  work->sampled->vertices[type].hops[0] = (int64_t)vertices->count;
  return status;
}

enum qn_status qn_sampling_begin(struct qn_sampling_work *work,
                                 const struct qn_sampling_seeds *seeds, bool once,
                                 struct qn_error *error) {
  struct qn_sampling_scratch *scratch = work->scratch;
  uint64_t num_seeds = 0;
  enum qn_status status = QN_OK;
  scratch->num_trees = 0;
  for (uint32_t t = 0; t < work->sampling->num_vertex_types; t++) {
    qn_places_clear(&scratch->places[t]);
    num_seeds += seeds[t].count;
  }
  if (num_seeds >= (uint64_t)1 << 31)
    return qn_fail(error, QN_UNSUPPORTED, "a batch of 2^31 seeds or more");
  if (work->sampling->disjoint && num_seeds > scratch->tree_capacity) {
    status =
        qn_realloc(&scratch->tree_times, num_seeds, sizeof *scratch->tree_times, "times", error);
    scratch->tree_capacity = status ? scratch->tree_capacity : num_seeds;
  }
  for (uint32_t t = 0; t < work->sampling->num_vertex_types && !status; t++) {
    status = add_seeds(work, t, &seeds[t], once, error);
    scratch->ends[0][t] = 0;
    scratch->ends[1][t] = work->sampled->vertices[t].count;
  }
  return status;
}

/* ---- Reading rows --------------------------------------------------------------- */

struct piece {
  const struct qn_sampling_reading *reading;
  uint64_t begin, end;
  struct qn_row_reader reader;
};

static void read_piece(void *argument) {
  struct piece *piece = argument;
  piece->reading->read(piece->reading, piece->begin, piece->end, &piece->reader);
}

enum qn_status qn_sampling_read(const struct qn_sampling_reading *reading, uint64_t num_rows,
                                struct qn_error *error) {
  enum qn_rows_outcome worst = QN_ROWS_READ;
#pragma omp parallel for schedule(dynamic, 1) reduction(max : worst) if (num_rows > FEW)
  for (uint64_t begin = 0; begin < num_rows; begin += PIECE) {
    struct piece piece = {.reading = reading,
                          .begin = begin,
                          .end = num_rows - begin < PIECE ? num_rows : begin + PIECE};
    const enum qn_rows_outcome found =
        qn_sampling_read_guarded(reading->edges, read_piece, &piece, &piece.reader);
    worst = found > worst ? found : worst;
  }
  return qn_sampling_read_status(worst, error);
}

static void find_piece(const struct qn_sampling_reading *reading, uint64_t begin, uint64_t end,
                       struct qn_row_reader *reader) {
  const struct qn_sampling_edges *edges = reading->edges;
  const int64_t *centers =
      reading->work->sampled->vertices[edges->center_type].vertices + reading->first_center;
  struct qn_sampled_row *rows = reading->work->scratch->rows;
  const uint64_t *offsets = edges->rows.row_offsets + edges->first_row;
  for (uint64_t i = begin; i < end; i++) {
    if (i + QN_SAMPLING_AHEAD < end)
      __builtin_prefetch(&offsets[centers[i + QN_SAMPLING_AHEAD]]);
    if (!qn_row_of(&edges->rows, edges->first_row + (uint64_t)centers[i], &rows[i].row))
      reader->damaged = true;
    rows[i].begin = 0;
  }
}

enum qn_status qn_sampling_find_rows(struct qn_sampling_work *work, uint32_t edge_type,
                                     uint64_t first, uint64_t count, struct qn_error *error) {
  const struct qn_sampling_reading reading = {.work = work,
                                              .edges = &work->sampling->edges[edge_type],
                                              .edge_type = edge_type,
                                              .first_center = first,
                                              .read = find_piece};
  enum qn_status status = qn_sampling_reserve_rows(work->scratch, count + 1, error);
  if (status)
    return status;
  work->scratch->rows[count] = (struct qn_sampled_row){0};
  return qn_sampling_read(&reading, count, error);
}
