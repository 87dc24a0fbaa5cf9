/* DOT, the language of Graphviz: the edges in it, and vertices without any.
 *
 *   digraph { a -> b -> c [weight=2]; "d e"; subgraph x { a; } }
 *
 * Statements of attributes are passed over, but for the weight of an edge. Edges between groups,
 * and names in HTML, are refused. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "converters/elements/named_graph.h"
#include "converters/parse/characters.h"
#include "converters/parse/reader.h"
#include "support/memory.h"

#define MOST_DEPTH 64
#define WEIGHT_BYTES 64
#define MOST_CHAIN 1024

enum kind { END, WORD, ARROW, LINE, OTHER };

struct token {
  enum kind kind;
  int character; /* of OTHER */
  struct qn_word word;
};

struct dot {
  struct qn_characters characters;
  struct qn_named_graph graph;
  struct qn_error *error;
  struct token token; /* the next one */
  uint32_t depth;
  bool of_words[256], of_strings[256]; /* characters that go on such */
  char weight[WEIGHT_BYTES];
  uint32_t chain_names; /* of the statement: their ends in `chain` */
  uint32_t chain_ends[MOST_CHAIN];
  char chain[4 * QN_MAX_NAME_BYTES];
};

#define FAIL(dot, ...) qn_characters_fail(&(dot)->characters, (dot)->error, __VA_ARGS__)

/* ---- Words ----------------------------------------------------------------- */

static enum qn_status skip_comment(struct dot *dot) {
  struct qn_characters *characters = &dot->characters;
  qn_character_take(characters);
  int c = qn_character(characters), before = 0;
  if (c == '/') {
    qn_characters_skip_line(characters);
    return QN_OK;
  }
  if (c != '*')
    return FAIL(dot, "expected a comment after '/'");
  qn_character_take(characters);
  while ((c = qn_character(characters)) >= 0) {
    qn_character_take(characters);
    if (before == '*' && c == '/')
      return QN_OK;
    before = c;
  }
  return FAIL(dot, "a comment is not closed");
}

static enum qn_status skip_space(struct dot *dot, int *c) {
  enum qn_status status = QN_OK;
  while (!status && ((*c = qn_characters_skip_space(&dot->characters)) == '#' || *c == '/'))
    if (*c == '#')
      qn_characters_skip_line(&dot->characters);
    else
      status = skip_comment(dot);
  return status;
}

