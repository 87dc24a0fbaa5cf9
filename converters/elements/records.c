#include "converters/elements/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/elements/literals.h"
#include "formats/text/text_fields.h"
#include "support/memory.h"

static const char *const elements[] = {"vertices", "edges"};

enum qn_status qn_element_records_begin(struct qn_element_records *records, const char *wanted,
                                        struct qn_table_records *of_vertices,
                                        struct qn_table_records *of_edges, uint64_t *of_vertex,
                                        struct qn_error *error) {
  *records = (struct qn_element_records){.of_vertex = of_vertex};
  records->tables[QN_OF_VERTICES].records = of_vertices;
  records->tables[QN_OF_EDGES].records = of_edges;
  return qn_wanted_properties_parse(wanted, &records->wanted, error);
}

void qn_element_records_next(struct qn_element_records *records) {
  for (int which = 0; which < 2; which++) {
    struct qn_element_table *table = &records->tables[which];
    for (uint32_t i = 0; i < table->records->num_columns; i++) {
      memcpy(table->columns[i].key, table->records->columns[i].property.name,
             sizeof table->columns[i].key);
      qn_free(table->columns[i].fallback);
      table->columns[i].fallback = NULL;
    }
    table->any = table->any_fallback = false;
  }
}

enum qn_status qn_element_records_check(struct qn_element_records *records,
                                        struct qn_error *error) {
  enum qn_status status = qn_literals_give(records, error);
  const char *missing = qn_wanted_properties_missing(&records->wanted);
  return status    ? status
         : missing ? qn_fail(error, QN_USAGE, "--properties: there is no property '%.64s'", missing)
                   : QN_OK;
}

void qn_element_records_end(struct qn_element_records *records) {
  for (int which = 0; which < 2; which++) {
    struct qn_element_table *table = &records->tables[which];
    for (uint32_t i = 0; table->records && i < table->records->num_columns; i++)
      qn_free(table->columns[i].fallback);
    qn_free(table->columns);
  }
  qn_wanted_properties_release(&records->wanted);
  qn_literals_free(records->literals);
  *records = (struct qn_element_records){0};
}

/* ---- Columns -------------------------------------------------------------- */

/* QN_NOT_WANTED: there is none. */
static uint32_t find_key(struct qn_element_table *table, const char *key) {
  const uint32_t count = table->records->num_columns;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = (table->last + 1 + i) % count;
    if (strcmp(table->columns[at].key, key) == 0)
      return table->last = at;
  }
  return QN_NOT_WANTED;
}

static uint32_t find_name(const struct qn_element_table *table, const char *name) {
  for (uint32_t i = 0; i < table->records->num_columns; i++)
    if (strcmp(table->records->columns[i].property.name, name) == 0)
      return i;
  return QN_NOT_WANTED;
}

static enum qn_status make_room(struct qn_element_records *records, struct qn_element_table *table,
                                struct qn_error *error) {
  const uint32_t count = table->records->num_columns;
  const uint32_t all =
      records->tables[0].records->num_columns + records->tables[1].records->num_columns;
  if (all == QN_MOST_ELEMENT_COLUMNS)
    return qn_fail(error, QN_INVALID,
                   "there are more than %d properties: --properties=NAME,... chooses some",
                   QN_MOST_ELEMENT_COLUMNS);
  if (count < table->room)
    return QN_OK;
  table->room = count + 16;
  enum qn_status status =
      qn_realloc(&table->columns, table->room, sizeof *table->columns, "properties", error);
  return status ? status
                : qn_realloc(&table->records->columns, table->room, sizeof *table->records->columns,
                             "properties", error);
}

/* Elements that were before have nulls. */
static enum qn_status add_column(struct qn_element_records *records, struct qn_element_table *table,
                                 const char *name, enum qn_property_type type,
                                 enum qn_said_type said, uint32_t *column, struct qn_error *error) {
  struct qn_table_records *to = table->records;
  enum qn_status status = make_room(records, table, error);
  if (status)
    return status;
  *column = to->num_columns++;
  table->columns[*column] = (struct qn_element_column){.said = said};
  snprintf(table->columns[*column].key, sizeof table->columns[*column].key, "%s", name);
  status = qn_text_column_begin(&to->columns[*column], name, type, error);
  for (uint64_t i = 0; i < to->count && !status; i++)
    status = qn_text_column_add(&to->columns[*column], NULL, 0, false, error);
  return status;
}

