#include "converters/graph/power_law.h"

#include <math.h>
#include <stdbool.h>

/* A curve of weights: (x + shift)^-slope. */
struct curve {
  double slope, shift, num_vertices;
};

/* Its integral from 0 to x, but for a factor that does not depend on x; without cancellation where
 * the slope is about 1. */
static double weight_below(const struct curve *curve, double x) {
  const double logarithm = log1p(x / curve->shift), left = 1 - curve->slope;
  return fabs(left * logarithm) < 1e-9 ? logarithm : expm1(left * logarithm) / left;
}

static double share_below(const struct curve *curve, double x) {
  return weight_below(curve, x) / weight_below(curve, curve->num_vertices);
}

/* The shift with which the first vertex gets `share`: the smaller the shift, the more it gets. */
static struct curve curve_of(uint64_t num_vertices, double exponent, double share) {
  struct curve curve = {1 / (exponent - 1), 1, (double)num_vertices};
  double low = -600, high = 600; /* logarithms */
  while (share > 0 && high - low > 1e-12) {
    const double middle = (low + high) / 2;
    curve.shift = exp(middle);
    if (middle == low || middle == high)
      break;
    if (share_below(&curve, 1) > share)
      low = middle;
    else
      high = middle;
  }
  return curve;
}

enum qn_status qn_power_law_check(uint64_t num_vertices, double exponent, double share,
                                  struct qn_error *error) {
  if (!(exponent > 1 && exponent <= 100))
    return qn_fail(error, QN_USAGE, "the exponent of a power law is above 1 and at most 100");
  if (share == 0 || num_vertices < 2)
    return QN_OK;
  if (!(share < 1) || share * (double)num_vertices <= 1)
    return qn_fail(error, QN_USAGE,
                   "the largest degree is between the average and the number of edges");
  const struct curve curve = curve_of(num_vertices, exponent, share);
  return fabs(share_below(&curve, 1) / share - 1) < 1e-3
             ? QN_OK
             : qn_fail(error, QN_USAGE,
                       "with an exponent of %g no vertex has such a degree: at most %.3g of the "
                       "edges",
                       exponent, share_below(&curve, 1));
}

static void cut(uint64_t num_vertices, struct qn_power_law *law) {
  uint64_t begin = 0;
  law->num_ranges = 0;
  while (begin < num_vertices) {
    const uint64_t next = begin + (begin < 64 ? 1 : begin / 64);
    law->begin[law->num_ranges++] = (uint32_t)begin;
    begin = next < num_vertices ? next : num_vertices;
  }
  law->begin[law->num_ranges] = (uint32_t)num_vertices;
}

void qn_power_law_fill(uint64_t num_vertices, double exponent, double share,
                       struct qn_power_law *law) {
  const struct curve curve = curve_of(num_vertices, exponent, num_vertices < 2 ? 0 : share);
  const double draws = 4294967296.;
  unsigned range = 0;
  cut(num_vertices, law);
  for (unsigned i = 0; i <= law->num_ranges; i++)
    law->below[i] = (uint64_t)llround(share_below(&curve, law->begin[i]) * draws);
  law->below[law->num_ranges] = (uint64_t)1 << 32;
  for (unsigned i = 0; i < QN_POWER_LAW_GUIDES; i++) {
    while (law->below[range + 1] <= (uint64_t)i << 20)
      range++;
    law->guide[i] = (uint16_t)range;
  }
}
