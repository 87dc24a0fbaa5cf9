#include "converters/typed/vertices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/properties/gather.h"
#include "formats/text/string_map.h"
#include "support/memory.h"
#include <quern/graph.h>

/* A name in a space of ids. */
struct member {
  uint32_t type;
  uint32_t number;   /* when all are numbered */
  uint32_t source;   /* of vertices; behind these, of edges */
  uint32_t position; /* in the source's container */
};

struct space {
  const char *name;
  bool listed; /* some source lists its vertices; else edges name them */
  struct qn_string_map *map;
  struct member *members; /* [capacity], by the map's number */
  uint64_t capacity;
};

/* Where a member is. */
struct place {
  uint32_t space, id;
};

struct qn_typed_vertices {
  const struct qn_typed_sources *sources;
  struct qn_ids *ids; /* [sources of vertices and of edges] */
  struct space *spaces;
  uint32_t num_spaces;
  struct qn_vertex_type *types;
  uint32_t num_types;
  struct qn_string_map *type_map; /* the numbers of types while they are found */
  struct place *places;           /* [count] the vertices of one type after those of another */
  uint64_t count;
};

/* A name as it is sorted. */
struct named {
  const char *bytes;
  uint32_t length;
  uint32_t space, id;
  uint64_t number;
};

/* ---- Names ------------------------------------------------------------------- */

static const char *space_name(const char *space) {
  return *space ? space : "without a name";
}

/* The id of vertex `v` of a container of edges without the side before it; false: it is not of this
 * side. */
static bool end_text(const struct qn_typed_edge_source *source, const struct qn_ids *ids,
                     uint64_t v, unsigned end, char *buffer, const char **text, uint64_t *length) {
  *text = qn_ids_text(ids, v, buffer, length);
  if (!source->bipartite)
    return true;
  const bool is_it = *length > 1 && **text == (end ? 'R' : 'L');
  ++*text;
  --*length;
  return is_it;
}

static uint32_t find_space(const struct qn_typed_vertices *vertices, const char *name) {
  uint32_t i = 0;
  while (i < vertices->num_spaces && strcmp(vertices->spaces[i].name, name) != 0)
    i++;
  return i;
}

static enum qn_status add_space(struct qn_typed_vertices *vertices, const char *name, bool listed,
                                struct qn_error *error) {
  const uint32_t i = find_space(vertices, name);
  enum qn_status status = QN_OK;
  if (i == vertices->num_spaces) {
    status = qn_realloc(&vertices->spaces, i + 1, sizeof *vertices->spaces, "spaces of ids", error);
    if (status)
      return status;
    vertices->spaces[i] = (struct space){.name = name};
    vertices->num_spaces++;
    status = qn_string_map_create(&vertices->spaces[i].map, error);
  }
  vertices->spaces[i].listed |= listed;
  return status;
}

/* The space in which an end is looked for. */
static const char *space_of(const struct qn_typed_sources *sources,
                            const struct qn_typed_end *end) {
  const char *labelled = NULL;
  if (end->by_place)
    return sources->vertices[end->table].space;
  if (end->space)
    return end->space;
  for (uint32_t i = 0; end->type && i < sources->num_vertices; i++)
    if (sources->vertices[i].type && strcmp(sources->vertices[i].type, end->type) == 0)
      return sources->vertices[i].space;
  for (uint32_t i = 0; i < sources->num_vertices; i++)
    if (sources->vertices[i].type_column && !labelled)
      labelled = sources->vertices[i].space;
  return labelled ? labelled : end->type ? end->type : "";
}

/* The type of what edges name in a space that nobody lists. */
static const char *type_of_end(const struct qn_typed_end *end) {
  return end->type ? end->type : end->space && *end->space ? end->space : QN_UNTYPED_VERTEX;
}

/* ---- Types ------------------------------------------------------------------- */

static enum qn_status find_type(struct qn_typed_vertices *vertices, const char *name,
                                uint64_t length, const char *file, uint32_t *type,
                                struct qn_error *error) {
  if (!qn_property_is_name(name, length)) {
    qn_fail(error, QN_INVALID,
            "the type of a vertex must be 1 to %d bytes of UTF-8 without control characters",
            QN_PROPERTY_NAME_BYTES);
    return qn_error_in_file(error, file);
  }
  if (qn_string_map_intern(vertices->type_map, name, length, type) != QN_INTERNED)
    return qn_fail_memory(error, "types of vertices", length);
  if (*type < vertices->num_types)
    return QN_OK;
  enum qn_status status = qn_realloc(&vertices->types, (uint64_t)*type + 1, sizeof *vertices->types,
                                     "types of vertices", error);
  if (status)
    return status;
  vertices->types[*type] = (struct qn_vertex_type){.name = strndup(name, length)};
  vertices->num_types = *type + 1;
  return vertices->types[*type].name ? QN_OK : qn_fail_memory(error, "a type's name", length);
}

