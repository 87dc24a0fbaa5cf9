#include "formats/vertices/number_file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats/arrays/npy_array.h"
#include "formats/graph/weight_limit.h"
#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_format.h"
#include "formats/text/text_numbers.h"
#include "formats/vertices/vertex_column.h"
#include "support/input/whole_input.h"
#include "support/memory.h"

struct number_reader {
  const struct qn_ids *ids;
  uint32_t *order;             /* of ids that do not ascend, or NULL */
  uint64_t *named;             /* [V / 64 + 1] bitmap: the file has named the vertex */
  double *numbers;             /* [V]; NULL: a list is read */
  struct qn_vertex_list *list; /* or NULL */
  struct qn_pair_list *pairs;  /* or NULL */
  bool is_result;              /* numbers of all vertices, which may be infinite */
  bool past_first;             /* line */
};

/* ---- Results -------------------------------------------------------------- */

static enum qn_status check_result(double number, struct qn_error *error) {
  if (!(number >= 0))
    return qn_fail(error, QN_INVALID, "expected a number that is not negative, found %g", number);
  return number <= 0x1p53 || isinf(number)
             ? QN_OK
             : qn_fail(error, QN_UNSUPPORTED, "numbers of results are read up to 2^53");
}

static enum qn_status check_all_named(const struct number_reader *reader, struct qn_error *error) {
  char buffer[QN_MAX_NUMBER_TEXT];
  uint64_t length;
  for (uint64_t v = 0; v < reader->ids->num_vertices; v++)
    if (!(reader->named[v / 64] >> (v % 64) & 1)) {
      const char *text = qn_ids_text(reader->ids, v, buffer, &length);
      return qn_fail(error, QN_INVALID, "the vertex %.*s has no value",
                     (int)(length < 200 ? length : 200), text);
    }
  return QN_OK;
}

/* Those of an array, of little-endian numbers. */
static bool result_at(const struct qn_npy *npy, uint64_t i, double *number) {
  const char *from = npy->data + i * npy->width;
  uint64_t whole = 0;
  float single;
  if (npy->big_endian || npy->width > 8)
    return false;
  if (npy->type == 'f' && npy->width == 4) {
    memcpy(&single, from, sizeof single);
    return *number = single, true;
  }
  if (npy->type == 'f' && npy->width == 8)
    return memcpy(number, from, sizeof *number), true;
  memcpy(&whole, from, npy->width);
  *number = whole == UINT64_MAX >> (64 - 8 * npy->width) ? INFINITY : (double)whole;
  return npy->type == 'u';
}

static enum qn_status take_result(const struct number_reader *reader, const struct qn_npy *npy,
                                  const char *name, struct qn_error *error) {
  for (uint64_t i = 0; i < npy->count; i++) {
    double number;
    if (!result_at(npy, i, &number))
      return qn_fail(error, QN_INVALID, "%s: a run does not write such an array", name);
    enum qn_status status = check_result(number, error);
    if (status)
      return status;
    reader->numbers[reader->order ? reader->order[i] : i] = number;
  }
  return QN_OK;
}

/* ---- Lines ---------------------------------------------------------------- */

/* Outside of pairs a vertex is named once. */
static enum qn_status mark_named(const struct number_reader *reader, const struct qn_column *column,
                                 uint32_t vertex, struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  if (!reader->pairs && reader->named[vertex / 64] >> (vertex % 64) & 1)
    return qn_fail(error, QN_INVALID, "the vertex %s is named twice",
                   qn_text_quote(column->begin, column->end, quoted));
  reader->named[vertex / 64] |= (uint64_t)1 << (vertex % 64);
  return QN_OK;
}

static enum qn_status take_number(const struct qn_column *column, double *number,
                                  struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  enum qn_weight_type type;
  uint64_t bits;
  switch (qn_parse_weight(column->begin, column->end, &type, &bits)) {
  case QN_WEIGHT_FINE:
  case QN_WEIGHT_ROUNDED:
    *number = qn_weight_real(type, bits);
    return QN_OK;
  default:
    return qn_fail(error, QN_INVALID, "expected a finite number, found %s",
                   qn_text_quote(column->begin, column->end, quoted));
  }
}

static enum qn_status append(struct qn_vertex_list *list, uint32_t vertex, double weight,
                             struct qn_error *error) {
  if (list->count == list->capacity) {
    const uint64_t capacity = list->capacity ? 2 * list->capacity : 64;
    enum qn_status status =
        qn_realloc(&list->vertices, capacity, sizeof *list->vertices, "listed vertices", error);
    if (!status)
      status = qn_realloc(&list->weights, capacity, sizeof *list->weights, "weights", error);
    if (status)
      return status;
    list->capacity = capacity;
  }
  list->vertices[list->count] = vertex;
  list->weights[list->count++] = weight;
  return QN_OK;
}

