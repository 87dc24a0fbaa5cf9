/* GML, the Graph Modelling Language (Himsolt 1997), as networkx, igraph and Newman's collection
 * have it: keys with values, of which lists are in brackets.
 *
 *   graph [ directed 1  node [ id 0 label "a" ]  edge [ source 0 target 0 weight 0.5 ] ]
 *
 * Vertices are called by their ids, or by their labels where Quern has said so; a weight is called
 * weight, or value. What else vertices and edges have, but for lists, are properties. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "converters/elements/labels.h"
#include "converters/elements/named_graph.h"
#include "converters/parse/characters.h"
#include "converters/parse/reader.h"
#include "converters/elements/gml_text.h"
#include "formats/text/text_output.h"
#include "support/memory.h"

#define MOST_DEPTH 64
#define NUMBER_BYTES 64

enum list { LIST_TOP, LIST_GRAPH, LIST_NODE, LIST_EDGE, LIST_OTHER };

struct gml {
  struct qn_characters characters;
  struct qn_named_graph graph;
  struct qn_error *error;
  enum list lists[MOST_DEPTH];
  uint32_t depth;
  uint32_t graphs;
  bool goes_on[256]; /* a word */
  struct qn_word key, value;
  struct qn_text_buffer text;  /* a string */
  struct qn_text_buffer label; /* of the vertex, if it is its name; */
  bool has_label;              /* it is there */
  struct qn_labels labels;
  bool elements;              /* the first vertex or edge was there */
  bool has_others, has_lists; /* some vertex or edge has data that are not the graph's, or lists */
  char id[NUMBER_BYTES], source[NUMBER_BYTES], target[NUMBER_BYTES]; /* "": not said */
  char weight[NUMBER_BYTES], other_weight[NUMBER_BYTES];
};

static enum qn_status fail_text(struct gml *gml) {
  enum qn_status status = gml->text.status;
  if (!status)
    return qn_characters_fail(&gml->characters, gml->error, "a value takes more than 16 MiB");
  if (gml->error)
    *gml->error = gml->text.error;
  return status;
}

/* Take what lies before `to`, in the block, and add it to the text if it is `kept`. */
static enum qn_status keep(struct gml *gml, bool kept, const char *to) {
  struct qn_characters *characters = &gml->characters;
  uint64_t bytes = (uint64_t)(to - characters->next);
  const uint64_t room = QN_MOST_VALUE_BYTES - gml->text.used;
  const bool fits = !kept || bytes <= room;
  bytes = fits ? bytes : room;
  const bool any = kept && bytes;
  char *p = any ? qn_text_buffer_reserve(&gml->text, bytes) : NULL;
  if (any && !p)
    return fail_text(gml);
  if (any) {
    memcpy(p, characters->next, bytes);
    qn_text_buffer_advance(&gml->text, p + bytes);
  }
  qn_characters_take_to(characters, characters->next + bytes);
  return fits ? QN_OK : fail_text(gml);
}

/* Take all before the next `stop`, or to the end, where `*found` is false. */
static enum qn_status keep_until(struct gml *gml, bool kept, char stop, bool *found) {
  struct qn_characters *characters = &gml->characters;
  enum qn_status status = QN_OK;
  *found = false;
  gml->text.used = 0;
  while (!status && !*found && qn_character(characters) >= 0) {
    const char *at = memchr(characters->next, stop, (size_t)(characters->end - characters->next));
    status = keep(gml, kept, at ? at : characters->end);
    *found = at != NULL;
  }
  return status;
}

/* What Quern says stands in a comment before the first element. */
static enum qn_status take_comment(struct gml *gml) {
  bool found;
  qn_character_take(&gml->characters);
  enum qn_status status = keep_until(gml, true, '\n', &found);
  if (status)
    return status;
  if (gml->text.used)
    status = qn_named_graph_comment(&gml->graph, gml->text.bytes, gml->text.used, gml->error);
  return status ? qn_characters_fail_here(&gml->characters, status, gml->error) : QN_OK;
}

/* A comment is a line that begins with '#'. The next character, not taken; -1 at the end. */
static int skip_space(struct gml *gml, enum qn_status *status) {
  int c;
  *status = QN_OK;
  while (!*status && (c = qn_characters_skip_space(&gml->characters)) == '#')
    if (gml->elements)
      qn_characters_skip_line(&gml->characters);
    else
      *status = take_comment(gml);
  return *status ? -1 : c;
}

static enum qn_status fail_long(struct gml *gml) {
  return qn_characters_fail(&gml->characters, gml->error,
                            "a word is longer than %d bytes, or has a NUL in it",
                            QN_MAX_NAME_BYTES);
}