/* "Person", "Person;Actor": what is said of all of a file, and of one vertex. */
static enum qn_status find_labels(struct qn_typed_vertices *vertices,
                                  const struct qn_typed_vertex_source *source,
                                  const struct qn_property *column, uint64_t v, uint32_t *type,
                                  struct qn_error *error) {
  char joined[2 * QN_PROPERTY_NAME_BYTES + 2];
  const char *name = source->type;
  uint64_t length = name ? strlen(name) : 0;
  if (column && !qn_property_is_null(column, v)) {
    const char *label = (const char *)column->values + column->offsets[v];
    const uint64_t bytes = column->offsets[v + 1] - column->offsets[v];
    const bool same = name && bytes == length && memcmp(label, name, length) == 0;
    if (bytes && !name) {
      name = label;
      length = bytes;
    } else if (bytes && !same && length + bytes + 1 < sizeof joined) {
      length = (uint64_t)snprintf(joined, sizeof joined, "%s;%.*s", name, (int)bytes, label);
      name = joined;
    }
  }
  if (!length)
    name = *source->space ? source->space : QN_UNTYPED_VERTEX;
  return find_type(vertices, name, length ? length : strlen(name), source->file, type, error);
}

/* ---- Members ----------------------------------------------------------------- */

static enum qn_status reserve(struct space *space, struct qn_error *error) {
  const uint64_t count = qn_string_map_count(space->map);
  if (count < space->capacity)
    return QN_OK;
  const uint64_t capacity = space->capacity ? 2 * space->capacity : 1024;
  enum qn_status status =
      qn_realloc(&space->members, capacity, sizeof *space->members, "vertices", error);
  if (!status)
    space->capacity = capacity;
  return status;
}

/* A name in the space; `*is_new` says that nobody has named it before. */
static enum qn_status intern(struct space *space, const char *text, uint64_t length, uint32_t *id,
                             bool *is_new, struct qn_error *error) {
  const uint64_t before = qn_string_map_count(space->map);
  enum qn_status status = reserve(space, error);
  if (status)
    return status;
  const enum qn_interned interned = qn_string_map_intern(space->map, text, length, id);
  *is_new = interned == QN_INTERNED && *id == before;
  return interned == QN_INTERNED ? QN_OK
         : interned == QN_INTERN_TOO_MANY
             ? qn_fail(error, QN_UNSUPPORTED, "there are more than 2^32 - 1 vertices")
         : interned == QN_INTERN_NO_NAME
             ? qn_fail(error, QN_INVALID, "'%.*s' is no id", (int)(length < 40 ? length : 40), text)
             : qn_fail_memory(error, "names of vertices", length);
}

/* The column of a source that says types; NULL if it has none. */
static enum qn_status type_column(const struct qn_typed_vertex_source *source,
                                  const struct qn_properties *properties,
                                  const struct qn_property **column, struct qn_error *error) {
  *column =
      source->type_column ? qn_property_find(&properties->of_vertices, source->type_column) : NULL;
  if (!source->type_column || (*column && (*column)->type == QN_PROPERTY_STRING))
    return QN_OK;
  qn_fail(error, QN_INVALID, "there is no column '%s' of texts that says the types of vertices",
          source->type_column);
  return qn_error_in_file(error, source->file);
}

