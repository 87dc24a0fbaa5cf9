#include "formats/properties/gather.h"

#include <string.h>

#include "support/memory.h"
#include "support/temp_file.h"

struct gathering {
  const struct qn_gather_table *tables;
  uint32_t num_tables;
  const uint64_t *picks;
  uint64_t count;
  /* Of the column at hand in each table [num_tables]; NULL: it has none. */
  const struct qn_property **columns;
};

/* ---- Which columns ------------------------------------------------------------ */

static const struct qn_property *column_of(const struct qn_gather_table *table, const char *name) {
  if (!table->table || (table->without && strcmp(name, table->without) == 0))
    return NULL;
  return qn_property_find(table->table, name);
}

/* The columns called `name`, which are all of one type. */
static enum qn_status find_columns(struct gathering *gathering, uint32_t first, const char *name,
                                   const char *what, struct qn_error *error) {
  const struct qn_property *model = column_of(&gathering->tables[first], name);
  char one[QN_PROPERTY_TYPE_BYTES], other[QN_PROPERTY_TYPE_BYTES];
  for (uint32_t t = 0; t < gathering->num_tables; t++) {
    const struct qn_property *column = column_of(&gathering->tables[t], name);
    gathering->columns[t] = column;
    if (column && column->type != model->type)
      return qn_fail(error, QN_INVALID,
                     "the property '%s' of %s is %s in %.120s and %s in %.120s; --properties "
                     "all,NAME:TYPE says which it is",
                     name, what, qn_property_type_name(model->type, one),
                     gathering->tables[first].file, qn_property_type_name(column->type, other),
                     gathering->tables[t].file);
  }
  return QN_OK;
}

/* Has a table before `first` such a column? */
static bool is_known(const struct gathering *gathering, uint32_t first, const char *name) {
  for (uint32_t t = 0; t < first; t++)
    if (column_of(&gathering->tables[t], name))
      return true;
  return false;
}

/* ---- Values -------------------------------------------------------------------- */

/* The column and the value in it that pick `i` is of; false: it is a null. */
static bool value_of(const struct gathering *gathering, uint64_t i,
                     const struct qn_property **column, uint64_t *record) {
  const uint64_t pick = gathering->picks[i];
  *column = pick == QN_NO_RECORD ? NULL : gathering->columns[qn_pick_source(pick)];
  *record = qn_pick_record(pick);
  return *column && *record < (*column)->count && !qn_property_is_null(*column, *record);
}

static uint64_t count_nulls(const struct gathering *gathering) {
  uint64_t nulls = 0;
#pragma omp parallel for schedule(static) reduction(+ : nulls)
  for (uint64_t i = 0; i < gathering->count; i++) {
    const struct qn_property *column;
    uint64_t record;
    nulls += !value_of(gathering, i, &column, &record);
  }
  return nulls;
}

static void fill_valid(const struct gathering *gathering, uint8_t *valid) {
#pragma omp parallel for schedule(static)
  for (uint64_t byte = 0; byte < gathering->count / 8 + 1; byte++)
    for (uint64_t i = 8 * byte; i < gathering->count && i < 8 * byte + 8; i++) {
      const struct qn_property *column;
      uint64_t record;
      if (value_of(gathering, i, &column, &record))
        valid[byte] |= (uint8_t)(1 << (i % 8));
    }
}

/* Values that are null stay zero. */
static void fill_numbers(const struct gathering *gathering, unsigned width, char *values) {
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < gathering->count; i++) {
    const struct qn_property *column;
    uint64_t record;
    if (value_of(gathering, i, &column, &record))
      memcpy(values + i * width, (const char *)column->values + record * width, width);
  }
}

/* A string's length, bounded by what its column has: the file may have been written over. */
static uint64_t string_of(const struct qn_property *column, uint64_t record, const char **text) {
  const uint64_t begin = column->offsets[record], end = column->offsets[record + 1];
  *text = (const char *)column->values + begin;
  return begin <= end && end <= column->bytes ? end - begin : 0;
}

static void measure_strings(const struct gathering *gathering, uint64_t *offsets) {
  for (uint64_t i = 0; i < gathering->count; i++) {
    const struct qn_property *column;
    const char *text;
    uint64_t record;
    offsets[i + 1] =
        offsets[i] +
        (value_of(gathering, i, &column, &record) ? string_of(column, record, &text) : 0);
  }
}

static void fill_strings(const struct gathering *gathering, const uint64_t *offsets, char *values) {
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < gathering->count; i++) {
    const struct qn_property *column;
    const char *text;
    uint64_t record;
    if (!value_of(gathering, i, &column, &record))
      continue;
    const uint64_t length = string_of(column, record, &text);
    if (length && length == offsets[i + 1] - offsets[i])
      memcpy(values + offsets[i], text, length);
  }
}

