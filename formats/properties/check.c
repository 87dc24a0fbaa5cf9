/* What the values of properties have to keep to. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/properties/sections.h"
#include "support/search.h"

/* Values are looked at in parts of so many, a multiple of 8. */
#define PART_VALUES ((uint64_t)1 << 16)

/* What is wrong, in the order in which it is said. */
enum fault { FINE, FAULT_COUNT, FAULT_BEHIND, FAULT_OFFSETS, FAULT_TEXT, FAULT_BOOL, FAULT_NULL };

/* Offsets are bounded: a file that is being overwritten may have any. */
static enum fault check_string(const struct qn_property *column, uint64_t i) {
  const uint64_t begin = column->offsets[i], end = column->offsets[i + 1];
  if (begin > end || end > column->bytes)
    return FAULT_OFFSETS;
  if (qn_property_is_null(column, i) && begin != end)
    return FAULT_NULL;
  return qn_property_is_text((const char *)column->values + begin, end - begin) ? FINE : FAULT_TEXT;
}

static bool is_zero(const char *value, unsigned bytes) {
  return *value == 0 && memcmp(value, value + 1, bytes - 1) == 0;
}

static enum fault check_fixed(const struct qn_property *column, uint64_t i) {
  const unsigned bytes = qn_property_value_bytes(column->type);
  const char *value = (const char *)column->values + bytes * i;
  if (column->type == QN_PROPERTY_BOOL && (uint8_t)*value > 1)
    return FAULT_BOOL;
  return qn_property_is_null(column, i) && !is_zero(value, bytes) ? FAULT_NULL : FINE;
}

static bool needs_look(const struct qn_property *column) {
  return column->valid || column->type == QN_PROPERTY_STRING || column->type == QN_PROPERTY_BOOL;
}

/* The first value that is wrong, UINT64_MAX if none is. */
static uint64_t find_fault(const struct qn_property *column, enum fault *fault, uint64_t *nulls) {
  uint64_t first = UINT64_MAX, found = 0;
  *fault = FINE;
#pragma omp parallel for schedule(dynamic) reduction(+ : found)
  for (uint64_t part = 0; part < (column->count + PART_VALUES - 1) / PART_VALUES; part++) {
    uint64_t begin = part * PART_VALUES, end = begin + PART_VALUES;
    end = end < column->count ? end : column->count;
    for (uint64_t i = begin; i < end; i++) {
      enum fault here = column->offsets ? check_string(column, i) : check_fixed(column, i);
      found += qn_property_is_null(column, i);
      if (here == FINE)
        continue;
#pragma omp critical
      if (i < first) {
        first = i;
        *fault = here;
      }
      break;
    }
  }
  *nulls = found;
  return first;
}

static enum qn_status say(const struct qn_container *container, const struct qn_property *column,
                          enum fault fault, uint64_t i, struct qn_error *error) {
  static const struct {
    const char *rule, *what;
  } faults[] = {[FAULT_OFFSETS] = {"P-7", "has offsets that decrease"},
                [FAULT_TEXT] = {"P-8", "is not UTF-8 without NUL"},
                [FAULT_BOOL] = {"P-9", "is neither 0 nor 1"},
                [FAULT_NULL] = {"P-9", "is null, and not zero or empty"}};
  return qn_container_violation(container, error, faults[fault].rule,
                                "of the property '%s' value %" PRIu64 " %s", column->name, i,
                                faults[fault].what);
}

static enum qn_status check_values(const struct qn_container *container,
                                   const struct qn_property *column, struct qn_error *error) {
  enum fault fault;
  uint64_t nulls;
  if (column->offsets && column->offsets[0] != 0)
    return qn_container_violation(container, error, "P-7",
                                  "the offsets of the property '%s' do not begin with 0",
                                  column->name);
  if (!needs_look(column))
    return QN_OK;
  uint64_t first = find_fault(column, &fault, &nulls);
  if (fault != FINE)
    return say(container, column, fault, first, error);
  if (nulls != column->nulls)
    return qn_container_violation(container, error, "P-6",
                                  "the property '%s' has %" PRIu64 " nulls, not %" PRIu64,
                                  column->name, nulls, column->nulls);
  if (column->valid && column->count % 8 &&
      column->valid[column->count / 8] >> (column->count % 8) != 0)
    return qn_container_violation(container, error, "P-6",
                                  "the property '%s' has bits set after its last value",
                                  column->name);
  return QN_OK;
}

