/* Matrix Market coordinate files (https://math.nist.gov/MatrixMarket/formats.html): a sparse
 * matrix is a graph with an edge from i to j for every entry (i, j).
 *
 *   %%MatrixMarket matrix coordinate pattern|integer|real general|symmetric|skew-symmetric
 *   %%GraphBLAS type bool|int8_t|...|double       (SuiteSparse and LAGraph; optional)
 *   % comments
 *   rows columns entries
 *   i j [value]                                   from 1
 *
 * Vertices are 0 to rows - 1 and called 1 to rows. A matrix that is not square is a bipartite
 * graph: row i is vertex Li, column j is vertex Rj. Symmetric files hold one triangle: the graph
 * is undirected. Skew-symmetric ones imply the reverse of every entry with the negated value. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "converters/parse/declared_size.h"
#include "converters/parse/reader.h"
#include "converters/parse/real_lines.h"
#include "converters/parse/shaped_lines.h"
#include "converters/parse/text_lines.h"
#include "converters/parse/text_weight.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "formats/text/vertex_names.h"
#include "support/checked.h"
#include "support/input/input.h"
#include "support/memory.h"
#include "support/progress.h"

/* As in edges.c: three numbers as qn_parse_short_number reads them, and what is between. */
#define FAST_BYTES 96

enum field { FIELD_PATTERN, FIELD_INTEGER, FIELD_REAL };
enum symmetry { GENERAL, SYMMETRIC, SKEW_SYMMETRIC };

struct matrix {
  enum field field;
  enum symmetry symmetry;
  enum qn_weight_choice weights;
  uint64_t least;   /* magnitude of the most negative integer */
  uint64_t largest; /* largest integer */
  const char *type; /* GraphBLAS type, or NULL */
  uint64_t rows, columns, entries;
  uint64_t size_line;         /* where they are */
  uint64_t lines;             /* before the first entry */
  uint64_t first_source;      /* id of row 1 */
  uint64_t first_destination; /* id of column 1 */
};

/* ---- Header --------------------------------------------------------------- */

/* Words of a line, in lower case. */
#define MAX_WORDS 8
#define WORD_BYTES 32
struct words {
  char word[MAX_WORDS][WORD_BYTES];
  unsigned count;
};

static void split_words(const char *line, const char *end, struct words *words) {
  words->count = 0;
  for (const char *p = qn_skip_blanks(line, end); p < end && words->count < MAX_WORDS;
       p = qn_skip_blanks(p, end)) {
    char *out = words->word[words->count++];
    unsigned length = 0;
    for (; p < end && !qn_is_blank(*p); p++)
      if (length + 1 < WORD_BYTES)
        out[length++] = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    out[length] = '\0';
  }
}

static int place(const char *word, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], word) == 0)
      return i;
  return -1;
}