static enum qn_status add_vertex(struct qn_typed_vertices *vertices, uint32_t index,
                                 const struct qn_property *column, uint64_t v,
                                 struct qn_error *error) {
  const struct qn_typed_vertex_source *source = &vertices->sources->vertices[index];
  struct space *space = &vertices->spaces[find_space(vertices, source->space)];
  char buffer[32];
  uint64_t length;
  uint32_t id, type = 0;
  bool is_new;
  const char *text = qn_ids_text(&vertices->ids[index], v, buffer, &length);
  enum qn_status status = intern(space, text, length, &id, &is_new, error);
  if (!status && !is_new) {
    qn_fail(error, QN_INVALID, "'%.*s' is listed twice%s%s%s, the first time in %.120s",
            (int)length, text, *source->space ? " among the ids of '" : "", source->space,
            *source->space ? "'" : "", vertices->sources->vertices[space->members[id].source].file);
    status = qn_error_in_file(error, source->file);
  }
  if (!status)
    status = find_labels(vertices, source, column, v, &type, error);
  if (!status) {
    space->members[id] = (struct member){.type = type, .source = index, .position = (uint32_t)v};
    vertices->types[type].count++;
  }
  return status;
}

static enum qn_status add_vertices(struct qn_typed_vertices *vertices, uint32_t index,
                                   struct qn_error *error) {
  const struct qn_typed_vertex_source *source = &vertices->sources->vertices[index];
  struct qn_properties properties = {0};
  const struct qn_property *column = NULL;
  enum qn_status status = qn_ids_view(source->container, &vertices->ids[index], error);
  if (!status)
    status = qn_properties_view(source->container, &properties, error);
  if (!status)
    status = type_column(source, &properties, &column, error);
  if (!status && source->type && vertices->ids[index].num_vertices == 0) {
    qn_fail(error, QN_INVALID, "no vertices are of the type %s", source->type);
    status = qn_error_in_file(error, source->file);
  }
  for (uint64_t v = 0; !status && v < vertices->ids[index].num_vertices; v++)
    status = add_vertex(vertices, index, column, v, error);
  qn_properties_release(&properties);
  return status;
}

/* Vertices that edges alone name. */
static enum qn_status add_ends(struct qn_typed_vertices *vertices, uint32_t index, unsigned end,
                               struct qn_error *error) {
  const struct qn_typed_edge_source *source = &vertices->sources->edges[index];
  const struct qn_typed_end *where = &source->ends[end];
  struct space *space = &vertices->spaces[find_space(vertices, space_of(vertices->sources, where))];
  const uint32_t origin = vertices->sources->num_vertices + index;
  const struct qn_ids *ids = &vertices->ids[origin];
  const char *name = type_of_end(where), *text;
  char buffer[32];
  uint64_t length;
  uint32_t id, type;
  bool is_new;
  if (where->by_place || space->listed)
    return QN_OK;
  enum qn_status status = find_type(vertices, name, strlen(name), source->file, &type, error);
  for (uint64_t v = 0; !status && v < ids->num_vertices; v++) {
    if (!end_text(source, ids, v, end, buffer, &text, &length))
      continue;
    status = intern(space, text, length, &id, &is_new, error);
    if (!status && is_new) {
      space->members[id] = (struct member){.type = type, .source = origin, .position = (uint32_t)v};
      vertices->types[type].count++;
    }
  }
  return status;
}

/* ---- Sorting ----------------------------------------------------------------- */

/* Is it written as numbers are: digits, and no zero before them? */
static bool parse_number(const char *text, uint64_t length, uint64_t *number) {
  *number = 0;
  if (length == 0 || length > 20 || (length > 1 && text[0] == '0'))
    return false;
  for (uint64_t i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*number, 10, number) ||
        __builtin_add_overflow(*number, (uint64_t)(text[i] - '0'), number))
      return false;
  }
  return true;
}

static int by_number(const void *a, const void *b) {
  const struct named *first = a, *second = b;
  return (first->number > second->number) - (first->number < second->number);
}

static int by_bytes(const void *a, const void *b) {
  const struct named *first = a, *second = b;
  const uint32_t common = first->length < second->length ? first->length : second->length;
  const int order = memcmp(first->bytes, second->bytes, common);
  return order ? order : (first->length > second->length) - (first->length < second->length);
}

static void sort(struct named *names, uint64_t count, int (*compare)(const void *, const void *)) {
  uint64_t i = 1;
  while (i < count && compare(&names[i - 1], &names[i]) <= 0)
    i++;
  if (i < count)
    qsort(names, count, sizeof *names, compare);
}

static const char *member_text(const struct qn_typed_vertices *vertices,
                               const struct member *member, char *buffer, uint64_t *length) {
  const uint32_t listed = vertices->sources->num_vertices;
  const char *text = qn_ids_text(&vertices->ids[member->source], member->position, buffer, length);
  if (member->source < listed || !vertices->sources->edges[member->source - listed].bipartite)
    return text;
  --*length;
  return text + 1;
}