static enum qn_status append_pair(struct qn_pair_list *list, uint32_t vertex, uint32_t other,
                                  struct qn_error *error) {
  if (list->count == list->capacity) {
    const uint64_t capacity = list->capacity ? 2 * list->capacity : 64;
    enum qn_status status =
        qn_realloc(&list->vertices, capacity, sizeof *list->vertices, "pairs of vertices", error);
    if (status)
      return status;
    list->capacity = capacity;
  }
  list->vertices[list->count][0] = vertex;
  list->vertices[list->count++][1] = other;
  return QN_OK;
}

/* The other end of a pair. */
static enum qn_status take_other(struct number_reader *reader, struct qn_columns *columns,
                                 uint32_t vertex, struct qn_error *error) {
  struct qn_column column;
  uint32_t other;
  enum qn_status status =
      qn_columns_vertex(columns, false, reader->ids, reader->order, &column, &other, error);
  if (column.begin == column.end)
    return qn_fail(error, QN_INVALID, "expected a second vertex");
  return status ? status : append_pair(reader->pairs, vertex, other, error);
}

/* A column that lines need not have. */
static enum qn_status take_weight(struct number_reader *reader, struct qn_columns *columns,
                                  double *weight, struct qn_error *error) {
  struct qn_column column;
  *weight = 1;
  if (!qn_columns_next(columns, &column) || column.begin == column.end)
    return QN_OK;
  reader->list->weighted = true;
  enum qn_status status = take_number(&column, weight, error);
  if (!status && !(*weight > 0))
    status = qn_fail(error, QN_INVALID, "a weight must be more than 0, not %g", *weight);
  return status;
}

/* Names of columns, such as results in CSV begin with: `id`, where a vertex may be called so, and
 * in `rest` nothing that goes with a vertex. */
static bool is_header(const struct number_reader *reader, const struct qn_column *id,
                      bool is_vertex, struct qn_columns rest) {
  struct qn_column second;
  uint32_t other;
  if (reader->past_first || rest.dialect->delimiter != ',' || !qn_column_is(id, "id"))
    return false;
  if (!is_vertex || !qn_columns_next(&rest, &second))
    return true;
  return reader->pairs
             ? qn_column_vertex(&second, reader->ids, reader->order, &other, NULL) != QN_OK
             : !qn_column_is_number(&second);
}

static enum qn_status take_line(void *context, const char *line, const char *end,
                                struct qn_error *error) {
  struct number_reader *reader = context;
  struct qn_column column;
  uint32_t vertex;
  double number = 0;
  if (end > line && end[-1] == '\r')
    end--;
  const char *first = qn_skip_blanks(line, end);
  if (first == end)
    return QN_OK;
  struct qn_dialect dialect = {.delimiter = qn_first_delimiter(line, end), .quotes = true};
  struct qn_columns columns = qn_columns_of(line, end, &dialect);
  enum qn_status status = qn_columns_vertex(&columns, reader->list != NULL, reader->ids,
                                            reader->order, &column, &vertex, error);
  const bool header = is_header(reader, &column, !status, columns);
  reader->past_first = true;
  if (header || (status == QN_INVALID && (*first == '#' || *first == '%')))
    return QN_OK;
  if (!status)
    status = mark_named(reader, &column, vertex, error);
  if (status)
    return status;
  if (reader->pairs)
    return take_other(reader, &columns, vertex, error);
  if (reader->list) {
    status = take_weight(reader, &columns, &number, error);
    return status ? status : append(reader->list, vertex, number, error);
  }
  if (!qn_columns_next(&columns, &column))
    column = (struct qn_column){.begin = end, .end = end};
  if (reader->is_result && qn_column_is(&column, "inf"))
    number = INFINITY;
  else
    status = take_number(&column, &number, error);
  if (!status && reader->is_result)
    status = check_result(number, error);
  if (!status)
    reader->numbers[vertex] = number;
  return status;
}

/* ---- Arrays --------------------------------------------------------------- */