static void find_word_characters(bool goes_on[256]) {
  for (int c = 1; c < 256; c++)
    goes_on[c] = c != ' ' && (c < '\t' || c > '\r') && c != '[' && c != ']' && c != '"';
}

static enum qn_status take_word(struct gml *gml, struct qn_word *word) {
  qn_word_clear(word);
  if (!qn_characters_take_run(&gml->characters, gml->goes_on, word) ||
      qn_character(&gml->characters) == 0)
    return fail_long(gml);
  return QN_OK;
}

/* In any case; `word` is in small letters. */
static inline bool is(const char *key, const char *word) {
  while (*word && (*key | 0x20) == *word) {
    key++;
    word++;
  }
  return !*word && !*key;
}

/* Strings hold anything but quotes. They are only `kept` as properties. */
static enum qn_status pass_string(struct gml *gml, bool kept) {
  bool found;
  qn_character_take(&gml->characters);
  enum qn_status status = keep_until(gml, kept, '"', &found);
  if (status)
    return status;
  if (!found)
    return qn_characters_fail(&gml->characters, gml->error, "a string is not closed");
  qn_character_take(&gml->characters);
  return QN_OK;
}

/* ---- Properties ------------------------------------------------------------ */

/* Is a string called so what the vertex is called, and no property? Numbers are. */
static bool is_name(const struct gml *gml, const char *key) {
  return gml->lists[gml->depth] == LIST_NODE && strcmp(key, "label") == 0 &&
         (gml->graph.labels_are_ids || gml->graph.labels_are_names);
}

/* Of a vertex or an edge. nan and inf are numbers. */
static enum qn_status add_value(struct gml *gml, const char *key, const char *text, uint64_t length,
                                bool quoted) {
  struct qn_element_records *records = gml->graph.records;
  const int which = gml->lists[gml->depth] == LIST_EDGE ? QN_OF_EDGES : QN_OF_VERTICES;
  uint32_t column;
  enum qn_status status =
      qn_element_column(records, which, key, (enum qn_property_type)0, &column, gml->error);
  if (!status && column != QN_NOT_WANTED) {
    records->tables[which].records->columns[column].has_specials = true;
    status = qn_element_value(records, which, column, text, length, quoted, gml->error);
  }
  return status ? qn_characters_fail_here(&gml->characters, status, gml->error) : QN_OK;
}

/* The string becomes the label, and what was the label the next string's memory. */
static enum qn_status take_label(struct gml *gml, uint64_t length) {
  const struct qn_text_buffer label = gml->text;
  if (gml->has_label)
    return qn_characters_fail(&gml->characters, gml->error, "'label' is there twice");
  gml->text = gml->label;
  gml->label = label;
  gml->label.used = length;
  gml->has_label = true;
  return QN_OK;
}

static enum qn_status add_string(struct gml *gml) {
  const uint64_t length = gml->text.used ? qn_gml_text_decode(gml->text.bytes, gml->text.used) : 0;
  if (is_name(gml, gml->key.text))
    return gml->graph.labels_are_names ? take_label(gml, length) : QN_OK;
  return add_value(gml, gml->key.text, length ? gml->text.bytes : "", length, true);
}

static enum qn_status add_number(struct gml *gml) {
  const bool plus = gml->value.text[0] == '+';
  return add_value(gml, gml->key.text, gml->value.text + plus, gml->value.length - plus, false);
}

/* ---- Lists ----------------------------------------------------------------- */

static enum list list_called(enum list within, const char *key) {
  if (within == LIST_TOP && is(key, "graph"))
    return LIST_GRAPH;
  if (within == LIST_GRAPH && is(key, "node"))
    return LIST_NODE;
  return within == LIST_GRAPH && is(key, "edge") ? LIST_EDGE : LIST_OTHER;
}

static bool is_element_key(const char *key) {
  return is(key, "node") || is(key, "edge");
}

static enum qn_status begin_list(struct gml *gml) {
  qn_character_take(&gml->characters);
  enum list list = list_called(gml->lists[gml->depth], gml->key.text);
  if (gml->depth + 1 == MOST_DEPTH)
    return qn_characters_fail(&gml->characters, gml->error, "lists are nested deeper than %d",
                              MOST_DEPTH);
  if (gml->depth == 0 && list == LIST_OTHER && is_element_key(gml->key.text))
    return qn_characters_fail(&gml->characters, gml->error, "'%.40s' is not in the graph",
                              gml->key.text);
  gml->lists[++gml->depth] = list;
  gml->elements |= list == LIST_NODE || list == LIST_EDGE;
  if (list == LIST_NODE || list == LIST_EDGE)
    gml->id[0] = gml->source[0] = gml->target[0] = gml->weight[0] = gml->other_weight[0] = '\0';
  gml->has_label &= list != LIST_NODE;
  if (list == LIST_GRAPH && gml->graphs++ > 0)
    return qn_characters_fail(&gml->characters, gml->error, "a second graph is in the file");
  return QN_OK;
}

