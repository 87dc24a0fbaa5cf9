#include "formats/text/text_format.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/multiversion.h"

static char *put_eight(char *p, uint32_t value) {
  qn_store_bytes(p, qn_digits_of_eight(value) + UINT64_C(0x3030303030303030));
  return p + 8;
}

char *qn_put_long_u64(char *p, uint64_t value) {
  const uint64_t split = 100000000;
  uint64_t high = value / split;
  if (high < split)
    return put_eight(qn_put_short_u64(p, (uint32_t)high), (uint32_t)(value % split));
  p = qn_put_short_u64(p, (uint32_t)(high / split));
  return put_eight(put_eight(p, (uint32_t)(high % split)), (uint32_t)(value % split));
}

/* ---- Reals ---------------------------------------------------------------- */

/* The digits of a decimal in registers: what is stored is never loaded again, which would wait. */
struct digits {
  char first;
  uint64_t
      rest;   /* as text, the first of them in the lowest byte; zeros behind the last that counts */
  int length; /* without zeros at the end */
  int whole;  /* digits before the point: may be negative, or more than there are */
};

/* A decimal with nine digits, the first of which is not 0: that one, and the others one a byte. */
struct nine_digits {
  uint32_t first, low, high;
  int32_t whole;
};

/* The four decimal digits of `value`, one a byte, the first in the lowest. */
static inline uint32_t four_digits(uint32_t value) {
  uint32_t pairs = value / 100 | value % 100 << 16;
  uint32_t tens = (pairs * 103 >> 10) & 0x000F000F;
  return tens + ((pairs - 10 * tens) << 8);
}

/* No branches, and no tables: how many digits there are is as good as random, and compilers do many
 * at once. */
static inline struct nine_digits nine_digits_of(uint32_t value, int32_t exponent) {
  int32_t whole = exponent + 9;
  for (unsigned twice = 0; twice < 2; twice++) {
    uint32_t few = value < 100000;
    value *= few ? 10000 : 1;
    whole -= few ? 4 : 0;
  }
  uint32_t few = value < 10000000;
  value *= few ? 100 : 1;
  whole -= few ? 2 : 0;
  few = value < 100000000;
  value *= few ? 10 : 1;
  whole -= few ? 1 : 0;
  uint32_t first = value / 100000000, eight = value - first * 100000000, upper = eight / 10000;
  return (struct nine_digits){first, four_digits(upper), four_digits(eight - upper * 10000), whole};
}

static inline struct digits digits_of(const struct nine_digits *nine) {
  uint64_t rest = nine->low | (uint64_t)nine->high << 32;
  unsigned zeros = (unsigned)__builtin_clzll(rest | 1) / 8 + (rest == 0); /* at the end */
  return (struct digits){(char)('0' + nine->first), rest + UINT64_C(0x3030303030303030),
                         9 - (int)zeros, nine->whole};
}

/* "0.00ddd" or "ddd.ddd", without a branch: one is as likely as the other. */
static char *put_plain(char *p, const struct digits *digits) {
  const int length = digits->length, whole = digits->whole;
  const int64_t small = -(int64_t)(whole <= 0); /* all ones if nothing is before the point */
  char *begin = p + ((2 - whole) & small);      /* of the digits */
  char *point = p + ((1 & small) | (whole & ~small));
  char *rest = p + (((3 - whole) & small) | ((whole + 1) & ~small)); /* behind point and first */
  unsigned shift = 8 * (unsigned)((whole - 1) & ~small);
  memcpy(p, "0.000000", 8);
  *begin = digits->first;
  qn_store_bytes(begin + 1, digits->rest);
  *point = '.';
  qn_store_bytes(rest, digits->rest >> shift);
  return begin + length + 1 + small;
}

/* "ddd000.0": all digits are before the point, at most 15. */
static char *put_large(char *p, const struct digits *digits) {
  *p = digits->first;
  qn_store_bytes(p + 1, digits->rest);
  memcpy(p + 9, "00000000", 8);
  p += digits->whole;
  *p++ = '.';
  *p++ = '0';
  return p;
}

/* One digit before the point, two in the exponent, as printf's %e. */
static char *put_scientific(char *p, const struct digits *digits) {
  int exponent = digits->whole - 1;
  *p++ = digits->first;
  if (digits->length > 1) {
    *p++ = '.';
    qn_store_bytes(p, digits->rest);
    p += digits->length - 1;
  }
  *p++ = 'e';
  *p++ = exponent < 0 ? '-' : '+';
  exponent = exponent < 0 ? -exponent : exponent;
  *p++ = (char)('0' + exponent / 10);
  *p++ = (char)('0' + exponent % 10);
  return p;
}

