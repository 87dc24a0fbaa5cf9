/* Graphs of the DIMACS implementation challenges: shortest paths (the 9th, .gr;
 * http://www.diag.uniroma1.it/challenge9/format.shtml), maximum flows (the 1st, .max), and cliques
 * and colourings (the 2nd, .col, .clq):
 *
 *   c comment
 *   p sp VERTICES ARCS     once, before the arcs
 *   a FROM TO WEIGHT       from 1
 *
 *   p max VERTICES ARCS    arcs as above, whose weights are capacities,
 *   n VERTEX s             and what is the source and the sink (t)
 *
 *   p edge VERTICES EDGES  or col
 *   e A B                  undirected
 *   n VERTEX VALUE
 *
 * Vertices are 0 to VERTICES - 1 and called 1 to VERTICES. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/parse/declared_size.h"
#include "converters/parse/shaped_lines.h"
#include "converters/parse/text_lines.h"
#include "converters/parse/text_weight.h"
#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/input/input.h"

/* Three numbers as qn_parse_short_number reads them, and what is between. */
#define FAST_BYTES 96

enum problem { SHORTEST_PATHS, FLOW, EDGES, NO_PROBLEM };

struct dimacs {
  struct qn_declared_size size;
  enum qn_weight_choice weights;
  uint64_t first_id; /* of vertex 1 */
  enum problem problem;
};

static bool is_comment(const char *line, const char *end) {
  line = qn_skip_blanks(line, end);
  return line == end || (*line == 'c' && (line + 1 == end || qn_is_blank(line[1])));
}

/* ---- Header --------------------------------------------------------------- */

static enum qn_status fail_header(const struct dimacs *dimacs, const char *line, const char *end,
                                  struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  qn_fail(error, QN_INVALID, "expected 'p sp VERTICES ARCS', or max or edge for sp; found %s",
          qn_text_quote(line, end, quoted));
  return qn_error_at_line(error, dimacs->size.file, dimacs->size.line, 1);
}

/* What the first two words of the header say. */
static enum problem problem_of(const struct qn_column word[2]) {
  if (word[0].end - word[0].begin != 1 || *word[0].begin != 'p')
    return NO_PROBLEM;
  return qn_column_is(&word[1], "sp")                                      ? SHORTEST_PATHS
         : qn_column_is(&word[1], "max")                                   ? FLOW
         : qn_column_is(&word[1], "edge") || qn_column_is(&word[1], "col") ? EDGES
                                                                           : NO_PROBLEM;
}

static enum qn_status parse_header(struct dimacs *dimacs, const char *line, const char *end,
                                   struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column word[5];
  unsigned count = 0;
  while (count < 5 && qn_columns_next(&columns, &word[count]))
    count++;
  dimacs->problem = count == 4 ? problem_of(word) : NO_PROBLEM;
  if (dimacs->problem == NO_PROBLEM ||
      qn_parse_whole(word[2].begin, word[2].end, &dimacs->size.num_vertices) != QN_NUMBER_FINE ||
      qn_parse_whole(word[3].begin, word[3].end, &dimacs->size.num_edges) != QN_NUMBER_FINE)
    return fail_header(dimacs, line, end, error);
  return QN_OK;
}

/* ---- Arcs ----------------------------------------------------------------- */

static inline void push(struct qn_text_part *part, const struct dimacs *dimacs, uint64_t from,
                        uint64_t to, enum qn_weight_type type, uint64_t bits) {
  part->edges++;
  from = from - 1 + dimacs->first_id;
  to = to - 1 + dimacs->first_id;
  if (type == QN_WEIGHT_NONE)
    qn_edge_push(&part->stream, from, to);
  else
    qn_edge_push_weighted(&part->stream, from, to, type, bits);
}

