/* The shortest decimal that reads back as a given float; of several, the nearest. By R. Giulietti,
 * "The Schubfach way to render doubles" (2020), section 8, for f32. */
#pragma once

#include <stdint.h>

/* digits x 10^exponent; digits < 10^9 may end with zeros. */
struct qn_decimal {
  uint32_t digits;
  int32_t exponent;
};

/* `value` is finite and greater than 0. */
struct qn_decimal qn_shortest_decimal(float value);

/* The same of the magnitudes of many values at once; of 0, infinity and NaN come digits without a
 * meaning. */
enum { QN_DECIMALS = 64 };
void qn_shortest_decimals(const float values[QN_DECIMALS], uint32_t digits[QN_DECIMALS],
                          int32_t exponents[QN_DECIMALS]);
