#include "converters/parse/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/parse/column_choice.h"
#include "converters/parse/comments.h"
#include "converters/parse/table_sample.h"
#include "converters/parse/text_weight.h"
#include "formats/text/dictionary.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/memory.h"
#include "support/progress.h"

/* More columns make no edge list. */
#define MAX_COLUMNS 4096

/* ---- What separates columns ----------------------------------------------- */

static struct qn_dialect dialect_of(char delimiter, const struct qn_text_choice *choice,
                                    bool records) {
  return (struct qn_dialect){.delimiter = delimiter,
                             .quotes = choice->quotes != QN_SAID_NO,
                             .strict = records,
                             .trailing = choice->trailing_comments,
                             .escapes = choice->escape == QN_ESCAPE_BACKSLASH};
}

/* What the sample's lines are with some delimiter. */
struct look {
  bool consistent; /* all have the same columns, at least two */
  bool whole;      /* and but for a header the first two are whole numbers */
  bool header;     /* which names the ends */
};

struct line_look {
  uint32_t columns;
  bool whole;    /* the first two columns */
  bool no_first; /* the first is empty */
  bool no_last;
  bool broken; /* has a fault, or a dictionary that is cut */
};

static struct line_look look_at_line(const char *line, const char *end,
                                     const struct qn_dialect *dialect) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column = {0};
  struct line_look look = {.whole = true};
  while (qn_columns_next(&columns, &column)) {
    bool empty = column.begin == column.end && !column.quoted;
    look.columns++;
    look.whole &= look.columns > 2 || qn_column_is_whole(&column);
    look.no_first |= empty && look.columns == 1;
    look.no_last = empty;
    look.broken |= column.fault != QN_COLUMN_FINE;
  }
  const char *brace = end > line && end[-1] == '}' ? memchr(line, '{', (size_t)(end - line)) : NULL;
  look.broken |= brace && column.begin != brace;
  return look;
}

static struct look look_at(struct qn_sample sample, const struct qn_dialect *dialect) {
  struct look look = {.consistent = true, .whole = true};
  const char *line, *end;
  uint32_t columns = 0, lines = 0;
  bool no_first = true, no_last = true;
  for (; lines < QN_SAMPLE_LINES && qn_sample_data(&sample, &line, &end); lines++) {
    struct line_look found = look_at_line(line, end, dialect);
    if (lines == 0) {
      columns = found.columns;
      look.header = qn_column_header_is_sure(line, end, dialect);
    }
    look.consistent &= found.columns == columns && columns >= 2 && !found.broken;
    look.whole &= found.whole || lines == 0;
    no_first &= found.no_first;
    no_last &= found.no_last;
  }
  /* Separators at the begin or end of every line are only more of them. */
  look.consistent &= lines > 0 && !no_first && !no_last;
  return look;
}

static const char *delimiter_text(char delimiter) {
  switch (delimiter) {
  case '\t':
    return "tabs";
  case ',':
    return "commas";
  case ';':
    return "semicolons";
  case '|':
    return "bars";
  default:
    return "blanks";
  }
}

/* The delimiter, and another one that would do as well, else 0. */
struct delimiters {
  char chosen, other;
};

static struct delimiters find_delimiter(struct qn_sample sample,
                                        const struct qn_text_choice *choice) {
  static const char separators[] = {'\t', ';', '|', ','};
  enum { SEPARATORS = sizeof separators };
  struct delimiters found = {0}, better = {0};
  const char *line, *end;
  if (choice->delimiter)
    return (struct delimiters){choice->delimiter, 0};
  for (int i = 0; i < SEPARATORS; i++) {
    struct qn_dialect dialect = dialect_of(separators[i], choice, sample.records);
    struct look look = look_at(sample, &dialect);
    if (!look.consistent)
      continue;
    if (separators[i] == '\t')
      return (struct delimiters){'\t', 0};
    *(found.chosen ? &found.other : &found.chosen) = separators[i];
    if (look.whole || look.header)
      *(better.chosen ? &better.other : &better.chosen) = separators[i];
  }
  if (better.chosen && !better.other)
    return better;
  if (found.chosen)
    return found;
  struct qn_dialect blanks = dialect_of(' ', choice, sample.records);
  struct qn_sample rest = sample;
  if (look_at(sample, &blanks).consistent || !qn_sample_data(&rest, &line, &end))
    return (struct delimiters){' ', 0};
  return (struct delimiters){qn_first_delimiter(line, end), 0};
}

/* ---- Headers -------------------------------------------------------------- */