static enum qn_status fail_at(struct qn_error *error, const char *file, uint64_t line,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
static enum qn_status fail_at(struct qn_error *error, const char *file, uint64_t line,
                              const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s", message);
  return qn_error_at_line(error, file, line, 1);
}

/* "%%MatrixMarket object format field symmetry" */
static enum qn_status parse_banner(const char *line, const char *end, const char *file,
                                   struct matrix *matrix, struct qn_error *error) {
  static const char *const fields[] = {"pattern", "integer", "real", NULL};
  static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
  struct words words;
  split_words(line, end, &words);
  if (words.count != 5)
    return fail_at(error, file, 1,
                   "expected '%%%%MatrixMarket matrix coordinate FIELD SYMMETRY'; found %u words",
                   words.count);
  const char *format = words.word[2], *field = words.word[3], *symmetry = words.word[4];
  if (strcmp(words.word[1], "matrix") != 0)
    return fail_at(error, file, 1, "expected a matrix; found '%s'", words.word[1]);
  if (strcmp(format, "array") == 0)
    return fail_at(error, file, 1,
                   "a dense matrix (array) is not a graph: every entry would be an edge; convert "
                   "it to coordinate format");
  if (strcmp(format, "coordinate") != 0)
    return fail_at(error, file, 1, "expected the format coordinate; found '%s'", format);
  if (strcmp(field, "complex") == 0)
    return fail_at(error, file, 1, "complex values cannot be edge weights");
  if (strcmp(symmetry, "hermitian") == 0)
    return fail_at(error, file, 1, "hermitian matrices are complex, and cannot be edge weights");
  if (place(field, fields) < 0)
    return fail_at(error, file, 1, "expected pattern, integer or real; found '%s'", field);
  if (place(symmetry, symmetries) < 0)
    return fail_at(error, file, 1, "expected general, symmetric or skew-symmetric; found '%s'",
                   symmetry);
  matrix->field = (enum field)place(field, fields);
  matrix->symmetry = (enum symmetry)place(symmetry, symmetries);
  if (matrix->field == FIELD_PATTERN && matrix->symmetry == SKEW_SYMMETRIC)
    return fail_at(error, file, 1, "a pattern has no values, so it cannot be skew-symmetric");
  return QN_OK;
}

/* "%%GraphBLAS type T" narrows what integers may be. */
static enum qn_status parse_type(const char *line, const char *end, const char *file,
                                 uint64_t number, struct matrix *matrix, struct qn_error *error) {
  static const struct {
    const char *name;
    uint64_t least, largest;
  } types[] = {{"bool", 0, 1},
               {"int8_t", (uint64_t)1 << 7, INT8_MAX},
               {"int16_t", (uint64_t)1 << 15, INT16_MAX},
               {"int32_t", (uint64_t)1 << 31, INT32_MAX},
               {"int64_t", (uint64_t)1 << 63, INT64_MAX},
               {"uint8_t", 0, UINT8_MAX},
               {"uint16_t", 0, UINT16_MAX},
               {"uint32_t", 0, UINT32_MAX},
               {"uint64_t", 0, UINT64_MAX},
               {"float", UINT64_MAX, UINT64_MAX},
               {"double", UINT64_MAX, UINT64_MAX}};
  struct words words;
  split_words(line, end, &words);
  if (words.count < 3 || strcmp(words.word[0], "%%graphblas") != 0 ||
      strcmp(words.word[1], "type") != 0)
    return QN_OK;
  if (words.count == 4 && strcmp(words.word[3], "complex") == 0)
    return fail_at(error, file, number, "complex values cannot be edge weights");
  for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (words.count != 3 || strcmp(types[i].name, words.word[2]) != 0)
      continue;
    matrix->type = types[i].name;
    matrix->least = types[i].least;
    matrix->largest = types[i].largest;
    /* Some writers call real values integers when all are whole. */
    if (matrix->field == FIELD_INTEGER && matrix->largest == UINT64_MAX && matrix->least)
      matrix->field = FIELD_REAL;
    if (matrix->symmetry == SKEW_SYMMETRIC && matrix->least == 0)
      return fail_at(error, file, number,
                     "%s has no negative values, so the matrix cannot be skew-symmetric",
                     matrix->type);
    return QN_OK;
  }
  return fail_at(error, file, number, "unknown GraphBLAS type '%s'", words.word[2]);
}

static enum qn_status parse_size(const char *line, const char *end, const char *file,
                                 struct matrix *matrix, struct qn_error *error) {
  uint64_t *sizes[] = {&matrix->rows, &matrix->columns, &matrix->entries};
  unsigned count = 0;
  char quoted[QN_QUOTE_BYTES];
  for (const char *p = qn_skip_blanks(line, end); p < end; count++) {
    const char *word_end = p;
    while (word_end < end && !qn_is_blank(*word_end))
      word_end++;
    if (count >= 3 || qn_parse_whole(p, word_end, sizes[count]) != QN_NUMBER_FINE)
      return fail_at(error, file, matrix->size_line,
                     "expected the numbers of rows, columns and entries; found %s",
                     qn_text_quote(p, word_end, quoted));
    p = qn_skip_blanks(word_end, end);
  }
  if (count != 3)
    return fail_at(error, file, matrix->size_line,
                   "expected the numbers of rows, columns and entries; found only %s",
                   qn_text_quote(line, end, quoted));
  if (matrix->symmetry != GENERAL && matrix->rows != matrix->columns)
    return fail_at(error, file, matrix->size_line,
                   "a symmetric matrix is square; this one has %" PRIu64 " rows and %" PRIu64
                   " columns",
                   matrix->rows, matrix->columns);
  return QN_OK;
}

static bool is_banner(const char *line, uint64_t length) {
  static const char banner[] = "%%MatrixMarket";
  return length >= sizeof banner - 1 && strncasecmp(line, banner, sizeof banner - 1) == 0;
}

static bool is_comment(const char *line, const char *end) {
  line = qn_skip_blanks(line, end);
  return line == end || *line == '%';
}

