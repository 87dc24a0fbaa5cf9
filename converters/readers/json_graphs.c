/* Edges in JSON: node-link graphs of networkx and D3, JSON Graph Format, Cytoscape, lists of edges,
 * and JSON lines, an edge a line, as DuckDB, jq and Spark write them.
 *
 *   {"directed": false, "nodes": [{"id": 0}], "links": [{"source": 0, "target": 0, "weight": 2}]}
 *   {"graph": {"nodes": {"a": {}}, "edges": [{"source": "a", "target": "a"}]}}
 *   {"elements": {"nodes": [{"data": {"id": "a"}}], "edges": [{"data": {"source": ...}}]}}
 *   [{"source": "a", "target": "b"}]   or   [["a", "b", 0.5]]
 *   {"source": "a", "target": "b"}
 *
 * What is around edges and vertices is read as it comes; jansson decodes them one by one. Vertices
 * without an id are called by their place, from 0 on, as D3 does it. Other members of theirs are
 * properties; then JSON lines come one by one, too. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "converters/elements/named_graph.h"
#include "converters/parse/characters.h"
#include "converters/parse/reader.h"
#include "converters/readers/json_edge.h"
#include "converters/readers/json_lines.h"
#include "converters/readers/json_members.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_output.h"
#include "support/memory.h"

#define MOST_DEPTH 256

#define WEIGHT_BYTES 64

struct json_graph {
  struct qn_characters characters;
  struct qn_named_graph graph;
  struct qn_error *error;
  uint64_t nodes;              /* listed */
  bool nodes_seen, edges_seen; /* lists of them */
  bool type_said;              /* by graphology's options, for all edges */
  bool undirected;             /* every edge says so */
  bool is_jgf;                 /* JSON Graph Format: an edge may say 'directed' */
  bool is_wrapped;             /* Cytoscape: vertices and edges are called 'data' in objects */
  bool has_others;             /* some vertex or edge has data that are not the graph's */
  struct qn_json_ids ids;
  struct qn_text_buffer element;
};

#define FAIL(json, ...) qn_characters_fail(&(json)->characters, (json)->error, __VA_ARGS__)

/* ---- Values as they come --------------------------------------------------- */

/* Take what lies before `to`, in the block. */
static enum qn_status keep(struct json_graph *json, bool kept, const char *to) {
  struct qn_characters *characters = &json->characters;
  uint64_t bytes = (uint64_t)(to - characters->next);
  uint64_t room = QN_MOST_VALUE_BYTES - json->element.used;
  if (kept) {
    uint64_t fits = bytes < room ? bytes : room;
    char *p = qn_text_buffer_reserve(&json->element, fits);
    if (!p)
      return qn_fail_memory(json->error, "an element of JSON", json->element.used);
    memcpy(p, characters->next, fits);
    qn_text_buffer_advance(&json->element, p + fits);
  }
  qn_characters_take_to(characters, kept && bytes > room ? characters->next + room : to);
  return kept && bytes > room ? FAIL(json, "an edge or a vertex takes more than 16 MiB") : QN_OK;
}

static enum qn_status keep_one(struct json_graph *json, bool kept) {
  return keep(json, kept, json->characters.next + 1);
}

/* The first quote or backslash in [p, end), or `end`. */
static const char *string_stop(const char *p, const char *end) {
  while (p < end && *p != '"' && *p != '\\')
    p++;
  return p;
}

static enum qn_status pass_string(struct json_graph *json, bool kept) {
  struct qn_characters *characters = &json->characters;
  enum qn_status status = keep_one(json, kept);
  for (int c = 0; !status && c != '"';) {
    if (qn_character(characters) < 0)
      return FAIL(json, "a string is not closed");
    const char *stop = string_stop(characters->next, characters->end);
    bool escapes = stop < characters->end && *stop == '\\';
    c = stop < characters->end ? *stop : 0;
    status = keep(json, kept, stop < characters->end ? stop + 1 : stop);
    if (!status && escapes) {
      if (qn_character(characters) < 0)
        return FAIL(json, "a string is not closed");
      status = keep_one(json, kept);
    }
  }
  return status;
}

