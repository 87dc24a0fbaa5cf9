/* Numbers as text read back as themselves, in as few digits as can be. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/text/text_format.h"
#include "formats/text/text_output.h"
#include "helpers/test.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/threads.h"

static void expect_u64(uint64_t value) {
  char text[QN_MAX_NUMBER_TEXT + 1], expected[32];
  *qn_put_u64(text, value) = '\0';
  snprintf(expected, sizeof expected, "%" PRIu64, value);
  assert_string_equal(text, expected);
}

TEST(test_whole_numbers) {
  uint64_t power = 1;
  for (int i = 0; i < 20; i++, power *= 10) {
    expect_u64(power - 1);
    expect_u64(power);
    expect_u64(power + 1);
    expect_u64(5 * power + power / 3);
  }
  for (int shift = 0; shift < 64; shift++)
    expect_u64(UINT64_MAX >> shift);
  for (uint64_t i = 0; i < 100000; i++)
    expect_u64(qn_random_at(1, i) >> (i % 64));
  for (uint64_t i = 0; i < 100000; i++)
    expect_u64(i);
}

/* Significant digits of a text. */
static int count_digits(const char *text) {
  int digits = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text == '0' && digits)
      zeros++;
    else if (*text >= '0' && *text <= '9' && (*text != '0' || digits)) {
      digits += zeros + 1;
      zeros = 0;
    }
  }
  return digits;
}

static void expect_f32(float value) {
  char text[QN_MAX_NUMBER_TEXT + 1];
  char *end = qn_put_f32(text, value);
  *end = '\0';
  assert_true(end - text <= QN_MAX_NUMBER_TEXT);
  float back = strtof(text, NULL);
  if (memcmp(&back, &value, sizeof value) != 0)
    fail_msg("%.9g became %s", (double)value, text);
  if (!strpbrk(text, ".e"))
    fail_msg("%s does not look real", text);
  /* Whole numbers below 2^24 are written out. */
  if (fabsf(value) < 0x1p24f && value == rintf(value))
    return;
  int fewest = 1;
  for (char probe[32]; fewest < 9; fewest++) {
    snprintf(probe, sizeof probe, "%.*e", fewest - 1, (double)value);
    if (strtof(probe, NULL) == value)
      break;
  }
  int digits = count_digits(text);
  if (digits > fewest)
    fail_msg("%s has %d digits, %d suffice", text, digits, fewest);
}

TEST(test_reals) {
  static const float some[] = {
      0.0f,         -0.0f,           1.0f,        0.1f,        -0.25f,     FLT_MAX,     FLT_MIN,
      1e-45f,       1.17549421e-38f, 16777216.0f, 16777215.0f, 1e15f,      1e16f,       999999.9f,
      9.999999e-5f, 1e-5f,           9.9e-6f,     0.3f,        3.1415927f, 33554436.0f, 8388608.5f,
      1e10f,        -1e22f,          3e-41f};
  for (unsigned i = 0; i < sizeof some / sizeof some[0]; i++)
    expect_f32(some[i]);
  for (uint64_t i = 0; i < 500000; i++) {
    uint32_t bits = (uint32_t)qn_random_at(2, i);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value))
      expect_f32(value);
    expect_f32((float)(bits >> 8) * 0x1p-24f);
    expect_f32((float)(bits % 100000) / 100);
    expect_f32((float)bits * 1e-3f);
  }
  for (int exponent = -149; exponent < 128; exponent++) {
    expect_f32(ldexpf(1, exponent));
    expect_f32(nextafterf(ldexpf(1, exponent), 0));
    expect_f32(nextafterf(ldexpf(1, exponent), FLT_MAX));
  }
}

TEST(test_short_texts) {
  static const struct {
    float value;
    const char *text;
  } cases[] = {{0.1f, "0.1"},
               {1e-45f, "1e-45"},
               {3.4028235e38f, "3.4028235e+38"},
               {1.17549435e-38f, "1.1754944e-38"},
               {33554432.0f, "33554432.0"},
               {9.9999998e14f, "1e+15"},
               {9.9999e14f, "999990000000000.0"},
               {10000000000.0f, "10000000000.0"},
               {1234567890.0f, "1234568000.0"},
               {9.5e-6f, "9.5e-06"},
               {1e-5f, "0.00001"},
               {2.0f, "2.0"},
               {-7.5f, "-7.5"},
               {0.005952f, "0.005952"},
               {1e-3f, "0.001"},
               {1e20f, "1e+20"},
               {123456.7f, "123456.7"},
               {20000000.0f, "20000000.0"},
               {-0.0f, "-0.0"}};
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[QN_MAX_NUMBER_TEXT + 1];
    *qn_put_f32(text, cases[i].value) = '\0';
    assert_string_equal(text, cases[i].text);
  }
}

