/* Types and names of properties. */
#include <string.h>

#include "support/json_text.h"
#include <quern/properties.h>

static const char *const type_names[] = {
    [QN_PROPERTY_U32] = "u32",      [QN_PROPERTY_U64] = "u64", [QN_PROPERTY_I64] = "i64",
    [QN_PROPERTY_F32] = "f32",      [QN_PROPERTY_F64] = "f64", [QN_PROPERTY_BOOL] = "bool",
    [QN_PROPERTY_STRING] = "string"};

const char *qn_property_type_name(enum qn_property_type type) {
  return type >= QN_PROPERTY_U32 && type <= QN_PROPERTY_STRING ? type_names[type] : "unknown";
}

bool qn_property_type_of(const char *name, enum qn_property_type *type) {
  for (int i = QN_PROPERTY_U32; i <= (int)QN_PROPERTY_STRING; i++)
    if (strcmp(type_names[i], name) == 0)
      return *type = (enum qn_property_type)i, true;
  return false;
}

unsigned qn_property_value_bytes(enum qn_property_type type) {
  switch (type) {
  case QN_PROPERTY_U32:
  case QN_PROPERTY_F32:
    return 4;
  case QN_PROPERTY_BOOL:
  case QN_PROPERTY_STRING:
    return 1;
  default:
    return 8;
  }
}

bool qn_property_is_text(const char *bytes, uint64_t length) {
  const unsigned char *p = (const unsigned char *)bytes, *end = p + length;
  while (p < end) {
    uint32_t character;
    if (!qn_utf8_next(&p, end, &character) || character == 0)
      return false;
  }
  return true;
}

bool qn_property_is_name(const char *name, uint64_t length) {
  const unsigned char *p = (const unsigned char *)name, *end = p + length;
  if (length == 0 || length > QN_PROPERTY_NAME_BYTES)
    return false;
  while (p < end) {
    uint32_t character;
    if (!qn_utf8_next(&p, end, &character) || character < 0x20 ||
        (character >= 0x7f && character <= 0x9f))
      return false;
  }
  return true;
}

const struct qn_property *qn_property_find(const struct qn_property_table *table,
                                           const char *name) {
  for (uint32_t i = 0; i < table->count; i++)
    if (strcmp(table->columns[i].name, name) == 0)
      return &table->columns[i];
  return NULL;
}
