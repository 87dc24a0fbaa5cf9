/* Which numbers a narrower type holds, so that nothing is lost. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The double nearest to the shortest decimal that reads back as `value`, which is finite: what a
 * text meant whose number became this f32. Of 0.1f that is 0.1, not 0.100000001490116. */
double qn_decimal_of_f32(float value);

/* 10^-22 to 10^22. */
#define QN_TENS 22
extern const double qn_tens[2 * QN_TENS + 1];

/* The same, quickly and without a branch, so that compilers do many at once; of a few floats it is
 * `unsure`. Let the float be x units of the power of ten, 10^k, of which its distance to the next
 * float is at least one and less than ten. A multiple of ten units that reads back as the float is
 * shorter than the others, and there is at most one; else it is the multiple of one unit that is
 * nearest. x is known to 1e-7: it is unsure where that decides, and where the float is a power of
 * two, whose neighbours are not equally far. */
struct qn_quick_decimal {
  double value;
  uint64_t unsure; /* if not 0 */
};

static inline struct qn_quick_decimal qn_quick_decimal_of_f32(float f32) {
  const double near_tie = 1e-6, value = f32;
  uint64_t bits, width_bits;
  double width;
  memcpy(&bits, &value, sizeof bits);
  int64_t q = (int64_t)(bits >> 52 & 0x7ff) - 1023 - 23; /* a multiple of 2^q */
  int64_t k = (q * 1262611) >> 22;                       /* floor(log10(2^q)) */
  int64_t sign = k >> 63, magnitude = (k ^ sign) - sign;
  bool beyond = magnitude > QN_TENS;
  magnitude = beyond ? QN_TENS : magnitude;
  k = (magnitude ^ sign) - sign;
  width_bits = (uint64_t)(q + 1023) << 52;
  memcpy(&width, &width_bits, sizeof width);
  double scale = qn_tens[QN_TENS - k], x = value * scale, half = 0.5 * width * scale;
  double ten = rint(x * 0.1) * 10, one = rint(x);
  double from_ten = fabs(ten - x), from_one = fabs(one - x);
  double from_tie = fabs(from_ten - half), from_middle = 0.5 - from_one;
  double best = from_ten < half ? ten : one;
  uint64_t special = beyond | ((bits & 0xfffffffffffff) == 0), zero = value == 0;
  uint64_t tie = (from_tie < near_tie) + (uint64_t)(from_middle < near_tie);
  double more = qn_tens[QN_TENS + (magnitude & ~sign)],
         less = qn_tens[QN_TENS + (magnitude & sign)];
  return (struct qn_quick_decimal){best * more / less, (special + tie) * (1 - zero)};
}

/* Does an f32 hold the finite `value`: is it a multiple of a power of two that fits, or the decimal
 * that the f32 prints as? Either way the number that was written comes back. */
bool qn_f32_holds(double value);

/* The double nearest to digits / 10^fraction. */
#define QN_MOST_FRACTION_DIGITS 19
double qn_nearest_real(uint64_t digits, unsigned fraction);

/* Is `real` the number `whole`? */
static inline bool qn_real_is_whole(double real, int64_t whole) {
  return real >= -0x1p63 && real < 0x1p63 && (int64_t)real == whole;
}
