#include "formats/set/types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "support/memory.h"

char *qn_set_type_name(const struct qn_set *set, const struct qn_set_edge_type *type) {
  char *name;
  return asprintf(&name, "%s-%s-%s", set->ranges[type->source].type, type->name,
                  set->ranges[type->target].type) < 0
             ? NULL
             : name;
}

#define REFUSE(rule, ...) qn_set_violation(set, QN_SET_MANIFEST, error, rule, __VA_ARGS__)

/* ---- Reading ------------------------------------------------------------------ */

static enum qn_status take_name(const struct qn_set *set, const json_t *object, const char *key,
                                const char **name, struct qn_error *error) {
  const json_t *value = json_object_get(object, key);
  *name = json_string_value(value);
  return *name && qn_property_is_name(*name, json_string_length(value))
             ? QN_OK
             : REFUSE("SET-17",
                      "\"%s\" must be the name of a type: 1 to %d bytes without control characters",
                      key, QN_PROPERTY_NAME_BYTES);
}

static enum qn_status keep_name(const char *name, char **copy, struct qn_error *error) {
  *copy = strdup(name);
  return *copy ? QN_OK : qn_fail_memory(error, "a type's name", strlen(name));
}

/* The types of vertices, each in a file, and where each is in `places`. */
static enum qn_status take_vertex_types(struct qn_set *set, const json_t *manifest, json_t *places,
                                        struct qn_error *error) {
  const json_t *files = json_object_get(manifest, "vertices");
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < set->num_ranges; i++) {
    struct qn_vertex_range *range = &set->ranges[i];
    const char *name;
    status = take_name(set, json_array_get(files, i), "type", &name, error);
    if (!status && json_object_get(places, name))
      status = REFUSE("SET-17", "two files have vertices of the type %s", name);
    if (!status && range->begin == range->end)
      status = REFUSE("SET-17", "the type %s has no vertices", name);
    if (!status)
      status = keep_name(name, &range->type, error);
    if (!status && json_object_set_new(places, name, json_integer((json_int_t)i)))
      status = qn_fail_memory(error, "the names of types", 0);
  }
  return status;
}

static enum qn_status take_end(const struct qn_set *set, const json_t *object, const char *key,
                               const json_t *places, uint32_t *type, struct qn_error *error) {
  const char *name;
  enum qn_status status = take_name(set, object, key, &name, error);
  if (status)
    return status;
  const json_t *place = json_object_get(places, name);
  *type = (uint32_t)json_integer_value(place);
  return place ? QN_OK : REFUSE("SET-17", "no vertices are of the type %s", name);
}

static enum qn_status take_number(const struct qn_set *set, const json_t *object, const char *key,
                                  uint64_t *number, struct qn_error *error) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_integer(value) || json_integer_value(value) < 0)
    return REFUSE("SET-17", "\"%s\" must be a non-negative integer", key);
  *number = (uint64_t)json_integer_value(value);
  return QN_OK;
}

static enum qn_status take_edge_type(const struct qn_set *set, const json_t *object,
                                     const json_t *places, struct qn_set_edge_type *type,
                                     struct qn_error *error) {
  const char *name, *weights = json_string_value(json_object_get(object, "weights")),
                    *fingerprint = json_string_value(json_object_get(object, "fingerprint"));
  unsigned weight = 0;
  enum qn_status status = take_name(set, object, "name", &name, error);
  if (!status)
    status = keep_name(name, &type->name, error);
  if (!status)
    status = take_end(set, object, "source", places, &type->source, error);
  if (!status)
    status = take_end(set, object, "target", places, &type->target, error);
  if (!status)
    status = take_number(set, object, "edges", &type->num_edges, error);
  while (weights && weight < QN_WEIGHT_TYPES && strcmp(weights, qn_weight_type_name(weight)) != 0)
    weight++;
  if (!status && (!weights || weight == QN_WEIGHT_TYPES))
    return REFUSE("SET-17", "\"weights\" of the type %s must be those of edges", name);
  if (!status &&
      (!fingerprint || strlen(fingerprint) != 16 || strspn(fingerprint, "0123456789abcdef") != 16))
    return REFUSE("SET-17", "\"fingerprint\" of the type %s must be 16 hexadecimal digits", name);
  if (status)
    return status;
  type->weight_type = (enum qn_weight_type)weight;
  type->fingerprint = strtoull(fingerprint, NULL, 16);
  return QN_OK;
}