/* What the vertices of a type are called, one after the other in `type->bytes`. */
static enum qn_status copy_names(struct qn_typed_vertices *vertices, struct qn_vertex_type *type,
                                 struct named *names, struct qn_error *error) {
  const struct place *places = vertices->places + type->begin;
  char buffer[32];
  uint64_t length, bytes = 0;
  for (uint64_t i = 0; i < type->count; i++) {
    const struct member *member = &vertices->spaces[places[i].space].members[places[i].id];
    member_text(vertices, member, buffer, &length);
    names[i] =
        (struct named){.length = (uint32_t)length, .space = places[i].space, .id = places[i].id};
    type->num_bytes += length;
  }
  enum qn_status status =
      qn_pages_alloc(&type->bytes, type->num_bytes, 1, "names of vertices", error);
  for (uint64_t i = 0; !status && i < type->count; i++) {
    const struct member *member = &vertices->spaces[places[i].space].members[places[i].id];
    const char *text = member_text(vertices, member, buffer, &length);
    memcpy(type->bytes + bytes, text, length);
    names[i].bytes = type->bytes + bytes;
    bytes += length;
  }
  return status;
}

static enum qn_status refuse_twins(const struct qn_typed_vertices *vertices,
                                   const struct qn_vertex_type *type, const struct named *a,
                                   const struct named *b, struct qn_error *error) {
  return qn_fail(error, QN_INVALID,
                 "two vertices of the type %s are called '%.*s', one of the ids %s and one of "
                 "those %s: a type takes the vertices of one space of ids",
                 type->name, (int)a->length, a->bytes, space_name(vertices->spaces[a->space].name),
                 space_name(vertices->spaces[b->space].name));
}

static enum qn_status store_numbers(struct qn_vertex_type *type, const struct named *names,
                                    struct qn_error *error) {
  type->ids = (struct qn_ids){.kind = QN_IDS_DENSE, .num_vertices = type->count, .ascending = true};
  if (type->count == 0 ||
      (names[0].number == 0 && names[type->count - 1].number == type->count - 1))
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(&type->numbers, type->count, sizeof *type->numbers, "ids", error);
  for (uint64_t i = 0; !status && i < type->count; i++)
    type->numbers[i] = names[i].number;
  type->ids.kind = QN_IDS_NUMBERS;
  type->ids.numbers = type->numbers;
  return status;
}

/* Names in order; the bytes are put in order, too. */
static enum qn_status store_texts(struct qn_vertex_type *type, const struct named *names,
                                  struct qn_error *error) {
  char *sorted;
  enum qn_status status =
      qn_pages_alloc(&type->offsets, type->count + 1, sizeof *type->offsets, "ids", error);
  if (!status)
    status = qn_pages_alloc(&sorted, type->num_bytes, 1, "names of vertices", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < type->count; i++) {
    memcpy(sorted + type->offsets[i], names[i].bytes, names[i].length);
    type->offsets[i + 1] = type->offsets[i] + names[i].length;
  }
  qn_pages_free(type->bytes, type->num_bytes, 1);
  type->bytes = sorted;
  type->ids = (struct qn_ids){.kind = QN_IDS_STRINGS,
                              .num_vertices = type->count,
                              .string_offsets = type->offsets,
                              .string_bytes = type->bytes,
                              .ascending = true};
  return QN_OK;
}

static enum qn_status store_picks(struct qn_typed_vertices *vertices, struct qn_vertex_type *type,
                                  const struct named *names, struct qn_error *error) {
  enum qn_status status =
      qn_pages_alloc(&type->picks, type->count, sizeof *type->picks, "places of vertices", error);
  for (uint64_t i = 0; !status && i < type->count; i++) {
    struct member *member = &vertices->spaces[names[i].space].members[names[i].id];
    member->number = (uint32_t)(type->begin + i);
    type->picks[i] = member->source < vertices->sources->num_vertices
                         ? qn_pick(member->source, member->position)
                         : QN_NO_RECORD;
  }
  return status;
}