/* Where both are said, value is not the weight. */
static enum qn_status add_other_weight(struct gml *gml) {
  return qn_element_named_value(gml->graph.records, QN_OF_EDGES, "value", gml->other_weight,
                                strlen(gml->other_weight), false, gml->error);
}

static enum qn_status end_node(struct gml *gml) {
  if (!gml->graph.labels_are_names)
    return qn_named_graph_vertex(&gml->graph, gml->id, gml->error);
  if (!gml->has_label)
    return qn_fail(gml->error, QN_INVALID,
                   "expected a label, which vertices of this file are called by");
  const struct qn_text label = {gml->label.used ? gml->label.bytes : "", gml->label.used};
  enum qn_status status = qn_labels_add(&gml->labels, gml->id, label, gml->error);
  return status ? status : qn_named_graph_called(&gml->graph, label, gml->error);
}

static enum qn_status end_edge(struct gml *gml, const char *weight) {
  const struct qn_text number = weight ? qn_text_of(weight) : (struct qn_text){NULL, 0};
  struct qn_text source = qn_text_of(gml->source), target = qn_text_of(gml->target);
  enum qn_status status = QN_OK;
  if (gml->graph.labels_are_names &&
      !(status = qn_labels_find(&gml->labels, gml->source, &source, gml->error)))
    status = qn_labels_find(&gml->labels, gml->target, &target, gml->error);
  return status ? status : qn_named_graph_between(&gml->graph, source, target, number, gml->error);
}

static enum qn_status end_list(struct gml *gml) {
  enum list list = gml->lists[gml->depth];
  enum qn_status status = QN_OK;
  if (gml->depth-- == 0)
    return qn_characters_fail(&gml->characters, gml->error, "a bracket closes that was not open");
  const char *weight = gml->weight[0]         ? gml->weight
                       : gml->other_weight[0] ? gml->other_weight
                                              : NULL;
  if (list == LIST_NODE && !gml->id[0])
    return qn_characters_fail(&gml->characters, gml->error, "expected a vertex with an id");
  if (list == LIST_EDGE && (!gml->source[0] || !gml->target[0]))
    return qn_characters_fail(&gml->characters, gml->error,
                              "expected an edge with source and target");
  if (list == LIST_NODE)
    status = end_node(gml);
  if (list == LIST_EDGE && gml->graph.records && gml->weight[0] && gml->other_weight[0])
    status = add_other_weight(gml);
  if (list == LIST_EDGE && !status)
    status = end_edge(gml, weight);
  if (status)
    return qn_characters_fail_here(&gml->characters, status, gml->error);
  qn_character_take(&gml->characters);
  return QN_OK;
}

/* Where the value of the key goes; NULL: nowhere. */
static char *place_of(struct gml *gml) {
  enum list list = gml->lists[gml->depth];
  const char *key = gml->key.text;
  if (list == LIST_NODE)
    return is(key, "id") ? gml->id : NULL;
  if (list != LIST_EDGE)
    return NULL;
  return is(key, "source")   ? gml->source
         : is(key, "target") ? gml->target
         : is(key, "weight") ? gml->weight
         : is(key, "value")  ? gml->other_weight
                             : NULL;
}

static bool is_element(const struct gml *gml) {
  return gml->lists[gml->depth] == LIST_NODE || gml->lists[gml->depth] == LIST_EDGE;
}

static enum qn_status take_string(struct gml *gml) {
  const bool name = gml->graph.labels_are_names && is_name(gml, gml->key.text);
  const bool kept = (is_element(gml) && gml->graph.records) || name;
  enum qn_status status = pass_string(gml, kept);
  return status || !kept ? status : add_string(gml);
}

static enum qn_status take_number(struct gml *gml, char *place) {
  enum qn_status status = take_word(gml, &gml->value);
  if (status)
    return status;
  if (place && (gml->value.length == 0 || gml->value.length >= NUMBER_BYTES))
    return qn_characters_fail(&gml->characters, gml->error, "expected a number for '%.40s'",
                              gml->key.text);
  if (place && place[0])
    return qn_characters_fail(&gml->characters, gml->error, "'%.40s' is there twice",
                              gml->key.text);
  if (place)
    memcpy(place, gml->value.text, gml->value.length + 1);
  else if (is_element(gml) && gml->graph.records)
    return add_number(gml);
  if (gml->lists[gml->depth] != LIST_GRAPH || !is(gml->key.text, "directed"))
    return QN_OK;
  const bool directed = strcmp(gml->value.text, "1") == 0;
  if (!directed && strcmp(gml->value.text, "0") != 0)
    return qn_characters_fail(&gml->characters, gml->error,
                              "expected directed 0 or 1; found '%.40s'", gml->value.text);
  status = qn_named_graph_directed(&gml->graph, directed, gml->error);
  return status ? qn_characters_fail_here(&gml->characters, status, gml->error) : QN_OK;
}

