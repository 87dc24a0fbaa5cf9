/* GML: vertices are numbered, and their names are labels. What GML does not say is in a comment
 * (specs/properties.md). Reals have a point, and nan and infinities are written as networkx has
 * them. */
#include <string.h>

#include "converters/output/element_text.h"
#include "converters/output/losses.h"
#include "converters/output/property_text.h"
#include "converters/output/writer.h"
#include "formats/graph/statistics.h"

static void put_number(struct qn_text_buffer *buffer, uint64_t number) {
  char text[QN_MAX_NUMBER_TEXT];
  qn_put_bytes(buffer, text, (uint64_t)(qn_put_u64(text, number) - text));
}

/* ---- Values --------------------------------------------------------------- */

/* A number that lies in [number, number + length), with a point before its exponent. */
static void put_real(struct qn_text_buffer *buffer, const char *number, uint64_t length) {
  const char *exponent = memchr(number, 'e', length);
  if (!exponent || memchr(number, '.', length)) {
    qn_put_bytes(buffer, number, length);
    return;
  }
  const uint64_t whole = (uint64_t)(exponent - number);
  qn_put_bytes(buffer, number, whole);
  qn_put_string(buffer, ".0");
  qn_put_bytes(buffer, exponent, length - whole);
}

static void put_string(const struct qn_element_text *text, const struct qn_property *column,
                       uint64_t i, struct qn_text_buffer *buffer) {
  qn_put_string(buffer, "\"");
  qn_put_property_value(text, column, i, buffer);
  qn_put_string(buffer, "\"");
}

static void put_special(const struct qn_property *column, uint64_t i,
                        struct qn_text_buffer *buffer) {
  double value = qn_property_real(column, i);
  qn_put_string(buffer, value > 0 ? "+INF" : value < 0 ? "-INF" : "NAN");
}

static void put_value(const struct qn_element_text *text, const struct qn_property *column,
                      uint64_t i, struct qn_text_buffer *buffer) {
  const uint64_t before = buffer->used;
  const enum qn_property_class kind = qn_property_class_of(column->type);
  char number[QN_MAX_NUMBER_TEXT];
  if (kind == QN_PROPERTY_TEXT || kind == QN_PROPERTY_DAYS || kind == QN_PROPERTY_TIME ||
      qn_property_dimension(column->type)) {
    put_string(text, column, i, buffer);
  } else if (kind == QN_PROPERTY_TRUTH) {
    qn_put_string(buffer, ((const uint8_t *)column->values)[i] ? "1" : "0");
  } else if (qn_property_is_special(column, i)) {
    put_special(column, i, buffer);
  } else {
    qn_put_property_value(text, column, i, buffer);
    const uint64_t length = buffer->used - before;
    if (length == 0 || length > sizeof number)
      return;
    memcpy(number, buffer->bytes + before, length);
    buffer->used = before;
    put_real(buffer, number, length);
  }
}

static void put_values(const struct qn_element_text *text, int which, uint64_t element,
                       struct qn_text_buffer *buffer) {
  const struct qn_property_table *table = text->tables[which];
  for (uint32_t i = 0; i < table->count; i++) {
    if (qn_property_is_null(&table->columns[i], element))
      continue;
    qn_put_string(buffer, " ");
    qn_put_string(buffer, text->keys[which][i]);
    qn_put_string(buffer, " ");
    put_value(text, &table->columns[i], element, buffer);
  }
}

/* ---- Elements ------------------------------------------------------------- */

static void put_id(const struct qn_element_text *text, uint64_t vertex,
                   struct qn_text_buffer *buffer) {
  put_number(buffer, qn_listed_id(&text->graph->ids, vertex));
}

