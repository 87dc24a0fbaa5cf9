/* Pajek networks: vertices from 1 to N, then arcs or edges, a line each or lists of them.
 *
 *   *Vertices 3
 *   1 "a"
 *   *Arcs            or *Edges, *Arcslist, *Edgeslist
 *   1 2 0.5
 *
 * Vertices are called by their numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/elements/named_graph.h"
#include "converters/input/input.h"
#include "converters/parse/delimited.h"
#include "converters/parse/reader.h"
#include "converters/parse/text_fields.h"
#include "converters/text/text_numbers.h"

#define NUMBER_BYTES 24
#define WEIGHT_BYTES 64

/* More vertices than this are not made of a number alone; they have at most 8 digits. */
#define MOST_VERTICES ((uint64_t)1 << 24)

enum section { BEFORE, VERTICES, PAIRS, LISTS };

struct pajek {
  struct qn_named_graph graph;
  enum section section;
  uint64_t num_vertices;
  bool arcs;          /* what the section has: directed edges */
  bool told;          /* and the graph knows: a section may have none */
  bool labelled;      /* some vertex is */
  uint64_t relations; /* sections of edges with a number: *Arcs :1 "friends" */
};

static enum qn_status fail_line(struct qn_error *error, const char *expected, const char *line,
                                const char *end) {
  char quoted[QN_QUOTE_BYTES];
  return qn_fail(error, QN_INVALID, "expected %s; found %s", expected,
                 qn_text_quote(line, end, quoted));
}

/* The number of a vertex, as its name: its digits, without zeros before. */
static bool take_vertex(const struct pajek *pajek, const struct qn_column *column,
                        struct qn_text *name) {
  enum { MOST_DIGITS = 8 };
  const char *p = column->begin, *end = column->end;
  uint64_t number = 0;
  while (p < end && *p == '0')
    p++;
  *name = (struct qn_text){p, (uint64_t)(end - p)};
  if (p == end || end - p > MOST_DIGITS)
    return false;
  while (p < end && qn_is_digit(*p))
    number = 10 * number + (uint64_t)(*p++ - '0');
  return p == end && number <= pajek->num_vertices;
}

/* The next number, of at most MOST_VERTICES. */
static void count_up(char number[NUMBER_BYTES]) {
  size_t length = strlen(number), at = length;
  while (at > 0 && number[at - 1] == '9')
    number[--at] = '0';
  if (at > 0) {
    number[at - 1]++;
  } else {
    memmove(number + 1, number, length + 1);
    number[0] = '1';
  }
}

static enum qn_status begin_vertices(struct pajek *pajek, struct qn_columns *columns,
                                     const char *line, const char *end, struct qn_error *error) {
  struct qn_column number, left;
  char name[NUMBER_BYTES] = "0";
  enum qn_status status = QN_OK;
  if (pajek->section != BEFORE || !qn_columns_next(columns, &number) ||
      qn_parse_whole(number.begin, number.end, &pajek->num_vertices) != QN_NUMBER_FINE)
    return fail_line(error, "one line *Vertices with their number", line, end);
  if (qn_columns_next(columns, &left))
    return qn_fail(error, QN_UNSUPPORTED, "networks of two modes are not read");
  if (pajek->num_vertices > MOST_VERTICES)
    return qn_fail(error, QN_INVALID, "more than 2^24 vertices; write the edges as a list");
  for (uint64_t v = 0; v < pajek->num_vertices && !status; v++) {
    count_up(name);
    status = qn_named_graph_vertex(&pajek->graph, name, error);
  }
  pajek->section = VERTICES;
  return status;
}

static enum qn_status begin_section(struct pajek *pajek, const char *line, const char *end,
                                    struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column word;
  qn_columns_next(&columns, &word);
  if (qn_column_is(&word, "*network"))
    return QN_OK;
  if (qn_column_is(&word, "*vertices"))
    return begin_vertices(pajek, &columns, line, end, error);
  bool arcs = qn_column_is(&word, "*arcs"), edges = qn_column_is(&word, "*edges");
  bool arc_lists = qn_column_is(&word, "*arcslist"), edge_lists = qn_column_is(&word, "*edgeslist");
  if (pajek->section == BEFORE || !(arcs || edges || arc_lists || edge_lists))
    return fail_line(error, "*Vertices, then *Arcs, *Edges, *Arcslist or *Edgeslist", line, end);
  pajek->section = arcs || edges ? PAIRS : LISTS;
  pajek->arcs = arcs || arc_lists;
  pajek->told = false;
  pajek->relations += qn_columns_next(&columns, &word) && *word.begin == ':';
  return QN_OK;
}

/* By the first edge of a section: many files have both sections, one of them empty. */
static enum qn_status tell_direction(struct pajek *pajek, struct qn_error *error) {
  if (pajek->told)
    return QN_OK;
  pajek->told = true;
  return qn_named_graph_directed(&pajek->graph, pajek->arcs, error);
}