/* Is there a column of values below a word? */
static bool has_values_below(struct qn_sample sample, const struct qn_dialect *dialect) {
  uint64_t words = 0, values = UINT64_MAX; /* a bit a column, of the first 64 */
  const char *line, *end;
  uint32_t lines = 0;
  for (; lines < QN_SAMPLE_LINES && qn_sample_data(&sample, &line, &end); lines++) {
    struct qn_columns columns = qn_columns_of(line, end, dialect);
    struct qn_column column;
    uint64_t here = 0, bit = 1;
    for (; bit && qn_columns_next(&columns, &column); bit <<= 1)
      here |= qn_column_is_value(&column) ? bit : 0;
    if (lines == 0)
      words = ~here & (bit - 1);
    else
      values &= here;
  }
  return lines > 1 && (words & values);
}

/* Are the first line's values not in quotes, and all ends below are? */
static bool has_quotes_below(struct qn_sample sample, const struct qn_dialect *dialect) {
  const char *line, *end;
  int lines = 0;
  for (; lines < QN_SAMPLE_LINES && qn_sample_data(&sample, &line, &end); lines++)
    for (uint32_t i = 0; i < 2; i++)
      if (qn_column_at(line, end, dialect, i).quoted != (lines > 0))
        return false;
  return lines > 1;
}

/* Of names: does the line name ends, as far as can be told? */
static bool names_ends(struct qn_sample sample, const char *line, const char *end,
                       const struct qn_dialect *dialect) {
  uint32_t source, destination;
  if (qn_column_header_is_sure(line, end, dialect) || has_values_below(sample, dialect) ||
      has_quotes_below(sample, dialect))
    return true;
  const bool pair = qn_column_header_pair(line, end, dialect, &source, &destination);
  if (pair)
    return !qn_sample_has_ends(sample, dialect, source, destination);
  return qn_column_header_is_known(line, end, dialect) &&
         !qn_sample_has_ends(sample, dialect, 0, 1);
}

static bool is_header(struct qn_sample sample, const char *line, const char *end,
                      const struct qn_dialect *dialect, const struct qn_read_options *options,
                      bool names) {
  if (options->text.header != QN_SAID_NOTHING)
    return options->text.header == QN_SAID_YES;
  if (!qn_columns_are_words(line, end, dialect)) /* properties may be called anything */
    return options->others_wanted && qn_column_header_is_sure(line, end, dialect);
  return !names || qn_column_choice_pending(options) || names_ends(sample, line, end, dialect);
}

/* ---- Guessing ------------------------------------------------------------- */

/* Does a column of the next line begin with a digit? */
static bool first_data_is_whole(struct qn_sample sample, const struct qn_dialect *dialect) {
  const char *line, *end;
  struct qn_column column;
  if (!qn_sample_data(&sample, &line, &end))
    return false;
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  while (qn_columns_next(&columns, &column))
    if (column.begin < column.end && qn_is_digit(*column.begin))
      return true;
  return false;
}

/* The lines of a sample by their ends. */
struct end_counts {
  uint64_t lines;
  uint64_t irregular;   /* with more or fewer columns than the one before */
  uint64_t first_names; /* whose source is a name */
  uint64_t any_names;   /* of which an end is */
  bool number_first;    /* the first line's ends are numbers */
  bool padded;          /* an id is a number with leading zeros */
};

static void count_ends(struct qn_sample sample, const struct qn_dialect *dialect,
                       const struct qn_read_options *options, struct end_counts *counts) {
  uint32_t source = options->source_column ? options->source_column : 1;
  uint32_t destination = options->destination_column ? options->destination_column : 2;
  uint32_t before = 0;
  const char *line, *end;
  for (; counts->lines < QN_SAMPLE_LINES && qn_sample_data(&sample, &line, &end); counts->lines++) {
    struct qn_columns columns = qn_columns_of(line, end, dialect);
    struct qn_column column;
    uint32_t number = 0, numbers = 0;
    bool first = false, any = false;
    while (qn_columns_next(&columns, &column)) {
      number++;
      bool is_end = number == source || number == destination;
      bool name = is_end && qn_column_is_name(&column);
      numbers += is_end && column.begin < column.end && qn_is_digit(*column.begin);
      counts->padded |= is_end && qn_column_is_padded(&column);
      first |= name && number == source;
      any |= name;
    }
    counts->irregular += number < 2 || (before && number != before);
    before = number;
    counts->first_names += first;
    counts->any_names += any;
    counts->number_first |= counts->lines == 0 && numbers == 2;
  }
}

