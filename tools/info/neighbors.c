#include "tools/info/neighbors.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "formats/wide/rows.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/tool.h"
#include <quern/lookup.h>
#include <quern/session.h>

/* A row, and what its columns are called: numbers, or texts. */
struct named_row {
  struct qn_row row;
  uint64_t num_vertices;
  enum qn_id_form form;
  enum qn_type weight_type;
  uint64_t *numbers; /* [num_edges], or the lengths of texts */
  const char **texts;
};

static enum qn_status name_columns(struct qn_session *session, struct named_row *named,
                                   struct qn_error *error) {
  const struct qn_row *row = &named->row;
  enum qn_status status =
      qn_alloc(&named->numbers, row->num_edges, sizeof *named->numbers, "ids of neighbours", error);
  if (!status)
    status =
        qn_alloc(&named->texts, row->num_edges, sizeof *named->texts, "ids of neighbours", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < row->num_edges; i++)
    if (row->columns[i] >= named->num_vertices)
      return qn_fail(error, QN_INVALID,
                     "an edge leads to a vertex that there is not: the file is damaged");
  return named->form == QN_ID_FORM_STRINGS
             ? qn_session_texts_of(session, row->columns, row->num_edges, named->texts,
                                   named->numbers, error)
             : qn_session_numbers_of(session, row->columns, row->num_edges, named->numbers, error);
}

static json_t *name_of(const struct named_row *named, uint64_t i) {
  if (named->form == QN_ID_FORM_STRINGS)
    return qn_json_name(named->texts[i], named->numbers[i]);
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, named->numbers[i]);
  return json_string(digits);
}

static json_t *weight_of(const void *weights, enum qn_type type, uint64_t i) {
  switch (weights ? type : QN_TYPE_NONE) {
  case QN_TYPE_U32:
    return json_integer(((const uint32_t *)weights)[i]);
  case QN_TYPE_I64:
    return json_integer(((const int64_t *)weights)[i]);
  case QN_TYPE_F32:
    return json_real((double)((const float *)weights)[i]);
  case QN_TYPE_F64:
    return json_real(((const double *)weights)[i]);
  default:
    return NULL;
  }
}

static json_t *describe(const struct named_row *named, const char *vertex) {
  json_t *names = json_array(), *weights = named->row.weights ? json_array() : NULL;
  for (uint64_t i = 0; i < named->row.num_edges; i++) {
    json_array_append_new(names, name_of(named, i));
    if (weights)
      json_array_append_new(weights, weight_of(named->row.weights, named->weight_type, i));
  }
  return json_pack("{s:o, s:o, s:o*}", "vertex", qn_json_text(vertex), "neighbors", names,
                   "weights", weights);
}

static void print(const json_t *described) {
  const json_t *weights = json_object_get(described, "weights");
  size_t i;
  json_t *name;
  json_array_foreach(json_object_get(described, "neighbors"), i, name) {
    const json_t *weight = json_array_get(weights, i);
    fputs(json_is_string(name) ? json_string_value(name) : "?", stdout);
    if (json_is_integer(weight))
      printf("\t%" JSON_INTEGER_FORMAT, json_integer_value(weight));
    else if (weight)
      printf("\t%.9g", json_real_value(weight));
    putchar('\n');
  }
}

static void say(json_t *described, bool json) {
  if (json)
    qn_tool_print_json(json_incref(described));
  else
    print(described);
  json_decref(described);
}

static enum qn_status show(struct qn_session *session, const char *vertex, bool json,
                           struct qn_error *error) {
  struct qn_session_info info = {.size = sizeof info};
  struct named_row named = {.row.size = sizeof named.row};
  uint32_t number;
  qn_session_info(session, &info);
  named.num_vertices = info.num_vertices;
  named.form = info.id_form;
  named.weight_type = info.weight_type;
  enum qn_status status = qn_session_find(session, &vertex, 1, &number, NULL, error);
  if (!status)
    status = qn_session_row(session, QN_ROWS_OUT, number, &named.row, error);
  if (!status)
    status = name_columns(session, &named, error);
  if (!status)
    say(describe(&named, vertex), json);
  qn_free(named.numbers);
  qn_free(named.texts);
  return status;
}

/* ---- Of sets, where they lie ------------------------------------------------------------- */

static json_t *describe_wide(const struct qn_wide *wide, const struct qn_wide_row *row,
                             const char *vertex) {
  static const enum qn_type types[] = {[QN_WEIGHT_U32] = QN_TYPE_U32,
                                       [QN_WEIGHT_F32] = QN_TYPE_F32,
                                       [QN_WEIGHT_I64] = QN_TYPE_I64,
                                       [QN_WEIGHT_F64] = QN_TYPE_F64};
  const enum qn_type type = types[qn_wide_set(wide)->weight_type];
  json_t *names = json_array(), *weights = row->weights ? json_array() : NULL;
  for (uint64_t i = 0; i < row->num_edges; i++) {
    char digits[24];
    uint64_t length;
    const char *name = qn_wide_id(wide, row->vertices[i], digits, &length);
    json_array_append_new(names, qn_json_name(name, length));
    if (weights)
      json_array_append_new(weights, weight_of(row->weights, type, i));
  }
  return json_pack("{s:o, s:o, s:o*}", "vertex", qn_json_text(vertex), "neighbors", names,
                   "weights", weights);
}

static enum qn_status show_wide(const char *path, const char *vertex, bool json,
                                struct qn_error *error) {
  struct qn_wide *wide;
  struct qn_wide_row row = {0};
  uint64_t number;
  enum qn_status status = qn_wide_open(path, QN_SET_CHECK_FILE, &wide, error);
  if (status)
    return status;
  status = qn_wide_find(wide, vertex, &number, error);
  if (!status)
    status = qn_wide_row(wide, number, false, &row, error);
  if (!status)
    say(describe_wide(wide, &row, vertex), json);
  qn_wide_row_free(&row);
  qn_wide_close(wide);
  return status;
}

/* Is it a set whose rows can be looked at where they lie? Others are put together. */
static enum qn_status look_for_set(const char *path, bool *found, struct qn_error *error) {
  struct qn_set *set = NULL;
  *found = false;
  if (!qn_set_recognise(path))
    return QN_OK;
  enum qn_status status = qn_set_open(path, &set, error);
  *found = !status && !set->url && qn_wide_takes(set);
  qn_set_close(set);
  return status;
}

/* ---- The whole ---------------------------------------------------------------------------- */

enum qn_status qn_neighbors_show(const char *path, const char *vertex, bool json,
                                 struct qn_error *error) {
  struct qn_session *session = NULL;
  bool is_set;
  enum qn_status status = look_for_set(path, &is_set, error);
  if (status || is_set)
    return status ? status : show_wide(path, vertex, json, error);
  status = qn_session_open(path, 0, NULL, &session, error);
  if (!status)
    status = show(session, vertex, json, error);
  qn_session_close(session);
  return status;
}
