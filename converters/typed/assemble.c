#include "converters/typed/assemble.h"

#include <string.h>

#include "converters/typed/edges.h"
#include "converters/typed/vertices.h"
#include "formats/properties/gather.h"
#include "formats/set/files.h"
#include "formats/set/types.h"
#include "formats/set/vertices.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include <quern/fingerprint.h>
#include <quern/metadata.h>

struct assembling {
  const struct qn_typed_sources *sources;
  const json_t *metadata;
  const char *tool;
  struct qn_typed_vertices *vertices;
  struct qn_typed_edges edges;
  struct qn_properties *of_vertices, *of_edges; /* of the sources */
  uint64_t *degrees;                            /* [V] out-degrees */
  struct qn_set *set;
  struct qn_set_writer *writer;
};

/* ---- What is known of the set --------------------------------------------------- */

static enum qn_status copy_name(const char *name, char **copy, struct qn_error *error) {
  *copy = strdup(name);
  return *copy ? QN_OK : qn_fail_memory(error, "a type's name", strlen(name));
}

static enum qn_status describe_vertices(struct assembling *assembling, struct qn_error *error) {
  const struct qn_vertex_type *types;
  const uint32_t count = qn_typed_vertices_types(assembling->vertices, &types);
  struct qn_set *set = assembling->set;
  if (count > QN_SET_MAX_RANGES)
    return qn_fail(error, QN_INVALID, "there are more than %d types of vertices",
                   QN_SET_MAX_RANGES);
  enum qn_status status = qn_set_ranges_create(set, count, error);
  for (uint32_t t = 0; !status && t < count; t++) {
    set->ranges[t].begin = types[t].begin;
    set->ranges[t].end = types[t].begin + types[t].count;
    status = copy_name(types[t].name, &set->ranges[t].type, error);
  }
  set->num_vertices = qn_typed_vertices_count(assembling->vertices);
  set->features = QN_SET_TYPES | (count > 1 ? QN_SET_VERTEX_RANGES : 0);
  return status;
}

/* The weights of all sources [sources of edges]. */
static enum qn_status view_weights(const struct assembling *assembling, struct qn_weights **weights,
                                   struct qn_error *error) {
  const uint32_t count = assembling->sources->num_edges;
  enum qn_status status = qn_alloc_zeroed(weights, count, sizeof **weights, "weights", error);
  for (uint32_t i = 0; !status && i < count; i++) {
    struct qn_graph graph;
    status = qn_graph_view(assembling->sources->edges[i].container, &graph, error);
    if (!status)
      (*weights)[i] = graph.out.weights;
  }
  return status;
}

static uint64_t fingerprint_of(const struct qn_edge_type *type, const struct qn_weights *weights) {
  const unsigned bytes = qn_weight_bytes(type->weight_type);
  uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (uint64_t i = 0; i < type->count; i++) {
    const struct qn_typed_edge *edge = &type->edges[i];
    sum += qn_mix_source(edge->source) * qn_mix_destination(edge->destination) *
           qn_mix_weight_at(weights[qn_pick_source(edge->pick)].data, bytes,
                            qn_pick_record(edge->pick));
  }
  return sum;
}

static enum qn_status describe_edges(struct assembling *assembling, struct qn_error *error) {
  const struct qn_typed_edges *edges = &assembling->edges;
  struct qn_set *set = assembling->set;
  struct qn_weights *weights = NULL;
  if (edges->num_types == 0)
    return qn_fail(error, QN_INVALID, "there are no edges of any type");
  if (edges->num_types > QN_SET_MAX_TYPES)
    return qn_fail(error, QN_INVALID,
                   "there are %u types of edges, and a set has at most %d; is this the column of "
                   "types?",
                   edges->num_types, QN_SET_MAX_TYPES);
  enum qn_status status = qn_alloc_zeroed(&set->edge_types, edges->num_types,
                                          sizeof *set->edge_types, "types of edges", error);
  if (!status)
    set->num_edge_types = edges->num_types;
  if (!status)
    status =
        qn_alloc_zeroed(&set->parts, edges->num_types, sizeof *set->parts, "parts of a set", error);
  if (!status)
    set->num_parts = edges->num_types;
  if (!status)
    status = view_weights(assembling, &weights, error);
  for (uint32_t t = 0; !status && t < edges->num_types; t++) {
    const struct qn_edge_type *from = &edges->types[t];
    struct qn_set_edge_type *type = &set->edge_types[t];
    *type = (struct qn_set_edge_type){.source = from->source,
                                      .target = from->target,
                                      .weight_type = from->weight_type,
                                      .num_edges = from->count,
                                      .fingerprint = fingerprint_of(from, weights)};
    set->parts[t] = (struct qn_set_part){.begin = set->ranges[from->source].begin,
                                         .end = set->ranges[from->source].end,
                                         .columns_end = set->num_vertices,
                                         .num_edges = from->count,
                                         .edge_type = t};
    set->fingerprint += type->fingerprint;
    set->num_edges += type->num_edges;
    status = copy_name(from->name, &type->name, error);
  }
  qn_free(weights);
  return status;
}

