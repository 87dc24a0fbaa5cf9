#include "converters/properties/text_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "formats/text/calendar.h"
#include "formats/text/half_floats.h"
#include "formats/text/text_numbers.h"
#include "support/memory.h"
#include "support/temp_file.h"

#define BUFFER_BYTES ((uint64_t)64 << 10)
#define MOST_EXACT ((uint64_t)1 << 53) /* whole numbers up to it are exact in an f64 */

/* ---- Files ---------------------------------------------------------------- */

static enum qn_status file_begin(struct qn_value_file *file, struct qn_error *error) {
  enum qn_status status = qn_alloc(&file->buffer, BUFFER_BYTES, 1, "values", error);
  if (status)
    return status;
  status = qn_scratch_open(0, &file->descriptor, error);
  if (status)
    file->descriptor = -1;
  return status;
}

static enum qn_status file_flush(struct qn_value_file *file, struct qn_error *error) {
  uint64_t waiting = file->waiting;
  file->waiting = 0;
  return waiting ? qn_scratch_put(file->descriptor, file->buffer, waiting, error) : QN_OK;
}

static enum qn_status file_add(struct qn_value_file *file, const void *bytes, uint64_t length,
                               struct qn_error *error) {
  enum qn_status status = QN_OK;
  file->bytes += length;
  if (BUFFER_BYTES - file->waiting < length)
    status = file_flush(file, error);
  if (status || length == 0)
    return status;
  if (length > BUFFER_BYTES)
    return qn_scratch_put(file->descriptor, bytes, length, error);
  memcpy(file->buffer + file->waiting, bytes, length);
  file->waiting += length;
  return QN_OK;
}

static void file_end(struct qn_value_file *file) {
  if (file->buffer && file->descriptor >= 0)
    close(file->descriptor);
  qn_free(file->buffer);
  *file = (struct qn_value_file){.descriptor = -1};
}

/* ---- Values --------------------------------------------------------------- */

/* Digits as a number is written: no sign but '-', no zeros before it. */
static bool parse_whole(const char *text, uint64_t length, bool *negative, uint64_t *value) {
  *negative = length && *text == '-';
  text += *negative;
  length -= *negative;
  if (length == 0 || (*text == '0' && (length > 1 || *negative)))
    return false;
  return qn_parse_whole(text, text + length, value) == QN_NUMBER_FINE;
}

