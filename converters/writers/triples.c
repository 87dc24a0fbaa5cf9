/* RDF as N-Triples and N-Quads, so that converters/readers/triples.c reads the same graph: an edge
 * is a triple, whose predicate its property `predicate` or TYPE says, and in N-Quads `graph` its
 * graph; properties of vertices are literals, and LABEL is what rdf:type says. Names that are no
 * IRIs and no blank nodes stand behind an IRI of the user's. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "converters/output/element_text.h"
#include "converters/output/losses.h"
#include "converters/output/property_text.h"
#include "converters/output/writer.h"
#include "formats/text/text_fields.h"
#include "support/memory.h"

#define RDF_TYPE "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
#define SCHEMA "http://www.w3.org/2001/XMLSchema#"
/* A vertex type of vertices without rdf:type; what edges without a predicate are called. */
#define NO_TYPE "vertex"
#define NO_PREDICATE "edge"

struct triples {
  struct qn_element_text text;                           /* first: forms get a pointer to it */
  const struct qn_property *predicates, *graphs, *types; /* columns of texts; NULL: there is none */
  const char *base; /* stands before what is no IRI; NULL: that is refused */
  bool *lists;      /* [columns of vertices] values are lists of JSON, and each a literal */
};

static const struct triples *triples_of(const struct qn_element_text *text) {
  return (const struct triples *)text;
}

/* ---- Terms ------------------------------------------------------------------------ */