static enum qn_status describe(struct assembling *assembling, struct qn_error *error) {
  struct qn_set *set = assembling->set;
  set->version = QN_SET_VERSION;
  set->directedness = QN_DIRECTED;
  set->rows = QN_SET_ROWS_OUT;
  set->layout = QN_LAYOUT_GRAPH;
  enum qn_status status = describe_vertices(assembling, error);
  if (!status)
    status = describe_edges(assembling, error);
  if (!status)
    set->weight_type = qn_set_common_weights(set);
  return status;
}

/* ---- Properties of the sources --------------------------------------------------- */

static enum qn_status view_columns(const struct qn_container *container,
                                   struct qn_properties *properties, struct qn_error *error) {
  enum qn_status status = qn_properties_view(container, properties, error);
  return status ? status : qn_properties_check(container, properties, error);
}

static enum qn_status view_properties(struct assembling *assembling, struct qn_error *error) {
  const struct qn_typed_sources *sources = assembling->sources;
  enum qn_status status = qn_alloc_zeroed(&assembling->of_vertices, sources->num_vertices,
                                          sizeof *assembling->of_vertices, "properties", error);
  if (!status)
    status = qn_alloc_zeroed(&assembling->of_edges, sources->num_edges,
                             sizeof *assembling->of_edges, "properties", error);
  for (uint32_t i = 0; !status && i < sources->num_vertices; i++)
    status = view_columns(sources->vertices[i].container, &assembling->of_vertices[i], error);
  for (uint32_t i = 0; !status && i < sources->num_edges; i++)
    status = view_columns(sources->edges[i].container, &assembling->of_edges[i], error);
  return status;
}

/* ---- Vertices ------------------------------------------------------------------- */

static void fill_degrees(const void *context, uint64_t begin, uint64_t end, uint64_t *degrees) {
  const struct assembling *assembling = context;
  memcpy(degrees, assembling->degrees + begin, (end - begin) * sizeof *degrees);
}

static enum qn_status write_metadata(const void *context, struct qn_writer *writer,
                                     struct qn_error *error) {
  return qn_writer_metadata(writer, ((const struct assembling *)context)->metadata, error);
}

/* Which of the sources [num_sources] these values are from. */
static enum qn_status mark_sources(const uint64_t *picks, uint64_t count, uint32_t num_sources,
                                   bool **used, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(used, num_sources, sizeof **used, "sources", error);
  for (uint64_t i = 0; !status && i < count; i++)
    if (picks[i] != QN_NO_RECORD)
      (*used)[qn_pick_source(picks[i])] = true;
  return status;
}

static enum qn_status gather_vertices(const struct assembling *assembling,
                                      const struct qn_vertex_type *type,
                                      struct qn_property_table *out, struct qn_error *error) {
  const struct qn_typed_sources *sources = assembling->sources;
  struct qn_gather_table *tables = NULL;
  bool *used = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&tables, sources->num_vertices, sizeof *tables, "tables", error);
  if (!status)
    status = mark_sources(type->picks, type->count, sources->num_vertices, &used, error);
  for (uint32_t i = 0; !status && i < sources->num_vertices; i++)
    if (used[i])
      tables[i] = (struct qn_gather_table){.table = &assembling->of_vertices[i].of_vertices,
                                           .without = sources->vertices[i].type_column,
                                           .drops_nulls = sources->vertices[i].type_column != NULL,
                                           .file = sources->vertices[i].file};
  if (!status)
    status = qn_properties_gather(tables, sources->num_vertices, type->picks, type->count,
                                  type->name, out, error);
  qn_free(used);
  qn_free(tables);
  return status;
}

