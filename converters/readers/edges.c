/* Text edge lists: a line an edge, as SNAP, KONECT and everyone else writes them.
 *
 *   # comments begin with # or %, unless --comments says otherwise; blank lines are skipped
 *   source destination [weight [more columns]]
 *
 * What separates columns, and whether a header names them, is learned from the first lines
 * (converters/parse/table.h). Ids are whole numbers up to 2^64-1, perhaps in quotes or, as pandas
 * writes columns that had gaps, with a point and zeros behind. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/parse/comments.h"
#include "converters/parse/declared_size.h"
#include "converters/parse/edges_header.h"
#include "converters/parse/reader.h"
#include "converters/parse/regular_lines.h"
#include "converters/parse/shaped_lines.h"
#include "converters/parse/table.h"
#include "converters/parse/text_lines.h"
#include "converters/readers/konect.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/input/input.h"
#include "support/progress.h"

/* Lines up to so long are tried fast; what lies behind them is readable as far as
 * qn_parse_short_number reads. */
#define SIMPLE_BYTES 64
#define NUMBER_BYTES 24

/* Whole numbers are exact in a double up to 2^53: beyond it "1.0" is no id. */
#define MOST_REAL_ID ((uint64_t)1 << 53)

/* A table, and how its lines are parsed fast. */
struct layout {
  struct qn_table table;
  struct qn_line_form form;
  char separators[3];  /* one of these is between columns, where there is no more */
  bool plain;          /* two columns: source and destination */
  bool plain_weighted; /* three: source, destination and weight */
  bool real;           /* weights may have a point */
  bool drops_zeros;    /* in front of ids: the user asked for numbers */
};

/* ---- Any line, with all checks -------------------------------------------- */

/* "3.0" is 3. */
static enum qn_number_kind parse_number(const char *begin, const char *end, uint64_t *id) {
  const char *last = end;
  while (last > begin && last[-1] == '0')
    last--;
  if (last == begin || last[-1] != '.')
    return qn_parse_whole(begin, end, id);
  enum qn_number_kind kind = qn_parse_whole(begin, last - 1, id);
  return kind == QN_NUMBER_FINE && *id > MOST_REAL_ID ? QN_NUMBER_TOO_LARGE : kind;
}

static bool parse_id(struct qn_text_part *part, const struct layout *layout, const char *line,
                     const struct qn_column *column, uint64_t *id) {
  char text[QN_QUOTE_BYTES];
  const char *begin = column->begin, *end = column->end;
  enum qn_number_kind kind = parse_number(begin, end, id);
  const bool padded = !layout->drops_zeros && qn_column_is_padded(column);
  if (kind == QN_NUMBER_FINE && !padded)
    return true;
  if (padded)
    qn_text_reject(part, line, begin,
                   "vertex id %s has a leading zero, which a number does not keep: --ids=strings "
                   "takes ids as names, --ids=compact drops leading zeros",
                   qn_text_quote(begin, end, text));
  else if (begin == end)
    qn_text_reject(part, line, begin, "expected a value between separators; found none");
  else if (kind == QN_NUMBER_TOO_LARGE)
    qn_text_reject(
        part, line, begin, "vertex id %s is larger than %s", qn_text_quote(begin, end, text),
        memchr(begin, '.', (size_t)(end - begin)) ? "2^53, where reals are not exact" : "2^64-1");
  else if (end - begin > 1 && *begin == '-' && qn_is_digit(begin[1]))
    qn_text_reject(part, line, begin,
                   "expected a vertex id, an integer from 0 on; found %s, which is negative",
                   qn_text_quote(begin, end, text));
  else
    qn_text_reject(part, line, begin,
                   "expected a vertex id, an integer from 0 on; found %s (if ids are names, use "
                   "--ids=strings)",
                   qn_text_quote(begin, end, text));
  return false;
}

static void parse_line(struct qn_text_part *part, const struct layout *layout, const char *line,
                       const char *end) {
  struct qn_table_row row;
  uint64_t source, destination;
  enum qn_weight_type type;
  uint64_t bits;
  if (qn_table_take_comment(part, &layout->table, line, end))
    return;
  if (!qn_table_cut(part, &layout->table, line, end, &row) ||
      !parse_id(part, layout, line, &row.source, &source) ||
      !parse_id(part, layout, line, &row.destination, &destination) ||
      !qn_table_weight(part, &layout->table, line, &row, &type, &bits))
    return;
  part->edges++;
  if (type == QN_WEIGHT_NONE)
    qn_edge_push(&part->stream, source, destination);
  else
    qn_edge_push_weighted(&part->stream, source, destination, type, bits);
}

/* ---- Ordinary lines, fast ------------------------------------------------- */

/* After a line that is not regular this many are tried one by one: where it is the line ends, or
 * wide separators, or real weights, all lines are alike. */
#define LINES_IN_A_ROW 64