/* The next line of the header; the block is refilled as need be. False at the content's end. */
static enum qn_status next_line(struct qn_input *input, struct qn_input_block *block,
                                const char **line, const char **end, struct qn_error *error) {
  if (block->bytes == 0) {
    enum qn_status status = qn_input_next(input, block, error);
    if (status)
      return status;
  }
  if (!qn_text_take_line(block, line, end))
    *line = NULL;
  return QN_OK;
}

/* Take everything before the first entry. Without a banner (which only --format gets here) the
 * matrix is real and general. */
static enum qn_status take_header(struct qn_input *input, struct qn_input_block *block,
                                  struct matrix *matrix, struct qn_error *error) {
  const char *file = qn_input_name(input), *line, *end;
  enum qn_status status = QN_OK;
  for (uint64_t number = 1; !status; number++) {
    if (number == 1)
      qn_text_skip_mark(block);
    if ((status = next_line(input, block, &line, &end, error)))
      return status;
    matrix->lines = number;
    if (!line)
      return fail_at(error, file, number,
                     "the file ends before the numbers of rows, columns and entries");
    if (number == 1 && is_banner(line, (uint64_t)(end - line))) {
      status = parse_banner(line, end, file, matrix, error);
    } else if (is_comment(line, end)) {
      status = parse_type(line, end, file, number, matrix, error);
    } else {
      matrix->size_line = number;
      return parse_size(line, end, file, matrix, error);
    }
  }
  return status;
}

/* ---- Entries -------------------------------------------------------------- */

struct entry {
  uint64_t row, column; /* from 1 */
  enum qn_weight_type type;
  uint64_t bits;
};

static inline void push(struct qn_text_part *part, const struct matrix *matrix,
                        const struct entry *entry) {
  uint64_t source = entry->row - 1 + matrix->first_source;
  uint64_t destination = entry->column - 1 + matrix->first_destination;
  part->edges++;
  if (entry->type == QN_WEIGHT_NONE)
    qn_edge_push(&part->stream, source, destination);
  else
    qn_edge_push_weighted(&part->stream, source, destination, entry->type, entry->bits);
}

/* The entry that a skew-symmetric matrix implies. */
static void push_negated(struct qn_text_part *part, const struct matrix *matrix,
                         const struct entry *entry) {
  uint64_t source = entry->column - 1 + matrix->first_source;
  uint64_t destination = entry->row - 1 + matrix->first_destination;
  qn_edge_push_negated(&part->stream, source, destination, entry->type, entry->bits);
  part->implied++;
}

static bool parse_index(struct qn_text_part *part, const char *line, const char *field,
                        const char *field_end, const char *what, uint64_t most, uint64_t *index) {
  char quoted[QN_QUOTE_BYTES];
  if (qn_parse_whole(field, field_end, index) == QN_NUMBER_FINE && *index >= 1 && *index <= most)
    return true;
  qn_text_reject(part, line, field, "expected a %s from 1 to %" PRIu64 "; found %s", what, most,
                 qn_text_quote(field, field_end, quoted));
  return false;
}

/* A whole number in the range of the matrix's type: u32 or i64 if that holds it, else the nearest
 * f64. */
static bool parse_integer(struct qn_text_part *part, const struct matrix *matrix, const char *line,
                          const char *field, const char *field_end, struct entry *entry) {
  char quoted[QN_QUOTE_BYTES];
  uint64_t magnitude;
  bool negative = field < field_end && *field == '-';
  bool sign = negative || (field < field_end && *field == '+');
  enum qn_number_kind kind = qn_parse_whole(field + sign, field_end, &magnitude);
  bool fits = kind == QN_NUMBER_FINE && magnitude <= (negative ? matrix->least : matrix->largest);
  if (!fits) {
    qn_text_reject(part, line, field, "expected an integer%s%s; found %s",
                   matrix->type ? " in the range of " : "", matrix->type ? matrix->type : "",
                   qn_text_quote(field, field_end, quoted));
    return false;
  }
  negative = negative && magnitude;
  entry->type = magnitude <= UINT32_MAX && !negative ? QN_WEIGHT_U32 : QN_WEIGHT_I64;
  entry->bits = negative ? 0 - magnitude : magnitude;
  if (magnitude >> 63 && !negative) {
    double value = (double)magnitude;
    entry->type = QN_WEIGHT_F64;
    memcpy(&entry->bits, &value, sizeof value);
    if (value >= 0x1p64 || (uint64_t)value != magnitude)
      qn_edge_list_note_rounded(part->stream.list, magnitude, value);
  }
  if (qn_weights_take(matrix->weights, entry->type))
    return true;
  qn_text_reject(part, line, field, "expected an integer %s; found %s",
                 matrix->weights == QN_WEIGHTS_U32 ? "up to 2^32-1 (--weights=u32)"
                                                   : "of 64 bits (--weights=i64)",
                 qn_text_quote(field, field_end, quoted));
  return false;
}