void qn_table_guess(const char *head, uint64_t bytes, const struct qn_read_options *options,
                    struct qn_table_guess *guess) {
  struct qn_sample sample = qn_sample_of(head, bytes, &options->text);
  struct qn_sample rest = sample;
  struct qn_read_options chosen = *options;
  struct qn_header_says says;
  struct end_counts counts = {0};
  const char *line, *end;
  struct qn_dialect dialect =
      dialect_of(find_delimiter(sample, &options->text).chosen, &options->text, sample.records);
  *guess = (struct qn_table_guess){0};
  if (!qn_sample_data(&rest, &line, &end))
    return;
  if (is_header(sample, line, end, &dialect, options, true) ||
      (is_header(sample, line, end, &dialect, options, false) &&
       first_data_is_whole(rest, &dialect))) {
    if (qn_column_choice_guess(&chosen, line, end, &dialect, &says, NULL))
      return; /* the reader says why */
    sample = rest;
  }
  count_ends(sample, &dialect, &chosen, &counts);
  bool all = counts.lines > 0 && counts.first_names == counts.lines;
  bool many = counts.any_names >= 10 && counts.any_names * 10 >= counts.lines;
  const bool padded = counts.padded && !options->numbers;
  guess->names = counts.irregular * 2 <= counts.lines && (all || many || padded);
  guess->numbers = counts.number_first && !(padded && guess->names);
}

/* ---- The first lines ------------------------------------------------------ */

static enum qn_status fail_ambiguous(const struct delimiters *delimiters, const char *line,
                                     const char *end, const struct qn_text_choice *choice,
                                     struct qn_error *error) {
  struct qn_dialect one = dialect_of(delimiters->chosen, choice, true);
  struct qn_dialect other = dialect_of(delimiters->other, choice, true);
  return qn_fail(error, QN_INVALID,
                 "%s or %s may separate columns, here %" PRIu32 " or %" PRIu32
                 "; --delimiter says which do",
                 delimiter_text(delimiters->chosen), delimiter_text(delimiters->other),
                 qn_columns_count(line, end, &one), qn_columns_count(line, end, &other));
}

/* A value that cannot be told from those behind it is why columns are not as many as expected. */
static void explain_count(const char *line, const char *end, const struct qn_dialect *dialect,
                          struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column;
  const char *where;
  while (qn_columns_next(&columns, &column))
    if (column.fault)
      qn_fail(error, QN_INVALID, "%s", qn_column_fault_text(&column, dialect, &where));
}

static enum qn_status check_count(const struct qn_table *table, const char *line, const char *end,
                                  bool chosen, struct qn_error *error) {
  char text[QN_QUOTE_BYTES];
  uint32_t needed = table->source > table->destination ? table->source : table->destination;
  if (table->weight != QN_NO_COLUMN && table->weight > needed)
    needed = table->weight;
  if (table->header_columns && table->header_columns != table->num_columns && !chosen)
    return qn_fail(error, QN_INVALID,
                   "the header in line %" PRIu64 " names %" PRIu32 " columns, but here are %" PRIu32
                   ", separated by %s%s; --columns=S,D[,W] by "
                   "numbers or --delimiter say what is what",
                   table->header_line, table->header_columns, table->num_columns,
                   delimiter_text(table->dialect.delimiter),
                   table->header_columns + 1 == table->num_columns ? " (R's names of rows?)" : "");
  if (table->num_columns <= needed || table->num_columns >= MAX_COLUMNS)
    return qn_fail(error, QN_INVALID, "expected an edge, %s; found %" PRIu32 " column%s: %s",
                   chosen ? "with all the columns asked for" : "source and destination",
                   table->num_columns, table->num_columns == 1 ? "" : "s",
                   qn_text_quote(line, end, text));
  return QN_OK;
}

/* Names without a header are edges only where nothing else is likely: a triple's middle is no
 * vertex. */
static enum qn_status check_third(const struct qn_table *table, const char *line, const char *end,
                                  struct qn_error *error) {
  char text[QN_QUOTE_BYTES];
  if (table->num_columns > 2 && table->weight == QN_NO_COLUMN) {
    struct qn_column third = qn_column_at(line, end, &table->dialect, 2);
    return qn_fail(error, QN_INVALID,
                   "%" PRIu32 " columns without a header, the third no weight but %s: "
                   "--columns=1,2 takes the first two as an edge, --columns=1,3 is for triples",
                   table->num_columns, qn_text_quote(third.begin, third.end, text));
  }
  return QN_OK;
}

/* Gephi says of every edge whether it is directed. */
static void learn_type(struct qn_table *table, const char *line, const char *end, uint32_t number) {
  struct qn_column type = qn_column_at(line, end, &table->dialect, number - 1);
  table->undirected = number && qn_column_is(&type, "Undirected");
  if (number && (table->undirected || qn_column_is(&type, "Directed")))
    table->type = number - 1;
}

/* The third column is the weight, or a dictionary at the end has it. */
static void learn_weight(struct qn_table *table, const char *line, const char *end, bool guess) {
  const char *weight, *weight_end;
  struct qn_column last = qn_column_at(line, end, &table->dialect, table->num_columns - 1);
  struct qn_column third = qn_column_at(line, end, &table->dialect, 2);
  table->dictionary =
      table->num_columns > 2 && qn_dictionary_weight(last.begin, last.end, &weight, &weight_end);
  if (table->dictionary)
    *(weight ? &table->weight : &table->weightless) = table->num_columns - 1;
  else if (guess && table->num_columns > 2 &&
           ((!table->names && !table->header_columns) || qn_column_is_number(&third) ||
            table->decimal_comma))
    table->weight = 2;
}

