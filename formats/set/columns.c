#include "formats/set/columns.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "formats/set/types.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include <quern/fingerprint.h>
#include <quern/transpose.h>

/* ---- Parts as they are to be --------------------------------------------------- */

static bool same_schema(const struct qn_properties *a, const struct qn_properties *b) {
  return !a->of_vertices.count && qn_same_columns(&a->of_edges, &b->of_edges) &&
         (!b->of_edges.count || strcmp(a->weight, b->weight) == 0);
}

/* SET-15 where edges have types: the parts of each have the columns of its first one. */
static enum qn_status compare_first(const struct qn_set *set, uint64_t index,
                                    const struct qn_properties *properties,
                                    struct qn_error *error) {
  struct qn_container *container;
  struct qn_properties wanted = {0};
  uint64_t first = index;
  if (properties->of_vertices.count)
    return qn_set_violation(set, set->parts[index].file.name, error, "SET-15",
                            "a part has no properties of vertices");
  while (first > 0 && set->parts[first - 1].edge_type == set->parts[index].edge_type)
    first--;
  if (first == index)
    return QN_OK;
  enum qn_status status = qn_set_map_file(set, &set->parts[first].file, &container, error);
  if (status)
    return status;
  status = qn_properties_view(container, &wanted, error);
  if (!status && !same_schema(properties, &wanted))
    status = qn_set_violation(set, set->parts[index].file.name, error, "SET-15",
                              "the properties of the part are not those of %s, of the same edge "
                              "type",
                              set->parts[first].file.name);
  qn_properties_release(&wanted);
  qn_container_unmap(container);
  return status;
}

/* The properties of a part, to be released, which keep to SET-15. */
static enum qn_status view_part(const struct qn_set *set, uint64_t index,
                                const struct qn_container *part, struct qn_properties *properties,
                                struct qn_error *error) {
  const struct qn_properties *wanted = &set->ranges[0].properties;
  enum qn_status status = qn_properties_view(part, properties, error);
  if (!status && qn_set_is_typed(set))
    status = compare_first(set, index, properties, error);
  else if (!status && !same_schema(properties, wanted))
    status = qn_set_violation(set, set->parts[index].file.name, error, "SET-15",
                              "the properties of the part are not those of edges that %s names",
                              set->ranges[0].file.name);
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

/* ---- Those of all parts ------------------------------------------------------------ */

static enum qn_status measure(const struct qn_set *set, uint64_t index, struct qn_stack *columns,
                              struct qn_error *error) {
  struct qn_set_open_part part;
  struct qn_properties properties = {0};
  enum qn_status status = qn_set_part_open(set, index, QN_SET_CHECK_FILE, &part, error);
  if (!status)
    status = view_part(set, index, part.container, &properties, error);
  if (!status)
    status = qn_stack_measure(columns, &properties.of_edges, error);
  qn_properties_release(&properties);
  qn_set_part_close(&part);
  return status;
}

enum qn_status qn_set_columns_create(const struct qn_set *set, struct qn_stack *columns,
                                     struct qn_error *error) {
  const struct qn_property_table *schema = &set->ranges[0].properties.of_edges;
  enum qn_status status = qn_stack_begin(columns, schema, set->num_edges, error);
  for (uint64_t i = 0; !status && columns->table.count && i < set->num_parts; i++)
    status = measure(set, i, columns, error);
  if (!status)
    status = qn_stack_make_room(columns, error);
  if (status)
    qn_stack_destroy(columns);
  return status;
}

enum qn_status qn_set_columns_add(const struct qn_set *set, struct qn_stack *columns,
                                  uint64_t index, const struct qn_container *part,
                                  struct qn_error *error) {
  struct qn_properties properties;
  if (!columns->table.count)
    return QN_OK;
  enum qn_status status = view_part(set, index, part, &properties, error);
  if (status)
    return status;
  status = qn_properties_check(part, &properties, error);
  if (!status)
    status =
        qn_stack_append(columns, &properties.of_edges, qn_container_info(part)->num_edges, error);
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

void qn_set_directions_add(const struct qn_csr *csr, uint64_t first_row, uint64_t first_column,
                           const struct qn_property_table *table, const uint64_t *records,
                           struct qn_set_directions *sums) {
  uint64_t forth = 0, back = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : forth, back)
  for (uint64_t row = 0; row < csr->num_vertices; row++) {
    const uint64_t v = first_row + row;
    const uint64_t begin = csr->row_offsets[row], last = csr->row_offsets[row + 1];
    const uint64_t end = last < csr->num_edges ? last : csr->num_edges;
    for (uint64_t e = begin, among = 0; e < end; e++) {
      const uint64_t u = first_column + csr->column_indices[e];
      among = e > begin && csr->column_indices[e - 1] == csr->column_indices[e] ? among + 1 : 0;
      const uint64_t mix = qn_mix_wide_weight(hash_values(table, records ? records[e] : e) ^
                                              qn_mix_wide_weight(among));
      forth += qn_mix_vertex(v) * qn_mix_destination_of(qn_mix_vertex(u)) * mix;
      back += qn_mix_vertex(u) * qn_mix_destination_of(qn_mix_vertex(v)) * mix;
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
