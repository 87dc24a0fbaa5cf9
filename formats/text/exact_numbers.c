#include "formats/text/exact_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/text/shortest_float.h"

/* Digits of a float and these powers, up to 10^22, are exact in a double, so that their product or
 * quotient is the nearest one. */
const double qn_tens[2 * QN_TENS + 1] = {
    1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11,
    1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1,  1e0,   1e1,
    1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,
    1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,  1e22};

static double scale(uint32_t digits, int32_t exponent) {
  char text[32];
  if (exponent >= 0 && exponent <= QN_TENS)
    return digits * qn_tens[QN_TENS + exponent];
  if (exponent < 0 && exponent >= -QN_TENS)
    return digits / qn_tens[QN_TENS - exponent];
  snprintf(text, sizeof text, "%ue%d", digits, exponent);
  return strtod(text, NULL);
}

double qn_decimal_of_f32(float value) {
  struct qn_quick_decimal quick = qn_quick_decimal_of_f32(value);
  if (!quick.unsure)
    return quick.value;
  struct qn_decimal decimal = qn_shortest_decimal(fabsf(value));
  return copysign(scale(decimal.digits, decimal.exponent), value);
}

bool qn_f32_holds(double value) {
  float narrow = (float)value;
  return isfinite(narrow) && ((double)narrow == value || qn_decimal_of_f32(narrow) == value);
}

double qn_nearest_real(uint64_t digits, unsigned fraction) {
  uint64_t power = 1;
  for (unsigned i = 0; i < fraction; i++)
    power *= 10;
  if (digits == 0)
    return 0;
  /* A quotient of 63 or 64 bits, the last of which stands for all that follow: a double has 53. */
  int up = __builtin_clzll(digits), down = __builtin_clzll(power);
  unsigned __int128 dividend = (unsigned __int128)(digits << up) << 63;
  uint64_t divisor = power << down, quotient = (uint64_t)(dividend / divisor);
  quotient |= (dividend - (unsigned __int128)quotient * divisor) != 0;
  return ldexp((double)quotient, down - up - 63);
}
