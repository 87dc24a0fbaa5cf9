/* Uniformly random edge weights. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/error.h>

/* Whole numbers from low_whole to high_whole, both possible, or reals in [low, high). */
struct qn_random_weights {
  enum qn_weight_type type; /* QN_WEIGHT_NONE: none */
  uint32_t low_whole;
  uint32_t high_whole;
  float low;
  float high;
  uint64_t seed;
};

/* Parse "LO,HI" or, if `with_seed`, "LO,HI,SEED": whole numbers if LO and HI have neither '.' nor
 * exponent nor sign, else reals. QN_USAGE if it is neither or LO > HI. */
enum qn_status qn_random_weights_parse(const char *text, bool with_seed,
                                       struct qn_random_weights *weights, struct qn_error *error);

/* The bits of the weight that these 64 random bits give. */
uint32_t qn_random_weight(const struct qn_random_weights *weights, uint64_t random);