/* A decimal with a point or an exponent, as the nearest f64. */
static bool parse_decimal(const char *text, uint64_t length, double *value) {
  enum qn_weight_type type;
  uint64_t bits;
  const char *digits = text + (length && *text == '-');
  bool real = memchr(text, '.', length) || memchr(text, 'e', length) || memchr(text, 'E', length);
  uint64_t rest = length - (uint64_t)(digits - text);
  if (!real || rest == 0 || *digits == '+' ||
      (rest > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'))
    return false;
  if (qn_parse_weight(text, text + length, &type, &bits) != QN_WEIGHT_FINE)
    return false;
  if (type == QN_WEIGHT_F32) {
    uint32_t low = (uint32_t)bits;
    float narrow;
    memcpy(&narrow, &low, sizeof narrow);
    *value = qn_decimal_of_f32(narrow);
    return true;
  }
  memcpy(value, &bits, sizeof *value);
  return type == QN_WEIGHT_F64;
}

/* Any number, exactly, as the type f64 takes it. */
static bool parse_real(const char *text, uint64_t length, double *value) {
  bool negative;
  uint64_t whole;
  if (parse_whole(text, length, &negative, &whole)) {
    *value = negative ? -(double)whole : (double)whole;
    return whole <= MOST_EXACT;
  }
  if (length == 2 && memcmp(text, "-0", 2) == 0)
    return *value = -0.0, true;
  return parse_decimal(text, length, value);
}

static bool is_word(const char *text, uint64_t length, const char *word) {
  return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

static bool parse_special(const char *text, uint64_t length, double *value) {
  bool negative = length && *text == '-';
  text += negative;
  length -= negative;
  if (is_word(text, length, "nan"))
    *value = NAN;
  else if (is_word(text, length, "inf") || is_word(text, length, "infinity"))
    *value = INFINITY;
  else
    return false;
  *value = negative ? -*value : *value;
  return true;
}

static bool parse_bool(const char *text, uint64_t length, uint8_t *value) {
  *value = is_word(text, length, "true");
  return *value || is_word(text, length, "false");
}

/* true and false, or 1 and 0. */
static bool parse_truth(const char *text, uint64_t length, void *value) {
  uint8_t truth;
  if (!parse_bool(text, length, &truth)) {
    truth = length == 1 && *text == '1';
    if (!truth && !(length == 1 && *text == '0'))
      return false;
  }
  memcpy(value, &truth, 1);
  return true;
}

/* A whole number that fits into `bytes`. */
static bool parse_integer(bool is_signed, unsigned bytes, const char *text, uint64_t length,
                          void *value) {
  bool negative;
  uint64_t whole;
  if (!parse_whole(text, length, &negative, &whole))
    return false;
  const uint64_t most = UINT64_MAX >> (64 - 8 * bytes + is_signed);
  if (negative && !is_signed)
    return false;
  if (whole > most + negative)
    return false;
  whole = negative ? 0 - whole : whole;
  memcpy(value, &whole, bytes);
  return true;
}

/* Reals of 16 bits are rounded; other types hold the number as it is written. */
static bool parse_number_real(enum qn_property_type type, const char *text, uint64_t length,
                              void *value) {
  double real;
  uint16_t half;
  if (!parse_real(text, length, &real) && !parse_special(text, length, &real))
    return false;
  if (type == QN_PROPERTY_F64) {
    memcpy(value, &real, sizeof real);
    return true;
  }
  float narrow = (float)real;
  if (type == QN_PROPERTY_F32) {
    memcpy(value, &narrow, sizeof narrow);
    return !isfinite(real) || (isfinite(narrow) && qn_f32_holds(real));
  }
  half = type == QN_PROPERTY_F16 ? qn_f16_nearest(real) : qn_bf16_nearest(real);
  narrow = type == QN_PROPERTY_F16 ? qn_f16_value(half) : qn_bf16_value(half);
  memcpy(value, &half, sizeof half);
  return isfinite(narrow) == isfinite(real);
}

/* A value of the type, which is no vector, at `*value`; false if the text is none. */
static bool parse_number(enum qn_property_type type, const char *text, uint64_t length,
                         void *value) {
  const enum qn_property_class kind = qn_property_class_of(type);
  int32_t days = 0;
  int64_t time = 0;
  bool fine = false;
  switch (kind) {
  case QN_PROPERTY_TRUTH:
    return parse_truth(text, length, value);
  case QN_PROPERTY_UNSIGNED:
  case QN_PROPERTY_SIGNED:
    return parse_integer(kind == QN_PROPERTY_SIGNED, qn_property_number_bytes(type), text, length,
                         value);
  case QN_PROPERTY_REAL:
    return parse_number_real(type, text, length, value);
  case QN_PROPERTY_DAYS:
    fine = qn_parse_date(text, length, &days);
    memcpy(value, &days, sizeof days);
    return fine;
  case QN_PROPERTY_TIME:
    fine = qn_parse_timestamp(text, length, qn_property_time_decimals(type),
                              qn_property_is_utc(type), &time);
    memcpy(value, &time, sizeof time);
    return fine;
  default:
    return false;
  }
}

/* ---- Vectors -------------------------------------------------------------- */

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void trim(const char **text, uint64_t *length) {
  for (; *length && is_space(**text); (*text)++)
    (*length)--;
  while (*length && is_space((*text)[*length - 1]))
    (*length)--;
}

static bool is_within(const char *text, uint64_t length, char begin, char end) {
  return length >= 2 && *text == begin && text[length - 1] == end;
}

/* What is left of the text of a vector: "1;2;3", or "[1, 2, 3]" as in JSON, where nan may be in
 * quotes. */
struct numbers {
  const char *text;
  uint64_t length;
  char separator;
};

static struct numbers numbers_of(const char *text, uint64_t length) {
  struct numbers numbers = {.separator = ';'};
  trim(&text, &length);
  if (is_within(text, length, '[', ']')) {
    numbers.separator = ',';
    text++;
    length -= 2;
  }
  numbers.text = text;
  numbers.length = length;
  return numbers;
}

/* The next number, which may be no text at all. */
static const char *next_number(struct numbers *numbers, uint64_t *length) {
  const char *begin = numbers->text;
  const char *end = memchr(begin, numbers->separator, numbers->length);
  *length = end ? (uint64_t)(end - begin) : numbers->length;
  numbers->text = end ? end + 1 : NULL;
  numbers->length = end ? numbers->length - *length - 1 : 0;
  trim(&begin, length);
  if (is_within(begin, *length, '"', '"')) {
    begin++;
    *length -= 2;
  }
  return begin;
}

static uint64_t count_numbers(const char *text, uint64_t length) {
  struct numbers numbers = numbers_of(text, length);
  uint64_t count = 0;
  for (; numbers.text && count <= QN_PROPERTY_MOST_DIMENSION; count++)
    next_number(&numbers, &length);
  return count;
}

/* A value of the type at `*value`; false if the text is none. */
static bool parse_value(enum qn_property_type type, const char *text, uint64_t length,
                        void *value) {
  const uint32_t dimension = qn_property_dimension(type);
  const unsigned bytes = qn_property_number_bytes(type);
  struct numbers numbers = numbers_of(text, length);
  char *to = value;
  if (!dimension)
    return parse_number(type, text, length, value);
  for (uint32_t i = 0; i < dimension; i++, to += bytes) {
    const char *number = numbers.text ? next_number(&numbers, &length) : NULL;
    if (!number || !parse_number(qn_property_number_type(type), number, length, to))
      return false;
  }
  return !numbers.text;
}

/* What else the column may be, after this value. */
static void note(struct qn_text_column *column, const char *text, uint64_t length, bool quoted) {
  bool negative;
  uint8_t truth;
  uint64_t whole;
  double real;
  column->may_be_bool &= !quoted && parse_bool(text, length, &truth);
  if (!quoted && parse_whole(text, length, &negative, &whole)) {
    uint64_t *most = negative ? &column->most_negative : &column->most;
    column->any_negative |= negative;
    *most = whole > *most ? whole : *most;
    column->may_be_real &= whole <= MOST_EXACT;
    return;
  }
  column->may_be_whole = false;
  column->may_be_real &= !quoted && (parse_real(text, length, &real) ||
                                     (column->has_specials && parse_special(text, length, &real)));
}

static enum qn_property_type type_of(const struct qn_text_column *column) {
  if (!column->any_value)
    return QN_PROPERTY_STRING;
  if (column->may_be_bool)
    return QN_PROPERTY_BOOL;
  if (column->may_be_whole && !column->any_negative && column->most <= UINT32_MAX)
    return QN_PROPERTY_U32;
  if (column->may_be_whole && column->most <= INT64_MAX &&
      column->most_negative <= (uint64_t)INT64_MAX + 1)
    return QN_PROPERTY_I64;
  if (column->may_be_whole && !column->any_negative)
    return QN_PROPERTY_U64;
  return column->may_be_real ? QN_PROPERTY_F64 : QN_PROPERTY_STRING;
}

/* ---- The column ----------------------------------------------------------- */

static bool is_of_any_dimension(enum qn_property_type type) {
  return qn_property_dimension(type) == QN_ANY_DIMENSION;
}

/* Room for a value of the type, if it is known. */
static enum qn_status make_value(struct qn_text_column *column, struct qn_error *error) {
  const enum qn_property_type type = column->property.type;
  if (!type || is_of_any_dimension(type))
    return QN_OK;
  return qn_alloc_zeroed(&column->value, qn_property_value_bytes(type), 1, "a value", error);
}

enum qn_status qn_text_column_begin(struct qn_text_column *column, const char *name,
                                    enum qn_property_type type, struct qn_error *error) {
  *column = (struct qn_text_column){.property.type = type,
                                    .values.descriptor = -1,
                                    .ends.descriptor = -1,
                                    .valid.descriptor = -1,
                                    .may_be_bool = true,
                                    .may_be_whole = true,
                                    .may_be_real = true};
  const uint64_t zero = 0;
  snprintf(column->property.name, sizeof column->property.name, "%s", name);
  enum qn_status status = make_value(column, error);
  if (!status)
    status = file_begin(&column->values, error);
  if (!status)
    status = file_begin(&column->valid, error);
  if (!status)
    status = file_begin(&column->ends, error);
  return status ? status : file_add(&column->ends, &zero, sizeof zero, error);
}

static enum qn_status add_valid(struct qn_text_column *column, bool valid, struct qn_error *error) {
  uint64_t place = column->property.count++ % 8;
  column->property.nulls += !valid;
  column->any_value |= valid;
  column->bits |= (uint8_t)(valid << place);
  if (place < 7)
    return QN_OK;
  uint8_t bits = column->bits;
  column->bits = 0;
  return file_add(&column->valid, &bits, 1, error);
}

static enum qn_status refuse(const struct qn_text_column *column, const char *text, uint64_t length,
                             struct qn_error *error) {
  const enum qn_property_type type = column->property.type;
  const uint32_t dimension = qn_property_dimension(type);
  char name[QN_PROPERTY_TYPE_BYTES], found[48] = "";
  const uint64_t count = dimension ? count_numbers(text, length) : 0;
  if (count > QN_PROPERTY_MOST_DIMENSION)
    snprintf(found, sizeof found, "more than %d numbers, ", QN_PROPERTY_MOST_DIMENSION);
  else if (count != dimension)
    snprintf(found, sizeof found, "%" PRIu64 " numbers, ", count);
  return qn_fail(
      error, QN_INVALID,
      "expected a value of the property '%s', %s; found %s'%.*s' (--properties=NAME:TYPE "
      "says another type)",
      column->property.name,
      is_of_any_dimension(type) ? "a vector" : qn_property_type_name(type, name), found,
      length > 40 ? 40 : (int)length, text);
}

static enum qn_status add_text(struct qn_text_column *column, const char *text, uint64_t length,
                               struct qn_error *error) {
  enum qn_status status = file_add(&column->values, text, length, error);
  return status
             ? status
             : file_add(&column->ends, &column->values.bytes, sizeof column->values.bytes, error);
}

/* The first vector is there, or it is known how long all are: those before it are nulls. */
static enum qn_status settle_dimension(struct qn_text_column *column, uint64_t dimension,
                                       struct qn_error *error) {
  struct qn_property *property = &column->property;
  property->type = QN_PROPERTY_VECTOR(qn_property_number_type(property->type), dimension);
  enum qn_status status = make_value(column, error);
  for (uint64_t i = 0; i < property->count && !status; i++)
    status =
        file_add(&column->values, column->value, qn_property_value_bytes(property->type), error);
  return status;
}

/* NULL is a null. */
static enum qn_status add_value(struct qn_text_column *column, const void *value,
                                struct qn_error *error) {
  const enum qn_property_type type = column->property.type;
  enum qn_status status = QN_OK;
  if (!value && !is_of_any_dimension(type))
    memset(column->value, 0, qn_property_value_bytes(type));
  if (!is_of_any_dimension(type))
    status = file_add(&column->values, value ? value : column->value, qn_property_value_bytes(type),
                      error);
  return status ? status : add_valid(column, value != NULL, error);
}

static enum qn_status add_typed(struct qn_text_column *column, const char *text, uint64_t length,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (is_of_any_dimension(column->property.type)) {
    const uint64_t count = count_numbers(text, length);
    if (count > QN_PROPERTY_MOST_DIMENSION)
      return refuse(column, text, length, error);
    status = settle_dimension(column, count, error);
  }
  if (!status && !parse_value(column->property.type, text, length, column->value))
    return refuse(column, text, length, error);
  return status ? status : add_value(column, column->value, error);
}

enum qn_status qn_text_column_add(struct qn_text_column *column, const char *text, uint64_t length,
                                  bool quoted, struct qn_error *error) {
  const enum qn_property_type type = column->property.type;
  bool empty = length == 0 && (!quoted || (type && type != QN_PROPERTY_STRING));
  bool null = !text || empty;
  if (!null && !qn_property_is_text(text, length))
    return qn_fail(error, QN_INVALID, "a value of the property '%s' is not UTF-8 without NUL",
                   column->property.name);
  if (type && type != QN_PROPERTY_STRING)
    return null ? add_value(column, NULL, error) : add_typed(column, text, length, error);
  if (!null && !type)
    note(column, text, length, quoted);
  enum qn_status status = add_text(column, text, null ? 0 : length, error);
  return status ? status : add_valid(column, !null, error);
}

enum qn_status qn_text_column_add_value(struct qn_text_column *column, const void *value,
                                        struct qn_error *error) {
  return add_value(column, value, error);
}

static enum qn_status map(struct qn_text_column *column, int which, struct qn_value_file *file,
                          struct qn_error *error) {
  enum qn_status status = file_flush(file, error);
  if (!status)
    status =
        qn_pages_map(&column->mapped[which], file->descriptor, 0, file->bytes, 1, "values", error);
  if (!status)
    column->mapped_bytes[which] = file->bytes;
  return status;
}

/* Texts become what all of them say. */
static enum qn_status convert(struct qn_text_column *column, struct qn_error *error) {
  struct qn_property *property = &column->property;
  const unsigned bytes = qn_property_value_bytes(property->type);
  enum qn_status status = qn_bulk_alloc(&column->found, property->count, bytes, "values", error);
  if (status)
    return status;
  column->found_bytes = property->count * bytes;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < property->count; i++)
    if (!qn_property_is_null(property, i))
      parse_value(property->type, (const char *)property->values + property->offsets[i],
                  property->offsets[i + 1] - property->offsets[i],
                  (char *)column->found + bytes * i);
  property->values = column->found;
  property->offsets = NULL;
  property->bytes = 0;
  return QN_OK;
}

enum qn_status qn_text_column_agree(struct qn_text_column *column,
                                    const struct qn_collective *ranks, struct qn_error *error) {
  const enum qn_property_type type = column->property.type;
  const uint64_t dimension = is_of_any_dimension(type) ? 0 : qn_property_dimension(type);
  uint64_t facts[] = {!column->may_be_bool, !column->may_be_whole, !column->may_be_real,
                      column->any_negative, column->any_value,     column->has_specials,
                      column->most,         column->most_negative, dimension};
  enum qn_status status =
      ranks->combine(facts, sizeof facts / sizeof *facts, QN_COMBINE_MOST, error);
  if (status)
    return status;
  column->may_be_bool = !facts[0];
  column->may_be_whole = !facts[1];
  column->may_be_real = !facts[2];
  column->any_negative = facts[3];
  column->any_value = facts[4];
  column->has_specials = facts[5];
  column->most = facts[6];
  column->most_negative = facts[7];
  if (!dimension && facts[8])
    return settle_dimension(column, facts[8], error);
  return dimension == facts[8]
             ? QN_OK
             : qn_fail(error, QN_INVALID,
                       "the property '%s' has vectors of %" PRIu64 " and of %" PRIu64 " numbers",
                       column->property.name, dimension, facts[8]);
}

enum qn_status qn_text_column_finish(struct qn_text_column *column, struct qn_error *error) {
  struct qn_property *property = &column->property;
  const bool texts = !property->type || property->type == QN_PROPERTY_STRING;
  enum qn_status status = QN_OK;
  if (is_of_any_dimension(property->type)) /* all are nulls */
    status = settle_dimension(column, 1, error);
  if (!status && property->count % 8)
    status = file_add(&column->valid, &column->bits, 1, error);
  if (!status)
    status = map(column, 0, &column->values, error);
  if (!status)
    status = map(column, 1, &column->ends, error);
  if (!status)
    status = map(column, 2, &column->valid, error);
  if (status)
    return status;
  property->values = column->mapped[0];
  property->valid = property->nulls ? column->mapped[2] : NULL;
  if (!texts)
    return QN_OK;
  property->offsets = column->mapped[1];
  property->bytes = column->values.bytes;
  if (property->type)
    return QN_OK;
  property->type = type_of(column);
  return property->type == QN_PROPERTY_STRING ? QN_OK : convert(column, error);
}

void qn_text_column_end(struct qn_text_column *column) {
  for (int i = 0; i < 3; i++)
    qn_pages_free(column->mapped[i], column->mapped_bytes[i], 1);
  qn_pages_free(column->found, column->found_bytes, 1);
  qn_free(column->value);
  file_end(&column->values);
  file_end(&column->ends);
  file_end(&column->valid);
  *column = (struct qn_text_column){.values.descriptor = -1};
}
