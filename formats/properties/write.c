/* Columns into a container that is being written, each value from where it is wanted. */
#include <stdlib.h>
#include <string.h>

#include "formats/properties/sections.h"
#include "support/checked.h"
#include "support/json_text.h"

/* Of values that a thread copies at once. */
#define STEP_BYTES (64U << 10)

/* A column, and which of its values go where. */
struct gathering {
  const struct qn_property *column;
  const uint64_t *records; /* NULL: each in its place */
  uint64_t count;          /* values written */
};

/* What comes to place `i`; QN_NO_RECORD for a null. */
static uint64_t record_at(const struct gathering *from, uint64_t i) {
  uint64_t record = from->records ? from->records[i] : i;
  if (record >= from->column->count || qn_property_is_null(from->column, record))
    return QN_NO_RECORD;
  return record;
}

static uint64_t count_nulls(const struct gathering *from) {
  uint64_t nulls = 0;
  if (!from->records && !from->column->valid && from->count <= from->column->count)
    return 0;
#pragma omp parallel for schedule(static) reduction(+ : nulls)
  for (uint64_t i = 0; i < from->count; i++)
    nulls += record_at(from, i) == QN_NO_RECORD;
  return nulls;
}

static enum qn_status add(struct qn_writer *writer, const char *name, enum qn_element_type type,
                          uint32_t bytes, uint64_t count, void *out, struct qn_error *error) {
  return qn_writer_section(writer,
                           &(struct qn_section_spec){.name = name,
                                                     .element_type = type,
                                                     .element_bytes = bytes,
                                                     .count = count,
                                                     .ancillary = true},
                           out, error);
}

/* ---- Values --------------------------------------------------------------- */

/* Values `first` up to `last`, of `bytes` each. */
static void copy_values(const struct gathering *from, unsigned bytes, uint64_t first, uint64_t last,
                        char *out) {
  const char *values = from->column->values;
  for (uint64_t i = first; i < last; i++) {
    uint64_t record = record_at(from, i);
    if (record == QN_NO_RECORD)
      continue;
    if (bytes == 8)
      memcpy(out + 8 * i, values + 8 * record, 8);
    else if (bytes == 4)
      memcpy(out + 4 * i, values + 4 * record, 4);
    else
      memcpy(out + bytes * i, values + bytes * record, bytes);
  }
}

static enum qn_status write_fixed(struct qn_writer *writer, const struct gathering *from,
                                  const char *name, struct qn_error *error) {
  const enum qn_property_type type = from->column->type;
  const unsigned bytes = qn_property_value_bytes(type);
  const uint64_t step = bytes < STEP_BYTES ? STEP_BYTES / bytes : 1;
  uint64_t elements;
  char *out;
  if (!qn_property_elements(type, from->count, &elements))
    return qn_fail(error, QN_UNSUPPORTED, "the property '%s' has more than 2^64 numbers",
                   from->column->name);
  enum qn_status status = add(writer, name, qn_property_element(type),
                              qn_property_number_bytes(type), elements, &out, error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t first = 0; first < from->count; first += step)
    copy_values(from, bytes, first, from->count - first < step ? from->count : first + step, out);
  return QN_OK;
}

/* The bytes of a string: none for a null, and where a file that is being overwritten leads out. */
static const char *string_at(const struct gathering *from, uint64_t i, uint64_t *length) {
  uint64_t record = record_at(from, i);
  *length = 0;
  if (record == QN_NO_RECORD)
    return NULL;
  uint64_t begin = from->column->offsets[record], end = from->column->offsets[record + 1];
  if (begin > end || end > from->column->bytes)
    return NULL;
  *length = end - begin;
  return (const char *)from->column->values + begin;
}

static enum qn_status count_bytes(const struct gathering *from, uint64_t *bytes,
                                  struct qn_error *error) {
  bool fits = true;
  *bytes = 0;
  for (uint64_t i = 0; i < from->count && fits; i++) {
    uint64_t length;
    string_at(from, i, &length);
    fits = qn_add_u64(*bytes, length, bytes);
  }
  return fits ? QN_OK : qn_fail_memory(error, "strings of properties", UINT64_MAX);
}

/* The values come before the offsets in the file, so their bytes are counted first. */
static enum qn_status write_strings(struct qn_writer *writer, const struct gathering *from,
                                    const struct qn_property_sections *names,
                                    struct qn_error *error) {
  char *out;
  uint64_t *offsets, bytes;
  enum qn_status status = count_bytes(from, &bytes, error);
  if (!status)
    status = add(writer, names->values, QN_ELEMENT_TEXT, 1, bytes, &out, error);
  if (!status)
    status = add(writer, names->offsets, QN_ELEMENT_UNSIGNED, 8, from->count + 1, &offsets, error);
  if (status)
    return status;
  for (uint64_t i = 0, at = 0; i < from->count; i++) {
    uint64_t length;
    string_at(from, i, &length);
    at += length < bytes - at ? length : bytes - at;
    offsets[i + 1] = at;
  }
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < from->count; i++) {
    uint64_t length, room = offsets[i + 1] - offsets[i];
    const char *text = string_at(from, i, &length);
    if (length && room)
      memcpy(out + offsets[i], text, length < room ? length : room);
  }
  return QN_OK;
}

