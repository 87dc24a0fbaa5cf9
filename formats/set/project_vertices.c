#include "formats/set/project_vertices.h"

#include <stdio.h>
#include <string.h>

#include "formats/properties/gather.h"
#include "formats/set/types.h"
#include "formats/text/string_map.h"
#include "support/memory.h"
#include "support/temp_file.h"

/* ---- Names ---------------------------------------------------------------------- */

static uint64_t count_types(const struct qn_set *set, const struct qn_set_chosen *chosen,
                            uint64_t *last) {
  uint64_t count = 0;
  for (uint64_t r = 0; r < set->num_ranges; r++)
    if (chosen->vertices[r]) {
      *last = r;
      count++;
    }
  return count;
}

/* Are two vertices of the chosen types called the same? */
static enum qn_status find_twins(const struct qn_set *set, const struct qn_set_chosen *chosen,
                                 bool *twins, struct qn_error *error) {
  struct qn_string_map *map;
  char buffer[32];
  uint64_t length, count = 0;
  uint32_t id;
  enum qn_status status = qn_string_map_create(&map, error);
  for (uint64_t r = 0; !status && !*twins && r < set->num_ranges; r++)
    for (uint64_t v = 0;
         chosen->vertices[r] && !*twins && !status && v < set->ranges[r].ids.num_vertices; v++) {
      const char *text = qn_ids_text(&set->ranges[r].ids, v, buffer, &length);
      if (qn_string_map_intern(map, text, length, &id) != QN_INTERNED)
        status = qn_fail_memory(error, "names of vertices", length);
      *twins = id != count++;
    }
  qn_string_map_destroy(map);
  return status;
}

static bool are_numbers(const struct qn_set *set, const struct qn_set_chosen *chosen) {
  for (uint64_t r = 0; r < set->num_ranges; r++)
    if (chosen->vertices[r] && set->ranges[r].ids.kind == QN_IDS_STRINGS)
      return false;
  return true;
}

static enum qn_status take_numbers(const struct qn_set *set, const struct qn_set_chosen *chosen,
                                   uint64_t count, struct qn_projected_ids *projected,
                                   struct qn_error *error) {
  uint64_t at = 0;
  enum qn_status status = qn_bulk_alloc(&projected->numbers, count, sizeof *projected->numbers,
                                        "names of vertices", error);
  if (status)
    return status;
  for (uint64_t r = 0; r < set->num_ranges; r++)
    for (uint64_t v = 0; chosen->vertices[r] && v < set->ranges[r].ids.num_vertices; v++) {
      const struct qn_ids *ids = &set->ranges[r].ids;
      projected->numbers[at++] = ids->kind == QN_IDS_DENSE ? v : ids->numbers[v];
    }
  bool ascending = true;
  for (uint64_t v = 1; ascending && v < count; v++)
    ascending = projected->numbers[v - 1] < projected->numbers[v];
  projected->ids = (struct qn_ids){.kind = QN_IDS_NUMBERS,
                                   .num_vertices = count,
                                   .numbers = projected->numbers,
                                   .ascending = ascending};
  return QN_OK;
}

/* "NAME", or "TYPE:NAME"; returns how long it is, and writes it unless `to` is NULL. */
static uint64_t put_name(const struct qn_vertex_range *range, uint64_t v, bool qualified,
                         char *to) {
  const uint64_t before = qualified ? strlen(range->type) + 1 : 0;
  char buffer[32];
  uint64_t length;
  const char *text = qn_ids_text(&range->ids, v, buffer, &length);
  if (to && qualified) {
    memcpy(to, range->type, before - 1);
    to[before - 1] = ':';
  }
  if (to)
    memcpy(to + before, text, length);
  return before + length;
}