static bool parse_value(struct qn_text_part *part, const struct matrix *matrix, const char *line,
                        const char *field, const char *field_end, struct entry *entry) {
  if (field == field_end) {
    qn_text_reject(part, line, field, "expected a value; found the end of the line");
    return false;
  }
  if (matrix->weights == QN_WEIGHTS_NONE)
    return true;
  if (matrix->field == FIELD_INTEGER)
    return parse_integer(part, matrix, line, field, field_end, entry);
  return qn_text_weight(part, matrix->weights, line, field, field_end, &entry->type, &entry->bits);
}

static const char *word_end(const char *p, const char *end) {
  while (p < end && !qn_is_blank(*p))
    p++;
  return p;
}

/* Any line, with all checks. */
static void parse_line(struct qn_text_part *part, const struct matrix *matrix, const char *line,
                       const char *end) {
  struct entry entry = {.type = QN_WEIGHT_NONE};
  if (is_comment(line, end)) {
    part->comments++;
    return;
  }
  const char *field = qn_skip_blanks(line, end), *field_end = word_end(field, end);
  if (!parse_index(part, line, field, field_end, "row", matrix->rows, &entry.row))
    return;
  field = qn_skip_blanks(field_end, end);
  field_end = word_end(field, end);
  if (!parse_index(part, line, field, field_end, "column", matrix->columns, &entry.column))
    return;
  field = qn_skip_blanks(field_end, end);
  if (matrix->field != FIELD_PATTERN) {
    field_end = word_end(field, end);
    if (!parse_value(part, matrix, line, field, field_end, &entry))
      return;
    field = qn_skip_blanks(field_end, end);
  }
  if (field < end) {
    char quoted[QN_QUOTE_BYTES];
    qn_text_reject(part, line, field, "expected the end of the line; found %s",
                   qn_text_quote(field, end, quoted));
    return;
  }
  if (matrix->symmetry == SKEW_SYMMETRIC && entry.row == entry.column) {
    qn_text_reject(part, line, line, "a skew-symmetric matrix has no entries on its diagonal");
    return;
  }
  push(part, matrix, &entry);
  if (matrix->symmetry == SKEW_SYMMETRIC && entry.type != QN_WEIGHT_NONE)
    push_negated(part, matrix, &entry);
}

/* A short value without sign, of a kind that the matrix may have. */
static inline bool parse_plain_value(const struct matrix *matrix, const char **p,
                                     struct entry *entry) {
  if (!qn_parse_short_weight(p, &entry->type, &entry->bits))
    return false;
  bool whole = entry->type == QN_WEIGHT_U32 || entry->type == QN_WEIGHT_I64;
  return qn_weights_take(matrix->weights, entry->type) &&
         (whole ? entry->bits <= matrix->largest : matrix->field == FIELD_REAL);
}

static uint32_t take_lines(struct qn_text_part *part, const void *context,
                           const struct qn_shaped_lines *lines) {
  const struct matrix *matrix = context;
  const struct qn_numbered_ends ends = {matrix->rows, matrix->columns, matrix->first_source,
                                        matrix->first_destination};
  bool whole = lines->weight_type <= QN_WEIGHT_U32;
  if (!qn_weights_take(matrix->weights, lines->weight_type) ||
      !(whole || matrix->field == FIELD_REAL))
    return 0;
  return qn_push_numbered_lines(part, &ends, lines);
}

/* Lines of short real values, from the cursor on until one is anything else. */
static void parse_real_lines(struct qn_text_part *part, const struct matrix *matrix,
                             const char *fast_end) {
  const char *p = part->cursor;
  struct qn_real_line line;
  while (p < fast_end && qn_parse_real_line(p, false, &line)) {
    struct entry entry = {.row = (uint32_t)line.numbers,
                          .column = line.numbers >> 32,
                          .type = line.type,
                          .bits = line.weight};
    if (entry.row - 1 >= matrix->rows || entry.column - 1 >= matrix->columns ||
        !qn_is_blank(line.separators[0]) || !qn_is_blank(line.separators[1]))
      break;
    push(part, matrix, &entry);
    p += line.bytes;
  }
  part->cursor = p;
}

