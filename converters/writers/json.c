/* Node-link graphs of JSON, as networkx and D3 have them, and JSON lines, an edge a line. What JSON
 * does not say is in the member "quern" (specs/properties.md). */
#include <string.h>

#include "converters/output/element_text.h"
#include "converters/output/losses.h"
#include "converters/output/writer.h"
#include "formats/graph/statistics.h"

static void put_id(const struct qn_element_text *text, uint64_t vertex,
                   struct qn_text_buffer *buffer) {
  const char *quote = text->graph->ids.kind == QN_IDS_STRINGS ? "\"" : "";
  qn_put_string(buffer, quote);
  qn_put_vertex_id(text, vertex, buffer);
  qn_put_string(buffer, quote);
}

/* Number `i` of all of a column. */
static void put_number(const struct qn_property *column, uint64_t i,
                       struct qn_text_buffer *buffer) {
  const enum qn_property_class kind = qn_property_class_of(column->type);
  const bool quoted =
      kind == QN_PROPERTY_DAYS || kind == QN_PROPERTY_TIME || qn_property_is_special(column, i);
  qn_put_string(buffer, quoted ? "\"" : "");
  qn_put_element_number(column, i, buffer);
  qn_put_string(buffer, quoted ? "\"" : "");
}

static void put_vector(const struct qn_property *column, uint64_t i,
                       struct qn_text_buffer *buffer) {
  const uint32_t dimension = qn_property_dimension(column->type);
  for (uint64_t k = 0; k < dimension; k++) {
    qn_put_string(buffer, k ? "," : "[");
    put_number(column, dimension * i + k, buffer);
  }
  qn_put_string(buffer, "]");
}

static void put_value(const struct qn_element_text *text, const struct qn_property *column,
                      uint64_t i, struct qn_text_buffer *buffer) {
  if (qn_property_is_null(column, i)) {
    qn_put_string(buffer, "null");
  } else if (column->type == QN_PROPERTY_STRING) {
    qn_put_string(buffer, "\"");
    qn_put_property_value(text, column, i, buffer);
    qn_put_string(buffer, "\"");
  } else if (qn_property_dimension(column->type)) {
    put_vector(column, i, buffer);
  } else {
    put_number(column, i, buffer);
  }
}

static void put_members(const struct qn_element_text *text, int which, uint64_t element,
                        struct qn_text_buffer *buffer) {
  const struct qn_property_table *table = text->tables[which];
  for (uint32_t i = 0; i < table->count; i++) {
    qn_put_string(buffer, ",\"");
    qn_put_escaped(buffer, text->form->escaping, text->keys[which][i],
                   strlen(text->keys[which][i]));
    qn_put_string(buffer, "\":");
    put_value(text, &table->columns[i], element, buffer);
  }
  qn_put_string(buffer, "}");
}

static void put_edge(const struct qn_element_text *text, uint64_t source, uint64_t edge,
                     struct qn_weight_texts *weights, struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = text->listed.csr;
  qn_put_string(buffer, "{\"source\":");
  put_id(text, source, buffer);
  qn_put_string(buffer, ",\"target\":");
  put_id(text, csr->column_indices[edge], buffer);
  if (csr->weights.type != QN_WEIGHT_NONE) {
    qn_put_string(buffer, ",\"weight\":");
    qn_put_edge_weight(weights, edge, buffer);
  }
  put_members(text, QN_TEXT_OF_EDGES, edge, buffer);
}

static void put_listed_vertex(const struct qn_element_text *text, uint64_t vertex,
                              struct qn_text_buffer *buffer) {
  qn_put_string(buffer, vertex ? ",\n{\"id\":" : "\n{\"id\":");
  put_id(text, vertex, buffer);
  put_members(text, QN_TEXT_OF_VERTICES, vertex, buffer);
}

static void put_listed_edge(const struct qn_element_text *text, uint64_t source, uint64_t edge,
                            struct qn_weight_texts *weights, struct qn_text_buffer *buffer) {
  qn_put_string(buffer, edge == text->first_edge ? "\n" : ",\n");
  put_edge(text, source, edge, weights, buffer);
}

static void put_line(const struct qn_element_text *text, uint64_t source, uint64_t edge,
                     struct qn_weight_texts *weights, struct qn_text_buffer *buffer) {
  put_edge(text, source, edge, weights, buffer);
  qn_put_string(buffer, "\n");
}

/* ---- The whole ------------------------------------------------------------ */

/* networkx has the keys of parallel edges in the member "key". */
static const char *const of_vertices[] = {"id", NULL};
static const char *const of_edges[] = {"source", "target", "weight", "key", NULL};
static const char *const weights[] = {"value", "w", NULL};

