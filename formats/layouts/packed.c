/* The packed layout: its view on a container, and what it says about one. */
#include <quern/packed.h>

#include <inttypes.h>
#include <omp.h>
#include <string.h>

#include "formats/container/figures.h"
#include "formats/container/view.h"
#include "formats/layouts/packed_sections.h"
#include "formats/layouts/packed_tile.h"
#include "formats/layouts/packed_weights.h"
#include "support/memory.h"
#include "support/threads.h"

const struct qn_packed_sections qn_packed_in_sections = {
    "in-edges", "in_tile_rows", "in_tile_edges", "in_tile_starts", "in_words", "in_weights"};
const struct qn_packed_sections qn_packed_out_sections = {
    "out-edges", "out_tile_rows", "out_tile_edges", "out_tile_starts", "out_words", "out_weights"};

static const char *const known_sections[] = {
    "out_degrees", "in_tile_rows",   "in_tile_edges",  "in_tile_starts",  "in_words",
    "in_weights",  "out_tile_rows",  "out_tile_edges", "out_tile_starts", "out_words",
    "out_weights", QN_PACKED_VALUES, QN_LAST_SECTIONS};

static enum qn_status view_parameters(const struct qn_container *container,
                                      struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  uint64_t directions = info->parameters[QN_PACKED_DIRECTIONS];
  if (directions == 0 || directions > (QN_PACKED_IN | QN_PACKED_OUT))
    return qn_container_violation(
        container, error, "PK-1",
        "the directions are %" PRIu64 "; expected 1 (in), 2 (out) or 3 (both)", directions);
  if (info->directedness == QN_UNDIRECTED && directions != QN_PACKED_OUT)
    return qn_container_violation(
        container, error, "PK-1",
        "the directions of an undirected graph are %" PRIu64 "; expected 2 (out)", directions);
  if (qn_is_rectangular(info) && directions != QN_PACKED_OUT)
    return qn_container_violation(container, error, "PK-1",
                                  "the directions of rows of some vertices alone are %" PRIu64
                                  "; expected 2 (out)",
                                  directions);
  if (!(directions & QN_PACKED_IN) != !qn_container_section(container, "in_words") ||
      !(directions & QN_PACKED_OUT) != !qn_container_section(container, "out_words") ||
      (directions == QN_PACKED_IN) != (qn_container_section(container, "out_degrees") != NULL))
    return qn_container_violation(container, error, "PK-1",
                                  "the sections are not those of the directions %" PRIu64,
                                  directions);
  return qn_container_refuse_parameters(container, QN_PACKED_WEIGHTS + 1, error);
}

/* The ends of the tiles' places. */
static enum qn_status check_ends(const struct qn_container *container, const char *name,
                                 const struct qn_packed_rows *rows, struct qn_error *error) {
  const uint64_t last = rows->num_tiles;
  if (rows->num_words < QN_PACKED_PADDING)
    return qn_container_violation(container, error, "PK-4",
                                  "%s: %" PRIu64 " words; there are at least %d", name,
                                  rows->num_words, QN_PACKED_PADDING);
  if (rows->tile_rows[0] != 0 || rows->tile_rows[last] != rows->num_vertices)
    return qn_container_violation(
        container, error, "PK-2",
        "%s: tiles have the rows from %" PRIu32 " to %" PRIu32 ", not from 0 to %" PRIu64, name,
        rows->tile_rows[0], rows->tile_rows[last], rows->num_vertices);
  if (rows->tile_edges[0] != 0 || rows->tile_edges[last] != rows->num_edges)
    return qn_container_violation(
        container, error, "PK-3",
        "%s: tiles have the edges from %" PRIu64 " to %" PRIu64 ", not from 0 to %" PRIu64, name,
        rows->tile_edges[0], rows->tile_edges[last], rows->num_edges);
  if (rows->tile_starts[0] != 0 || rows->tile_starts[last] != rows->num_words - QN_PACKED_PADDING)
    return qn_container_violation(
        container, error, "PK-4",
        "%s: tiles have the words from %" PRIu64 " to %" PRIu64 ", not from 0 to %" PRIu64, name,
        rows->tile_starts[0], rows->tile_starts[last], rows->num_words - QN_PACKED_PADDING);
  return QN_OK;
}

static enum qn_status view_rows(const struct qn_container *container,
                                const struct qn_packed_sections *names, struct qn_packed_rows *rows,
                                struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  uint64_t entries = 0;
  rows->num_vertices = info->num_rows;
  rows->num_edges = info->num_edges;
  rows->num_columns = info->num_vertices;
  rows->first_row = (uint32_t)info->first_row;
  enum qn_status status =
      qn_view_unsigned_any(container, names->tile_rows, 4, &entries, &rows->tile_rows, error);
  if (!status && entries == 0)
    status =
        qn_container_violation(container, error, "PK-2", "%s: tile_rows has no end", names->name);
  if (status)
    return status;
  rows->num_tiles = entries - 1;
  status = qn_view_unsigned(container, names->tile_edges, 8, entries, &rows->tile_edges, error);
  if (!status)
    status = qn_view_unsigned(container, names->tile_starts, 8, entries, &rows->tile_starts, error);
  if (!status)
    status =
        qn_view_unsigned_any(container, names->words, 4, &rows->num_words, &rows->words, error);
  if (!status)
    status = qn_packed_weights_view(container, names, rows, error);
  return status ? status : check_ends(container, names->name, rows, error);
}

