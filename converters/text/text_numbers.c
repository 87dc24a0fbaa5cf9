#include "converters/text/text_numbers.h"

#include <math.h>
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

/* Digits and at most one point, if that can be rounded at once. */
static bool parse_plain_real(const char *p, const char *end, float *value) {
  bool negative = p < end && *p == '-';
  p += negative;
  if (end - p > 16)
    return false;
  uint64_t digits = 0;
  unsigned fraction = 0, count = 0;
  bool point = false;
  for (; p < end; p++) {
    unsigned digit = (unsigned char)*p - (unsigned)'0';
    if (*p == '.' && !point) {
      point = true;
      continue;
    }
    if (digit > 9)
      return false;
    digits = digits * 10 + digit;
    fraction += point;
    count++;
  }
  if (count == 0 || !qn_round_decimal(digits, fraction, value))
    return false;
  *value = negative ? -*value : *value;
  return true;
}

/* Of a text without an exponent: is it a number of 2^24 or more that is not `value`? */
static bool is_rounded(const char *text, float value) {
  uint64_t whole;
  const char *digits = text + (*text == '-' || *text == '+'), *end = text + strlen(text);
  if (fabsf(value) < 0x1p24f || strpbrk(text, "eE"))
    return false;
  if (qn_parse_whole(digits, end, &whole) == QN_NUMBER_FINE)
    return fabsf(value) >= 0x1p64f || (uint64_t)fabsf(value) != whole;
  return strtod(text, NULL) != (double)value;
}

enum qn_weight_kind qn_parse_weight(const char *begin, const char *end, enum qn_weight_type *type,
                                    uint32_t *bits) {
  uint64_t whole;
  const char *unsigned_begin = begin + (begin < end && *begin == '+');
  if (qn_parse_whole(unsigned_begin, end, &whole) == QN_NUMBER_FINE && whole <= UINT32_MAX) {
    *type = QN_WEIGHT_U32;
    *bits = (uint32_t)whole;
    return QN_WEIGHT_FINE;
  }
  enum qn_weight_kind kind = QN_WEIGHT_FINE;
  float value;
  if (!parse_plain_real(begin, end, &value)) {
    char text[MAX_REAL_TEXT];
    if (!looks_real(begin, end))
      return looks_not_finite(begin, end) ? QN_WEIGHT_NOT_FINITE : QN_WEIGHT_NO_NUMBER;
    if (end - begin >= MAX_REAL_TEXT)
      return QN_WEIGHT_NO_NUMBER;
    memcpy(text, begin, (size_t)(end - begin));
    text[end - begin] = 0;
    value = strtof(text, NULL);
    if (!isfinite(value))
      return QN_WEIGHT_TOO_LARGE;
    kind = is_rounded(text, value) ? QN_WEIGHT_ROUNDED : QN_WEIGHT_FINE;
  }
  *type = QN_WEIGHT_F32;
  memcpy(bits, &value, sizeof *bits);
  return kind;
}
