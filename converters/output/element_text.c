#include "converters/output/element_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "converters/output/losses.h"
#include "converters/output/property_text.h"
#include "support/memory.h"
#include "support/progress.h"

/* Elements of a part: some hundred KB of text. */
#define PART_ELEMENTS ((uint64_t)8 << 10)
/* Of a key that is made of a name: what is cut off makes room for a number. */
#define KEY_STEM_BYTES 240

static const char *const elements[] = {"vertices", "edges"};

/* ---- Keys ----------------------------------------------------------------- */

static bool same_key(const struct qn_element_form *form, const char *a, const char *b) {
  return form->plain_keys ? strcasecmp(a, b) == 0 : strcmp(a, b) == 0;
}

static bool is_listed(const struct qn_element_form *form, const char *const *list,
                      const char *key) {
  for (; list && *list; list++)
    if (same_key(form, *list, key))
      return true;
  return false;
}

static bool is_reserved(const struct qn_element_text *text, int which, const char *key) {
  const struct qn_element_form *form = text->form;
  bool unweighted = text->graph->out.weights.type == QN_WEIGHT_NONE;
  return is_listed(form, form->reserved[which], key) ||
         (which == QN_TEXT_OF_EDGES && unweighted && is_listed(form, form->weights, key));
}

/* Is the key of column `before` or an earlier one, or the name of another one? */
static bool is_taken(const struct qn_element_text *text, int which, uint32_t column,
                     const char *key) {
  const struct qn_property_table *table = text->tables[which];
  for (uint32_t i = 0; i < table->count; i++)
    if ((i < column && same_key(text->form, text->keys[which][i], key)) ||
        (i != column && same_key(text->form, table->columns[i].name, key)))
      return true;
  return false;
}

/* A name of the characters that keys have, cut behind a character. */
static void make_stem(const struct qn_element_form *form, const char *name,
                      char stem[QN_PROPERTY_NAME_BYTES + 1]) {
  char *to = stem;
  const char *p = name;
  if (form->plain_keys && !isalpha((unsigned char)*name))
    *to++ = 'p';
  for (; *p && to - stem < KEY_STEM_BYTES; p++)
    *to++ = !form->plain_keys || isalnum((unsigned char)*p) ? *p : '_';
  while (!form->plain_keys && *p && to > stem && ((unsigned char)*p & 0xc0) == 0x80)
    p--, to--;
  *to = '\0';
}

static bool is_key(const struct qn_element_form *form, const char *name) {
  if (!form->plain_keys)
    return form->escaping != QN_ESCAPE_XML || !qn_text_leaves_xml(name, strlen(name));
  for (const char *p = name; *p; p++)
    if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
          (p > name && ((*p >= '0' && *p <= '9') || *p == '_'))))
      return false;
  return true;
}

/* What XML has no place for becomes U+FFFD by escaping, and then it is what the file says. */
static void replace_no_characters(char *key) {
  for (char *p = key; *p; p++)
    if (qn_text_leaves_xml(p, strnlen(p, 3)))
      p[2] = '\xbd';
}

static enum qn_status choose_key(struct qn_element_text *text, int which, uint32_t column,
                                 const struct qn_write_options *options, struct qn_error *error) {
  const char *name = text->tables[which]->columns[column].name;
  char *key = text->keys[which][column];
  char stem[QN_PROPERTY_NAME_BYTES + 1];
  snprintf(key, sizeof(qn_element_key), "%s", name);
  if (is_key(text->form, name) && !is_reserved(text, which, name) &&
      !is_taken(text, which, column, name))
    return QN_OK;
  make_stem(text->form, name, stem);
  if (text->form->escaping == QN_ESCAPE_XML)
    replace_no_characters(stem);
  snprintf(key, sizeof(qn_element_key), "%s", stem);
  for (unsigned number = 2; is_reserved(text, which, key) || is_taken(text, which, column, key);
       number++)
    snprintf(key, sizeof(qn_element_key), "%.*s_%u", KEY_STEM_BYTES, stem, number);
  return qn_loses(options, error, "the property '%.60s' of %s is called '%.60s' in the output",
                  name, elements[which], key);
}