static enum qn_status number_type(struct qn_typed_vertices *vertices, struct qn_vertex_type *type,
                                  struct qn_error *error) {
  struct named *names;
  enum qn_status status =
      qn_pages_alloc(&names, type->count, sizeof *names, "names of vertices", error);
  if (!status)
    status = copy_names(vertices, type, names, error);
  bool numbers = true;
  for (uint64_t i = 0; !status && numbers && i < type->count; i++)
    numbers = parse_number(names[i].bytes, names[i].length, &names[i].number);
  if (!status)
    sort(names, type->count, numbers ? by_number : by_bytes);
  for (uint64_t i = 1; !status && i < type->count; i++)
    if (by_bytes(&names[i - 1], &names[i]) == 0)
      status = refuse_twins(vertices, type, &names[i - 1], &names[i], error);
  if (!status)
    status = store_picks(vertices, type, names, error);
  if (!status)
    status = numbers ? store_numbers(type, names, error) : store_texts(type, names, error);
  qn_pages_free(names, type->count, sizeof *names);
  return status;
}

static int by_name(const void *a, const void *b, void *context) {
  const struct qn_vertex_type *types = context;
  return strcmp(types[*(const uint32_t *)a].name, types[*(const uint32_t *)b].name);
}

/* Types in the order of their names; members are told the new numbers. */
static enum qn_status sort_types(struct qn_typed_vertices *vertices, struct qn_error *error) {
  uint32_t *order = NULL, *place = NULL;
  struct qn_vertex_type *sorted = NULL;
  const uint32_t count = vertices->num_types;
  enum qn_status status = qn_alloc(&order, count, sizeof *order, "types", error);
  if (!status)
    status = qn_alloc(&place, count, sizeof *place, "types", error);
  if (!status)
    status = qn_alloc(&sorted, count, sizeof *sorted, "types", error);
  if (!status) {
    for (uint32_t t = 0; t < count; t++)
      order[t] = t;
    qsort_r(order, count, sizeof *order, by_name, vertices->types);
    for (uint32_t t = 0; t < count; t++) {
      sorted[t] = vertices->types[order[t]];
      sorted[t].begin = t ? sorted[t - 1].begin + sorted[t - 1].count : 0;
      place[order[t]] = t;
    }
    memcpy(vertices->types, sorted, count * sizeof *sorted);
    for (uint32_t s = 0; s < vertices->num_spaces; s++)
      for (uint64_t id = 0; id < qn_string_map_count(vertices->spaces[s].map); id++)
        vertices->spaces[s].members[id].type = place[vertices->spaces[s].members[id].type];
    vertices->count = count ? sorted[count - 1].begin + sorted[count - 1].count : 0;
  }
  qn_free(order);
  qn_free(place);
  qn_free(sorted);
  return status;
}

/* Bring the vertices of each type together. */
static enum qn_status place(struct qn_typed_vertices *vertices, struct qn_error *error) {
  uint64_t *next = NULL;
  enum qn_status status = qn_pages_alloc(&vertices->places, vertices->count,
                                         sizeof *vertices->places, "places of vertices", error);
  if (!status)
    status = qn_alloc(&next, vertices->num_types, sizeof *next, "types", error);
  if (status)
    return status;
  for (uint32_t t = 0; t < vertices->num_types; t++)
    next[t] = vertices->types[t].begin;
  for (uint32_t s = 0; s < vertices->num_spaces; s++)
    for (uint64_t id = 0; id < qn_string_map_count(vertices->spaces[s].map); id++)
      vertices->places[next[vertices->spaces[s].members[id].type]++] =
          (struct place){s, (uint32_t)id};
  qn_free(next);
  return QN_OK;
}

/* ---- The whole --------------------------------------------------------------- */

static enum qn_status add_spaces(struct qn_typed_vertices *vertices, struct qn_error *error) {
  const struct qn_typed_sources *sources = vertices->sources;
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < sources->num_vertices; i++)
    status = add_space(vertices, sources->vertices[i].space, true, error);
  for (uint32_t i = 0; !status && i < 2 * sources->num_edges; i++)
    status =
        add_space(vertices, space_of(sources, &sources->edges[i / 2].ends[i % 2]), false, error);
  return status;
}

