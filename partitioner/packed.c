/* Packing rows: tiles are cut by the lengths of rows alone; then rows are looked at twice, by
 * ranges of 1024 in parallel: to learn how many words each tile takes, and to write them. */
#include "partitioner/packed.h"

#include <omp.h>
#include <string.h>

#include "formats/layouts/packed_sections.h"
#include "formats/layouts/packed_tile.h"
#include "formats/layouts/packed_weights.h"
#include "partitioner/packed_tile.h"
#include "partitioner/packed_weights.h"
#include "partitioner/row_visitor.h"
#include "support/memory.h"
#include "support/threads.h"

struct packing {
  const struct qn_rows *rows;
  uint32_t first_row; /* row 0 among the vertices of columns */
  uint64_t num_ranges;
  uint64_t *range_tiles; /* [num_ranges + 1] the first tile of each */
  uint32_t *tile_rows;
  uint64_t *tile_edges;
  uint64_t *tile_starts; /* first the words of tile t at [t + 1], then where tiles begin */
  uint32_t *words;       /* NULL while they are counted */
  void *weights;         /* plain, or the words of their codes */
  const struct qn_weight_coding *coding;
  struct qn_tile_packing *tiles; /* one a thread */
};

static uint64_t row_end(const struct packing *work, uint64_t range) {
  const uint64_t end = (range + 1) * QN_PACKED_RANGE, last = work->rows->num_vertices;
  return end < last ? end : last;
}

/* ---- Cutting ----------------------------------------------------------------------- */

static uint64_t tiles_of_range(const struct packing *work, uint64_t range) {
  const uint64_t *offsets = work->rows->row_offsets;
  const uint64_t begin = offsets[range * QN_PACKED_RANGE], end = offsets[row_end(work, range)];
  const uint64_t tiles = begin < end ? (end - begin + QN_PACKED_TILE - 1) / QN_PACKED_TILE : 0;
  return tiles ? tiles : 1;
}

static enum qn_status count_tiles(struct packing *work, struct qn_error *error) {
  enum qn_status status = qn_pages_alloc(&work->range_tiles, work->num_ranges + 1,
                                         sizeof *work->range_tiles, "the tiles of ranges", error);
  if (status)
    return status;
  work->range_tiles[0] = 0;
  for (uint64_t range = 0; range < work->num_ranges; range++)
    work->range_tiles[range + 1] = work->range_tiles[range] + tiles_of_range(work, range);
  return QN_OK;
}

/* Every 2048 edges of a range a tile begins, with the row of its first edge. */
static void cut_range(const struct packing *work, uint64_t range) {
  const uint64_t *offsets = work->rows->row_offsets;
  uint64_t row = range * QN_PACKED_RANGE, last = row_end(work, range) - 1;
  uint64_t edge = offsets[row];
  for (uint64_t tile = work->range_tiles[range]; tile < work->range_tiles[range + 1]; tile++) {
    if (tile > work->range_tiles[range])
      while (row < last && offsets[row + 1] <= edge)
        row++;
    work->tile_rows[tile] = (uint32_t)row;
    work->tile_edges[tile] = edge;
    edge += QN_PACKED_TILE;
  }
}

static void cut(const struct packing *work) {
  const uint64_t num_tiles = work->range_tiles[work->num_ranges];
#pragma omp parallel for schedule(dynamic, 64)
  for (uint64_t range = 0; range < work->num_ranges; range++)
    cut_range(work, range);
  work->tile_rows[num_tiles] = (uint32_t)work->rows->num_vertices;
  work->tile_edges[num_tiles] = work->rows->num_edges;
}

/* ---- Packing ------------------------------------------------------------------------- */

/* The tile's lengths by the rows that the visitor is shown. False if they are not what the tile was
 * cut by: the file is being overwritten (used_files.h). */
