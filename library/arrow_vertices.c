#include "library/arrow_vertices.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "converters/parse/names.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/options.h"

/* ---- Streams ---------------------------------------------------------------- */

enum qn_status qn_arrow_stream_fail(struct ArrowArrayStream *stream, int code,
                                    struct qn_error *error) {
  const char *message = stream->get_last_error ? stream->get_last_error(stream) : NULL;
  return qn_fail(error, QN_SYSTEM, "the Arrow stream failed: %.500s",
                 message && *message ? message : strerror(code));
}

static enum qn_status fail_unknown_column(const struct ArrowSchema *schema, const char *asked,
                                          struct qn_error *error) {
  char names[400] = "";
  size_t length = 0;
  for (int64_t i = 0; i < schema->n_children && length < sizeof names; i++)
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
                               schema->children[i]->name ? schema->children[i]->name : "");
  return qn_fail(error, QN_USAGE, "there is no column '%.64s'; there are %s", asked, names);
}

/* The column that a name or, if none has it, a number from 1 means. */
enum qn_status qn_arrow_column_find(const struct ArrowSchema *schema, const char *asked,
                                    uint32_t *number, struct qn_error *error) {
  uint64_t value;
  for (int64_t i = 0; i < schema->n_children; i++)
    if (schema->children[i]->name && strcmp(schema->children[i]->name, asked) == 0) {
      *number = (uint32_t)i + 1;
      return QN_OK;
    }
  if (qn_whole_parse(asked, 1, (uint64_t)schema->n_children, &value, NULL))
    return fail_unknown_column(schema, asked, error);
  *number = (uint32_t)value;
  return QN_OK;
}

/* ---- Ids -------------------------------------------------------------------- */

static enum qn_status choose_ids(struct qn_arrow_vertices *vertices, uint32_t *number,
                                 struct qn_error *error) {
  static const char *const usual[] = {"id", ":ID", "vertex", "vertex_id", "node"};
  const struct ArrowSchema *schema = &vertices->schema;
  *number = 0;
  if (vertices->asked)
    return *vertices->asked ? qn_arrow_column_find(schema, vertices->asked, number, error) : QN_OK;
  for (unsigned i = 0; i < sizeof usual / sizeof *usual && !*number; i++)
    for (int64_t column = 0; column < schema->n_children && !*number; column++)
      if (schema->children[column]->name &&
          strcasecmp(schema->children[column]->name, usual[i]) == 0)
        *number = (uint32_t)column + 1;
  return *number || vertices->by_row
             ? QN_OK
             : qn_fail(error, QN_USAGE, "which column of the vertices has their ids? (option id)");
}

static bool are_texts(const struct qn_arrow_vertices *vertices) {
  return vertices->ids.values.property.type == QN_PROPERTY_STRING;
}

static bool are_ids(enum qn_property_type type) {
  const enum qn_property_class kind = qn_property_class_of(type);
  return !qn_property_dimension(type) &&
         (kind == QN_PROPERTY_TEXT || kind == QN_PROPERTY_UNSIGNED || kind == QN_PROPERTY_SIGNED);
}

static enum qn_status begin(struct qn_arrow_vertices *vertices, struct qn_error *error) {
  uint32_t number = 0;
  int code = vertices->stream.get_schema(&vertices->stream, &vertices->schema);
  if (code)
    return qn_arrow_stream_fail(&vertices->stream, code, error);
  if (!vertices->schema.format || strcmp(vertices->schema.format, "+s") != 0)
    return qn_fail(error, QN_INVALID, "the Arrow stream of vertices is not of record batches");
  enum qn_status status = choose_ids(vertices, &number, error);
  vertices->has_ids = number;
  if (!status && number)
    status = qn_arrow_property_begin(&vertices->ids, &vertices->schema, number - 1, error);
  if (!status && number && !are_ids(vertices->ids.values.property.type))
    status =
        qn_fail(error, QN_INVALID, "the column '%.64s' is not an id; expected integers or texts",
                vertices->ids.values.property.name);
  if (!status)
    status = qn_arrow_properties_begin(&vertices->properties, &vertices->schema, "all", &number, 1,
                                       error);
  return status;
}

