#include "formats/set/columns.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "support/checked.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/used_files.h"
#include <quern/fingerprint.h>
#include <quern/transpose.h>

/* ---- Parts as they are to be --------------------------------------------------- */

static bool same_columns(const struct qn_property_table *a, const struct qn_property_table *b) {
  bool same = a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++)
    same = a->columns[i].type == b->columns[i].type &&
           strcmp(a->columns[i].name, b->columns[i].name) == 0;
  return same;
}

/* The properties of a part, to be released, which keep to SET-15. */
static enum qn_status view_part(const struct qn_set *set, uint64_t index,
                                const struct qn_container *part, struct qn_properties *properties,
                                struct qn_error *error) {
  const struct qn_properties *wanted = &set->properties;
  enum qn_status status = qn_properties_view(part, properties, error);
  if (!status &&
      (properties->of_vertices.count || !same_columns(&properties->of_edges, &wanted->of_edges) ||
       (wanted->of_edges.count && strcmp(properties->weight, wanted->weight) != 0)))
    status = qn_set_violation(set, set->parts[index].file.name, error, "SET-15",
                              "the properties of the part are not those of edges that %s names",
                              set->vertices_file.name);
  if (status)
    qn_properties_release(properties);
  return status;
}

enum qn_status qn_set_columns_check(const struct qn_set *set, uint64_t index,
                                    const struct qn_container *part, struct qn_error *error) {
  struct qn_properties properties;
  enum qn_status status = view_part(set, index, part, &properties, error);
  if (!status)
    qn_properties_release(&properties);
  return status;
}

/* ---- Room for all ---------------------------------------------------------------- */