/* Behind the separator at `p`; NULL if there is none. */
static inline const char *skip_separator(const char *p, char delimiter) {
  const char *begin = p;
  while (qn_is_blank(*p) && *p != delimiter)
    p++;
  if (delimiter == ' ') {
    while (qn_is_blank(*p))
      p++;
    return p > begin ? p : NULL;
  }
  if (*p++ != delimiter)
    return NULL;
  while (qn_is_blank(*p) && *p != delimiter)
    p++;
  return p;
}

/* The weight at *p, in a line that ends at `end`. */
static inline bool fast_weight(const char **p, const char *end, enum qn_weight_type *type,
                               uint64_t *bits) {
  if (qn_parse_weight(*p, end, type, bits) != QN_WEIGHT_FINE)
    return false;
  *p = end;
  return true;
}

/* The line at the cursor, if it is short, two numbers begin it and then it ends, or, where
 * there is a column of weights, a weight comes and then it ends. */
static bool parse_simple_line(struct qn_text_part *part, const struct layout *layout) {
  const char *p = part->cursor;
  char delimiter = layout->table.dialect.delimiter;
  uint64_t source, destination;
  if (part->end - p < SIMPLE_BYTES || part->readable_end - p < SIMPLE_BYTES + NUMBER_BYTES)
    return false;
  const char *newline = memchr(p, '\n', SIMPLE_BYTES);
  if (!newline || !qn_parse_short_number(&p, &source))
    return false;
  const char *end = newline > p && newline[-1] == '\r' ? newline - 1 : newline;
  const char *field = skip_separator(p, delimiter);
  if (!field || !qn_parse_short_number(&field, &destination))
    return false;
  enum qn_weight_type type = QN_WEIGHT_NONE;
  uint64_t bits = 0;
  if (layout->plain_weighted) {
    const char *weight = skip_separator(field, delimiter);
    if (!weight || !layout->real || !fast_weight(&weight, end, &type, &bits))
      return false;
    field = weight;
  }
  if (field != end)
    return false;
  part->edges++;
  part->cursor = newline + 1;
  if (layout->plain_weighted)
    qn_edge_push_weighted(&part->stream, source, destination, type, bits);
  else
    qn_edge_push(&part->stream, source, destination);
  return true;
}

/* True if all of a row of lines were simple, or comments. */
static bool parse_simple_lines(struct qn_text_part *part, const struct layout *layout) {
  for (int i = 0; i < LINES_IN_A_ROW; i++) {
    const char *line = part->cursor;
    if (!parse_simple_line(part, layout))
      qn_table_skip_comments(part, &layout->table);
    if (part->cursor == line)
      return false;
  }
  return true;
}

/* Takes lines of one shape. */
static uint32_t take_lines(struct qn_text_part *part, const void *context,
                           const struct qn_shaped_lines *lines) {
  const struct layout *layout = context;
  bool whole = lines->weight_type <= QN_WEIGHT_U32;
  if (!qn_weights_take(layout->table.weights, lines->weight_type) || !(whole || layout->real))
    return 0;
  qn_edge_push_pairs(&part->stream, lines->pairs, lines->weight_type, lines->weights, lines->count);
  return lines->count;
}

/* Regular lines as long as they come, with whole weights or real ones. */
static void parse_regular_columns(struct qn_text_part *part, const struct layout *layout) {
  const struct qn_regular_columns *columns = &layout->form.columns;
  const char *before;
  do {
    before = part->cursor;
    qn_take_shaped_lines(part, &layout->form, take_lines, layout);
    qn_parse_regular_columns(part, columns);
    if (layout->real)
      qn_parse_regular_reals(part, columns);
  } while (part->cursor > before);
}

/* Files of other columns: regular lines fast, and the others one by one. */
static void parse_columns(struct qn_text_part *part, const struct layout *layout) {
  const char *line, *end;
  bool regular = layout->table.num_columns <= QN_MOST_REGULAR_COLUMNS &&
                 layout->table.type == QN_NO_COLUMN && !layout->table.dictionary;
  for (;;) {
    qn_table_skip_comments(part, &layout->table);
    if (regular)
      parse_regular_columns(part, layout);
    for (int i = 0; i < LINES_IN_A_ROW; i++) {
      if (!qn_text_next_line(part, &line, &end))
        return;
      parse_line(part, layout, line, end);
    }
  }
}

static void parse_one_by_one(struct qn_text_part *part, const struct layout *layout) {
  const char *line, *end;
  while (qn_table_skip_comments(part, &layout->table), qn_text_next_line(part, &line, &end))
    parse_line(part, layout, line, end);
}