static enum qn_status gather_strings(const struct gathering *gathering, struct qn_property *out,
                                     struct qn_error *error) {
  uint64_t *offsets;
  char *values = NULL;
  enum qn_status status =
      qn_bulk_alloc(&offsets, out->count + 1, sizeof *offsets, "offsets of strings", error);
  if (status)
    return status;
  out->offsets = offsets;
  measure_strings(gathering, offsets);
  const uint64_t bytes = offsets[out->count];
  status = qn_bulk_alloc(&values, bytes, 1, "values of properties", error);
  if (status)
    return status;
  out->values = values;
  out->bytes = bytes;
  fill_strings(gathering, offsets, values);
  return QN_OK;
}

static enum qn_status gather_numbers(const struct gathering *gathering, struct qn_property *out,
                                     struct qn_error *error) {
  const unsigned width = qn_property_value_bytes(out->type);
  char *values;
  enum qn_status status = qn_bulk_alloc(&values, out->count, width, "values of properties", error);
  if (!status)
    fill_numbers(gathering, width, values);
  out->values = values;
  return status;
}

static enum qn_status gather(const struct gathering *gathering, struct qn_property *out,
                             struct qn_error *error) {
  uint8_t *valid = NULL;
  enum qn_status status = out->type == QN_PROPERTY_STRING ? gather_strings(gathering, out, error)
                                                          : gather_numbers(gathering, out, error);
  if (!status && out->nulls)
    status = qn_bulk_alloc(&valid, out->count / 8 + 1, 1, "nulls of properties", error);
  if (valid)
    fill_valid(gathering, valid);
  out->valid = valid;
  return status;
}

/* ---- The whole ------------------------------------------------------------------ */

static bool is_kept(const struct gathering *gathering, uint64_t nulls) {
  if (nulls < gathering->count || gathering->count == 0)
    return true;
  for (uint32_t t = 0; t < gathering->num_tables; t++)
    if (gathering->columns[t] && !gathering->tables[t].drops_nulls)
      return true;
  return false;
}

static enum qn_status gather_column(struct gathering *gathering, uint32_t first,
                                    const struct qn_property *model, const char *what,
                                    struct qn_property_table *out, struct qn_error *error) {
  enum qn_status status = find_columns(gathering, first, model->name, what, error);
  if (status)
    return status;
  const uint64_t nulls = count_nulls(gathering);
  if (!is_kept(gathering, nulls))
    return QN_OK;
  struct qn_property *column = &out->columns[out->count++];
  *column = (struct qn_property){.type = model->type, .count = gathering->count, .nulls = nulls};
  memcpy(column->name, model->name, sizeof column->name);
  return gather(gathering, column, error);
}

enum qn_status qn_properties_gather(const struct qn_gather_table *tables, uint32_t num_tables,
                                    const uint64_t *picks, uint64_t count, const char *what,
                                    struct qn_property_table *out, struct qn_error *error) {
  struct gathering gathering = {
      .tables = tables, .num_tables = num_tables, .picks = picks, .count = count};
  uint64_t most = 0;
  *out = (struct qn_property_table){0};
  for (uint32_t t = 0; t < num_tables; t++)
    most += tables[t].table ? tables[t].table->count : 0;
  if (most == 0)
    return QN_OK;
  enum qn_status status =
      qn_alloc_zeroed(&out->columns, most, sizeof *out->columns, "properties", error);
  if (!status)
    status = qn_alloc_zeroed(&gathering.columns, num_tables, sizeof *gathering.columns,
                             "properties", error);
  for (uint32_t t = 0; !status && t < num_tables; t++)
    for (uint32_t c = 0; tables[t].table && !status && c < tables[t].table->count; c++) {
      const struct qn_property *model = &tables[t].table->columns[c];
      if (column_of(&tables[t], model->name) && !is_known(&gathering, t, model->name))
        status = gather_column(&gathering, t, model, what, out, error);
    }
  qn_free(gathering.columns);
  if (status)
    qn_gathered_release(out);
  return status;
}

void qn_gathered_release(struct qn_property_table *table) {
  for (uint32_t i = 0; i < table->count; i++) {
    const struct qn_property *column = &table->columns[i];
    const bool strings = column->type == QN_PROPERTY_STRING;
    qn_pages_free((void *)column->values, strings ? column->bytes : column->count,
                  strings ? 1 : qn_property_value_bytes(column->type));
    qn_pages_free((void *)column->offsets, column->count + 1, sizeof *column->offsets);
    qn_pages_free((void *)column->valid, column->count / 8 + 1, 1);
  }
  qn_free(table->columns);
  *table = (struct qn_property_table){0};
}