static bool ends_scalar(int c) {
  return c < 0 || c == ',' || c == ']' || c == '}' || c == ':' || c == ' ' ||
         (c >= '\t' && c <= '\r');
}

/* The next value whole; `kept` in json->element. */
static enum qn_status pass_value(struct json_graph *json, bool kept) {
  enum qn_status status = QN_OK;
  uint32_t depth = 0;
  json->element.used = 0;
  do {
    int c = qn_characters_skip_space(&json->characters);
    if (c < 0)
      return FAIL(json, "the file ends in a value");
    if (c == '"') {
      status = pass_string(json, kept);
    } else if (c == '{' || c == '[' || c == '}' || c == ']') {
      bool opens = c == '{' || c == '[';
      if (!opens && depth == 0)
        return FAIL(json, "expected a value");
      if ((depth = opens ? depth + 1 : depth - 1) > MOST_DEPTH)
        return FAIL(json, "values are nested deeper than %d", MOST_DEPTH);
      status = keep_one(json, kept);
    } else if (c == ',' || c == ':') {
      if (depth == 0)
        return FAIL(json, "expected a value");
      status = keep_one(json, kept);
    } else {
      while (!status && !ends_scalar(qn_character(&json->characters)))
        status = keep_one(json, kept);
    }
  } while (depth && !status);
  return status;
}

/* The element, decoded: a new reference. */
static enum qn_status decode(struct json_graph *json, json_t **value) {
  json_error_t fault;
  *value = qn_json_load(json->element.bytes, json->element.used, json->graph.numbers, &fault);
  return *value ? QN_OK : FAIL(json, "before this: not JSON: %s", fault.text);
}

/* The next value, decoded. */
static enum qn_status take_value(struct json_graph *json, json_t **value) {
  *value = NULL;
  enum qn_status status = pass_value(json, true);
  return status ? status : decode(json, value);
}

static enum qn_status expect(struct json_graph *json, int wanted) {
  if (qn_characters_skip_space(&json->characters) != wanted)
    return FAIL(json, "expected '%c'", wanted);
  qn_character_take(&json->characters);
  return QN_OK;
}

/* Behind an element: true if another one follows, else the list is closed. */
static bool follows(struct json_graph *json, int close, enum qn_status *status) {
  int c = qn_characters_skip_space(&json->characters);
  if (c != ',' && c != close) {
    *status = FAIL(json, "expected ',' or '%c'", close);
    return false;
  }
  qn_character_take(&json->characters);
  return c == ',';
}

/* ---- Names ----------------------------------------------------------------- */

static bool may_be_name(const struct qn_json_text *text) {
  return text->length <= QN_MAX_NAME_BYTES && !memchr(text->begin, '\0', text->length);
}

/* `bytes` NULL: there is none. */
static struct qn_text text_of(const struct qn_json_text *text) {
  return (struct qn_text){text->begin, text->length};
}

static enum qn_status fail_element(struct json_graph *json, const char *expected) {
  char quoted[QN_QUOTE_BYTES];
  return FAIL(json, "before this: expected %s; found %s", expected,
              qn_text_quote(json->element.bytes, json->element.bytes + json->element.used, quoted));
}

/* False if it is no id. */
static bool heed_id(struct json_graph *json, const struct qn_json_text *id, bool string) {
  if (!may_be_name(id))
    return false;
  qn_json_ids_add(&json->ids, id, string);
  return true;
}

/* ---- Properties ------------------------------------------------------------ */

static bool is_id(const json_t *value, const char *name) {
  return strcmp(name, json_object_get(value, "id") ? "id" : "key") == 0;
}

/* Of a vertex or an edge, an object, which was taken last. */
static enum qn_status take_properties(struct json_graph *json, const json_t *value, int which) {
  struct qn_json_member member;
  enum qn_status status;
  qn_json_members_begin(&member, json->element.bytes, json->element.bytes + json->element.used);
  while (qn_json_members_next(&member, &status, json->error)) {
    if (which == QN_OF_EDGES ? qn_json_is_edge_member(value, member.name)
                             : is_id(value, member.name))
      continue;
    status = qn_element_named_value(json->graph.records, which, member.name, member.text,
                                    member.length, member.quoted, json->error);
    if (status)
      break;
  }
  qn_json_members_end(&member);
  return status ? qn_characters_fail_here(&json->characters, status, json->error) : QN_OK;
}