/* `nine` is of the magnitude; of whole numbers, which most are that are short, nobody reads it. */
static inline char *put_f32(char *p, float value, const struct nine_digits *nine) {
  if (signbit(value)) {
    *p++ = '-';
    value = -value;
  }
  if (value < 0x1p24f && value == (float)(uint32_t)value) {
    p = qn_put_u64(p, (uint32_t)value);
    *p++ = '.';
    *p++ = '0';
    return p;
  }
  struct digits digits = digits_of(nine);
  if (value < 1e-5f || value >= 1e15f)
    return put_scientific(p, &digits);
  return digits.whole < digits.length ? put_plain(p, &digits) : put_large(p, &digits);
}

char *qn_put_f32(char *p, float value) {
  struct qn_decimal decimal = qn_shortest_decimal(fabsf(value));
  struct nine_digits nine = nine_digits_of(decimal.digits, decimal.exponent);
  return put_f32(p, value, &nine);
}

/* ---- Wide numbers ----------------------------------------------------------- */

char *qn_put_i64(char *p, int64_t value) {
  uint64_t magnitude = (uint64_t)value;
  if (value < 0) {
    *p++ = '-';
    magnitude = 0 - magnitude;
  }
  return qn_put_u64(p, magnitude);
}

/* Decimals of up to 15 digits are told apart by doubles, so the first that reads back is the
 * shortest; fractions of so many digits are powers of ten and quotients that are exact. */
enum { MOST_DIGITS = 15 };

/* "ddd.ddd" with up to six digits behind the point, as most are that are typed; NULL if it takes
 * more. */
static char *put_short_fraction(char *p, double value) {
  static const double powers[] = {1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
  if (value >= 1e9 || value < 1e-5)
    return NULL;
  for (unsigned f = 0; f < sizeof powers / sizeof *powers; f++) {
    double digits = nearbyint(value * powers[f]);
    if (digits / powers[f] != value)
      continue;
    uint64_t all = (uint64_t)digits, power = (uint64_t)powers[f];
    char *point = qn_put_u64(p, all / power);
    char *end = qn_put_u64(point, all % power + power); /* a leading 1 keeps the zeros */
    *point = '.';
    return end;
  }
  return NULL;
}

/* As the C library has it, with as few digits as read back. */
static char *put_printed(char *p, double value) {
  char text[QN_MAX_NUMBER_TEXT];
  int length = 0;
  for (int digits = value < DBL_MIN ? 1 : MOST_DIGITS; digits <= 17; digits++) {
    length = snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      break;
  }
  memcpy(p, text, (size_t)length);
  p += length;
  if (!memchr(text, '.', (size_t)length) && !memchr(text, 'e', (size_t)length)) {
    *p++ = '.';
    *p++ = '0';
  }
  return p;
}

char *qn_put_f64(char *p, double value) {
  if (signbit(value)) {
    *p++ = '-';
    value = -value;
  }
  if (value < 0x1p53 && value == (double)(uint64_t)value) {
    p = qn_put_u64(p, (uint64_t)value);
    *p++ = '.';
    *p++ = '0';
    return p;
  }
  char *end = put_short_fraction(p, value);
  return end ? end : put_printed(p, value);
}

/* ---- Reals, many at once ------------------------------------------------------ */

QN_VECTOR_CLONES
static void convert_block(struct qn_real_texts *texts) {
  uint32_t digits[QN_DECIMALS];
  int32_t exponents[QN_DECIMALS];
  qn_shortest_decimals(texts->values, digits, exponents);
  for (unsigned i = 0; i < QN_DECIMALS; i++) {
    struct nine_digits nine = nine_digits_of(digits[i], exponents[i]);
    texts->first[i] = nine.first;
    texts->low[i] = nine.low;
    texts->high[i] = nine.high;
    texts->whole[i] = nine.whole;
  }
}

void qn_real_texts_move(struct qn_real_texts *texts, uint64_t edge) {
  uint64_t left = texts->end - edge, count = left < QN_DECIMALS ? left : QN_DECIMALS;
  texts->begin = edge;
  memcpy(texts->values, texts->reals + edge, count * sizeof *texts->values);
  memset(texts->values + count, 0, (QN_DECIMALS - count) * sizeof *texts->values);
  convert_block(texts);
}

char *qn_real_texts_put(const struct qn_real_texts *texts, char *p, uint64_t i) {
  struct nine_digits nine = {texts->first[i], texts->low[i], texts->high[i], texts->whole[i]};
  return put_f32(p, texts->values[i], &nine);
}
