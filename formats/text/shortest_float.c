#include "formats/text/shortest_float.h"

#include <string.h>

#include "support/multiversion.h"

/* Powers of ten: 10^k = g 2^r with g in [2^63, 2^64) rounded up, r = floor(log2(10^k)) - 63. */
#define LEAST_POWER (-31)
static const uint64_t powers[] = {
    0x81CEB32C4B43FCF5u, 0xA2425FF75E14FC32u, 0xCAD2F7F5359A3B3Fu, 0xFD87B5F28300CA0Eu,
    0x9E74D1B791E07E49u, 0xC612062576589DDBu, 0xF79687AED3EEC552u, 0x9ABE14CD44753B53u,
    0xC16D9A0095928A28u, 0xF1C90080BAF72CB2u, 0x971DA05074DA7BEFu, 0xBCE5086492111AEBu,
    0xEC1E4A7DB69561A6u, 0x9392EE8E921D5D08u, 0xB877AA3236A4B44Au, 0xE69594BEC44DE15Cu,
    0x901D7CF73AB0ACDAu, 0xB424DC35095CD810u, 0xE12E13424BB40E14u, 0x8CBCCC096F5088CCu,
    0xAFEBFF0BCB24AAFFu, 0xDBE6FECEBDEDD5BFu, 0x89705F4136B4A598u, 0xABCC77118461CEFDu,
    0xD6BF94D5E57A42BDu, 0x8637BD05AF6C69B6u, 0xA7C5AC471B478424u, 0xD1B71758E219652Cu,
    0x83126E978D4FDF3Cu, 0xA3D70A3D70A3D70Bu, 0xCCCCCCCCCCCCCCCDu, 0x8000000000000000u,
    0xA000000000000000u, 0xC800000000000000u, 0xFA00000000000000u, 0x9C40000000000000u,
    0xC350000000000000u, 0xF424000000000000u, 0x9896800000000000u, 0xBEBC200000000000u,
    0xEE6B280000000000u, 0x9502F90000000000u, 0xBA43B74000000000u, 0xE8D4A51000000000u,
    0x9184E72A00000000u, 0xB5E620F480000000u, 0xE35FA931A0000000u, 0x8E1BC9BF04000000u,
    0xB1A2BC2EC5000000u, 0xDE0B6B3A76400000u, 0x8AC7230489E80000u, 0xAD78EBC5AC620000u,
    0xD8D726B7177A8000u, 0x878678326EAC9000u, 0xA968163F0A57B400u, 0xD3C21BCECCEDA100u,
    0x84595161401484A0u, 0xA56FA5B99019A5C8u, 0xCECB8F27F4200F3Au, 0x813F3978F8940985u,
    0xA18F07D736B90BE6u, 0xC9F2C9CD04674EDFu, 0xFC6F7C4045812297u, 0x9DC5ADA82B70B59Eu,
    0xC5371912364CE306u, 0xF684DF56C3E01BC7u, 0x9A130B963A6C115Du, 0xC097CE7BC90715B4u,
    0xF0BDC21ABB48DB21u, 0x96769950B50D88F5u, 0xBC143FA4E250EB32u, 0xEB194F8E1AE525FEu,
    0x92EFD1B8D0CF37BFu, 0xB7ABC627050305AEu, 0xE596B7B0C643C71Au, 0x8F7E32CE7BEA5C70u,
    0xB35DBF821AE4F38Cu,
};

/* floor(x / 2^bits), also of negative x. */
static inline int32_t shifted(int32_t x, int bits) {
  return x >> bits;
}

/* The upper 64 bits of g c, the lowest of which is set if any bit is lost: enough to compare with
 * multiples of a half. */
static inline uint32_t scaled(uint64_t g, uint32_t c) {
  uint64_t upper = (g >> 32) * c + ((g & UINT32_MAX) * c >> 32);
  return (uint32_t)(upper >> 32) | ((uint32_t)upper > 1);
}