static enum qn_status settle_type(struct qn_element_table *table, uint32_t column,
                                  enum qn_property_type type, enum qn_said_type said,
                                  struct qn_error *error) {
  const struct qn_text_column *is = &table->records->columns[column];
  char here[QN_PROPERTY_TYPE_BYTES], before[QN_PROPERTY_TYPE_BYTES];
  if (!type || table->columns[column].said > said || is->property.type == type)
    return QN_OK;
  return qn_fail(error, QN_INVALID,
                 "the property '%s' is %s here, and %s before; --properties=all,'%.64s':TYPE says "
                 "what it is",
                 is->property.name, qn_property_type_name(type, here),
                 is->property.type ? qn_property_type_name(is->property.type, before)
                                   : "of no type that is said",
                 is->property.name);
}

static enum qn_status column_of(struct qn_element_records *records, int which, const char *name,
                                enum qn_property_type type, enum qn_said_type said,
                                uint32_t *column, struct qn_error *error) {
  struct qn_element_table *table = &records->tables[which];
  enum qn_property_type asked = (enum qn_property_type)0;
  char quoted[QN_QUOTE_BYTES];
  *column = find_name(table, name);
  if (*column != QN_NOT_WANTED)
    return settle_type(table, *column, type, said, error);
  if (!qn_wanted_properties_take(&records->wanted, name, &asked))
    return QN_OK;
  if (!qn_property_is_name(name, strlen(name)))
    return qn_fail(error, QN_INVALID,
                   "expected the name of a property of %s, 1 to %d bytes of UTF-8 without control "
                   "characters; found %s",
                   elements[which], QN_PROPERTY_NAME_BYTES,
                   qn_text_quote(name, name + strlen(name), quoted));
  return add_column(records, table, name, asked ? asked : type,
                    asked  ? QN_TYPE_ASKED
                    : type ? said
                           : QN_TYPE_FOUND,
                    column, error);
}

enum qn_status qn_element_column(struct qn_element_records *records, int which, const char *key,
                                 enum qn_property_type type, uint32_t *column,
                                 struct qn_error *error) {
  struct qn_element_table *table = &records->tables[which];
  *column = table->records->num_columns ? find_key(table, key) : QN_NOT_WANTED;
  if (*column != QN_NOT_WANTED)
    return settle_type(table, *column, type, QN_TYPE_DECLARED, error);
  return column_of(records, which, key, type, QN_TYPE_DECLARED, column, error);
}

/* ---- Values --------------------------------------------------------------- */

enum qn_status qn_element_value(struct qn_element_records *records, int which, uint32_t column,
                                const char *text, uint64_t length, bool quoted,
                                struct qn_error *error) {
  struct qn_element_table *table = &records->tables[which];
  if (column == QN_NOT_WANTED)
    return QN_OK;
  struct qn_text_column *to = &table->records->columns[column];
  if (to->property.count > table->records->count)
    return qn_fail(
        error, QN_INVALID,
        "one of the %s has the property '%s' twice; --properties=NAME,... chooses others",
        elements[which], to->property.name);
  table->any = true;
  return qn_text_column_add(to, text, length, quoted, error);
}

enum qn_status qn_element_named_value(struct qn_element_records *records, int which,
                                      const char *key, const char *text, uint64_t length,
                                      bool quoted, struct qn_error *error) {
  uint32_t column;
  enum qn_status status =
      qn_element_column(records, which, key, (enum qn_property_type)0, &column, error);
  return status ? status : qn_element_value(records, which, column, text, length, quoted, error);
}

enum qn_status qn_element_fallback(struct qn_element_records *records, int which, uint32_t column,
                                   const char *text, uint64_t length, struct qn_error *error) {
  struct qn_element_table *table = &records->tables[which];
  if (column == QN_NOT_WANTED)
    return QN_OK;
  struct qn_element_column *to = &table->columns[column];
  qn_free(to->fallback);
  to->fallback = NULL;
  enum qn_status status = qn_alloc(&to->fallback, length + 1, 1, "a value", error);
  if (status)
    return status;
  if (length)
    memcpy(to->fallback, text, length);
  to->fallback_length = length;
  table->any_fallback = true;
  return QN_OK;
}

/* ---- Elements ------------------------------------------------------------- */

