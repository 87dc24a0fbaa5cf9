#include "formats/vertices/vertex_file.h"

#include <stdio.h>
#include <string.h>

#include "formats/text/delimited.h"
#include "formats/text/string_map.h"
#include "formats/text/text_fields.h"
#include "formats/vertices/vertex_column.h"
#include "support/memory.h"

struct vertex_reader {
  struct qn_input *input;
  const struct qn_ids *ids;
  uint32_t *order;             /* of ids that do not ascend, or NULL */
  struct qn_string_map *names; /* of groups; NULL for a list */
  struct qn_vertex_groups *groups;
  uint64_t line;
  bool may_be_header, had_header; /* the first line, which seems to be of `first` */
  uint32_t first;
};

enum qn_status qn_vertex_groups_create(uint64_t num_vertices, struct qn_vertex_groups *groups,
                                       struct qn_error *error) {
  *groups = (struct qn_vertex_groups){.num_vertices = num_vertices};
  enum qn_status status =
      qn_pages_alloc(&groups->of, num_vertices, sizeof *groups->of, "groups of vertices", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    groups->of[v] = QN_NO_GROUP;
  return QN_OK;
}

void qn_vertex_groups_destroy(struct qn_vertex_groups *groups) {
  qn_pages_free(groups->of, groups->num_vertices, sizeof *groups->of);
  *groups = (struct qn_vertex_groups){0};
}

static enum qn_status refuse_column(struct qn_error *error, const char *what,
                                    struct qn_column column) {
  char quoted[QN_QUOTE_BYTES];
  return qn_fail(error, QN_INVALID, "%s %s", what, qn_text_quote(column.begin, column.end, quoted));
}

static enum qn_status find_group(const struct vertex_reader *reader, struct qn_column column,
                                 uint32_t *group, struct qn_error *error) {
  *group = 0;
  if (!reader->names)
    return QN_OK;
  switch (qn_string_map_intern(reader->names, column.begin, (uint64_t)(column.end - column.begin),
                               group)) {
  case QN_INTERNED:
    return QN_OK;
  case QN_INTERN_NO_MEMORY:
    return qn_fail_memory(error, "the names of groups", 0);
  default:
    return refuse_column(error, "expected the name of a group, found", column);
  }
}

/* The first line of a table may name its columns, as results in CSV do. */
static bool is_header(const struct vertex_reader *reader, struct qn_column id) {
  return reader->line == 1 && id.end - id.begin == 2 && memcmp(id.begin, "id", 2) == 0;
}

/* Names of columns were taken for the first group, which goes. False if vertices are in one of that
 * name: then the first line named a group, too. */
static bool drop_header(struct qn_vertex_groups *groups) {
  for (uint64_t v = 0; v < groups->num_vertices; v++)
    if (groups->of[v] == 0)
      return false;
  for (uint64_t v = 0; v < groups->num_vertices; v++)
    groups->of[v] -= groups->of[v] != QN_NO_GROUP;
  groups->num_groups--;
  return true;
}

/* What else it may be: a vertex may be called so, too. */
static bool is_comment(const char *line) {
  return *line == '#' || *line == '%';
}

static enum qn_status take_line(void *context, const char *line, const char *end,
                                struct qn_error *error) {
  struct vertex_reader *reader = context;
  struct qn_column id, group = {.begin = end, .end = end};
  const char *first = qn_skip_blanks(line, end);
  reader->line++;
  if (first == end)
    return QN_OK;
  char separator = qn_first_delimiter(line, end);
  struct qn_dialect dialect = {.delimiter = !reader->names && separator == ' ' ? '\t' : separator,
                               .quotes = true};
  struct qn_columns columns = qn_columns_of(line, end, &dialect);
  uint32_t vertex, number;
  enum qn_status status =
      qn_columns_vertex(&columns, !reader->names, reader->ids, reader->order, &id, &vertex, error);
  if (status == QN_INVALID && (is_comment(first) || is_header(reader, id)))
    return QN_OK;
  if (status)
    return status;
  if (reader->names &&
      !qn_columns_take_id(&columns, false, reader->ids, reader->order, &group, &number))
    qn_columns_next(&columns, &group);
  status = find_group(reader, group, &number, error);
  if (status)
    return status;
  uint32_t *of = &reader->groups->of[vertex];
  if (*of != QN_NO_GROUP && *of != number) {
    if (!reader->may_be_header || vertex != reader->first)
      return refuse_column(error, "there are two groups for the vertex", id);
    reader->may_be_header = false;
    reader->had_header = true;
  }
  if (is_header(reader, id) && separator == ',' && !qn_column_is_number(&group)) {
    reader->may_be_header = true;
    reader->first = vertex;
  }
  reader->groups->num_named += *of == QN_NO_GROUP;
  *of = number;
  return QN_OK;
}

static enum qn_status read_file(struct vertex_reader *reader, const char *path, bool with_groups,
                                struct qn_error *error) {
  enum qn_status status;
  if ((status = qn_vertex_groups_create(reader->ids->num_vertices, reader->groups, error)) ||
      (status = qn_ids_original_order(reader->ids, &reader->order, error)) ||
      (with_groups && (status = qn_string_map_create(&reader->names, error))) ||
      (status = qn_input_open(path, &QN_INPUT_DEFAULTS, &reader->input, error)) ||
      (status = qn_text_each_line(reader->input, take_line, reader, error)))
    return status;
  reader->groups->num_groups =
      with_groups ? qn_string_map_count(reader->names) : reader->groups->num_named > 0;
  if (reader->had_header && !drop_header(reader->groups)) {
    qn_fail(error, QN_INVALID, "there are two groups for the vertex 'id'");
    return qn_error_at_line(error, qn_input_name(reader->input), 1, 0), QN_INVALID;
  }
  return QN_OK;
}

enum qn_status qn_vertex_file_read(const char *path, const struct qn_ids *ids, bool with_groups,
                                   struct qn_vertex_groups *groups, char *base_name,
                                   struct qn_input_digest *digest, struct qn_error *error) {
  struct vertex_reader reader = {.ids = ids, .groups = groups};
  enum qn_status status = read_file(&reader, path, with_groups, error);
  if (!status && digest)
    status = qn_input_digest(reader.input, digest, error);
  status = qn_input_unwritten(reader.input, status, error);
  if (!status && base_name)
    snprintf(base_name, 256, "%s", qn_input_base_name(reader.input));
  qn_input_close(reader.input);
  qn_string_map_destroy(reader.names);
  qn_pages_free(reader.order, ids->num_vertices, sizeof *reader.order);
  if (status)
    qn_vertex_groups_destroy(groups);
  return status;
}
