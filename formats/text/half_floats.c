#include "formats/text/half_floats.h"

#include <math.h>
#include <string.h>

/* Bits of the fraction, and the exponent of the least normal number. */
struct form {
  int fraction, least;
};

static const struct form f16 = {10, -14}, bf16 = {7, -126};

static float from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

float qn_bf16_value(uint16_t bits) {
  return from_bits((uint32_t)bits << 16);
}

float qn_f16_value(uint16_t bits) {
  const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, rest = bits & 0x7fff;
  if (rest >= 0x7c00) /* infinite, or no number */
    return from_bits(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  if (rest >= 0x400)
    return from_bits(sign | ((rest << 13) + ((127 - 15) << 23)));
  const float magnitude = ldexpf((float)rest, f16.least - f16.fraction);
  return sign ? -magnitude : magnitude;
}

/* Numbers of the form are whole multiples of its unit in the last place; the bits of the one after
 * the largest are those of infinity. */
static uint16_t nearest(const struct form *form, double value) {
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  const int width = 15 - form->fraction;
  const uint16_t infinite = (uint16_t)(((1U << width) - 1) << form->fraction);
  int exponent;
  if (isnan(value))
    return sign | infinite | (uint16_t)(1U << (form->fraction - 1));
  value = fabs(value);
  if (isinf(value))
    return sign | infinite;
  frexp(value, &exponent);
  exponent = value == 0 || exponent - 1 < form->least ? form->least : exponent - 1;
  if (exponent > 1 - form->least)
    return sign | infinite;
  const double units = nearbyint(ldexp(value, form->fraction - exponent));
  const uint32_t bits = ((uint32_t)(exponent - form->least) << form->fraction) + (uint32_t)units;
  return sign | (uint16_t)(bits < infinite ? bits : infinite);
}

uint16_t qn_f16_nearest(double value) {
  return nearest(&f16, value);
}

uint16_t qn_bf16_nearest(double value) {
  return nearest(&bf16, value);
}