static bool ascend(const struct qn_ids *ids) {
  const uint64_t *offsets = ids->string_offsets;
  for (uint64_t v = 1; v < ids->num_vertices; v++) {
    const uint64_t before = offsets[v] - offsets[v - 1], length = offsets[v + 1] - offsets[v];
    const int order = memcmp(ids->string_bytes + offsets[v - 1], ids->string_bytes + offsets[v],
                             before < length ? before : length);
    if (order > 0 || (order == 0 && before >= length))
      return false;
  }
  return true;
}

static enum qn_status take_texts(const struct qn_set *set, const struct qn_set_chosen *chosen,
                                 uint64_t count, bool qualified, struct qn_projected_ids *projected,
                                 struct qn_error *error) {
  uint64_t at = 0;
  projected->ids.num_vertices = count;
  enum qn_status status = qn_bulk_alloc(&projected->offsets, count + 1, sizeof *projected->offsets,
                                        "names of vertices", error);
  if (status)
    return status;
  for (uint64_t r = 0; r < set->num_ranges; r++)
    for (uint64_t v = 0; chosen->vertices[r] && v < set->ranges[r].ids.num_vertices; v++, at++) {
      const uint64_t length = put_name(&set->ranges[r], v, qualified, NULL);
      if (length > QN_MAX_NAME_BYTES)
        return qn_fail(error, QN_UNSUPPORTED,
                       "a vertex of the type %s has a name that is too long with its type before "
                       "it",
                       set->ranges[r].type);
      projected->offsets[at + 1] = projected->offsets[at] + length;
    }
  projected->num_bytes = projected->offsets[count];
  status = qn_bulk_alloc(&projected->bytes, projected->num_bytes, 1, "names of vertices", error);
  if (status)
    return status;
  at = 0;
  for (uint64_t r = 0; r < set->num_ranges; r++)
    for (uint64_t v = 0; chosen->vertices[r] && v < set->ranges[r].ids.num_vertices; v++, at++)
      put_name(&set->ranges[r], v, qualified, projected->bytes + projected->offsets[at]);
  projected->ids = (struct qn_ids){.kind = QN_IDS_STRINGS,
                                   .num_vertices = count,
                                   .string_offsets = projected->offsets,
                                   .string_bytes = projected->bytes};
  projected->ids.ascending = ascend(&projected->ids);
  return QN_OK;
}

enum qn_status qn_set_project_ids(const struct qn_set *set, const struct qn_set_chosen *chosen,
                                  bool plain, struct qn_projected_ids *projected,
                                  struct qn_error *error) {
  uint64_t count = 0, last = 0;
  bool twins = false;
  *projected = (struct qn_projected_ids){0};
  if (count_types(set, chosen, &last) == 1) {
    projected->ids = set->ranges[last].ids;
    return QN_OK;
  }
  for (uint64_t r = 0; r < set->num_ranges; r++)
    count += chosen->vertices[r] ? set->ranges[r].ids.num_vertices : 0;
  enum qn_status status = plain ? QN_OK : find_twins(set, chosen, &twins, error);
  if (status)
    return status;
  return !twins && are_numbers(set, chosen)
             ? take_numbers(set, chosen, count, projected, error)
             : take_texts(set, chosen, count, twins, projected, error);
}

void qn_projected_ids_release(struct qn_projected_ids *projected) {
  const uint64_t count = projected->ids.num_vertices;
  qn_pages_free(projected->numbers, count, sizeof *projected->numbers);
  qn_pages_free(projected->offsets, count + 1, sizeof *projected->offsets);
  qn_pages_free(projected->bytes, projected->num_bytes, 1);
  *projected = (struct qn_projected_ids){0};
}

/* ---- Columns -------------------------------------------------------------------- */

/* Tables of the sources, with names of their own where others would be mistaken for them. */
struct renaming {
  struct qn_property_table *tables; /* [count] */
  struct qn_gather_table *gathered; /* [count] */
  const struct qn_projected_source *sources;
  uint32_t count;
  const char *types; /* the column of types; NULL: none */
};

