/* GraphML and GEXF: every property is declared with its type, and vertices and edges have values of
 * those that they have. What they do not say is in a comment (specs/properties.md). */
#include <string.h>

#include "converters/output/element_text.h"
#include "converters/output/property_text.h"
#include "converters/output/writer.h"

/* What is not one number is text. */
static const char *type_name(const struct qn_property *column) {
  return qn_property_dimension(column->type) ? "string" : qn_property_common_type(column);
}

static const char *weight_type(enum qn_weight_type type) {
  return type == QN_WEIGHT_F32 ? "float" : type == QN_WEIGHT_F64 ? "double" : "long";
}

static void put_hint(const struct qn_element_text *text, struct qn_text_buffer *buffer) {
  qn_put_string(buffer, "<!-- quern ");
  qn_put_string(buffer, text->hint);
  qn_put_string(buffer, " -->\n");
}

static void put_number(struct qn_text_buffer *buffer, uint64_t number) {
  char text[QN_MAX_NUMBER_TEXT];
  qn_put_bytes(buffer, text, (uint64_t)(qn_put_u64(text, number) - text));
}

static void put_attribute(const struct qn_element_text *text, const char *name, const char *value,
                          struct qn_text_buffer *buffer) {
  qn_put_string(buffer, name);
  qn_put_escaped(buffer, text->form->escaping, value, strlen(value));
  qn_put_string(buffer, "\"");
}

/* Put [format, up to its end) with a vertex's id for every '@'. */
static void put_ends(const struct qn_element_text *text, const char *format, uint64_t source,
                     uint64_t destination, struct qn_text_buffer *buffer) {
  const char *at = strchr(format, '@');
  qn_put_bytes(buffer, format, (uint64_t)(at - format));
  qn_put_vertex_id(text, source, buffer);
  const char *second = strchr(at + 1, '@');
  if (second) {
    qn_put_bytes(buffer, at + 1, (uint64_t)(second - at - 1));
    qn_put_vertex_id(text, destination, buffer);
    at = second;
  }
  qn_put_string(buffer, at + 1);
}

/* ---- GraphML -------------------------------------------------------------- */

static void put_keys(const struct qn_element_text *text, int which, struct qn_text_buffer *buffer) {
  const struct qn_property_table *table = text->tables[which];
  for (uint32_t i = 0; i < table->count; i++) {
    qn_put_string(buffer, which == QN_TEXT_OF_EDGES ? "<key id=\"e" : "<key id=\"v");
    put_number(buffer, i);
    qn_put_string(buffer, which == QN_TEXT_OF_EDGES ? "\" for=\"edge\"" : "\" for=\"node\"");
    put_attribute(text, " attr.name=\"", text->keys[which][i], buffer);
    put_attribute(text, " attr.type=\"", type_name(&table->columns[i]), buffer);
    qn_put_string(buffer, "/>\n");
  }
}

static void put_data(const struct qn_element_text *text, int which, uint64_t element,
                     struct qn_text_buffer *buffer) {
  const struct qn_property_table *table = text->tables[which];
  for (uint32_t i = 0; i < table->count; i++) {
    if (qn_property_is_null(&table->columns[i], element))
      continue;
    qn_put_string(buffer, which == QN_TEXT_OF_EDGES ? "<data key=\"e" : "<data key=\"v");
    put_number(buffer, i);
    qn_put_string(buffer, "\">");
    qn_put_property_value(text, &table->columns[i], element, buffer);
    qn_put_string(buffer, "</data>");
  }
}

static void put_graphml_vertex(const struct qn_element_text *text, uint64_t vertex,
                               struct qn_text_buffer *buffer) {
  put_ends(text, "<node id=\"@\">", vertex, 0, buffer);
  put_data(text, QN_TEXT_OF_VERTICES, vertex, buffer);
  qn_put_string(buffer, "</node>\n");
}

static void put_graphml_edge(const struct qn_element_text *text, uint64_t source, uint64_t edge,
                             struct qn_weight_texts *weights, struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = text->listed.csr;
  put_ends(text, "<edge source=\"@\" target=\"@\">", source, csr->column_indices[edge], buffer);
  if (csr->weights.type != QN_WEIGHT_NONE) {
    qn_put_string(buffer, "<data key=\"weight\">");
    qn_put_edge_weight(weights, edge, buffer);
    qn_put_string(buffer, "</data>");
  }
  put_data(text, QN_TEXT_OF_EDGES, edge, buffer);
  qn_put_string(buffer, "</edge>\n");
}

