/* Text edge lists: a line an edge, as SNAP, KONECT and everyone else writes them.
 *
 *   # comments begin with # or %, blank lines are skipped
 *   source destination [weight [more columns]]
 *
 * Columns are separated by white space, or by one comma or semicolon with or without
 * white space. The first line of data says how many there are, or is a header if
 * none of its fields is a number. Ids are whole numbers up to 2^64-1. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/input/input.h"
#include "converters/parse/column_choice.h"
#include "converters/parse/edges_header.h"
#include "converters/parse/reader.h"
#include "converters/parse/regular_lines.h"
#include "converters/parse/shaped_lines.h"
#include "converters/parse/text_fields.h"
#include "converters/parse/text_lines.h"
#include "converters/text/text_numbers.h"
#include "support/progress.h"

/* Lines of data have at least two columns; more than this many make no edge list. */
#define MAX_COLUMNS 4096

/* Lines up to so long are tried fast; what lies behind them is readable as far as
 * qn_parse_short_number reads. */
#define SIMPLE_BYTES 64
#define NUMBER_BYTES 24

/* One of these is between columns, where there is no more. */
#define SEPARATORS " \t,;"

/* What all lines have in common. */
struct layout {
  uint32_t num_columns;
  uint32_t source, destination, weight; /* columns from 0; weight may be none: UINT32_MAX */
  uint64_t first_line;                  /* where the number of columns was seen */
  enum qn_weight_choice weights;
  bool header;         /* a line of names came before */
  bool plain;          /* two columns: source and destination */
  bool plain_weighted; /* three: source, destination and weight */
};

/* From the end of a field to the next field's begin; `*empty` if a comma is followed by none. */
static const char *next_field(const char *p, const char *end, bool *empty) {
  p = qn_skip_blanks(p, end);
  *empty = false;
  if (p < end && (*p == ',' || *p == ';')) {
    p = qn_skip_blanks(p + 1, end);
    *empty = p == end || *p == ',' || *p == ';';
  }
  return p;
}

static bool is_comment(const char *line, const char *end) {
  line = qn_skip_blanks(line, end);
  return line == end || *line == '#' || *line == '%';
}

/* ---- Any line, with all checks -------------------------------------------- */

struct edge {
  uint64_t source, destination;
  enum qn_weight_type weight_type;
  uint32_t weight_bits;
};

static bool parse_id(struct qn_text_part *part, const char *line, const char *field,
                     const char *field_end, uint64_t *id) {
  char text[QN_QUOTE_BYTES];
  enum qn_number_kind kind = qn_parse_whole(field, field_end, id);
  if (kind == QN_NUMBER_FINE)
    return true;
  qn_text_quote(field, field_end, text);
  switch (kind) {
  case QN_NUMBER_TOO_LARGE:
    qn_text_reject(part, line, field, "vertex id %s is larger than 2^64-1", text);
    return false;
  default:
    if (field_end - field > 1 && *field == '-' && qn_skip_blanks(field, field_end) == field &&
        qn_is_digit(field[1]))
      qn_text_reject(part, line, field,
                     "expected a vertex id, a whole number from 0 on; found %s, which is negative",
                     text);
    else
      qn_text_reject(part, line, field,
                     "expected a vertex id, a whole number from 0 on; found %s (if ids are names, "
                     "use --ids=strings)",
                     text);
    return false;
  }
}

/* Numbers may be quoted, as some write all fields of CSV. */
static bool parse_column(struct qn_text_part *part, const struct layout *layout, uint32_t column,
                         const char *line, const char *field, const char *field_end,
                         struct edge *edge) {
  if (field_end - field > 2 && *field == '"' && field_end[-1] == '"') {
    field++;
    field_end--;
  }
  if (column == layout->source)
    return parse_id(part, line, field, field_end, &edge->source);
  if (column == layout->destination)
    return parse_id(part, line, field, field_end, &edge->destination);
  if (column == layout->weight)
    return qn_text_weight(part, layout->weights, line, field, field_end, &edge->weight_type,
                          &edge->weight_bits);
  return true;
}