static bool parse_vertex(struct qn_text_part *part, const struct dimacs *dimacs, const char *line,
                         const struct qn_column *field, uint64_t *vertex) {
  char quoted[QN_QUOTE_BYTES];
  if (qn_parse_whole(field->begin, field->end, vertex) == QN_NUMBER_FINE && *vertex >= 1 &&
      *vertex <= dimacs->size.num_vertices)
    return true;
  qn_text_reject(part, line, field->begin, "expected a vertex from 1 to %" PRIu64 "; found %s",
                 dimacs->size.num_vertices, qn_text_quote(field->begin, field->end, quoted));
  return false;
}

/* "n VERTEX ...": what a flow begins or ends at, or a value. */
static bool is_about_vertex(const struct dimacs *dimacs, const struct qn_column *word,
                            unsigned count) {
  return dimacs->problem != SHORTEST_PATHS && count == 3 && word->end - word->begin == 1 &&
         *word->begin == 'n';
}

static const char *expected_line(const struct dimacs *dimacs) {
  return dimacs->problem == EDGES ? "expected 'e A B'" : "expected 'a FROM TO WEIGHT'";
}

/* Any line, with all checks. */
static void parse_line(struct qn_text_part *part, const struct dimacs *dimacs, const char *line,
                       const char *end) {
  char quoted[QN_QUOTE_BYTES];
  uint64_t from, to;
  enum qn_weight_type type = QN_WEIGHT_NONE;
  uint64_t bits = 0;
  if (is_comment(line, end)) {
    part->comments++;
    return;
  }
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column word[5];
  unsigned count = 0;
  while (count < 5 && qn_columns_next(&columns, &word[count]))
    count++;
  if (is_about_vertex(dimacs, word, count)) {
    const bool is_vertex = parse_vertex(part, dimacs, line, &word[1], &from);
    part->comments += is_vertex;
    part->fatal |= !is_vertex; /* it would be counted as an arc */
    part->stop |= !is_vertex;
    return;
  }
  const bool is_edge = dimacs->problem == EDGES;
  if (count != (is_edge ? 3 : 4) || word[0].end - word[0].begin != 1 ||
      *word[0].begin != (is_edge ? 'e' : 'a')) {
    qn_text_reject(part, line, word[0].begin, "%s; found %s", expected_line(dimacs),
                   qn_text_quote(line, end, quoted));
    return;
  }
  if (!parse_vertex(part, dimacs, line, &word[1], &from) ||
      !parse_vertex(part, dimacs, line, &word[2], &to))
    return;
  if (!is_edge && dimacs->weights != QN_WEIGHTS_NONE &&
      !qn_text_weight(part, dimacs->weights, line, word[3].begin, word[3].end, &type, &bits))
    return;
  push(part, dimacs, from, to, type, bits);
}

static uint32_t take_lines(struct qn_text_part *part, const void *context,
                           const struct qn_shaped_lines *lines) {
  const struct dimacs *dimacs = context;
  const struct qn_numbered_ends ends = {dimacs->size.num_vertices, dimacs->size.num_vertices,
                                        dimacs->first_id, dimacs->first_id};
  if (!qn_weights_take(dimacs->weights, lines->weight_type))
    return 0;
  return qn_push_numbered_lines(part, &ends, lines);
}

/* Ordinary lines of short whole numbers, from the cursor on until one is anything else. */
static void parse_plain_lines(struct qn_text_part *part, const struct dimacs *dimacs,
                              const char *fast_end) {
  enum qn_weight_type type = dimacs->weights == QN_WEIGHTS_NONE ? QN_WEIGHT_NONE : QN_WEIGHT_U32;
  uint64_t num_vertices = dimacs->size.num_vertices;
  const char *p = part->cursor;
  while (p < fast_end) {
    const char *q = p;
    uint64_t from, to, weight;
    if (*q++ != 'a' || *q++ != ' ' || !qn_parse_short_number(&q, &from) || *q++ != ' ' ||
        !qn_parse_short_number(&q, &to) || *q++ != ' ' || !qn_parse_short_number(&q, &weight))
      break;
    if (from - 1 >= num_vertices || to - 1 >= num_vertices || weight > UINT32_MAX ||
        !(q = qn_skip_line_end(q)))
      break;
    push(part, dimacs, from, to, type, (uint32_t)weight);
    p = q;
  }
  part->cursor = p;
}