static void parse_part(struct qn_text_part *part, const void *context) {
  const struct layout *layout = context;
  const char *line, *end;
  if (!layout->drops_zeros && qn_has_padded_numbers(part->cursor, part->end)) {
    parse_one_by_one(part, layout); /* the fast ways do not see leading zeros */
    return;
  }
  if (!layout->plain && !layout->plain_weighted) {
    parse_columns(part, layout);
    return;
  }
  for (;;) {
    qn_table_skip_comments(part, &layout->table);
    qn_take_shaped_lines(part, &layout->form, take_lines, layout);
    qn_parse_regular_lines(part, layout->plain_weighted, layout->form.columns.separators);
    if (layout->real)
      qn_parse_regular_reals(part, &layout->form.columns);
    if (parse_simple_lines(part, layout))
      continue;
    if (!qn_text_next_line(part, &line, &end))
      break;
    parse_line(part, layout, line, end);
  }
}

/* ---- The whole ------------------------------------------------------------ */

static void set_layout(struct layout *layout, const struct qn_read_options *options) {
  const struct qn_table *table = &layout->table;
  char one = table->dialect.delimiter, other = one == ' ' ? '\t' : one;
  bool first_two = table->source == 0 && table->destination == 1;
  bool no_other = !table->dictionary && table->type == QN_NO_COLUMN;
  layout->plain = first_two && no_other && table->num_columns == 2;
  layout->plain_weighted = first_two && no_other && table->num_columns == 3 && table->weight == 2;
  layout->real = table->weight != QN_NO_COLUMN && !table->decimal_comma && !table->dictionary &&
                 table->weights != QN_WEIGHTS_U32 && table->weights != QN_WEIGHTS_I64;
  layout->drops_zeros = options->numbers;
  layout->separators[0] = one;
  layout->separators[1] = one == ' ' ? '\t' : '\0';
  layout->form = (struct qn_line_form){
      "",
      layout->separators,
      {table->num_columns, table->source, table->destination, table->weight, {one, other}},
      table->dialect.quotes};
}

/* KONECT says in its first line what the edges mean. */
static void heed_konect(const char *head, uint64_t bytes, const struct qn_read_options *options,
                        struct qn_read_result *result) {
  if (qn_konect_says(head, bytes, options, "sym"))
    result->symmetric = result->listed_once = true;
  if (qn_konect_says(head, bytes, options, "bip"))
    qn_note(QN_NOTE_SIDES_MERGED,
            "the input calls itself bipartite (KONECT): ids of the two sides overlap, and are "
            "taken as the same vertices");
}

static void claim_counts(const struct qn_table *table, const struct qn_edge_list *list,
                         struct qn_claims *claims) {
  if (!table->edges_said)
    return;
  claims->vertices_said = table->vertices_said;
  claims->edges_said = table->edges_said;
  claims->first_line = table->first_line;
  claims->is_above = table->num_columns == 2 && table->edges_said > table->vertices_said;
  claims->above = qn_edge_list_count_above(list, table->vertices_said);
}

static enum qn_status read_lines(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct layout layout = {0};
  struct qn_input_block block;
  const char *head;
  uint64_t bytes;
  enum qn_status status = qn_input_peek(input, &head, &bytes, error);
  if (status)
    return status;
  status = qn_konect_check(head, bytes, options, error);
  if (status)
    return qn_error_in_file(error, qn_input_name(input));
  heed_konect(head, bytes, options, result);
  status = qn_table_begin(input, options, &layout.table, &block, result, error);
  if (status || block.bytes == 0)
    return status;
  set_layout(&layout, options);
  qn_table_describe(&layout.table, "ids", result);
  struct qn_text_job job = {.input = input,
                            .options = options,
                            .parse = parse_part,
                            .records = layout.table.dialect.strict,
                            .signs = layout.table.signs,
                            .context = &layout,
                            .list = list,
                            .sequence = sequence,
                            .ledger = &result->ledger,
                            .lines_before = layout.table.first_line - 1};
  uint64_t before = result->ledger.edges_read, begin, end;
  struct qn_claims claims = {0};
  status = qn_text_read(&job, &block, error);
  if (status)
    return status;
  const uint64_t found = result->ledger.edges_read - before;
  const bool part = qn_input_part(input, &begin, &end);
  const uint64_t said = layout.table.edges_said;
  if (part ? found <= said + 1 : found == said + 1) /* it looks at all edges */
    claim_counts(&layout.table, list, &claims);
  if (!part)
    return qn_counts_check(&claims, found, qn_input_name(input), error);
  result->claims = claims;
  return QN_OK;
}

static enum qn_status read_edges(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  return qn_read_announced(input, options, list, sequence, result, read_lines, error);
}

/* ---- Detection ------------------------------------------------------------ */

static int detect_edges(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  struct qn_table_guess guess;
  if (options->strings || options->bipartite == QN_BIPARTITE_YES)
    return 0;
  qn_table_guess(head, bytes, options, &guess);
  return guess.numbers ? 2 : 1;
}

const struct qn_reader qn_reader_edges = {
    .name = "edges",
    .detect = detect_edges,
    .read = read_edges,
    .divides = true,
};
