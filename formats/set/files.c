#include "formats/set/files.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "formats/set/types.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include "support/tool.h"
#include <quern/metadata.h>

uint64_t qn_set_share(uint64_t cost, uint64_t index, uint64_t num_parts) {
  return cost / num_parts * index + cost % num_parts * index / num_parts;
}

uint64_t qn_set_cost(enum qn_set_balance balance, uint64_t vertex, uint64_t edges_before) {
  uint64_t edges = balance == QN_SET_BY_VERTICES ? 0 : edges_before;
  return edges + (balance == QN_SET_BY_EDGES ? 0 : vertex);
}

/* ---- The vertices -------------------------------------------------------------- */

/* The least width that holds all of them. */
static unsigned degree_bytes(const uint64_t *degrees, uint64_t num_vertices) {
  uint64_t all = 0;
#pragma omp parallel for schedule(static) reduction(| : all)
  for (uint64_t v = 0; v < num_vertices; v++)
    all |= degrees[v];
  return all <= UINT8_MAX ? 1 : all <= UINT16_MAX ? 2 : all <= UINT32_MAX ? 4 : 8;
}

static void store_degrees(const uint64_t *degrees, uint64_t num_vertices, unsigned bytes,
                          void *to) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    if (degrees[v])                                       /* the file has zeros, or holes */
      memcpy((char *)to + v * bytes, &degrees[v], bytes); /* little-endian */
}

static enum qn_status write_degrees(const struct qn_vertex_range *range,
                                    const struct qn_set_vertices *vertices,
                                    struct qn_writer *writer, struct qn_error *error) {
  const uint64_t count = range->end - range->begin;
  uint64_t *degrees;
  void *to;
  enum qn_status status = qn_bulk_alloc(&degrees, count, sizeof *degrees, "out-degrees", error);
  if (status)
    return status;
  vertices->fill_degrees(vertices->context, range->begin, range->end, degrees);
  const unsigned bytes = degree_bytes(degrees, count);
  status = qn_writer_section(writer,
                             &(struct qn_section_spec){.name = "out_degrees",
                                                       .element_type = QN_ELEMENT_UNSIGNED,
                                                       .element_bytes = bytes,
                                                       .count = count,
                                                       .ancillary = true},
                             &to, error);
  if (!status)
    store_degrees(degrees, count, bytes, to);
  qn_pages_free(degrees, count, sizeof *degrees);
  return status;
}

/* Those of a range, among those of all. */
static enum qn_status write_ids(const struct qn_vertex_range *range,
                                const struct qn_set_vertices *vertices, struct qn_writer *writer,
                                struct qn_error *error) {
  const struct qn_ids *all = vertices->ids;
  struct qn_ids ids = *all;
  uint64_t *offsets = NULL;
  if (vertices->of_range)
    return qn_ids_write(writer, all, error);
  ids.num_vertices = range->end - range->begin;
  if (ids.kind == QN_IDS_NUMBERS && range->begin)
    ids.numbers += range->begin;
  if (ids.kind != QN_IDS_STRINGS || !range->begin)
    return qn_ids_write(writer, &ids, error);
  enum qn_status status =
      qn_bulk_alloc(&offsets, ids.num_vertices + 1, sizeof *offsets, "offsets of names", error);
  if (status)
    return status;
  const uint64_t *from = all->string_offsets + range->begin;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i <= ids.num_vertices; i++)
    offsets[i] = from[i] - from[0];
  ids.string_offsets = offsets;
  ids.string_bytes += from[0];
  status = qn_ids_write(writer, &ids, error);
  qn_pages_free(offsets, ids.num_vertices + 1, sizeof *offsets);
  return status;
}

/* Of edges, which there are none here, the schema. */
static enum qn_status write_columns(const struct qn_vertex_range *range,
                                    const struct qn_set_vertices *vertices,
                                    struct qn_writer *writer, struct qn_error *error) {
  const uint64_t count = range->end - range->begin;
  uint64_t *records = NULL;
  if (!vertices->properties || !range->begin || vertices->of_vertex || vertices->of_range)
    return vertices->properties
               ? qn_properties_write(
                     writer, vertices->properties,
                     vertices->of_vertex ? vertices->of_vertex + range->begin : NULL, NULL, error)
               : QN_OK;
  enum qn_status status = qn_bulk_alloc(&records, count, sizeof *records, "vertices", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < count; i++)
    records[i] = range->begin + i;
  status = qn_properties_write(writer, vertices->properties, records, NULL, error);
  qn_pages_free(records, count, sizeof *records);
  return status;
}

static enum qn_status write_no_rows(struct qn_writer *writer, struct qn_error *error) {
  uint64_t *row_offsets;
  uint32_t *columns;
  void *weights;
  enum qn_status status = qn_graph_write_rows(writer, 0, &row_offsets, error);
  if (!status)
    status = qn_graph_write_columns(writer, 0, &columns, error);
  return status ? status : qn_graph_write_weights(writer, 0, &weights, error);
}

