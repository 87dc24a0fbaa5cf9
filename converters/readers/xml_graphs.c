/* Graphs in XML: GraphML (graphml.graphdrawing.org) and GEXF (gexf.net), as networkx, igraph, Gephi
 * and yEd write them. Vertices are called by their ids, weights are the data called "weight", and
 * the other data of vertices and edges their properties. What is nested deeper than any graph, and
 * entities, which could grow without bound, are refused. */
#include <expat.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/elements/named_graph.h"
#include "converters/parse/reader.h"
#include "converters/readers/xml_data.h"
#include "formats/text/text_output.h"
#include "support/input/input.h"
#include "support/memory.h"
#include "support/progress.h"

#define MOST_DEPTH 256
#define NAME_BYTES (QN_MAX_NAME_BYTES + 2)
#define WEIGHT_BYTES 64
#define KEY_BYTES 128

struct xml_graph {
  struct qn_named_graph graph;
  XML_Parser parser;
  bool gexf;
  uint32_t depth, graphs;
  uint32_t open_graphs; /* begun, and not ended: those behind the first are in vertices */
  bool has_nested;
  uint32_t group_depth; /* of the last vertex that had a graph in it; 0: it has ended */
  bool in_edge, in_node;
  uint32_t element_depth; /* of the vertex or the edge */
  bool has_weight, has_default;
  char *captured;              /* what text goes to, of WEIGHT_BYTES; NULL: nowhere */
  bool captured_ends;          /* a blank was behind it */
  bool takes_value;            /* it goes to `value` */
  struct qn_text_buffer value; /* of a property */
  struct qn_xml_keys keys;
  char key[KEY_BYTES];        /* whose value it is */
  bool in_key;                /* which is the last of `keys` */
  int of;                     /* of GEXF: whose attributes are declared; -1: those of the graph */
  char weight_key[KEY_BYTES]; /* of GraphML: the id of the data that are weights */
  bool in_weight_key;
  enum qn_status status;
  struct qn_error error;
  char weight[WEIGHT_BYTES], default_weight[WEIGHT_BYTES];
  char source[NAME_BYTES], destination[NAME_BYTES];
};

static void stop(struct xml_graph *xml, enum qn_status status) {
  if (!status || xml->status)
    return;
  xml->status = status;
  XML_StopParser(xml->parser, XML_FALSE);
}

/* A name without its namespace's prefix. */
static const char *local_name(const char *name) {
  for (const char *p = name; *p; p++)
    if (*p == ':')
      name = p + 1;
  return name;
}

/* Most words differ in their first letter. */
static inline bool is(const char *name, const char *word) {
  return *name == *word && strcmp(name, word) == 0;
}

/* The value of an attribute; NULL if it is not there. */
static inline const char *attribute(const char **attributes, const char *name) {
  for (; *attributes; attributes += 2)
    if (is(attributes[0], name))
      return attributes[1];
  return NULL;
}

/* Copy an attribute that has to be there. */
static bool take(struct xml_graph *xml, const char **attributes, const char *name, char *to,
                 size_t size) {
  const char *value = attribute(attributes, name);
  size_t length = value ? strlen(value) : 0;
  if (value && length < size) {
    memcpy(to, value, length + 1);
    return true;
  }
  stop(xml,
       qn_fail(&xml->error, QN_INVALID,
               value ? "the attribute %s is too long" : "expected the attribute %s; found none",
               name));
  return false;
}

static void XMLCALL take_text(void *data, const char *text, int length);

/* Most text is space between elements, and nobody is called for it. */
static void heed_text(struct xml_graph *xml, bool heeded) {
  XML_SetCharacterDataHandler(xml->parser, heeded ? take_text : NULL);
}

static void capture(struct xml_graph *xml, char *to) {
  heed_text(xml, true);
  xml->captured = to;
  xml->captured_ends = false;
  to[0] = '\0';
}

