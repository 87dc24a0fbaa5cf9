/* Pajek networks: vertices from 1 to N, then arcs or edges, a line each, lists of them, or all as a
 * matrix of their weights.
 *
 *   *Vertices 3
 *   1 "a"
 *   *Arcs            or *Edges, *Arcslist, *Edgeslist, *Matrix
 *   1 2 0.5
 *
 * Vertices are called by their numbers. Of two modes (*Vertices N N1) those up to N1 are the first,
 * edges are between the modes, and a matrix has the first as rows and the second as columns. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/elements/named_graph.h"
#include "converters/parse/reader.h"
#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/input/input.h"

#define NUMBER_BYTES 24
#define WEIGHT_BYTES 64

/* More vertices than this are not made of a number alone; they have at most 8 digits. */
#define MOST_VERTICES ((uint64_t)1 << 24)

enum section { BEFORE, VERTICES, PAIRS, LISTS, MATRIX };

struct pajek {
  struct qn_named_graph graph;
  enum section section;
  uint64_t num_vertices, first_mode; /* 0: there is one mode */
  uint64_t row;                      /* of a matrix: how many are above */
  bool arcs;                         /* what the section has: directed edges */
  bool told;                         /* and the graph knows: a section may have none */
  bool has_values;                   /* some cell of a matrix is neither 0 nor 1 */
  bool labelled;                     /* some vertex is */
  uint64_t relations;                /* sections of edges with a number: *Arcs :1 "friends" */
};

static enum qn_status fail_line(struct qn_error *error, const char *expected, const char *line,
                                const char *end) {
  char quoted[QN_QUOTE_BYTES];
  return qn_fail(error, QN_INVALID, "expected %s; found %s", expected,
                 qn_text_quote(line, end, quoted));
}

/* The number of a vertex, as its name: its digits, without zeros before. */
static bool take_vertex(const struct pajek *pajek, const struct qn_column *column,
                        struct qn_text *name, uint64_t *vertex) {
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
  *vertex = number;
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
  if (qn_columns_next(columns, &left) &&
      (qn_parse_whole(left.begin, left.end, &pajek->first_mode) != QN_NUMBER_FINE ||
       pajek->first_mode > pajek->num_vertices))
    return fail_line(error, "after the number of vertices, that of the first mode", line, end);
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
  bool matrix = qn_column_is(&word, "*matrix");
  if (pajek->section == BEFORE || !(arcs || edges || arc_lists || edge_lists || matrix))
    return fail_line(error, "*Vertices, then *Arcs, *Edges, *Arcslist, *Edgeslist or *Matrix", line,
                     end);
  if (pajek->section == MATRIX || (matrix && pajek->section != VERTICES))
    return fail_line(error, "a matrix alone, without other edges", line, end);
  pajek->section = matrix ? MATRIX : arcs || edges ? PAIRS : LISTS;
  pajek->arcs = arcs || arc_lists || (matrix && !pajek->first_mode);
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
  const uint64_t rows = pajek->first_mode ? pajek->first_mode : pajek->num_vertices;
  if (pajek->section == MATRIX && pajek->row < rows)
    return qn_fail(error, QN_INVALID, "expected %" PRIu64 " rows of the matrix; found %" PRIu64,
                   rows, pajek->row);
  if (pajek->section >= PAIRS)
    return pajek->graph.edges ? QN_OK : tell_direction(pajek, error);
  return qn_fail(error, QN_INVALID,
                 "expected *Arcs or *Edges after *Vertices; this may be a partition (.clu) or a "
                 "vector (.vec) of Pajek, values of the vertices of a network");
}

/* Vertices of the same mode have no edge. */
static enum qn_status check_modes(const struct pajek *pajek, uint64_t from, uint64_t to,
                                  const char *line, const char *end, struct qn_error *error) {
  if (!pajek->first_mode || (from <= pajek->first_mode) != (to <= pajek->first_mode))
    return QN_OK;
  return fail_line(error, "an edge between the two modes, as *Vertices says", line, end);
}

