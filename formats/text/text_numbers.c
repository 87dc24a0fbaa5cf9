#include "formats/text/text_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* Longer than any decimal number that someone writes; all digits count for rounding. */
#define MAX_REAL_TEXT 1024

enum qn_number_kind qn_parse_whole(const char *begin, const char *end, uint64_t *value) {
  uint64_t result = 0;
  bool fits = true;
  if (begin == end)
    return QN_NUMBER_NONE;
  for (const char *p = begin; p < end; p++) {
    unsigned digit = (unsigned char)*p - (unsigned)'0';
    if (digit > 9)
      return QN_NUMBER_NONE;
    fits = fits && !__builtin_mul_overflow(result, 10, &result) &&
           !__builtin_add_overflow(result, digit, &result);
  }
  *value = result;
  return fits ? QN_NUMBER_FINE : QN_NUMBER_TOO_LARGE;
}

static const char *skip_digits(const char *p, const char *end) {
  while (p < end && (unsigned char)(*p - '0') <= 9)
    p++;
  return p;
}

/* [sign] digits [. digits] [e [sign] digits], with a digit before or after the point. */
static bool looks_real(const char *p, const char *end) {
  p += p < end && (*p == '-' || *p == '+');
  const char *whole_end = skip_digits(p, end);
  bool any = whole_end > p;
  p = whole_end;
  if (p < end && *p == '.') {
    const char *fraction_end = skip_digits(p + 1, end);
    any = any || fraction_end > p + 1;
    p = fraction_end;
  }
  if (any && p < end && (*p == 'e' || *p == 'E')) {
    p++;
    p += p < end && (*p == '-' || *p == '+');
    const char *exponent_end = skip_digits(p, end);
    if (exponent_end == p)
      return false;
    p = exponent_end;
  }
  return any && p == end;
}

static bool looks_not_finite(const char *p, const char *end) {
  static const char *const words[] = {"nan", "inf", "infinity", "infty"};
  p += p < end && (*p == '-' || *p == '+');
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if ((size_t)(end - p) == strlen(words[i]) && strncasecmp(p, words[i], (size_t)(end - p)) == 0)
      return true;
  return false;
}

/* "-5" behind the e of "1e-5". */
static bool parse_exponent(const char *p, const char *end, int *exponent) {
  bool negative = p < end && *p == '-';
  p += p < end && (*p == '-' || *p == '+');
  if (p == end || end - p > 3)
    return false;
  for (*exponent = 0; p < end; p++) {
    unsigned digit = (unsigned char)*p - (unsigned)'0';
    if (digit > 9)
      return false;
    *exponent = *exponent * 10 + (int)digit;
  }
  *exponent = negative ? -*exponent : *exponent;
  return true;
}

/* Up to 19 digits of which some are behind the point. */
static bool round_long_decimal(uint64_t digits, unsigned fraction, enum qn_weight_type *type,
                               uint64_t *bits) {
  double value = qn_nearest_real(digits, fraction);
  float narrow = (float)value;
  uint32_t narrow_bits;
  memcpy(bits, &value, sizeof *bits);
  memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
  if ((*bits & 0x1fffffff) - 0x0fffffff <= 2 || value >= 0x1p53)
    return false; /* between two floats, or perhaps no such double */
  bool holds = qn_decimal_of_f32(narrow) == value;
  *type = holds ? QN_WEIGHT_F32 : QN_WEIGHT_F64;
  *bits = holds ? narrow_bits : *bits;
  return true;
}