/* ---- Elements -------------------------------------------------------------- */

static void say_directed(struct xml_graph *xml, const char *word) {
  bool directed = word && (strcmp(word, "directed") == 0 || strcmp(word, "true") == 0);
  bool undirected = !word || strcmp(word, "undirected") == 0 || strcmp(word, "false") == 0;
  if (directed || undirected)
    stop(xml, qn_named_graph_directed(&xml->graph, directed, &xml->error));
  else
    stop(xml, qn_fail(&xml->error, QN_INVALID,
                      "expected edges that are directed or undirected; found '%.40s'", word));
}

static void begin_graph(struct xml_graph *xml, const char **attributes) {
  const bool is_nested = xml->open_graphs++ > 0 && !xml->gexf;
  xml->has_nested |= is_nested;
  if (xml->in_edge)
    stop(xml, qn_fail(&xml->error, QN_UNSUPPORTED, "a graph in an edge is not read"));
  else if (xml->graphs++ > 0 && !is_nested)
    stop(xml, qn_fail(&xml->error, QN_UNSUPPORTED, "a second graph is in the file; one is read"));
  else
    say_directed(xml, attribute(attributes, xml->gexf ? "defaultedgetype" : "edgedefault"));
}

/* ---- Data ------------------------------------------------------------------ */

static struct qn_element_records *records_of(const struct xml_graph *xml) {
  return xml->graph.records;
}

static void begin_value(struct xml_graph *xml) {
  heed_text(xml, true);
  xml->takes_value = true;
  xml->value.used = 0;
}

static void add_value(struct xml_graph *xml, const char *id, const char *text, uint64_t length) {
  int which = xml->in_edge ? QN_OF_EDGES : QN_OF_VERTICES;
  stop(xml, qn_xml_value(&xml->keys, records_of(xml), which, id, text, length, &xml->error));
}

static void end_value(struct xml_graph *xml) {
  const char *text = xml->value.used ? xml->value.bytes : "";
  xml->takes_value = false;
  if (xml->in_key)
    stop(xml, qn_xml_key_fallback(&xml->keys, records_of(xml), text, xml->value.used, &xml->error));
  else
    add_value(xml, xml->key, text, xml->value.used);
}

/* What GEXF calls an element, apart from its id. */
static void take_label(struct xml_graph *xml, const char **attributes) {
  const char *label = attribute(attributes, "label");
  struct qn_element_records *records = records_of(xml);
  int which = xml->in_edge ? QN_OF_EDGES : QN_OF_VERTICES;
  uint32_t column;
  if (!records || !xml->gexf || !label)
    return;
  stop(xml, qn_element_column(records, which, "label", QN_PROPERTY_STRING, &column, &xml->error));
  if (!xml->status)
    stop(xml, qn_element_value(records, which, column, label, strlen(label), true, &xml->error));
}

static void begin_attribute(struct xml_graph *xml, const char **attributes) {
  const bool of[] = {xml->of == QN_OF_VERTICES, xml->of == QN_OF_EDGES};
  if (xml->of < 0 || !take(xml, attributes, "id", xml->key, KEY_BYTES))
    return;
  xml->in_key = true;
  stop(xml,
       qn_xml_key_declare(&xml->keys, records_of(xml), xml->key, attribute(attributes, "title"),
                          attribute(attributes, "type"), of, &xml->error));
}

static void begin_attributes(struct xml_graph *xml, const char **attributes) {
  const char *class = attribute(attributes, "class");
  xml->of = class && is(class, "edge") ? QN_OF_EDGES : class && is(class, "node") ? 0 : -1;
}

/* Where values depend on the time there are several, which are refused. */
static void take_attvalue(struct xml_graph *xml, const char **attributes) {
  const char *id = attribute(attributes, "for"), *value = attribute(attributes, "value");
  id = id ? id : attribute(attributes, "id");
  if (!records_of(xml) || (!xml->in_node && !xml->in_edge) || xml->depth != xml->element_depth + 2)
    return;
  if (id && value)
    add_value(xml, id, value, strlen(value));
  else
    stop(xml, qn_fail(&xml->error, QN_INVALID, "expected an attvalue with for and value"));
}

