/* Properties of a mapped container: the schema, and the sections that it speaks of. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/properties/sections.h"
#include "support/json_text.h"
#include "support/memory.h"

/* ---- Sections ------------------------------------------------------------- */

struct qn_property_sections qn_property_sections_of(bool edges, uint32_t column) {
  struct qn_property_sections names;
  const char kind = edges ? 'e' : 'v';
  snprintf(names.values, sizeof names.values, QN_PROPERTY_PREFIX "%c%" PRIu32, kind, column);
  snprintf(names.offsets, sizeof names.offsets, QN_PROPERTY_PREFIX "%c%" PRIu32 "_offsets", kind,
           column);
  snprintf(names.valid, sizeof names.valid, QN_PROPERTY_PREFIX "%c%" PRIu32 "_valid", kind, column);
  return names;
}

static bool is_of_column(const struct qn_section *section) {
  return strncmp(section->name, QN_PROPERTY_PREFIX, strlen(QN_PROPERTY_PREFIX)) == 0;
}

/* Goes through the sections behind the schema, which are those of columns in their order. */
struct walk {
  const struct qn_container *container;
  uint32_t next; /* section */
};

/* The next section, which has to be this one, P-4. `*count` is what it has to have, unless
 * `any_count`; then it becomes what it has. */
static enum qn_status take(struct walk *walk, const char *name, enum qn_element_type type,
                           uint32_t bytes, bool any_count, uint64_t *count, const void **data,
                           struct qn_error *error) {
  const struct qn_container *container = walk->container;
  const struct qn_section *section = walk->next < qn_container_info(container)->num_sections
                                         ? qn_container_section_at(container, walk->next)
                                         : NULL;
  if (!section || strcmp(section->name, name) != 0)
    return qn_container_violation(container, error, "P-4",
                                  "section %s is not there, where the "
                                  "schema of properties wants it",
                                  name);
  if (section->critical || section->element_type != type || section->element_bytes != bytes ||
      (!any_count && section->count != *count))
    return qn_container_violation(container, error, "P-4",
                                  "section %s is critical, or is not of %s elements of %" PRIu32
                                  " bytes, as many as there are values",
                                  name, qn_element_type_name(type), bytes);
  walk->next++;
  *count = section->count;
  *data = section->data;
  return QN_OK;
}

static enum qn_status take_column(struct walk *walk, bool edges, uint32_t number,
                                  struct qn_property *column, struct qn_error *error) {
  const struct qn_property_sections names = qn_property_sections_of(edges, number);
  const bool strings = column->type == QN_PROPERTY_STRING;
  const void *offsets = NULL, *valid = NULL;
  uint64_t count = 0, num_offsets = column->count + 1;
  uint64_t valid_bytes = qn_valid_bytes(column->count);
  if ((column->nulls > 0) != (qn_container_section(walk->container, names.valid) != NULL))
    return qn_container_violation(
        walk->container, error, "P-5",
        "the property '%s' has %" PRIu64 " nulls, but section %s is%s there", column->name,
        column->nulls, names.valid, column->nulls ? " not" : "");
  if (!qn_property_elements(column->type, column->count, &count))
    return qn_container_violation(walk->container, error, "P-4",
                                  "the vectors of the property '%s' have more than 2^64 numbers",
                                  column->name);
  enum qn_status status =
      take(walk, names.values, qn_property_element(column->type),
           qn_property_number_bytes(column->type), strings, &count, &column->values, error);
  if (!status && strings)
    status =
        take(walk, names.offsets, QN_ELEMENT_UNSIGNED, 8, false, &num_offsets, &offsets, error);
  if (!status && column->nulls)
    status = take(walk, names.valid, QN_ELEMENT_UNSIGNED, 1, false, &valid_bytes, &valid, error);
  column->bytes = strings ? count : 0;
  column->offsets = offsets;
  column->valid = valid;
  /* The end is compared here, so that ascending offsets (P-7) are all bounded. */
  if (!status && column->offsets && column->offsets[column->count] != column->bytes)
    return qn_container_violation(walk->container, error, "P-7",
                                  "section %s ends with %" PRIu64 ", but there are %" PRIu64
                                  " bytes",
                                  names.offsets, column->offsets[column->count], column->bytes);
  return status;
}