static enum qn_status write_valid(struct qn_writer *writer, const struct gathering *from,
                                  const char *name, struct qn_error *error) {
  uint8_t *out;
  const uint64_t bytes = qn_valid_bytes(from->count);
  enum qn_status status = add(writer, name, QN_ELEMENT_UNSIGNED, 1, bytes, &out, error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t byte = 0; byte < bytes; byte++) {
    unsigned bits = 0;
    for (uint64_t i = 8 * byte; i < from->count && i < 8 * byte + 8; i++)
      bits |= (unsigned)(record_at(from, i) != QN_NO_RECORD) << (i % 8);
    out[byte] = (uint8_t)bits;
  }
  return QN_OK;
}

/* ---- The whole ------------------------------------------------------------ */

/* The columns of vertices, or of edges. */
struct part {
  const struct qn_property_table *table;
  const uint64_t *records;
  uint64_t count;
  bool edges;
};

static struct gathering gathering_of(const struct part *part, uint32_t column) {
  return (struct gathering){&part->table->columns[column], part->records, part->count};
}

static json_t *schema_of(const struct part *part) {
  json_t *columns = json_array();
  for (uint32_t i = 0; i < part->table->count; i++) {
    struct gathering from = gathering_of(part, i);
    uint64_t nulls = count_nulls(&from);
    char type[QN_PROPERTY_TYPE_BYTES];
    json_t *column = json_pack("{s:s, s:s}", "name", from.column->name, "type",
                               qn_property_type_name(from.column->type, type));
    if (column && nulls)
      json_object_set_new(column, "nulls", json_integer((json_int_t)nulls));
    if (!column || json_array_append_new(columns, column)) {
      json_decref(columns);
      return NULL;
    }
  }
  return columns;
}

static enum qn_status write_schema(struct qn_writer *writer, const struct part parts[2],
                                   const char *weight, json_t **out, struct qn_error *error) {
  json_t *schema = json_object();
  bool fine = schema != NULL;
  for (int i = 0; i < 2; i++)
    if (parts[i].table->count)
      fine &=
          !json_object_set_new(schema, parts[i].edges ? "edges" : "vertices", schema_of(&parts[i]));
  if (weight[0])
    fine &= !json_object_set_new(schema, "weight", json_string(weight));
  *out = schema;
  char *text = fine ? json_dumps(schema, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
  if (!text)
    return qn_fail_memory(error, "the schema of properties", 0);
  uint64_t length = strlen(text);
  enum qn_status status = qn_json_check_memory(error);
  if (!status && length > QN_PROPERTIES_SCHEMA_BYTES)
    status = qn_fail(error, QN_UNSUPPORTED, "the names of properties take more than 1 MiB");
  if (!status)
    status = qn_writer_section_from(writer,
                                    &(struct qn_section_spec){.name = QN_PROPERTIES_SCHEMA,
                                                              .element_type = QN_ELEMENT_TEXT,
                                                              .element_bytes = 1,
                                                              .count = length,
                                                              .ancillary = true},
                                    text, error);
  free(text);
  return status;
}

static enum qn_status write_column(struct qn_writer *writer, const struct part *part,
                                   uint32_t column, const json_t *schema, struct qn_error *error) {
  const struct gathering from = gathering_of(part, column);
  const struct qn_property_sections names = qn_property_sections_of(part->edges, column);
  const json_t *columns = json_object_get(schema, part->edges ? "edges" : "vertices");
  enum qn_status status = from.column->type == QN_PROPERTY_STRING
                              ? write_strings(writer, &from, &names, error)
                              : write_fixed(writer, &from, names.values, error);
  if (!status && json_object_get(json_array_get(columns, column), "nulls"))
    status = write_valid(writer, &from, names.valid, error);
  return status;
}

enum qn_status qn_properties_write(struct qn_writer *writer, const struct qn_properties *properties,
                                   const uint64_t *vertices, const uint64_t *edges,
                                   struct qn_error *error) {
  const struct qn_container_info *info = qn_writer_info(writer);
  const struct part parts[2] = {{&properties->of_vertices, vertices, info->num_vertices, false},
                                {&properties->of_edges, edges, info->num_edges, true}};
  json_t *schema = NULL;
  if (!qn_properties_are_any(properties))
    return QN_OK;
  enum qn_status status = write_schema(writer, parts, properties->weight, &schema, error);
  for (int p = 0; p < 2; p++)
    for (uint32_t i = 0; i < parts[p].table->count && !status; i++)
      status = write_column(writer, &parts[p], i, schema, error);
  json_decref(schema);
  return status;
}