/* ---- Vertices and edges ---------------------------------------------------- */

static void end_node(struct xml_graph *xml) {
  if (xml->in_node && records_of(xml))
    stop(xml, qn_named_graph_vertex(&xml->graph, xml->source, &xml->error));
  xml->in_node = false;
}

/* GEXF has vertices in vertices. */
static void begin_node(struct xml_graph *xml, const char **attributes) {
  end_node(xml);
  if (xml->status || !take(xml, attributes, "id", xml->source, NAME_BYTES))
    return;
  xml->in_node = true;
  xml->element_depth = xml->depth;
  if (!records_of(xml))
    stop(xml, qn_named_graph_vertex(&xml->graph, xml->source, &xml->error));
  take_label(xml, attributes);
}

static void begin_edge(struct xml_graph *xml, const char **attributes) {
  const char *type = attribute(attributes, xml->gexf ? "type" : "directed");
  end_node(xml);
  xml->in_edge = true;
  xml->element_depth = xml->depth;
  xml->has_weight = false;
  if (!take(xml, attributes, "source", xml->source, NAME_BYTES) ||
      !take(xml, attributes, "target", xml->destination, NAME_BYTES))
    return;
  if (type)
    say_directed(xml, type);
  if (xml->gexf && attribute(attributes, "weight"))
    xml->has_weight = take(xml, attributes, "weight", xml->weight, WEIGHT_BYTES);
  take_label(xml, attributes);
}

static void end_edge(struct xml_graph *xml) {
  const char *weight = xml->has_weight    ? xml->weight
                       : xml->has_default ? xml->default_weight
                                          : NULL;
  xml->in_edge = false;
  stop(xml, qn_named_graph_edge(&xml->graph, xml->source, xml->destination, weight, &xml->error));
}

static void ignore_key(struct xml_graph *xml, const char **attributes) {
  const bool none[] = {false, false};
  if (!take(xml, attributes, "id", xml->key, KEY_BYTES))
    return;
  stop(xml,
       qn_xml_key_declare(&xml->keys, records_of(xml), xml->key, NULL, NULL, none, &xml->error));
  if (!xml->status)
    qn_xml_key_ignore(&xml->keys);
}

/* "weight" of edges is the weight, and what only an editor understands is no property. */
static void begin_key(struct xml_graph *xml, const char **attributes) {
  const char *name = attribute(attributes, "attr.name"), *of = attribute(attributes, "for");
  const bool all = !of || is(of, "all");
  bool whose[] = {all || is(of, "node"), all || is(of, "edge")};
  if (attribute(attributes, "yfiles.type")) {
    ignore_key(xml, attributes);
    return;
  }
  if (name && is(name, "weight") && whose[QN_OF_EDGES]) {
    if (xml->weight_key[0])
      stop(xml, qn_fail(&xml->error, QN_INVALID,
                        "a second key of edges is called 'weight', beside '%.40s': give one of "
                        "them another name",
                        xml->weight_key));
    xml->in_weight_key = take(xml, attributes, "id", xml->weight_key, KEY_BYTES);
    whose[QN_OF_EDGES] = false;
  }
  if (xml->status || (!whose[0] && !whose[1]) || !take(xml, attributes, "id", xml->key, KEY_BYTES))
    return;
  xml->in_key = true;
  stop(xml, qn_xml_key_declare(&xml->keys, records_of(xml), xml->key, name,
                               attribute(attributes, "attr.type"), whose, &xml->error));
}

