#include "formats/text/delimited.h"

#include <string.h>
#include <strings.h>

#include "formats/text/quoted_names.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/multiversion.h"

const struct qn_dialect qn_words = {.delimiter = ' '};

/* The end of the line, without a comment behind its values. */
static const char *trim_comment(const char *line, const char *end) {
  bool inside = false;
  for (const char *p = line; p < end; p++) {
    inside ^= *p == '"';
    if (*p == '#' && !inside && p > line && qn_is_blank(p[-1]))
      return p;
  }
  return end;
}

struct qn_columns qn_columns_of(const char *line, const char *end,
                                const struct qn_dialect *dialect) {
  if (dialect->trailing)
    end = trim_comment(line, end);
  struct qn_columns columns = {line, end, dialect};
  if (dialect->delimiter == ' ') {
    columns.next = qn_skip_blanks(line, end);
    while (columns.end > columns.next && qn_is_blank(columns.end[-1]))
      columns.end--;
    if (columns.next == columns.end)
      columns.next = NULL;
  }
  return columns;
}

/* A tab may be the delimiter: then it is no blank. */
static bool is_space(char c, char delimiter) {
  return (c == ' ' || c == '\t') && c != delimiter;
}

static const char *skip_spaces(const char *p, const char *end, char delimiter) {
  while (p < end && is_space(*p, delimiter))
    p++;
  return p;
}

/* Where a value that begins at `p` without a quote is over. */
static const char *delimiter_at(const char *p, const char *end, char delimiter) {
  if (delimiter != ' ') {
    const char *found = memchr(p, delimiter, (size_t)(end - p));
    return found ? found : end;
  }
  while (p < end && !qn_is_blank(*p))
    p++;
  return p;
}

/* Move behind the delimiter at `p`, or the line's end. */
static void move_on(struct qn_columns *columns, const char *p) {
  if (columns->dialect->delimiter == ' ') {
    p = qn_skip_blanks(p, columns->end);
    columns->next = p < columns->end ? p : NULL;
  } else {
    columns->next = p < columns->end ? p + 1 : NULL;
  }
}

static const char *quote_or_backslash(const char *p, const char *end) {
  while (p < end && *p != '"' && *p != '\\')
    p++;
  return p < end ? p : NULL;
}

/* The quote that closes the value at `p`, and what is escaped in it; NULL, with the fault, if there
 * is none. */
static const char *closing_quote(const char *p, const char *end, bool escapes,
                                 struct qn_column *column) {
  for (; (p = escapes ? quote_or_backslash(p, end) : memchr(p, '"', (size_t)(end - p))); p += 2) {
    if (*p == '"' && (escapes || p + 1 == end || p[1] != '"'))
      return p;
    column->escape = *p;
    if (*p == '\\' && (p + 1 == end || (p[1] != '"' && p[1] != '\\'))) {
      column->fault = QN_COLUMN_ESCAPE;
      column->end = p;
      return NULL;
    }
  }
  column->begin--;
  column->fault = QN_COLUMN_UNCLOSED;
  return NULL;
}

static void take_quoted(struct qn_columns *columns, const char *open, struct qn_column *column) {
  const char *end = columns->end;
  char delimiter = columns->dialect->delimiter;
  *column = (struct qn_column){.begin = open + 1, .end = end, .quoted = true};
  columns->next = NULL;
  const char *p = closing_quote(open + 1, end, columns->dialect->escapes, column);
  if (!p)
    return;
  column->end = p++;
  if (delimiter != ' ')
    p = skip_spaces(p, end, delimiter);
  if (p < end && *p != delimiter && !(delimiter == ' ' && qn_is_blank(*p))) {
    column->fault = QN_COLUMN_FOLLOWED;
    column->end = p;
    return;
  }
  move_on(columns, p);
}