static enum qn_status number(struct qn_typed_vertices *vertices, struct qn_error *error) {
  const struct qn_typed_sources *sources = vertices->sources;
  enum qn_status status = qn_string_map_create(&vertices->type_map, error);
  if (!status)
    status = qn_alloc_zeroed(&vertices->ids, (uint64_t)sources->num_vertices + sources->num_edges,
                             sizeof *vertices->ids, "ids", error);
  if (!status)
    status = add_spaces(vertices, error);
  for (uint32_t i = 0; !status && i < sources->num_vertices; i++)
    status = add_vertices(vertices, i, error);
  for (uint32_t i = 0; !status && i < sources->num_edges; i++)
    status =
        qn_ids_view(sources->edges[i].container, &vertices->ids[sources->num_vertices + i], error);
  for (uint32_t i = 0; !status && i < 2 * sources->num_edges; i++)
    status = add_ends(vertices, i / 2, i % 2, error);
  if (!status)
    status = sort_types(vertices, error);
  if (!status && vertices->count > UINT32_MAX)
    status = qn_fail(error, QN_UNSUPPORTED, "there are more than 2^32 - 1 vertices");
  if (!status)
    status = place(vertices, error);
  for (uint32_t t = 0; !status && t < vertices->num_types; t++)
    status = number_type(vertices, &vertices->types[t], error);
  return status;
}

enum qn_status qn_typed_vertices_create(const struct qn_typed_sources *sources,
                                        struct qn_typed_vertices **out, struct qn_error *error) {
  struct qn_typed_vertices *vertices;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&vertices, 1, sizeof *vertices, "vertices", error);
  if (status)
    return status;
  vertices->sources = sources;
  status = number(vertices, error);
  if (status)
    qn_typed_vertices_destroy(vertices);
  else
    *out = vertices;
  return status;
}

void qn_typed_vertices_destroy(struct qn_typed_vertices *vertices) {
  if (!vertices)
    return;
  for (uint32_t t = 0; t < vertices->num_types; t++) {
    struct qn_vertex_type *type = &vertices->types[t];
    free(type->name);
    qn_pages_free(type->picks, type->count, sizeof *type->picks);
    qn_pages_free(type->numbers, type->count, sizeof *type->numbers);
    qn_pages_free(type->offsets, type->count + 1, sizeof *type->offsets);
    qn_pages_free(type->bytes, type->num_bytes, 1);
  }
  for (uint32_t s = 0; s < vertices->num_spaces; s++) {
    qn_string_map_destroy(vertices->spaces[s].map);
    qn_free(vertices->spaces[s].members);
  }
  qn_string_map_destroy(vertices->type_map);
  qn_pages_free(vertices->places, vertices->count, sizeof *vertices->places);
  qn_free(vertices->types);
  qn_free(vertices->spaces);
  qn_free(vertices->ids);
  qn_free(vertices);
}

uint32_t qn_typed_vertices_types(const struct qn_typed_vertices *vertices,
                                 const struct qn_vertex_type **types) {
  *types = vertices->types;
  return vertices->num_types;
}

uint64_t qn_typed_vertices_count(const struct qn_typed_vertices *vertices) {
  return vertices->count;
}

