/* What a column holds that is said of a vertex, and names none: numbers, dates, times, amounts,
 * quantities, coordinates. */
#include <string.h>
#include <strings.h>

#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- Dates and times ------------------------------------------------------- */

/* Skips `least` to `most` digits; NULL if there are fewer, or more. */
static const char *skip_digits(const char *p, const char *end, int least, int most) {
  int count = 0;
  while (p && p + count < end && qn_is_digit(p[count]))
    count++;
  return p && count >= least && count <= most ? p + count : NULL;
}

static const char *skip_sign(const char *p, const char *end, char sign) {
  return p && p < end && *p == sign ? p + 1 : NULL;
}

/* 10:30, 10:30:05, 10:30:05.25, and perhaps a zone. */
static bool is_time(const char *p, const char *end) {
  p = skip_digits(skip_sign(skip_digits(p, end, 1, 2), end, ':'), end, 2, 2);
  if (!p)
    return false;
  if (p < end && *p == ':')
    p = skip_digits(p + 1, end, 2, 2);
  while (p && p < end && (qn_is_digit(*p) || strchr(".,:+-Zz ", *p)))
    p++;
  return p == end;
}

/* 2020-01, of which no month is above 12. */
static bool is_month(const char *p, const char *end) {
  const char *month = skip_sign(skip_digits(p, end, 4, 4), end, '-');
  return month && skip_digits(month, end, 2, 2) == end &&
         (month[0] - '0') * 10 + month[1] - '0' <= 12;
}

static const char *skip_month_name(const char *p, const char *end) {
  static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
  if (!p || end - p < 3)
    return NULL;
  for (unsigned i = 0; i + 3 < sizeof names; i += 3)
    if (strncasecmp(p, names + i, 3) == 0) {
      while (p < end && is_letter(*p))
        p++;
      return p;
    }
  return NULL;
}

/* 31-Jan-2020, 1 January 20. */
static bool is_named_date(const char *p, const char *end) {
  const char *day = skip_digits(p, end, 1, 2);
  if (!day || day == end || !strchr("- /", *day))
    return false;
  const char *month = skip_month_name(day + 1, end);
  return month && skip_digits(skip_sign(month, end, *day), end, 2, 4) == end;
}

/* 2020-01-31, 31.12.2020, 1/31/20: three numbers, of which the year is first or last. */
static bool is_date(const char *p, const char *end) {
  const char *first = skip_digits(p, end, 1, 4);
  if (!first || first == end || !strchr("-/.", *first))
    return false;
  const char *second = skip_digits(first + 1, end, 1, 2);
  const char *third = skip_digits(skip_sign(second, end, *first), end, 1, 4);
  if (!third || (first - p != 4 && third - second != 5 && *first == '.'))
    return false;
  return third == end || ((*third == 'T' || *third == ' ') && is_time(third + 1, end));
}

/* ---- Numbers with something to them ---------------------------------------- */

static bool is_number(const char *begin, const char *end) {
  const struct qn_column column = {.begin = begin, .end = end};
  return begin < end && qn_column_is_number(&column);
}

/* A percentage, or an amount of money: 5%, $5, 5€. */
static bool is_amount(const char *begin, const char *end) {
  static const char *const signs[] = {"$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"};
  if (end > begin && end[-1] == '%')
    return is_number(begin, end - 1);
  for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++) {
    const size_t length = strlen(signs[i]);
    if ((size_t)(end - begin) > length && memcmp(begin, signs[i], length) == 0)
      return is_number(begin + length, end);
    if ((size_t)(end - begin) > length && memcmp(end - length, signs[i], length) == 0)
      return is_number(begin, end - length);
  }
  return false;
}

/* Between one and four letters. */
static bool is_unit(const char *begin, const char *end) {
  enum { MOST_LETTERS = 4 };
  const char *p = begin;
  while (p < end && is_letter(*p))
    p++;
  return p == end && p > begin && p - begin <= MOST_LETTERS;
}

/* 10 kg, 1.5k, EUR 5.00. A whole number with letters right behind it may be a name. */
static bool is_quantity(const char *begin, const char *end) {
  const char *blank = memchr(begin, ' ', (size_t)(end - begin)), *p = begin;
  if (blank)
    return (is_number(begin, blank) && is_unit(blank + 1, end)) ||
           (is_unit(begin, blank) && is_number(blank + 1, end));
  while (p < end && (qn_is_digit(*p) || *p == '-' || *p == '+' || *p == '.'))
    p++;
  return memchr(begin, '.', (size_t)(p - begin)) && is_number(begin, p) && is_unit(p, end);
}

/* 50.1,8.2 or (50.1, 8.2), where a comma separates no columns; 50.1 8.2. */
static bool is_pair_of_numbers(const char *begin, const char *end) {
  if (end - begin > 2 && *begin == '(' && end[-1] == ')') {
    begin++;
    end--;
  }
  const char *first = begin;
  while (first < end && !strchr(",; ", *first))
    first++;
  return first < end && is_number(begin, first) && is_number(qn_skip_blanks(first + 1, end), end);
}

/* ---- Words ----------------------------------------------------------------- */

/* What programs print for a truth or for what is no number. */
static bool is_word_of_value(const struct qn_column *column) {
  static const char *const words[] = {"true", "false",    "inf",      "+inf",
                                      "-inf", "infinity", "-infinity"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (qn_column_is(column, words[i]))
      return !column->quoted;
  return false;
}

static bool has_digit(const char *p, const char *end) {
  while (p < end && !qn_is_digit(*p))
    p++;
  return p < end;
}

bool qn_column_is_value(const struct qn_column *column) {
  const char *begin = column->begin, *end = column->end;
  if (!has_digit(begin, end))
    return is_word_of_value(column);
  return !qn_column_is_padded(column) &&
         (qn_column_is_number(column) || is_amount(begin, end) || is_quantity(begin, end) ||
          is_date(begin, end) || is_month(begin, end) || is_named_date(begin, end) ||
          is_time(begin, end) || is_pair_of_numbers(begin, end));
}