/* What the first weight is called is what weights are called, unless Quern has said it. */
static void call_weight(struct json_graph *json, const json_t *value) {
  char *weight = json->graph.records->tables[QN_OF_EDGES].records->weight;
  const char *name = qn_json_weight_name(value);
  if (!*weight && name)
    snprintf(weight, QN_PROPERTY_NAME_BYTES + 1, "%s", name);
}

static enum qn_status heed_members(struct json_graph *json, const json_t *value, int which,
                                   size_t usual) {
  if (!json_is_object(value))
    return QN_OK;
  json->has_others |= json_object_size(value) > usual;
  if (!json->graph.records)
    return QN_OK;
  if (which == QN_OF_EDGES)
    call_weight(json, value);
  return take_properties(json, value, which);
}

/* ---- Vertices and edges ---------------------------------------------------- */

/* NULL: it is called by its place in the list. */
static enum qn_status push_node(struct json_graph *json, const struct qn_json_text *id) {
  char place[24];
  struct qn_text name = id ? text_of(id) : (struct qn_text){place, 0};
  if (!id)
    name.length = (uint64_t)sprintf(place, "%" PRIu64, json->nodes);
  json->nodes++;
  enum qn_status status = qn_named_graph_called(&json->graph, name, json->error);
  return status ? qn_characters_fail_here(&json->characters, status, json->error) : QN_OK;
}

static enum qn_status take_unusual_node(struct json_graph *json) {
  struct qn_json_text text;
  char number[32];
  json_t *value;
  enum qn_status status = take_value(json, &value);
  if (status)
    return status;
  const json_t *id = value;
  if (json_is_object(value) && !(id = json_object_get(value, "id")))
    id = json_object_get(value, "key");
  const bool fine =
      !id || (qn_json_id(id, &text, number) && heed_id(json, &text, json_is_string(id)));
  status = heed_members(json, value, QN_OF_VERTICES, 1);
  if (status)
    status = qn_characters_fail_here(&json->characters, status, json->error);
  else if (fine)
    status = push_node(json, id ? &text : NULL);
  else
    status = fail_element(json, "a vertex whose id is a string or an integer below 2^63");
  json_decref(value);
  return status;
}

static enum qn_status take_node(struct json_graph *json) {
  struct qn_characters *characters = &json->characters;
  struct qn_json_node node;
  qn_characters_skip_space(characters);
  const char *behind =
      json->graph.records ? NULL : qn_json_node_scan(characters->next, characters->end, &node);
  if (!behind || (node.id.begin && !heed_id(json, &node.id, node.string)))
    return take_unusual_node(json);
  json->has_others |= node.others;
  qn_characters_take_to(characters, behind);
  return push_node(json, node.id.begin ? &node.id : NULL);
}

/* An edge of JGF has a word of its own, which is to be that of the graph. */
static enum qn_status heed_own_direction(struct json_graph *json, const json_t *value) {
  const json_t *said = json_object_get(value, "directed");
  if (!json_is_boolean(said))
    return QN_OK;
  enum qn_status status = qn_named_graph_directed(&json->graph, json_is_true(said), json->error);
  return status ? qn_characters_fail_here(&json->characters, status, json->error) : QN_OK;
}

/* graphology says of every edge whether it is undirected. */
static enum qn_status heed_direction(struct json_graph *json, const json_t *value) {
  if (json->is_jgf && json_is_object(value))
    return heed_own_direction(json, value);
  const json_t *said = json_is_object(value) ? json_object_get(value, "undirected") : NULL;
  const bool undirected = json_is_true(said);
  if (json->type_said || (!undirected && !json->undirected))
    return QN_OK;
  if (!undirected || (json->graph.edges && !json->undirected))
    return fail_element(json, undirected ? "an edge that is directed, as those before"
                                         : "an edge that is 'undirected', as those before");
  json->undirected = true;
  return json->graph.edges ? QN_OK : qn_named_graph_directed(&json->graph, false, json->error);
}