static enum qn_status read_rows(struct qn_arrow_vertices *vertices, struct qn_error *error) {
  enum qn_status status = QN_OK;
  while (!status) {
    struct ArrowArray batch = {0};
    int code = vertices->stream.get_next(&vertices->stream, &batch);
    if (code)
      return qn_arrow_stream_fail(&vertices->stream, code, error);
    if (!batch.release)
      break;
    if (vertices->has_ids)
      status = qn_arrow_property_add(&vertices->ids, &batch, vertices->num_rows, error);
    if (!status)
      status = qn_arrow_properties_add(&vertices->properties, &batch, vertices->num_rows, error);
    vertices->num_rows += batch.length > 0 ? (uint64_t)batch.length : 0;
    batch.release(&batch);
    if (!status)
      status = qn_context_check(error);
  }
  return status;
}

static enum qn_status fail_row(uint64_t row, const char *what, struct qn_error *error) {
  return qn_fail(error, QN_INVALID, "vertices, row %" PRIu64 " (from 0): %s", row, what);
}

/* Of what is signed, too: as 64 bits of it. */
static uint64_t number_of(const struct qn_property *ids, uint64_t row) {
  const unsigned bytes = qn_property_value_bytes(ids->type), rest = 64 - 8 * bytes;
  uint64_t bits = 0;
  memcpy(&bits, (const char *)ids->values + bytes * row, bytes);
  return qn_property_class_of(ids->type) == QN_PROPERTY_SIGNED
             ? (uint64_t)((int64_t)(bits << rest) >> rest)
             : bits;
}

/* The ids as they are in the column: no nulls, none below 0. */
static enum qn_status check_ids(const struct qn_property *ids, struct qn_error *error) {
  for (uint64_t row = 0; row < ids->count; row++) {
    if (qn_property_is_null(ids, row))
      return fail_row(row, "the id is null", error);
    if (qn_property_class_of(ids->type) == QN_PROPERTY_SIGNED && (int64_t)number_of(ids, row) < 0)
      return fail_row(row, "the id is negative", error);
  }
  return QN_OK;
}

static enum qn_status list_numbers(const struct qn_property *ids, struct qn_read_result *result,
                                   struct qn_error *error) {
  enum qn_status status = qn_realloc(&result->extra_ids, result->num_extra_ids + ids->count,
                                     sizeof *result->extra_ids, "ids of vertices", error);
  for (uint64_t row = 0; row < ids->count && !status; row++)
    result->extra_ids[result->num_extra_ids++] = number_of(ids, row);
  return status;
}

static enum qn_status list_texts(const struct qn_property *ids, struct qn_read_result *result,
                                 struct qn_error *error) {
  const char *bytes = ids->values;
  enum qn_status status = QN_OK;
  for (uint64_t row = 0; row < ids->count && !status; row++) {
    struct qn_error own;
    uint32_t number;
    status = qn_names_number(result->names_map, bytes + ids->offsets[row],
                             ids->offsets[row + 1] - ids->offsets[row], &number, &own);
    if (status == QN_INVALID)
      fail_row(row, own.message, error);
    else if (status && error)
      *error = own;
  }
  return status;
}

/* ---- By rows ---------------------------------------------------------------- */

static bool are_rows(const struct qn_property *ids) {
  bool same = true;
  for (uint64_t row = 0; row < ids->count && same; row++)
    same = number_of(ids, row) == row;
  return same;
}