/* Those of ports and the like are not the vertex's. */
static void begin_data(struct xml_graph *xml, const char **attributes) {
  const char *key = attribute(attributes, "key");
  if (xml->in_edge && key && xml->weight_key[0] && is(key, xml->weight_key)) {
    if (xml->has_weight)
      stop(xml, qn_fail(&xml->error, QN_INVALID, "the edge has two weights"));
    xml->has_weight = true;
    capture(xml, xml->weight);
    return;
  }
  if (records_of(xml) && xml->group_depth && xml->depth == xml->group_depth + 1)
    stop(xml,
         qn_fail(&xml->error, QN_UNSUPPORTED,
                 "data of a vertex follow the graph nested in it; they are read only before it"));
  if (!records_of(xml) || (!xml->in_node && !xml->in_edge) ||
      xml->depth != xml->element_depth + 1 || !take(xml, attributes, "key", xml->key, KEY_BYTES))
    return;
  if (qn_xml_key_is_wanted(&xml->keys, xml->key, xml->in_edge ? QN_OF_EDGES : QN_OF_VERTICES))
    begin_value(xml);
}

static void begin_default(struct xml_graph *xml) {
  if (xml->in_weight_key) {
    xml->has_default = true;
    capture(xml, xml->default_weight);
  } else if (xml->in_key && records_of(xml)) {
    begin_value(xml);
  }
}

static void begin_of_graphml(struct xml_graph *xml, const char *name, const char **attributes) {
  if (is(name, "key"))
    begin_key(xml, attributes);
  else if (is(name, "data"))
    begin_data(xml, attributes);
}

static void begin_of_gexf(struct xml_graph *xml, const char *name, const char **attributes) {
  if (is(name, "attributes"))
    begin_attributes(xml, attributes);
  else if (is(name, "attribute"))
    begin_attribute(xml, attributes);
  else if (is(name, "attvalue"))
    take_attvalue(xml, attributes);
}

static void XMLCALL begin_element(void *data, const char *name, const char **attributes) {
  struct xml_graph *xml = data;
  name = local_name(name);
  if (xml->status)
    return; /* expat ends with the element */
  if (++xml->depth > MOST_DEPTH)
    stop(xml, qn_fail(&xml->error, QN_INVALID, "elements are nested deeper than %d", MOST_DEPTH));
  else if (is(name, "graph"))
    begin_graph(xml, attributes);
  else if (is(name, "node"))
    begin_node(xml, attributes);
  else if (is(name, "edge"))
    begin_edge(xml, attributes);
  else if (is(name, "hyperedge"))
    stop(xml, qn_fail(&xml->error, QN_UNSUPPORTED, "edges of more than two ends are not read"));
  else if (xml->captured)
    stop(xml, qn_fail(&xml->error, QN_INVALID, "expected a weight; found the element %.40s", name));
  else if (xml->takes_value)
    stop(xml, qn_fail(&xml->error, QN_UNSUPPORTED,
                      "the data of the key '%s' are elements, not text: --properties=NAME,... "
                      "chooses others",
                      xml->key));
  else if (is(name, "default"))
    begin_default(xml);
  else if (xml->gexf)
    begin_of_gexf(xml, name, attributes);
  else
    begin_of_graphml(xml, name, attributes);
}

static void XMLCALL end_element(void *data, const char *name) {
  struct xml_graph *xml = data;
  name = local_name(name);
  if (xml->status)
    return;
  if (xml->captured || xml->takes_value)
    heed_text(xml, false);
  if (xml->takes_value)
    end_value(xml);
  if (is(name, "node") && xml->depth == xml->element_depth)
    end_node(xml);
  xml->depth--;
  xml->captured = NULL;
  if (xml->depth < xml->group_depth)
    xml->group_depth = 0;
  if (is(name, "graph") && --xml->open_graphs > 0)
    xml->group_depth = xml->depth;
  if (is(name, "edge"))
    end_edge(xml);
  if (is(name, "key") || is(name, "attribute"))
    xml->in_weight_key = xml->in_key = false;
}