static void parse_line(struct qn_text_part *part, const struct layout *layout, const char *line,
                       const char *end) {
  struct edge edge = {.weight_type = QN_WEIGHT_NONE};
  if (is_comment(line, end)) {
    part->comments++;
    return;
  }
  while (qn_is_blank(end[-1]))
    end--;
  const char *field = qn_skip_blanks(line, end);
  uint32_t column = 0;
  for (bool empty = false;; column++) {
    if (empty) {
      qn_text_reject(part, line, field, "expected a value between separators; found none");
      return;
    }
    if (field == end)
      break;
    if (column == layout->num_columns) {
      char text[QN_QUOTE_BYTES];
      qn_text_reject(part, line, field,
                     "expected %" PRIu32 " columns, as in line %" PRIu64 "; found one more, %s",
                     column, layout->first_line,
                     qn_text_quote(field, qn_text_field_end(field, end), text));
      return;
    }
    const char *field_end = qn_text_field_end(field, end);
    if (!parse_column(part, layout, column, line, field, field_end, &edge))
      return;
    field = next_field(field_end, end, &empty);
  }
  if (column < layout->num_columns) {
    qn_text_reject(part, line, end,
                   "expected %" PRIu32 " columns, as in line %" PRIu64 "; found only %" PRIu32,
                   layout->num_columns, layout->first_line, column);
    return;
  }
  part->edges++;
  if (edge.weight_type == QN_WEIGHT_NONE)
    qn_edge_push(&part->stream, edge.source, edge.destination);
  else
    qn_edge_push_weighted(&part->stream, edge.source, edge.destination, edge.weight_type,
                          edge.weight_bits);
}

/* ---- Ordinary lines, fast ------------------------------------------------- */

/* After a line that is not regular this many are tried one by one: where it is the line ends, or
 * wide separators, or real weights, all lines are alike. */
#define LINES_IN_A_ROW 64

static inline const char *skip_separator(const char *p) {
  while (qn_is_blank(*p))
    p++;
  if (*p != ',' && *p != ';')
    return p;
  do
    p++;
  while (qn_is_blank(*p));
  return p;
}

/* The weight at *p, in a line that ends at `end`. */
static inline bool fast_weight(const char **p, const char *end, enum qn_weight_type *type,
                               uint32_t *bits) {
  const char *field_end = qn_text_field_end(*p, end);
  if (qn_parse_weight(*p, field_end, type, bits) != QN_WEIGHT_FINE)
    return false;
  *p = field_end;
  return true;
}

/* The line at the cursor, if it is short, two numbers begin it and then it ends, or, where
 * there is a column of weights, a weight comes and then it ends. */