/* Of so many rows and columns of a graph of the set's weights. */
static struct qn_container_info info_of(const struct qn_set *set, uint64_t rows, uint64_t columns) {
  return (struct qn_container_info){.version_major = 1,
                                    .incompatible_features = QN_FEATURE_RECTANGULAR,
                                    .num_rows = rows,
                                    .layout = QN_LAYOUT_GRAPH,
                                    .weight_type = set->weight_type,
                                    .num_vertices = columns};
}

/* With the status of what was written; frees `writer`. */
static enum qn_status finish(enum qn_status status, struct qn_writer *writer, const char *path,
                             const char *name, struct qn_set_file *file, struct qn_error *error) {
  struct qn_container *made = NULL;
  status = qn_writer_end(writer, status, path, &made, error);
  if (!status)
    status = qn_set_file_of(made, name, file, error);
  qn_container_unmap(made);
  return status;
}

enum qn_status qn_set_write_vertices(struct qn_set *set, uint64_t index,
                                     const struct qn_set_vertices *vertices, const char *path,
                                     struct qn_error *error) {
  struct qn_vertex_range *range = &set->ranges[index];
  struct qn_writer *writer;
  char name[32];
  /* What an append has left that was ended before its generation was there is nobody's. */
  enum qn_status status =
      qn_writer_create(path, (set->features & QN_SET_GENERATIONS) != 0, &writer, error);
  if (status)
    return status;
  *qn_writer_info(writer) = info_of(set, 0, range->end - range->begin);
  qn_writer_info(writer)->directedness = set->directedness;
  status = write_no_rows(writer, error);
  if (!status)
    status = write_ids(range, vertices, writer, error);
  if (!status)
    status = write_degrees(range, vertices, writer, error);
  if (!status)
    status = write_columns(range, vertices, writer, error);
  const bool of_generation = set->features & QN_SET_GENERATIONS;
  if (!status && (index == 0 || of_generation))
    status = vertices->write_metadata(vertices->context, writer, error);
  qn_set_vertices_name(index, of_generation ? QN_SET_MAX_RANGES : set->num_ranges, name);
  return finish(status, writer, path, name, &range->file, error);
}

enum qn_status qn_set_write_all_vertices(struct qn_set *set, const struct qn_set_vertices *vertices,
                                         struct qn_set_writer *writer, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < set->num_ranges; i++) {
    const char *path;
    status = qn_set_writer_vertices(writer, i, set->num_ranges, &path, error);
    if (!status)
      status = qn_set_write_vertices(set, i, vertices, path, error);
  }
  return status;
}

/* ---- Parts --------------------------------------------------------------------- */

static json_t *part_metadata(const struct qn_set *set, uint64_t index, const char *tool) {
  const struct qn_set_part *part = &set->parts[index];
  const bool whole = part->columns_begin == 0 && part->columns_end == set->num_vertices;
  return json_pack(
      "{s:s, s:s, s:{s:o, s:I, s:I, s:s, s:I, s:I, s:o*}}", "tool", tool, "version", QN_VERSION,
      "set", "identity", json_sprintf("%016" PRIx64, set->identity), "part", (json_int_t)index,
      "parts", (json_int_t)set->num_parts, "rows", qn_set_rows_words[set->rows], "begin",
      (json_int_t)part->begin, "end", (json_int_t)part->end, "columns",
      whole ? NULL
            : json_pack("[I, I]", (json_int_t)part->columns_begin, (json_int_t)part->columns_end));
}

static void copy(void *to, const void *from, uint64_t bytes) {
  const uint64_t step = (uint64_t)4 << 20;
#pragma omp parallel for schedule(static) if (bytes > step)
  for (uint64_t at = 0; at < bytes; at += step)
    memcpy((char *)to + at, (const char *)from + at, bytes - at < step ? bytes - at : step);
}

static void copy_columns(uint32_t *to, const uint32_t *from, uint64_t count, uint64_t base) {
  if (!base) {
    copy(to, from, count * sizeof *to);
    return;
  }
#pragma omp parallel for schedule(static) if (count > QN_TEAM_LEAST)
  for (uint64_t i = 0; i < count; i++)
    to[i] = (uint32_t)(from[i] - base);
}

/* The rows of a piece of a part behind `before` edges; returns how many then are. */
static uint64_t copy_piece(const struct qn_set_piece *piece, const struct qn_set_part *part,
                           unsigned weight_bytes, uint64_t before,
                           const struct qn_graph_arrays *to) {
  const uint64_t *offsets = piece->row_offsets;
  const uint64_t rows = piece->end - piece->begin, edges = offsets[rows] - offsets[0];
#pragma omp parallel for schedule(static) if (rows > QN_TEAM_LEAST)
  for (uint64_t row = 0; row < rows; row++) {
    const uint64_t end = before + offsets[row + 1] - offsets[0];
    if (end) /* pages before the first edge are holes of the file */
      to->row_offsets[piece->begin - part->begin + row + 1] = end;
  }
  if (edges > 0)
    copy_columns(to->column_indices + before, piece->columns, edges,
                 part->columns_begin - piece->first_column);
  if (edges > 0 && weight_bytes)
    copy((char *)to->weights + before * weight_bytes, piece->weights, edges * weight_bytes);
  return before + edges;
}

