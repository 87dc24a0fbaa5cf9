/* Numbers in text, fast: eight digits at a time in one register. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "formats/text/exact_numbers.h"
#include <quern/container.h>

/* Eight bytes, the first in the lowest bits. */
static inline uint64_t qn_load_bytes(const char *p) {
  uint64_t bytes;
  memcpy(&bytes, p, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  bytes = __builtin_bswap64(bytes);
#endif
  return bytes;
}

/* How many of eight bytes, xored with '0's, are digits before the first that is none. Adding 0x76
 * carries into a byte's top bit from 10 on; carries beyond it spoil later bytes only. */
static inline unsigned qn_leading_digits(uint64_t digits) {
  uint64_t others =
      ((digits + UINT64_C(0x7676767676767676)) | digits) & UINT64_C(0x8080808080808080);
  return others ? (unsigned)__builtin_ctzll(others) >> 3 : 8;
}

/* The value of eight digits, the first (most significant) in the lowest byte. */
static inline uint64_t qn_eight_digits(uint64_t digits) {
  const uint64_t mask = UINT64_C(0x000000FF000000FF);
  digits = digits * 10 + (digits >> 8);
  return (((digits & mask) * UINT64_C(0x000F424000000064)) +
          (((digits >> 16) & mask) * UINT64_C(0x0000271000000001))) >>
         32;
}

/* Parse up to 16 digits at *p, and move *p after them. Reads 16 bytes, and 8 more where those
 * are all digits. False if there is no digit or more than 16, *p undefined. */
static inline bool qn_parse_short_number(const char **p, uint64_t *value) {
  static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  uint64_t digits = qn_load_bytes(*p) ^ UINT64_C(0x3030303030303030);
  unsigned count = qn_leading_digits(digits);
  if (__builtin_expect(count == 8, 0)) {
    uint64_t high = qn_eight_digits(digits);
    digits = qn_load_bytes(*p + 8) ^ UINT64_C(0x3030303030303030);
    count = qn_leading_digits(digits);
    uint64_t low = count ? qn_eight_digits(digits << (64 - 8 * count)) : 0;
    *value = high * powers[count] + low;
    *p += 8 + count;
    return count < 8 || (unsigned char)(**p - '0') > 9;
  }
  if (__builtin_expect(count == 0, 0))
    return false;
  *value = qn_eight_digits(digits << (64 - 8 * count));
  *p += count;
  return true;
}

/* Parse [begin, end) as a whole number up to UINT64_MAX. */
enum qn_number_kind {
  QN_NUMBER_FINE,
  QN_NUMBER_NONE,      /* not a whole number without sign */
  QN_NUMBER_TOO_LARGE, /* more than UINT64_MAX */
};
enum qn_number_kind qn_parse_whole(const char *begin, const char *end, uint64_t *value);

/* Powers of ten that are exact in a double, as are whole numbers below 2^53: so the quotient of two
 * is the double nearest to the decimal. */
#define QN_MOST_FRACTION 15

/* The real number digits / 10^fraction as a weight, if it can be had at once: an f32 if that prints
 * as this number, else the nearest f64. */
static inline bool qn_round_decimal(uint64_t digits, unsigned fraction, enum qn_weight_type *type,
                                    uint64_t *bits) {
  static const double powers[QN_MOST_FRACTION + 1] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (digits >> 53 || fraction > QN_MOST_FRACTION)
    return false;
  double exact = (double)digits / powers[fraction], step;
  float narrow = (float)exact;
  uint32_t narrow_bits;
  memcpy(bits, &exact, sizeof *bits);
  memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
  uint64_t dropped = *bits & 0x1fffffff; /* what a float has no room for */
  bool nearest = dropped - 0x0fffffff > 2;
  /* If the last decimal place is wider than the step to the next float, no other number of so few
   * digits has this one. */
  double wide = (double)narrow;
  uint64_t step_bits;
  memcpy(&step_bits, &wide, sizeof step_bits);
  step_bits &= UINT64_C(0x7ff0000000000000);
  memcpy(&step, &step_bits, sizeof step);
  if (!(step * 0x1p-23 * powers[fraction] < 1 && nearest) && qn_decimal_of_f32(narrow) != exact) {
    *type = QN_WEIGHT_F64;
    return true;
  }
  *type = QN_WEIGHT_F32;
  *bits = narrow_bits;
  return true;
}

/* Parse [begin, end) as a weight: u32 or i64 if it is spelled as a whole number that fits; else an
 * f32 if that prints as this number, or the nearest f64. Decimal with optional sign, fraction and
 * exponent. */
enum qn_weight_kind {
  QN_WEIGHT_FINE,
  QN_WEIGHT_ROUNDED, /* fine, but it is 2^53 or more, without an exponent, and the f64 is another */
  QN_WEIGHT_NO_NUMBER,
  QN_WEIGHT_NOT_FINITE, /* nan or inf in any spelling */
  QN_WEIGHT_TOO_LARGE,  /* for f64 */
  QN_WEIGHT_TOO_SMALL,  /* it would be 0 there */
};
enum qn_weight_kind qn_parse_weight(const char *begin, const char *end, enum qn_weight_type *type,
                                    uint64_t *bits);

/* Real weights of so few digits before the point can be parsed at once. */
#define QN_SHORT_REAL_WHOLE 7

/* Parse the digits at *p, and a point and digits if they follow, as qn_parse_weight would, and move
 * *p after them. Reads 24 bytes. False, *p undefined, if it is anything else, or long. What follows
 * is the caller's to check. */
static inline bool qn_parse_short_weight(const char **p, enum qn_weight_type *type,
                                         uint64_t *bits) {
  static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  const uint64_t zeros = UINT64_C(0x3030303030303030);
  const char *begin = *p;
  uint64_t whole = qn_load_bytes(begin) ^ zeros;
  unsigned count = qn_leading_digits(whole);
  if (begin[count] != '.') {
    if (!qn_parse_short_number(p, bits) || **p == '.')
      return false;
    *type = *bits > UINT32_MAX ? QN_WEIGHT_I64 : QN_WEIGHT_U32;
    return true;
  }
  if (count - 1 >= QN_SHORT_REAL_WHOLE)
    return false;
  uint64_t fraction = qn_load_bytes(begin + count + 1) ^ zeros;
  unsigned fraction_count = qn_leading_digits(fraction);
  *p = begin + count + 1 + fraction_count;
  if (fraction_count == 0 || (unsigned char)(**p - '0') <= 9)
    return false;
  uint64_t digits = qn_eight_digits(whole << (64 - 8 * count)) * powers[fraction_count] +
                    qn_eight_digits(fraction << (64 - 8 * fraction_count));
  return qn_round_decimal(digits, fraction_count, type, bits);
}
