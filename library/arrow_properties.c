#include "library/arrow_properties.h"

#include <inttypes.h>
#include <string.h>

#include "support/memory.h"
#include "support/options.h"

/* ---- Which columns --------------------------------------------------------- */

static const char *name_of(const struct ArrowSchema *schema, uint32_t number) {
  const char *name = schema->children[number]->name;
  return name ? name : "";
}

/* Types whose values are as properties have them; 0 for others. A time zone but UTC names only how
 * to show an instant. */
static enum qn_property_type type_called(const char *format) {
  static const char letters[] = "CSILcsilefg";
  static const enum qn_property_type numbers[] = {QN_PROPERTY_U8,  QN_PROPERTY_U16, QN_PROPERTY_U32,
                                                  QN_PROPERTY_U64, QN_PROPERTY_I8,  QN_PROPERTY_I16,
                                                  QN_PROPERTY_I32, QN_PROPERTY_I64, QN_PROPERTY_F16,
                                                  QN_PROPERTY_F32, QN_PROPERTY_F64};
  static const char units[] = "smun";
  static const enum qn_property_type times[][2] = {
      {QN_PROPERTY_TIMESTAMP_S, QN_PROPERTY_TIMESTAMP_S_UTC},
      {QN_PROPERTY_TIMESTAMP_MS, QN_PROPERTY_TIMESTAMP_MS_UTC},
      {QN_PROPERTY_TIMESTAMP_US, QN_PROPERTY_TIMESTAMP_US_UTC},
      {QN_PROPERTY_TIMESTAMP_NS, QN_PROPERTY_TIMESTAMP_NS_UTC}};
  const char *found = format[0] ? strchr(letters, format[0]) : NULL;
  if (found && !format[1])
    return numbers[found - letters];
  if (strcmp(format, "tdD") == 0 || strcmp(format, "tdm") == 0)
    return QN_PROPERTY_DATE;
  found = strncmp(format, "ts", 2) == 0 && format[2] ? strchr(units, format[2]) : NULL;
  return found && format[3] == ':' ? times[found - units][format[4] != '\0']
                                   : (enum qn_property_type)0;
}

/* Lists of a fixed size, of numbers; 0 for others. */
static enum qn_property_type vectors_called(const struct ArrowSchema *column) {
  uint64_t dimension;
  if (strncmp(column->format, "+w:", 3) != 0 || column->n_children != 1 ||
      column->children[0]->dictionary ||
      qn_whole_parse(column->format + 3, 1, QN_PROPERTY_MOST_DIMENSION, &dimension, NULL))
    return (enum qn_property_type)0;
  const enum qn_property_type number = type_called(column->children[0]->format);
  const enum qn_property_type type = QN_PROPERTY_VECTOR(number, dimension);
  return qn_property_class_of(type) ? type : (enum qn_property_type)0;
}

static enum qn_status fail_type(const struct ArrowSchema *column, const char *name,
                                struct qn_error *error) {
  static const struct {
    const char *begin, *is, *help;
  } types[] = {{"d:", "decimals", "cast it to float64, or to texts"},
               {"+w:", "vectors of no numbers, or of more than 65536, or of none at all",
                "cast them to numbers, or to texts"},
               {"+l", "lists of any length",
                "cast it to lists of a fixed size, as pyarrow.list_(pyarrow.float32(), 128)"},
               {"+L", "lists of any length",
                "cast it to lists of a fixed size, as pyarrow.list_(pyarrow.float32(), 128)"},
               {"+v", "lists of any length",
                "cast it to lists of a fixed size, as pyarrow.list_(pyarrow.float32(), 128)"},
               {"+s", "structs", "flatten the table, so that each field is a column"},
               {"+m", "maps", "cast it to texts"},
               {"tD", "durations", "cast it to int64"}};
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
    if (!column->dictionary && strncmp(column->format, types[i].begin, strlen(types[i].begin)) == 0)
      return qn_fail(error, QN_UNSUPPORTED, "column '%.64s' is of %s, which no property is: %s",
                     name, types[i].is, types[i].help);
  return QN_UNSUPPORTED;
}

/* What its values become; `property->type` is how they lie. */
static enum qn_status choose_type(struct qn_arrow_property *property,
                                  const struct ArrowSchema *column, const char *name,
                                  enum qn_property_type *type, struct qn_error *error) {
  const enum qn_property_type vectors = vectors_called(column);
  *type = column->dictionary ? (enum qn_property_type)0 : type_called(column->format);
  if (vectors || *type || property->bits || property->nothing) {
    property->type = (struct qn_arrow_column_type){
        .name = name, .values = {.kind = vectors ? QN_ARROW_VECTORS : QN_ARROW_NUMBERS}};
    *type = vectors          ? vectors
            : *type          ? *type
            : property->bits ? QN_PROPERTY_BOOL
                             : QN_PROPERTY_STRING;
    return QN_OK;
  }
  enum qn_status status = qn_arrow_column_type(column, &property->type, error);
  *type = QN_PROPERTY_STRING;
  return status == QN_UNSUPPORTED ? fail_type(column, name, error) : status;
}

