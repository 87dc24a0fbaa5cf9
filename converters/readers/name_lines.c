/* Lines of names that are no rows of a table:
 *
 *   lgl          "# a", then a line "b" or "b 0.5" for each neighbour (Large Graph Layout, igraph)
 *   neighbors    a vertex, then its neighbours, in one line (networkx's adjacency lists)
 *   hyperedges   the vertices of an edge of any number of ends, in one line: bipartite, E1, E2, ...
 *                for the lines and V with the name behind it for the vertices */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/elements/named_graph.h"
#include "converters/parse/reader.h"
#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"
#include "support/input/input.h"
#include "support/memory.h"

#define NAME_BYTES (QN_MAX_NAME_BYTES + 32)
#define WEIGHT_BYTES 64

struct lines {
  struct qn_named_graph graph;
  uint64_t edges;         /* lines that are hyperedges */
  uint64_t seen;          /* lines of lists */
  uint64_t lists;         /* those of neighbours */
  bool colons;            /* neighbours follow a colon */
  bool networkx;          /* the first one is the command that networkx ran, behind '#' */
  uint64_t source_length; /* of LGL's vertex */
  char source[NAME_BYTES], target[NAME_BYTES];
};

typedef enum qn_status (*line_taker)(void *context, const char *line, const char *end,
                                     struct qn_error *error);

static enum qn_status fail_line(struct qn_error *error, const char *expected, const char *line,
                                const char *end) {
  char quoted[QN_QUOTE_BYTES];
  return qn_fail(error, QN_INVALID, "expected %s; found %s", expected,
                 qn_text_quote(line, end, quoted));
}

/* A page's end, or a file's, no name. */
static bool is_control(const struct qn_column *word) {
  return word->end - word->begin == 1 && (unsigned char)*word->begin < ' ';
}

/* `prefix` and the word, with a NUL behind it. */
static enum qn_status copy_name(const char *prefix, const struct qn_column *word,
                                char name[NAME_BYTES], struct qn_error *error) {
  size_t length = (size_t)(word->end - word->begin), before = strlen(prefix);
  if (length > QN_MAX_NAME_BYTES || memchr(word->begin, '\0', length))
    return fail_line(error, "a name of at most 65,535 bytes, without NUL", word->begin, word->end);
  memcpy(name, prefix, before);
  memcpy(name + before, word->begin, length);
  name[before + length] = '\0';
  return QN_OK;
}

static struct qn_text text_of(const struct qn_column *word) {
  return (struct qn_text){word->begin, (uint64_t)(word->end - word->begin)};
}

static const struct qn_text no_weight = {NULL, 0};

/* ---- LGL ------------------------------------------------------------------- */

static enum qn_status begin_lgl_vertex(struct lines *lines, struct qn_columns *columns,
                                       const char *line, const char *end, struct qn_error *error) {
  struct qn_column word, more;
  if (!qn_columns_take(columns, &word) || qn_columns_take(columns, &more))
    return fail_line(error, "one vertex after '#'", line, end);
  enum qn_status status = copy_name("", &word, lines->source, error);
  lines->source_length = text_of(&word).length;
  return status ? status : qn_named_graph_called(&lines->graph, text_of(&word), error);
}

/* With a NUL behind it; false if it is too long, or has one in it. */
static bool copy_weight(const struct qn_column *weight, char text[WEIGHT_BYTES]) {
  size_t length = (size_t)(weight->end - weight->begin);
  if (length >= WEIGHT_BYTES || memchr(weight->begin, '\0', length))
    return false;
  memcpy(text, weight->begin, length);
  text[length] = '\0';
  return true;
}

static enum qn_status take_lgl(void *context, const char *line, const char *end,
                               struct qn_error *error) {
  struct lines *lines = context;
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column word, weight, more;
  char text[WEIGHT_BYTES];
  if (!qn_columns_take(&columns, &word))
    return QN_OK;
  if (word.end - word.begin == 1 && *word.begin == '#')
    return begin_lgl_vertex(lines, &columns, line, end, error);
  bool weighted = qn_columns_take(&columns, &weight);
  if (!lines->source[0] || is_control(&word) || qn_columns_take(&columns, &more) ||
      (weighted && !copy_weight(&weight, text)))
    return fail_line(error, "'# VERTEX', or a neighbour and perhaps a weight", line, end);
  return qn_named_graph_between(&lines->graph,
                                (struct qn_text){lines->source, lines->source_length},
                                text_of(&word), weighted ? qn_text_of(text) : no_weight, error);
}

