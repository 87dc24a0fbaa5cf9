#include "converters/typed/edges.h"

#include <stdlib.h>
#include <string.h>

#include "formats/properties/gather.h"
#include "formats/text/string_map.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include <quern/graph.h>

struct sorting {
  const struct qn_typed_sources *sources;
  const struct qn_typed_vertices *vertices;
  struct qn_typed_edges *edges;
  struct qn_string_map *names; /* of types */
  struct qn_string_map *kinds; /* a type by the numbers of its name, source and target */
  uint32_t **kind_of;          /* [sources of edges][E] types, as they are found */
};

/* The type that was found last: the next edge is mostly of the same. */
struct last {
  const char *name; /* in a column, or a source's; NULL: none was found */
  uint64_t length;
  uint32_t source, target, type;
};

/* A container of edges, open. */
struct opened {
  struct qn_graph graph;
  struct qn_properties properties;
  const struct qn_property *types; /* NULL: all are of one */
  uint32_t *ends[2];               /* [V] numbers of vertices */
};

static void close_source(struct opened *opened) {
  const uint64_t count = opened->graph.out.num_vertices;
  qn_pages_free(opened->ends[0], count, sizeof *opened->ends[0]);
  qn_pages_free(opened->ends[1], count, sizeof *opened->ends[1]);
  qn_properties_release(&opened->properties);
}

static enum qn_status open_source(const struct sorting *sorting, uint32_t index,
                                  struct opened *opened, struct qn_error *error) {
  const struct qn_typed_edge_source *source = &sorting->sources->edges[index];
  *opened = (struct opened){0};
  enum qn_status status = qn_graph_view(source->container, &opened->graph, error);
  if (!status)
    status = qn_properties_view(source->container, &opened->properties, error);
  if (!status && source->type_column)
    opened->types = qn_property_find(&opened->properties.of_edges, source->type_column);
  if (!status && source->type_column && opened->graph.out.num_edges &&
      (!opened->types || opened->types->type != QN_PROPERTY_STRING)) {
    qn_fail(error, QN_INVALID, "there is no column '%s' of texts that says the types of edges",
            source->type_column);
    status = qn_error_in_file(error, source->file);
  }
  for (unsigned end = 0; !status && end < 2; end++)
    status = qn_typed_vertices_of(sorting->vertices, index, end, &opened->ends[end], error);
  if (status)
    close_source(opened);
  return status;
}

/* ---- Types ------------------------------------------------------------------- */

/* What the type of an edge is called. */
static enum qn_status name_of(const struct sorting *sorting, uint32_t index,
                              const struct opened *opened, uint64_t edge, const char **name,
                              uint64_t *length, struct qn_error *error) {
  const struct qn_typed_edge_source *source = &sorting->sources->edges[index];
  const struct qn_property *column = opened->types;
  *name = source->type ? source->type : QN_UNTYPED_EDGE;
  *length = strlen(*name);
  if (column && !qn_property_is_null(column, edge) &&
      column->offsets[edge + 1] > column->offsets[edge]) {
    *name = (const char *)column->values + column->offsets[edge];
    *length = column->offsets[edge + 1] - column->offsets[edge];
  }
  if (qn_property_is_name(*name, *length))
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "the type of an edge must be 1 to %d bytes of UTF-8 without control characters",
          QN_PROPERTY_NAME_BYTES);
  return qn_error_in_file(error, source->file);
}

/* Six bits a character, so that it is a name to a map. */
static void put_number(char text[4], uint32_t number) {
  for (unsigned i = 0; i < 4; i++)
    text[i] = (char)('0' + (number >> (6 * i) & 63));
}

static enum qn_status find_type(struct sorting *sorting, const char *name, uint64_t length,
                                uint32_t source, uint32_t target, uint32_t *type,
                                struct qn_error *error) {
  struct qn_typed_edges *edges = sorting->edges;
  uint32_t name_number;
  char kind[12];
  if (qn_string_map_intern(sorting->names, name, length, &name_number) != QN_INTERNED)
    return qn_fail_memory(error, "types of edges", length);
  put_number(kind, name_number);
  put_number(kind + 4, source);
  put_number(kind + 8, target);
  if (qn_string_map_intern(sorting->kinds, kind, sizeof kind, type) != QN_INTERNED)
    return qn_fail_memory(error, "types of edges", length);
  if (*type < edges->num_types)
    return QN_OK;
  enum qn_status status =
      qn_realloc(&edges->types, (uint64_t)*type + 1, sizeof *edges->types, "types of edges", error);
  if (status)
    return status;
  edges->types[*type] =
      (struct qn_edge_type){.name = strndup(name, length), .source = source, .target = target};
  edges->num_types = *type + 1;
  return edges->types[*type].name ? QN_OK : qn_fail_memory(error, "a type's name", length);
}