static void add_text(struct xml_graph *xml, const char *text, uint64_t length) {
  struct qn_text_buffer *value = &xml->value;
  if (value->used + length > QN_MOST_VALUE_BYTES) {
    stop(xml, qn_fail(&xml->error, QN_INVALID, "a value takes more than 16 MiB"));
    return;
  }
  char *p = qn_text_buffer_reserve(value, length);
  if (!p) {
    xml->error = value->error;
    stop(xml, value->status);
    return;
  }
  memcpy(p, text, length);
  qn_text_buffer_advance(value, p + length);
}

static void XMLCALL take_comment(void *data, const char *text) {
  struct xml_graph *xml = data;
  if (!xml->status)
    stop(xml, qn_named_graph_comment(&xml->graph, text, strlen(text), &xml->error));
}

static void XMLCALL take_text(void *data, const char *text, int length) {
  struct xml_graph *xml = data;
  if (xml->takes_value && !xml->status)
    add_text(xml, text, (uint64_t)length);
  if (!xml->captured)
    return;
  size_t used = strlen(xml->captured);
  for (int i = 0; i < length; i++) {
    bool space = text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r');
    if (space) {
      xml->captured_ends = used > 0;
      continue;
    }
    if (xml->captured_ends) {
      stop(xml, qn_fail(&xml->error, QN_INVALID, "expected one weight; found more after '%.40s'",
                        xml->captured));
      return;
    }
    if (used + 1 == WEIGHT_BYTES) {
      stop(xml,
           qn_fail(&xml->error, QN_INVALID, "the weight is too long: '%.40s...'", xml->captured));
      return;
    }
    xml->captured[used++] = text[i];
    xml->captured[used] = '\0';
  }
}

static void XMLCALL refuse_entity(void *data, const char *name, int is_parameter, const char *value,
                                  int length, const char *base, const char *system_id,
                                  const char *public_id, const char *notation) {
  struct xml_graph *xml = data;
  (void)is_parameter, (void)value, (void)length, (void)base, (void)system_id, (void)public_id,
      (void)notation;
  stop(xml, qn_fail(&xml->error, QN_UNSUPPORTED,
                    "the file declares an entity, '%.40s', which is not read", name));
}

/* ---- The whole ------------------------------------------------------------- */

static enum qn_status fail_at(struct xml_graph *xml, const char *file, struct qn_error *error) {
  if (!xml->status)
    xml->status = qn_fail(&xml->error, QN_INVALID, "damaged XML: %s",
                          XML_ErrorString(XML_GetErrorCode(xml->parser)));
  uint64_t line = XML_GetCurrentLineNumber(xml->parser);
  uint64_t column = XML_GetCurrentColumnNumber(xml->parser) + 1;
  if (xml->status != QN_SYSTEM)
    qn_error_at_line(&xml->error, file, line, column);
  if (error)
    *error = xml->error;
  return xml->status;
}

static enum qn_status parse_block(struct xml_graph *xml, struct qn_input *input,
                                  const struct qn_input_block *block, struct qn_error *error) {
  enum { PIECE = 1 << 20 };
  for (uint64_t at = 0; at < block->bytes;) {
    uint64_t left = block->bytes - at, bytes = left < PIECE ? left : PIECE;
    if (XML_Parse(xml->parser, block->data + at, (int)bytes, 0) != XML_STATUS_OK)
      return fail_at(xml, qn_input_name(input), error);
    qn_input_done(input, block->data + at, bytes);
    qn_progress_add(bytes);
    at += bytes;
  }
  return QN_OK;
}

static enum qn_status parse(struct xml_graph *xml, struct qn_input *input, struct qn_error *error) {
  struct qn_input_block block;
  enum qn_status status;
  while (!(status = qn_input_next(input, &block, error)) && block.bytes)
    if ((status = parse_block(xml, input, &block, error)))
      return status;
  if (status)
    return status;
  if (XML_Parse(xml->parser, "", 0, 1) != XML_STATUS_OK)
    return fail_at(xml, qn_input_name(input), error);
  if (xml->graphs)
    return QN_OK;
  qn_fail(error, QN_INVALID, "no graph is in the file");
  return qn_error_in_file(error, qn_input_name(input));
}