/* ---- Lists ----------------------------------------------------------------- */

/* Is the line blank or a comment? Refuses what may be a list: "#a b". */
static enum qn_status take_comment(struct lines *lines, const char *line, const char *end,
                                   bool *taken, struct qn_error *error) {
  const char *said = lines->graph.options->text.comments, *text = qn_skip_blanks(line, end);
  const char *signs = !said ? "##" : *said ? said : "\n\n";
  bool first = lines->seen++ == 0;
  *taken = text == end || *text == signs[0] || *text == signs[1];
  if (said || text == end || !*taken || (first && lines->networkx) || text + 1 == end ||
      qn_is_blank(text[1]))
    return QN_OK;
  return qn_fail(error, QN_INVALID,
                 "this line begins as a comment, and may be a list; --comments=none takes such "
                 "lines as lists, --comments='#' passes over them");
}

/* Its second line is "# GMT Tue Jan  1 00:00:00 2030". */
static bool is_of_networkx(const char *head, uint64_t bytes) {
  static const char second[] = "# GMT ";
  const char *newline = memchr(head, '\n', bytes);
  uint64_t left = newline ? (uint64_t)(head + bytes - newline - 1) : 0;
  return left > strlen(second) && memcmp(newline + 1, second, strlen(second)) == 0;
}

/* "0: 1 2", if the first list is written so; then all are. */
static enum qn_status take_colon(struct lines *lines, struct qn_column *vertex,
                                 struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  const bool colon = !vertex->quoted && vertex->end - vertex->begin > 1 && vertex->end[-1] == ':';
  lines->colons |= lines->lists++ == 0 && colon;
  if (lines->colons && !colon)
    return qn_fail(error, QN_INVALID,
                   "expected a vertex with a colon behind it, as in the first list; found %s",
                   qn_text_quote(vertex->begin, vertex->end, quoted));
  vertex->end -= lines->colons;
  return QN_OK;
}

static enum qn_status take_neighbors(void *context, const char *line, const char *end,
                                     struct qn_error *error) {
  struct lines *lines = context;
  const struct qn_dialect dialect = {.delimiter = ' ', .quotes = true};
  struct qn_columns columns = qn_columns_of(line, end, &dialect);
  struct qn_column vertex, word;
  enum qn_status status;
  bool comment;
  if ((status = take_comment(lines, line, end, &comment, error)) || comment ||
      !qn_columns_take(&columns, &vertex))
    return status;
  status = take_colon(lines, &vertex, error);
  if (!status)
    status = qn_named_graph_called(&lines->graph, text_of(&vertex), error);
  while (!status && qn_columns_take(&columns, &word))
    status =
        qn_named_graph_between(&lines->graph, text_of(&vertex), text_of(&word), no_weight, error);
  return status;
}

static enum qn_status take_hyperedge(void *context, const char *line, const char *end,
                                     struct qn_error *error) {
  struct lines *lines = context;
  const struct qn_dialect dialect = {.delimiter = qn_first_delimiter(line, end), .quotes = true};
  struct qn_columns columns = qn_columns_of(line, end, &dialect);
  struct qn_column word;
  bool comment;
  enum qn_status status = take_comment(lines, line, end, &comment, error);
  if (status || comment)
    return status;
  const int length = snprintf(lines->source, NAME_BYTES, "E%" PRIu64, ++lines->edges);
  const struct qn_text edge = {lines->source, (uint64_t)length};
  while (!status && qn_columns_take(&columns, &word))
    if (word.begin == word.end)
      status = fail_line(error, "a vertex in every field, and one is empty", line, end);
    else if (!(status = copy_name("V", &word, lines->target, error)))
      status = qn_named_graph_between(&lines->graph, edge,
                                      (struct qn_text){lines->target, text_of(&word).length + 1},
                                      no_weight, error);
  return status;
}

/* ---- The whole ------------------------------------------------------------- */