uint32_t qn_typed_vertices_type(const struct qn_typed_vertices *vertices, uint64_t number) {
  uint32_t low = 0, high = vertices->num_types;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (vertices->types[middle].begin <= number)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* ---- Ends -------------------------------------------------------------------- */

static enum qn_status refuse_end(const struct qn_typed_edge_source *source, unsigned end,
                                 const char *space, const char *text, uint64_t length,
                                 struct qn_error *error) {
  const char *type = source->ends[end].type;
  qn_fail(error, QN_INVALID, "an edge %s '%.*s', and no vertex%s%s%s%s%s is called so",
          end ? "leads to" : "leaves", (int)(length < 80 ? length : 80), text,
          type ? " of the type " : "", type ? type : "", !type && *space ? " of the ids '" : "",
          !type ? space : "", !type && *space ? "'" : "");
  return qn_error_in_file(error, source->file);
}

static enum qn_status check_type(const struct qn_typed_vertices *vertices,
                                 const struct qn_typed_edge_source *source, unsigned end,
                                 const struct member *member, const char *text, uint64_t length,
                                 struct qn_error *error) {
  const char *wanted = source->ends[end].type, *type = vertices->types[member->type].name;
  if (!wanted || strcmp(wanted, type) == 0)
    return QN_OK;
  qn_fail(error, QN_INVALID, "an edge %s '%.*s', which is of the type %s; %s of these edges are %s",
          end ? "leads to" : "leaves", (int)(length < 80 ? length : 80), text, type,
          end ? "destinations" : "sources", wanted);
  return qn_error_in_file(error, source->file);
}

static enum qn_status find_end(const struct qn_typed_vertices *vertices, uint32_t index,
                               unsigned end, uint64_t v, uint32_t *number, struct qn_error *error) {
  const struct qn_typed_edge_source *source = &vertices->sources->edges[index];
  const char *name = space_of(vertices->sources, &source->ends[end]), *text;
  struct space *space = &vertices->spaces[find_space(vertices, name)];
  char buffer[32];
  uint64_t length;
  uint32_t id;
  bool is_new;
  if (!end_text(source, &vertices->ids[vertices->sources->num_vertices + index], v, end, buffer,
                &text, &length))
    return QN_OK;
  enum qn_status status = intern(space, text, length, &id, &is_new, error);
  if (!status && is_new)
    return refuse_end(source, end, name, text, length, error);
  if (!status)
    status = check_type(vertices, source, end, &space->members[id], text, length, error);
  if (!status)
    *number = space->members[id].number;
  return status;
}

/* The numbers of the vertices of a table [V of its container]. */
static enum qn_status number_table(const struct qn_typed_vertices *vertices, uint32_t table,
                                   uint32_t **numbers, struct qn_error *error) {
  const struct space *space =
      &vertices->spaces[find_space(vertices, vertices->sources->vertices[table].space)];
  enum qn_status status = qn_pages_alloc(numbers, vertices->ids[table].num_vertices,
                                         sizeof **numbers, "vertices of a table", error);
  for (uint64_t id = 0; !status && id < qn_string_map_count(space->map); id++)
    if (space->members[id].source == table)
      (*numbers)[space->members[id].position] = space->members[id].number;
  return status;
}

/* Ends that are places in a table. */
static enum qn_status find_places(const struct qn_typed_vertices *vertices, uint32_t index,
                                  unsigned end, const uint8_t *used, uint64_t count,
                                  uint32_t *numbers, struct qn_error *error) {
  const struct qn_typed_edge_source *source = &vertices->sources->edges[index];
  const uint64_t rows = vertices->ids[source->ends[end].table].num_vertices;
  uint32_t *of_table = NULL;
  enum qn_status status = number_table(vertices, source->ends[end].table, &of_table, error);
  for (uint64_t v = 0; !status && v < count; v++) {
    numbers[v] = v < rows ? of_table[v] : QN_NO_VERTEX;
    if (!used[v] || v < rows)
      continue;
    qn_fail(error, QN_INVALID,
            "an edge %s vertex %" PRIu64 " of the type %s, which has %" PRIu64 " (0 is the first)",
            end ? "leads to" : "leaves", v, source->ends[end].type, rows);
    status = qn_error_in_file(error, source->file);
  }
  qn_pages_free(of_table, rows, sizeof *of_table);
  return status;
}

/* Vertices of a container of edges that have an edge at this end. */
static enum qn_status mark_ends(const struct qn_container *container, unsigned end, uint8_t *used,
                                struct qn_error *error) {
  struct qn_graph graph;
  enum qn_status status = qn_graph_view(container, &graph, error);
  for (uint64_t v = 0; !status && end == 0 && v < graph.out.num_vertices; v++)
    used[v] = qn_graph_out_degree(&graph, v) > 0;
  for (uint64_t e = 0; !status && end == 1 && e < graph.out.num_edges; e++)
    used[graph.out.column_indices[e]] = 1;
  return status;
}

enum qn_status qn_typed_vertices_of(const struct qn_typed_vertices *vertices, uint32_t index,
                                    unsigned end, uint32_t **numbers, struct qn_error *error) {
  const struct qn_container *container = vertices->sources->edges[index].container;
  const uint64_t count = qn_container_info(container)->num_vertices;
  uint8_t *used;
  enum qn_status status = qn_pages_alloc(numbers, count, sizeof **numbers, "ends", error);
  if (!status)
    status = qn_pages_alloc(&used, count, 1, "ends", error);
  if (status)
    return status;
  const bool by_place = vertices->sources->edges[index].ends[end].by_place;
  status = mark_ends(container, end, used, error);
  if (!status && by_place)
    status = find_places(vertices, index, end, used, count, *numbers, error);
  for (uint64_t v = 0; !status && !by_place && v < count; v++) {
    (*numbers)[v] = QN_NO_VERTEX;
    if (used[v])
      status = find_end(vertices, index, end, v, &(*numbers)[v], error);
  }
  qn_pages_free(used, count, 1);
  return status;
}