static enum qn_status take_array(const struct number_reader *reader,
                                 const struct qn_whole_input *whole, const char *name,
                                 struct qn_error *error) {
  const uint64_t num_vertices = reader->ids->num_vertices;
  struct qn_number_array array;
  struct qn_rounding worst;
  enum qn_weight_type type;
  struct qn_npy npy;
  enum qn_status status = qn_npy_parse(whole->data, whole->bytes, name, &npy, error);
  if (status)
    return status;
  if (!qn_npy_numbers(&npy, name, &array) || npy.dimensions != 1 || npy.count != num_vertices)
    return qn_fail(error, QN_INVALID,
                   "%s: expected an array of %" PRIu64 " numbers, one for each vertex", name,
                   num_vertices);
  if (reader->is_result)
    return take_result(reader, &npy, name, error);
  const uint64_t finite = qn_numbers_weight_type(&array, &type, &worst);
  if (finite < num_vertices)
    return qn_fail(error, QN_INVALID, "%s: element %" PRIu64 " is not finite", name, finite);
  for (uint64_t i = 0; i < num_vertices; i++) {
    uint64_t bits = 0; /* of four bytes the first, as it is little-endian */
    qn_numbers_weights(&array, type, i, 1, &bits);
    reader->numbers[reader->order ? reader->order[i] : i] = qn_weight_real(type, bits);
  }
  return QN_OK;
}

/* ---- Files ---------------------------------------------------------------- */

static enum qn_status read_input(struct number_reader *reader, struct qn_input *input,
                                 struct qn_error *error) {
  const char *head;
  uint64_t bytes;
  enum qn_status status = qn_input_peek(input, &head, &bytes, error);
  if (status)
    return status;
  if (reader->list || reader->pairs || bytes < 6 || memcmp(head, QN_NPY_SIGNATURE, 6) != 0) {
    status = qn_text_each_line(input, take_line, reader, error);
    if (!status && reader->is_result && (status = check_all_named(reader, error)))
      qn_error_in_file(error, qn_input_name(input));
    return status;
  }
  struct qn_whole_input whole = {0};
  status = qn_whole_input_take(input, &whole, error);
  if (!status)
    status = take_array(reader, &whole, qn_input_name(input), error);
  qn_whole_input_release(&whole);
  return status;
}

static enum qn_status read_file(struct number_reader *reader, const char *path,
                                struct qn_error *error) {
  const uint64_t num_vertices = reader->ids->num_vertices;
  struct qn_input *input = NULL;
  enum qn_status status = qn_alloc_zeroed(&reader->named, num_vertices / 64 + 1,
                                          sizeof *reader->named, "marks of vertices", error);
  if (!status)
    status = qn_ids_original_order(reader->ids, &reader->order, error);
  if (!status)
    status = qn_input_open(path, &QN_INPUT_DEFAULTS, &input, error);
  if (!status)
    status = read_input(reader, input, error);
  status = qn_input_unwritten(input, status, error);
  qn_input_close(input);
  qn_pages_free(reader->order, num_vertices, sizeof *reader->order);
  qn_free(reader->named);
  return status;
}

enum qn_status qn_numbers_read(const char *path, const struct qn_ids *ids, double *numbers,
                               struct qn_error *error) {
  struct number_reader reader = {.ids = ids, .numbers = numbers};
  if (ids->num_vertices)
    memset(numbers, 0, ids->num_vertices * sizeof *numbers);
  return read_file(&reader, path, error);
}

enum qn_status qn_result_numbers_read(const char *path, const struct qn_ids *ids, double *numbers,
                                      struct qn_error *error) {
  struct number_reader reader = {.ids = ids, .numbers = numbers, .is_result = true};
  return read_file(&reader, path, error);
}

enum qn_status qn_vertex_list_read(const char *path, const struct qn_ids *ids,
                                   struct qn_vertex_list *list, struct qn_error *error) {
  struct number_reader reader = {.ids = ids, .list = list};
  *list = (struct qn_vertex_list){0};
  enum qn_status status = read_file(&reader, path, error);
  if (!status && list->count == 0)
    status = qn_fail(error, QN_INVALID, "%s names no vertex", path);
  if (status)
    qn_vertex_list_destroy(list);
  return status;
}

enum qn_status qn_pair_list_read(const char *path, const struct qn_ids *ids,
                                 struct qn_pair_list *list, struct qn_error *error) {
  struct number_reader reader = {.ids = ids, .pairs = list};
  *list = (struct qn_pair_list){0};
  enum qn_status status = read_file(&reader, path, error);
  if (!status && list->count == 0)
    status = qn_fail(error, QN_INVALID, "%s names no pair", path);
  if (status)
    qn_pair_list_destroy(list);
  return status;
}

void qn_pair_list_destroy(struct qn_pair_list *list) {
  qn_free(list->vertices);
  *list = (struct qn_pair_list){0};
}

void qn_vertex_list_destroy(struct qn_vertex_list *list) {
  qn_free(list->vertices);
  qn_free(list->weights);
  *list = (struct qn_vertex_list){0};
}
