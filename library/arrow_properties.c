#include "library/arrow_properties.h"

#include <inttypes.h>
#include <string.h>

#include "support/memory.h"

/* ---- Which columns --------------------------------------------------------- */

static const char *name_of(const struct ArrowSchema *schema, uint32_t number) {
  const char *name = schema->children[number]->name;
  return name ? name : "";
}

static enum qn_property_type type_of(const struct qn_arrow_property *property) {
  const struct qn_number_array *numbers = &property->type.values.numbers;
  if (property->nothing || property->type.values.kind != QN_ARROW_NUMBERS)
    return QN_PROPERTY_STRING;
  if (property->bits)
    return QN_PROPERTY_BOOL;
  if (numbers->kind == QN_NUMBERS_REAL)
    return numbers->width == 4 ? QN_PROPERTY_F32 : QN_PROPERTY_F64;
  if (numbers->kind == QN_NUMBERS_SIGNED)
    return QN_PROPERTY_I64;
  return numbers->width == 8 ? QN_PROPERTY_U64 : QN_PROPERTY_U32;
}

enum qn_status qn_arrow_property_begin(struct qn_arrow_property *property,
                                       const struct ArrowSchema *schema, uint32_t number,
                                       struct qn_error *error) {
  const struct ArrowSchema *column = schema->children[number];
  const char *name = name_of(schema, number);
  *property = (struct qn_arrow_property){.number = number,
                                         .bits = strcmp(column->format, "b") == 0,
                                         .nothing = strcmp(column->format, "n") == 0};
  enum qn_status status = QN_OK;
  if (!qn_property_is_name(name, strlen(name)))
    return qn_fail(error, QN_INVALID,
                   "the name of a property is 1 to %d bytes of UTF-8 without control characters; "
                   "that of column %" PRIu32 " is not",
                   QN_PROPERTY_NAME_BYTES, number + 1);
  if (property->bits || property->nothing)
    property->type =
        (struct qn_arrow_column_type){.name = name, .values = {.kind = QN_ARROW_NUMBERS}};
  else
    status = qn_arrow_column_type(column, &property->type, error);
  return status ? status : qn_text_column_begin(&property->values, name, type_of(property), error);
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

/* An element of the value's own width, widened. */
static uint64_t bits_of(const struct qn_number_array *numbers, uint64_t index) {
  uint64_t bits = 0;
  memcpy(&bits, numbers->data + index * numbers->width, numbers->width);
  if (numbers->kind != QN_NUMBERS_SIGNED || numbers->width == 8)
    return bits;
  const unsigned rest = 64 - 8 * numbers->width;
  return (uint64_t)((int64_t)(bits << rest) >> rest);
}

static enum qn_status add_numbers(struct qn_arrow_property *property,
                                  const struct qn_arrow_column *column, struct qn_error *error) {
  const struct qn_number_array numbers = qn_arrow_column_numbers(column);
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < column->num_rows && !status; i++) {
    uint64_t bits = 0;
    bool null = qn_arrow_column_is_null(column, i);
    if (!null && property->bits) {
      const uint8_t *bytes = column->array->buffers[1];
      bits = bytes[(column->first + i) / 8] >> ((column->first + i) % 8) & 1;
    } else if (!null) {
      bits = bits_of(&numbers, i);
    }
    status = qn_text_column_add_bits(&property->values, null ? NULL : &bits, error);
  }
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
  return property->type.values.kind == QN_ARROW_NUMBERS ? add_numbers(property, &column, error)
                                                        : add_texts(property, &column, row, error);
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