static struct qn_place place_of(const struct qn_characters *characters) {
  return (struct qn_place){qn_input_name(characters->input), characters->line,
                           (uint64_t)(characters->next - characters->line_begin) + 1};
}

/* An edge is between vertices of the list, if there is one. */
static enum qn_status push_named(struct json_graph *json, const struct qn_json_edge *edge) {
  json->graph.closed = json->nodes > 0;
  if (json->graph.closed)
    json->graph.place = place_of(&json->characters);
  return qn_named_graph_between(&json->graph, text_of(&edge->source), text_of(&edge->target),
                                text_of(&edge->weight), json->error);
}

/* The edge of `value`, or a `usual` one, of which it is all that counts. */
static enum qn_status push_edge(struct json_graph *json, const struct qn_json_edge *edge,
                                const json_t *value) {
  if (edge->weight.begin && edge->weight.length >= WEIGHT_BYTES)
    return fail_element(json, "a weight of less than 64 characters");
  if (!may_be_name(&edge->source) || !may_be_name(&edge->target))
    return fail_element(json, "names of at most 65,535 bytes, without NUL");
  json->ids.strings |= edge->ids.strings;
  json->ids.digits |= edge->ids.digits;
  json->ids.numbers |= edge->ids.numbers;
  json->ids.unlike |= edge->ids.unlike;
  json->ids.alike |= edge->ids.alike;
  json->has_others |= edge->others;
  enum qn_status status =
      value && json->graph.records ? heed_members(json, value, QN_OF_EDGES, 0) : QN_OK;
  if (!status)
    status = push_named(json, edge);
  return status ? qn_characters_fail_here(&json->characters, status, json->error) : QN_OK;
}

static enum qn_status take_unusual_edge(struct json_graph *json) {
  struct qn_json_edge edge;
  json_t *value;
  enum qn_status status = take_value(json, &value);
  if (status)
    return status;
  if (qn_json_edge_of(value, &edge))
    status = (status = heed_direction(json, value)) ? status : push_edge(json, &edge, value);
  else
    status = fail_element(json, "an edge with source and target, strings or integers below 2^63");
  json_decref(value);
  return status;
}

static bool says_direction(const char *begin, const char *end) {
  static const char word[] = "directed\"";
  return memmem(begin, (size_t)(end - begin), word, sizeof word - 1) != NULL;
}

/* Most edges are usual, and lie in the block: they are read there, and neither kept nor decoded. */
static enum qn_status take_edge(struct json_graph *json) {
  struct qn_characters *characters = &json->characters;
  struct qn_json_edge edge;
  qn_characters_skip_space(characters);
  const char *behind =
      json->graph.records ? NULL : qn_json_edge_scan(characters->next, characters->end, &edge);
  if (!behind || json->undirected || (edge.others && says_direction(characters->next, behind)) ||
      edge.weight.length >= WEIGHT_BYTES || edge.source.length > QN_MAX_NAME_BYTES ||
      edge.target.length > QN_MAX_NAME_BYTES)
    return take_unusual_edge(json);
  qn_characters_take_to(characters, behind);
  return push_edge(json, &edge, NULL);
}

/* A key and the colon behind it: a new reference, NULL if there is none. */
static enum qn_status take_key(struct json_graph *json, json_t **key) {
  *key = NULL;
  if (qn_characters_skip_space(&json->characters) != '"')
    return FAIL(json, "expected a key");
  enum qn_status status = take_value(json, key);
  return status ? status : expect(json, ':');
}

static enum qn_status take_list(struct json_graph *json,
                                enum qn_status (*take)(struct json_graph *json)) {
  enum qn_status status = expect(json, '[');
  if (status)
    return status;
  if (qn_characters_skip_space(&json->characters) == ']')
    return expect(json, ']');
  do
    status = take(json);
  while (!status && follows(json, ']', &status));
  return status;
}