static enum qn_status take_item(struct gml *gml) {
  enum qn_status status = take_word(gml, &gml->key);
  if (status)
    return status;
  if (gml->key.length == 0)
    return qn_characters_fail(&gml->characters, gml->error, "expected a key");
  int c = skip_space(gml, &status);
  if (status)
    return status;
  if (c < 0)
    return qn_characters_fail(&gml->characters, gml->error, "the file ends before a value");
  /* Without a word all edges go both ways. */
  if (gml->depth == 1 && gml->lists[1] == LIST_GRAPH && c == '[' && !gml->graph.directed_is_said &&
      is(gml->key.text, "edge") &&
      (status = qn_named_graph_directed(&gml->graph, false, gml->error)))
    return status;
  char *place = place_of(gml);
  if (c == '"' && place)
    return qn_characters_fail(&gml->characters, gml->error,
                              "expected a number for '%.40s'; found a string", gml->key.text);
  gml->has_others |= is_element(gml) && !place && !is_name(gml, gml->key.text);
  gml->has_lists |= is_element(gml) && c == '[';
  return c == '[' ? begin_list(gml) : c == '"' ? take_string(gml) : take_number(gml, place);
}

static enum qn_status parse(struct gml *gml) {
  enum qn_status status = QN_OK;
  int c;
  while (!status && (c = skip_space(gml, &status)) >= 0)
    status = c == ']' ? end_list(gml) : take_item(gml);
  if (!status && gml->characters.status)
    status = qn_characters_fail_here(&gml->characters, gml->characters.status, gml->error);
  if (!status && gml->depth)
    status = qn_characters_fail(&gml->characters, gml->error,
                                "the file ends before all brackets are closed");
  if (!status && !gml->graphs)
    status = qn_characters_fail(&gml->characters, gml->error, "no graph is in the file");
  return status;
}

static enum qn_status read_gml(struct qn_input *input, const struct qn_read_options *options,
                               struct qn_edge_list *list, uint64_t *sequence,
                               struct qn_read_result *result, struct qn_error *error) {
  struct gml *gml;
  enum qn_status status = qn_alloc_zeroed(&gml, 1, sizeof *gml, "a reader of GML", error);
  if (status)
    return status;
  gml->error = error;
  find_word_characters(gml->goes_on);
  qn_characters_begin(&gml->characters, input);
  status = qn_named_graph_begin(&gml->graph, options, list, sequence, result, error);
  gml->graph.declares = true;
  if (!status)
    status = parse(gml);
  snprintf(result->description, sizeof result->description, "vertices called by their %s, %s, %s%s",
           gml->graph.labels_are_names ? "labels" : "ids",
           gml->graph.directed ? "directed" : "undirected",
           gml->graph.weighted ? "weights" : "no weights",
           gml->has_others && !options->others_wanted
               ? "; other data are not read (--properties=all reads them)"
           : gml->has_lists ? "; lists in vertices and edges are not read"
                            : "");
  result->number_names |= gml->graph.numbers;
  result->string_names |= !gml->graph.numbers;
  status = qn_named_graph_end(&gml->graph, status, error);
  qn_labels_release(&gml->labels);
  qn_free(gml->label.bytes);
  qn_free(gml->text.bytes);
  qn_free(gml);
  return status;
}

/* "graph [", perhaps behind comments, or keys as Creator. */
static int detect_gml(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  static const char word[] = "graph";
  enum { LENGTH = sizeof word - 1, NEAR = 4096 };
  const char *end = head + (bytes < NEAR ? bytes : NEAR);
  (void)options;
  for (const char *line = head, *next; line < end; line = next) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    next = newline ? newline + 1 : end;
    while (line < next && (*line == ' ' || *line == '\t'))
      line++;
    if (next - line < LENGTH || strncasecmp(line, word, LENGTH) != 0)
      continue;
    const char *p = line + LENGTH;
    while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
      p++;
    return p < end && *p == '[' ? 3 : 0;
  }
  return 0;
}

const struct qn_reader qn_reader_gml = {
    .name = "gml",
    .detect = detect_gml,
    .read = read_gml,
    .release = qn_names_release,
    .gives_properties = true,
};