enum qn_status qn_packed_view(const struct qn_container *container, struct qn_packed *packed,
                              struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  memset(packed, 0, sizeof *packed);
  enum qn_status status = qn_view_insist(container, QN_LAYOUT_PACKED, error);
  if (!status)
    status = view_parameters(container, error);
  if (!status)
    status = qn_container_check_sections(container, known_sections, error);
  if (status)
    return status;
  packed->directedness = info->directedness;
  packed->num_vertices = info->num_vertices;
  packed->num_edges = info->num_edges;
  packed->has_in = info->parameters[QN_PACKED_DIRECTIONS] & QN_PACKED_IN;
  packed->has_out = info->parameters[QN_PACKED_DIRECTIONS] & QN_PACKED_OUT;
  if (!packed->has_out)
    status = qn_view_unsigned(container, "out_degrees", 4, info->num_vertices, &packed->out_degrees,
                              error);
  if (!status && packed->has_in)
    status = view_rows(container, &qn_packed_in_sections, &packed->in, error);
  if (!status && packed->has_out)
    status = view_rows(container, &qn_packed_out_sections, &packed->out, error);
  if (!status)
    status = qn_ids_view(container, &packed->ids, error);
  if (!status && info->directedness == QN_UNDIRECTED) {
    packed->has_in = true;
    packed->in = packed->out;
  }
  return status;
}

QN_DEFINE_MAP(packed)
QN_DEFINE_UNMAP(packed)

/* ---- Lengths of rows -------------------------------------------------------- */

static void count_tile(const struct qn_packed_rows *rows, uint64_t number,
                       struct qn_packed_tile *tile, uint32_t *lengths) {
  qn_packed_decode_begins(rows, number, tile);
  for (uint32_t row = 0; row < tile->num_rows; row++)
    lengths[tile->first_row + row] += tile->begins[row + 1] - tile->begins[row];
}

enum qn_status qn_packed_count_rows(const struct qn_packed_rows *rows, uint32_t *lengths,
                                    struct qn_error *error) {
  const uint64_t num_ranges = (rows->num_vertices + QN_PACKED_RANGE - 1) / QN_PACKED_RANGE;
  struct qn_packed_tile *tiles;
  enum qn_status status = qn_alloc(&tiles, qn_threads(), sizeof *tiles, "tiles", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 4)
  for (uint64_t range = 0; range < num_ranges; range++) {
    uint64_t end = qn_packed_find(rows, (range + 1) * QN_PACKED_RANGE);
    for (uint64_t tile = qn_packed_find(rows, range * QN_PACKED_RANGE); tile < end; tile++)
      count_tile(rows, tile, &tiles[omp_get_thread_num()], lengths);
  }
  qn_free(tiles);
  return QN_OK;
}

uint64_t qn_packed_out_degree(const struct qn_packed *packed, uint64_t vertex) {
  const struct qn_packed_rows *rows = &packed->out;
  if (packed->out_degrees)
    return packed->out_degrees[vertex];
  uint64_t tile = qn_packed_find(rows, vertex), degree = 0;
  /* What begins with an earlier row may have some of this one. */
  for (tile -= tile > 0; tile < rows->num_tiles && rows->tile_rows[tile] <= vertex; tile++)
    degree += qn_packed_length(rows, tile, (uint32_t)vertex);
  return degree;
}

/* ---- Figures -------------------------------------------------------------- */

static uint64_t rows_bytes(const struct qn_packed_rows *rows) {
  return 20 * (rows->num_tiles + 1) + 4 * rows->num_words;
}

static json_t *describe_rows(const struct qn_packed_rows *rows) {
  double edges = rows->num_edges ? (double)rows->num_edges : 1;
  return json_pack("{s:I, s:f}", "tiles", (json_int_t)rows->num_tiles, "bits_per_edge",
                   8 * (double)rows_bytes(rows) / edges);
}

enum qn_status qn_packed_describe(const struct qn_container *container, json_t *object,
                                  struct qn_error *error) {
  static const char *const read[] = {
      "in_tile_rows",   "in_tile_edges",   "in_tile_starts", "out_tile_rows",
      "out_tile_edges", "out_tile_starts", QN_PACKED_VALUES, NULL};
  struct qn_packed packed;
  const struct qn_container_info *info = qn_container_info(container);
  enum qn_status status = qn_packed_view(container, &packed, error);
  if (!status)
    status = qn_container_verify_sections(container, read, error);
  if (status)
    return status;
  uint64_t directions = info->parameters[QN_PACKED_DIRECTIONS];
  uint64_t bytes = packed.out_degrees ? 4 * info->num_vertices : 0;
  static const char *const names[] = {"in", "out", "both"};
  json_object_set_new(object, "direction", json_string(names[directions - 1]));
  if (directions & QN_PACKED_IN) {
    json_object_set_new(object, "in", describe_rows(&packed.in));
    bytes += rows_bytes(&packed.in) + qn_packed_weight_bytes(&packed.in);
  }
  if (directions & QN_PACKED_OUT) {
    json_object_set_new(object, "out", describe_rows(&packed.out));
    bytes += rows_bytes(&packed.out) + qn_packed_weight_bytes(&packed.out);
  }
  if (info->weight_type != QN_WEIGHT_NONE) {
    const struct qn_packed_codes *codes = packed.has_out ? &packed.out.codes : &packed.in.codes;
    const unsigned plain = 8 * qn_weight_bytes(info->weight_type);
    static const char *const kinds[] = {"plain", "sums", "dictionary"};
    json_object_set_new(object, "weights", json_string(kinds[codes->kind]));
    json_object_set_new(object, "weight_bits",
                        json_integer(codes->kind == QN_PACKED_PLAIN ? plain : codes->bits));
    bytes += qn_weight_bytes(info->weight_type) * codes->num_values;
  }
  qn_figures_size(info, bytes, object);
  return QN_OK;
}