/* "5 7" may say that five vertices and seven edges follow, as may "5 5 7". */
static void learn_counts(struct qn_table *table, const char *line, const char *end) {
  uint64_t numbers[3];
  uint32_t n = table->num_columns;
  if (n < 2 || n > 3)
    return;
  for (uint32_t i = 0; i < n; i++) {
    struct qn_column column = qn_column_at(line, end, &table->dialect, i);
    if (qn_parse_whole(column.begin, column.end, &numbers[i]) != QN_NUMBER_FINE)
      return;
  }
  if (n == 3 && numbers[0] != numbers[1])
    return;
  table->vertices_said = numbers[0];
  table->edges_said = numbers[n - 1];
}

/* Are the lines behind the first of `count` columns, of vertices that it may count, and no more
 * than it says? */
static bool fit_counts(const struct qn_table *table, struct qn_sample sample, uint32_t count) {
  const char *line, *end;
  uint64_t lines = 0, vertex;
  for (; lines < QN_SAMPLE_LINES && qn_sample_data(&sample, &line, &end); lines++) {
    if (qn_columns_count(line, end, &table->dialect) != count)
      return false;
    for (uint32_t i = 0; i < 2; i++) {
      struct qn_column column = qn_column_at(line, end, &table->dialect, i);
      if (qn_parse_whole(column.begin, column.end, &vertex) != QN_NUMBER_FINE ||
          vertex > table->vertices_said)
        return false;
    }
  }
  return lines == QN_SAMPLE_LINES ? table->edges_said >= lines : table->edges_said == lines;
}

/* What Matrix Market has below its banner, before lines of another kind. */
static enum qn_status check_counts(const struct qn_table *table, struct qn_sample sample,
                                   struct qn_error *error) {
  const char *line, *end;
  const uint32_t count = table->num_columns == 2 ? 3 : 2;
  if (!table->edges_said || !qn_sample_data(&sample, &line, &end) ||
      !fit_counts(table, sample, count))
    return QN_OK;
  return qn_fail(error, QN_INVALID,
                 "this line may say that %" PRIu64 " vertices and %" PRIu64
                 " edges follow, as below the banner of Matrix Market, and such lines do; "
                 "--header=yes --columns=1,2%s passes over it",
                 table->vertices_said, table->edges_said, count == 3 ? ",3" : "");
}

/* Do ids have leading zeros? */
static bool has_padded_ids(struct qn_sample sample, const struct qn_dialect *dialect,
                           uint32_t source, uint32_t destination) {
  const char *line, *end;
  for (int i = 0; i < QN_SAMPLE_LINES && qn_sample_data(&sample, &line, &end); i++) {
    struct qn_column one = qn_column_at(line, end, dialect, source);
    struct qn_column other = qn_column_at(line, end, dialect, destination);
    if (qn_column_is_padded(&one) || qn_column_is_padded(&other))
      return true;
  }
  return false;
}

/* 007 is a name unless the user asks for numbers, which have no leading zeros. */
static void tell_padded_ids(const struct qn_table *table, struct qn_sample sample,
                            const struct qn_read_options *asked) {
  if (table->strings || (!table->names && !asked->numbers) ||
      !has_padded_ids(sample, &table->dialect, table->source, table->destination))
    return;
  if (table->names)
    qn_note(QN_NOTE_ZEROS_KEPT,
            "ids have leading zeros, so they are taken as names (--ids=compact takes them "
            "as numbers: 007 as 7)");
  else
    qn_note(QN_NOTE_ZEROS_DROPPED,
            "ids have leading zeros, which are not kept: 007 is 7 (--ids=strings keeps them)");
}