/* `a` if `first` is 1, `b` if it is 0; where a compiler would branch on ?:. */
static inline uint32_t chosen(uint32_t first, uint32_t a, uint32_t b) {
  return b ^ ((a ^ b) & (0 - first));
}

/* value = c 2^q. What rounds to it lies between the middles to its neighbours, here four times as
 * large and scaled by 10^-k, where k is such that the interval is at least one and less than ten
 * units of 10^k wide: it holds at most one multiple of 10^(k+1), or else a multiple of 10^k.
 * Without branches, tables or 128 bits, so that compilers do many at once. */
struct parts {
  uint32_t c;
  uint32_t nearer_below; /* the neighbour below is half as far */
  int32_t q, k;
};

static inline struct parts parts_of(uint32_t bits) {
  uint32_t fraction = bits & 0x7FFFFF, exponent = bits >> 23 & 0xFF, normal = exponent != 0;
  uint32_t nearer_below = (uint32_t)(fraction == 0) & (exponent > 1);
  int32_t q = (int32_t)(exponent + (1 - normal)) - 150;
  return (struct parts){.c = fraction | normal << 23,
                        .nearer_below = nearer_below,
                        .q = q, /* k: floor(log10(2^q)), or of 3/4 2^q */
                        .k = shifted(q * 1262611 - (int32_t)(nearer_below * 524031), 22)};
}

static inline uint64_t power_of(int32_t k) {
  return powers[-k - LEAST_POWER];
}

/* `g` is the power for parts->k. */
static inline struct qn_decimal join(const struct parts *parts, uint64_t g) {
  uint32_t c = parts->c, open = c & 1; /* ties round to even: then the ends count */
  int32_t h = parts->q + shifted(-parts->k * 1741647, 19) + 1;
  uint32_t middle = scaled(g, 4 * c << h);
  uint32_t lower = scaled(g, (4 * c - 2 + parts->nearer_below) << h) + open;
  uint32_t upper = scaled(g, (4 * c + 2) << h) - open;

  /* Which digit is the last is as good as random. */
  uint32_t s = middle / 4, tens = s / 10;
  uint32_t tens_below = lower <= 40 * tens, tens_above = 40 * tens + 40 <= upper;
  uint32_t below = lower <= 4 * s, above = 4 * s + 4 <= upper;
  uint32_t nearest = (middle % 4 + s % 2 + 1) / 4; /* more than a half, or a half and s is odd */
  uint32_t by_one = s + chosen(below ^ above, above, nearest);
  uint32_t by_ten = (uint32_t)(s >= 10) & (tens_below ^ tens_above);
  return (struct qn_decimal){chosen(by_ten, tens + tens_above, by_one), parts->k + (int32_t)by_ten};
}

struct qn_decimal qn_shortest_decimal(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  struct parts parts = parts_of(bits);
  return join(&parts, power_of(parts.k));
}

QN_VECTOR_CLONES
void qn_shortest_decimals(const float values[QN_DECIMALS], uint32_t digits[QN_DECIMALS],
                          int32_t exponents[QN_DECIMALS]) {
  uint32_t bits[QN_DECIMALS], found[QN_DECIMALS];
  int32_t ks[QN_DECIMALS];
  uint64_t gs[QN_DECIMALS];
  memcpy(bits, values, sizeof bits);
  for (unsigned i = 0; i < QN_DECIMALS; i++)
    ks[i] = parts_of(bits[i]).k;
  for (unsigned i = 0; i < QN_DECIMALS; i++)
    gs[i] = power_of(ks[i]);
  for (unsigned i = 0; i < QN_DECIMALS; i++) {
    struct parts parts = parts_of(bits[i]);
    struct qn_decimal decimal = join(&parts, gs[i]);
    found[i] = decimal.digits;
    ks[i] = decimal.exponent;
  }
  memcpy(digits, found, sizeof found);
  memcpy(exponents, ks, sizeof ks);
}