enum qn_status qn_arrow_property_begin(struct qn_arrow_property *property,
                                       const struct ArrowSchema *schema, uint32_t number,
                                       struct qn_error *error) {
  const struct ArrowSchema *column = schema->children[number];
  const char *name = name_of(schema, number);
  enum qn_property_type type;
  *property = (struct qn_arrow_property){.number = number,
                                         .bits = strcmp(column->format, "b") == 0,
                                         .nothing = strcmp(column->format, "n") == 0,
                                         .milliseconds = strcmp(column->format, "tdm") == 0};
  if (!qn_property_is_name(name, strlen(name)))
    return qn_fail(error, QN_INVALID,
                   "the name of a property is 1 to %d bytes of UTF-8 without control characters; "
                   "that of column %" PRIu32 " is not",
                   QN_PROPERTY_NAME_BYTES, number + 1);
  enum qn_status status = choose_type(property, column, name, &type, error);
  return status ? status : qn_text_column_begin(&property->values, name, type, error);
}

static bool is_taken(const uint32_t *taken, unsigned num_taken, uint32_t number) {
  bool found = false;
  for (unsigned i = 0; i < num_taken; i++)
    found |= taken[i] == number + 1;
  return found;
}

static enum qn_status add_column(struct qn_arrow_properties *properties,
                                 const struct ArrowSchema *schema, uint32_t number,
                                 struct qn_error *error) {
  for (uint32_t i = 0; i < properties->count; i++)
    if (strcmp(properties->columns[i].values.property.name, name_of(schema, number)) == 0)
      return qn_fail(error, QN_INVALID, "two columns are called '%.64s'; properties have one name",
                     name_of(schema, number));
  return qn_arrow_property_begin(&properties->columns[properties->count++], schema, number, error);
}

/* The column called name[0 .. length). */
static enum qn_status add_named(struct qn_arrow_properties *properties,
                                const struct ArrowSchema *schema, const char *name, size_t length,
                                const uint32_t *taken, unsigned num_taken, struct qn_error *error) {
  for (uint32_t i = 0; i < (uint64_t)schema->n_children; i++) {
    const char *found = name_of(schema, i);
    if (strlen(found) != length || memcmp(found, name, length) != 0)
      continue;
    if (is_taken(taken, num_taken, i))
      return qn_fail(error, QN_USAGE, "the column '%.64s' is an end, an id or the weight already",
                     found);
    return add_column(properties, schema, i, error);
  }
  return qn_fail(error, QN_USAGE, "there is no column '%.*s' to be a property",
                 length > 64 ? 64 : (int)length, name);
}

enum qn_status qn_arrow_properties_begin(struct qn_arrow_properties *properties,
                                         const struct ArrowSchema *schema, const char *wanted,
                                         const uint32_t *taken, unsigned num_taken,
                                         struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&properties->columns, (uint64_t)schema->n_children,
                                          sizeof *properties->columns, "properties", error);
  bool all = strcmp(wanted, "all") == 0;
  for (uint32_t i = 0; all && !status && i < (uint64_t)schema->n_children; i++)
    if (!is_taken(taken, num_taken, i))
      status = add_column(properties, schema, i, error);
  for (const char *name = wanted; !all && !status && *name;) {
    size_t length = strcspn(name, ",");
    status = add_named(properties, schema, name, length, taken, num_taken, error);
    name += length + (name[length] == ',');
  }
  return status;
}

/* ---- Values ----------------------------------------------------------------- */

#define DAY_MILLISECONDS 86400000

/* Dates in milliseconds, which are whole days. */
static enum qn_status add_days(struct qn_arrow_property *property, const char *value, uint64_t row,
                               struct qn_error *error) {
  int64_t milliseconds;
  memcpy(&milliseconds, value, sizeof milliseconds);
  const int64_t all = milliseconds / DAY_MILLISECONDS;
  const int32_t days = (int32_t)all;
  if (milliseconds % DAY_MILLISECONDS || all != days)
    return qn_fail(error, QN_INVALID,
                   "row %" PRIu64 " (from 0) of '%.64s' is a date of %" PRId64
                   " ms, which are no whole days: cast it to timestamps",
                   row, property->type.name, milliseconds);
  return qn_text_column_add_value(&property->values, &days, error);
}

