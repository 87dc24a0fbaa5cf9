/* What the sections of properties are called, and hold. */
#pragma once

#include "support/checked.h"
#include <quern/properties.h>

#define QN_PROPERTIES_SCHEMA "properties"
#define QN_PROPERTY_PREFIX "property_"
#define QN_PROPERTIES_SCHEMA_BYTES ((uint64_t)1 << 20) /* at most */

/* The sections of a column. */
struct qn_property_sections {
  char values[33], offsets[33], valid[33];
};

struct qn_property_sections qn_property_sections_of(bool edges, uint32_t column);

enum qn_element_type qn_property_element(enum qn_property_type type);

/* The elements of the section of `count` values that are no strings; false if there are more than
 * 2^64. */
static inline bool qn_property_elements(enum qn_property_type type, uint64_t count,
                                        uint64_t *elements) {
  const uint32_t dimension = qn_property_dimension(type);
  return qn_mul_u64(count, dimension ? dimension : 1, elements);
}

static inline uint64_t qn_valid_bytes(uint64_t count) {
  return count / 8 + (count % 8 != 0);
}

/* As qn_properties_attach, but for the metadata, which come last. */
enum qn_status qn_properties_attach_sections(const struct qn_container *container,
                                             const struct qn_properties *properties,
                                             const uint64_t *vertices, const uint64_t *edges,
                                             struct qn_writer *writer, struct qn_error *error);