/* ---- The schema ----------------------------------------------------------- */

static enum qn_status refuse_schema(const struct qn_container *container, struct qn_error *error,
                                    const char *why) {
  return qn_container_violation(container, error, "P-1", "the schema of properties %s", why);
}

static enum qn_status read_schema(const struct qn_container *container,
                                  const struct qn_section *section, json_t **out,
                                  struct qn_error *error) {
  static const char *const names[] = {QN_PROPERTIES_SCHEMA, NULL};
  *out = NULL;
  if (section->element_type != QN_ELEMENT_TEXT || section->element_bytes != 1 ||
      section->critical || section->count > QN_PROPERTIES_SCHEMA_BYTES)
    return refuse_schema(container, error, "is critical, no text, or longer than 1 MiB");
  enum qn_status status = qn_container_verify_sections(container, names, error);
  if (!status)
    status = qn_json_parse(section->data, section->count, JSON_REJECT_DUPLICATES, out, NULL, error);
  if (status || json_is_object(*out))
    return status;
  json_decref(*out);
  *out = NULL;
  return refuse_schema(container, error, "is not a JSON object");
}

static enum qn_status read_name(const struct qn_container *container, const json_t *value,
                                char name[QN_PROPERTY_NAME_BYTES + 1], struct qn_error *error) {
  if (!json_is_string(value) ||
      !qn_property_is_name(json_string_value(value), json_string_length(value)))
    return qn_container_violation(container, error, "P-2",
                                  "the name of a property is not of 1 to %d bytes of UTF-8 without "
                                  "control characters",
                                  QN_PROPERTY_NAME_BYTES);
  memcpy(name, json_string_value(value), json_string_length(value) + 1);
  return QN_OK;
}