static bool take_lengths(const struct packing *work, const struct qn_csr_rows *rows,
                         uint64_t number, struct qn_tile_packing *tile) {
  const uint64_t begin = work->tile_edges[number], end = work->tile_edges[number + 1];
  const uint64_t *offsets = rows->row_offsets;
  uint64_t sum = 0;
  tile->first_row = work->tile_rows[number];
  tile->first_vertex = work->first_row + tile->first_row;
  tile->num_rows = qn_packed_num_rows(work->tile_rows, number, work->rows->num_vertices);
  if (begin < offsets[0] || end < begin || end - begin > QN_PACKED_TILE ||
      end > offsets[rows->last - rows->first] || tile->first_row < rows->first ||
      tile->num_rows > rows->last - tile->first_row)
    return false;
  tile->num_edges = (uint32_t)(end - begin);
  for (uint32_t row = 0; row < tile->num_rows; row++) {
    const uint64_t at = tile->first_row - rows->first + row;
    const uint64_t first = offsets[at] > begin ? offsets[at] : begin;
    const uint64_t last = offsets[at + 1] < end ? offsets[at + 1] : end;
    tile->lengths[row] = last > first ? (uint32_t)(last - first) : 0;
    sum += tile->lengths[row];
  }
  return sum == tile->num_edges;
}

static void pack_tile(const struct packing *work, const struct qn_csr_rows *rows, uint64_t number,
                      struct qn_tile_packing *tile) {
  if (!take_lengths(work, rows, number, tile))
    return;
  const uint64_t edge = work->tile_edges[number] - rows->row_offsets[0];
  const uint64_t count = qn_tile_pack(tile, rows->columns + edge);
  if (!work->words) {
    work->tile_starts[number + 1] = count;
    return;
  }
  const uint64_t start = work->tile_starts[number];
  if (count != work->tile_starts[number + 1] - start)
    return; /* overwritten since it was counted */
  qn_tile_write(tile, work->words + start);
  if (!rows->weights || !work->weights) /* without edges there are none */
    return;
  const char *weights = (const char *)rows->weights + edge * rows->weight_bytes;
  if (work->coding->kind == QN_PACKED_PLAIN)
    memcpy((char *)work->weights + work->tile_edges[number] * rows->weight_bytes, weights,
           (size_t)tile->num_edges * rows->weight_bytes);
  else
    qn_weight_coding_write(work->coding, weights, work->tile_edges[number], tile->num_edges,
                           work->weights);
}

static void pack_rows(const struct qn_csr_rows *rows, void *context) {
  const struct packing *work = context;
  struct qn_tile_packing *tile = &work->tiles[omp_get_thread_num()];
  for (uint64_t first = rows->first; first < rows->last; first += QN_PACKED_RANGE) {
    const uint64_t range = first / QN_PACKED_RANGE;
    for (uint64_t number = work->range_tiles[range]; number < work->range_tiles[range + 1];
         number++)
      pack_tile(work, rows, number, tile);
  }
}

static void sum_starts(const struct packing *work) {
  work->tile_starts[0] = 0;
  for (uint64_t tile = 0; tile < work->range_tiles[work->num_ranges]; tile++)
    work->tile_starts[tile + 1] += work->tile_starts[tile];
}

/* ---- Sections -------------------------------------------------------------------------- */

static enum qn_status add_tiles(struct packing *work, const struct qn_packed_sections *names,
                                struct qn_writer *writer, struct qn_error *error) {
  const uint64_t count = work->range_tiles[work->num_ranges] + 1;
  enum qn_status status = qn_builder_section(writer, names->tile_rows, QN_ELEMENT_UNSIGNED, 4,
                                             count, &work->tile_rows, error);
  if (!status)
    status = qn_builder_section(writer, names->tile_edges, QN_ELEMENT_UNSIGNED, 8, count,
                                &work->tile_edges, error);
  if (!status)
    status = qn_builder_section(writer, names->tile_starts, QN_ELEMENT_UNSIGNED, 8, count,
                                &work->tile_starts, error);
  return status;
}

static enum qn_status add_words(struct packing *work, const struct qn_packed_sections *names,
                                struct qn_writer *writer, struct qn_error *error) {
  const uint64_t count = work->tile_starts[work->range_tiles[work->num_ranges]];
  enum qn_status status = qn_builder_section(writer, names->words, QN_ELEMENT_UNSIGNED, 4,
                                             count + QN_PACKED_PADDING, &work->words, error);
  if (!status && work->coding->kind == QN_PACKED_PLAIN)
    return qn_builder_weights(writer, names->weights, work->rows->num_edges, &work->weights, error);
  if (!status)
    status = qn_builder_section(writer, names->weights, QN_ELEMENT_UNSIGNED, 4,
                                qn_packed_code_words(work->rows->num_edges, work->coding->bits),
                                &work->weights, error);
  return status;
}