static enum qn_status declare_rows(struct qn_arrow_vertices *vertices,
                                   struct qn_read_result *result, struct qn_error *error) {
  const struct qn_property *ids = &vertices->ids.values.property;
  if (vertices->num_rows > UINT32_MAX)
    return qn_fail(error, QN_INVALID, "the table has more than 2^32-1 vertices");
  result->num_vertices = vertices->num_rows;
  if (!vertices->has_ids || (!are_texts(vertices) && are_rows(ids)))
    return QN_OK;
  struct qn_ids *names = &result->names;
  *names = (struct qn_ids){.kind = are_texts(vertices) ? QN_IDS_STRINGS : QN_IDS_NUMBERS,
                           .num_vertices = vertices->num_rows};
  if (are_texts(vertices)) {
    names->string_offsets = ids->offsets;
    names->string_bytes = ids->values;
  } else {
    enum qn_status status = list_numbers(ids, result, error);
    if (status)
      return status;
    names->numbers = result->extra_ids;
    result->num_extra_ids = 0; /* they are all declared */
  }
  names->ascending = true;
  if (qn_ids_check(NULL, names, NULL) == QN_OK)
    return QN_OK;
  names->ascending = false;
  return qn_ids_check(NULL, names, error);
}

enum qn_status qn_arrow_vertices_read(struct qn_arrow_vertices *vertices, bool texts,
                                      struct qn_read_result *result, struct qn_error *error) {
  const struct qn_property *ids = &vertices->ids.values.property;
  enum qn_status status = begin(vertices, error);
  if (!status && !vertices->by_row && are_texts(vertices) != texts)
    status = qn_fail(error, QN_INVALID, "the ids of vertices are %s, those of edges %s",
                     texts ? "numbers" : "texts", texts ? "texts" : "numbers");
  if (!status)
    status = read_rows(vertices, error);
  if (!status && vertices->has_ids)
    status = qn_text_column_finish(&vertices->ids.values, error);
  if (!status && vertices->has_ids)
    status = check_ids(ids, error);
  if (status)
    return status;
  result->vertices_listed += vertices->num_rows;
  if (vertices->by_row)
    return declare_rows(vertices, result, error);
  return texts ? list_texts(ids, result, error) : list_numbers(ids, result, error);
}

/* ---- Which vertex ------------------------------------------------------------ */

static enum qn_status find_rows(const struct qn_arrow_vertices *vertices, const struct qn_ids *ids,
                                const uint32_t *order, uint64_t *of_vertex,
                                struct qn_error *error) {
  const struct qn_property *column = &vertices->ids.values.property;
  for (uint64_t row = 0; row < vertices->num_rows; row++) {
    char digits[24];
    const char *text = digits;
    uint64_t length;
    uint32_t vertex;
    if (are_texts(vertices)) {
      text = (const char *)column->values + column->offsets[row];
      length = column->offsets[row + 1] - column->offsets[row];
    } else {
      length = (uint64_t)snprintf(digits, sizeof digits, "%" PRIu64, number_of(column, row));
    }
    if (!qn_ids_lookup(ids, order, text, length, &vertex))
      return fail_row(row, "this is not a vertex of the graph", error);
    if (of_vertex[vertex] != QN_NO_RECORD)
      return fail_row(row, "this vertex was listed before", error);
    of_vertex[vertex] = row;
  }
  return QN_OK;
}

enum qn_status qn_arrow_vertices_finish(struct qn_arrow_vertices *vertices,
                                        const struct qn_ids *ids, struct qn_property_table *table,
                                        uint64_t *of_vertex, struct qn_error *error) {
  uint32_t *order = NULL;
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    of_vertex[v] = vertices->by_row ? v : QN_NO_RECORD;
  enum qn_status status = qn_arrow_properties_finish(&vertices->properties, table, error);
  if (status || vertices->by_row || !vertices->has_ids)
    return status;
  status = qn_ids_original_order(ids, &order, error);
  if (!status)
    status = find_rows(vertices, ids, order, of_vertex, error);
  qn_pages_free(order, ids->num_vertices, sizeof *order);
  return status;
}

void qn_arrow_vertices_end(struct qn_arrow_vertices *vertices) {
  qn_text_column_end(&vertices->ids.values);
  qn_arrow_properties_end(&vertices->properties);
  if (vertices->schema.release)
    vertices->schema.release(&vertices->schema);
  if (vertices->stream.release)
    vertices->stream.release(&vertices->stream);
  *vertices = (struct qn_arrow_vertices){0};
}