static void put_graphml_head(const struct qn_element_text *text, struct qn_text_buffer *buffer) {
  const enum qn_weight_type type = text->graph->out.weights.type;
  qn_put_string(buffer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  put_hint(text, buffer);
  put_keys(text, QN_TEXT_OF_VERTICES, buffer);
  if (type != QN_WEIGHT_NONE) {
    put_attribute(text, "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"",
                  weight_type(type), buffer);
    qn_put_string(buffer, "/>\n");
  }
  put_keys(text, QN_TEXT_OF_EDGES, buffer);
  put_attribute(text, "<graph edgedefault=\"", text->directed ? "directed" : "undirected", buffer);
  qn_put_string(buffer, ">\n");
}

/* ---- GEXF ----------------------------------------------------------------- */

/* The property "label" is an attribute of its own. */
static bool is_label(const struct qn_element_text *text, int which, uint32_t i) {
  return text->tables[which]->columns[i].type == QN_PROPERTY_STRING &&
         strcmp(text->keys[which][i], "label") == 0;
}

static void put_attributes(const struct qn_element_text *text, int which,
                           struct qn_text_buffer *buffer) {
  const struct qn_property_table *table = text->tables[which];
  if (table->count == 0)
    return;
  put_attribute(text, "<attributes class=\"", which == QN_TEXT_OF_EDGES ? "edge" : "node", buffer);
  qn_put_string(buffer, " mode=\"static\">\n");
  for (uint32_t i = 0; i < table->count; i++) {
    if (is_label(text, which, i))
      continue;
    qn_put_string(buffer, "<attribute id=\"");
    put_number(buffer, i);
    put_attribute(text, "\" title=\"", text->keys[which][i], buffer);
    put_attribute(text, " type=\"", type_name(&table->columns[i]), buffer);
    qn_put_string(buffer, "/>\n");
  }
  qn_put_string(buffer, "</attributes>\n");
}

static void put_label(const struct qn_element_text *text, int which, uint64_t element,
                      struct qn_text_buffer *buffer) {
  const struct qn_property *label = qn_element_text_find(text, which, "label");
  if (!label || qn_property_is_null(label, element))
    return;
  qn_put_string(buffer, " label=\"");
  qn_put_property_value(text, label, element, buffer);
  qn_put_string(buffer, "\"");
}

static void put_attvalues(const struct qn_element_text *text, int which, uint64_t element,
                          struct qn_text_buffer *buffer) {
  const struct qn_property_table *table = text->tables[which];
  bool any = false;
  for (uint32_t i = 0; i < table->count; i++) {
    if (is_label(text, which, i) || qn_property_is_null(&table->columns[i], element))
      continue;
    qn_put_string(buffer, any ? "<attvalue for=\"" : "<attvalues><attvalue for=\"");
    put_number(buffer, i);
    qn_put_string(buffer, "\" value=\"");
    qn_put_property_value(text, &table->columns[i], element, buffer);
    qn_put_string(buffer, "\"/>");
    any = true;
  }
  if (any)
    qn_put_string(buffer, "</attvalues>");
}

static void put_gexf_vertex(const struct qn_element_text *text, uint64_t vertex,
                            struct qn_text_buffer *buffer) {
  put_ends(text, "<node id=\"@\"", vertex, 0, buffer);
  put_label(text, QN_TEXT_OF_VERTICES, vertex, buffer);
  qn_put_string(buffer, ">");
  put_attvalues(text, QN_TEXT_OF_VERTICES, vertex, buffer);
  qn_put_string(buffer, "</node>\n");
}

static void put_gexf_edge(const struct qn_element_text *text, uint64_t source, uint64_t edge,
                          struct qn_weight_texts *weights, struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = text->listed.csr;
  qn_put_string(buffer, "<edge id=\"");
  put_number(buffer, edge);
  put_ends(text, "\" source=\"@\" target=\"@\"", source, csr->column_indices[edge], buffer);
  if (csr->weights.type != QN_WEIGHT_NONE) {
    qn_put_string(buffer, " weight=\"");
    qn_put_edge_weight(weights, edge, buffer);
    qn_put_string(buffer, "\"");
  }
  put_label(text, QN_TEXT_OF_EDGES, edge, buffer);
  qn_put_string(buffer, ">");
  put_attvalues(text, QN_TEXT_OF_EDGES, edge, buffer);
  qn_put_string(buffer, "</edge>\n");
}

static void put_gexf_head(const struct qn_element_text *text, struct qn_text_buffer *buffer) {
  qn_put_string(buffer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n");
  put_hint(text, buffer);
  put_attribute(text, "<graph mode=\"static\" defaultedgetype=\"",
                text->directed ? "directed" : "undirected", buffer);
  qn_put_string(buffer, ">\n");
  put_attributes(text, QN_TEXT_OF_VERTICES, buffer);
  put_attributes(text, QN_TEXT_OF_EDGES, buffer);
  qn_put_string(buffer, "<nodes>\n");
}

/* ---- Both ----------------------------------------------------------------- */

/* What is around the elements. */
struct frame {
  struct qn_element_form form;
  void (*head)(const struct qn_element_text *text, struct qn_text_buffer *buffer);
  const char *between, *tail;
};

static const char *const weight_is_reserved[] = {"weight", NULL};

static const struct frame graphml = {.form = {.name = "GraphML",
                                              .escaping = QN_ESCAPE_XML,
                                              .reserved = {NULL, weight_is_reserved},
                                              .has_longs = true,
                                              .vertex = put_graphml_vertex,
                                              .edge = put_graphml_edge},
                                     .head = put_graphml_head,
                                     .between = "",
                                     .tail = "</graph>\n</graphml>\n"};

static const struct frame gexf = {.form = {.name = "GEXF",
                                           .escaping = QN_ESCAPE_XML,
                                           .reserved = {NULL, weight_is_reserved},
                                           .has_longs = true,
                                           .vertex = put_gexf_vertex,
                                           .edge = put_gexf_edge},
                                  .head = put_gexf_head,
                                  .between = "</nodes>\n<edges>\n",
                                  .tail = "</edges>\n</graph>\n</gexf>\n"};

static enum qn_status write_text(struct qn_text_output *output, const char *text,
                                 enum qn_status status, struct qn_error *error) {
  return status ? status : qn_text_output_write(output, text, strlen(text), error);
}

static enum qn_status write_xml(const struct frame *frame, const struct qn_graph *graph,
                                const struct qn_write_options *options,
                                struct qn_text_output *output, uint64_t *written,
                                struct qn_error *error) {
  struct qn_element_text text;
  struct qn_text_buffer head = {0};
  enum qn_status status = qn_element_text_begin(&text, &frame->form, graph, options, NULL, error);
  if (!status)
    frame->head(&text, &head);
  status = qn_element_text_flush(&head, output, status, error);
  if (!status)
    status = qn_element_text_vertices(&text, output, error);
  status = write_text(output, frame->between, status, error);
  if (!status)
    status = qn_element_text_edges(&text, output, error);
  status = write_text(output, frame->tail, status, error);
  *written = text.written;
  qn_element_text_end(&text);
  return status;
}

static enum qn_status write_graphml(const struct qn_graph *graph,
                                    const struct qn_write_options *options,
                                    struct qn_text_output *output, uint64_t *written,
                                    struct qn_error *error) {
  return write_xml(&graphml, graph, options, output, written, error);
}

static enum qn_status write_gexf(const struct qn_graph *graph,
                                 const struct qn_write_options *options,
                                 struct qn_text_output *output, uint64_t *written,
                                 struct qn_error *error) {
  return write_xml(&gexf, graph, options, output, written, error);
}

const struct qn_graph_writer qn_graph_writer_graphml = {
    .name = "graphml",
    .write = write_graphml,
    .keeps_edge_properties = true,
    .keeps_vertex_properties = true,
};

const struct qn_graph_writer qn_graph_writer_gexf = {
    .name = "gexf",
    .write = write_gexf,
    .keeps_edge_properties = true,
    .keeps_vertex_properties = true,
};
