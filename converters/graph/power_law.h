/* Vertices drawn by a power law: vertex x of V, counted from the largest, is an end with a
 * probability in proportion to (x + shift)^(-1 / (exponent - 1)), so that the number of vertices of
 * degree d falls as d^-exponent (Chung and Lu, Annals of Combinatorics 6, 2002). */
#pragma once

#include <stdint.h>

#include <quern/error.h>

/* 64 ranks of their own, then ranges of a 64th of their begin, up to 2^31. */
enum { QN_POWER_LAW_RANGES = 1280, QN_POWER_LAW_GUIDES = 4096 };

struct qn_power_law {
  uint32_t num_ranges;
  uint32_t begin[QN_POWER_LAW_RANGES + 1]; /* ranks */
  uint64_t below[QN_POWER_LAW_RANGES + 1]; /* of 2^32 draws, how many fall before a range */
  uint16_t guide[QN_POWER_LAW_GUIDES];     /* range of a draw's first twelve bits, or one before */
};

/* Of `num_vertices` in [1, 2^31], an exponent in (1, 100]. The first vertex gets `share` of the
 * ends; 0: what a shift of 1 gives it (Zipf). QN_USAGE if no shift gives that share: not more than
 * all others have, or more than the exponent allows. */
enum qn_status qn_power_law_check(uint64_t num_vertices, double exponent, double share,
                                  struct qn_error *error);
/* The tables; of what the check takes. Real numbers are rounded far above their errors, so that all
 * machines get the same ones. */
void qn_power_law_fill(uint64_t num_vertices, double exponent, double share,
                       struct qn_power_law *law);

/* The vertex of 64 random bits. */
static inline uint64_t qn_power_law_draw(const struct qn_power_law *law, uint64_t random) {
  const uint32_t draw = (uint32_t)(random >> 32);
  unsigned range = law->guide[draw >> 20];
  while (law->below[range + 1] <= draw)
    range++;
  const uint64_t width = law->begin[range + 1] - law->begin[range];
  return law->begin[range] + ((random & UINT32_MAX) * width >> 32);
}