/* A type that is declared may have no edges. */
static enum qn_status declare_type(struct sorting *sorting, uint32_t index,
                                   struct qn_error *error) {
  const struct qn_typed_edge_source *source = &sorting->sources->edges[index];
  const struct qn_vertex_type *types;
  const uint32_t count = qn_typed_vertices_types(sorting->vertices, &types);
  uint32_t ends[2] = {count, count}, type;
  if (!source->type || source->type_column || !source->ends[0].type || !source->ends[1].type)
    return QN_OK;
  for (uint32_t t = 0; t < count; t++)
    for (unsigned end = 0; end < 2; end++)
      if (strcmp(types[t].name, source->ends[end].type) == 0)
        ends[end] = t;
  for (unsigned end = 0; end < 2; end++)
    if (ends[end] == count) {
      qn_fail(error, QN_INVALID, "no vertices are of the type %s", source->ends[end].type);
      return qn_error_in_file(error, source->file);
    }
  return find_type(sorting, source->type, strlen(source->type), ends[0], ends[1], &type, error);
}

/* ---- Finding the type of every edge ------------------------------------------ */

static bool is_last(const struct last *last, const char *name, uint64_t length, uint32_t source,
                    uint32_t target) {
  return last->name && last->length == length && last->source == source && last->target == target &&
         memcmp(last->name, name, length) == 0;
}

static enum qn_status find_kinds(struct sorting *sorting, uint32_t index,
                                 const struct opened *opened, struct qn_error *error) {
  const struct qn_csr *csr = &opened->graph.out;
  struct last last = {0};
  uint32_t *kind_of;
  enum qn_status status =
      qn_bulk_alloc(&kind_of, csr->num_edges, sizeof *kind_of, "types of edges", error);
  sorting->kind_of[index] = kind_of;
  for (uint64_t v = 0; !status && v < csr->num_vertices; v++)
    for (uint64_t e = csr->row_offsets[v]; !status && e < csr->row_offsets[v + 1]; e++) {
      const uint32_t source = qn_typed_vertices_type(sorting->vertices, opened->ends[0][v]);
      const uint32_t target =
          qn_typed_vertices_type(sorting->vertices, opened->ends[1][csr->column_indices[e]]);
      const char *name;
      uint64_t length;
      status = name_of(sorting, index, opened, e, &name, &length, error);
      if (!status && !is_last(&last, name, length, source, target)) {
        last = (struct last){name, length, source, target, 0};
        status = find_type(sorting, name, length, source, target, &last.type, error);
      }
      kind_of[e] = last.type;
      if (!status)
        sorting->edges->types[kind_of[e]].count++;
    }
  return status;
}

static enum qn_status find_all(struct sorting *sorting, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < sorting->sources->num_edges; i++) {
    struct opened opened;
    status = declare_type(sorting, i, error);
    if (!status)
      status = open_source(sorting, i, &opened, error);
    if (status)
      break;
    status = find_kinds(sorting, i, &opened, error);
    sorting->edges->count += opened.graph.out.num_edges;
    close_source(&opened);
  }
  return status;
}

/* ---- Bringing them together --------------------------------------------------- */

static void share_room(struct qn_typed_edges *edges) {
  struct qn_typed_edge *next = edges->edges;
  for (uint32_t t = 0; t < edges->num_types; t++) {
    edges->types[t].edges = next;
    next += edges->types[t].count;
    edges->types[t].count = 0; /* for now: how many are there */
  }
}

static enum qn_status take_weights(struct qn_edge_type *type, const struct qn_csr *csr,
                                   const char *file, struct qn_error *error) {
  const enum qn_weight_type found = csr->weights.type;
  if (type->count == 0)
    type->weight_type = found;
  if (type->weight_type == found)
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "edges of the type %s have weights %s here, and %s in another file; --weights chooses",
          type->name, qn_weight_type_name(found), qn_weight_type_name(type->weight_type));
  return qn_error_in_file(error, file);
}

static enum qn_status place_edges(struct sorting *sorting, uint32_t index,
                                  const struct opened *opened, struct qn_error *error) {
  const struct qn_csr *csr = &opened->graph.out;
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++) {
      struct qn_edge_type *type = &sorting->edges->types[sorting->kind_of[index][e]];
      if (take_weights(type, csr, sorting->sources->edges[index].file, error))
        return error->status;
      type->edges[type->count++] =
          (struct qn_typed_edge){.source = opened->ends[0][v],
                                 .destination = opened->ends[1][csr->column_indices[e]],
                                 .pick = qn_pick(index, e)};
    }
  return QN_OK;
}

