#include "formats/set/generations.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/set/stack.h"
#include "support/memory.h"

#define REFUSE(rule, ...) qn_set_violation(set, QN_SET_MANIFEST, error, rule, __VA_ARGS__)

/* ---- Reading ------------------------------------------------------------------ */

static enum qn_status take_number(const struct qn_set *set, const json_t *object, const char *key,
                                  uint64_t *number, struct qn_error *error) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_integer(value) || json_integer_value(value) < 0)
    return REFUSE("SET-40", "\"%s\" must be a non-negative integer", key);
  *number = (uint64_t)json_integer_value(value);
  return QN_OK;
}

static enum qn_status take_hash(const struct qn_set *set, const json_t *object, const char *key,
                                uint64_t *hash, struct qn_error *error) {
  const char *text = json_string_value(json_object_get(object, key));
  if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
    return REFUSE("SET-40", "\"%s\" must be 16 hexadecimal digits", key);
  *hash = strtoull(text, NULL, 16);
  return QN_OK;
}

/* Its name is one without a folder, so that a set leads to no files elsewhere. */
static enum qn_status take_base(struct qn_set *set, const json_t *object, struct qn_error *error) {
  struct qn_set_base *base = &set->base;
  const char *name = json_string_value(json_object_get(object, "name"));
  if (!name || !*name || strlen(name) > NAME_MAX || strchr(name, '/') || strcmp(name, ".") == 0 ||
      strcmp(name, "..") == 0)
    return REFUSE("SET-40", "\"base\" must have the name of a file or folder in that of the set, "
                            "or beside it");
  base->name = strdup(name);
  if (!base->name)
    return qn_fail_memory(error, "a file's name", strlen(name));
  enum qn_status status = take_hash(set, object, "identity", &base->identity, error);
  if (!status)
    status = take_number(set, object, "vertices", &base->num_vertices, error);
  return status ? status : take_number(set, object, "edges", &base->num_edges, error);
}

static enum qn_status take_generation(const struct qn_set *set, const json_t *object,
                                      struct qn_set_generation *generation,
                                      struct qn_error *error) {
  const struct {
    const char *key;
    uint64_t *number;
  } numbers[] = {{"vertices", &generation->num_vertices},
                 {"edges", &generation->num_edges},
                 {"added", &generation->added},
                 {"removed", &generation->removed},
                 {"missing", &generation->missing}};
  enum qn_status status = take_hash(set, object, "fingerprint", &generation->fingerprint, error);
  for (size_t i = 0; !status && i < sizeof numbers / sizeof numbers[0]; i++)
    status = take_number(set, object, numbers[i].key, numbers[i].number, error);
  return status;
}

static enum qn_status take_blocks(const struct qn_set *set, const json_t *manifest,
                                  struct qn_error *error) {
  const json_t *blocks = json_object_get(manifest, "blocks");
  for (uint64_t i = 0; i < set->num_parts; i++) {
    uint64_t number = 0;
    enum qn_status status =
        take_number(set, json_array_get(blocks, i), "generation", &number, error);
    if (status)
      return status;
    if (number != i + 1)
      return REFUSE("SET-40", "%s is of generation %" PRIu64 ", but must be of %" PRIu64,
                    set->parts[i].file.name, number, i + 1);
  }
  return QN_OK;
}

enum qn_status qn_set_take_generations(struct qn_set *set, const json_t *manifest,
                                       struct qn_error *error) {
  const json_t *list = json_object_get(manifest, "generations");
  if (!(set->features & QN_SET_GENERATIONS))
    return QN_OK;
  if (set->features != QN_SET_GENERATIONS)
    return REFUSE("SET-40", "a set with generations has no other feature");
  if (!json_is_array(list) || json_array_size(list) == 0 ||
      json_array_size(list) > QN_SET_MAX_GENERATIONS)
    return REFUSE("SET-40", "\"generations\" must be a list of 1 to %d", QN_SET_MAX_GENERATIONS);
  enum qn_status status = qn_alloc_zeroed(&set->generations, json_array_size(list),
                                          sizeof *set->generations, "generations", error);
  if (!status)
    set->num_generations = json_array_size(list);
  if (!status)
    status = take_base(set, json_object_get(manifest, "base"), error);
  for (uint64_t i = 0; !status && i < set->num_generations; i++)
    status = take_generation(set, json_array_get(list, i), &set->generations[i], error);
  if (!status && (set->num_parts != set->num_generations || set->num_ranges != set->num_parts))
    status = REFUSE("SET-40", "each generation must have one file of vertices and one block");
  return status ? status : take_blocks(set, manifest, error);
}