static enum qn_status take_pair(struct pajek *pajek, const char *line, const char *end,
                                struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column source, target, weight;
  struct qn_text from, to, text = {NULL, 0};
  uint64_t ends[2];
  if (!qn_columns_take(&columns, &source) || !qn_columns_take(&columns, &target) ||
      !take_vertex(pajek, &source, &from, &ends[0]) || !take_vertex(pajek, &target, &to, &ends[1]))
    return fail_line(error, "two vertices, from 1 to their number", line, end);
  if (qn_columns_take(&columns, &weight))
    text = (struct qn_text){weight.begin, (uint64_t)(weight.end - weight.begin)};
  if (text.length >= WEIGHT_BYTES)
    return fail_line(error, "a weight", weight.begin, weight.end);
  enum qn_status status = check_modes(pajek, ends[0], ends[1], line, end, error);
  if (!status)
    status = tell_direction(pajek, error);
  return status ? status : qn_named_graph_between(&pajek->graph, from, to, text, error);
}

static enum qn_status take_list(struct pajek *pajek, const char *line, const char *end,
                                struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column word;
  const struct qn_text no_weight = {NULL, 0};
  struct qn_text from, to;
  uint64_t source, target;
  if (!qn_columns_take(&columns, &word) || !take_vertex(pajek, &word, &from, &source))
    return fail_line(error, "vertices, from 1 to their number", line, end);
  enum qn_status status = tell_direction(pajek, error);
  while (!status && qn_columns_take(&columns, &word)) {
    if (!take_vertex(pajek, &word, &to, &target))
      return fail_line(error, "a vertex, from 1 to their number", word.begin, word.end);
    status = check_modes(pajek, source, target, line, end, error);
    if (!status)
      status = qn_named_graph_between(&pajek->graph, from, to, no_weight, error);
  }
  return status;
}

static bool is_zero(const struct qn_column *cell) {
  const char *p = cell->begin, *end = cell->end;
  p += p < end && (*p == '-' || *p == '+');
  while (p < end && (*p == '0' || *p == '.'))
    p++;
  return p == end && qn_column_is_number(cell);
}

/* A row: what is not zero is the weight of an edge to that column's vertex. */
static enum qn_status take_row(struct pajek *pajek, const char *line, const char *end,
                               struct qn_error *error) {
  const uint64_t rows = pajek->first_mode ? pajek->first_mode : pajek->num_vertices;
  const uint64_t num_columns = pajek->first_mode ? pajek->num_vertices - rows : rows;
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column cell;
  char from[NUMBER_BYTES], to[NUMBER_BYTES];
  uint64_t column = 0;
  if (pajek->row++ == rows)
    return fail_line(error, "no more rows than vertices", line, end);
  snprintf(from, sizeof from, "%" PRIu64, pajek->row);
  enum qn_status status = tell_direction(pajek, error);
  for (; !status && qn_columns_take(&columns, &cell); column++) {
    const struct qn_text weight = {cell.begin, (uint64_t)(cell.end - cell.begin)};
    if (column == num_columns || weight.length >= WEIGHT_BYTES)
      return fail_line(error, "a number for each column's vertex", line, end);
    if (is_zero(&cell))
      continue;
    snprintf(to, sizeof to, "%" PRIu64, (pajek->first_mode ? rows : 0) + column + 1);
    status = qn_named_graph_between(&pajek->graph, qn_text_of(from), qn_text_of(to), weight, error);
    pajek->has_values |= weight.length != 1 || *weight.bytes != '1';
  }
  return status || column == num_columns
             ? status
             : fail_line(error, "a number for each column's vertex", line, end);
}

/* Its number; behind that is a label, and what is for drawing. */
static enum qn_status check_vertex(struct pajek *pajek, const char *line, const char *end,
                                   struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column number;
  struct qn_text name;
  uint64_t vertex;
  if (!qn_columns_next(&columns, &number) || !take_vertex(pajek, &number, &name, &vertex))
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
  return pajek->section == PAIRS   ? take_pair(pajek, line, end, error)
         : pajek->section == LISTS ? take_list(pajek, line, end, error)
                                   : take_row(pajek, line, end, error);
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
  if (pajek.section == MATRIX && !pajek.has_values && options->alone)
    result->weights_are_defaults = true;
  snprintf(result->description, sizeof result->description,
           "%" PRIu64 " vertices from 1%s, %s, %s%s%s", pajek.num_vertices,
           pajek.first_mode ? " in two modes" : "",
           pajek.graph.directed ? "directed" : "undirected",
           pajek.graph.weighted && !result->weights_are_defaults ? "weights" : "no weights",
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