static enum qn_status place_all(struct sorting *sorting, struct qn_error *error) {
  struct qn_typed_edges *edges = sorting->edges;
  enum qn_status status =
      qn_bulk_alloc(&edges->edges, edges->count, sizeof *edges->edges, "edges", error);
  if (!status)
    share_room(edges);
  for (uint32_t i = 0; !status && i < sorting->sources->num_edges; i++) {
    struct opened opened;
    status = open_source(sorting, i, &opened, error);
    if (status)
      break;
    status = place_edges(sorting, i, &opened, error);
    close_source(&opened);
    qn_pages_free(sorting->kind_of[i],
                  qn_container_info(sorting->sources->edges[i].container)->num_edges,
                  sizeof **sorting->kind_of);
    sorting->kind_of[i] = NULL;
  }
  return status;
}

/* ---- Order --------------------------------------------------------------------- */

static int by_ends(const void *a, const void *b) {
  const struct qn_typed_edge *first = a, *second = b;
  if (first->source != second->source)
    return first->source < second->source ? -1 : 1;
  if (first->destination != second->destination)
    return first->destination < second->destination ? -1 : 1;
  return (first->pick > second->pick) - (first->pick < second->pick);
}

/* By source in counted places, then each row by itself. */
static enum qn_status sort_rows(const struct sorting *sorting, struct qn_edge_type *type,
                                struct qn_error *error) {
  const struct qn_vertex_type *types;
  qn_typed_vertices_types(sorting->vertices, &types);
  const uint64_t rows = types[type->source].count, first = types[type->source].begin;
  uint64_t *next;
  struct qn_typed_edge *sorted;
  enum qn_status status = qn_bulk_alloc(&next, rows + 2, sizeof *next, "rows", error);
  if (status)
    return status;
  status = qn_bulk_alloc(&sorted, type->count, sizeof *sorted, "edges", error);
  if (!status) {
    for (uint64_t i = 0; i < type->count; i++)
      next[type->edges[i].source - first + 2]++;
    for (uint64_t row = 2; row < rows + 2; row++)
      next[row] += next[row - 1];
    for (uint64_t i = 0; i < type->count; i++)
      sorted[next[type->edges[i].source - first + 1]++] = type->edges[i];
#pragma omp parallel for schedule(dynamic, 1024)
    for (uint64_t row = 0; row < rows; row++)
      qsort(sorted + next[row], next[row + 1] - next[row], sizeof *sorted, by_ends);
    memcpy(type->edges, sorted, type->count * sizeof *sorted);
  }
  qn_pages_free(sorted, type->count, sizeof *sorted);
  qn_pages_free(next, rows + 2, sizeof *next);
  return status;
}

static int by_name(const void *a, const void *b) {
  const struct qn_edge_type *first = a, *second = b;
  const int order = strcmp(first->name, second->name);
  if (order)
    return order;
  if (first->source != second->source)
    return first->source < second->source ? -1 : 1;
  return (first->target > second->target) - (first->target < second->target);
}

/* ---- The whole ------------------------------------------------------------------ */

enum qn_status qn_typed_edges_create(const struct qn_typed_sources *sources,
                                     const struct qn_typed_vertices *vertices,
                                     struct qn_typed_edges *out, struct qn_error *error) {
  struct sorting sorting = {.sources = sources, .vertices = vertices, .edges = out};
  *out = (struct qn_typed_edges){0};
  enum qn_status status = qn_string_map_create(&sorting.names, error);
  if (!status)
    status = qn_string_map_create(&sorting.kinds, error);
  if (!status)
    status = qn_alloc_zeroed(&sorting.kind_of, sources->num_edges, sizeof *sorting.kind_of,
                             "types of edges", error);
  if (!status)
    status = find_all(&sorting, error);
  if (!status)
    status = place_all(&sorting, error);
  for (uint32_t t = 0; !status && t < out->num_types; t++)
    status = sort_rows(&sorting, &out->types[t], error);
  if (!status && out->num_types)
    qsort(out->types, out->num_types, sizeof *out->types, by_name);
  for (uint32_t i = 0; sorting.kind_of && i < sources->num_edges; i++)
    qn_pages_free(sorting.kind_of[i], qn_container_info(sources->edges[i].container)->num_edges,
                  sizeof **sorting.kind_of);
  qn_free(sorting.kind_of);
  qn_string_map_destroy(sorting.names);
  qn_string_map_destroy(sorting.kinds);
  if (status)
    qn_typed_edges_destroy(out);
  return status;
}

void qn_typed_edges_destroy(struct qn_typed_edges *edges) {
  for (uint32_t t = 0; t < edges->num_types; t++)
    free(edges->types[t].name);
  qn_free(edges->types);
  qn_pages_free(edges->edges, edges->count, sizeof *edges->edges);
  *edges = (struct qn_typed_edges){0};
}
