/* Types and names of properties. */
#include <string.h>

#include "formats/properties/sections.h"
#include "support/json_text.h"
#include <quern/properties.h>

/* What there is to know of a type. */
struct description {
  const char *name;
  enum qn_property_class kind;
  enum qn_element_type element; /* of its section */
  uint8_t bytes;                /* of a value; of strings of an element */
};

static const struct description types[] = {
    [QN_PROPERTY_U32] = {"u32", QN_PROPERTY_UNSIGNED, QN_ELEMENT_UNSIGNED, 4},
    [QN_PROPERTY_U64] = {"u64", QN_PROPERTY_UNSIGNED, QN_ELEMENT_UNSIGNED, 8},
    [QN_PROPERTY_I64] = {"i64", QN_PROPERTY_SIGNED, QN_ELEMENT_SIGNED, 8},
    [QN_PROPERTY_F32] = {"f32", QN_PROPERTY_REAL, QN_ELEMENT_FLOAT, 4},
    [QN_PROPERTY_F64] = {"f64", QN_PROPERTY_REAL, QN_ELEMENT_FLOAT, 8},
    [QN_PROPERTY_BOOL] = {"bool", QN_PROPERTY_TRUTH, QN_ELEMENT_UNSIGNED, 1},
    [QN_PROPERTY_STRING] = {"string", QN_PROPERTY_TEXT, QN_ELEMENT_TEXT, 1}};

enum { NUM_TYPES = sizeof types / sizeof *types };

/* That of no type for other codes. */
static const struct description *describe(enum qn_property_type type) {
  static const struct description none = {"unknown", (enum qn_property_class)0, QN_ELEMENT_UNSIGNED,
                                          1};
  return type >= 1 && type < NUM_TYPES ? &types[type] : &none;
}

const char *qn_property_type_name(enum qn_property_type type) {
  return describe(type)->name;
}

bool qn_property_type_of(const char *name, enum qn_property_type *type) {
  for (int i = 1; i < NUM_TYPES; i++)
    if (strcmp(types[i].name, name) == 0)
      return *type = (enum qn_property_type)i, true;
  return false;
}

enum qn_property_class qn_property_class_of(enum qn_property_type type) {
  return describe(type)->kind;
}

unsigned qn_property_value_bytes(enum qn_property_type type) {
  return describe(type)->bytes;
}

enum qn_element_type qn_property_element(enum qn_property_type type) {
  return describe(type)->element;
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