static enum qn_status read_xml(struct qn_input *input, const struct qn_read_options *options,
                               struct qn_edge_list *list, uint64_t *sequence,
                               struct qn_read_result *result, bool gexf, struct qn_error *error) {
  struct xml_graph *xml;
  enum qn_status status = qn_alloc_zeroed(&xml, 1, sizeof *xml, "a reader of XML", error);
  if (status)
    return status;
  xml->gexf = gexf;
  xml->parser = XML_ParserCreate(NULL);
  status = qn_named_graph_begin(&xml->graph, options, list, sequence, result, error);
  xml->graph.declares = true;
  xml->graph.default_weight = gexf && options->alone ? "1" : NULL;
  if (!status && !xml->parser)
    status = qn_fail_memory(error, "a parser of XML", 0);
  if (!status) {
    XML_SetUserData(xml->parser, xml);
    XML_SetElementHandler(xml->parser, begin_element, end_element);
    XML_SetCommentHandler(xml->parser, take_comment);
    XML_SetEntityDeclHandler(xml->parser, refuse_entity);
    status = parse(xml, input, error);
  }
  snprintf(result->description, sizeof result->description,
           "vertices called by their ids, %s, %s%s",
           xml->graph.directed ? "directed" : "undirected",
           xml->graph.weighted ? "weights called 'weight'" : "no weights",
           xml->keys.count && !options->others_wanted
               ? "; other data are not read (--properties=all reads them)"
               : "");
  if (!status && xml->has_nested)
    qn_note(QN_NOTE_NOT_READ,
            "graphs are in vertices (groups): their vertices and edges are taken as those of one "
            "graph, and who is in which group is not kept");
  result->number_names |= xml->graph.numbers;
  result->string_names |= !xml->graph.numbers;
  status = qn_named_graph_end(&xml->graph, status, error);
  XML_ParserFree(xml->parser);
  qn_xml_keys_release(&xml->keys);
  qn_free(xml->value.bytes);
  qn_free(xml);
  return status;
}

static enum qn_status read_graphml(struct qn_input *input, const struct qn_read_options *options,
                                   struct qn_edge_list *list, uint64_t *sequence,
                                   struct qn_read_result *result, struct qn_error *error) {
  return read_xml(input, options, list, sequence, result, false, error);
}

static enum qn_status read_gexf(struct qn_input *input, const struct qn_read_options *options,
                                struct qn_edge_list *list, uint64_t *sequence,
                                struct qn_read_result *result, struct qn_error *error) {
  return read_xml(input, options, list, sequence, result, true, error);
}

/* Is `tag` the first element, or near to it? */
static int detect_tag(const char *head, uint64_t bytes, const char *tag) {
  enum { NEAR = 4096 };
  const char *p = head, *end = head + bytes;
  while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
    p++;
  if (p == end || *p != '<')
    return 0;
  uint64_t left = (uint64_t)(end - p);
  return memmem(p, left < NEAR ? left : NEAR, tag, strlen(tag)) ? 3 : 0;
}

static int detect_graphml(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  (void)options;
  return detect_tag(head, bytes, "<graphml");
}

static int detect_gexf(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  (void)options;
  return detect_tag(head, bytes, "<gexf");
}

const struct qn_reader qn_reader_graphml = {
    .name = "graphml",
    .detect = detect_graphml,
    .read = read_graphml,
    .release = qn_names_release,
    .gives_properties = true,
};

const struct qn_reader qn_reader_gexf = {
    .name = "gexf",
    .detect = detect_gexf,
    .read = read_gexf,
    .release = qn_names_release,
    .gives_properties = true,
};
