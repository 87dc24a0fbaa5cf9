#include "library/arrow.h"

#include <inttypes.h>
#include <string.h>

#include "support/checked.h"

/* ---- Types ----------------------------------------------------------------- */

static bool number_type(const char *format, struct qn_number_array *numbers) {
  static const struct {
    char letter;
    enum qn_number_class kind;
    unsigned width;
  } types[] = {{'C', QN_NUMBERS_UNSIGNED, 1}, {'S', QN_NUMBERS_UNSIGNED, 2},
               {'I', QN_NUMBERS_UNSIGNED, 4}, {'L', QN_NUMBERS_UNSIGNED, 8},
               {'c', QN_NUMBERS_SIGNED, 1},   {'s', QN_NUMBERS_SIGNED, 2},
               {'i', QN_NUMBERS_SIGNED, 4},   {'l', QN_NUMBERS_SIGNED, 8},
               {'f', QN_NUMBERS_REAL, 4},     {'g', QN_NUMBERS_REAL, 8}};
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
    if (format[0] == types[i].letter && !format[1]) {
      *numbers = (struct qn_number_array){.kind = types[i].kind, .width = types[i].width};
      return true;
    }
  return false;
}

static bool value_type(const char *format, struct qn_arrow_type *type) {
  *type = (struct qn_arrow_type){.kind = QN_ARROW_NUMBERS};
  if (number_type(format, &type->numbers))
    return true;
  if (strcmp(format, "u") == 0 || strcmp(format, "z") == 0)
    type->kind = QN_ARROW_TEXT;
  else if (strcmp(format, "U") == 0 || strcmp(format, "Z") == 0)
    type->kind = QN_ARROW_LARGE_TEXT;
  else if (strcmp(format, "vu") == 0 || strcmp(format, "vz") == 0)
    type->kind = QN_ARROW_TEXT_VIEW;
  else
    return false;
  return true;
}

/* What users call the types that are none of these. */
static const char *name_of_type(const char *format) {
  static const struct {
    const char *begin, *name;
  } types[] = {{"n", "null"},
               {"b", "bool"},
               {"e", "half"},
               {"d:", "decimal"},
               {"td", "date"},
               {"tt", "time"},
               {"ts", "timestamp"},
               {"tD", "duration"},
               {"ti", "interval"},
               {"+l", "list"},
               {"+L", "list"},
               {"+w", "list"},
               {"+v", "list"},
               {"+s", "struct"},
               {"+m", "map"},
               {"+u", "union"},
               {"+r", "run-end encoded"},
               {"w:", "fixed-size binary"}};
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
    if (strncmp(format, types[i].begin, strlen(types[i].begin)) == 0)
      return types[i].name;
  return "with the format";
}

enum qn_status qn_arrow_column_type(const struct ArrowSchema *schema,
                                    struct qn_arrow_column_type *type, struct qn_error *error) {
  const struct ArrowSchema *values = schema->dictionary ? schema->dictionary : schema;
  *type = (struct qn_arrow_column_type){.name = schema->name ? schema->name : "",
                                        .is_dictionary = schema->dictionary != NULL};
  bool known = value_type(values->format, &type->values);
  if (known && type->is_dictionary)
    known = number_type(schema->format, &type->indices) && type->values.kind != QN_ARROW_NUMBERS;
  if (known)
    return QN_OK;
  const char *name = name_of_type(values->format);
  return qn_fail(error, QN_UNSUPPORTED,
                 "column '%.64s' is of the Arrow type %s '%.32s'%s; expected integers, reals or "
                 "texts, as a cast may give",
                 type->name, name, values->format,
                 type->is_dictionary ? " in a dictionary (categories)" : "");
}

/* ---- Columns --------------------------------------------------------------- */

/* The first element from `first` on that is null, `count` if none is. */
static uint64_t first_null(const struct ArrowArray *array, uint64_t first, uint64_t count) {
  const uint8_t *valid = array->n_buffers > 0 ? array->buffers[0] : NULL;
  uint64_t i = 0;
  if (!valid || array->null_count == 0)
    return count;
  while (i < count && (valid[(first + i) / 8] >> ((first + i) % 8) & 1))
    i++;
  return i;
}

static enum qn_status check_nulls(const char *name, const struct ArrowArray *array, uint64_t first,
                                  uint64_t count, uint64_t row, struct qn_error *error) {
  uint64_t null = first_null(array, first, count);
  return null == count ? QN_OK
                       : qn_fail(error, QN_INVALID, "row %" PRIu64 " (from 0): %.64s is null",
                                 row + null, name);
}

static enum qn_status fail_broken(const char *what, struct qn_error *error) {
  return qn_fail(error, QN_INVALID, "the Arrow stream is broken: %s", what);
}

static bool has_buffers(const struct ArrowArray *array, enum qn_arrow_kind kind) {
  int64_t needed = kind == QN_ARROW_NUMBERS || kind == QN_ARROW_TEXT_VIEW ? 2 : 3;
  needed = kind == QN_ARROW_VECTORS ? 1 : needed;
  if (array->n_buffers < needed || !array->buffers)
    return false;
  return kind == QN_ARROW_VECTORS || array->length == 0 || array->buffers[1];
}

