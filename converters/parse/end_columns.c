#include "converters/parse/end_columns.h"

#include <inttypes.h>
#include <string.h>

#include "converters/parse/text_fields.h"
#include "converters/text/quoted_names.h"
#include "support/multiversion.h"

/* ---- Missing values ------------------------------------------------------- */

bool qn_column_is_missing(const struct qn_column *column) {
  return !column->quoted &&
         qn_name_is_missing(column->begin, (uint64_t)(column->end - column->begin));
}

/* No value, however that is written. */
static bool is_unknown(const struct qn_column *column) {
  return column->begin == column->end || qn_column_is(column, "NA") || qn_column_is(column, "-") ||
         qn_column_is(column, "?") || qn_column_is_missing(column);
}

/* ---- Values --------------------------------------------------------------- */

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

static bool is_number(const char *begin, const char *end) {
  const struct qn_column column = {.begin = begin, .end = end};
  return begin < end && qn_column_is_number(&column);
}

/* 5%, $5, 5 EUR are not told apart from numbers by anyone who reads them. */
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

/* 50.1,8.2 or (50.1, 8.2), where a comma separates no columns. */
static bool is_pair_of_numbers(const char *begin, const char *end) {
  if (end - begin > 2 && *begin == '(' && end[-1] == ')') {
    begin++;
    end--;
  }
  const char *comma = memchr(begin, ',', (size_t)(end - begin));
  return comma && is_number(begin, comma) && is_number(qn_skip_blanks(comma + 1, end), end);
}

static bool has_digit(const char *p, const char *end) {
  while (p < end && !qn_is_digit(*p))
    p++;
  return p < end;
}

bool qn_column_is_value(const struct qn_column *column) {
  const char *begin = column->begin, *end = column->end;
  return has_digit(begin, end) && !qn_column_is_padded(column) &&
         (qn_column_is_number(column) || is_amount(begin, end) || is_date(begin, end) ||
          is_time(begin, end) || is_pair_of_numbers(begin, end));
}

/* ---- Zeros in front ------------------------------------------------------- */

bool qn_column_is_padded(const struct qn_column *column) {
  return column->end - column->begin > 1 && *column->begin == '0' &&
         qn_is_digit(column->begin[1]) && qn_column_is_whole(column);
}

/* Some bytes at a time, whose finds a byte counts: many are compared at once. A zero is in front
 * where neither a digit nor a point is before it. The bytes before and behind may be read. */
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

/* ---- The columns of a sample ---------------------------------------------- */

/* What all values of a column are, but for those that are missing. */
struct kinds {
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
    return NULL;
  if (kinds->values)
    return kinds->whole ? "only numbers" : "only values (numbers, percentages, dates, coordinates)";
  return kinds->assigned && !(other->assigned && same_key(kinds, other)) ? "only KEY=VALUE" : NULL;
}

enum qn_status qn_check_end_columns(struct qn_sample sample, const struct qn_dialect *dialect,
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
  if (kinds[0].whole && kinds[1].whole)
    return QN_OK;
  for (int side = 1; side >= 0; side--) {
    const char *kind = kind_text(&kinds[side], &kinds[!side]);
    if (kind)
      return qn_fail(error, QN_INVALID,
                     "column %" PRIu32 " holds %s and column %" PRIu32
                     " names, and no header says that these are edges: %s; --columns=%" PRIu32
                     ",%" PRIu32 " or --ids=strings takes both as vertices",
                     columns[side] + 1, kind, columns[!side] + 1, qn_text_quote(line, end, text),
                     source + 1, destination + 1);
  }
  return QN_OK;
}