bool qn_columns_next(struct qn_columns *columns, struct qn_column *column) {
  const struct qn_dialect *dialect = columns->dialect;
  if (!columns->next)
    return false;
  const char *begin = skip_spaces(columns->next, columns->end, dialect->delimiter);
  const char *end = columns->end;
  if (begin < end && *begin == '"' && dialect->quotes) {
    take_quoted(columns, begin, column);
    return true;
  }
  bool dictionary = begin < end && *begin == '{' && end[-1] == '}';
  end = dictionary ? end : delimiter_at(begin, end, dialect->delimiter);
  move_on(columns, end);
  while (end > begin && is_space(end[-1], dialect->delimiter))
    end--;
  *column = (struct qn_column){.begin = begin, .end = end};
  const char *quote =
      dialect->strict && !dictionary ? memchr(begin, '"', (size_t)(end - begin)) : NULL;
  if (quote) {
    column->fault = QN_COLUMN_STRAY;
    column->end = quote;
    columns->next = NULL;
  }
  return true;
}

char qn_first_delimiter(const char *line, const char *end) {
  static const char delimiters[] = {'\t', ',', ';', '|'};
  for (unsigned i = 0; i < sizeof delimiters; i++)
    if (memchr(line, delimiters[i], (size_t)(end - line)))
      return delimiters[i];
  return ' ';
}

uint32_t qn_columns_count(const char *line, const char *end, const struct qn_dialect *dialect) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column;
  uint32_t count = 0;
  while (count < UINT32_MAX && qn_columns_next(&columns, &column))
    count++;
  return count;
}

const char *qn_column_text(const struct qn_column *column, char *text, uint64_t *length) {
  *length = (uint64_t)(column->end - column->begin);
  if (!column->escape)
    return column->begin;
  char *out = text;
  for (const char *p = column->begin; p < column->end; p++) {
    p += *p == column->escape;
    *out++ = *p;
  }
  *length = (uint64_t)(out - text);
  return text;
}

bool qn_column_is(const struct qn_column *column, const char *name) {
  size_t length = (size_t)(column->end - column->begin);
  return length == strlen(name) && strncasecmp(column->begin, name, length) == 0;
}

/* Some bytes at a time, whose quotes a byte counts: many are compared at once. */
QN_VECTOR_CLONES
static uint64_t count_quotes(const char *begin, const char *end) {
  enum { AT_ONCE = 192 };
  uint64_t count = 0;
  for (; end - begin >= AT_ONCE; begin += AT_ONCE) {
    uint8_t here = 0;
    for (int i = 0; i < AT_ONCE; i++)
      here = (uint8_t)(here + (begin[i] == '"'));
    count += here;
  }
  for (; begin < end; begin++)
    count += *begin == '"';
  return count;
}

uint64_t qn_count_quotes(const char *begin, const char *end) {
  return count_quotes(begin, end);
}

const char *qn_record_end(const char *line, const char *end) {
  bool inside = false;
  for (const char *p = line; p < end;) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    const char *stop = newline ? newline : end;
    inside ^= qn_count_quotes(p, stop) & 1;
    if (!inside || !newline)
      return stop;
    p = newline + 1;
  }
  return end;
}

const char *qn_column_fault_text(const struct qn_column *column, const struct qn_dialect *dialect,
                                 const char **where) {
  *where = column->fault == QN_COLUMN_UNCLOSED ? column->begin : column->end;
  switch (column->fault) {
  case QN_COLUMN_UNCLOSED:
    return dialect->escapes
               ? "a quote opens here that is not closed in this line (with --escape=backslash "
                 "values break no lines)"
           : dialect->strict
               ? "a quote opens here that is not closed (--quotes=no takes quotes as they are)"
               : "a quote opens here that is not closed in this line (--quotes=yes lets values "
                 "break lines, --quotes=no takes quotes as they are)";
  case QN_COLUMN_ESCAPE:
    return "a backslash stands before something else than a quote or a backslash";
  case QN_COLUMN_FOLLOWED:
    return dialect->escapes ? "something follows the quote that closes a value; "
                              "--escape=backslash expects a backslash before a quote in it"
                            : "something follows the quote that closes a value; a quote in a value "
                              "must be doubled (--escape=backslash expects a backslash before it, "
                              "--quotes=no takes quotes as they are)";
  default:
    return "a quote is in a value that is not in quotes; the value must be quoted and the quote "
           "doubled (--quotes=no takes quotes as they are)";
  }
}