static enum qn_status choose_keys(struct qn_element_text *text, int which,
                                  const struct qn_write_options *options, struct qn_error *error) {
  const uint32_t count = text->tables[which]->count;
  enum qn_status status =
      qn_alloc_zeroed(&text->keys[which], count, sizeof *text->keys[which], "keys", error);
  for (uint32_t i = 0; i < count && !status; i++)
    status = choose_key(text, which, i, options, error);
  return status;
}

const struct qn_property *qn_element_text_find(const struct qn_element_text *text, int which,
                                               const char *name) {
  const struct qn_property_table *table = text->tables[which];
  for (uint32_t i = 0; i < table->count; i++)
    if (table->columns[i].type == QN_PROPERTY_STRING && strcmp(text->keys[which][i], name) == 0)
      return &table->columns[i];
  return NULL;
}

/* ---- What is lost --------------------------------------------------------- */

static bool leaves_xml(const struct qn_property *column) {
  uint64_t found = 0;
#pragma omp parallel for schedule(static) reduction(+ : found)
  for (uint64_t i = 0; i < column->count; i++) {
    uint64_t length;
    const char *value = qn_property_string(column, i, &length);
    found += qn_text_leaves_xml(value, length);
  }
  return found > 0;
}

static enum qn_status lose_values(const struct qn_element_text *text, int which,
                                  const struct qn_write_options *options, struct qn_error *error) {
  const struct qn_property_table *table = text->tables[which];
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < table->count && !status; i++) {
    const struct qn_property *column = &table->columns[i];
    if (text->form->has_longs && !qn_property_dimension(column->type) &&
        !qn_property_fits_long(column))
      status = qn_loses(options, error,
                        "the property '%.60s' is beyond the integers of %s and text in the output",
                        column->name, text->form->name);
    if (!status && text->form->escaping == QN_ESCAPE_XML && column->type == QN_PROPERTY_STRING &&
        leaves_xml(column))
      status = qn_loses(options, error,
                        "the property '%.60s' has characters that XML does not allow; the output "
                        "has U+FFFD in their place",
                        column->name);
  }
  return status;
}

static enum qn_status check_names(const struct qn_element_text *text, struct qn_error *error) {
  const struct qn_ids *ids = &text->graph->ids;
  const bool xml = text->form->escaping == QN_ESCAPE_XML;
  uint64_t bad = UINT64_MAX;
  /* Where vertices have numbers their names are labels, unless other labels take that place. */
  if (ids->kind != QN_IDS_STRINGS ||
      (text->form->plain_keys && qn_element_text_find(text, QN_TEXT_OF_VERTICES, "label")))
    return QN_OK;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t v = 0; v < ids->num_vertices; v++) {
    const char *name = ids->string_bytes + ids->string_offsets[v];
    uint64_t length = ids->string_offsets[v + 1] - ids->string_offsets[v];
    if (!qn_property_is_text(name, length) || (xml && qn_text_leaves_xml(name, length)))
      bad = v < bad ? v : bad;
  }
  return bad == UINT64_MAX
             ? QN_OK
             : qn_fail(error, QN_UNSUPPORTED,
                       "the name of vertex %llu is not text that %s has a place for, which is "
                       "UTF-8%s",
                       (unsigned long long)bad, text->form->name,
                       xml ? " without control characters" : "");
}

/* ---- What Quern reads ----------------------------------------------------- */

static json_t *hint_columns(const struct qn_element_text *text, int which) {
  const struct qn_property_table *table = text->tables[which];
  json_t *columns = json_array();
  for (uint32_t i = 0; i < table->count; i++) {
    const char *name = table->columns[i].name, *key = text->keys[which][i];
    char type[QN_PROPERTY_TYPE_BYTES];
    json_t *column = json_pack("{s:s, s:s}", "name", name, "type",
                               qn_property_type_name(table->columns[i].type, type));
    if (strcmp(name, key) != 0)
      json_object_set_new(column, "key", json_string(key));
    json_array_append_new(columns, column);
  }
  return columns;
}

