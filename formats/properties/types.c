/* Types and names of properties. */
#include <inttypes.h>
#include <stdio.h>
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
  bool in_vectors;
  uint8_t decimals; /* of timestamps */
  bool utc;
};

/* Floats of 2 bytes are no elements of sections: these hold their bits. */
static const struct description types[] = {
    [QN_PROPERTY_U32] = {"u32", QN_PROPERTY_UNSIGNED, QN_ELEMENT_UNSIGNED, 4, .in_vectors = true},
    [QN_PROPERTY_U64] = {"u64", QN_PROPERTY_UNSIGNED, QN_ELEMENT_UNSIGNED, 8, .in_vectors = true},
    [QN_PROPERTY_I64] = {"i64", QN_PROPERTY_SIGNED, QN_ELEMENT_SIGNED, 8, .in_vectors = true},
    [QN_PROPERTY_F32] = {"f32", QN_PROPERTY_REAL, QN_ELEMENT_FLOAT, 4, .in_vectors = true},
    [QN_PROPERTY_F64] = {"f64", QN_PROPERTY_REAL, QN_ELEMENT_FLOAT, 8, .in_vectors = true},
    [QN_PROPERTY_BOOL] = {"bool", QN_PROPERTY_TRUTH, QN_ELEMENT_UNSIGNED, 1, .in_vectors = false},
    [QN_PROPERTY_STRING] = {"string", QN_PROPERTY_TEXT, QN_ELEMENT_TEXT, 1, .in_vectors = false},
    [QN_PROPERTY_U8] = {"u8", QN_PROPERTY_UNSIGNED, QN_ELEMENT_UNSIGNED, 1, .in_vectors = true},
    [QN_PROPERTY_U16] = {"u16", QN_PROPERTY_UNSIGNED, QN_ELEMENT_UNSIGNED, 2, .in_vectors = true},
    [QN_PROPERTY_I8] = {"i8", QN_PROPERTY_SIGNED, QN_ELEMENT_SIGNED, 1, .in_vectors = true},
    [QN_PROPERTY_I16] = {"i16", QN_PROPERTY_SIGNED, QN_ELEMENT_SIGNED, 2, .in_vectors = true},
    [QN_PROPERTY_I32] = {"i32", QN_PROPERTY_SIGNED, QN_ELEMENT_SIGNED, 4, .in_vectors = true},
    [QN_PROPERTY_F16] = {"f16", QN_PROPERTY_REAL, QN_ELEMENT_UNSIGNED, 2, .in_vectors = true},
    [QN_PROPERTY_BF16] = {"bf16", QN_PROPERTY_REAL, QN_ELEMENT_UNSIGNED, 2, .in_vectors = true},
    [QN_PROPERTY_DATE] = {"date", QN_PROPERTY_DAYS, QN_ELEMENT_SIGNED, 4, .in_vectors = false},
    [QN_PROPERTY_TIMESTAMP_S] = {"timestamp_s", QN_PROPERTY_TIME, QN_ELEMENT_SIGNED, 8,
                                 .decimals = 0},
    [QN_PROPERTY_TIMESTAMP_MS] = {"timestamp_ms", QN_PROPERTY_TIME, QN_ELEMENT_SIGNED, 8,
                                  .decimals = 3},
    [QN_PROPERTY_TIMESTAMP_US] = {"timestamp_us", QN_PROPERTY_TIME, QN_ELEMENT_SIGNED, 8,
                                  .decimals = 6},
    [QN_PROPERTY_TIMESTAMP_NS] = {"timestamp_ns", QN_PROPERTY_TIME, QN_ELEMENT_SIGNED, 8,
                                  .decimals = 9},
    [QN_PROPERTY_TIMESTAMP_S_UTC] = {"timestamp_s_utc", QN_PROPERTY_TIME, QN_ELEMENT_SIGNED, 8,
                                     .decimals = 0, .utc = true},
    [QN_PROPERTY_TIMESTAMP_MS_UTC] = {"timestamp_ms_utc", QN_PROPERTY_TIME, QN_ELEMENT_SIGNED, 8,
                                      .decimals = 3, .utc = true},
    [QN_PROPERTY_TIMESTAMP_US_UTC] = {"timestamp_us_utc", QN_PROPERTY_TIME, QN_ELEMENT_SIGNED, 8,
                                      .decimals = 6, .utc = true},
    [QN_PROPERTY_TIMESTAMP_NS_UTC] = {"timestamp_ns_utc", QN_PROPERTY_TIME, QN_ELEMENT_SIGNED, 8,
                                      .decimals = 9, .utc = true},
};

enum { NUM_TYPES = sizeof types / sizeof *types };

/* That of the numbers of vectors; that of no type for other codes. */
static const struct description *describe(enum qn_property_type type) {
  static const struct description none = {
      .name = "unknown", .element = QN_ELEMENT_UNSIGNED, .bytes = 1};
  const enum qn_property_type of = qn_property_number_type(type);
  const uint32_t dimension = qn_property_dimension(type);
  const bool known = of >= 1 && (int)of < NUM_TYPES && dimension <= QN_PROPERTY_MOST_DIMENSION &&
                     (dimension == 0 || types[of].in_vectors);
  return known ? &types[of] : &none;
}

const char *qn_property_type_name(enum qn_property_type type, char name[QN_PROPERTY_TYPE_BYTES]) {
  const struct description *is = describe(type);
  if (qn_property_dimension(type) && is->in_vectors)
    snprintf(name, QN_PROPERTY_TYPE_BYTES, "%sx%" PRIu32, is->name, qn_property_dimension(type));
  else
    snprintf(name, QN_PROPERTY_TYPE_BYTES, "%s", is->name);
  return name;
}

/* Decimal without leading zeros, 1 to the most that there are; 0 for anything else. */
static uint32_t parse_dimension(const char *digits) {
  uint32_t value = 0;
  if (*digits == '0')
    return 0;
  for (; *digits >= '0' && *digits <= '9' && value <= QN_PROPERTY_MOST_DIMENSION; digits++)
    value = 10 * value + (uint32_t)(*digits - '0');
  return *digits || value > QN_PROPERTY_MOST_DIMENSION ? 0 : value;
}

bool qn_property_type_of(const char *name, enum qn_property_type *type) {
  for (int i = 1; i < NUM_TYPES; i++) {
    const size_t length = strlen(types[i].name);
    if (strncmp(types[i].name, name, length) != 0)
      continue;
    const uint32_t dimension =
        types[i].in_vectors && name[length] == 'x' ? parse_dimension(name + length + 1) : 0;
    if (!name[length] || dimension)
      return *type = QN_PROPERTY_VECTOR(i, dimension), true;
  }
  return false;
}

enum qn_property_class qn_property_class_of(enum qn_property_type type) {
  return describe(type)->kind;
}

unsigned qn_property_number_bytes(enum qn_property_type type) {
  return describe(type)->bytes;
}

unsigned qn_property_value_bytes(enum qn_property_type type) {
  const uint32_t dimension = qn_property_dimension(type);
  return dimension ? dimension * describe(type)->bytes : describe(type)->bytes;
}

unsigned qn_property_time_decimals(enum qn_property_type type) {
  return describe(type)->decimals;
}

bool qn_property_is_utc(enum qn_property_type type) {
  return describe(type)->utc;
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
