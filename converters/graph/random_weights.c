#include "converters/graph/random_weights.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "support/random.h"
#include "support/sizes.h"

#define FIELD_BYTES 40

/* Cut `text` at its commas into `num_fields` fields. */
static bool cut_fields(const char *text, char fields[][FIELD_BYTES], unsigned num_fields) {
  for (unsigned i = 0; i < num_fields; i++) {
    size_t length = strcspn(text, ",");
    bool last = i + 1 == num_fields;
    if (length == 0 || length >= FIELD_BYTES || (text[length] == ',') == last)
      return false;
    memcpy(fields[i], text, length);
    fields[i][length] = '\0';
    text += length + 1;
  }
  return true;
}

static bool parse_bounds(const char *low, const char *high, struct qn_random_weights *weights) {
  uint64_t low_whole, high_whole;
  double low_real, high_real;
  if (!qn_number_parse(low, UINT32_MAX, &low_whole, NULL) &&
      !qn_number_parse(high, UINT32_MAX, &high_whole, NULL)) {
    weights->type = QN_WEIGHT_U32;
    weights->low_whole = (uint32_t)low_whole;
    weights->high_whole = (uint32_t)high_whole;
    return low_whole <= high_whole;
  }
  if (qn_real_parse(low, &low_real, NULL) || qn_real_parse(high, &high_real, NULL))
    return false;
  /* The difference must be finite too. */
  if (low_real < -(double)FLT_MAX / 2 || high_real > (double)FLT_MAX / 2)
    return false;
  weights->type = QN_WEIGHT_F32;
  weights->low = (float)low_real;
  weights->high = (float)high_real;
  return low_real <= high_real;
}

enum qn_status qn_random_weights_parse(const char *text, bool with_seed,
                                       struct qn_random_weights *weights, struct qn_error *error) {
  char fields[3][FIELD_BYTES];
  *weights = (struct qn_random_weights){0};
  bool good = cut_fields(text, fields, with_seed ? 3 : 2) &&
              parse_bounds(fields[0], fields[1], weights) &&
              (!with_seed || !qn_number_parse(fields[2], UINT64_MAX, &weights->seed, NULL));
  if (!good)
    return qn_fail(error, QN_USAGE,
                   "'%.64s' is not %s; write for example 1,255%s (integers) or 0.0,1.0%s (reals)",
                   text, with_seed ? "LO,HI,SEED" : "LO,HI", with_seed ? ",7" : "",
                   with_seed ? ",7" : "");
  return QN_OK;
}

uint32_t qn_random_weight(const struct qn_random_weights *weights, uint64_t random) {
  if (weights->type == QN_WEIGHT_U32)
    return (uint32_t)(weights->low_whole + qn_random_below(random, (uint64_t)weights->high_whole -
                                                                       weights->low_whole + 1));
  float unit = (float)(random >> 40) * 0x1p-24f;
  float value = weights->low + (weights->high - weights->low) * unit;
  /* Rounding may reach the upper bound, which is not in the range unless it is the lower one too.
   */
  if (value >= weights->high)
    value = weights->low;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
