/* GML, the Graph Modelling Language (Himsolt 1997), as networkx, igraph and Newman's collection
 * have it: keys with values, of which lists are in brackets.
 *
 *   graph [ directed 1  node [ id 0 label "a" ]  edge [ source 0 target 0 weight 0.5 ] ]
 *
 * Vertices are called by their ids; a weight is called weight, or value. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "converters/parse/characters.h"
#include "converters/parse/names.h"
#include "converters/parse/reader.h"
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
  struct qn_word key, value;
  char id[NUMBER_BYTES], source[NUMBER_BYTES], target[NUMBER_BYTES]; /* "": not said */
  char weight[NUMBER_BYTES], other_weight[NUMBER_BYTES];
};

/* A comment is a line that begins with '#'. */
static int skip_space(struct gml *gml) {
  int c;
  while ((c = qn_characters_skip_space(&gml->characters)) == '#')
    qn_characters_skip_line(&gml->characters);
  return c;
}

static enum qn_status fail_long(struct gml *gml) {
  return qn_characters_fail(&gml->characters, gml->error,
                            "a word is longer than %d bytes, or has a NUL in it",
                            QN_MAX_NAME_BYTES);
}

static bool ends_word(int c) {
  return c < 0 || c == ' ' || (c >= '\t' && c <= '\r') || c == '[' || c == ']' || c == '"';
}

static enum qn_status take_word(struct gml *gml, struct qn_word *word) {
  int c;
  word->length = 0;
  word->text[0] = '\0';
  while (!ends_word(c = qn_character(&gml->characters))) {
    if (!qn_word_add(word, c))
      return fail_long(gml);
    qn_character_take(&gml->characters);
  }
  return QN_OK;
}

/* Strings hold anything but quotes, of any length, and are not looked at. */
static enum qn_status pass_string(struct gml *gml) {
  int c;
  qn_character_take(&gml->characters);
  while ((c = qn_character(&gml->characters)) >= 0 && c != '"')
    qn_character_take(&gml->characters);
  if (c < 0)
    return qn_characters_fail(&gml->characters, gml->error, "a string is not closed");
  qn_character_take(&gml->characters);
  return QN_OK;
}

/* ---- Lists ----------------------------------------------------------------- */

static enum list list_called(enum list within, const char *key) {
  if (within == LIST_TOP && strcasecmp(key, "graph") == 0)
    return LIST_GRAPH;
  if (within == LIST_GRAPH && strcasecmp(key, "node") == 0)
    return LIST_NODE;
  return within == LIST_GRAPH && strcasecmp(key, "edge") == 0 ? LIST_EDGE : LIST_OTHER;
}

static enum qn_status begin_list(struct gml *gml) {
  qn_character_take(&gml->characters);
  enum list list = list_called(gml->lists[gml->depth], gml->key.text);
  if (gml->depth + 1 == MOST_DEPTH)
    return qn_characters_fail(&gml->characters, gml->error, "lists are nested deeper than %d",
                              MOST_DEPTH);
  gml->lists[++gml->depth] = list;
  if (list == LIST_NODE || list == LIST_EDGE)
    gml->id[0] = gml->source[0] = gml->target[0] = gml->weight[0] = gml->other_weight[0] = '\0';
  if (list == LIST_GRAPH && gml->graphs++ > 0)
    return qn_characters_fail(&gml->characters, gml->error, "a second graph is in the file");
  return QN_OK;
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
    status = qn_named_graph_vertex(&gml->graph, gml->id, gml->error);
  if (list == LIST_EDGE)
    status = qn_named_graph_edge(&gml->graph, gml->source, gml->target, weight, gml->error);
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
    return strcasecmp(key, "id") == 0 ? gml->id : NULL;
  if (list != LIST_EDGE)
    return NULL;
  return strcasecmp(key, "source") == 0   ? gml->source
         : strcasecmp(key, "target") == 0 ? gml->target
         : strcasecmp(key, "weight") == 0 ? gml->weight
         : strcasecmp(key, "value") == 0  ? gml->other_weight
                                          : NULL;
}

static enum qn_status take_number(struct gml *gml) {
  enum qn_status status = take_word(gml, &gml->value);
  if (status)
    return status;
  char *place = place_of(gml);
  if (place && (gml->value.length == 0 || gml->value.length >= NUMBER_BYTES))
    return qn_characters_fail(&gml->characters, gml->error, "expected a number for '%.40s'",
                              gml->key.text);
  if (place)
    strcpy(place, gml->value.text);
  if (gml->lists[gml->depth] != LIST_GRAPH || strcasecmp(gml->key.text, "directed") != 0)
    return QN_OK;
  status = qn_named_graph_directed(&gml->graph, strcmp(gml->value.text, "0") != 0, gml->error);
  return status ? qn_characters_fail_here(&gml->characters, status, gml->error) : QN_OK;
}

static enum qn_status take_item(struct gml *gml) {
  enum qn_status status = take_word(gml, &gml->key);
  if (status)
    return status;
  if (gml->key.length == 0)
    return qn_characters_fail(&gml->characters, gml->error, "expected a key");
  int c = skip_space(gml);
  if (c < 0)
    return qn_characters_fail(&gml->characters, gml->error, "the file ends before a value");
  /* Without a word all edges go both ways. */
  if (gml->depth == 1 && gml->lists[1] == LIST_GRAPH && c == '[' && !gml->graph.directed_is_said &&
      strcasecmp(gml->key.text, "edge") == 0 &&
      (status = qn_named_graph_directed(&gml->graph, false, gml->error)))
    return status;
  if (c == '"' && place_of(gml))
    return qn_characters_fail(&gml->characters, gml->error,
                              "expected a number for '%.40s'; found a string", gml->key.text);
  return c == '[' ? begin_list(gml) : c == '"' ? pass_string(gml) : take_number(gml);
}

static enum qn_status parse(struct gml *gml) {
  enum qn_status status = QN_OK;
  int c;
  while (!status && (c = skip_space(gml)) >= 0)
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
  qn_characters_begin(&gml->characters, input);
  status = qn_named_graph_begin(&gml->graph, options, list, sequence, result, error);
  if (!status)
    status = parse(gml);
  snprintf(result->description, sizeof result->description, "vertices called by their ids, %s, %s",
           gml->graph.directed ? "directed" : "undirected",
           gml->graph.weighted ? "weights" : "no weights");
  status = qn_named_graph_end(&gml->graph, status, error);
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
};