/* An object of which only the member 'data' counts. */
static enum qn_status take_wrapped(struct json_graph *json,
                                   enum qn_status (*take)(struct json_graph *json)) {
  bool found = false;
  json_t *key;
  enum qn_status status = expect(json, '{');
  if (status)
    return status;
  do {
    status = take_key(json, &key);
    const char *name = key ? json_string_value(key) : "";
    const bool is_data = strcmp(name, "data") == 0;
    if (!status && is_data && found)
      status = FAIL(json, "expected one member 'data'");
    if (!status)
      status = is_data ? take(json) : pass_value(json, false);
    found |= is_data;
    json_decref(key);
  } while (!status && follows(json, '}', &status));
  if (!status && !found)
    status = FAIL(json, "before this: expected a vertex or an edge with 'data'");
  return status;
}

static enum qn_status take_wrapped_edge(struct json_graph *json) {
  return take_wrapped(json, take_edge);
}

static enum qn_status take_wrapped_node(struct json_graph *json) {
  return take_wrapped(json, take_node);
}

/* A vertex of an object of vertices, by its key. */
static enum qn_status take_keyed_node(struct json_graph *json) {
  json_t *key, *value = NULL;
  enum qn_status status = take_key(json, &key);
  if (status)
    return status;
  const struct qn_json_text id = {json_string_value(key), json_string_length(key)};
  if (!heed_id(json, &id, true))
    status = FAIL(json, "before this: expected a name of at most 65,535 bytes, without NUL");
  if (!status && json->graph.records)
    status = take_value(json, &value);
  else if (!status)
    status = pass_value(json, false);
  json->has_others = true;
  if (!status && json->graph.records)
    status = heed_members(json, value, QN_OF_VERTICES, 0);
  if (!status)
    status = push_node(json, &id);
  json_decref(value);
  json_decref(key);
  return status;
}

static enum qn_status take_nodes(struct json_graph *json) {
  enum qn_status status;
  if (json->nodes_seen)
    return FAIL(json, "a second list of vertices");
  json->nodes_seen = true;
  if (qn_characters_skip_space(&json->characters) != '{')
    return take_list(json, json->is_wrapped ? take_wrapped_node : take_node);
  if ((status = expect(json, '{')) || qn_characters_skip_space(&json->characters) == '}')
    return status ? status : expect(json, '}');
  do
    status = take_keyed_node(json);
  while (!status && follows(json, '}', &status));
  return status;
}

/* ---- Documents ------------------------------------------------------------- */

static enum qn_status take_hint(struct json_graph *json) {
  json_t *value;
  enum qn_status status = take_value(json, &value);
  if (!status)
    status = qn_named_graph_hint(&json->graph, value, json->error);
  json_decref(value);
  return status ? qn_characters_fail_here(&json->characters, status, json->error) : QN_OK;
}

static enum qn_status take_directed(struct json_graph *json) {
  json_t *value;
  enum qn_status status = take_value(json, &value);
  if (!status)
    status = json_is_boolean(value)
                 ? qn_named_graph_directed(&json->graph, json_is_true(value), json->error)
                 : FAIL(json, "expected true or false for 'directed'");
  json_decref(value);
  return status ? qn_characters_fail_here(&json->characters, status, json->error) : QN_OK;
}

/* graphology's, of which one says whether edges are directed: directed, undirected or mixed. */
static enum qn_status take_options(struct json_graph *json) {
  json_t *value;
  enum qn_status status = take_value(json, &value);
  const char *type = json_string_value(json_object_get(value, "type"));
  const bool directed = type && strcmp(type, "directed") == 0;
  if (!status && (directed || (type && strcmp(type, "undirected") == 0))) {
    json->type_said = true;
    status = qn_named_graph_directed(&json->graph, directed, json->error);
  }
  json_decref(value);
  return status ? qn_characters_fail_here(&json->characters, status, json->error) : QN_OK;
}

static enum qn_status take_members(struct json_graph *json, bool is_inner);

/* A graph within the document; of networkx's node-link graphs the data of the graph are called so,
 * which have no edges. */