/* Ordinary lines of short numbers, from the cursor on until one is anything else. */
static void parse_plain_lines(struct qn_text_part *part, const struct matrix *matrix,
                              const char *fast_end) {
  const char *p = part->cursor;
  bool valued = matrix->field != FIELD_PATTERN;
  while (p < fast_end) {
    const char *q = p;
    struct entry entry = {.type = QN_WEIGHT_NONE};
    if (!qn_parse_short_number(&q, &entry.row) || !qn_is_blank(*q++) ||
        !qn_parse_short_number(&q, &entry.column) || entry.row - 1 >= matrix->rows ||
        entry.column - 1 >= matrix->columns)
      break;
    if (valued && (!qn_is_blank(*q++) || !parse_plain_value(matrix, &q, &entry)))
      break;
    if (!(q = qn_skip_line_end(q)))
      break;
    push(part, matrix, &entry);
    p = q;
  }
  part->cursor = p;
}

static void parse_part(struct qn_text_part *part, const void *context) {
  const struct matrix *matrix = context;
  bool plain = matrix->symmetry != SKEW_SYMMETRIC &&
               (matrix->field == FIELD_PATTERN || matrix->weights != QN_WEIGHTS_NONE);
  const char *fast_end =
      part->readable_end - part->begin > FAST_BYTES ? part->readable_end - FAST_BYTES : part->begin;
  fast_end = fast_end < part->end ? fast_end : part->end;
  const char *line, *end;
  bool real = plain && matrix->field == FIELD_REAL && matrix->weights != QN_WEIGHTS_U32 &&
              matrix->weights != QN_WEIGHTS_I64;
  bool shaped = plain && matrix->field != FIELD_PATTERN && matrix->largest >= UINT32_MAX;
  const struct qn_line_form form = {"", " \t", {3, 0, 1, 2, {' ', '\t'}}, false};
  for (;;) {
    qn_text_skip_comments(part, "%%");
    if (shaped)
      qn_take_shaped_lines(part, &form, take_lines, matrix);
    if (real)
      parse_real_lines(part, matrix, fast_end);
    if (plain)
      parse_plain_lines(part, matrix, fast_end);
    if (!qn_text_next_line(part, &line, &end))
      break;
    parse_line(part, matrix, line, end);
  }
}

/* ---- The whole ------------------------------------------------------------ */

/* What is pushed for row 1 and column 1. */
static void set_first_ids(struct matrix *matrix, bool compact) {
  uint64_t first = compact ? 1 : 0;
  matrix->first_source = first;
  matrix->first_destination = matrix->rows == matrix->columns ? first : first + matrix->rows;
}

static enum qn_status set_vertices(struct matrix *matrix, const struct qn_read_options *options,
                                   const struct qn_input *input, struct qn_read_result *result,
                                   struct qn_error *error) {
  const char *file = qn_input_name(input);
  bool square = matrix->rows == matrix->columns;
  uint64_t num_vertices = matrix->rows;
  bool fits = square || qn_add_u64(matrix->rows, matrix->columns, &num_vertices);
  set_first_ids(matrix, options->compact);
  if (options->compact && fits)
    return QN_OK;
  uint64_t entries = qn_credible_edges(input, matrix->entries);
  if (!fits || num_vertices > UINT32_MAX || qn_is_hollow(num_vertices, entries))
    return fail_at(error, file, matrix->size_line,
                   "%" PRIu64 " rows and %" PRIu64 " columns for %" PRIu64 " entries%s are too "
                   "many; --ids=compact numbers only the vertices that have edges",
                   matrix->rows, matrix->columns, entries,
                   entries < matrix->entries ? QN_NO_MORE_EDGES : "");
  if (result->num_vertices != QN_VERTICES_FROM_EDGES)
    return fail_at(error, file, matrix->size_line, "only one matrix can be imported at a time");
  result->num_vertices = num_vertices;
  if (square)
    return qn_names_from_one(num_vertices, &result->names, &result->names_memory, error);
  qn_note(QN_NOTE_TWO_SIDES,
          "the matrix is not square: it becomes a bipartite graph, in which row i is vertex "
          "Li and column j is vertex Rj");
  return qn_names_two_sided(matrix->rows, matrix->columns, &result->names, &result->names_memory,
                            error);
}

