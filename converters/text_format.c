#include "converters/text_format.h"

#include <math.h>
#include <string.h>

#include "converters/shortest_float.h"

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

/* 10^(9 - n), and the least number of n digits; by the number of bits, the first n that may be. */
static const uint32_t missing[] = {1000000000, 100000000, 10000000, 1000000, 100000,
                                   10000,      1000,      100,      10,      1};
static const uint32_t least[] = {0,      1,       10,       100,       1000,      10000,
                                 100000, 1000000, 10000000, 100000000, 1000000000};

/* The digits of a decimal in registers: what is stored is never loaded again, which would wait. */
struct digits {
  char first;
  uint64_t
      rest;   /* as text, the first of them in the lowest byte; zeros behind the last that counts */
  int length; /* without zeros at the end */
  int whole;  /* digits before the point: may be negative, or more than there are */
};

/* No branches: how many digits there are is as good as random. */
static struct digits digits_of(const struct qn_decimal *decimal) {
  uint32_t value = decimal->digits;
  unsigned count = (32u - (unsigned)__builtin_clz(value)) * 1233 >> 12;
  count += value >= least[count + 1];
  uint32_t nine = value * missing[count], first = nine / 100000000;
  uint32_t eight = nine - first * 100000000;
  uint64_t rest = eight_digits(eight);
  unsigned zeros = (unsigned)__builtin_clzll(rest | 1) / 8 + (eight == 0); /* at the end */
  return (struct digits){(char)('0' + first), rest + UINT64_C(0x3030303030303030), 9 - (int)zeros,
                         (int)count + decimal->exponent};
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
  store_bytes(begin + 1, digits->rest);
  *point = '.';
  store_bytes(rest, digits->rest >> shift);
  return begin + length + 1 + small;
}

/* "ddd000.0": all digits are before the point, at most 15. */
static char *put_large(char *p, const struct digits *digits) {
  *p = digits->first;
  store_bytes(p + 1, digits->rest);
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
    store_bytes(p, digits->rest);
    p += digits->length - 1;
  }
  *p++ = 'e';
  *p++ = exponent < 0 ? '-' : '+';
  exponent = exponent < 0 ? -exponent : exponent;
  *p++ = (char)('0' + exponent / 10);
  *p++ = (char)('0' + exponent % 10);
  return p;
}

char *qn_put_f32(char *p, float value) {
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
  struct qn_decimal decimal = qn_shortest_decimal(value);
  struct digits digits = digits_of(&decimal);
  if (value < 1e-5f || value >= 1e15f)
    return put_scientific(p, &digits);
  return digits.whole < digits.length ? put_plain(p, &digits) : put_large(p, &digits);
}