static bool is_letter(char c) {
  return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Does it begin with a scheme and a colon, as an absolute IRI does? */
static bool is_iri(struct qn_text name) {
  uint64_t i = 0;
  while (i < name.length && (is_letter(name.bytes[i]) ||
                             (i > 0 && name.bytes[i] && strchr("0123456789+-.", name.bytes[i]))))
    i++;
  return i > 0 && i + 1 < name.length && name.bytes[i] == ':';
}

static bool is_blank_node(struct qn_text name) {
  if (name.length < 3 || name.bytes[0] != '_' || name.bytes[1] != ':')
    return false;
  for (uint64_t i = 2; i < name.length; i++) {
    const char c = name.bytes[i];
    const bool inside = i > 2 && (c == '-' || (c == '.' && i + 1 < name.length));
    if (!is_letter(c) && !qn_is_digit(c) && c != '_' && !inside)
      return false;
  }
  return true;
}

/* Characters that an IRI has no place for are \uXXXX. */
static void put_iri_bytes(struct qn_text_buffer *buffer, struct qn_text name) {
  static const char digits[] = "0123456789ABCDEF";
  uint64_t plain = 0;
  for (uint64_t i = 0; i < name.length; i++) {
    const unsigned char c = (unsigned char)name.bytes[i];
    if (c > ' ' && !strchr("<>\"{}|^`\\", c))
      continue;
    const char escaped[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
    qn_put_bytes(buffer, name.bytes + plain, i - plain);
    qn_put_bytes(buffer, escaped, sizeof escaped);
    plain = i + 1;
  }
  qn_put_bytes(buffer, name.bytes + plain, name.length - plain);
}

static void put_iri(const struct triples *triples, struct qn_text_buffer *buffer,
                    struct qn_text name) {
  qn_put_string(buffer, "<");
  if (triples->base && !is_iri(name))
    put_iri_bytes(buffer, qn_text_of(triples->base));
  put_iri_bytes(buffer, name);
  qn_put_string(buffer, ">");
}

static void put_node(const struct triples *triples, struct qn_text_buffer *buffer,
                     struct qn_text name) {
  if (is_blank_node(name))
    qn_put_bytes(buffer, name.bytes, name.length);
  else
    put_iri(triples, buffer, name);
}

static void put_vertex(const struct triples *triples, uint64_t vertex,
                       struct qn_text_buffer *buffer) {
  char number[24];
  struct qn_text name;
  name.bytes = qn_ids_text(&triples->text.graph->ids, vertex, number, &name.length);
  put_node(triples, buffer, name);
}

/* Value `i` of a column of texts; empty if there is none. */
static struct qn_text text_at(const struct qn_property *column, uint64_t i) {
  struct qn_text text = {NULL, 0};
  if (column && !qn_property_is_null(column, i))
    text.bytes = qn_property_string(column, i, &text.length);
  return text;
}

/* "A;B"; empty if the vertex has none. */
static struct qn_text types_at(const struct triples *triples, uint64_t vertex) {
  const struct qn_text types = text_at(triples->types, vertex);
  const bool none =
      types.length == strlen(NO_TYPE) && memcmp(types.bytes, NO_TYPE, types.length) == 0;
  return none ? (struct qn_text){NULL, 0} : types;
}

/* The next of the types that are left; false: there is none. */
static bool take_type(struct qn_text *left, struct qn_text *type) {
  const char *end = left->bytes + left->length;
  while (left->length && *left->bytes == ';')
    left->bytes++, left->length--;
  const char *stop = left->length ? memchr(left->bytes, ';', left->length) : NULL;
  *type = (struct qn_text){left->bytes, (uint64_t)((stop ? stop : end) - left->bytes)};
  *left = (struct qn_text){left->bytes + type->length, left->length - type->length};
  return type->length > 0;
}

static struct qn_text predicate_at(const struct triples *triples, uint64_t edge) {
  const struct qn_text predicate = text_at(triples->predicates, edge);
  return predicate.length ? predicate : qn_text_of(NO_PREDICATE);
}

/* ---- Literals --------------------------------------------------------------------- */

/* What XML Schema calls a column's values; NULL: texts. */
static const char *datatype_of(const struct qn_property *column) {
  if (qn_property_dimension(column->type))
    return NULL;
  switch (qn_property_class_of(column->type)) {
  case QN_PROPERTY_UNSIGNED:
  case QN_PROPERTY_SIGNED:
    return "integer";
  case QN_PROPERTY_REAL:
    return qn_property_number_bytes(column->type) > 4 ? "double" : "float";
  case QN_PROPERTY_TRUTH:
    return "boolean";
  case QN_PROPERTY_DAYS:
    return "date";
  case QN_PROPERTY_TIME:
    return "dateTime";
  default:
    return NULL;
  }
}

static bool is_language(const char *tag) {
  const char *p = tag;
  while (is_letter(*p))
    p++;
  if (p == tag)
    return false;
  while (*p == '-') {
    const char *part = ++p;
    while (is_letter(*p) || qn_is_digit(*p))
      p++;
    if (p == part)
      return false;
  }
  return !*p;
}

/* Where in the name of a property of texts that begins which the reader puts behind a predicate,
 * "@en" or "^^TYPE"; its end if nothing of this is there. */
static const char *find_suffix(const struct qn_property *column) {
  const char *end = column->name + strlen(column->name);
  const char *type = strstr(column->name, "^^"), *at = strrchr(column->name, '@');
  if (column->type != QN_PROPERTY_STRING)
    return end;
  if (type && type > column->name && is_iri(qn_text_of(type + 2)))
    return type;
  return at && at > column->name && is_language(at + 1) ? at : end;
}

/* "...", its type or language, and the end. */
static void end_literal(const struct triples *triples, const struct qn_property *column,
                        struct qn_text_buffer *buffer) {
  const char *suffix = find_suffix(column), *datatype = datatype_of(column);
  qn_put_string(buffer, "\"");
  if (*suffix == '@') {
    qn_put_string(buffer, suffix);
  } else if (*suffix) {
    qn_put_string(buffer, "^^");
    put_iri(triples, buffer, qn_text_of(suffix + 2));
  } else if (datatype) {
    qn_put_string(buffer, "^^<" SCHEMA);
    qn_put_string(buffer, datatype);
    qn_put_string(buffer, ">");
  }
  qn_put_string(buffer, " .\n");
}

static void begin_literal(const struct triples *triples, uint64_t vertex,
                          const struct qn_property *column, struct qn_text_buffer *buffer) {
  const uint64_t length = (uint64_t)(find_suffix(column) - column->name);
  put_vertex(triples, vertex, buffer);
  qn_put_string(buffer, " ");
  put_iri(triples, buffer, (struct qn_text){column->name, length});
  qn_put_string(buffer, " \"");
}

/* A list of JSON that has texts alone; NULL if the text is none. */
static enum qn_status parse_list(struct qn_text text, json_t **list, struct qn_error *error) {
  json_error_t failure;
  json_t *value;
  size_t i;
  *list = NULL;
  if (text.length < 4 || text.bytes[0] != '[' || text.bytes[1] != '"')
    return QN_OK;
  json_t *found = json_loadb(text.bytes, text.length, 0, &failure);
  if (!found && json_error_code(&failure) == json_error_out_of_memory)
    return qn_fail_memory(error, "a list of values", text.length);
  bool texts = json_is_array(found);
  json_array_foreach(found, i, value) texts = texts && json_is_string(value);
  if (texts)
    *list = found;
  else
    json_decref(found);
  return QN_OK;
}

/* Each text of a list as a literal. */
static void put_list(const struct triples *triples, const struct qn_property *column,
                     uint64_t vertex, struct qn_text_buffer *buffer) {
  json_t *list, *value;
  size_t i;
  if (buffer->status)
    return;
  buffer->status = parse_list(text_at(column, vertex), &list, &buffer->error);
  json_array_foreach(list, i, value) {
    begin_literal(triples, vertex, column, buffer);
    qn_put_escaped(buffer, QN_ESCAPE_JSON, json_string_value(value), json_string_length(value));
    end_literal(triples, column, buffer);
  }
  json_decref(list);
}

/* Are all values lists as the reader makes of several values of a vertex, and has some of them two?
 */
static enum qn_status look_for_lists(const struct qn_property *column, bool *found,
                                     struct qn_error *error) {
  enum qn_status status = QN_OK;
  bool all = column->type == QN_PROPERTY_STRING, several = false;
  for (uint64_t i = 0; !status && all && i < column->count; i++) {
    const struct qn_text text = text_at(column, i);
    json_t *list;
    if (!text.bytes)
      continue;
    status = parse_list(text, &list, error);
    all = list != NULL;
    several |= json_array_size(list) > 1;
    json_decref(list);
  }
  *found = all && several;
  return status;
}

/* ---- Elements --------------------------------------------------------------------- */

static void put_types(const struct triples *triples, uint64_t vertex,
                      struct qn_text_buffer *buffer) {
  struct qn_text left = types_at(triples, vertex), type;
  while (take_type(&left, &type)) {
    put_vertex(triples, vertex, buffer);
    qn_put_string(buffer, " <" RDF_TYPE "> ");
    put_node(triples, buffer, type);
    qn_put_string(buffer, " .\n");
  }
}

static void write_vertex(const struct qn_element_text *text, uint64_t vertex,
                         struct qn_text_buffer *buffer) {
  const struct triples *triples = triples_of(text);
  const struct qn_property_table *table = text->tables[QN_TEXT_OF_VERTICES];
  put_types(triples, vertex, buffer);
  for (uint32_t i = 0; i < table->count; i++) {
    const struct qn_property *column = &table->columns[i];
    if (column == triples->types || qn_property_is_null(column, vertex))
      continue;
    if (triples->lists[i]) {
      put_list(triples, column, vertex, buffer);
      continue;
    }
    begin_literal(triples, vertex, column, buffer);
    qn_put_property_value(text, column, vertex, buffer);
    end_literal(triples, column, buffer);
  }
}

static void write_edge(const struct qn_element_text *text, uint64_t source, uint64_t edge,
                       struct qn_weight_texts *weights, struct qn_text_buffer *buffer) {
  const struct triples *triples = triples_of(text);
  const struct qn_text graph = text_at(triples->graphs, edge);
  (void)weights;
  put_vertex(triples, source, buffer);
  qn_put_string(buffer, " ");
  put_iri(triples, buffer, predicate_at(triples, edge));
  qn_put_string(buffer, " ");
  put_vertex(triples, text->listed.csr->column_indices[edge], buffer);
  if (graph.length) {
    qn_put_string(buffer, " ");
    put_node(triples, buffer, graph);
  }
  qn_put_string(buffer, " .\n");
}

/* ---- Names ------------------------------------------------------------------------ */

/* What names there are that need the base, and those that look as if they had it. */
struct naming {
  const struct triples *triples;
  const char *what; /* the first that needs it */
  char first[128];
  char clash[128]; /* the first that begins with it */
};

static void keep(char kept[128], struct qn_text name) {
  const uint64_t length = name.length < 127 ? name.length : 127;
  memcpy(kept, name.bytes, length);
  kept[length] = '\0';
}

static void look_at(struct naming *naming, const char *what, struct qn_text name, bool node) {
  const char *base = naming->triples->base;
  if (node && is_blank_node(name))
    return;
  if (!is_iri(name)) {
    if (!naming->what)
      keep(naming->first, name);
    naming->what = naming->what ? naming->what : what;
  } else if (base && !naming->clash[0] && name.length >= strlen(base) &&
             memcmp(name.bytes, base, strlen(base)) == 0) {
    keep(naming->clash, name);
  }
}

static void look_at_values(struct naming *naming, const char *what,
                           const struct qn_property *column, bool node) {
  for (uint64_t i = 0; column && i < column->count; i++) {
    const struct qn_text name = text_at(column, i);
    if (name.length)
      look_at(naming, what, name, node);
  }
}

static void look_at_names(struct naming *naming) {
  const struct triples *triples = naming->triples;
  const struct qn_ids *ids = &triples->text.graph->ids;
  const struct qn_property_table *table = triples->text.tables[QN_TEXT_OF_VERTICES];
  char number[24];
  for (uint64_t v = 0; v < triples->text.graph->out.num_vertices; v++) {
    struct qn_text name;
    name.bytes = qn_ids_text(ids, v, number, &name.length);
    look_at(naming, "the vertex", name, true);
    struct qn_text left = types_at(triples, v), type;
    while (take_type(&left, &type))
      look_at(naming, "the type of vertices", type, true);
  }
  for (uint32_t i = 0; i < table->count; i++) {
    const struct qn_property *column = &table->columns[i];
    const uint64_t length = (uint64_t)(find_suffix(column) - column->name);
    if (column != triples->types)
      look_at(naming, "the property", (struct qn_text){column->name, length}, false);
  }
  look_at_values(naming, "the type of edges", triples->predicates, false);
  look_at_values(naming, "the graph", triples->graphs, true);
  for (uint64_t e = 0; e < triples->text.listed.csr->num_edges; e++)
    if (!text_at(triples->predicates, e).length) {
      look_at(naming, "the type of edges", qn_text_of(NO_PREDICATE), false);
      break;
    }
}

static enum qn_status check_names(const struct triples *triples,
                                  const struct qn_write_options *options, struct qn_error *error) {
  struct naming naming = {.triples = triples};
  if (triples->base && !is_iri(qn_text_of(triples->base)))
    return qn_fail(error, QN_USAGE, "--base must be an IRI, such as http://example.org/");
  look_at_names(&naming);
  if (!naming.what)
    return QN_OK;
  if (!triples->base)
    return qn_fail(error, QN_UNSUPPORTED,
                   "RDF calls all things by IRIs, and %s '%s' is called by none: "
                   "--base=http://example.org/ says what stands before such names",
                   naming.what, naming.first);
  if (naming.clash[0])
    return qn_fail(error, QN_UNSUPPORTED,
                   "'%s' begins with %s, which is to stand before names that are no IRIs: choose "
                   "another --base",
                   naming.clash, triples->base);
  return qn_loses(options, error,
                  "names that are no IRIs, such as '%s', have %s before them in the output",
                  naming.first, triples->base);
}

/* ---- What is lost ----------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

/* Edges that are the same triple of the same graph. */
static enum qn_status count_repeats(const struct triples *triples, uint64_t *repeats,
                                    struct qn_error *error) {
  const struct qn_csr *csr = triples->text.listed.csr;
  uint64_t *hashes = NULL, room = 0;
  enum qn_status status = QN_OK;
  *repeats = 0;
  for (uint64_t row = 0; !status && row < csr->num_vertices; row++)
    for (uint64_t e = csr->row_offsets[row], end; !status && e < csr->row_offsets[row + 1];
         e = end) {
      for (end = e + 1;
           end < csr->row_offsets[row + 1] && csr->column_indices[end] == csr->column_indices[e];)
        end++;
      if (end - e > room) {
        room = end - e;
        status = qn_realloc(&hashes, room, sizeof *hashes, "parallel edges", error);
      }
      for (uint64_t k = e; !status && k < end; k++) {
        const struct qn_text predicate = predicate_at(triples, k),
                             graph = text_at(triples->graphs, k);
        hashes[k - e] = XXH3_64bits_withSeed(predicate.bytes, predicate.length,
                                             XXH3_64bits(graph.bytes, graph.length));
      }
      if (!status && end - e > 1)
        qsort(hashes, end - e, sizeof *hashes, by_value);
      for (uint64_t k = e + 1; !status && k < end; k++)
        *repeats += hashes[k - e] == hashes[k - e - 1];
    }
  qn_free(hashes);
  return status;
}

/* Vertices without edges and values. */
static enum qn_status count_silent(const struct triples *triples, uint64_t *silent,
                                   struct qn_error *error) {
  const struct qn_csr *csr = triples->text.listed.csr;
  const struct qn_property_table *table = triples->text.tables[QN_TEXT_OF_VERTICES];
  bool *is_said;
  *silent = 0;
  enum qn_status status =
      qn_alloc_zeroed(&is_said, csr->num_vertices, sizeof *is_said, "vertices", error);
  for (uint64_t v = 0; !status && v < csr->num_vertices; v++)
    is_said[v] = csr->row_offsets[v + 1] > csr->row_offsets[v];
  for (uint64_t e = 0; !status && e < csr->num_edges; e++)
    is_said[csr->column_indices[e]] = true;
  for (uint64_t v = 0; !status && v < csr->num_vertices; v++) {
    bool said = is_said[v] || types_at(triples, v).length;
    for (uint32_t i = 0; !said && i < table->count; i++)
      said = &table->columns[i] != triples->types && !qn_property_is_null(&table->columns[i], v);
    *silent += !said;
  }
  qn_free(is_said);
  return status;
}

static enum qn_status lose_columns(const struct triples *triples,
                                   const struct qn_write_options *options, struct qn_error *error) {
  const struct qn_property_table *edges = triples->text.tables[QN_TEXT_OF_EDGES],
                                 *vertices = triples->text.tables[QN_TEXT_OF_VERTICES];
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < edges->count; i++)
    if (&edges->columns[i] != triples->predicates && &edges->columns[i] != triples->graphs)
      status = qn_loses(
          options, error, "triples have no properties: '%.60s' of edges is not in the output%s",
          edges->columns[i].name,
          strcmp(edges->columns[i].name, "graph") == 0 ? ", which n-quads keeps" : "");
  for (uint32_t i = 0; !status && i < vertices->count; i++)
    if (qn_property_dimension(vertices->columns[i].type))
      status = qn_loses(options, error, "the vectors of '%.60s' are texts in the output",
                        vertices->columns[i].name);
  return status;
}

static enum qn_status lose(const struct triples *triples, const struct qn_write_options *options,
                           struct qn_error *error) {
  uint64_t silent, repeats;
  enum qn_status status = lose_columns(triples, options, error);
  if (!status)
    status = count_silent(triples, &silent, error);
  if (!status && silent)
    status = qn_loses(options, error,
                      "vertices without edges and properties, %llu, are not in the output",
                      (unsigned long long)silent);
  if (!status)
    status = count_repeats(triples, &repeats, error);
  if (!status && repeats)
    status = qn_loses(options, error,
                      "%llu edges are the same triple as another one, and RDF has it once",
                      (unsigned long long)repeats);
  return status;
}

/* ---- The whole -------------------------------------------------------------------- */

static const struct qn_element_form form = {
    .name = "RDF", .escaping = QN_ESCAPE_JSON, .vertex = write_vertex, .edge = write_edge};

static const struct qn_property *find_texts(const struct qn_property_table *table,
                                            const char *name) {
  const struct qn_property *column = qn_property_find(table, name);
  return column && column->type == QN_PROPERTY_STRING ? column : NULL;
}

static enum qn_status begin(struct triples *triples, const struct qn_graph *graph, bool quads,
                            const struct qn_write_options *options, struct qn_error *error) {
  enum qn_status status = qn_element_text_begin(&triples->text, &form, graph, options, NULL, error);
  if (status)
    return status;
  const struct qn_property_table *edges = triples->text.tables[QN_TEXT_OF_EDGES],
                                 *vertices = triples->text.tables[QN_TEXT_OF_VERTICES];
  triples->base = options->base;
  triples->predicates = find_texts(edges, "predicate");
  if (!triples->predicates)
    triples->predicates = find_texts(edges, "TYPE");
  triples->graphs = quads ? find_texts(edges, "graph") : NULL;
  triples->types = find_texts(vertices, "LABEL");
  status = qn_alloc_zeroed(&triples->lists, vertices->count, sizeof *triples->lists, "properties",
                           error);
  for (uint32_t i = 0; !status && i < vertices->count; i++)
    status = look_for_lists(&vertices->columns[i], &triples->lists[i], error);
  if (!status)
    status = check_names(triples, options, error);
  return status ? status : lose(triples, options, error);
}

static enum qn_status write_rdf(const struct qn_graph *graph, bool quads,
                                const struct qn_write_options *options,
                                struct qn_text_output *output, uint64_t *written,
                                struct qn_error *error) {
  struct triples triples = {0};
  enum qn_status status = begin(&triples, graph, quads, options, error);
  if (!status)
    status = qn_element_text_vertices(&triples.text, output, error);
  if (!status)
    status = qn_element_text_edges(&triples.text, output, error);
  *written = triples.text.written;
  qn_free(triples.lists);
  qn_element_text_end(&triples.text);
  return status;
}

static enum qn_status write_triples(const struct qn_graph *graph,
                                    const struct qn_write_options *options,
                                    struct qn_text_output *output, uint64_t *written,
                                    struct qn_error *error) {
  return write_rdf(graph, false, options, output, written, error);
}

static enum qn_status write_quads(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_text_output *output, uint64_t *written,
                                  struct qn_error *error) {
  return write_rdf(graph, true, options, output, written, error);
}

const struct qn_graph_writer qn_graph_writer_n_triples = {
    .name = "n-triples",
    .losses = QN_LOSES_WEIGHTS | QN_LOSES_UNDIRECTED,
    .takes_base = true,
    .keeps_edge_properties = true,
    .keeps_vertex_properties = true,
    .write = write_triples,
};

const struct qn_graph_writer qn_graph_writer_n_quads = {
    .name = "n-quads",
    .losses = QN_LOSES_WEIGHTS | QN_LOSES_UNDIRECTED,
    .takes_base = true,
    .keeps_edge_properties = true,
    .keeps_vertex_properties = true,
    .write = write_quads,
};