static bool parse_simple_line(struct qn_text_part *part, const struct layout *layout) {
  const char *p = part->cursor;
  uint64_t source, destination;
  if (part->end - p < SIMPLE_BYTES || part->readable_end - p < SIMPLE_BYTES + NUMBER_BYTES)
    return false;
  const char *newline = memchr(p, '\n', SIMPLE_BYTES);
  if (!newline || !qn_parse_short_number(&p, &source))
    return false;
  const char *end = newline > p && newline[-1] == '\r' ? newline - 1 : newline;
  const char *field = skip_separator(p);
  if (field == p || !qn_parse_short_number(&field, &destination))
    return false;
  enum qn_weight_type type = QN_WEIGHT_NONE;
  uint32_t bits = 0;
  if (layout->plain_weighted) {
    const char *weight = skip_separator(field);
    if (weight == field || !fast_weight(&weight, end, &type, &bits) ||
        (layout->weights == QN_WEIGHTS_U32 && type != QN_WEIGHT_U32))
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

/* True if all of a row of lines were simple. */
static bool parse_simple_lines(struct qn_text_part *part, const struct layout *layout) {
  for (int i = 0; i < LINES_IN_A_ROW; i++)
    if (!parse_simple_line(part, layout))
      return false;
  return true;
}

/* Takes lines of one shape. */
static uint32_t take_lines(struct qn_text_part *part, const void *context,
                           const struct qn_shaped_lines *lines) {
  const struct layout *layout = context;
  if (layout->weights == QN_WEIGHTS_U32 && lines->weight_type == QN_WEIGHT_F32)
    return 0;
  qn_edge_push_pairs(&part->stream, lines->pairs, lines->weight_type, lines->weights, lines->count);
  return lines->count;
}

/* Regular lines as long as they come, with whole weights or real ones. */
static void parse_regular_columns(struct qn_text_part *part, const struct layout *layout,
                                  const struct qn_regular_columns *columns) {
  bool real = layout->weight != UINT32_MAX && layout->weights != QN_WEIGHTS_U32;
  const struct qn_line_form form = {"", SEPARATORS, *columns};
  const char *before;
  do {
    before = part->cursor;
    qn_take_shaped_lines(part, &form, take_lines, layout);
    qn_parse_regular_columns(part, columns);
    if (real)
      qn_parse_regular_reals(part, columns);
  } while (part->cursor > before);
}

/* Files of other columns: regular lines fast, and the others one by one. */
static void parse_columns(struct qn_text_part *part, const struct layout *layout) {
  const struct qn_regular_columns columns = {layout->num_columns, layout->source,
                                             layout->destination, layout->weight};
  const char *line, *end;
  for (;;) {
    if (layout->num_columns <= QN_MOST_REGULAR_COLUMNS)
      parse_regular_columns(part, layout, &columns);
    for (int i = 0; i < LINES_IN_A_ROW; i++) {
      if (!qn_text_next_line(part, &line, &end))
        return;
      parse_line(part, layout, line, end);
    }
  }
}

static void parse_part(struct qn_text_part *part, const void *context) {
  const struct layout *layout = context;
  const char *line, *end;
  if (!layout->plain && !layout->plain_weighted) {
    parse_columns(part, layout);
    return;
  }
  const struct qn_regular_columns columns = {layout->plain_weighted ? 3 : 2, 0, 1,
                                             layout->plain_weighted ? 2 : UINT32_MAX};
  const struct qn_line_form form = {"", SEPARATORS, columns};
  bool real = layout->plain_weighted && layout->weights != QN_WEIGHTS_U32;
  for (;;) {
    qn_take_shaped_lines(part, &form, take_lines, layout);
    qn_parse_regular_lines(part, layout->plain_weighted);
    if (real)
      qn_parse_regular_reals(part, &columns);
    if (parse_simple_lines(part, layout))
      continue;
    if (!qn_text_next_line(part, &line, &end))
      break;
    parse_line(part, layout, line, end);
  }
}

/* ---- The first lines ------------------------------------------------------ */

/* True if no field is a number and there are at least two: names of columns. */
static bool is_header(const char *line, const char *end) {
  const char *field = qn_skip_blanks(line, end);
  unsigned columns = 0;
  bool empty = false;
  while (field < end && !empty) {
    bool quoted = *field == '"';
    char first = field[quoted];
    bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ||
                  first == '_' || first == ':';
    if (!letter)
      return false;
    columns++;
    field = next_field(qn_text_field_end(field, end), end, &empty);
  }
  return columns >= 2 && !empty;
}

static uint32_t count_columns(const char *line, const char *end) {
  uint32_t columns = 0;
  bool empty = false;
  while (end > line && qn_is_blank(end[-1]))
    end--;
  for (const char *p = qn_skip_blanks(line, end); p < end && columns < MAX_COLUMNS; columns++)
    p = next_field(qn_text_field_end(p, end), end, &empty);
  return columns;
}

static enum qn_status set_layout(struct layout *layout, const struct qn_read_options *options,
                                 const char *line, const char *end, const char *file,
                                 struct qn_error *error) {
  layout->num_columns = count_columns(line, end);
  layout->weights = options->weights;
  layout->source = options->source_column ? options->source_column - 1 : 0;
  layout->destination = options->destination_column ? options->destination_column - 1 : 1;
  layout->weight = UINT32_MAX;
  if (options->weights != QN_WEIGHTS_NONE) {
    if (options->weight_column)
      layout->weight = options->weight_column - 1;
    else if (!options->source_column && !options->destination_column && layout->num_columns > 2)
      layout->weight = 2;
  }
  uint32_t needed = layout->source > layout->destination ? layout->source : layout->destination;
  if (layout->weight != UINT32_MAX && layout->weight > needed)
    needed = layout->weight;
  if (layout->num_columns <= needed || layout->num_columns >= MAX_COLUMNS) {
    char text[QN_QUOTE_BYTES];
    qn_fail(error, QN_INVALID, "expected an edge, %s; found %" PRIu32 " column%s: %s",
            needed > 1 ? "with all the columns asked for" : "source and destination",
            layout->num_columns, layout->num_columns == 1 ? "" : "s",
            qn_text_quote(line, end, text));
    return qn_error_at_line(error, file, layout->first_line, 1);
  }
  bool first_two = layout->source == 0 && layout->destination == 1;
  layout->plain = first_two && layout->num_columns == 2;
  layout->plain_weighted = first_two && layout->num_columns == 3 && layout->weight == 2;
  return QN_OK;
}

/* KONECT says in its first line what the edges mean. */
static void heed_konect(const char *line, const char *end) {
  size_t length = (size_t)(end - line);
  if (length > 6 && memcmp(line, "% sym ", 6) == 0)
    qn_notice("note: the input calls itself symmetric (KONECT); --undirected adds the reverse of "
              "every edge");
  else if (length > 6 && memcmp(line, "% bip ", 6) == 0)
    qn_warn("the input calls itself bipartite (KONECT): ids of the two sides overlap, and are "
            "taken as the same vertices");
}

static enum qn_status fail_no_header(const char *file, uint64_t line, struct qn_error *error) {
  qn_fail(error, QN_INVALID, "columns can be chosen by name only where a header names them");
  return qn_error_at_line(error, file, line, 1);
}

/* Take comments and a header from the block's begin, and learn from the first line of data.
 * `*found` if there was one. */
static enum qn_status take_first_lines(struct qn_input *input, struct qn_read_options *options,
                                       struct qn_input_block *block, struct layout *layout,
                                       struct qn_read_result *result, bool *found,
                                       struct qn_error *error) {
  struct qn_input_block before = *block;
  const char *line, *end;
  for (; qn_text_take_line(block, &line, &end); before = *block) {
    bool comment = is_comment(line, end);
    bool header = !comment && !layout->header && is_header(line, end);
    layout->first_line++;
    if (layout->first_line == 1)
      heed_konect(line, end);
    if (!comment && !header) {
      *block = before;
      *found = true;
      if (qn_column_choice_pending(options))
        return fail_no_header(qn_input_name(input), layout->first_line, error);
      return set_layout(layout, options, line, end, qn_input_name(input), error);
    }
    layout->header |= header;
    char separator = qn_text_separator(line, end);
    if (header && (qn_column_choice_guess(options, line, end, separator, error) ||
                   qn_column_choice_resolve(options, line, end, separator, error)))
      return qn_error_at_line(error, qn_input_name(input), layout->first_line, 1);
    result->ledger.records++;
    result->ledger.comments++;
  }
  return QN_OK;
}

static void describe(const struct layout *layout, struct qn_read_result *result) {
  char weight[64] = "no weights";
  if (layout->weight != UINT32_MAX)
    snprintf(weight, sizeof weight, "weights in column %" PRIu32, layout->weight + 1);
  snprintf(result->description, sizeof result->description,
           "%" PRIu32 " columns%s; ids in columns %" PRIu32 " and %" PRIu32 ", %s",
           layout->num_columns, layout->header ? " after a header" : "", layout->source + 1,
           layout->destination + 1, weight);
}

static enum qn_status read_lines(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct layout layout = {0};
  struct qn_read_options chosen = *options;
  struct qn_input_block block;
  bool found = false;
  enum qn_status status = qn_input_next(input, &block, error);
  if (status)
    return status;
  qn_text_skip_mark(&block);
  for (;;) {
    status = take_first_lines(input, &chosen, &block, &layout, result, &found, error);
    if (status || found)
      break;
    status = qn_input_next(input, &block, error);
    if (status || block.bytes == 0)
      return status;
  }
  if (status)
    return status;
  describe(&layout, result);
  struct qn_text_job job = {.input = input,
                            .options = options,
                            .parse = parse_part,
                            .context = &layout,
                            .list = list,
                            .sequence = sequence,
                            .ledger = &result->ledger,
                            .lines_before = layout.first_line - 1};
  return qn_text_read(&job, &block, error);
}

static enum qn_status read_edges(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  return qn_read_announced(input, options, list, sequence, result, read_lines, error);
}

/* ---- Detection ------------------------------------------------------------ */

static int detect_edges(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  if (options->strings || options->bipartite == QN_BIPARTITE_YES)
    return 0;
  const char *end = head + bytes;
  if (bytes >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
    head += 3;
  bool header_seen = false;
  while (head < end) {
    const char *newline = memchr(head, '\n', (size_t)(end - head));
    const char *line_end = newline ? newline : end;
    line_end -= line_end > head && line_end[-1] == '\r';
    if (is_comment(head, line_end)) {
      head = newline ? newline + 1 : end;
      continue;
    }
    if (!header_seen && is_header(head, line_end)) {
      header_seen = true;
      head = newline ? newline + 1 : end;
      continue;
    }
    const char *field = qn_skip_blanks(head, line_end);
    bool empty = false;
    if (!qn_is_digit(*field) || count_columns(head, line_end) < 2)
      return 1;
    field = next_field(qn_text_field_end(field, line_end), line_end, &empty);
    return field < line_end && qn_is_digit(*field) ? 2 : 1;
  }
  return 1; /* nothing but comments so far */
}

const struct qn_reader qn_reader_edges = {
    .name = "edges",
    .detect = detect_edges,
    .read = read_edges,
};