/* What the parts have of a column together: bytes of strings, and nulls. Values are not read. */
static enum qn_status add_sizes(const struct qn_set *set, uint64_t index,
                                struct qn_property_table *table, struct qn_error *error) {
  struct qn_set_open_part part;
  struct qn_properties properties = {0};
  enum qn_status status = qn_set_part_open(set, index, QN_SET_CHECK_FILE, &part, error);
  if (!status)
    status = view_part(set, index, part.container, &properties, error);
  for (uint32_t i = 0; !status && i < table->count; i++) {
    const struct qn_property *from = &properties.of_edges.columns[i];
    table->columns[i].nulls += from->nulls;
    if (!qn_add_u64(table->columns[i].bytes, from->bytes, &table->columns[i].bytes))
      status = qn_fail_memory(error, "strings of properties", UINT64_MAX);
  }
  qn_properties_release(&properties);
  qn_set_part_close(&part);
  return status;
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

enum qn_status qn_set_columns_create(const struct qn_set *set, struct qn_set_columns *columns,
                                     struct qn_error *error) {
  const struct qn_property_table *wanted = &set->properties.of_edges;
  struct qn_property_table *table = &columns->table;
  *columns = (struct qn_set_columns){0};
  if (!wanted->count)
    return QN_OK;
  enum qn_status status =
      qn_alloc_zeroed(&table->columns, wanted->count, sizeof *table->columns, "properties", error);
  if (status)
    return status;
  table->count = wanted->count;
  for (uint32_t i = 0; i < table->count; i++) {
    table->columns[i] =
        (struct qn_property){.type = wanted->columns[i].type, .count = set->num_edges};
    memcpy(table->columns[i].name, wanted->columns[i].name, sizeof table->columns[i].name);
  }
  for (uint64_t i = 0; !status && i < set->num_parts; i++)
    status = add_sizes(set, i, table, error);
  for (uint32_t i = 0; !status && i < table->count; i++)
    status = make_room(&table->columns[i], error);
  if (status)
    qn_set_columns_destroy(columns);
  return status;
}

void qn_set_columns_destroy(struct qn_set_columns *columns) {
  for (uint32_t i = 0; i < columns->table.count; i++) {
    const struct qn_property *column = &columns->table.columns[i];
    qn_pages_free((void *)column->values, value_bytes(column), 1);
    qn_pages_free((void *)column->offsets, column->count + 1, sizeof *column->offsets);
    qn_pages_free((void *)column->valid, column->count / 8 + 1, 1);
  }
  qn_free(columns->table.columns);
  *columns = (struct qn_set_columns){0};
}

/* ---- Parts behind one another ------------------------------------------------------ */

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

enum qn_status qn_set_columns_add(const struct qn_set *set, struct qn_set_columns *columns,
                                  uint64_t index, const struct qn_container *part,
                                  struct qn_error *error) {
  struct qn_properties properties;
  if (!columns->table.count)
    return QN_OK;
  enum qn_status status = view_part(set, index, part, &properties, error);
  if (status)
    return status;
  status = qn_properties_check(part, &properties, error);
  for (uint32_t i = 0; !status && i < columns->table.count; i++)
    status = append(&properties.of_edges.columns[i], columns->num_edges, &columns->table.columns[i],
                    error);
  columns->num_edges += qn_container_info(part)->num_edges;
  qn_properties_release(&properties);
  return status;
}

enum qn_status qn_set_number_transpose(const struct qn_csr *rows, struct qn_graph *transposed,
                                       struct qn_error *error) {
  struct qn_csr numbered = *rows;
  int64_t *numbers;
  enum qn_status status =
      qn_bulk_alloc(&numbers, rows->num_edges, sizeof *numbers, "numbers of edges", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t e = 0; e < rows->num_edges; e++)
    numbers[e] = (int64_t)e;
  numbered.weights = (struct qn_weights){.type = QN_WEIGHT_I64, .data = numbers};
  status = qn_graph_create_transpose(&numbered, transposed, error);
  qn_pages_free(numbers, rows->num_edges, sizeof *numbers);
  return status;
}

/* ---- Both directions ----------------------------------------------------------------- */

/* Of the values of edge `i` in all columns; of a file that is being overwritten any. */
static uint64_t hash_values(const struct qn_property_table *table, uint64_t i) {
  uint64_t hash = 0;
  for (uint32_t c = 0; c < table->count; c++) {
    const struct qn_property *column = &table->columns[c];
    const unsigned width = qn_property_value_bytes(column->type);
    const char *values = column->values;
    const uint64_t at = column->offsets ? column->offsets[i] : width * i;
    const uint64_t end = column->offsets ? column->offsets[i + 1] : at + width;
    const uint64_t bytes = at <= end && (!column->offsets || end <= column->bytes) ? end - at : 0;
    hash = XXH3_64bits_withSeed(bytes ? values + at : "", bytes, hash) +
           qn_property_is_null(column, i);
  }
  return hash;
}

void qn_set_directions_add(const struct qn_csr *csr, uint64_t first_row,
                           const struct qn_property_table *table, struct qn_set_directions *sums) {
  uint64_t forth = 0, back = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : forth, back)
  for (uint64_t row = 0; row < csr->num_vertices; row++) {
    const uint32_t v = (uint32_t)(first_row + row);
    const uint64_t begin = csr->row_offsets[row], last = csr->row_offsets[row + 1];
    const uint64_t end = last < csr->num_edges ? last : csr->num_edges;
    for (uint64_t e = begin, among = 0; e < end; e++) {
      const uint32_t u = csr->column_indices[e];
      among = e > begin && csr->column_indices[e - 1] == u ? among + 1 : 0;
      const uint64_t mix = qn_mix_wide_weight(hash_values(table, e) ^ qn_mix_wide_weight(among));
      forth += qn_mix_source(v) * qn_mix_destination(u) * mix;
      back += qn_mix_source(u) * qn_mix_destination(v) * mix;
    }
  }
  sums->forth += forth;
  sums->back += back;
}

enum qn_status qn_set_directions_check(const struct qn_set *set,
                                       const struct qn_set_directions *sums,
                                       struct qn_error *error) {
  if (set->directedness != QN_UNDIRECTED || sums->forth == sums->back)
    return QN_OK;
  return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-15",
                          "the graph is undirected, but of some edge the properties are not those "
                          "of its reverse");
}