static enum qn_status make_hint(struct qn_element_text *text, const char *weight,
                                const char *labels, struct qn_error *error) {
  static const char dash[] = "\\u002d"; /* "--" ends comments of XML */
  const bool names = text->graph->ids.kind == QN_IDS_STRINGS &&
                     (!text->form->plain_keys || (labels && strcmp(labels, "names") == 0));
  json_t *hint = json_pack("{s:s}", "ids", names ? "names" : "numbers");
  for (int which = 0; which < 2; which++)
    if (text->tables[which]->count)
      json_object_set_new(hint, elements[which], hint_columns(text, which));
  if (weight && *weight && strcmp(weight, "weight") != 0)
    json_object_set_new(hint, "weight", json_string(weight));
  if (labels)
    json_object_set_new(hint, "labels", json_string(labels));
  char *plain = json_dumps(hint, JSON_ENSURE_ASCII | JSON_SORT_KEYS | JSON_COMPACT);
  json_decref(hint);
  if (!plain)
    return qn_fail_memory(error, "what the graph is", 0);
  enum qn_status status =
      qn_alloc(&text->hint, strlen(plain) * (sizeof dash - 1) + 1, 1, "what the graph is", error);
  char *to = text->hint;
  for (const char *p = plain; *p && !status; p++)
    if (*p == '-')
      to = stpcpy(to, dash);
    else
      *to++ = *p;
  if (!status)
    *to = '\0';
  free(plain);
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status lose_direction(const struct qn_element_text *text,
                                     const struct qn_write_options *options,
                                     struct qn_error *error) {
  return text->graph->directedness == QN_UNDIRECTED && text->directed
             ? qn_loses(options, error,
                        "edges are written in both directions, and not that the graph is "
                        "undirected")
             : QN_OK;
}

static uint64_t find_first(const struct qn_listed_edges *listed) {
  struct qn_edge_runs runs = qn_edge_runs_of(listed, listed->begin, listed->end);
  return qn_edge_runs_next(&runs) ? runs.first : listed->end;
}

enum qn_status qn_element_text_begin(struct qn_element_text *text,
                                     const struct qn_element_form *form,
                                     const struct qn_graph *graph,
                                     const struct qn_write_options *options, const char *labels,
                                     struct qn_error *error) {
  static const struct qn_properties none;
  const struct qn_properties *properties = options->properties ? options->properties : &none;
  *text = (struct qn_element_text){.form = form,
                                   .graph = graph,
                                   .tables = {&properties->of_vertices, &properties->of_edges},
                                   .listed = qn_listed_edges_of(graph, options)};
  text->directed = graph->directedness != QN_UNDIRECTED || options->both_directions;
  text->first_edge = find_first(&text->listed);
  enum qn_status status = lose_direction(text, options, error);
  for (int which = 0; which < 2 && !status; which++) {
    status = choose_keys(text, which, options, error);
    if (!status)
      status = lose_values(text, which, options, error);
  }
  if (!status)
    status = check_names(text, error);
  if (!status)
    status = make_hint(text, properties->weight, labels, error);
  return status;
}

void qn_element_text_end(struct qn_element_text *text) {
  qn_free(text->keys[0]);
  qn_free(text->keys[1]);
  qn_free(text->hint);
}

enum qn_status qn_element_text_flush(struct qn_text_buffer *buffer, struct qn_text_output *output,
                                     enum qn_status status, struct qn_error *error) {
  if (!status && buffer->status) {
    status = buffer->status;
    if (error)
      *error = buffer->error;
  }
  if (!status)
    status = qn_text_output_write(output, buffer->bytes, buffer->used, error);
  qn_free(buffer->bytes);
  *buffer = (struct qn_text_buffer){0};
  return status;
}

static void format_vertices(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct qn_element_text *text = context;
  uint64_t vertex = part * PART_ELEMENTS, left = text->graph->out.num_vertices - vertex;
  uint64_t count = left < PART_ELEMENTS ? left : PART_ELEMENTS;
  for (uint64_t i = 0; i < count && !buffer->status; i++)
    text->form->vertex(text, vertex + i, buffer);
  qn_progress_add(count);
}

enum qn_status qn_element_text_vertices(struct qn_element_text *text, struct qn_text_output *output,
                                        struct qn_error *error) {
  const uint64_t count = text->graph->out.num_vertices;
  qn_progress_begin("writing", "vertices", count);
  enum qn_status status = qn_text_output_parts(output, (count + PART_ELEMENTS - 1) / PART_ELEMENTS,
                                               format_vertices, text, error);
  qn_progress_end();
  return status;
}

static void format_edges(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  struct qn_element_text *text = (struct qn_element_text *)context;
  const struct qn_listed_edges *listed = &text->listed;
  uint64_t begin = listed->begin + part * PART_ELEMENTS, written = 0;
  uint64_t end = listed->end - begin < PART_ELEMENTS ? listed->end : begin + PART_ELEMENTS;
  struct qn_edge_runs runs = qn_edge_runs_of(listed, begin, end);
  struct qn_weight_texts weights;
  qn_weight_texts_begin(&weights, &listed->csr->weights, end);
  while (qn_edge_runs_next(&runs) && !buffer->status) {
    for (uint64_t e = runs.first; e < runs.last && !buffer->status; e++)
      text->form->edge(text, runs.row, e, &weights, buffer);
    written += runs.last - runs.first;
  }
#pragma omp atomic
  text->written += written;
  qn_progress_add(end - begin);
}

enum qn_status qn_element_text_edges(struct qn_element_text *text, struct qn_text_output *output,
                                     struct qn_error *error) {
  const uint64_t stored = text->listed.end - text->listed.begin;
  qn_progress_begin("writing", "edges", stored);
  enum qn_status status = qn_text_output_parts(output, (stored + PART_ELEMENTS - 1) / PART_ELEMENTS,
                                               format_edges, text, error);
  qn_progress_end();
  return status;
}

/* ---- Pieces --------------------------------------------------------------- */

void qn_put_vertex_id(const struct qn_element_text *text, uint64_t vertex,
                      struct qn_text_buffer *buffer) {
  char number[24];
  uint64_t length;
  const struct qn_ids *ids = &text->graph->ids;
  const char *id = qn_ids_text(ids, vertex, number, &length);
  qn_put_escaped(buffer, text->form->escaping, id, length);
}

void qn_put_edge_weight(struct qn_weight_texts *weights, uint64_t edge,
                        struct qn_text_buffer *buffer) {
  char number[QN_MAX_NUMBER_TEXT];
  qn_put_bytes(buffer, number, (uint64_t)(qn_put_weight(number, weights, edge) - number));
}

bool qn_property_is_special(const struct qn_property *column, uint64_t i) {
  return qn_property_class_of(column->type) == QN_PROPERTY_REAL &&
         !isfinite(qn_property_real(column, i));
}

void qn_put_element_number(const struct qn_property *column, uint64_t i,
                           struct qn_text_buffer *buffer) {
  char number[QN_MAX_NUMBER_TEXT];
  if (qn_property_is_special(column, i)) {
    double value = qn_property_real(column, i);
    qn_put_string(buffer, isnan(value) ? "NaN" : value > 0 ? "INF" : "-INF");
  } else {
    const char *end = qn_put_property_number(number, column, i);
    qn_put_bytes(buffer, number, (uint64_t)(end - number));
  }
}

void qn_put_property_value(const struct qn_element_text *text, const struct qn_property *column,
                           uint64_t i, struct qn_text_buffer *buffer) {
  const uint32_t dimension = qn_property_dimension(column->type);
  uint64_t length;
  if (column->type == QN_PROPERTY_STRING) {
    const char *value = qn_property_string(column, i, &length);
    qn_put_escaped(buffer, text->form->escaping, value, length);
    return;
  }
  qn_put_element_number(column, dimension ? dimension * i : i, buffer);
  for (uint64_t k = 1; k < dimension; k++) {
    qn_put_string(buffer, ";");
    qn_put_element_number(column, dimension * i + k, buffer);
  }
}
