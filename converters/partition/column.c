#include "converters/partition/column.h"

#include <inttypes.h>

#include "support/memory.h"
#include "support/temp_file.h"

/* Value `i` of a property of integers; a negative one is very large. */
static uint64_t value_of(const struct qn_property *property, uint64_t i) {
  const bool is_signed = qn_property_class_of(property->type) == QN_PROPERTY_SIGNED;
  const void *values = property->values;
  switch (qn_property_value_bytes(property->type)) {
  case 1:
    return is_signed ? (uint64_t)((const int8_t *)values)[i] : ((const uint8_t *)values)[i];
  case 2:
    return is_signed ? (uint64_t)((const int16_t *)values)[i] : ((const uint16_t *)values)[i];
  case 4:
    return is_signed ? (uint64_t)((const int32_t *)values)[i] : ((const uint32_t *)values)[i];
  default:
    return ((const uint64_t *)values)[i];
  }
}

static bool is_integer(enum qn_property_type type) {
  const enum qn_property_class class = qn_property_class_of(type);
  return !qn_property_dimension(type) &&
         (class == QN_PROPERTY_UNSIGNED || class == QN_PROPERTY_SIGNED);
}

/* The property as numbers of parts, and how many there are. */
static enum qn_status read_parts(const struct qn_property *property, struct qn_part_column *parts,
                                 uint64_t *num_parts, struct qn_error *error) {
  uint64_t most = 0;
  char type[QN_PROPERTY_TYPE_BYTES];
  if (!is_integer(property->type))
    return qn_fail(error, QN_UNSUPPORTED,
                   "the property '%s' is of type %s; parts are integers from 0 on", property->name,
                   qn_property_type_name(property->type, type));
  if (property->nulls)
    return qn_fail(error, QN_UNSUPPORTED,
                   "the property '%s' has %" PRIu64 " nulls: not all have a part", property->name,
                   property->nulls);
  parts->count = property->count;
  parts->bytes = 4;
  enum qn_status status =
      qn_bulk_alloc(&parts->values, parts->count, parts->bytes, "numbers of parts", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (uint64_t i = 0; i < property->count; i++) {
    const uint64_t value = value_of(property, i);
    most = value > most ? value : most;
    qn_part_set(parts, i, (uint32_t)value);
  }
  *num_parts = property->count ? most + 1 : 1;
  return most < UINT32_MAX && (most == 0 || most < property->count)
             ? QN_OK
             : qn_fail(error, QN_UNSUPPORTED,
                       "the property '%s' has the value %" PRId64 ", and %" PRIu64
                       " values in all; parts are numbered from 0 on",
                       property->name, (int64_t)most, property->count);
}

static enum qn_status find_property(const struct qn_properties *properties, const char *name,
                                    bool *of_edges, const struct qn_property **property,
                                    uint32_t *index, struct qn_error *error) {
  *property = qn_property_find(&properties->of_vertices, name);
  *of_edges = *property == NULL;
  if (*of_edges)
    *property = qn_property_find(&properties->of_edges, name);
  const struct qn_property_table *table =
      *of_edges ? &properties->of_edges : &properties->of_vertices;
  *index = *property ? (uint32_t)(*property - table->columns) : 0;
  return *property
             ? QN_OK
             : qn_fail(error, QN_USAGE, "there is no property '%s' of vertices or edges", name);
}

enum qn_status qn_part_column_read(const struct qn_container *container, const char *name,
                                   struct qn_part_column *parts, uint64_t *num_parts,
                                   bool *of_edges, struct qn_error *error) {
  struct qn_properties properties;
  const struct qn_property *property;
  uint32_t index;
  *parts = (struct qn_part_column){0};
  *num_parts = 1;
  enum qn_status status = qn_properties_view(container, &properties, error);
  if (!status)
    status = find_property(&properties, name, of_edges, &property, &index, error);
  if (!status)
    status = qn_property_check(container, *of_edges, index, property, error);
  if (!status)
    status = read_parts(property, parts, num_parts, error);
  qn_properties_release(&properties);
  return status;
}

void qn_part_column_release(struct qn_part_column *parts) {
  qn_pages_free(parts->values, parts->count, parts->bytes);
  *parts = (struct qn_part_column){0};
}