static enum qn_status read_column(const struct qn_container *container, const json_t *object,
                                  uint64_t count, struct qn_property *column,
                                  struct qn_error *error) {
  const json_t *type = json_object_get(object, "type"), *nulls = json_object_get(object, "nulls");
  *column = (struct qn_property){.count = count};
  if (!json_is_object(object))
    return refuse_schema(container, error, "has a column that is not an object");
  enum qn_status status =
      read_name(container, json_object_get(object, "name"), column->name, error);
  if (status)
    return status;
  if (!json_is_string(type))
    return qn_container_violation(container, error, "P-2", "the property '%s' has no type",
                                  column->name);
  if (!qn_property_type_of(json_string_value(type), &column->type)) {
    qn_fail(error, QN_UNSUPPORTED,
            "P-3: the property '%s' is of the type '%.32s', which this version does not know",
            column->name, json_string_value(type));
    return qn_error_in_file(error, qn_container_path(container)), QN_UNSUPPORTED;
  }
  json_int_t number = json_integer_value(nulls);
  if ((nulls && !json_is_integer(nulls)) || number < 0 || (uint64_t)number > count)
    return qn_container_violation(container, error, "P-5",
                                  "the property '%s' has not from 0 to %" PRIu64 " nulls",
                                  column->name, count);
  column->nulls = (uint64_t)number;
  return QN_OK;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* P-2, in the time that sorting takes: names may be many. */
static enum qn_status check_names(const struct qn_container *container,
                                  const struct qn_property_table *table, struct qn_error *error) {
  const char **names;
  enum qn_status status =
      qn_alloc(&names, table->count, sizeof *names, "names of properties", error);
  if (status)
    return status;
  for (uint32_t i = 0; i < table->count; i++)
    names[i] = table->columns[i].name;
  if (table->count)
    qsort(names, table->count, sizeof *names, compare_names);
  for (uint32_t i = 1; i < table->count && !status; i++)
    if (strcmp(names[i - 1], names[i]) == 0)
      status = qn_container_violation(container, error, "P-2", "two properties have the name '%s'",
                                      names[i]);
  qn_free(names);
  return status;
}

static enum qn_status read_table(const struct qn_container *container, const json_t *columns,
                                 uint64_t count, struct qn_property_table *table,
                                 struct qn_error *error) {
  if (columns && !json_is_array(columns))
    return refuse_schema(container, error, "has columns that are not an array");
  if (json_array_size(columns) > qn_container_info(container)->num_sections)
    return qn_container_violation(container, error, "P-4",
                                  "there are more properties than sections");
  enum qn_status status = qn_alloc_zeroed(&table->columns, json_array_size(columns),
                                          sizeof *table->columns, "properties", error);
  for (size_t i = 0; i < json_array_size(columns) && !status; i++) {
    status = read_column(container, json_array_get(columns, i), count, &table->columns[i], error);
    table->count++;
  }
  return status ? status : check_names(container, table, error);
}

static enum qn_status read_tables(const struct qn_container *container, const json_t *schema,
                                  struct qn_properties *properties, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const json_t *weight = json_object_get(schema, "weight");
  enum qn_status status = read_table(container, json_object_get(schema, "vertices"),
                                     info->num_vertices, &properties->of_vertices, error);
  if (!status)
    status = read_table(container, json_object_get(schema, "edges"), info->num_edges,
                        &properties->of_edges, error);
  return status || !weight ? status : read_name(container, weight, properties->weight, error);
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status take_sections(const struct qn_container *container, uint32_t first,
                                    struct qn_properties *properties, struct qn_error *error) {
  struct walk walk = {container, first};
  const uint32_t num_sections = qn_container_info(container)->num_sections;
  enum qn_status status = QN_OK;
  for (int edges = 0; edges < 2; edges++) {
    struct qn_property_table *table = edges ? &properties->of_edges : &properties->of_vertices;
    for (uint32_t i = 0; i < table->count && !status; i++)
      status = take_column(&walk, edges, i, &table->columns[i], error);
  }
  for (uint32_t i = 0; i < num_sections && !status; i++) {
    const struct qn_section *section = qn_container_section_at(container, i);
    if (is_of_column(section) && (i < first || i >= walk.next))
      status = qn_container_violation(container, error, "P-4",
                                      "section %s is of no property in the schema", section->name);
  }
  return status;
}

static uint32_t place_of(const struct qn_container *container, const struct qn_section *section) {
  uint32_t place = 0;
  while (qn_container_section_at(container, place) != section)
    place++;
  return place;
}

enum qn_status qn_properties_view(const struct qn_container *container,
                                  struct qn_properties *properties, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const struct qn_section *section = qn_container_section(container, QN_PROPERTIES_SCHEMA);
  const bool archive = info->incompatible_features & QN_FEATURE_ARCHIVE;
  json_t *schema = NULL;
  *properties = (struct qn_properties){0};
  if (!section)
    return take_sections(container, 0, properties, error);
  if (archive && !section->data && section->count)
    return QN_OK;
  if (!qn_layout_holds_graph(info->layout))
    return qn_container_violation(container, error, "P-11", "a %s has properties",
                                  qn_layout_name(info->layout));
  enum qn_status status = read_schema(container, section, &schema, error);
  if (!status)
    status = read_tables(container, schema, properties, error);
  if (!status && !archive)
    status = take_sections(container, place_of(container, section) + 1, properties, error);
  json_decref(schema);
  if (status)
    qn_properties_release(properties);
  return status;
}

void qn_properties_release(struct qn_properties *properties) {
  qn_free(properties->of_vertices.columns);
  qn_free(properties->of_edges.columns);
  *properties = (struct qn_properties){0};
}

static json_t *describe_table(const struct qn_property_table *table) {
  json_t *columns = json_array();
  for (uint32_t i = 0; i < table->count; i++) {
    const struct qn_property *column = &table->columns[i];
    char type[QN_PROPERTY_TYPE_BYTES];
    json_array_append_new(columns, json_pack("{s:s, s:s, s:I}", "name", column->name, "type",
                                             qn_property_type_name(column->type, type), "nulls",
                                             (json_int_t)column->nulls));
  }
  return columns;
}

json_t *qn_properties_describe(const struct qn_properties *properties) {
  json_t *object = json_pack("{s:o, s:o}", "vertices", describe_table(&properties->of_vertices),
                             "edges", describe_table(&properties->of_edges));
  if (object && properties->weight[0])
    json_object_set_new(object, "weight", json_string(properties->weight));
  return object;
}