static enum qn_status set_columns(struct qn_table *table, const struct qn_read_options *options,
                                  const struct qn_read_options *asked,
                                  const struct qn_header_says *says, struct qn_sample sample,
                                  const char *line, const char *end, struct qn_error *error) {
  bool chosen =
      asked->source_column || asked->destination_column || qn_column_choice_pending(asked);
  table->num_columns = qn_columns_count(line, end, &table->dialect);
  table->source = options->source_column ? options->source_column - 1 : 0;
  table->destination = options->destination_column ? options->destination_column - 1 : 1;
  table->weight = options->weight_column ? options->weight_column - 1 : QN_NO_COLUMN;
  bool usual = table->source == 0 && table->destination == 1;
  /* Where columns become properties, only a name makes one the weight. */
  bool third = !says->third_is_other && !(asked->others_wanted && table->header_columns);
  if (!chosen && table->weight == QN_NO_COLUMN && usual)
    learn_weight(table, line, end, third);
  if (!chosen)
    learn_type(table, line, end, says->type);
  enum qn_status status = check_count(table, line, end, chosen, error);
  if (status)
    explain_count(line, end, &table->dialect, error);
  if (!status && !chosen && !says->ends)
    status = qn_sample_check_numbers(sample, line, end, &table->dialect, error);
  if (!status && !chosen && !table->header_columns && table->names && !table->strings &&
      !table->dictionary)
    status = check_third(table, line, end, error);
  if (!status && !chosen && !says->ends && table->names && !table->strings &&
      !table->ends_are_known && !table->dictionary)
    status = qn_sample_check_ends(sample, &table->dialect, table->source, table->destination, line,
                                  end, error);
  if (options->weights == QN_WEIGHTS_NONE)
    table->weight = table->weightless = QN_NO_COLUMN;
  if (!status && asked->text.header == QN_SAID_NOTHING && !table->header_columns)
    learn_counts(table, line, end);
  if (!status && asked->text.header == QN_SAID_NOTHING && !chosen)
    status = check_counts(table, sample, error);
  if (!status && asked->text.header == QN_SAID_NOTHING && table->names && !table->header_columns &&
      !table->dictionary && qn_columns_are_words(line, end, &table->dialect) &&
      !qn_sample_has_ends(sample, &table->dialect, table->source, table->destination))
    qn_note(QN_NOTE_HEADER_OR_EDGE,
            "line %" PRIu64 " is taken as an edge; if it names columns, --header=yes says "
            "so (--header=no: it is an edge)",
            table->first_line);
  if (!status)
    tell_padded_ids(table, sample, asked);
  return status;
}

static enum qn_status fail_no_header(struct qn_error *error) {
  return qn_fail(error, QN_INVALID, "columns can be chosen by name only where a header names them");
}

/* Longer comments name no columns. */
#define COMMENT_BYTES 512

/* What is known while the first lines are taken. */
struct beginning {
  const struct qn_read_options *asked;
  struct qn_read_options chosen;
  struct qn_header_says says;
  bool header_decided;
  bool found;
  char comment[COMMENT_BYTES]; /* the last one, without its sign */
  uint64_t comment_length;
};

static void keep_comment(struct beginning *begin, const char *line, const char *end) {
  line = qn_skip_blanks(line, end);
  line += line < end; /* the sign */
  begin->comment_length = (uint64_t)(end - line) <= COMMENT_BYTES ? (uint64_t)(end - line) : 0;
  memcpy(begin->comment, line, begin->comment_length);
}

/* Pass over blank lines and comments, keep the last, and count them. */
static uint64_t take_comments(struct beginning *begin, struct qn_sample *sample) {
  const char *first = sample->next;
  uint64_t count = 0;
  sample->next = qn_text_comments_end(first, sample->end, sample->signs, &count);
  const char *end = sample->next;
  if (count == 0)
    return 0;
  end -= end[-1] == '\n';
  const char *before = memrchr(first, '\n', (size_t)(end - first));
  const char *line = before ? before + 1 : first;
  keep_comment(begin, line, end > line && end[-1] == '\r' ? end - 1 : end);
  return count;
}

/* What lines of any number of columns may be. */
static const char as_lists[] =
    " (lists of neighbours: --format=neighbors; sets of vertices: --format=hyperedges)";

/* Have lines different numbers of columns? */
static bool lines_differ(struct qn_sample sample, const struct qn_dialect *dialect) {
  const char *line, *end;
  uint32_t columns = 0;
  for (int i = 0; i < QN_SAMPLE_LINES && qn_sample_data(&sample, &line, &end); i++) {
    const uint32_t here = qn_columns_count(line, end, dialect);
    if (columns && here != columns)
      return true;
    columns = here;
  }
  return false;
}

static enum qn_status heed_header(struct qn_table *table, struct beginning *begin, const char *line,
                                  const char *end, const struct qn_dialect *dialect,
                                  struct qn_error *error) {
  struct qn_read_options *chosen = &begin->chosen;
  table->header_columns = qn_columns_count(line, end, dialect);
  if (begin->asked->keep_header && !table->header) {
    uint64_t bytes = (uint64_t)(end - line);
    enum qn_status kept = qn_alloc(&table->header, bytes, 1, "a header", error);
    if (kept)
      return kept;
    memcpy(table->header, line, bytes);
    table->header_bytes = bytes;
    table->header_dialect = *dialect;
  }
  enum qn_status status = qn_column_choice_guess(chosen, line, end, dialect, &begin->says, error);
  if (!status)
    status = qn_column_choice_resolve(chosen, line, end, dialect, error);
  if (!status)
    table->has_id_space = qn_column_id_space(chosen, line, end, dialect, table->id_space);
  return status;
}

