#include "converters/parse/table_sample.h"

#include <inttypes.h>
#include <string.h>

#include "converters/parse/comments.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"

#define SAMPLE_BYTES ((uint64_t)64 << 10)

/* ---- Lines ---------------------------------------------------------------- */

static bool same_text(const struct qn_column *one, const struct qn_column *other) {
  const size_t length = (size_t)(one->end - one->begin);
  return length == (size_t)(other->end - other->begin) &&
         memcmp(one->begin, other->begin, length) == 0;
}

bool qn_sample_line(struct qn_sample *sample, const char **line, const char **end) {
  if (sample->next >= sample->end)
    return false;
  const char *newline = memchr(sample->next, '\n', (size_t)(sample->end - sample->next));
  *line = sample->next;
  *end = newline ? newline : sample->end;
  if (sample->records && !qn_is_comment(sample->signs, *line, *end))
    *end = qn_record_end(*line, sample->end);
  sample->next = *end < sample->end ? *end + 1 : *end;
  if (*end > *line && (*end)[-1] == '\r')
    --*end;
  return true;
}

bool qn_sample_data(struct qn_sample *sample, const char **line, const char **end) {
  while (qn_sample_line(sample, line, end))
    if (!qn_is_comment(sample->signs, *line, *end))
      return true;
  return false;
}

/* Does a value begin with a quote? */
static bool has_quotes(const char *begin, const char *end) {
  char before = '\n';
  for (const char *p = begin; p < end; before = *p++)
    if (*p == '"' && strchr("\n,;| \t", before))
      return true;
  return false;
}

struct qn_sample qn_sample_of(const char *begin, uint64_t bytes,
                              const struct qn_text_choice *choice) {
  struct qn_sample sample = {begin, begin + bytes, qn_comment_signs(choice), false,
                             bytes > SAMPLE_BYTES};
  if (sample.cut) { /* without the line that is cut */
    const char *last = memrchr(begin, '\n', SAMPLE_BYTES);
    sample.end = last ? last + 1 : begin + SAMPLE_BYTES;
  }
  sample.records = choice->quotes == QN_SAID_YES ||
                   (choice->quotes == QN_SAID_NOTHING && choice->escape == QN_ESCAPE_QUOTE &&
                    has_quotes(begin, sample.end));
  return sample;
}

bool qn_sample_has_ends(struct qn_sample sample, const struct qn_dialect *dialect, uint32_t source,
                        uint32_t destination) {
  const char *line, *end;
  struct qn_column values[2] = {{0}};
  for (int lines = 0; lines < QN_SAMPLE_LINES && qn_sample_data(&sample, &line, &end); lines++) {
    struct qn_column ends[2] = {qn_column_at(line, end, dialect, source),
                                qn_column_at(line, end, dialect, destination)};
    if (lines == 0)
      memcpy(values, ends, sizeof values);
    else if (same_text(&values[0], &ends[0]) || same_text(&values[0], &ends[1]) ||
             same_text(&values[1], &ends[0]) || same_text(&values[1], &ends[1]))
      return true;
  }
  return false;
}

/* ---- Ends ----------------------------------------------------------------- */

/* No value, however that is written. */
static bool is_unknown(const struct qn_column *column) {
  static const char *const words[] = {"NA", "N/A", "-", "?", "."};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (qn_column_is(column, words[i]))
      return !column->quoted;
  return column->begin == column->end || qn_column_is_missing(column);
}

/* What all values of a column are, but for those that are missing. */
struct kinds {
  uint64_t all;
  uint64_t known; /* those that are not missing */
  bool values;
  bool whole;      /* whole numbers, padded or not */
  bool assigned;   /* key=value, with one key */
  const char *key; /* of the first */
  size_t key_length;
};

/* The length of the key in "key=value"; 0 if it is none. */
static size_t key_length(const struct qn_column *column) {
  const char *p = column->begin;
  while (p < column->end && ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' ||
                             (p > column->begin && qn_is_digit(*p))))
    p++;
  return p < column->end && *p == '=' && p + 1 < column->end ? (size_t)(p - column->begin) : 0;
}