/* Has another source a column of this name and another type of values? */
static bool clashes(const struct renaming *renaming, const struct qn_property *column) {
  if (renaming->types && strcmp(column->name, renaming->types) == 0)
    return true;
  for (uint32_t s = 0; s < renaming->count; s++) {
    const struct qn_property *other = qn_property_find(renaming->sources[s].table, column->name);
    if (other && other->type != column->type)
      return true;
  }
  return false;
}

static enum qn_status rename_columns(struct renaming *renaming, uint32_t s,
                                     struct qn_error *error) {
  const struct qn_property_table *from = renaming->sources[s].table;
  struct qn_property_table *to = &renaming->tables[s];
  enum qn_status status =
      qn_alloc_zeroed(&to->columns, from->count, sizeof *to->columns, "properties", error);
  for (uint32_t c = 0; !status && c < from->count; c++) {
    struct qn_property *column = &to->columns[to->count++];
    *column = from->columns[c];
    if (!clashes(renaming, &from->columns[c]))
      continue;
    const int length = snprintf(column->name, sizeof column->name, "%s.%s",
                                renaming->sources[s].prefix, from->columns[c].name);
    if (length >= (int)sizeof column->name)
      status = qn_fail(error, QN_UNSUPPORTED,
                       "the property '%s' of the type %s has the name of another one, and its name "
                       "with that of its type is too long",
                       from->columns[c].name, renaming->sources[s].type);
  }
  renaming->gathered[s] = (struct qn_gather_table){.table = to, .file = renaming->sources[s].type};
  return status;
}

/* The name of the type of every value. */
static enum qn_status add_types(const struct renaming *renaming, const uint64_t *picks,
                                uint64_t num_values, struct qn_property_table *out,
                                struct qn_error *error) {
  uint64_t *offsets, at = 0;
  char *bytes = NULL;
  enum qn_status status =
      qn_realloc(&out->columns, (uint64_t)out->count + 1, sizeof *out->columns, "types", error);
  if (!status)
    status = qn_bulk_alloc(&offsets, num_values + 1, sizeof *offsets, "types", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < num_values; i++)
    offsets[i + 1] = offsets[i] + strlen(renaming->sources[qn_pick_source(picks[i])].type);
  status = qn_bulk_alloc(&bytes, offsets[num_values], 1, "types", error);
  for (uint64_t i = 0; !status && i < num_values; i++) {
    memcpy(bytes + at, renaming->sources[qn_pick_source(picks[i])].type,
           offsets[i + 1] - offsets[i]);
    at = offsets[i + 1];
  }
  struct qn_property *column = &out->columns[out->count++];
  *column = (struct qn_property){.type = QN_PROPERTY_STRING,
                                 .count = num_values,
                                 .offsets = offsets,
                                 .values = bytes,
                                 .bytes = offsets[num_values]};
  snprintf(column->name, sizeof column->name, "%s", renaming->types);
  return status;
}

enum qn_status qn_set_project_columns(const struct qn_projected_source *sources, uint32_t count,
                                      const uint64_t *picks, uint64_t num_values, const char *types,
                                      struct qn_property_table *out, struct qn_error *error) {
  struct renaming renaming = {.sources = sources, .count = count, .types = types};
  *out = (struct qn_property_table){0};
  enum qn_status status =
      qn_alloc_zeroed(&renaming.tables, count, sizeof *renaming.tables, "properties", error);
  if (!status)
    status =
        qn_alloc_zeroed(&renaming.gathered, count, sizeof *renaming.gathered, "properties", error);
  for (uint32_t s = 0; !status && s < count; s++)
    status = rename_columns(&renaming, s, error);
  if (!status)
    status =
        qn_properties_gather(renaming.gathered, count, picks, num_values, "the types", out, error);
  if (!status && types)
    status = add_types(&renaming, picks, num_values, out, error);
  for (uint32_t s = 0; renaming.tables && s < count; s++)
    qn_free(renaming.tables[s].columns);
  qn_free(renaming.tables);
  qn_free(renaming.gathered);
  if (status)
    qn_gathered_release(out);
  return status;
}