/* The last comment before the data may name its columns: all of them, and so that it is sure. */
static enum qn_status heed_comment(struct qn_table *table, struct beginning *begin,
                                   const char *line, const char *data_end, struct qn_error *error) {
  const struct qn_dialect *const dialects[] = {&table->dialect, &qn_words};
  uint32_t columns = qn_columns_count(line, data_end, &table->dialect);
  const char *comment = begin->comment, *end = comment + begin->comment_length;
  comment = qn_skip_blanks(comment, end);
  for (int i = 0; i < 2 && begin->asked->text.header != QN_SAID_NO; i++)
    if (qn_columns_count(comment, end, dialects[i]) == columns &&
        qn_column_header_is_sure(comment, end, dialects[i])) {
      table->header_line = table->first_line - 1;
      return heed_header(table, begin, comment, end, dialects[i], error);
    }
  return QN_OK;
}

/* Learn from a line that is no comment; `*taken` if it is the header. */
static enum qn_status learn(struct qn_table *table, struct beginning *begin,
                            struct qn_sample sample, const char *line, const char *end, bool *taken,
                            struct qn_error *error) {
  struct qn_read_options *chosen = &begin->chosen;
  *taken = false;
  if (!begin->header_decided) {
    struct delimiters found = find_delimiter(sample, &chosen->text);
    if (found.other)
      return fail_ambiguous(&found, line, end, &chosen->text, error);
    table->dialect = dialect_of(found.chosen, &chosen->text, sample.records);
    const bool asked = chosen->source_column || qn_column_choice_pending(chosen);
    if (!asked && chosen->text.header == QN_SAID_NOTHING &&
        qn_sample_check_labels(sample, line, end, &table->dialect, error))
      return QN_INVALID;
    if (!asked && chosen->text.header == QN_SAID_NOTHING &&
        qn_column_header_is_of_vertices(line, end, &table->dialect))
      return qn_fail(
          error, QN_INVALID,
          "this is a table of vertices, as Neo4j has it: --vertices FILE reads it beside "
          "the edges");
    *taken = is_header(sample, line, end, &table->dialect, chosen, table->names);
    begin->header_decided = true;
  }
  if (*taken) {
    table->header_line = table->first_line;
    enum qn_status heeded = heed_header(table, begin, line, end, &table->dialect, error);
    if (heeded == QN_INVALID && table->dialect.delimiter == ' ' &&
        lines_differ(sample, &table->dialect))
      qn_fail(error, QN_INVALID, "lines have different numbers of columns%s", as_lists);
    return heeded;
  }
  enum qn_status status =
      table->header_columns ? QN_OK : heed_comment(table, begin, line, end, error);
  if (status)
    return status;
  if (qn_column_choice_pending(chosen))
    return fail_no_header(error);
  begin->found = true;
  return set_columns(table, chosen, begin->asked, &begin->says, sample, line, end, error);
}

/* Comments, a header and the first edge, [line, end): all of a file that is no text may be that. */
static enum qn_status check_text(const struct qn_input *input, const char *begin, const char *end,
                                 uint64_t number, struct qn_error *error) {
  const char *nul = memchr(begin, '\0', (size_t)(end - begin)), *newline;
  if (!nul)
    return QN_OK;
  for (; (newline = memchr(begin, '\n', (size_t)(nul - begin))); begin = newline + 1)
    number++;
  qn_fail(error, QN_INVALID,
          "expected text; found a NUL: this is binary, and --format says of which kind, "
          "such as --format=pairs --record=u32 of pairs of numbers");
  return qn_error_at_line(error, qn_input_name(input), number, (uint64_t)(nul - begin) + 1);
}

static enum qn_status take_first_lines(struct qn_input *input, struct qn_table *table,
                                       struct beginning *begin, struct qn_input_block *block,
                                       struct qn_ledger *ledger, struct qn_error *error) {
  const char *line, *end;
  struct qn_sample sample = qn_sample_of(block->data, block->bytes, &begin->asked->text);
  sample.end = block->data + block->bytes;
  struct qn_sample before = sample;
  const char *comments_begin = block->data; /* below the header, if there is one */
  uint64_t comments_line = table->first_line + 1;
  bool header = begin->header_decided;
  const uint64_t number = table->first_line + 1;
  for (;; before = sample) {
    uint64_t comments = take_comments(begin, &sample);
    before.next = sample.next;
    table->first_line += comments;
    ledger->records += comments;
    ledger->comments += comments;
    if (!qn_sample_line(&sample, &line, &end))
      break;
    if (check_text(input, block->data, end, number, error))
      return QN_INVALID;
    bool taken = false;
    table->first_line++;
    struct qn_sample rest = qn_sample_of(line, (uint64_t)(before.end - line), &begin->asked->text);
    rest.records = sample.records;
    if (learn(table, begin, rest, line, end, &taken, error))
      return qn_error_at_line(error, qn_input_name(input), table->first_line, 1);
    if (!taken)
      break;
    for (const char *p = line; p < end; p++) /* in quotes */
      table->first_line += *p == '\n';
    ledger->records++;
    ledger->comments++;
    header = true;
    table->num_columns = table->header_columns;
    comments_begin = sample.next;
    comments_line = table->first_line + 1;
  }
  if (check_text(input, block->data, before.next, number, error) ||
      qn_comments_check(input, table, header, begin->found, comments_begin, before.next,
                        comments_line, error))
    return QN_INVALID;
  uint64_t bytes = (uint64_t)(before.next - block->data);
  block->data += bytes;
  block->offset += bytes;
  block->bytes -= bytes;
  return QN_OK;
}