void qn_set_release_generations(struct qn_set *set) {
  qn_free(set->generations);
  free(set->base.name);
}

/* ---- Rules -------------------------------------------------------------------- */

/* A generation and its files, after a graph of so many vertices and edges. */
static enum qn_status check_generation(const struct qn_set *set, uint64_t i, uint64_t vertices,
                                       uint64_t edges, struct qn_error *error) {
  const struct qn_set_generation *generation = &set->generations[i];
  const struct qn_vertex_range *range = &set->ranges[i];
  const struct qn_set_part *block = &set->parts[i];
  const uint64_t now = generation->num_vertices;
  if (now < vertices || now > UINT32_MAX || range->begin != vertices || range->end != now)
    return REFUSE("SET-41",
                  "the vertices of generation %" PRIu64 " must be those from %" PRIu64
                  " to its %" PRIu64,
                  i + 1, vertices, now);
  if (block->begin != 0 || block->end != now || block->columns_begin != 0 ||
      block->columns_end != now)
    return REFUSE("SET-41", "rows and columns of %s must be [0, %" PRIu64 ")", block->file.name,
                  now);
  if (generation->removed > edges ||
      __builtin_add_overflow(edges - generation->removed, generation->added, &edges) ||
      edges != generation->num_edges || generation->added > block->num_edges)
    return REFUSE("SET-41",
                  "the edges of generation %" PRIu64
                  " are not those before it, without what it removed, and with what it added",
                  i + 1);
  return QN_OK;
}

enum qn_status qn_set_check_generations(const struct qn_set *set, struct qn_error *error) {
  uint64_t vertices = set->base.num_vertices, edges = set->base.num_edges;
  for (uint64_t i = 0; i < set->num_generations; i++) {
    enum qn_status status = check_generation(set, i, vertices, edges, error);
    if (status)
      return status;
    vertices = set->generations[i].num_vertices;
    edges = set->generations[i].num_edges;
  }
  if (set->num_vertices != vertices || set->num_edges != edges ||
      set->fingerprint != set->generations[set->num_generations - 1].fingerprint)
    return REFUSE("SET-41", "the graph must be that of the last generation");
  return set->rows == QN_SET_ROWS_OUT && set->layout == QN_LAYOUT_GRAPH && !set->has_origin
             ? QN_OK
             : REFUSE("SET-41", "blocks of generations are graphs with rows \"out\", and were not "
                                "made of a container");
}

enum qn_status qn_set_check_changed_ranges(const struct qn_set *set, struct qn_error *error) {
  enum qn_id_kind kind = QN_IDS_DENSE; /* of the first file that says it */
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    const struct qn_vertex_range *range = &set->ranges[i];
    const struct qn_properties *own = &range->properties, *first = &set->ranges[0].properties;
    if (range->ids.kind != QN_IDS_DENSE) {
      if (kind != QN_IDS_DENSE && kind != range->ids.kind)
        return qn_set_violation(set, range->file.name, error, "SET-7",
                                "vertices are called by numbers and by strings");
      kind = range->ids.kind;
    }
    if (!qn_same_columns(&own->of_vertices, &first->of_vertices) ||
        !qn_same_columns(&own->of_edges, &first->of_edges) ||
        strcmp(own->weight, first->weight) != 0)
      return qn_set_violation(set, range->file.name, error, "SET-7",
                              "the properties are not those that %s names",
                              set->ranges[0].file.name);
  }
  return QN_OK;
}