/* networkx calls vertices by their labels, which may be a property, too. */
static void put_vertex(const struct qn_element_text *text, uint64_t vertex,
                       struct qn_text_buffer *buffer) {
  qn_put_string(buffer, "node [ id ");
  put_id(text, vertex, buffer);
  if (!qn_element_text_find(text, QN_TEXT_OF_VERTICES, "label")) {
    qn_put_string(buffer, " label \"");
    qn_put_vertex_id(text, vertex, buffer);
    qn_put_string(buffer, "\"");
  }
  put_values(text, QN_TEXT_OF_VERTICES, vertex, buffer);
  qn_put_string(buffer, " ]\n");
}

static void put_weight(struct qn_weight_texts *weights, uint64_t edge,
                       struct qn_text_buffer *buffer) {
  char number[QN_MAX_NUMBER_TEXT];
  put_real(buffer, number, (uint64_t)(qn_put_weight(number, weights, edge) - number));
}

static void put_edge(const struct qn_element_text *text, uint64_t source, uint64_t edge,
                     struct qn_weight_texts *weights, struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = text->listed.csr;
  qn_put_string(buffer, "edge [ source ");
  put_id(text, source, buffer);
  qn_put_string(buffer, " target ");
  put_id(text, csr->column_indices[edge], buffer);
  if (csr->weights.type != QN_WEIGHT_NONE) {
    qn_put_string(buffer, " weight ");
    put_weight(weights, edge, buffer);
  }
  put_values(text, QN_TEXT_OF_EDGES, edge, buffer);
  qn_put_string(buffer, " ]\n");
}

/* ---- The whole ------------------------------------------------------------ */

static const char *const of_vertices[] = {"id", NULL};
static const char *const of_edges[] = {"source", "target", "weight", "key", NULL};
static const char *const weights[] = {"value", NULL};

static const struct qn_element_form form = {.name = "GML",
                                            .escaping = QN_ESCAPE_GML,
                                            .reserved = {of_vertices, of_edges},
                                            .weights = weights,
                                            .plain_keys = true,
                                            .vertex = put_vertex,
                                            .edge = put_edge};

static bool has_label(const struct qn_write_options *options) {
  const struct qn_property *label =
      options->properties ? qn_property_find(&options->properties->of_vertices, "label") : NULL;
  return label && label->type == QN_PROPERTY_STRING;
}

static enum qn_status lose_names(const struct qn_graph *graph,
                                 const struct qn_write_options *options, struct qn_error *error) {
  return graph->ids.kind == QN_IDS_STRINGS && has_label(options)
             ? qn_loses(options, error,
                        "vertices are numbered from 0 in the output, and their names are not in "
                        "it: the property 'label' has their place")
             : QN_OK;
}

static enum qn_status write_gml(const struct qn_graph *graph,
                                const struct qn_write_options *options,
                                struct qn_text_output *output, uint64_t *written,
                                struct qn_error *error) {
  struct qn_element_text text = {0};
  struct qn_text_buffer head = {0};
  const char *labels = graph->ids.kind == QN_IDS_STRINGS ? "names" : "ids";
  enum qn_status status = lose_names(graph, options, error);
  if (!status)
    status = qn_element_text_begin(&text, &form, graph, options, has_label(options) ? NULL : labels,
                                   error);
  if (!status) {
    qn_put_string(&head, "graph [\n# quern ");
    qn_put_string(&head, text.hint);
    qn_put_string(&head, text.directed ? "\ndirected 1\n" : "\ndirected 0\n");
    qn_put_string(&head, qn_csr_count_parallel(text.listed.csr, false) ? "multigraph 1\n" : "");
  }
  status = qn_element_text_flush(&head, output, status, error);
  if (!status)
    status = qn_element_text_vertices(&text, output, error);
  if (!status)
    status = qn_element_text_edges(&text, output, error);
  if (!status)
    status = qn_text_output_write(output, "]\n", 2, error);
  *written = text.written;
  qn_element_text_end(&text);
  return status;
}

const struct qn_graph_writer qn_graph_writer_gml = {
    .name = "gml",
    .write = write_gml,
    .keeps_edge_properties = true,
    .keeps_vertex_properties = true,
};