/* The type of every block. */
static enum qn_status take_blocks(struct qn_set *set, const json_t *manifest,
                                  struct qn_error *error) {
  const json_t *blocks = json_object_get(manifest, "blocks");
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < set->num_parts; i++) {
    uint64_t number = 0;
    status = take_number(set, json_array_get(blocks, i), "edge_type", &number, error);
    if (!status && number >= set->num_edge_types)
      status = REFUSE("SET-17", "%s is of the edge type %" PRIu64 " of %" PRIu64,
                      set->parts[i].file.name, number, set->num_edge_types);
    set->parts[i].edge_type = (uint32_t)number;
  }
  return status;
}

enum qn_status qn_set_take_types(struct qn_set *set, const json_t *manifest,
                                 struct qn_error *error) {
  const json_t *list = json_object_get(manifest, "edge_types");
  if (!(set->features & QN_SET_TYPES))
    return QN_OK;
  if (!json_is_array(list) || json_array_size(list) == 0 ||
      json_array_size(list) > QN_SET_MAX_TYPES)
    return REFUSE("SET-17", "\"edge_types\" must be a list of 1 to %d", QN_SET_MAX_TYPES);
  json_t *places = json_object();
  if (!places)
    return qn_fail_memory(error, "the names of types", 0);
  enum qn_status status = qn_alloc_zeroed(&set->edge_types, json_array_size(list),
                                          sizeof *set->edge_types, "types of edges", error);
  if (!status)
    set->num_edge_types = json_array_size(list);
  if (!status)
    status = take_vertex_types(set, manifest, places, error);
  for (uint64_t t = 0; !status && t < set->num_edge_types; t++)
    status = take_edge_type(set, json_array_get(list, t), places, &set->edge_types[t], error);
  if (!status)
    status = take_blocks(set, manifest, error);
  json_decref(places);
  return status;
}

void qn_set_release_types(struct qn_set *set) {
  for (uint64_t i = 0; set->ranges && i < set->num_ranges; i++)
    free(set->ranges[i].type);
  for (uint64_t t = 0; set->edge_types && t < set->num_edge_types; t++)
    free(set->edge_types[t].name);
  qn_free(set->edge_types);
}

/* ---- Rules -------------------------------------------------------------------- */

/* Its blocks lie one after the other from `*part` on; `*part` is then behind them. */
static enum qn_status check_blocks(const struct qn_set *set, uint64_t type, uint64_t *part,
                                   struct qn_error *error) {
  const struct qn_set_edge_type *about = &set->edge_types[type];
  const struct qn_vertex_range *source = &set->ranges[about->source];
  uint64_t begin = source->begin, edges = 0;
  for (; *part < set->num_parts && set->parts[*part].edge_type == type; ++*part) {
    const struct qn_set_part *block = &set->parts[*part];
    if (block->begin != begin || block->end < begin || block->end > source->end)
      return REFUSE("SET-4",
                    "the range of %s is [%" PRIu64 ", %" PRIu64 "), but must begin at %" PRIu64
                    " and be of the type %s",
                    block->file.name, block->begin, block->end, begin, source->type);
    if (block->columns_begin != 0 || block->columns_end != set->num_vertices)
      return REFUSE("SET-4", "the columns of %s must be all vertices, [0, %" PRIu64 ")",
                    block->file.name, set->num_vertices);
    begin = block->end;
    if (__builtin_add_overflow(edges, block->num_edges, &edges))
      return REFUSE("SET-4", "the parts have more edges than can be counted");
  }
  if (begin != source->end)
    return REFUSE("SET-4",
                  "the blocks of the edge type %s end at %" PRIu64 ", and the vertices of the type "
                  "%s at %" PRIu64,
                  about->name, begin, source->type, source->end);
  return edges == about->num_edges
             ? QN_OK
             : REFUSE("SET-4",
                      "the blocks of the edge type %s have %" PRIu64 " edges together, and the "
                      "type %" PRIu64,
                      about->name, edges, about->num_edges);
}

static int by_identity(const void *a, const void *b, void *context) {
  const struct qn_set_edge_type *types = context;
  const struct qn_set_edge_type *first = &types[*(const uint32_t *)a],
                                *second = &types[*(const uint32_t *)b];
  const int order = strcmp(first->name, second->name);
  if (order)
    return order;
  if (first->source != second->source)
    return first->source < second->source ? -1 : 1;
  return (first->target > second->target) - (first->target < second->target);
}