/* ---- Values --------------------------------------------------------------- */

bool qn_column_is_number(const struct qn_column *column) {
  enum qn_weight_type type;
  uint64_t bits;
  return qn_parse_weight(column->begin, column->end, &type, &bits) != QN_WEIGHT_NO_NUMBER;
}

bool qn_column_is_whole(const struct qn_column *column) {
  const char *p = column->begin;
  while (p < column->end && qn_is_digit(*p))
    p++;
  bool digits = p > column->begin;
  if (p < column->end && *p == '.')
    for (p++; p < column->end && *p == '0';)
      p++;
  return digits && p == column->end;
}

bool qn_column_is_name(const struct qn_column *column) {
  bool letters = column->quoted && column->begin < column->end && !qn_column_is_whole(column);
  bool digits = !column->quoted; /* "nan" in quotes is text */
  for (const char *p = column->begin; p < column->end; p++) {
    unsigned char c = (unsigned char)*p;
    if ((c < 0x20 || c == 0x7f) && !column->quoted)
      return false;
    letters |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    digits |= qn_is_digit(*p);
  }
  return letters && !(digits && qn_column_is_number(column));
}

bool qn_columns_are_words(const char *line, const char *end, const struct qn_dialect *dialect) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column;
  uint32_t count = 0, words = 0;
  while (qn_columns_next(&columns, &column)) {
    char first = column.begin < column.end ? *column.begin : '\0';
    bool word = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_' ||
                first == ':';
    if (!word && !(first == '\0' && (count == 0 || !columns.next)))
      return false;
    words += word;
    count++;
  }
  return count >= 2 && words > 0;
}

struct qn_column qn_column_at(const char *line, const char *end, const struct qn_dialect *dialect,
                              uint32_t number) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column = {.begin = end, .end = end};
  for (uint32_t i = 0; qn_columns_next(&columns, &column); i++)
    if (i == number)
      return column;
  return (struct qn_column){.begin = end, .end = end};
}

/* ---- Values that are no ids ------------------------------------------------ */

bool qn_column_is_missing(const struct qn_column *column) {
  return !column->quoted &&
         qn_name_is_missing(column->begin, (uint64_t)(column->end - column->begin));
}

/* ---- Leading zeros -------------------------------------------------------- */

bool qn_column_is_padded(const struct qn_column *column) {
  return column->end - column->begin > 1 && *column->begin == '0' &&
         qn_is_digit(column->begin[1]) && qn_column_is_whole(column);
}

/* Some bytes at a time, without a branch: many are compared at once. A zero leads where neither a
 * digit nor a point is before it. The bytes before and behind may be read. */
QN_VECTOR_CLONES
static bool has_padded_number(const uint8_t *begin, const uint8_t *end) {
  enum { AT_ONCE = 192 };
  while (begin < end) {
    const ptrdiff_t here = end - begin < AT_ONCE ? end - begin : AT_ONCE;
    uint8_t found = 0;
    for (ptrdiff_t i = 0; i < here; i++) {
      const uint8_t before = (uint8_t)(begin[i - 1] - '.'), behind = (uint8_t)(begin[i + 1] - '0');
      found |= (uint8_t)((uint8_t)(begin[i] == '0') & (uint8_t)(before > '9' - '.') &
                         (uint8_t)(behind <= 9));
    }
    if (found)
      return true;
    begin += here;
  }
  return false;
}

bool qn_has_padded_numbers(const char *begin, const char *end) {
  const bool first = end - begin > 1 && begin[0] == '0' && qn_is_digit(begin[1]);
  return first || (end - begin > 2 &&
                   has_padded_number((const uint8_t *)begin + 1, (const uint8_t *)end - 1));
}