static bool same_key(const struct kinds *one, const struct kinds *other) {
  return one->key_length == other->key_length && memcmp(one->key, other->key, one->key_length) == 0;
}

static void note(struct kinds *kinds, const struct qn_column *column) {
  kinds->all++;
  if (is_unknown(column))
    return;
  const struct kinds key = {.key = column->begin, .key_length = key_length(column)};
  if (kinds->known++ == 0) {
    kinds->key = key.key;
    kinds->key_length = key.key_length;
  }
  kinds->values &= qn_column_is_value(column);
  kinds->whole &= qn_column_is_whole(column);
  kinds->assigned &= key.key_length > 0 && same_key(kinds, &key);
}

static const char *kind_text(const struct kinds *kinds, const struct kinds *other) {
  if (kinds->known == 0)
    return kinds->all ? "no value (NA, -, ?)" : NULL;
  if (kinds->values)
    return kinds->whole ? "only numbers" : "only values (numbers, percentages, dates, coordinates)";
  return kinds->assigned && !(other->assigned && same_key(kinds, other)) ? "only KEY=VALUE" : NULL;
}

enum qn_status qn_sample_check_ends(struct qn_sample sample, const struct qn_dialect *dialect,
                                    uint32_t source, uint32_t destination, const char *line,
                                    const char *end, struct qn_error *error) {
  char text[QN_QUOTE_BYTES];
  const uint32_t columns[2] = {source, destination};
  struct kinds kinds[2] = {{.values = true, .whole = true, .assigned = true},
                           {.values = true, .whole = true, .assigned = true}};
  const char *next, *next_end;
  for (int i = 0; i < QN_SAMPLE_LINES && qn_sample_data(&sample, &next, &next_end); i++)
    for (int side = 0; side < 2; side++) {
      struct qn_column column = qn_column_at(next, next_end, dialect, columns[side]);
      note(&kinds[side], &column);
    }
  if (kinds[0].whole && kinds[1].whole && kinds[0].known && kinds[1].known)
    return QN_OK;
  for (int side = 1; side >= 0; side--) {
    const char *kind = kind_text(&kinds[side], &kinds[!side]);
    if (kind)
      return qn_fail(error, QN_INVALID,
                     "column %" PRIu32 " holds %s and column %" PRIu32
                     "%s, and no header says that these are edges: %s; --columns=%" PRIu32
                     ",%" PRIu32 " or --ids=strings takes both as vertices",
                     columns[side] + 1, kind, columns[!side] + 1,
                     kind_text(&kinds[!side], &kinds[side]) ? " does, too" : " names",
                     qn_text_quote(line, end, text), source + 1, destination + 1);
  }
  return QN_OK;
}

/* ---- Matrices ------------------------------------------------------------- */

static bool is_labelled_matrix(struct qn_sample sample, const char *line, const char *end,
                               const struct qn_dialect *dialect) {
  const uint32_t columns = qn_columns_count(line, end, dialect);
  const char *row, *row_end;
  uint32_t rows = 0;
  struct qn_column corner = qn_column_at(line, end, dialect, 0);
  if (corner.begin < corner.end && !qn_columns_are_words(line, end, dialect))
    return false;
  qn_sample_data(&sample, &row, &row_end);
  while (rows < columns && rows < QN_SAMPLE_LINES && qn_sample_data(&sample, &row, &row_end)) {
    struct qn_column name = qn_column_at(line, end, dialect, ++rows);
    struct qn_column label = qn_column_at(row, row_end, dialect, 0);
    if (rows >= columns || name.begin == name.end || !same_text(&name, &label) ||
        qn_columns_count(row, row_end, dialect) != columns)
      return false;
  }
  return columns > 2 && rows > 1 && (rows + 1 == columns || sample.cut);
}

/* Stirs all bits. */
static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

/* Of the value in a cell; the sums of all of them, this way and that, agree in a matrix that is its
 * own transpose. */
static uint64_t mix_cell(uint64_t row, uint64_t column, uint64_t value) {
  return mix(mix(mix(row + 1) + column + 1) + value);
}