static enum qn_status check_twins(const struct qn_set *set, struct qn_error *error) {
  uint32_t *order;
  enum qn_status status =
      qn_alloc(&order, set->num_edge_types, sizeof *order, "types of edges", error);
  if (status)
    return status;
  for (uint32_t t = 0; t < set->num_edge_types; t++)
    order[t] = t;
  qsort_r(order, set->num_edge_types, sizeof *order, by_identity, set->edge_types);
  for (uint64_t i = 1; !status && i < set->num_edge_types; i++)
    if (by_identity(&order[i - 1], &order[i], set->edge_types) == 0)
      status =
          REFUSE("SET-17", "two edge types are %s from %s to %s", set->edge_types[order[i]].name,
                 set->ranges[set->edge_types[order[i]].source].type,
                 set->ranges[set->edge_types[order[i]].target].type);
  qn_free(order);
  return status;
}

enum qn_weight_type qn_set_common_weights(const struct qn_set *set) {
  const enum qn_weight_type first = set->edge_types[0].weight_type;
  for (uint64_t t = 1; t < set->num_edge_types; t++)
    if (set->edge_types[t].weight_type != first)
      return QN_WEIGHT_NONE;
  return first;
}

enum qn_status qn_set_check_types(const struct qn_set *set, struct qn_error *error) {
  uint64_t part = 0, edges = 0, fingerprint = 0;
  enum qn_status status = check_twins(set, error);
  for (uint64_t t = 0; !status && t < set->num_edge_types; t++) {
    status = check_blocks(set, t, &part, error);
    edges += set->edge_types[t].num_edges;
    fingerprint += set->edge_types[t].fingerprint;
  }
  if (status)
    return status;
  if (part != set->num_parts)
    return REFUSE("SET-4", "the blocks are not in the order of their edge types");
  if (edges != set->num_edges)
    return REFUSE("SET-4", "the edge types have %" PRIu64 " edges together, and the graph %" PRIu64,
                  edges, set->num_edges);
  if (fingerprint != set->fingerprint)
    return REFUSE("SET-17",
                  "the fingerprints of the edge types do not add up to that of the graph");
  if (set->directedness != QN_DIRECTED || set->rows != QN_SET_ROWS_OUT || set->in_edges)
    return REFUSE("SET-17", "a graph with types is directed, has rows \"out\", and no in-edges");
  if (set->weight_type != qn_set_common_weights(set))
    return REFUSE("SET-17", "the weights of the graph must be those that all edge types have");
  return QN_OK;
}

/* ---- Writing -------------------------------------------------------------------- */

static json_t *edge_type_json(const struct qn_set *set, const struct qn_set_edge_type *type) {
  return json_pack("{s:s, s:s, s:s, s:s, s:I, s:o}", "name", type->name, "source",
                   set->ranges[type->source].type, "target", set->ranges[type->target].type,
                   "weights", qn_weight_type_name(type->weight_type), "edges",
                   (json_int_t)type->num_edges, "fingerprint",
                   json_sprintf("%016" PRIx64, type->fingerprint));
}

void qn_set_add_types(const struct qn_set *set, json_t *manifest) {
  json_t *types = json_array(), *vertices = json_object_get(manifest, "vertices"),
         *blocks = json_object_get(manifest, "blocks");
  for (uint64_t i = 0; i < set->num_ranges; i++)
    json_object_set_new(json_array_get(vertices, i), "type", json_string(set->ranges[i].type));
  for (uint64_t t = 0; t < set->num_edge_types; t++)
    json_array_append_new(types, edge_type_json(set, &set->edge_types[t]));
  for (uint64_t i = 0; i < set->num_parts; i++)
    json_object_set_new(json_array_get(blocks, i), "edge_type",
                        json_integer((json_int_t)set->parts[i].edge_type));
  json_object_set_new(manifest, "edge_types", types);
}

void qn_set_number_types(const struct qn_set *set, void (*add)(void *context, uint64_t number),
                         void *context) {
  for (uint64_t i = 0; i < set->num_ranges; i++)
    add(context, XXH3_64bits(set->ranges[i].type, strlen(set->ranges[i].type)));
  add(context, set->num_edge_types);
  for (uint64_t t = 0; t < set->num_edge_types; t++) {
    const struct qn_set_edge_type *type = &set->edge_types[t];
    add(context, XXH3_64bits(type->name, strlen(type->name)));
    add(context, type->source);
    add(context, type->target);
    add(context, type->weight_type);
    add(context, type->num_edges);
    add(context, type->fingerprint);
  }
  for (uint64_t i = 0; i < set->num_parts; i++)
    add(context, set->parts[i].edge_type);
}