static void find_characters(struct dot *dot) {
  for (int c = 1; c < 256; c++) {
    dot->of_words[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.' || c >= 0x80;
    dot->of_strings[c] = c != '"' && c != '\\';
  }
}

static enum qn_status fail_long(struct dot *dot) {
  return FAIL(dot, "a name is longer than %d bytes, or has a NUL in it", QN_MAX_NAME_BYTES);
}

static enum qn_status add(struct dot *dot, int c) {
  return qn_word_add(&dot->token.word, c) ? QN_OK : fail_long(dot);
}

static enum qn_status take_run(struct dot *dot, const bool goes_on[256]) {
  return qn_characters_take_run(&dot->characters, goes_on, &dot->token.word) ? QN_OK
                                                                             : fail_long(dot);
}

/* A backslash stands before a quote, and before a line end that is no part of the string. */
static enum qn_status take_escape(struct dot *dot) {
  struct qn_characters *characters = &dot->characters;
  qn_character_take(characters);
  int after = qn_character(characters);
  if (after != '"' && after != '\n' && after != '\\')
    return add(dot, '\\');
  qn_character_take(characters);
  enum qn_status status;
  if (after == '\\' && (status = add(dot, after))) /* both stay, and escape nothing */
    return status;
  return after == '\n' ? QN_OK : add(dot, after);
}

static enum qn_status take_string(struct dot *dot) {
  struct qn_characters *characters = &dot->characters;
  int c = 0;
  dot->token.word.quoted = true;
  qn_character_take(characters);
  enum qn_status status = take_run(dot, dot->of_strings);
  while (!status && (c = qn_character(characters)) == '\\')
    if (!(status = take_escape(dot)))
      status = take_run(dot, dot->of_strings);
  if (!status && c != '"')
    return c < 0 ? FAIL(dot, "a string is not closed") : fail_long(dot);
  if (!status)
    qn_character_take(characters);
  return status;
}

/* An edge's sign, or a number below zero. */
static enum qn_status take_sign(struct dot *dot) {
  struct qn_characters *characters = &dot->characters;
  qn_character_take(characters);
  int c = qn_character(characters);
  if (c == '-' || c == '>') {
    qn_character_take(characters);
    dot->token.kind = c == '>' ? ARROW : LINE;
    return QN_OK;
  }
  dot->token.kind = WORD;
  enum qn_status status = add(dot, '-');
  return status ? status : take_run(dot, dot->of_words);
}

static enum qn_status advance(struct dot *dot) {
  struct token *token = &dot->token;
  int c = 0;
  enum qn_status status = skip_space(dot, &c);
  qn_word_clear(&token->word);
  token->word.quoted = false;
  token->kind = c < 0 ? END : OTHER;
  token->character = c;
  if (status || c < 0)
    return status;
  if (c == '"') {
    token->kind = WORD;
    return take_string(dot);
  }
  if (c == '-')
    return take_sign(dot);
  if (c == '<')
    return FAIL(dot, "names in HTML are not read");
  if (!dot->of_words[c]) {
    qn_character_take(&dot->characters);
    return QN_OK;
  }
  token->kind = WORD;
  return take_run(dot, dot->of_words);
}

static bool is_other(const struct dot *dot, int c) {
  return dot->token.kind == OTHER && dot->token.character == c;
}

/* Most words differ in their first letter; `word` is in small letters. */
static inline bool is_keyword(const struct dot *dot, const char *word) {
  const char *text = dot->token.word.text;
  return dot->token.kind == WORD && (*text | 0x20) == *word && !dot->token.word.quoted &&
         strcasecmp(text, word) == 0;
}

/* ---- Statements ------------------------------------------------------------ */

static enum qn_status take_value(struct dot *dot) {
  enum qn_status status = advance(dot);
  return !status && dot->token.kind != WORD ? FAIL(dot, "expected a value in attributes") : status;
}

/* a=b, a=b + c; remembers the weight. */
static enum qn_status take_attribute(struct dot *dot) {
  if (dot->token.kind == END)
    return FAIL(dot, "the file ends in attributes");
  const bool weight = dot->token.kind == WORD && strcasecmp(dot->token.word.text, "weight") == 0;
  enum qn_status status = dot->token.kind == WORD ? advance(dot) : QN_OK;
  if (!status && !is_other(dot, '='))
    return FAIL(dot, "expected NAME=VALUE in attributes");
  if (!status)
    status = take_value(dot);
  if (!status && weight && dot->token.word.length >= WEIGHT_BYTES)
    return FAIL(dot, "the weight is too long");
  if (!status && weight)
    strcpy(dot->weight, dot->token.word.text);
  if (!status)
    status = advance(dot);
  while (!status && is_other(dot, '+') && !(status = take_value(dot)))
    status = weight ? FAIL(dot, "expected a weight, a number") : advance(dot);
  return !status && (is_other(dot, ',') || is_other(dot, ';')) ? advance(dot) : status;
}

/* [a=b, c=d]... */
static enum qn_status pass_attributes(struct dot *dot) {
  enum qn_status status = QN_OK;
  while (!status && is_other(dot, '[')) {
    status = advance(dot);
    while (!status && !is_other(dot, ']'))
      status = take_attribute(dot);
    if (!status)
      status = advance(dot);
  }
  return status;
}

static enum qn_status remember_name(struct dot *dot) {
  uint64_t used = dot->chain_names ? dot->chain_ends[dot->chain_names - 1] : 0;
  uint64_t bytes = dot->token.word.length + 1;
  if (dot->chain_names == MOST_CHAIN || used + bytes > sizeof dot->chain)
    return FAIL(dot, "more than %d vertices, or long names, are in one statement", MOST_CHAIN);
  memcpy(dot->chain + used, dot->token.word.text, bytes);
  dot->chain_ends[dot->chain_names++] = (uint32_t)(used + bytes);
  return advance(dot);
}

/* A port is no part of the name. */
static enum qn_status pass_port(struct dot *dot) {
  enum qn_status status = QN_OK;
  while (!status && is_other(dot, ':'))
    if (!(status = advance(dot)))
      status = dot->token.kind == WORD ? advance(dot) : FAIL(dot, "expected a port after ':'");
  return status;
}

static enum qn_status take_end(struct dot *dot) {
  if (dot->token.kind != WORD || is_keyword(dot, "subgraph"))
    return FAIL(dot, "expected a vertex; edges between groups of them are not read");
  enum qn_status status = remember_name(dot);
  return status ? status : pass_port(dot);
}

static enum qn_status push_chain(struct dot *dot) {
  const char *weight = dot->weight[0] ? dot->weight : NULL;
  enum qn_status status = QN_OK;
  uint32_t begin = 0;
  if (dot->chain_names == 1)
    status = qn_named_graph_vertex(&dot->graph, dot->chain, dot->error);
  for (uint32_t i = 0; i + 1 < dot->chain_names && !status; i++) {
    status = qn_named_graph_edge(&dot->graph, dot->chain + begin, dot->chain + dot->chain_ends[i],
                                 weight, dot->error);
    begin = dot->chain_ends[i];
  }
  return status ? qn_characters_fail_here(&dot->characters, status, dot->error) : QN_OK;
}

/* a; a -> b -> c [attributes]; a = b */
static enum qn_status take_statement(struct dot *dot) {
  dot->chain_names = 0;
  dot->weight[0] = '\0';
  enum qn_status status = remember_name(dot);
  if (!status && is_other(dot, '=')) {
    status = advance(dot);
    if (!status && dot->token.kind != WORD)
      status = FAIL(dot, "expected a value after '='");
    return status ? status : advance(dot);
  }
  if (!status)
    status = pass_port(dot);
  while (!status && (dot->token.kind == ARROW || dot->token.kind == LINE)) {
    if ((dot->token.kind == ARROW) != dot->graph.directed)
      return FAIL(dot, "expected '%s' in a %s", dot->graph.directed ? "->" : "--",
                  dot->graph.directed ? "digraph" : "graph");
    if (!(status = advance(dot)))
      status = take_end(dot);
  }
  if (!status)
    status = pass_attributes(dot);
  return status ? status : push_chain(dot);
}

static enum qn_status begin_group(struct dot *dot) {
  if (++dot->depth > MOST_DEPTH)
    return FAIL(dot, "groups are nested deeper than %d", MOST_DEPTH);
  return advance(dot);
}

static enum qn_status end_group(struct dot *dot) {
  enum qn_status status = advance(dot);
  dot->depth--;
  if (!status && (dot->token.kind == ARROW || dot->token.kind == LINE))
    return FAIL(dot, "edges between groups of vertices are not read");
  return status;
}

static enum qn_status take_defaults(struct dot *dot) {
  enum qn_status status = advance(dot);
  if (!status && !is_other(dot, '['))
    return FAIL(dot, "expected attributes in brackets");
  return status ? status : pass_attributes(dot);
}

/* They are of the edges to come, in this group. */
static enum qn_status take_edge_defaults(struct dot *dot) {
  dot->weight[0] = '\0';
  enum qn_status status = take_defaults(dot);
  if (status || !dot->weight[0] || dot->graph.options->weights == QN_WEIGHTS_NONE)
    return status;
  return FAIL(dot, "a weight for all edges to come is not read; give each edge its own, or use "
                   "--weights=none");
}

static enum qn_status take_any(struct dot *dot) {
  enum qn_status status;
  if (is_other(dot, ';') || is_other(dot, ','))
    return advance(dot);
  if (is_other(dot, '{'))
    return begin_group(dot);
  if (is_other(dot, '}'))
    return end_group(dot);
  if (is_keyword(dot, "subgraph")) {
    status = advance(dot);
    return !status && dot->token.kind == WORD ? advance(dot) : status;
  }
  if (is_keyword(dot, "graph") || is_keyword(dot, "node"))
    return take_defaults(dot);
  if (is_keyword(dot, "edge"))
    return take_edge_defaults(dot);
  return dot->token.kind == WORD ? take_statement(dot) : FAIL(dot, "expected a statement");
}

static enum qn_status take_head(struct dot *dot) {
  enum qn_status status = advance(dot);
  if (!status && is_keyword(dot, "strict")) {
    dot->graph.result->unique = true;
    status = advance(dot);
  }
  if (status)
    return status;
  bool directed = is_keyword(dot, "digraph");
  if (!directed && !is_keyword(dot, "graph"))
    return FAIL(dot, "expected graph or digraph");
  if ((status = qn_named_graph_directed(&dot->graph, directed, dot->error)) ||
      (status = advance(dot)))
    return status;
  if (dot->token.kind == WORD)
    status = advance(dot);
  if (!status && !is_other(dot, '{'))
    return FAIL(dot, "expected '{'");
  return status ? status : begin_group(dot);
}

static enum qn_status parse(struct dot *dot) {
  enum qn_status status = take_head(dot);
  while (!status && dot->depth && dot->token.kind != END)
    status = take_any(dot);
  if (!status && dot->characters.status)
    return qn_characters_fail_here(&dot->characters, dot->characters.status, dot->error);
  if (!status && dot->depth)
    return FAIL(dot, "the file ends before '}'");
  if (!status && dot->token.kind != END)
    return FAIL(dot, "something follows the graph; one is read");
  return status;
}

static enum qn_status read_dot(struct qn_input *input, const struct qn_read_options *options,
                               struct qn_edge_list *list, uint64_t *sequence,
                               struct qn_read_result *result, struct qn_error *error) {
  struct dot *dot;
  enum qn_status status = qn_alloc_zeroed(&dot, 1, sizeof *dot, "a reader of DOT", error);
  if (status)
    return status;
  dot->error = error;
  find_characters(dot);
  qn_characters_begin(&dot->characters, input);
  status = qn_named_graph_begin(&dot->graph, options, list, sequence, result, error);
  if (!status)
    status = parse(dot);
  snprintf(result->description, sizeof result->description, "%s, %s",
           dot->graph.directed ? "directed" : "undirected",
           dot->graph.weighted ? "weights" : "no weights");
  status = qn_named_graph_end(&dot->graph, status, error);
  qn_free(dot);
  return status;
}

/* strict, graph or digraph, perhaps a name, and a brace. */
static int detect_dot(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  static const char *const words[] = {"strict", "digraph", "graph"};
  enum { NEAR = 4096 };
  uint64_t most = bytes < NEAR ? bytes : NEAR;
  const char *p = head, *end = head + most;
  (void)options;
  for (const char *next; p < end; p = next) { /* comments */
    while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
      p++;
    bool comment = end - p > 1 && (*p == '#' || (p[0] == '/' && (p[1] == '/' || p[1] == '*')));
    if (!comment)
      break;
    const char *close = p[1] == '*' ? memmem(p, (size_t)(end - p), "*/", 2) : NULL;
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    next = p[1] == '*' ? (close ? close + 2 : end) : newline ? newline + 1 : end;
  }
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    if ((size_t)(end - p) <= length || strncasecmp(p, words[i], length) != 0)
      continue;
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    const char *brace = memchr(p, '{', (size_t)(end - p));
    char after = p[length];
    bool spaced = after == ' ' || after == '{' || (after >= '\t' && after <= '\r');
    return spaced && brace && (!newline || brace - newline < 16) ? 3 : 0;
  }
  return 0;
}

const struct qn_reader qn_reader_dot = {
    .name = "dot",
    .detect = detect_dot,
    .read = read_dot,
    .release = qn_names_release,
};