/* Prepared together, reals look as one at a time; edges that are not listed are passed over. */
TEST(reals_in_blocks) {
  enum { COUNT = 100003 };
  static float values[COUNT];
  struct qn_weights weights = {.type = QN_WEIGHT_F32, .f32 = values};
  struct qn_weight_texts texts;
  uint64_t random = 1;
  for (unsigned i = 0; i < COUNT; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    uint32_t bits = (uint32_t)(random >> 32);
    memcpy(&values[i], &bits, sizeof bits);
    if (!isfinite(values[i]) || i % 7 == 0)
      values[i] = (float)(bits % 100000) / (i % 2 ? 8 : 100);
  }
  qn_weight_texts_begin(&texts, &weights, COUNT);
  for (uint64_t i = 0; i < COUNT; i += i % 1000 < 300 ? 1 : 1 + i % 150) {
    char one[QN_MAX_NUMBER_TEXT], many[QN_MAX_NUMBER_TEXT];
    char *one_end = qn_put_f32(one, values[i]), *many_end = qn_put_weight(many, &texts, i);
    if (one_end - one != many_end - many || memcmp(one, many, (size_t)(one_end - one)) != 0)
      fail_msg("%.9g became %.*s", (double)values[i], (int)(many_end - many), many);
  }
}

/* ---- Output in parts ------------------------------------------------------ */

static void format_numbers(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  uint64_t lines = *(const uint64_t *)context;
  for (uint64_t i = 0; i < part * lines % 997; i++) {
    char *p = qn_text_buffer_reserve(buffer, QN_MAX_NUMBER_TEXT + 1);
    if (!p)
      return;
    p = qn_put_u64(p, part * 1000 + i);
    *p++ = '\n';
    qn_text_buffer_advance(buffer, p);
  }
}

static uint64_t write_numbers(const char *path, unsigned threads, enum qn_status expected) {
  struct qn_text_output *output;
  struct qn_error error;
  uint64_t lines = 317;
  qn_threads_set(threads);
  assert_int_equal(qn_text_output_create(path, true, &output, &error), QN_OK);
  assert_int_equal(qn_text_output_write(output, "head\n", 5, &error), QN_OK);
  enum qn_status status = qn_text_output_parts(output, 500, format_numbers, &lines, &error);
  assert_int_equal(status, expected);
  uint64_t bytes = qn_text_output_bytes(output);
  if (status)
    qn_text_output_abort(output);
  else
    assert_int_equal(qn_text_output_commit(output, &error), QN_OK);
  assert_int_equal(qn_memory_live(), 0);
  return bytes;
}

TEST(test_parts_come_in_order) {
  uint64_t bytes = write_numbers("numbers-1", 1, QN_OK);
  assert_int_equal(write_numbers("numbers-8", 8, QN_OK), bytes);
  FILE *one = fopen("numbers-1", "r"), *eight = fopen("numbers-8", "r");
  char line[64], same[64], expected[64];
  assert_non_null(fgets(line, sizeof line, one));
  assert_string_equal(line, "head\n");
  assert_non_null(fgets(same, sizeof same, eight));
  for (uint64_t part = 0; part < 500; part++)
    for (uint64_t i = 0; i < part * 317 % 997; i++) {
      snprintf(expected, sizeof expected, "%" PRIu64 "\n", part * 1000 + i);
      assert_non_null(fgets(line, sizeof line, one));
      assert_non_null(fgets(same, sizeof same, eight));
      assert_string_equal(line, expected);
      assert_string_equal(same, expected);
    }
  assert_null(fgets(line, sizeof line, one));
  fclose(one);
  fclose(eight);
}

TEST(test_no_memory_leaves_no_file) {
  struct qn_text_output *output;
  struct qn_error error;
  uint64_t lines = 317;
  assert_int_equal(qn_text_output_create("none", false, &output, &error), QN_OK);
  qn_memory_fail_nth(1);
  assert_int_equal(qn_text_output_parts(output, 500, format_numbers, &lines, &error), QN_SYSTEM);
  qn_memory_fail_nth(0);
  qn_text_output_abort(output);
  assert_int_not_equal(access("none", F_OK), 0);
  assert_int_equal(qn_memory_live(), 0);
}

TEST_MAIN(NULL, NULL)
