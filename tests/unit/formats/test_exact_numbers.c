/* Which decimal a float stands for, and the real that is nearest to a decimal, against the C
 * library and the algorithm for shortest decimals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/text/exact_numbers.h"
#include "formats/text/shortest_float.h"
#include "formats/text/text_numbers.h"
#include "helpers/random_numbers.h"
#include "helpers/test.h"

enum { ROUNDS = 200000 };

static double shortest(float value) {
  char text[64];
  struct qn_decimal decimal = qn_shortest_decimal(fabsf(value));
  snprintf(text, sizeof text, "%s%ue%d", signbit(value) ? "-" : "", decimal.digits,
           decimal.exponent);
  return strtod(text, NULL);
}

static void check_float(uint32_t bits, uint64_t *unsure) {
  float value;
  memcpy(&value, &bits, sizeof value);
  if (!isfinite(value) || value == 0)
    return;
  struct qn_quick_decimal quick = qn_quick_decimal_of_f32(value);
  double expected = shortest(value), found = qn_decimal_of_f32(value);
  *unsure += quick.unsure != 0;
  if ((!quick.unsure && quick.value != expected) || found != expected)
    fail_msg("%a: %.17g, %.17g; expected %.17g", (double)value, quick.value, found, expected);
}

TEST(test_decimals_of_floats) {
  uint64_t unsure = 0, unsure_of_usual = 0;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    check_float((uint32_t)random_number(), &unsure);
    check_float((uint32_t)(random_number() & 0xff80003f), &unsure); /* near powers of two */
    check_float(0x38000000 + (uint32_t)random_below(0x0a000000), &unsure_of_usual); /* 3e-5 to 32 */
  }
  assert_true(unsure_of_usual < ROUNDS / 1000); /* or it is not quick */
}

TEST(test_zero) {
  assert_true(qn_decimal_of_f32(0.0f) == 0 && !signbit(qn_decimal_of_f32(0.0f)));
  assert_true(qn_decimal_of_f32(-0.0f) == 0 && signbit(qn_decimal_of_f32(-0.0f)));
}

TEST(test_nearest_reals) {
  char text[64];
  for (uint32_t i = 0; i < ROUNDS; i++) {
    uint64_t digits = random_number() >> random_below(64);
    unsigned fraction = (unsigned)random_below(QN_MOST_FRACTION_DIGITS + 1);
    if (i % 4 == 0) /* the middle of two doubles, or one beside it */
      digits = ((digits | (uint64_t)1 << 63) & ~(uint64_t)0x7ff) + 0x400 + random_below(3) - 1,
      fraction = 0;
    snprintf(text, sizeof text, "%llue-%u", (unsigned long long)digits, fraction);
    if (qn_nearest_real(digits, fraction) != strtod(text, NULL))
      fail_msg("%s becomes %.17g", text, qn_nearest_real(digits, fraction));
  }
  assert_true(qn_nearest_real(0, 5) == 0);
}

/* Weights as they are written: what is parsed is the float that prints so, or else the double. */
static void check_weight(const char *text) {
  enum qn_weight_type type;
  uint64_t bits;
  double expected = strtod(text, NULL), found;
  float narrow = strtof(text, NULL);
  enum qn_weight_kind kind = qn_parse_weight(text, text + strlen(text), &type, &bits);
  assert_int_equal(kind, QN_WEIGHT_FINE);
  bool holds = isfinite(narrow) && (narrow == 0 ? expected == 0 : shortest(narrow) == expected);
  assert_int_equal(type, holds ? QN_WEIGHT_F32 : QN_WEIGHT_F64);
  memcpy(&found, &bits, sizeof found);
  if (holds)
    memcpy(&narrow, &bits, sizeof narrow), found = narrow, expected = strtof(text, NULL);
  if (found != expected || signbit(found) != signbit(expected))
    fail_msg("%s becomes %.17g", text, found);
}

TEST(test_weights) {
  static const char *const formats[] = {"%.17g", "%.16e", "%.3f",  "%.9f",   "%.17f",
                                        "%.7g",  "%.9g",  "%.15g", "%.1f00", "%.6e"};
  static const char *const odd[] = {"-0",    "0.0",
                                    "-0.0",  "0.00000000000000000000",
                                    "1e0",   "5.",
                                    ".5",    "1e-5",
                                    "1E+5",  "1.5e-45",
                                    "1e308", "1e-7",
                                    "-.0",   "00000000000000000000.5",
                                    "0.5e1"};
  char text[512];
  for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
    check_weight(odd[i]);
  for (uint32_t i = 0; i < ROUNDS; i++) {
    double value = (double)random_number() / 0x1p64;
    if (i % 3 == 1)
      value = (float)value * 100;
    if (i % 3 == 2)
      value = -value * exp2((double)random_below(60) - 30);
    snprintf(text, sizeof text, formats[random_below(sizeof formats / sizeof *formats)], value);
    if (strpbrk(text, ".e")) /* else it is a whole number */
      check_weight(text);
  }
}

TEST_MAIN(NULL, NULL)