enum qn_status qn_arrow_column_view_nulls(const struct qn_arrow_column_type *type,
                                          const struct ArrowArray *batch, uint64_t child,
                                          uint64_t row, struct qn_arrow_column *column,
                                          struct qn_error *error) {
  if (batch->n_children < 0 || child >= (uint64_t)batch->n_children || batch->length < 0 ||
      batch->offset < 0)
    return fail_broken("a batch lacks a column", error);
  const struct ArrowArray *array = batch->children[child];
  enum qn_arrow_kind stored = type->is_dictionary ? QN_ARROW_NUMBERS : type->values.kind;
  uint64_t rows = (uint64_t)batch->length;
  if (array->offset < 0 || array->length < batch->offset ||
      (uint64_t)(array->length - batch->offset) < rows)
    return fail_broken("a column is shorter than its batch", error);
  if (!has_buffers(array, stored) ||
      (type->is_dictionary &&
       (!array->dictionary || !has_buffers(array->dictionary, type->values.kind))))
    return fail_broken("a column lacks a buffer", error);
  *column = (struct qn_arrow_column){.type = type,
                                     .array = array,
                                     .first = (uint64_t)array->offset + (uint64_t)batch->offset,
                                     .num_rows = rows};
  enum qn_status status = check_nulls("the row", batch, (uint64_t)batch->offset, rows, row, error);
  if (!status && type->is_dictionary)
    status = check_nulls(type->name, array->dictionary, (uint64_t)array->dictionary->offset,
                         (uint64_t)array->dictionary->length, 0, error);
  return status;
}

bool qn_arrow_column_is_null(const struct qn_arrow_column *column, uint64_t row) {
  return first_null(column->array, column->first + row, 1) == 0;
}

enum qn_status qn_arrow_column_view(const struct qn_arrow_column_type *type,
                                    const struct ArrowArray *batch, uint64_t child, uint64_t row,
                                    struct qn_arrow_column *column, struct qn_error *error) {
  enum qn_status status = qn_arrow_column_view_nulls(type, batch, child, row, column, error);
  return status
             ? status
             : check_nulls(type->name, column->array, column->first, column->num_rows, row, error);
}

/* What a null has for its numbers does not matter. */
static enum qn_status check_numbers(const struct qn_arrow_column *column,
                                    const struct ArrowArray *numbers, uint64_t dimension,
                                    uint64_t row, struct qn_error *error) {
  if (numbers->n_buffers < 1 || !numbers->buffers[0] || numbers->null_count == 0)
    return QN_OK;
  for (uint64_t i = 0; i < column->num_rows; i++) {
    const uint64_t first = (uint64_t)numbers->offset + (column->first + i) * dimension;
    if (!qn_arrow_column_is_null(column, i) && first_null(numbers, first, dimension) < dimension)
      return qn_fail(error, QN_INVALID,
                     "row %" PRIu64
                     " (from 0): a number of the vector '%.64s' is null; a vector is "
                     "null as a whole",
                     row + i, column->type->name);
  }
  return QN_OK;
}

enum qn_status qn_arrow_column_vectors(const struct qn_arrow_column *column, uint64_t dimension,
                                       unsigned width, uint64_t row, const char **numbers,
                                       struct qn_error *error) {
  const struct ArrowArray *array = column->array;
  const struct ArrowArray *child = array->n_children == 1 ? array->children[0] : NULL;
  uint64_t first, last;
  if (!child || child->offset < 0 || child->length < 0 || child->n_buffers < 2 || !child->buffers ||
      !qn_mul_u64(column->first, dimension, &first) ||
      !qn_mul_u64(column->first + column->num_rows, dimension, &last) ||
      last > (uint64_t)child->length || (last > first && !child->buffers[1]))
    return fail_broken("a column of vectors lacks numbers", error);
  *numbers = last > first
                 ? (const char *)child->buffers[1] + ((uint64_t)child->offset + first) * width
                 : NULL;
  return check_numbers(column, child, dimension, row, error);
}

struct qn_number_array qn_arrow_column_numbers(const struct qn_arrow_column *column) {
  struct qn_number_array numbers = column->type->values.numbers;
  numbers.name = column->type->name;
  numbers.data = (const char *)column->array->buffers[1] + column->first * numbers.width;
  numbers.count = column->num_rows;
  return numbers;
}

/* A text of up to 12 bytes lies in its view; of a longer one there are number and place of its
 * buffer. */
static const char *viewed_text(const struct ArrowArray *array, uint64_t element, uint64_t *length) {
  const char *view = (const char *)array->buffers[1] + 16 * element;
  int32_t fields[4]; /* length, prefix, buffer, offset */
  memcpy(fields, view, sizeof fields);
  *length = (uint64_t)(uint32_t)fields[0];
  return *length <= 12 ? view + 4 : (const char *)array->buffers[2 + fields[2]] + fields[3];
}

static const char *stored_text(const struct ArrowArray *array, enum qn_arrow_kind kind,
                               uint64_t element, uint64_t *length) {
  if (kind == QN_ARROW_TEXT_VIEW)
    return viewed_text(array, element, length);
  const char *bytes = array->buffers[2];
  if (kind == QN_ARROW_LARGE_TEXT) {
    const int64_t *offsets = array->buffers[1];
    *length = (uint64_t)(offsets[element + 1] - offsets[element]);
    return bytes ? bytes + offsets[element] : "";
  }
  const int32_t *offsets = array->buffers[1];
  *length = (uint64_t)(offsets[element + 1] - offsets[element]);
  return bytes ? bytes + offsets[element] : "";
}

const char *qn_arrow_column_text(const struct qn_arrow_column *column, uint64_t row,
                                 uint64_t *length) {
  const struct ArrowArray *array = column->array;
  enum qn_arrow_kind kind = column->type->values.kind;
  if (!column->type->is_dictionary)
    return stored_text(array, kind, column->first + row, length);
  struct qn_number_array indices = column->type->indices;
  uint64_t index;
  indices.data = (const char *)array->buffers[1] + (column->first + row) * indices.width;
  indices.count = 1;
  if (!qn_numbers_id(&indices, 0, &index) || index >= (uint64_t)array->dictionary->length)
    return NULL;
  return stored_text(array->dictionary, kind, (uint64_t)array->dictionary->offset + index, length);
}