static enum qn_status take_inner(struct json_graph *json, bool is_wrapped) {
  const int c = qn_characters_skip_space(&json->characters);
  if (c == '[' && is_wrapped)
    return FAIL(json, "the elements of this file of Cytoscape are one list: expected an object of "
                      "nodes and edges, as Cytoscape and cy.json() write it");
  if (c != '{')
    return pass_value(json, false);
  json->is_wrapped = is_wrapped;
  json->is_jgf = !is_wrapped;
  enum qn_status status = take_members(json, true);
  json->is_wrapped = json->is_jgf = false;
  return status;
}

static enum qn_status take_edges(struct json_graph *json) {
  if (json->edges_seen)
    return FAIL(json, "a second list of edges");
  json->edges_seen = true;
  return take_list(json, json->is_wrapped ? take_wrapped_edge : take_edge);
}

/* What graphs have in the document, and within it. `c` begins the value: what networkx keeps of a
 * graph in "graph" may be called the same, and is something else. */
static enum qn_status take_member_called(struct json_graph *json, const char *name, int c,
                                         bool is_inner) {
  const bool is_list = c == '[', is_object = c == '{';
  if ((strcmp(name, "links") == 0 || strcmp(name, "edges") == 0) && (is_list || !is_inner))
    return take_edges(json);
  if ((strcmp(name, "nodes") == 0 || strcmp(name, "vertices") == 0) &&
      (is_list || is_object || !is_inner))
    return take_nodes(json);
  if (strcmp(name, "directed") == 0 && (c == 't' || c == 'f' || !is_inner))
    return take_directed(json);
  if (is_inner)
    return strcmp(name, "hyperedges") == 0 && is_list
               ? FAIL(json, "edges of more than two ends are not read")
               : pass_value(json, false);
  if (strcmp(name, "options") == 0)
    return take_options(json);
  if (strcmp(name, "quern") == 0)
    return take_hint(json);
  if (strcmp(name, "graph") == 0 || strcmp(name, "elements") == 0)
    return take_inner(json, *name == 'e');
  return strcmp(name, "graphs") == 0 ? FAIL(json, "several graphs are in the file (JSON Graph "
                                                  "Format); one is read, called 'graph'")
                                     : pass_value(json, false);
}

static enum qn_status take_members(struct json_graph *json, bool is_inner) {
  enum qn_status status = expect(json, '{');
  json_t *key;
  if (status || qn_characters_skip_space(&json->characters) == '}')
    return status ? status : expect(json, '}');
  do {
    status = take_key(json, &key);
    if (!status)
      status = take_member_called(json, json_string_value(key),
                                  qn_characters_skip_space(&json->characters), is_inner);
    json_decref(key);
  } while (!status && follows(json, '}', &status));
  return status;
}

static enum qn_status take_node_link(struct json_graph *json) {
  enum qn_status status = take_members(json, false);
  if (!status && !json->edges_seen)
    status = FAIL(json, "no list called links or edges is in the file");
  return status;
}

/* Edges that follow each other. */
static enum qn_status take_lines(struct json_graph *json) {
  enum qn_status status = QN_OK;
  while (!status && qn_characters_skip_space(&json->characters) >= 0)
    status = take_edge(json);
  return status;
}

static enum qn_status parse(struct json_graph *json, bool lines) {
  int c = qn_characters_skip_space(&json->characters);
  enum qn_status status = lines      ? take_lines(json)
                          : c == '[' ? take_list(json, take_edge)
                                     : take_node_link(json);
  if (!status && qn_characters_skip_space(&json->characters) >= 0)
    status = FAIL(json, "something follows the graph");
  if (!status && json->characters.status)
    status = qn_characters_fail_here(&json->characters, json->characters.status, json->error);
  return status;
}