static const struct qn_element_form node_link = {.name = "JSON",
                                                 .escaping = QN_ESCAPE_JSON,
                                                 .reserved = {of_vertices, of_edges},
                                                 .weights = weights,
                                                 .vertex = put_listed_vertex,
                                                 .edge = put_listed_edge};

static const struct qn_element_form lines = {.name = "JSON",
                                             .escaping = QN_ESCAPE_JSON,
                                             .reserved = {NULL, of_edges},
                                             .weights = weights,
                                             .edge = put_line};

static enum qn_status write_text(struct qn_text_output *output, const char *text,
                                 enum qn_status status, struct qn_error *error) {
  return status ? status : qn_text_output_write(output, text, strlen(text), error);
}

static enum qn_status write_json(const struct qn_graph *graph,
                                 const struct qn_write_options *options,
                                 struct qn_text_output *output, uint64_t *written,
                                 struct qn_error *error) {
  struct qn_element_text text;
  struct qn_text_buffer head = {0};
  enum qn_status status = qn_element_text_begin(&text, &node_link, graph, options, NULL, error);
  if (!status) {
    qn_put_string(&head, text.directed ? "{\"directed\":true" : "{\"directed\":false");
    qn_put_string(&head, qn_csr_count_parallel(text.listed.csr, false) ? ",\"multigraph\":true"
                                                                       : ",\"multigraph\":false");
    qn_put_string(&head, ",\"graph\":{},\n\"quern\":");
    qn_put_string(&head, text.hint);
    qn_put_string(&head, ",\n\"nodes\":[");
  }
  status = qn_element_text_flush(&head, output, status, error);
  if (!status)
    status = qn_element_text_vertices(&text, output, error);
  status = write_text(output, "],\n\"links\":[", status, error);
  if (!status)
    status = qn_element_text_edges(&text, output, error);
  status = write_text(output, "]}\n", status, error);
  *written = text.written;
  qn_element_text_end(&text);
  return status;
}

static enum qn_status lose_specials(const struct qn_property_table *table,
                                    const struct qn_write_options *options,
                                    struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < table->count && !status; i++) {
    uint64_t found = 0;
    const struct qn_property *column = &table->columns[i];
    const uint32_t dimension = qn_property_dimension(column->type);
    const uint64_t numbers = dimension ? dimension * column->count : column->count;
#pragma omp parallel for schedule(static) reduction(+ : found)
    for (uint64_t e = 0; e < numbers; e++)
      found += qn_property_is_special(column, e);
    if (found)
      status = qn_loses(
          options, error,
          "the property '%.60s' has values that are not JSON numbers, and text in the output",
          column->name);
  }
  return status;
}

/* Nothing says that ids are numbers, and numbers from 2^63 on are none to many readers. */
static enum qn_status check_ids(const struct qn_ids *ids, struct qn_error *error) {
  uint64_t beyond = 0;
#pragma omp parallel for schedule(static) reduction(+ : beyond)
  for (uint64_t v = 0; v < (ids->kind == QN_IDS_NUMBERS ? ids->num_vertices : 0); v++)
    beyond += ids->numbers[v] > INT64_MAX;
  return beyond ? qn_fail(error, QN_UNSUPPORTED,
                          "ids of vertices are integers below 2^63 in JSON lines, and %llu of "
                          "these are not; json has place for them",
                          (unsigned long long)beyond)
                : QN_OK;
}

static enum qn_status lose_isolated(const struct qn_graph *graph,
                                    const struct qn_write_options *options,
                                    struct qn_error *error) {
  uint64_t isolated;
  enum qn_status status = qn_graph_count_isolated(graph, &isolated, error);
  return status || !isolated
             ? status
             : qn_loses(options, error, "vertices without edges, %llu, are not in the output",
                        (unsigned long long)isolated);
}

static enum qn_status write_lines(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_text_output *output, uint64_t *written,
                                  struct qn_error *error) {
  struct qn_element_text text;
  enum qn_status status = qn_element_text_begin(&text, &lines, graph, options, NULL, error);
  if (!status)
    status = check_ids(&graph->ids, error);
  if (!status)
    status = lose_isolated(graph, options, error);
  if (!status)
    status = lose_specials(text.tables[QN_TEXT_OF_EDGES], options, error);
  if (!status)
    status = qn_element_text_edges(&text, output, error);
  *written = text.written;
  qn_element_text_end(&text);
  return status;
}

const struct qn_graph_writer qn_graph_writer_json = {
    .name = "json",
    .write = write_json,
    .keeps_edge_properties = true,
    .keeps_vertex_properties = true,
};

const struct qn_graph_writer qn_graph_writer_json_lines = {
    .name = "json-lines",
    .losses = QN_LOSES_UNDIRECTED,
    .write = write_lines,
    .keeps_edge_properties = true,
};