static void describe(const struct matrix *matrix, struct qn_read_result *result) {
  static const char *const fields[] = {"pattern", "integer", "real"};
  static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
  snprintf(result->description, sizeof result->description,
           "%s %s, %" PRIu64 " x %" PRIu64 ", %" PRIu64 " entries", fields[matrix->field],
           symmetries[matrix->symmetry], matrix->rows, matrix->columns, matrix->entries);
}

static enum qn_status read_matrix(struct qn_input *input, const struct qn_read_options *options,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  const char *file = qn_input_name(input);
  struct matrix matrix = {
      .field = FIELD_REAL, .weights = options->weights, .least = UINT64_MAX, .largest = UINT64_MAX};
  struct qn_input_block block;
  enum qn_status status;
  if ((status = qn_input_next(input, &block, error)) ||
      (status = take_header(input, &block, &matrix, error)) ||
      (status = set_vertices(&matrix, options, input, result, error)))
    return status;
  describe(&matrix, result);
  result->ledger.records += matrix.lines;
  result->ledger.comments += matrix.lines;
  bool no_weights = matrix.field == FIELD_PATTERN || matrix.weights == QN_WEIGHTS_NONE;
  result->symmetric =
      matrix.symmetry == SYMMETRIC || (matrix.symmetry == SKEW_SYMMETRIC && no_weights);
  struct qn_ledger before = result->ledger;
  struct qn_text_job job = {.input = input,
                            .options = options,
                            .parse = parse_part,
                            .context = &matrix,
                            .list = list,
                            .sequence = sequence,
                            .ledger = &result->ledger,
                            .lines_before = matrix.lines};
  if (block.bytes == 0)
    status = qn_input_next(input, &block, error);
  if (!status)
    status = qn_text_read(&job, &block, error);
  if (status)
    return status;
  uint64_t found =
      result->ledger.edges_read - before.edges_read + result->ledger.rejected - before.rejected;
  if (found != matrix.entries)
    return fail_at(error, file, matrix.size_line,
                   "%" PRIu64 " entries are announced here, but %" PRIu64 " follow", matrix.entries,
                   found);
  result->unique = true;
  return QN_OK;
}

/* ---- Repeated entries ----------------------------------------------------- */

/* The row and column of a line; false for comments. */
static bool take_ends(const char *line, const char *end, uint64_t *row, uint64_t *column) {
  const char *field = qn_skip_blanks(line, end), *field_end = word_end(field, end);
  if (is_comment(line, end) || qn_parse_whole(field, field_end, row) != QN_NUMBER_FINE)
    return false;
  field = qn_skip_blanks(field_end, end);
  return qn_parse_whole(field, word_end(field, end), column) == QN_NUMBER_FINE;
}

static enum qn_status locate_entry(struct qn_input *input, const struct qn_read_options *options,
                                   uint64_t source, uint64_t destination, uint64_t *found,
                                   struct qn_error *error) {
  struct matrix matrix = {.least = UINT64_MAX, .largest = UINT64_MAX};
  struct qn_input_block block;
  enum qn_status status;
  unsigned seen = 0;
  *found = 0;
  if ((status = qn_input_next(input, &block, error)) ||
      (status = take_header(input, &block, &matrix, error)))
    return status;
  set_first_ids(&matrix, options->compact);
  for (uint64_t number = matrix.lines + 1;; number++) {
    const char *line, *end;
    uint64_t row = 0, column = 0;
    status = next_line(input, &block, &line, &end, error);
    if (status || !line)
      return status;
    if (!take_ends(line, end, &row, &column))
      continue;
    uint64_t from = row - 1 + matrix.first_source, to = column - 1 + matrix.first_destination;
    seen += (from == source && to == destination) ||
            (matrix.symmetry != GENERAL && from == destination && to == source);
    if (seen == 2) {
      *found = number;
      return QN_OK;
    }
  }
}

static void release_names(struct qn_read_result *result) {
  qn_free(result->names_memory);
  result->names_memory = NULL;
}

static int detect_matrix(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  (void)options;
  return is_banner(head, bytes) ? 3 : 0;
}

const struct qn_reader qn_reader_matrix_market = {
    .name = "matrix-market",
    .detect = detect_matrix,
    .read = read_matrix,
    .locate = locate_entry,
    .release = release_names,
};