static enum qn_status write_vertices(struct assembling *assembling, uint32_t index,
                                     struct qn_error *error) {
  const struct qn_vertex_type *types;
  const uint32_t count = qn_typed_vertices_types(assembling->vertices, &types);
  struct qn_properties properties = {0};
  const struct qn_set_vertices about = {.ids = &types[index].ids,
                                        .properties = &properties,
                                        .of_range = true,
                                        .fill_degrees = fill_degrees,
                                        .write_metadata = write_metadata,
                                        .context = assembling};
  const char *path;
  enum qn_status status =
      gather_vertices(assembling, &types[index], &properties.of_vertices, error);
  if (!status)
    status = qn_set_writer_vertices(assembling->writer, index, count, &path, error);
  if (!status)
    status = qn_set_write_vertices(assembling->set, index, &about, path, error);
  qn_gathered_release(&properties.of_vertices);
  return status;
}

static enum qn_status count_degrees(struct assembling *assembling, struct qn_error *error) {
  enum qn_status status = qn_bulk_alloc(&assembling->degrees, assembling->set->num_vertices,
                                        sizeof *assembling->degrees, "out-degrees", error);
  for (uint64_t i = 0; !status && i < assembling->edges.count; i++)
    assembling->degrees[assembling->edges.edges[i].source]++;
  return status;
}

/* ---- Edges ---------------------------------------------------------------------- */

/* Rows in memory. */
struct rows {
  uint64_t *offsets; /* [num_rows + 1] */
  uint32_t *columns;
  char *weights;
  uint64_t *picks;
  uint64_t num_rows, num_edges;
  unsigned weight_bytes;
};

static void release_rows(struct rows *rows) {
  qn_pages_free(rows->offsets, rows->num_rows + 1, sizeof *rows->offsets);
  qn_pages_free(rows->columns, rows->num_edges, sizeof *rows->columns);
  qn_pages_free(rows->weights, rows->num_edges, rows->weight_bytes ? rows->weight_bytes : 1);
  qn_pages_free(rows->picks, rows->num_edges, sizeof *rows->picks);
}

static enum qn_status make_room(struct rows *rows, struct qn_error *error) {
  enum qn_status status =
      qn_bulk_alloc(&rows->offsets, rows->num_rows + 1, sizeof *rows->offsets, "rows", error);
  if (!status)
    status = qn_bulk_alloc(&rows->columns, rows->num_edges, sizeof *rows->columns, "edges", error);
  if (!status)
    status = qn_bulk_alloc(&rows->weights, rows->num_edges,
                           rows->weight_bytes ? rows->weight_bytes : 1, "weights", error);
  return status ? status
                : qn_bulk_alloc(&rows->picks, rows->num_edges, sizeof *rows->picks,
                                "places of edges", error);
}

static void fill_rows(const struct qn_edge_type *type, uint64_t first,
                      const struct qn_weights *weights, struct rows *rows) {
  for (uint64_t i = 0; i < type->count; i++)
    rows->offsets[type->edges[i].source - first + 1]++;
  for (uint64_t row = 0; row < rows->num_rows; row++)
    rows->offsets[row + 1] += rows->offsets[row];
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < type->count; i++) {
    const uint64_t pick = type->edges[i].pick;
    rows->columns[i] = type->edges[i].destination;
    rows->picks[i] = pick;
    if (rows->weight_bytes)
      memcpy(rows->weights + i * rows->weight_bytes,
             (const char *)weights[qn_pick_source(pick)].data +
                 qn_pick_record(pick) * rows->weight_bytes,
             rows->weight_bytes);
  }
}

/* A type without edges keeps the columns of the files that declare it. */
static bool declares(const struct qn_typed_edge_source *source, const struct qn_edge_type *type) {
  return type->count == 0 && source->type && strcmp(source->type, type->name) == 0;
}

static enum qn_status gather_edges(const struct assembling *assembling,
                                   const struct qn_edge_type *type, const uint64_t *picks,
                                   struct qn_properties *out, struct qn_error *error) {
  const struct qn_typed_sources *sources = assembling->sources;
  struct qn_gather_table *tables = NULL;
  bool *used = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&tables, sources->num_edges, sizeof *tables, "tables", error);
  if (!status)
    status = mark_sources(picks, type->count, sources->num_edges, &used, error);
  for (uint32_t i = 0; !status && i < sources->num_edges; i++) {
    const struct qn_properties *properties = &assembling->of_edges[i];
    if (!used[i] && !declares(&sources->edges[i], type))
      continue;
    tables[i] = (struct qn_gather_table){.table = &properties->of_edges,
                                         .without = sources->edges[i].type_column,
                                         .drops_nulls = sources->edges[i].type_column != NULL,
                                         .file = sources->edges[i].file};
    if (!out->weight[0] && type->weight_type != QN_WEIGHT_NONE)
      memcpy(out->weight, properties->weight, sizeof out->weight);
  }
  if (!status)
    status = qn_properties_gather(tables, sources->num_edges, picks, type->count, type->name,
                                  &out->of_edges, error);
  qn_free(used);
  qn_free(tables);
  return status;
}