/* Digits, at most one point and an exponent, if that can be rounded at once. */
static bool parse_plain_real(const char *p, const char *end, enum qn_weight_type *type,
                             uint64_t *bits) {
  enum { MOST_DIGITS = 19 }; /* fit in 64 bits */
  bool negative = p < end && *p == '-';
  p += negative;
  uint64_t digits = 0;
  int fraction = 0, exponent = 0, count = 0; /* without zeros before the first digit */
  bool point = false, any = false;
  for (; p < end && *p != 'e' && *p != 'E'; p++) {
    unsigned digit = (unsigned char)*p - (unsigned)'0';
    if (*p == '.' && !point) {
      point = true;
      continue;
    }
    if (digit > 9 || count == MOST_DIGITS)
      return false;
    digits = digits * 10 + digit;
    fraction += point;
    count += digits != 0;
    any = true;
  }
  if (!any || (p < end && !parse_exponent(p + 1, end, &exponent)))
    return false;
  fraction -= exponent;
  if (fraction < 0 || fraction > QN_MOST_FRACTION_DIGITS ||
      !(qn_round_decimal(digits, (unsigned)fraction, type, bits) ||
        round_long_decimal(digits, (unsigned)fraction, type, bits)))
    return false;
  *bits |= (uint64_t)negative << (8 * qn_weight_bytes(*type) - 1);
  return true;
}

/* Of a text without an exponent: is it a number of 2^53 or more that is not `value`? */
static bool is_rounded(const char *text, double value) {
  char exact[MAX_REAL_TEXT + 400]; /* no number has more digits before the point */
  text += *text == '-' || *text == '+';
  text += strspn(text, "0");
  if (fabs(value) < 0x1p53 || strpbrk(text, "eE"))
    return false;
  const char *point = strchr(text, '.');
  snprintf(exact, sizeof exact, "%.*f", point ? (int)strlen(point + 1) : 0, fabs(value));
  size_t length = strlen(exact);
  return strncmp(text, exact, length) != 0 || strcmp(text + length, point && !point[1] ? "." : "");
}

/* Any real number, by the C library. */
static enum qn_weight_kind parse_any_real(const char *begin, const char *end,
                                          enum qn_weight_type *type, uint64_t *bits) {
  char text[MAX_REAL_TEXT];
  if (!looks_real(begin, end))
    return looks_not_finite(begin, end) ? QN_WEIGHT_NOT_FINITE : QN_WEIGHT_NO_NUMBER;
  if (end - begin >= MAX_REAL_TEXT)
    return QN_WEIGHT_NO_NUMBER;
  memcpy(text, begin, (size_t)(end - begin));
  text[end - begin] = 0;
  double value = strtod(text, NULL);
  if (!isfinite(value))
    return QN_WEIGHT_TOO_LARGE;
  const char *digit = strpbrk(text, "123456789"), *exponent = strpbrk(text, "eE");
  if (value == 0 && digit && (!exponent || digit < exponent))
    return QN_WEIGHT_TOO_SMALL;
  float narrow = strtof(text, NULL);
  bool rounded = is_rounded(text, value);
  if (!rounded && isfinite(narrow) && qn_decimal_of_f32(narrow) == value) {
    uint32_t narrow_bits;
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    *type = QN_WEIGHT_F32;
    *bits = narrow_bits;
  } else {
    *type = QN_WEIGHT_F64;
    memcpy(bits, &value, sizeof *bits);
  }
  return rounded ? QN_WEIGHT_ROUNDED : QN_WEIGHT_FINE;
}

/* A whole number that fits, but for "-0": that is a real one. */
static bool parse_whole_weight(const char *begin, const char *end, enum qn_weight_type *type,
                               uint64_t *bits) {
  const uint64_t limit = (uint64_t)1 << 63;
  bool negative = begin < end && *begin == '-';
  uint64_t whole;
  begin += negative || (begin < end && *begin == '+');
  if (qn_parse_whole(begin, end, &whole) != QN_NUMBER_FINE || (negative && whole == 0) ||
      whole - negative >= limit)
    return false;
  *type = negative || whole > UINT32_MAX ? QN_WEIGHT_I64 : QN_WEIGHT_U32;
  *bits = negative ? 0 - whole : whole;
  return true;
}

enum qn_weight_kind qn_parse_weight(const char *begin, const char *end, enum qn_weight_type *type,
                                    uint64_t *bits) {
  if (parse_whole_weight(begin, end, type, bits) || parse_plain_real(begin, end, type, bits))
    return QN_WEIGHT_FINE;
  return parse_any_real(begin, end, type, bits);
}