static enum qn_status write_rows(const struct qn_set *set, const struct qn_set_part *part,
                                 const struct qn_set_piece *pieces, uint64_t num_pieces,
                                 struct qn_writer *writer, struct qn_error *error) {
  const unsigned weight_bytes = qn_weight_bytes(qn_set_part_weights(set, part));
  struct qn_graph_arrays to;
  uint64_t edges = 0;
  enum qn_status status =
      qn_graph_write_rows(writer, part->end - part->begin, &to.row_offsets, error);
  if (!status)
    status = qn_graph_write_columns(writer, part->num_edges, &to.column_indices, error);
  if (!status)
    status = qn_graph_write_weights(writer, part->num_edges, &to.weights, error);
  if (status)
    return status;
  for (uint64_t i = 0; i < num_pieces; i++)
    edges = copy_piece(&pieces[i], part, weight_bytes, edges, &to);
  return QN_OK;
}

static enum qn_status write_values(const struct qn_set_edge_values *values,
                                   struct qn_writer *writer, struct qn_error *error) {
  struct qn_properties of_edges = *values->properties;
  of_edges.of_vertices = (struct qn_property_table){0};
  return qn_properties_write(writer, &of_edges, NULL, values->records, error);
}

/* A part whose writer goes to `path` (NULL: memory). */
static enum qn_status begin_part(const struct qn_set *set, uint64_t index,
                                 const struct qn_set_piece *pieces, uint64_t num_pieces,
                                 const struct qn_set_edge_values *values, const char *tool,
                                 const char *path, bool replace, struct qn_writer **out,
                                 struct qn_error *error) {
  const struct qn_set_part *part = &set->parts[index];
  struct qn_writer *writer;
  enum qn_status status = qn_writer_create(path, replace, &writer, error);
  if (status)
    return status;
  *qn_writer_info(writer) =
      info_of(set, part->end - part->begin, part->columns_end - part->columns_begin);
  qn_writer_info(writer)->first_row = qn_set_first_row(part);
  qn_writer_info(writer)->directedness = QN_DIRECTED;
  qn_writer_info(writer)->weight_type = qn_set_part_weights(set, part);
  qn_writer_info(writer)->num_edges = part->num_edges;
  json_t *metadata = part_metadata(set, index, tool);
  status = write_rows(set, part, pieces, num_pieces, writer, error);
  if (!status && values)
    status = write_values(values, writer, error);
  if (!status)
    status = qn_writer_metadata(writer, metadata, error);
  json_decref(metadata);
  if (status)
    qn_writer_abort(writer);
  else
    *out = writer;
  return status;
}

enum qn_status qn_set_write_part(struct qn_set *set, uint64_t index,
                                 const struct qn_set_piece *pieces, uint64_t num_pieces,
                                 const struct qn_set_edge_values *values, const char *tool,
                                 const char *path, bool replace, struct qn_error *error) {
  struct qn_set_part *part = &set->parts[index];
  struct qn_writer *writer;
  char name[32];
  enum qn_status status =
      begin_part(set, index, pieces, num_pieces, values, tool, path, replace, &writer, error);
  if (status)
    return status;
  qn_set_part_name(index, name);
  status = finish(QN_OK, writer, path, name, &part->file, error);
  qn_progress_add(part->num_edges);
  return status;
}

enum qn_status qn_set_make_part(const struct qn_set *set, uint64_t index,
                                const struct qn_set_piece *pieces, uint64_t num_pieces,
                                const char *tool, struct qn_container **out,
                                struct qn_error *error) {
  struct qn_writer *writer;
  char path[PATH_MAX];
  *out = NULL;
  snprintf(path, sizeof path, "%s/quern-block-%ld",
           qn_temp_folder() ? qn_temp_folder() : qn_default_temp_folder(), (long)getpid());
  enum qn_status status = begin_part(set, index, pieces, num_pieces, NULL, tool,
                                     qn_memory_limit() ? path : NULL, false, &writer, error);
  return status ? status : qn_writer_commit_nameless(writer, "(a block)", out, error);
}

enum qn_status qn_set_build_part(struct qn_set *set, uint64_t index,
                                 const struct qn_set_builder *builder, struct qn_container *plain,
                                 const char *path, struct qn_error *error) {
  struct qn_set_part *part = &set->parts[index];
  struct qn_container *built = NULL;
  char name[32];
  enum qn_status status = builder->build(builder->user, plain, path, &built, error);
  qn_set_part_name(index, name);
  if (!status)
    status = qn_set_file_of(built, name, &part->file, error);
  qn_container_unmap(built);
  qn_progress_add(part->num_edges);
  return status;
}
