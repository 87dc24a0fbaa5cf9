#include "formats/set/stack.h"

#include <string.h>

#include "support/checked.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/used_files.h"

bool qn_same_columns(const struct qn_property_table *a, const struct qn_property_table *b) {
  bool same = a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++)
    same = a->columns[i].type == b->columns[i].type &&
           strcmp(a->columns[i].name, b->columns[i].name) == 0;
  return same;
}

/* ---- Room ------------------------------------------------------------------------ */

enum qn_status qn_stack_begin(struct qn_stack *stack, const struct qn_property_table *schema,
                              uint64_t count, struct qn_error *error) {
  struct qn_property_table *table = &stack->table;
  *stack = (struct qn_stack){0};
  if (!schema->count)
    return QN_OK;
  enum qn_status status =
      qn_alloc_zeroed(&table->columns, schema->count, sizeof *table->columns, "properties", error);
  if (status)
    return status;
  table->count = schema->count;
  for (uint32_t i = 0; i < table->count; i++) {
    table->columns[i] = (struct qn_property){.type = schema->columns[i].type, .count = count};
    memcpy(table->columns[i].name, schema->columns[i].name, sizeof table->columns[i].name);
  }
  return QN_OK;
}

enum qn_status qn_stack_measure(struct qn_stack *stack, const struct qn_property_table *table,
                                struct qn_error *error) {
  for (uint32_t i = 0; i < stack->table.count; i++) {
    struct qn_property *column = &stack->table.columns[i];
    column->nulls += table->columns[i].nulls;
    if (!qn_add_u64(column->bytes, table->columns[i].bytes, &column->bytes))
      return qn_fail_memory(error, "strings of properties", UINT64_MAX);
  }
  return QN_OK;
}

/* Of values for which there is room. */
static uint64_t value_bytes(const struct qn_property *column) {
  return column->type == QN_PROPERTY_STRING ? column->bytes
                                            : column->count * qn_property_value_bytes(column->type);
}

static enum qn_status make_room(struct qn_property *column, struct qn_error *error) {
  uint64_t *offsets = NULL;
  const bool strings = column->type == QN_PROPERTY_STRING;
  enum qn_status status = qn_bulk_alloc(&column->values, strings ? column->bytes : column->count,
                                        strings ? 1 : qn_property_value_bytes(column->type),
                                        "values of properties", error);
  if (!status && strings)
    status =
        qn_bulk_alloc(&offsets, column->count + 1, sizeof *offsets, "offsets of strings", error);
  column->offsets = offsets;
  if (!status && column->nulls)
    status = qn_bulk_alloc(&column->valid, column->count / 8 + 1, 1, "nulls of properties", error);
  return status;
}

enum qn_status qn_stack_make_room(struct qn_stack *stack, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < stack->table.count; i++)
    status = make_room(&stack->table.columns[i], error);
  return status;
}

void qn_stack_destroy(struct qn_stack *stack) {
  for (uint32_t i = 0; i < stack->table.count; i++) {
    const struct qn_property *column = &stack->table.columns[i];
    qn_pages_free((void *)column->values, value_bytes(column), 1);
    qn_pages_free((void *)column->offsets, column->count + 1, sizeof *column->offsets);
    qn_pages_free((void *)column->valid, column->count / 8 + 1, 1);
  }
  qn_free(stack->table.columns);
  *stack = (struct qn_stack){0};
}

/* ---- One behind the other ---------------------------------------------------------- */

/* Bits of nulls behind `before` others; the array was zero. */
static void append_valid(const struct qn_property *from, uint64_t before, uint8_t *valid) {
  const uint64_t end = before + from->count;
#pragma omp parallel for schedule(static)
  for (uint64_t byte = before / 8; byte < (end + 7) / 8; byte++) {
    const uint64_t low = 8 * byte > before ? 8 * byte : before;
    unsigned bits = 0;
    for (uint64_t i = low; i < end && i < 8 * byte + 8; i++)
      bits |= (unsigned)!qn_property_is_null(from, i - before) << (i % 8);
    valid[byte] |= (uint8_t)bits;
  }
}

/* They are bounded: since they were checked the file may have been written over. */
static void append_offsets(const struct qn_property *from, uint64_t before, uint64_t *offsets) {
  const uint64_t base = offsets[before];
#pragma omp parallel for schedule(static)
  for (uint64_t i = 1; i <= from->count; i++) {
    const uint64_t offset = from->offsets[i];
    offsets[before + i] = base + (offset < from->bytes ? offset : from->bytes);
  }
}

/* `from` has been checked; that there is room for it is checked here, for the same reason. */
static enum qn_status append(const struct qn_property *from, uint64_t before,
                             const struct qn_property *to, struct qn_error *error) {
  const bool strings = from->type == QN_PROPERTY_STRING;
  const unsigned width = qn_property_value_bytes(from->type);
  const uint64_t at = strings ? to->offsets[before] : width * before;
  const uint64_t bytes = strings ? from->bytes : width * from->count;
  if (from->count > to->count - before || at > value_bytes(to) || bytes > value_bytes(to) - at ||
      (from->nulls && !to->valid))
    return qn_input_changed(error);
  if (bytes)
    memcpy((char *)to->values + at, from->values, bytes);
  if (strings)
    append_offsets(from, before, (uint64_t *)to->offsets);
  if (to->valid)
    append_valid(from, before, (uint8_t *)to->valid);
  return QN_OK;
}

enum qn_status qn_stack_append(struct qn_stack *stack, const struct qn_property_table *table,
                               uint64_t count, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < stack->table.count; i++)
    status = append(&table->columns[i], stack->filled, &stack->table.columns[i], error);
  stack->filled += count;
  return status;
}