static enum qn_status add_numbers(struct qn_arrow_property *property,
                                  const struct qn_arrow_column *column, uint64_t row,
                                  struct qn_error *error) {
  const char *values = (const char *)column->array->buffers[1];
  const unsigned width = property->milliseconds
                             ? sizeof(int64_t)
                             : qn_property_value_bytes(property->values.property.type);
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < column->num_rows && !status; i++) {
    const uint64_t at = column->first + i;
    if (qn_arrow_column_is_null(column, i)) {
      status = qn_text_column_add_value(&property->values, NULL, error);
    } else if (property->bits) {
      const uint8_t bit = ((const uint8_t *)values)[at / 8] >> (at % 8) & 1;
      status = qn_text_column_add_value(&property->values, &bit, error);
    } else if (property->milliseconds) {
      status = add_days(property, values + at * width, row + i, error);
    } else {
      status = qn_text_column_add_value(&property->values, values + at * width, error);
    }
  }
  return status;
}

static enum qn_status add_vectors(struct qn_arrow_property *property,
                                  const struct qn_arrow_column *column, uint64_t row,
                                  struct qn_error *error) {
  const enum qn_property_type type = property->values.property.type;
  const unsigned bytes = qn_property_value_bytes(type);
  const char *numbers;
  enum qn_status status = qn_arrow_column_vectors(
      column, qn_property_dimension(type), qn_property_number_bytes(type), row, &numbers, error);
  for (uint64_t i = 0; i < column->num_rows && !status; i++)
    status = qn_text_column_add_value(
        &property->values, qn_arrow_column_is_null(column, i) ? NULL : numbers + i * bytes, error);
  return status;
}

static enum qn_status fail_text(const struct qn_arrow_property *property, uint64_t row,
                                const struct qn_error *why, struct qn_error *error) {
  return qn_fail(error, QN_INVALID, "row %" PRIu64 " (from 0) of '%.64s': %s", row,
                 property->type.name, why ? why->message : "the dictionary lacks this element");
}

static enum qn_status add_texts(struct qn_arrow_property *property,
                                const struct qn_arrow_column *column, uint64_t row,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  struct qn_error own;
  for (uint64_t i = 0; i < column->num_rows && !status; i++) {
    uint64_t length = 0;
    bool null = qn_arrow_column_is_null(column, i);
    const char *text = null ? NULL : qn_arrow_column_text(column, i, &length);
    if (!null && !text)
      return fail_text(property, row + i, NULL, error);
    status = qn_text_column_add(&property->values, text, length, true, &own);
    if (status == QN_INVALID)
      fail_text(property, row + i, &own, error);
    else if (status && error)
      *error = own;
  }
  return status;
}

static enum qn_status add_nulls(struct qn_arrow_property *property, const struct ArrowArray *batch,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (int64_t i = 0; i < batch->length && !status; i++)
    status = qn_text_column_add(&property->values, NULL, 0, true, error);
  return status;
}

enum qn_status qn_arrow_property_add(struct qn_arrow_property *property,
                                     const struct ArrowArray *batch, uint64_t row,
                                     struct qn_error *error) {
  struct qn_arrow_column column;
  if (property->nothing)
    return add_nulls(property, batch, error);
  enum qn_status status =
      qn_arrow_column_view_nulls(&property->type, batch, property->number, row, &column, error);
  if (status)
    return status;
  switch (property->type.values.kind) {
  case QN_ARROW_NUMBERS:
    return add_numbers(property, &column, row, error);
  case QN_ARROW_VECTORS:
    return add_vectors(property, &column, row, error);
  default:
    return add_texts(property, &column, row, error);
  }
}

enum qn_status qn_arrow_properties_add(struct qn_arrow_properties *properties,
                                       const struct ArrowArray *batch, uint64_t row,
                                       struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < properties->count && !status; i++)
    status = qn_arrow_property_add(&properties->columns[i], batch, row, error);
  return status;
}

/* ---- The end ---------------------------------------------------------------- */

enum qn_status qn_arrow_properties_finish(struct qn_arrow_properties *properties,
                                          struct qn_property_table *table, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&table->columns, properties->count,
                                          sizeof *table->columns, "properties", error);
  for (uint32_t i = 0; i < properties->count && !status; i++) {
    status = qn_text_column_finish(&properties->columns[i].values, error);
    table->columns[table->count++] = properties->columns[i].values.property;
  }
  return status;
}

void qn_arrow_properties_end(struct qn_arrow_properties *properties) {
  for (uint32_t i = 0; i < properties->count; i++)
    qn_text_column_end(&properties->columns[i].values);
  qn_free(properties->columns);
  *properties = (struct qn_arrow_properties){0};
}
