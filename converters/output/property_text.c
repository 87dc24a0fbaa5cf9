#include "converters/output/property_text.h"

#include <math.h>
#include <string.h>

#include "formats/text/text_format.h"

const char *qn_property_string(const struct qn_property *column, uint64_t i, uint64_t *length) {
  uint64_t begin = column->offsets[i], end = column->offsets[i + 1];
  bool fine = begin <= end && end <= column->bytes;
  *length = fine ? end - begin : 0;
  return (const char *)column->values + (fine ? begin : 0);
}

uint64_t qn_property_text_room(const struct qn_property *column, uint64_t i) {
  uint64_t length;
  if (!column->offsets)
    return QN_MAX_NUMBER_TEXT;
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

static char *put_special(char *p, double value) {
  return put_word(p, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

static char *put_number(char *p, const struct qn_property *column, uint64_t i) {
  switch (column->type) {
  case QN_PROPERTY_U32:
    return qn_put_u64(p, ((const uint32_t *)column->values)[i]);
  case QN_PROPERTY_U64:
    return qn_put_u64(p, ((const uint64_t *)column->values)[i]);
  case QN_PROPERTY_I64:
    return qn_put_i64(p, ((const int64_t *)column->values)[i]);
  case QN_PROPERTY_F32: {
    float value = ((const float *)column->values)[i];
    return isfinite(value) ? qn_put_f32(p, value) : put_special(p, (double)value);
  }
  case QN_PROPERTY_F64: {
    double value = ((const double *)column->values)[i];
    return isfinite(value) ? qn_put_f64(p, value) : put_special(p, value);
  }
  default:
    return put_word(p, ((const uint8_t *)column->values)[i] ? "true" : "false");
  }
}

char *qn_put_property(char *p, const char *end, const struct qn_property *column, uint64_t i) {
  uint64_t length;
  if (qn_property_is_null(column, i))
    return p;
  if (column->offsets) {
    const char *text = qn_property_string(column, i, &length);
    return put_quoted(p, end, text, length);
  }
  return end - p < QN_MAX_NUMBER_TEXT ? p : put_number(p, column, i);
}

bool qn_property_fits_long(const struct qn_property *column) {
  const uint64_t *values = column->values;
  uint64_t beyond = 0;
  if (column->type != QN_PROPERTY_U64)
    return true;
#pragma omp parallel for reduction(+ : beyond)
  for (uint64_t i = 0; i < column->count; i++)
    beyond += values[i] > INT64_MAX;
  return beyond == 0;
}

const char *qn_property_common_type(const struct qn_property *column) {
  switch (qn_property_class_of(column->type)) {
  case QN_PROPERTY_UNSIGNED:
  case QN_PROPERTY_SIGNED:
    return qn_property_fits_long(column) ? "long" : "string";
  case QN_PROPERTY_REAL:
    return qn_property_value_bytes(column->type) > 4 ? "double" : "float";
  case QN_PROPERTY_TRUTH:
    return "boolean";
  default:
    return "string";
  }
}