enum qn_status qn_property_check(const struct qn_container *container, bool edges, uint32_t column,
                                 const struct qn_property *property, struct qn_error *error) {
  const struct qn_property_sections names = qn_property_sections_of(edges, column);
  const char *const sections[] = {names.values, names.offsets, names.valid, NULL};
  enum qn_status status = qn_container_verify_sections(container, sections, error);
  return status ? status : check_values(container, property, error);
}

enum qn_status qn_properties_check(const struct qn_container *container,
                                   const struct qn_properties *properties, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (int edges = 0; edges < 2; edges++) {
    const struct qn_property_table *table =
        edges ? &properties->of_edges : &properties->of_vertices;
    for (uint32_t i = 0; i < table->count && !status; i++)
      status = qn_property_check(container, edges, i, &table->columns[i], error);
  }
  return status;
}

/* ---- Both directions ------------------------------------------------------ */

static bool equal_values(const struct qn_property *column, uint64_t a, uint64_t b) {
  if (qn_property_is_null(column, a) != qn_property_is_null(column, b))
    return false;
  const char *values = column->values;
  if (column->offsets) {
    const uint64_t *offsets = column->offsets;
    uint64_t length = offsets[a + 1] - offsets[a];
    return length == offsets[b + 1] - offsets[b] &&
           memcmp(values + offsets[a], values + offsets[b], length) == 0;
  }
  unsigned bytes = qn_property_value_bytes(column->type);
  return memcmp(values + bytes * a, values + bytes * b, bytes) == 0;
}

/* The first edge of row `row` to a vertex from `column` on. */
static uint64_t first_edge_to(const struct qn_csr *csr, uint64_t row, uint32_t column) {
  return qn_lower_bound_u32(csr->column_indices, csr->row_offsets[row], csr->row_offsets[row + 1],
                            column);
}

/* A column in which an edge of the row has another value than its reverse, or NULL. */
static const struct qn_property *find_difference(const struct qn_property_table *table,
                                                 const struct qn_csr *csr, uint64_t row) {
  const uint64_t end = csr->row_offsets[row + 1];
  uint64_t back = 0;
  for (uint64_t e = csr->row_offsets[row]; e < end; e++) {
    uint32_t column = csr->column_indices[e];
    if (column <= row)
      continue;
    bool again = e > csr->row_offsets[row] && csr->column_indices[e - 1] == column;
    back = again ? back + 1 : first_edge_to(csr, column, (uint32_t)row);
    if (back >= csr->row_offsets[column + 1] || csr->column_indices[back] != row)
      return &table->columns[0]; /* no reverse at all: G-9 */
    for (uint32_t i = 0; i < table->count; i++)
      if (!equal_values(&table->columns[i], e, back))
        return &table->columns[i];
  }
  return NULL;
}

enum qn_status qn_properties_check_directions(const struct qn_container *container,
                                              const struct qn_properties *properties,
                                              const struct qn_csr *csr, struct qn_error *error) {
  const struct qn_property_table *table = &properties->of_edges;
  const struct qn_property *different = NULL;
  uint64_t first = UINT64_MAX;
  if (!table->count)
    return QN_OK;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t row = 0; row < csr->num_vertices; row++) {
    const struct qn_property *found = find_difference(table, csr, row);
    if (!found)
      continue;
#pragma omp critical
    if (row < first) {
      first = row;
      different = found;
    }
  }
  if (!different)
    return QN_OK;
  return qn_container_violation(container, error, "P-10",
                                "an edge of vertex %" PRIu64
                                " and its reverse differ in the property '%s'",
                                first, different->name);
}