static void parse_part(struct qn_text_part *part, const void *context) {
  const struct dimacs *dimacs = context;
  const char *fast_end =
      part->readable_end - part->begin > FAST_BYTES ? part->readable_end - FAST_BYTES : part->begin;
  fast_end = fast_end < part->end ? fast_end : part->end;
  const char *line, *end;
  const uint32_t weight = dimacs->weights == QN_WEIGHTS_NONE ? UINT32_MAX : 2;
  const struct qn_line_form form = {"a ", " ", {3, 0, 1, weight, {' ', ' '}}, false};
  const bool is_edge = dimacs->problem == EDGES;
  for (;;) {
    if (!is_edge) {
      qn_take_shaped_lines(part, &form, take_lines, dimacs);
      parse_plain_lines(part, dimacs, fast_end);
    }
    do {
      qn_text_skip_comments(part, "  ");
      if (!qn_text_next_line(part, &line, &end))
        return;
      parse_line(part, dimacs, line, end);
    } while (part->cursor < part->end && (is_edge || *part->cursor == 'c'));
  }
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status read_dimacs(struct qn_input *input, const struct qn_read_options *options,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  struct dimacs dimacs = {.size = {.file = qn_input_name(input), .text = input},
                          .weights = options->weights};
  struct qn_input_block block = {0};
  struct qn_ledger before;
  const char *line, *end;
  enum qn_status status = qn_text_take_header(input, &block, is_comment, "'p sp VERTICES ARCS'",
                                              &dimacs.size.line, &line, &end, error);
  if (!status)
    status = parse_header(&dimacs, line, end, error);
  if (!status && dimacs.problem == EDGES)
    result->symmetric = result->listed_once = true;
  if (!status)
    status = qn_declare_from_one(&dimacs.size, options, result, &dimacs.first_id, error);
  if (status)
    return status;
  snprintf(result->description, sizeof result->description,
           "%" PRIu64 " vertices, %" PRIu64 " %s%s", dimacs.size.num_vertices,
           dimacs.size.num_edges, dimacs.problem == EDGES ? "edges" : "arcs",
           dimacs.problem == FLOW ? ", weights are capacities; source and sink are not kept" : "");
  result->ledger.records += dimacs.size.line;
  result->ledger.comments += dimacs.size.line;
  before = result->ledger;
  struct qn_text_job job = {.input = input,
                            .options = options,
                            .parse = parse_part,
                            .context = &dimacs,
                            .list = list,
                            .sequence = sequence,
                            .ledger = &result->ledger,
                            .lines_before = dimacs.size.line};
  if (block.bytes == 0)
    status = qn_input_next(input, &block, error);
  if (!status)
    status = qn_text_read(&job, &block, error);
  if (status)
    return status;
  return qn_declared_edges_check(&dimacs.size,
                                 result->ledger.edges_read - before.edges_read +
                                     result->ledger.rejected - before.rejected,
                                 dimacs.problem == EDGES ? "edges" : "arcs", error);
}

/* The header, after nothing but comments; or so many of these that it isn't in sight. */
static int detect_dimacs(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  (void)options;
  struct qn_input_block block = {.data = head, .bytes = bytes};
  const char *line, *end;
  bool commented = false;
  while (qn_text_take_line(&block, &line, &end)) {
    if (!is_comment(line, end)) {
      struct qn_columns columns = qn_columns_of(line, end, &qn_words);
      struct qn_column word[2];
      bool named = qn_columns_next(&columns, &word[0]) && qn_columns_next(&columns, &word[1]) &&
                   problem_of(word) != NO_PROBLEM;
      return named ? 3 : 0;
    }
    commented |= end > line && *line == 'c';
    if (end > line && *line != 'c')
      return 0;
  }
  return commented ? 1 : 0;
}

const struct qn_reader qn_reader_dimacs = {
    .name = "dimacs",
    .detect = detect_dimacs,
    .read = read_dimacs,
    .release = qn_release_declared,
};