enum qn_status qn_table_begin(struct qn_input *input, const struct qn_read_options *options,
                              struct qn_table *table, struct qn_input_block *block,
                              struct qn_read_result *result, struct qn_error *error) {
  struct beginning begin = {.asked = options, .chosen = *options};
  struct qn_ledger others = {0}; /* who reads the first part of the input counts its first lines */
  uint64_t part_begin, part_end;
  bool is_first = !qn_input_part(input, &part_begin, &part_end) || part_begin == 0;
  enum qn_status status;
  table->type = table->weight = table->weightless = QN_NO_COLUMN;
  table->weights = options->weights;
  table->strings = options->strings;
  table->others_wanted = options->others_wanted;
  table->decimal_comma = options->text.decimal_comma;
  table->signs = qn_comment_signs(&options->text);
  table->signs_said = options->text.comments != NULL;
  do {
    status = qn_input_next(input, block, error);
    if (status || block->bytes == 0)
      return status;
    if (table->first_line == 0)
      qn_text_skip_mark(block);
    status =
        take_first_lines(input, table, &begin, block, is_first ? &result->ledger : &others, error);
  } while (!status && !begin.found);
  result->symmetric |= table->type != QN_NO_COLUMN && table->undirected;
  if (!status && table->has_id_space && options->bipartite == QN_BIPARTITE_AUTO)
    status = qn_id_space_compare(table->id_space, result, error);
  return status && !error->file[0]
             ? qn_error_at_line(error, qn_input_name(input), table->header_line, 1)
             : status;
}

void qn_table_describe(const struct qn_table *table, const char *ends,
                       struct qn_read_result *result) {
  char weight[64] = "no weights", others[64] = "";
  uint32_t used = 2 + (table->weight != QN_NO_COLUMN) + (table->type != QN_NO_COLUMN);
  if (table->weight != QN_NO_COLUMN)
    snprintf(weight, sizeof weight, "weights in column %" PRIu32 "%s", table->weight + 1,
             table->dictionary ? ", by the key 'weight'" : "");
  if (table->num_columns > used && !table->others_wanted)
    snprintf(others, sizeof others, "; %" PRIu32 " column%s not read", table->num_columns - used,
             table->num_columns - used == 1 ? " is" : "s are");
  snprintf(result->description, sizeof result->description,
           "%" PRIu32 " columns separated by %s%s; %s in columns %" PRIu32 " and %" PRIu32 ", %s%s",
           table->num_columns, delimiter_text(table->dialect.delimiter),
           table->header_columns ? " after a header" : "", ends, table->source + 1,
           table->destination + 1, weight, others);
}

/* ---- Lines of data -------------------------------------------------------- */

/* False if a column has a fault, or there is one more, which is `extra`, or one less. */
static bool cut(const struct qn_dialect *dialect, const struct qn_table *table, const char *line,
                const char *end, struct qn_table_row *row, struct qn_column *extra,
                uint32_t *count) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column;
  *extra = (struct qn_column){.fault = QN_COLUMN_FINE};
  for (*count = 0; qn_columns_next(&columns, &column); ++*count) {
    if (column.fault || *count == table->num_columns) {
      *extra = column;
      return false;
    }
    if (*count == table->source)
      row->source = column;
    if (*count == table->destination)
      row->destination = column;
    if (*count == table->weight || *count == table->weightless)
      row->weight = column;
    if (*count == table->type)
      row->type = column;
  }
  return *count == table->num_columns;
}

static bool check_type(struct qn_text_part *part, const struct qn_table *table, const char *line,
                       const struct qn_table_row *row) {
  char text[QN_QUOTE_BYTES];
  const char *type = table->undirected ? "Undirected" : "Directed";
  if (table->type == QN_NO_COLUMN || qn_column_is(&row->type, type))
    return true;
  qn_text_reject(part, line, row->type.begin,
                 "expected an edge that is '%s', as in line %" PRIu64 "; found %s: a graph is one "
                 "or the other (--columns by numbers leaves this column out)",
                 type, table->first_line, qn_text_quote(row->type.begin, row->type.end, text));
  return false;
}