static enum qn_status read_graph(struct qn_input *input, bool lines,
                                 const struct qn_read_options *options, struct qn_edge_list *list,
                                 uint64_t *sequence, struct qn_read_result *result,
                                 struct qn_error *error) {
  struct json_graph *json;
  enum qn_status status = qn_alloc_zeroed(&json, 1, sizeof *json, "a reader of JSON", error);
  if (status)
    return status;
  json->error = error;
  qn_characters_begin(&json->characters, input);
  status = qn_named_graph_begin(&json->graph, options, list, sequence, result, error);
  if (!status)
    status = parse(json, lines);
  result->string_names |= json->ids.strings && !json->graph.numbers;
  json->ids.alike |= json->nodes > 0; /* which says what a number is */
  if (!status && !json->graph.numbers && !options->strings &&
      (status = qn_json_ids_check(&json->ids, error)))
    qn_error_in_file(error, qn_input_name(input));
  status = qn_named_graph_end(&json->graph, status, error);
  snprintf(result->description, sizeof result->description, "%s%s, %s%s",
           json->nodes ? "vertices and edges" : "a list of edges",
           json->graph.weighted ? ", weights" : ", no weights",
           json->graph.directed_is_said && !json->graph.directed ? "undirected" : "directed",
           json->has_others && !options->others_wanted
               ? "; other data are not read (--properties=all reads them)"
               : "");
  qn_free(json->element.bytes);
  qn_free(json);
  return status;
}

/* Three lists of three numbers may be edges with weights, or a matrix: of 0 and 1 alone, or its own
 * transpose with one value in its diagonal. Larger ones are no edges. */
static bool is_matrix(const char *head, uint64_t bytes) {
  enum { SIDE = 3, MOST_BYTES = 4096 };
  json_t *rows = bytes < MOST_BYTES ? json_loadb(head, bytes, 0, NULL) : NULL;
  bool square = json_array_size(rows) == SIDE, bits = true, symmetric = true;
  double cells[SIDE][SIDE] = {{0}};
  for (size_t i = 0; i < SIDE && square; i++)
    for (size_t j = 0; j < SIDE; j++) {
      const json_t *row = json_array_get(rows, i), *cell = json_array_get(row, j);
      square &= json_array_size(row) == SIDE && json_is_number(cell);
      cells[i][j] = json_number_value(cell);
      bits &= cells[i][j] == 0 || cells[i][j] == 1;
    }
  for (size_t i = 0; i < SIDE; i++)
    for (size_t j = 0; j < SIDE; j++)
      symmetric &= cells[i][j] == cells[j][i] && cells[i][i] == cells[j][j];
  json_decref(rows);
  return square && (bits || symmetric);
}

static enum qn_status read_json(struct qn_input *input, const struct qn_read_options *options,
                                struct qn_edge_list *list, uint64_t *sequence,
                                struct qn_read_result *result, struct qn_error *error) {
  struct qn_input_block head = {NULL};
  enum qn_status status = qn_input_peek(input, &head.data, &head.bytes, error);
  if (status)
    return status;
  qn_text_skip_mark(&head);
  if (is_matrix(head.data, head.bytes)) {
    qn_fail(error, QN_INVALID,
            "this is an adjacency matrix, not a list of edges: scipy.io.mmwrite('g.mtx', "
            "scipy.sparse.coo_array(A)) writes what is read");
    return qn_error_in_file(error, qn_input_name(input));
  }
  result->number_names = true;
  result->string_names |= options->strings;
  const bool lines = qn_json_lines_begin(head.data, head.bytes);
  if (lines && !options->records)
    return qn_json_lines_read(input, options, list, sequence, result, error);
  return read_graph(input, lines || qn_json_objects_begin(head.data, head.bytes), options, list,
                    sequence, result, error);
}

static int detect_json(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  static const char *const words[] = {"\"links\"", "\"edges\"", "\"nodes\"", "\"directed\""};
  const char *p = head, *end = head + bytes;
  (void)options;
  while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
    p++;
  if (p == end || (*p != '{' && *p != '['))
    return 0;
  bool list = *p == '[';
  for (p++; list && p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r'));)
    p++;
  if (list)
    return p < end && (*p == '{' || *p == '[' || *p == ']') ? 3 : 0;
  if (qn_json_lines_begin(head, bytes) || qn_json_objects_begin(head, bytes))
    return 3;
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (memmem(head, bytes, words[i], strlen(words[i])))
      return 3;
  return 0;
}

const struct qn_reader qn_reader_json = {
    .name = "json",
    .detect = detect_json,
    .read = read_json,
    .release = qn_names_release,
    .gives_properties = true,
};
