#include "converters/text_format.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The eight decimal digits of `value` < 10^8, one a byte, the first in the lowest: divisions by
 * 10000, 100 and 10 as multiplications, in 2, then 4, then 8 lanes of one register. */
static uint64_t eight_digits(uint32_t value) {
  uint64_t halves = value / 10000 | (uint64_t)(value % 10000) << 32;
  uint64_t top = ((halves * 10486) >> 20) & UINT64_C(0x0000007F0000007F);
  uint64_t pairs = top + ((halves - 100 * top) << 16);
  uint64_t tens = ((pairs * 103) >> 10) & UINT64_C(0x000F000F000F000F);
  return tens + ((pairs - 10 * tens) << 8);
}

static void store_bytes(char *p, uint64_t bytes) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  bytes = __builtin_bswap64(bytes);
#endif
  memcpy(p, &bytes, sizeof bytes);
}

static char *put_eight(char *p, uint32_t value) {
  store_bytes(p, eight_digits(value) + UINT64_C(0x3030303030303030));
  return p + 8;
}

static char *put_up_to_eight(char *p, uint32_t value) {
  uint64_t digits = eight_digits(value);
  unsigned zeros = value ? (unsigned)__builtin_ctzll(digits) / 8 : 7;
  store_bytes(p, (digits + UINT64_C(0x3030303030303030)) >> (8 * zeros));
  return p + (8 - zeros);
}

char *qn_put_u64(char *p, uint64_t value) {
  const uint64_t split = 100000000;
  if (__builtin_expect(value < split, 1))
    return put_up_to_eight(p, (uint32_t)value);
  uint64_t high = value / split;
  if (high < split)
    return put_eight(put_up_to_eight(p, (uint32_t)high), (uint32_t)(value % split));
  p = put_up_to_eight(p, (uint32_t)(high / split));
  return put_eight(put_eight(p, (uint32_t)(high % split)), (uint32_t)(value % split));
}

/* ---- Reals ---------------------------------------------------------------- */

/* Powers of ten up to 10^22 are exact in a double. */
#define MAX_POWER 22
static const double POWERS[MAX_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A decimal: digits x 10^-scale. */
struct decimal {
  uint64_t digits;
  int scale;
};

/* The decimal of `num_digits` digits nearest to `value`, of about 10^exponent; true
 * if it reads back as `value`.
 *
 * digits and the power are exact doubles, so the quotient is the decimal rounded once. It reads
 * back as the float that it rounds to, unless rounding brought it to the middle between two floats,
 * where the decimal itself may lie on either side: such a one is not taken. Products (below 10^15)
 * are exact. */
static bool round_trips(float value, int num_digits, int exponent, struct decimal *decimal) {
  int scale = num_digits - 1 - exponent;
  if (scale > MAX_POWER || scale < -MAX_POWER)
    return false;
  double power = POWERS[scale < 0 ? -scale : scale];
  double digits = rint(scale < 0 ? (double)value / power : (double)value * power);
  double back = scale < 0 ? digits * power : digits / power;
  uint64_t bits;
  memcpy(&bits, &back, sizeof bits);
  bool middle = scale > 0 && (bits & 0x1FFFFFFF) == 0x10000000;
  *decimal = (struct decimal){(uint64_t)digits, scale};
  return !middle && (float)back == value;
}

/* The fewest digits: nine always suffice, and when n do, so do n + 1. */
static bool shortest(float value, struct decimal *decimal) {
  int binary;
  frexpf(value, &binary);
  int exponent = (int)floor((binary - 1) * 0.30102999566398120);
  if (exponent >= 0 && exponent < MAX_POWER && (double)value >= POWERS[exponent + 1])
    exponent++;
  else if (exponent < 0 && exponent >= -MAX_POWER && (double)value * POWERS[-exponent] >= 10)
    exponent++;
  struct decimal found;
  int least = 1, most = 9;
  bool any = false;
  for (int n = 6; least <= most; n = (least + most) / 2) {
    if (round_trips(value, n, exponent, &found)) {
      *decimal = found;
      any = true;
      most = n - 1;
    } else {
      least = n + 1;
    }
  }
  return any;
}

static char *put_decimal(char *p, const struct decimal *decimal) {
  char text[24];
  int length = (int)(qn_put_u64(text, decimal->digits) - text);
  int whole = length - decimal->scale; /* digits before the point */
  if (decimal->scale <= 0) {
    memcpy(p, text, (size_t)length);
    memset(p + length, '0', (size_t)-decimal->scale);
    p += whole;
    *p++ = '.';
    *p++ = '0';
  } else if (whole > 0) {
    memcpy(p, text, (size_t)whole);
    p += whole;
    *p++ = '.';
    memcpy(p, text + whole, (size_t)decimal->scale);
    p += decimal->scale;
  } else {
    *p++ = '0';
    *p++ = '.';
    memset(p, '0', (size_t)-whole);
    p += -whole;
    memcpy(p, text, (size_t)length);
    p += length;
  }
  return p;
}

/* Very large and very small numbers. */
static char *put_scientific(char *p, float value) {
  char text[QN_MAX_NUMBER_TEXT];
  int length = 0;
  for (int digits = 1; digits <= 9; digits++) {
    float back;
    length = snprintf(text, sizeof text, "%.*e", digits - 1, (double)value);
    if (sscanf(text, "%f", &back) == 1 && back == value)
      break;
  }
  memcpy(p, text, (size_t)length);
  return p + length;
}

char *qn_put_f32(char *p, float value) {
  struct decimal decimal = {0, 0};
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
  if (value >= 1e-5f && value < 1e15f && shortest(value, &decimal))
    return put_decimal(p, &decimal);
  return put_scientific(p, value);
}
