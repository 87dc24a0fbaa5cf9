/* PROGRAM_HALVES: what vertices send is kept in two bytes, as IEEE's binary16, and is a real number
 * again along edges (Garaph, section 3.1). The nearest value that two bytes hold is sent: of
 * magnitudes from 2^-14 on one that differs by 2^-11 of itself at most, below by 2^-25, and from
 * 65520 on infinity. complete.h includes this after the program, whose functions engines call by
 * these. */
#pragma once

#ifndef PROGRAM_NAME
#error "include a program (kernels/programs/NAME.h) before half.h"
#endif

#include <string.h>

#define HALF_SCALE 0x1p112f /* exponents are biased by 15, not by 127 */

PROGRAM_FUNCTION float half_value(uint16_t half) {
  uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
  float value;
  memcpy(&value, &bits, sizeof value);
  value = (half & 0x7c00) == 0x7c00 ? INFINITY : value * HALF_SCALE;
  return half & 0x8000 ? -value : value;
}

/* Of two that are as near the even one. NaN, which no finite weight makes, becomes infinity. */
PROGRAM_FUNCTION uint16_t half_of(float value) {
  const float magnitude = fabsf(value);
  const uint16_t sign = value < 0 ? 0x8000 : 0;
  uint32_t bits;
  if (!(magnitude < 65520.f))
    return sign | 0x7c00;
  if (magnitude < 0x1p-14f) /* the sum's last bit is worth 2^-24 */
    return sign | (uint16_t)((magnitude + 0.5f - 0.5f) * 0x1p24f);
  const float scaled = magnitude / HALF_SCALE;
  memcpy(&bits, &scaled, sizeof bits);
  return sign | (uint16_t)((bits + 0xfff + (bits >> 13 & 1)) >> 13);
}

PROGRAM_FUNCTION uint16_t half_send(const struct qn_program_context *context, program_value value,
                                    uint64_t out_degree) {
  return half_of((float)program_send(context, value, out_degree));
}

PROGRAM_FUNCTION program_accumulator half_gather(const struct qn_program_context *context,
                                                 uint16_t half, program_weight weight) {
  return program_gather(context, half_value(half), weight);
}

#define program_message uint16_t
#define program_send half_send
#define program_gather half_gather
