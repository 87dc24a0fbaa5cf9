#include "converters/text/exact_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "converters/text/shortest_float.h"

/* Both are exact in a double up to here, so that their product or quotient is the nearest one. */
#define MAX_EXACT_POWER 22

static double scale(uint32_t digits, int32_t exponent) {
  static const double powers[MAX_EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  char text[32];
  if (exponent >= 0 && exponent <= MAX_EXACT_POWER)
    return digits * powers[exponent];
  if (exponent < 0 && exponent >= -MAX_EXACT_POWER)
    return digits / powers[-exponent];
  snprintf(text, sizeof text, "%ue%d", digits, exponent);
  return strtod(text, NULL);
}

double qn_decimal_of_f32(float value) {
  if (value == 0)
    return value;
  struct qn_decimal decimal = qn_shortest_decimal(fabsf(value));
  return copysign(scale(decimal.digits, decimal.exponent), value);
}

bool qn_f32_holds(double value) {
  float narrow = (float)value;
  return isfinite(narrow) && ((double)narrow == value || qn_decimal_of_f32(narrow) == value);
}