static enum qn_status write_edges(struct assembling *assembling, uint32_t index,
                                  const struct qn_weights *weights, struct qn_error *error) {
  const struct qn_edge_type *type = &assembling->edges.types[index];
  const struct qn_set_part *part = &assembling->set->parts[index];
  struct rows rows = {.num_rows = part->end - part->begin,
                      .num_edges = type->count,
                      .weight_bytes = qn_weight_bytes(type->weight_type)};
  struct qn_properties properties = {0};
  const char *path;
  enum qn_status status = make_room(&rows, error);
  if (!status) {
    fill_rows(type, part->begin, weights, &rows);
    status = gather_edges(assembling, type, rows.picks, &properties, error);
  }
  const struct qn_set_piece piece = {.begin = part->begin,
                                     .end = part->end,
                                     .row_offsets = rows.offsets,
                                     .columns = rows.columns,
                                     .weights = rows.weights};
  const struct qn_set_edge_values values = {.properties = &properties};
  if (!status)
    status = qn_set_writer_part(assembling->writer, index, &path, error);
  if (!status)
    status = qn_set_write_part(assembling->set, index, &piece, 1,
                               properties.of_edges.count ? &values : NULL, assembling->tool, path,
                               false, error);
  qn_gathered_release(&properties.of_edges);
  release_rows(&rows);
  return status;
}

/* ---- The whole ------------------------------------------------------------------ */

static enum qn_status write_files(struct assembling *assembling, struct qn_error *error) {
  struct qn_set *set = assembling->set;
  struct qn_weights *weights = NULL;
  enum qn_status status = view_weights(assembling, &weights, error);
  for (uint32_t i = 0; !status && i < set->num_ranges; i++)
    status = write_vertices(assembling, i, error);
  if (!status)
    status = qn_set_identity(set, &set->identity, error);
  qn_progress_begin("writing parts", "edges", set->num_edges);
  for (uint32_t t = 0; !status && t < set->num_edge_types; t++) {
    status = write_edges(assembling, t, weights, error);
    if (!status)
      status = qn_context_check(error);
  }
  qn_progress_end();
  qn_free(weights);
  return status;
}

static enum qn_status assemble(struct assembling *assembling, struct qn_error *error) {
  enum qn_status status =
      qn_typed_vertices_create(assembling->sources, &assembling->vertices, error);
  if (!status)
    status =
        qn_typed_edges_create(assembling->sources, assembling->vertices, &assembling->edges, error);
  if (!status)
    status = describe(assembling, error);
  if (!status)
    status = count_degrees(assembling, error);
  if (!status)
    status = view_properties(assembling, error);
  return status ? status : write_files(assembling, error);
}

static void release(struct assembling *assembling) {
  const struct qn_typed_sources *sources = assembling->sources;
  for (uint32_t i = 0; assembling->of_vertices && i < sources->num_vertices; i++)
    qn_properties_release(&assembling->of_vertices[i]);
  for (uint32_t i = 0; assembling->of_edges && i < sources->num_edges; i++)
    qn_properties_release(&assembling->of_edges[i]);
  qn_free(assembling->of_vertices);
  qn_free(assembling->of_edges);
  qn_pages_free(assembling->degrees, assembling->set->num_vertices, sizeof *assembling->degrees);
  qn_typed_edges_destroy(&assembling->edges);
  qn_typed_vertices_destroy(assembling->vertices);
}

enum qn_status qn_typed_assemble(const struct qn_typed_sources *sources, const json_t *metadata,
                                 const char *tool, const char *path, bool replace,
                                 struct qn_set **out, struct qn_error *error) {
  struct assembling assembling = {.sources = sources, .metadata = metadata, .tool = tool};
  *out = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&assembling.set, 1, sizeof *assembling.set, "a set", error);
  if (status)
    return status;
  status = qn_set_writer_create(path, replace, &assembling.writer, error);
  if (!status)
    status = assemble(&assembling, error);
  release(&assembling);
  if (!status)
    status = qn_set_writer_commit(assembling.writer, assembling.set, tool, error);
  else
    qn_set_writer_abort(assembling.writer);
  if (status)
    qn_set_close(assembling.set);
  else
    *out = assembling.set;
  return status;
}
