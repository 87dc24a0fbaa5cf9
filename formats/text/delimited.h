/* Columns of delimited text, as RFC 4180 has them: a value may lie in double quotes, and then holds
 * separators, line breaks and, doubled, quotes. Beyond the RFC, blanks around values are skipped,
 * any of several separators is known, and a Python dictionary at a line's end is one value, as
 * networkx writes the data of edges. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the columns of a text are told apart. */
struct qn_dialect {
  char delimiter; /* ',', ';', '|', a tab, or ' ': runs of blanks and tabs */
  bool quotes;    /* values in double quotes are known */
  bool strict;    /* and quotes are nowhere else, so that a line break in them can be told */
  bool trailing;  /* what is behind "#", with a blank before it, is a comment */
  bool escapes;   /* in quotes a backslash stands before quotes and backslashes, as Spark writes
                     them; such values break no lines */
};

/* Words between blanks and tabs, as formats have them that know no quotes. */
extern const struct qn_dialect qn_words;

enum qn_column_fault {
  QN_COLUMN_FINE,
  QN_COLUMN_UNCLOSED, /* the quote that opens at `begin` is not closed */
  QN_COLUMN_FOLLOWED, /* something follows the closing quote; it is at `end` */
  QN_COLUMN_STRAY,    /* strict, and a quote is inside the value; it is at `end` */
  QN_COLUMN_ESCAPE,   /* a backslash stands before something else; it is at `end` */
};

/* A value without what is around it. */
struct qn_column {
  const char *begin, *end;
  bool quoted; /* a pair of quotes was around it */
  char escape; /* '"' or '\\' still stands before what it is for; 0: nothing does. See
                  qn_column_text */
  enum qn_column_fault fault;
};

/* The columns of a line. */
struct qn_columns {
  const char *next; /* NULL: no more */
  const char *end;
  const struct qn_dialect *dialect; /* borrowed */
};

/* [line, end) is a record without its line end. */
struct qn_columns qn_columns_of(const char *line, const char *end,
                                const struct qn_dialect *dialect);

/* The next column; false if there is none. After one with a fault there is none. */
bool qn_columns_next(struct qn_columns *columns, struct qn_column *column);

/* The same, fast for the usual column, which is neither in quotes nor a dictionary. */
static inline bool qn_columns_take(struct qn_columns *columns, struct qn_column *column) {
  const struct qn_dialect *dialect = columns->dialect;
  const char *p = columns->next, *end = columns->end;
  if (!p || p == end || dialect->delimiter != ' ' || dialect->strict || *p == '"' || *p == '{')
    return qn_columns_next(columns, column);
  column->begin = p;
  column->quoted = false;
  column->escape = '\0';
  column->fault = QN_COLUMN_FINE;
  while (p < end && *p != ' ' && *p != '\t')
    p++;
  column->end = p;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  columns->next = p < end ? p : NULL;
  return true;
}

/* How many there are. */
uint32_t qn_columns_count(const char *line, const char *end, const struct qn_dialect *dialect);

/* What separates the columns of a line of which nothing else is known: a tab, else a comma, a
 * semicolon or a bar, else blanks. */
char qn_first_delimiter(const char *line, const char *end);

/* The value: a view if nothing in it is escaped, else written to `text`, which has room for it.
 * Returns its begin and puts its length into `*length`. */
const char *qn_column_text(const struct qn_column *column, char *text, uint64_t *length);

/* Is this the name that is looked for, in any case? */
bool qn_column_is(const struct qn_column *column, const char *name);

bool qn_column_is_number(const struct qn_column *column);

/* As an id: a whole number, perhaps written "3.0". */
bool qn_column_is_whole(const struct qn_column *column);

/* Something that someone would call a vertex, and that is no number. */
bool qn_column_is_name(const struct qn_column *column);

/* A word for a value that is missing. In quotes it is text. */
bool qn_column_is_missing(const struct qn_column *column);

/* A number, a percentage, an amount of money, a quantity, a date, a time, a pair of coordinates,
 * or a word such as true or inf. */
bool qn_column_is_value(const struct qn_column *column);

/* A whole number with a leading zero, as postal codes have: 02134 is another id than 2134. */
bool qn_column_is_padded(const struct qn_column *column);

/* Is such a number, or one that only looks like it, anywhere in [begin, end)? */
bool qn_has_padded_numbers(const char *begin, const char *end);

/* Is no value of a line a number, but for columns without a name: pandas's index, and what is
 * behind a delimiter at the line's end? */
bool qn_columns_are_words(const char *line, const char *end, const struct qn_dialect *dialect);

/* Column `number`, from 0, of the line [line, end); empty, at its end, if there is none. */
struct qn_column qn_column_at(const char *line, const char *end, const struct qn_dialect *dialect,
                              uint32_t number);

/* Where the record at `line` ends, which may break lines in quotes: at its '\n', or at `end`. */
const char *qn_record_end(const char *line, const char *end);

/* How many '"' there are. */
uint64_t qn_count_quotes(const char *begin, const char *end);

/* Why the line cannot be cut into columns, for messages; `*where` is the place. */
const char *qn_column_fault_text(const struct qn_column *column, const struct qn_dialect *dialect,
                                 const char **where);