enum qn_status qn_set_keep_generations(struct qn_set *set, uint64_t count, struct qn_error *error) {
  if (!qn_set_is_changed(set))
    return qn_fail(error, QN_USAGE, "%s has no generations to choose from", set->path);
  if (count == 0)
    return qn_fail(error, QN_USAGE, "before the first generation of %s there is its base: open %s",
                   set->path, set->base.name);
  if (count > set->num_generations)
    return qn_fail(error, QN_USAGE, "%s has %" PRIu64 " generation%s, not %" PRIu64, set->path,
                   set->num_generations, set->num_generations > 1 ? "s" : "", count);
  for (uint64_t i = count; i < set->num_generations; i++) {
    free(set->ranges[i].file.name);
    free(set->parts[i].file.name);
  }
  set->num_generations = set->num_ranges = set->num_parts = count;
  set->num_vertices = set->generations[count - 1].num_vertices;
  set->num_edges = set->generations[count - 1].num_edges;
  set->fingerprint = set->generations[count - 1].fingerprint;
  return qn_set_identity(set, &set->identity, error);
}

/* ---- Writing ------------------------------------------------------------------ */

void qn_set_add_generations(const struct qn_set *set, json_t *manifest) {
  json_t *blocks = json_object_get(manifest, "blocks"), *list = json_array();
  for (uint64_t i = 0; i < set->num_generations; i++) {
    const struct qn_set_generation *generation = &set->generations[i];
    json_object_set_new(json_array_get(blocks, i), "generation", json_integer((json_int_t)i + 1));
    json_array_append_new(list, json_pack("{s:I, s:I, s:o, s:I, s:I, s:I}", "vertices",
                                          (json_int_t)generation->num_vertices, "edges",
                                          (json_int_t)generation->num_edges, "fingerprint",
                                          json_sprintf("%016" PRIx64, generation->fingerprint),
                                          "added", (json_int_t)generation->added, "removed",
                                          (json_int_t)generation->removed, "missing",
                                          (json_int_t)generation->missing));
  }
  json_object_set_new(manifest, "generations", list);
  json_object_set_new(manifest, "base",
                      json_pack("{s:s, s:o, s:I, s:I}", "name", set->base.name, "identity",
                                json_sprintf("%016" PRIx64, set->base.identity), "vertices",
                                (json_int_t)set->base.num_vertices, "edges",
                                (json_int_t)set->base.num_edges));
}

void qn_set_number_generations(const struct qn_set *set,
                               void (*add)(void *context, uint64_t number), void *context) {
  add(context, set->base.identity);
  add(context, set->base.num_vertices);
  add(context, set->base.num_edges);
  add(context, set->num_generations);
  for (uint64_t i = 0; i < set->num_generations; i++) {
    const struct qn_set_generation *generation = &set->generations[i];
    add(context, generation->num_vertices);
    add(context, generation->num_edges);
    add(context, generation->fingerprint);
    add(context, set->parts[i].file.identity);
  }
}

/* ---- Paths -------------------------------------------------------------------- */

bool qn_set_split_path(const char *path, char *folder, uint64_t *generation) {
  const char *at = strrchr(path, '@');
  if (!at || at == path || (size_t)(at - path) >= PATH_MAX || !at[1] ||
      at[1 + strspn(at + 1, "0123456789")] || strlen(at + 1) > 9)
    return false;
  memcpy(folder, path, (size_t)(at - path));
  folder[at - path] = '\0';
  *generation = strtoull(at + 1, NULL, 10);
  return true;
}

enum qn_status qn_set_base_path(const struct qn_set *set, char *path, struct qn_error *error) {
  for (int beside = 0; beside < 2; beside++) {
    const int length = beside ? snprintf(path, PATH_MAX, "%s/../%s", set->path, set->base.name)
                              : snprintf(path, PATH_MAX, "%s/%s", set->path, set->base.name);
    if (length >= PATH_MAX)
      return qn_fail(error, QN_USAGE, "the name of the set's folder is too long");
    if (access(path, F_OK) == 0)
      return QN_OK;
  }
  return REFUSE("SET-42", "the base %s is missing: it must be beside the set's folder, or in it",
                set->base.name);
}