static enum qn_status read_with(line_taker take, bool undirected, struct qn_input *input,
                                const struct qn_read_options *options, struct qn_edge_list *list,
                                uint64_t *sequence, struct qn_read_result *result,
                                struct qn_error *error) {
  struct lines *lines;
  const char *head;
  uint64_t bytes;
  enum qn_status status = qn_input_peek(input, &head, &bytes, error);
  if (!status)
    status = qn_alloc_zeroed(&lines, 1, sizeof *lines, "a reader of lines", error);
  if (status)
    return status;
  lines->networkx = is_of_networkx(head, bytes);
  status = qn_named_graph_begin(&lines->graph, options, list, sequence, result, error);
  if (!status && undirected)
    status = qn_named_graph_directed(&lines->graph, false, error);
  if (!status)
    status = qn_text_each_line(input, take, lines, error);
  snprintf(result->description, sizeof result->description, "%s",
           lines->graph.weighted ? "weights" : "no weights");
  status = qn_named_graph_end(&lines->graph, status, error);
  qn_free(lines);
  return status;
}

#define READER(function, take, undirected)                                                         \
  static enum qn_status function(struct qn_input *input, const struct qn_read_options *options,    \
                                 struct qn_edge_list *list, uint64_t *sequence,                    \
                                 struct qn_read_result *result, struct qn_error *error) {          \
    return read_with(take, undirected, input, options, list, sequence, result, error);             \
  }
READER(read_lgl, take_lgl, true)
READER(read_neighbors, take_neighbors, false)
READER(read_hyperedges, take_hyperedge, false)

/* What the lines of a text are, as LGL has them. */
struct lgl_lines {
  uint32_t vertices;   /* "# a" */
  bool alone;          /* a line has one word: edges have two ends */
  bool weighted;       /* a line has two */
  bool values;         /* in all others a number is second ... */
  bool names, numbers; /* ... and a name, or both are whole numbers */
  bool vertex_numbers; /* vertices are called by whole numbers */
};

/* False if a line is none of LGL's, or there is none. */
static bool look_at_lgl(const char *head, uint64_t bytes, struct lgl_lines *lines) {
  struct qn_input_block block = {head, bytes, 0};
  const char *line, *end;
  *lines =
      (struct lgl_lines){.values = true, .names = true, .numbers = true, .vertex_numbers = true};
  for (int i = 0; i < 1000 && qn_text_take_line(&block, &line, &end); i++) {
    struct qn_columns columns = qn_columns_of(line, end, &qn_words);
    struct qn_column words[3];
    uint32_t count = 0;
    while (count < 3 && qn_columns_next(&columns, &words[count]))
      count++;
    const bool vertex = count && words[0].end - words[0].begin == 1 && *words[0].begin == '#';
    const bool others = count == 1 && qn_first_delimiter(line, end) != ' '; /* "a,b" */
    if ((count && !vertex && !lines->vertices) || (vertex && count != 2) || count > 2 || others)
      return false;
    lines->vertices += vertex;
    lines->alone |= count == 1;
    lines->weighted |= count == 2 && !vertex;
    if (vertex)
      lines->vertex_numbers &= qn_column_is_whole(&words[1]);
    else if (count == 2) {
      lines->values &= qn_column_is_number(&words[1]);
      lines->names &= qn_column_is_name(&words[0]);
      lines->numbers &= qn_column_is_whole(&words[0]) && qn_column_is_whole(&words[1]);
    }
  }
  return lines->vertices > 0;
}

static bool says_table(const struct qn_read_options *options) {
  return options->numbers || options->strings || options->source_column ||
         options->column_names[0] || options->text.delimiter ||
         options->text.header != QN_SAID_NOTHING;
}

/* Comments of one word are hardly followed by lines of one word, unless others have two: neighbours
 * have weights or have none. With weights behind all neighbours the lines may as well be a list of
 * edges or values below comments: nobody but the user knows. */
static int detect_lgl(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  struct lgl_lines lines;
  if (!look_at_lgl(head, bytes, &lines))
    return 0;
  if (lines.alone)
    return lines.weighted && lines.vertices == 1 ? 0 : 3;
  const bool numbers = lines.numbers && lines.vertex_numbers && lines.vertices > 1;
  return lines.values && (lines.names || numbers) && !says_table(options) ? QN_IN_DOUBT : 0;
}

const struct qn_reader qn_reader_lgl = {
    .name = "lgl",
    .detect = detect_lgl,
    .read = read_lgl,
    .release = qn_names_release,
};

const struct qn_reader qn_reader_neighbors = {
    .name = "neighbors",
    .read = read_neighbors,
    .release = qn_names_release,
};

const struct qn_reader qn_reader_hyperedges = {
    .name = "hyperedges",
    .read = read_hyperedges,
    .release = qn_names_release,
};