/* More columns of numbers, without a header, are rather a table of something else. */
#define MOST_NUMBERS 8

/* What numbers in lines and columns are, none of which has a name. */
enum numbers { NUMBERS_OF_EDGES, NUMBERS_OF_A_MATRIX, NUMBERS_OF_A_TABLE };

/* As many lines as columns are a matrix if only 0 and 1 is in it, if it is its own transpose and
 * has one value in its diagonal, or if an edge has hardly so many columns. */
static enum numbers judge_numbers(struct qn_sample sample, const struct qn_dialect *dialect) {
  const char *line, *end;
  uint32_t rows = 0, columns = 0;
  uint64_t forward = 0, backward = 0;
  struct qn_column corner = {0};
  bool bits = true, one_diagonal = true;
  for (; rows < QN_SAMPLE_LINES && qn_sample_data(&sample, &line, &end); rows++) {
    struct qn_columns values = qn_columns_of(line, end, dialect);
    struct qn_column value;
    uint32_t i = 0;
    for (; qn_columns_next(&values, &value); i++) {
      if (!qn_column_is_number(&value))
        return NUMBERS_OF_EDGES;
      const uint64_t bytes = (uint64_t)(value.end - value.begin);
      uint64_t mixed = 7;
      for (uint64_t k = 0; k < bytes; k++)
        mixed = mixed * 31 + (unsigned char)value.begin[k];
      bits &= bytes == 1 && (*value.begin == '0' || *value.begin == '1');
      forward += mix_cell(rows, i, mixed);
      backward += mix_cell(i, rows, mixed);
      corner = rows + i == 0 ? value : corner;
      one_diagonal &= i != rows || same_text(&corner, &value);
    }
    columns = rows == 0 ? i : columns;
    if (i != columns || columns < 3)
      return NUMBERS_OF_EDGES;
  }
  const bool square = rows == columns && sample.next == sample.end && !sample.cut;
  if (square && (bits || columns > 4 || (one_diagonal && forward == backward)))
    return NUMBERS_OF_A_MATRIX;
  return columns > MOST_NUMBERS ? NUMBERS_OF_A_TABLE : NUMBERS_OF_EDGES;
}

static enum qn_status fail_matrix(struct qn_error *error) {
  return qn_fail(
      error, QN_INVALID,
      "this is an adjacency matrix, not a list of edges: scipy.io.mmwrite('g.mtx', "
      "scipy.sparse.coo_array(A)) writes what is read (--columns=S,D[,W] takes its lines "
      "as edges)");
}

enum qn_status qn_sample_check_labels(struct qn_sample sample, const char *line, const char *end,
                                      const struct qn_dialect *dialect, struct qn_error *error) {
  return is_labelled_matrix(sample, line, end, dialect) ? fail_matrix(error) : QN_OK;
}

/* Does the line count columns from 0, as pandas calls what has no names? */
static bool counts_from_zero(const char *line, const char *end, const struct qn_dialect *dialect) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column;
  uint64_t expected = 0, number;
  while (qn_columns_next(&columns, &column))
    if (qn_parse_whole(column.begin, column.end, &number) != QN_NUMBER_FINE || number != expected++)
      return false;
  return expected > 2;
}

enum qn_status qn_sample_check_numbers(struct qn_sample sample, const char *line, const char *end,
                                       const struct qn_dialect *dialect, struct qn_error *error) {
  struct qn_sample rest = sample;
  const char *first, *first_end;
  enum numbers numbers = judge_numbers(sample, dialect);
  if (numbers == NUMBERS_OF_EDGES && counts_from_zero(line, end, dialect) &&
      qn_sample_data(&rest, &first, &first_end))
    numbers = judge_numbers(rest, dialect);
  if (numbers == NUMBERS_OF_A_MATRIX)
    return fail_matrix(error);
  if (numbers == NUMBERS_OF_A_TABLE)
    return qn_fail(error, QN_INVALID,
                   "%" PRIu32 " columns of numbers without a header: --columns=S,D[,W] says which "
                   "are the source and the destination",
                   qn_columns_count(line, end, dialect));
  return QN_OK;
}