/* Partitions and vectors of Pajek have values behind *Vertices, a line each. */
static enum qn_status check_end(struct pajek *pajek, struct qn_error *error) {
  if (pajek->section == PAIRS || pajek->section == LISTS)
    return pajek->graph.edges ? QN_OK : tell_direction(pajek, error);
  return qn_fail(error, QN_INVALID,
                 "expected *Arcs or *Edges behind *Vertices; this may be a partition (.clu) or a "
                 "vector (.vec) of Pajek, values of the vertices of a network");
}

static enum qn_status take_pair(struct pajek *pajek, const char *line, const char *end,
                                struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column source, target, weight;
  struct qn_text from, to, text = {NULL, 0};
  if (!qn_columns_take(&columns, &source) || !qn_columns_take(&columns, &target) ||
      !take_vertex(pajek, &source, &from) || !take_vertex(pajek, &target, &to))
    return fail_line(error, "two vertices, from 1 to their number", line, end);
  if (qn_columns_take(&columns, &weight))
    text = (struct qn_text){weight.begin, (uint64_t)(weight.end - weight.begin)};
  if (text.length >= WEIGHT_BYTES)
    return fail_line(error, "a weight", weight.begin, weight.end);
  enum qn_status status = tell_direction(pajek, error);
  return status ? status : qn_named_graph_between(&pajek->graph, from, to, text, error);
}

static enum qn_status take_list(struct pajek *pajek, const char *line, const char *end,
                                struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column word;
  const struct qn_text no_weight = {NULL, 0};
  struct qn_text from, to;
  if (!qn_columns_take(&columns, &word) || !take_vertex(pajek, &word, &from))
    return fail_line(error, "vertices, from 1 to their number", line, end);
  enum qn_status status = tell_direction(pajek, error);
  while (!status && qn_columns_take(&columns, &word))
    status = take_vertex(pajek, &word, &to)
                 ? qn_named_graph_between(&pajek->graph, from, to, no_weight, error)
                 : fail_line(error, "a vertex, from 1 to their number", word.begin, word.end);
  return status;
}

/* Its number; behind that is a label, and what is for drawing. */
static enum qn_status check_vertex(struct pajek *pajek, const char *line, const char *end,
                                   struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column number;
  struct qn_text name;
  if (!qn_columns_next(&columns, &number) || !take_vertex(pajek, &number, &name))
    return fail_line(
        error,
        "a vertex, from 1 to their number (a partition or a vector of Pajek has values "
        "instead, and no edges)",
        line, end);
  pajek->labelled |= qn_columns_next(&columns, &number);
  return QN_OK;
}

static enum qn_status take_line(void *context, const char *line, const char *end,
                                struct qn_error *error) {
  struct pajek *pajek = context;
  line = qn_skip_blanks(line, end);
  if (line < end && *line == '*')
    return begin_section(pajek, line, end, error);
  if (line == end || *line == '%')
    return QN_OK;
  if (pajek->section == VERTICES)
    return check_vertex(pajek, line, end, error);
  if (pajek->section == BEFORE)
    return fail_line(error, "*Vertices", line, end);
  return pajek->section == PAIRS ? take_pair(pajek, line, end, error)
                                 : take_list(pajek, line, end, error);
}

static enum qn_status read_pajek(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct pajek pajek = {0};
  enum qn_status status =
      qn_named_graph_begin(&pajek.graph, options, list, sequence, result, error);
  if (!status)
    status = qn_text_each_line(input, take_line, &pajek, error);
  if (!status && check_end(&pajek, error)) {
    status = QN_INVALID;
    qn_error_in_file(error, qn_input_name(input));
  }
  snprintf(result->description, sizeof result->description,
           "%" PRIu64 " vertices from 1, %s, %s%s%s", pajek.num_vertices,
           pajek.graph.directed ? "directed" : "undirected",
           pajek.graph.weighted ? "weights" : "no weights",
           pajek.labelled ? "; labels are not read" : "",
           pajek.relations ? "; which relation an edge is of is not kept" : "");
  return qn_named_graph_end(&pajek.graph, status, error);
}

/* "*Vertices" or "*Network", perhaps behind comments. */
static int detect_pajek(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  struct qn_input_block block = {head, bytes, 0};
  const char *line, *end;
  (void)options;
  while (qn_text_take_line(&block, &line, &end)) {
    line = qn_skip_blanks(line, end);
    if (line == end || *line == '%')
      continue;
    struct qn_columns columns = qn_columns_of(line, end, &qn_words);
    struct qn_column word;
    return qn_columns_next(&columns, &word) &&
                   (qn_column_is(&word, "*vertices") || qn_column_is(&word, "*network"))
               ? 3
               : 0;
  }
  return 0;
}

const struct qn_reader qn_reader_pajek = {
    .name = "pajek",
    .detect = detect_pajek,
    .read = read_pajek,
    .release = qn_names_release,
};
