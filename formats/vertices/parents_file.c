#include "formats/vertices/parents_file.h"

#include <inttypes.h>
#include <string.h>

#include "formats/arrays/npy_array.h"
#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"
#include "formats/vertices/vertex_column.h"
#include "support/input/whole_input.h"
#include "support/memory.h"

struct parents_reader {
  const struct qn_ids *ids;
  uint32_t *order; /* of ids that do not ascend, or NULL */
  uint32_t *parents;
  bool past_first; /* line */
};

/* ---- Lines ---------------------------------------------------------------- */

/* The two columns of a line. Ids may have blanks and commas in them where a tab ends them, and
 * where they are quoted before a comma. */
static bool cut_line(const char *line, const char *end, struct qn_column *vertex,
                     struct qn_column *parent) {
  const char *tab = memchr(line, '\t', (size_t)(end - line));
  if (tab) {
    *vertex = (struct qn_column){.begin = line, .end = tab};
    *parent = (struct qn_column){.begin = tab + 1, .end = end};
    return true;
  }
  bool has_comma = memchr(line, ',', (size_t)(end - line)) != NULL;
  struct qn_dialect dialect = {.delimiter = has_comma ? ',' : ' ', .quotes = has_comma};
  struct qn_columns columns = qn_columns_of(line, end, &dialect);
  return qn_columns_next(&columns, vertex) && qn_columns_next(&columns, parent);
}

static enum qn_status take_line(void *context, const char *line, const char *end,
                                struct qn_error *error) {
  struct parents_reader *reader = context;
  struct qn_column column, above;
  char quoted[QN_QUOTE_BYTES];
  uint32_t vertex, parent;
  bool may_be_header = !reader->past_first;
  reader->past_first = true;
  if (end > line && end[-1] == '\r')
    end--;
  if (line == end)
    return QN_OK;
  if (!cut_line(line, end, &column, &above))
    return qn_fail(error, QN_INVALID, "expected a vertex and its parent, found %s",
                   qn_text_quote(line, end, quoted));
  if (may_be_header && qn_column_is(&column, "id") && *column.end == ',')
    return QN_OK;
  enum qn_status status = qn_column_vertex(&column, reader->ids, reader->order, &vertex, error);
  if (!status)
    status = qn_column_vertex(&above, reader->ids, reader->order, &parent, error);
  if (!status && reader->parents[vertex] != QN_NO_PARENT && reader->parents[vertex] != parent)
    return qn_fail(error, QN_INVALID, "there are two parents for the vertex %s",
                   qn_text_quote(column.begin, column.end, quoted));
  if (!status)
    reader->parents[vertex] = parent;
  return status;
}

/* ---- Arrays --------------------------------------------------------------- */

/* The largest number of an unsigned type says "none", as a negative one does. */
static bool is_none(const struct qn_number_array *array, uint64_t index, uint64_t *position) {
  return !qn_numbers_id(array, index, position) ||
         (array->kind == QN_NUMBERS_UNSIGNED && *position == UINT64_MAX >> (64 - 8 * array->width));
}

static enum qn_status take_array(struct parents_reader *reader, const struct qn_whole_input *whole,
                                 const char *name, struct qn_error *error) {
  const uint32_t *order = reader->order;
  uint64_t num_vertices = reader->ids->num_vertices, position;
  struct qn_npy npy;
  struct qn_number_array array;
  enum qn_status status = qn_npy_parse(whole->data, whole->bytes, name, &npy, error);
  if (status)
    return status;
  if (!qn_npy_numbers(&npy, name, &array) || array.kind == QN_NUMBERS_REAL || npy.dimensions != 1 ||
      npy.count != num_vertices)
    return qn_fail(error, QN_INVALID,
                   "%s: expected an array of %" PRIu64 " integers, a parent for each vertex", name,
                   num_vertices);
  for (uint64_t i = 0; i < num_vertices; i++) {
    if (is_none(&array, i, &position))
      continue;
    if (position >= num_vertices)
      return qn_fail(error, QN_INVALID,
                     "%s: element %" PRIu64 " is %" PRIu64 ", and there are %" PRIu64 " vertices",
                     name, i, position, num_vertices);
    reader->parents[order ? order[i] : i] = order ? order[position] : (uint32_t)position;
  }
  return QN_OK;
}

/* ---- Files ---------------------------------------------------------------- */

static enum qn_status read_input(struct parents_reader *reader, struct qn_input *input,
                                 struct qn_error *error) {
  const char *head;
  uint64_t bytes;
  enum qn_status status = qn_input_peek(input, &head, &bytes, error);
  if (status)
    return status;
  if (bytes < 6 || memcmp(head, QN_NPY_SIGNATURE, 6) != 0)
    return qn_text_each_line(input, take_line, reader, error);
  struct qn_whole_input whole = {0};
  status = qn_whole_input_take(input, &whole, error);
  if (!status)
    status = take_array(reader, &whole, qn_input_name(input), error);
  qn_whole_input_release(&whole);
  return status;
}

enum qn_status qn_parents_read(const char *path, const struct qn_ids *ids, uint32_t *parents,
                               struct qn_error *error) {
  struct parents_reader reader = {.ids = ids, .parents = parents};
  struct qn_input *input = NULL;
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    parents[v] = QN_NO_PARENT;
  enum qn_status status = qn_ids_original_order(ids, &reader.order, error);
  if (!status)
    status = qn_input_open(path, &QN_INPUT_DEFAULTS, &input, error);
  if (!status)
    status = read_input(&reader, input, error);
  status = qn_input_unwritten(input, status, error);
  qn_input_close(input);
  qn_pages_free(reader.order, ids->num_vertices, sizeof *reader.order);
  return status;
}
