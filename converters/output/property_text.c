#include "converters/output/property_text.h"

#include <math.h>
#include <string.h>

#include "formats/text/calendar.h"
#include "formats/text/half_floats.h"
#include "formats/text/text_format.h"

const char *qn_property_string(const struct qn_property *column, uint64_t i, uint64_t *length) {
  uint64_t begin = column->offsets[i], end = column->offsets[i + 1];
  bool fine = begin <= end && end <= column->bytes;
  *length = fine ? end - begin : 0;
  return (const char *)column->values + (fine ? begin : 0);
}

/* Of a value: 1 but of vectors. */
static uint64_t num_numbers(const struct qn_property *column) {
  const uint32_t dimension = qn_property_dimension(column->type);
  return dimension ? dimension : 1;
}

uint64_t qn_property_text_room(const struct qn_property *column, uint64_t i) {
  uint64_t length;
  if (!column->offsets)
    return num_numbers(column) * QN_MAX_NUMBER_TEXT;
  qn_property_string(column, i, &length);
  return 2 * length + 2;
}

static char *put_quoted(char *p, const char *end, const char *text, uint64_t length) {
  if (end - p < 2)
    return p;
  *p++ = '"';
  for (uint64_t i = 0; i < length && end - p >= 3; i++) {
    if (text[i] == '"')
      *p++ = '"';
    *p++ = text[i];
  }
  *p++ = '"';
  return p;
}

static char *put_word(char *p, const char *word) {
  size_t length = strlen(word);
  memcpy(p, word, length);
  return p + length;
}

double qn_property_real(const struct qn_property *column, uint64_t i) {
  switch (qn_property_number_type(column->type)) {
  case QN_PROPERTY_F16:
    return (double)qn_f16_value(((const uint16_t *)column->values)[i]);
  case QN_PROPERTY_BF16:
    return (double)qn_bf16_value(((const uint16_t *)column->values)[i]);
  case QN_PROPERTY_F32:
    return (double)((const float *)column->values)[i];
  default:
    return ((const double *)column->values)[i];
  }
}

uint64_t qn_property_unsigned(const struct qn_property *column, uint64_t i) {
  switch (qn_property_number_bytes(column->type)) {
  case 1:
    return ((const uint8_t *)column->values)[i];
  case 2:
    return ((const uint16_t *)column->values)[i];
  case 4:
    return ((const uint32_t *)column->values)[i];
  default:
    return ((const uint64_t *)column->values)[i];
  }
}

int64_t qn_property_signed(const struct qn_property *column, uint64_t i) {
  switch (qn_property_number_bytes(column->type)) {
  case 1:
    return ((const int8_t *)column->values)[i];
  case 2:
    return ((const int16_t *)column->values)[i];
  case 4:
    return ((const int32_t *)column->values)[i];
  default:
    return ((const int64_t *)column->values)[i];
  }
}

/* Those of 2 bytes are exact in an f32, too. */
static char *put_real(char *p, const struct qn_property *column, uint64_t i) {
  const double value = qn_property_real(column, i);
  if (!isfinite(value))
    return put_word(p, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  return qn_property_number_bytes(column->type) > 4 ? qn_put_f64(p, value)
                                                    : qn_put_f32(p, (float)value);
}

char *qn_put_property_number(char *p, const struct qn_property *column, uint64_t i) {
  switch (qn_property_class_of(column->type)) {
  case QN_PROPERTY_UNSIGNED:
    return qn_put_u64(p, qn_property_unsigned(column, i));
  case QN_PROPERTY_SIGNED:
    return qn_put_i64(p, qn_property_signed(column, i));
  case QN_PROPERTY_REAL:
    return put_real(p, column, i);
  case QN_PROPERTY_DAYS:
    return qn_put_date(p, ((const int32_t *)column->values)[i]);
  case QN_PROPERTY_TIME:
    return qn_put_timestamp(p, ((const int64_t *)column->values)[i],
                            qn_property_time_decimals(column->type),
                            qn_property_is_utc(column->type));
  default:
    return put_word(p, ((const uint8_t *)column->values)[i] ? "true" : "false");
  }
}

static char *put_numbers(char *p, const struct qn_property *column, uint64_t i) {
  const uint64_t numbers = num_numbers(column);
  for (uint64_t k = 0; k < numbers; k++) {
    if (k)
      *p++ = ';';
    p = qn_put_property_number(p, column, numbers * i + k);
  }
  return p;
}

char *qn_put_property(char *p, const char *end, const struct qn_property *column, uint64_t i) {
  uint64_t length;
  if (qn_property_is_null(column, i))
    return p;
  if (column->offsets) {
    const char *text = qn_property_string(column, i, &length);
    return put_quoted(p, end, text, length);
  }
  return (uint64_t)(end - p) < qn_property_text_room(column, i) ? p : put_numbers(p, column, i);
}

bool qn_property_fits_long(const struct qn_property *column) {
  const uint64_t *values = column->values, numbers = column->count * num_numbers(column);
  uint64_t beyond = 0;
  if (qn_property_number_type(column->type) != QN_PROPERTY_U64)
    return true;
#pragma omp parallel for reduction(+ : beyond)
  for (uint64_t i = 0; i < numbers; i++)
    beyond += values[i] > INT64_MAX;
  return beyond == 0;
}

const char *qn_property_common_type(const struct qn_property *column) {
  switch (qn_property_class_of(column->type)) {
  case QN_PROPERTY_UNSIGNED:
  case QN_PROPERTY_SIGNED:
    return qn_property_fits_long(column) ? "long" : "string";
  case QN_PROPERTY_REAL:
    return qn_property_number_bytes(column->type) > 4 ? "double" : "float";
  case QN_PROPERTY_TRUTH:
    return "boolean";
  default:
    return "string";
  }
}
