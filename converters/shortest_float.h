/* The shortest decimal that reads back as a given float; of several, the nearest. By R. Giulietti,
 * "The Schubfach way to render doubles" (2020), section 8, for f32. */
#ifndef QN_CONVERTERS_SHORTEST_FLOAT_H
#define QN_CONVERTERS_SHORTEST_FLOAT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* digits x 10^exponent; digits < 10^9 may end with zeros. */
struct qn_decimal {
  uint32_t digits;
  int exponent;
};

/* `value` is finite and greater than 0. */
struct qn_decimal qn_shortest_decimal(float value);

#ifdef __cplusplus
}
#endif
#endif