bool qn_table_cut(struct qn_text_part *part, const struct qn_table *table, const char *line,
                  const char *end, struct qn_table_row *row) {
  struct qn_column extra;
  uint32_t count, words;
  if (cut(&table->dialect, table, line, end, row, &extra, &count))
    return check_type(part, table, line, row);
  if (extra.fault) {
    const char *where, *fault = qn_column_fault_text(&extra, &table->dialect, &where);
    qn_text_reject(part, line, where, "%s", fault);
    part->fatal |= table->dialect.strict;
    part->stop |= part->fatal;
    return false;
  }
  if (table->dialect.delimiter == '\t' && count == 1) {
    /* Files edited by hand have a blank here and there where the other lines have a tab. */
    struct qn_dialect blanks = table->dialect;
    blanks.delimiter = ' ';
    if (cut(&blanks, table, line, end, row, &extra, &words))
      return check_type(part, table, line, row);
  }
  char text[QN_QUOTE_BYTES];
  const char *lists = table->header_columns || table->dialect.delimiter != ' ' ? "" : as_lists;
  if (count == table->num_columns)
    qn_text_reject(part, line, extra.begin,
                   "expected %" PRIu32 " columns, as in line %" PRIu64 "; found one more, %s%s",
                   count, table->first_line, qn_text_quote(extra.begin, extra.end, text), lists);
  else
    qn_text_reject(part, line, end,
                   "expected %" PRIu32 " columns, as in line %" PRIu64 "; found only %" PRIu32 "%s",
                   table->num_columns, table->first_line, count, lists);
  return false;
}

/* The weight in a dictionary, as a column. */
static bool find_in_dictionary(struct qn_text_part *part, const struct qn_table *table,
                               const char *line, struct qn_column *column) {
  const char *begin, *end;
  char text[QN_QUOTE_BYTES];
  bool fine = qn_dictionary_weight(column->begin, column->end, &begin, &end);
  if (fine && begin) {
    column->begin = begin;
    column->end = end;
    return true;
  }
  qn_text_reject(part, line, column->begin,
                 "expected a dictionary with the key 'weight', as in line %" PRIu64 "; found %s",
                 table->first_line, qn_text_quote(column->begin, column->end, text));
  return false;
}

/* Rejects the line and returns false if it has one after all, or no dictionary. */
static bool check_weightless(struct qn_text_part *part, const struct qn_table *table,
                             const char *line, const struct qn_column *column) {
  const char *begin, *end;
  char text[QN_QUOTE_BYTES];
  if (qn_dictionary_weight(column->begin, column->end, &begin, &end) && !begin)
    return true;
  qn_text_reject(part, line, column->begin,
                 "expected a dictionary without the key 'weight', as in line %" PRIu64
                 "; found %s (--weights=none drops all weights)",
                 table->first_line, qn_text_quote(column->begin, column->end, text));
  return false;
}

/* "0,5" as "0.5"; false if it has a point, which would mean thousands. */
static bool with_point(const struct qn_column *column, char text[64]) {
  size_t length = (size_t)(column->end - column->begin);
  if (length >= 64 || memchr(column->begin, '.', length))
    return false;
  memcpy(text, column->begin, length);
  text[length] = '\0';
  char *comma = strchr(text, ',');
  if (comma)
    *comma = '.';
  return true;
}

static void reject_weight(struct qn_text_part *part, const char *line,
                          const struct qn_column *column, const char *why) {
  char text[QN_QUOTE_BYTES];
  qn_text_reject(
      part, line, column->begin, "expected a weight, a number; found %s%s",
      column->begin == column->end ? "none" : qn_text_quote(column->begin, column->end, text), why);
}

bool qn_table_weight(struct qn_text_part *part, const struct qn_table *table, const char *line,
                     const struct qn_table_row *row, enum qn_weight_type *type, uint64_t *bits) {
  struct qn_column column = row->weight;
  char text[64];
  *type = QN_WEIGHT_NONE;
  *bits = 0;
  if (table->weight == QN_NO_COLUMN)
    return table->weightless == QN_NO_COLUMN || check_weightless(part, table, line, &column);
  if (table->dictionary && !find_in_dictionary(part, table, line, &column))
    return false;
  if (column.begin == column.end) {
    reject_weight(part, line, &column, " (--weights=none drops all weights)");
    return false;
  }
  bool comma = memchr(column.begin, ',', (size_t)(column.end - column.begin)) != NULL;
  if (comma && !table->decimal_comma) {
    reject_weight(part, line, &column, " (--decimal=comma reads 0,5 as a half)");
    return false;
  }
  if (!table->decimal_comma)
    return qn_text_weight(part, table->weights, line, column.begin, column.end, type, bits);
  if (!with_point(&column, text)) {
    reject_weight(part, line, &column, ", which has a point (--decimal=comma)");
    return false;
  }
  char fault[QN_FAULT_BYTES];
  if (qn_parse_wanted_weight(table->weights, part->stream.list, text, text + strlen(text), type,
                             bits, fault))
    return true;
  qn_text_reject(part, line, column.begin, "%s", fault);
  return false;
}