/* Who has no value yet has none, or what all have that say nothing. */
static enum qn_status end_record(struct qn_element_table *table, struct qn_error *error) {
  struct qn_table_records *records = table->records;
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < records->num_columns && !status; i++) {
    const struct qn_element_column *column = &table->columns[i];
    if (records->columns[i].property.count == records->count)
      status = qn_text_column_add(&records->columns[i], column->fallback, column->fallback_length,
                                  true, error);
  }
  records->count++;
  table->any = false;
  return status;
}

static enum qn_status find_vertex(const struct qn_table_records *records, struct qn_text name,
                                  uint32_t *vertex, struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  if (qn_ids_lookup(records->ids, records->order, name.bytes, name.length, vertex))
    return QN_OK;
  return qn_fail(error, QN_INVALID, "expected the id of a vertex of the graph; found %s",
                 qn_text_quote(name.bytes, name.bytes + name.length, quoted));
}

enum qn_status qn_element_find_vertex(const struct qn_element_records *records, struct qn_text name,
                                      uint32_t *vertex, struct qn_error *error) {
  return find_vertex(records->tables[QN_OF_VERTICES].records, name, vertex, error);
}

enum qn_status qn_element_vertex_at(struct qn_element_records *records, uint32_t vertex,
                                    struct qn_error *error) {
  struct qn_element_table *table = &records->tables[QN_OF_VERTICES];
  if (!table->any && !table->any_fallback)
    return QN_OK;
  if (records->of_vertex[vertex] != QN_NO_RECORD)
    return qn_fail(error, QN_INVALID, "this vertex was listed before, with properties");
  records->of_vertex[vertex] = table->records->count;
  return end_record(table, error);
}

enum qn_status qn_element_vertex(struct qn_element_records *records, struct qn_text name,
                                 struct qn_error *error) {
  uint32_t vertex;
  enum qn_status status =
      find_vertex(records->tables[QN_OF_VERTICES].records, name, &vertex, error);
  return status ? status : qn_element_vertex_at(records, vertex, error);
}

enum qn_status qn_element_edge(struct qn_element_records *records, struct qn_text source,
                               struct qn_text destination, uint32_t ends[2], uint64_t *number,
                               struct qn_error *error) {
  struct qn_element_table *table = &records->tables[QN_OF_EDGES];
  enum qn_status status = find_vertex(table->records, source, &ends[0], error);
  if (!status)
    status = find_vertex(table->records, destination, &ends[1], error);
  *number = table->records->count;
  return status ? status : end_record(table, error);
}

/* ---- What Quern says ------------------------------------------------------ */

static enum qn_status hint_column(struct qn_element_records *records, int which, const json_t *said,
                                  struct qn_error *error) {
  struct qn_element_table *table = &records->tables[which];
  const char *name = json_string_value(json_object_get(said, "name"));
  const char *type_name = json_string_value(json_object_get(said, "type"));
  const char *key = json_string_value(json_object_get(said, "key"));
  enum qn_property_type type;
  uint32_t column;
  if (!name || !type_name || !qn_property_type_of(type_name, &type) ||
      strlen(key ? key : name) > QN_PROPERTY_NAME_BYTES)
    return qn_fail(error, QN_INVALID,
                   "what Quern wrote of the properties of %s is not what it writes: expected "
                   "columns with a name and a type",
                   elements[which]);
  enum qn_status status = column_of(records, which, name, type, QN_TYPE_HINTED, &column, error);
  if (status || column == QN_NOT_WANTED)
    return status;
  snprintf(table->columns[column].key, sizeof table->columns[column].key, "%s", key ? key : name);
  return QN_OK;
}

enum qn_status qn_element_hint(struct qn_element_records *records, const json_t *hint,
                               struct qn_error *error) {
  enum qn_status status = QN_OK;
  size_t i;
  json_t *column;
  for (int which = 0; which < 2; which++)
    json_array_foreach(json_object_get(hint, elements[which]), i, column) if (!status) status =
        hint_column(records, which, column, error);
  const char *weight = json_string_value(json_object_get(hint, "weight"));
  struct qn_table_records *edges = records->tables[QN_OF_EDGES].records;
  if (weight && qn_property_is_name(weight, strlen(weight)))
    memcpy(edges->weight, weight, strlen(weight) + 1);
  return status;
}