static enum qn_status add_values(const struct qn_weight_coding *coding, struct qn_writer *writer,
                                 struct qn_error *error) {
  void *values;
  if (coding->kind == QN_PACKED_PLAIN)
    return QN_OK;
  const enum qn_weight_type type = qn_writer_info(writer)->weight_type;
  enum qn_status status =
      qn_builder_section(writer, QN_PACKED_VALUES, qn_weight_element(type), qn_weight_bytes(type),
                         coding->num_values, &values, error);
  if (!status)
    qn_weight_coding_values(coding, values);
  return status;
}

static enum qn_status pack(const struct qn_rows *rows, const struct qn_packed_sections *names,
                           const struct qn_weight_coding *coding, struct qn_writer *writer,
                           struct qn_error *error) {
  struct packing work = {.rows = rows,
                         .first_row = (uint32_t)qn_writer_info(writer)->first_row,
                         .coding = coding,
                         .num_ranges =
                             (rows->num_vertices + QN_PACKED_RANGE - 1) / QN_PACKED_RANGE};
  const unsigned num_threads = qn_threads();
  enum qn_status status = count_tiles(&work, error);
  if (!status)
    status = qn_alloc_zeroed(&work.tiles, num_threads, sizeof *work.tiles, "tiles", error);
  if (!status)
    status = add_tiles(&work, names, writer, error);
  if (!status) {
    cut(&work);
    status = qn_rows_visit(rows, false, pack_rows, &work, error);
  }
  if (!status) {
    sum_starts(&work);
    status = add_words(&work, names, writer, error);
  }
  if (!status)
    status = qn_rows_visit(rows, true, pack_rows, &work, error);
  qn_free(work.tiles);
  qn_pages_free(work.range_tiles, work.num_ranges + 1, sizeof *work.range_tiles);
  return status;
}

static enum qn_status pack_in(const struct qn_graph *graph, const struct qn_weight_coding *coding,
                              struct qn_writer *writer, struct qn_error *error) {
  struct qn_rows rows;
  enum qn_status status = qn_rows_open_in(graph, &rows, error);
  if (!status)
    status = pack(&rows, &qn_packed_in_sections, coding, writer, error);
  qn_rows_close(&rows);
  return status;
}

static enum qn_status pack_out(const struct qn_graph *graph, const struct qn_weight_coding *coding,
                               struct qn_writer *writer, struct qn_error *error) {
  struct qn_rows rows;
  qn_rows_open_out(graph, &rows);
  return pack(&rows, &qn_packed_out_sections, coding, writer, error);
}

enum qn_status qn_packed_build(struct qn_source *source, const void *options,
                               struct qn_writer *writer, json_t **used, struct qn_error *error) {
  const struct qn_packed_options *wanted = options;
  const struct qn_graph *graph = &source->graph;
  uint32_t directions = wanted->directions ? wanted->directions : QN_PACKED_IN | QN_PACKED_OUT;
  struct qn_weight_coding coding;
  enum qn_status status =
      qn_weight_coding_choose(&graph->out.weights, graph->out.num_edges, &coding, error);
  /* An undirected graph's rows are the same in both directions: they are stored once. */
  const bool rectangular = qn_is_rectangular(qn_writer_info(writer));
  if (!status && rectangular && wanted->directions)
    status = qn_fail(error, QN_USAGE,
                     "a part of a set is packed by the rows that it has, which quern-transform "
                     "--rows chooses; leave --direction out");
  if (graph->directedness == QN_UNDIRECTED || rectangular)
    directions = QN_PACKED_OUT;
  if (!status && directions == QN_PACKED_IN)
    status = qn_builder_degrees(source, writer, error);
  if (!status && (directions & QN_PACKED_IN))
    status = pack_in(graph, &coding, writer, error);
  if (!status && (directions & QN_PACKED_OUT))
    status = pack_out(graph, &coding, writer, error);
  if (!status)
    status = add_values(&coding, writer, error);
  qn_weight_coding_destroy(&coding);
  if (status)
    return status;
  qn_writer_info(writer)->parameters[QN_PACKED_DIRECTIONS] = directions;
  qn_writer_info(writer)->parameters[QN_PACKED_WEIGHTS] = coding.kind;
  *used = json_pack("{s:s}", "direction",
                    directions == QN_PACKED_IN    ? "in"
                    : directions == QN_PACKED_OUT ? "out"
                                                  : "both");
  return QN_OK;
}
