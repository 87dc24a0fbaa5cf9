#include "kernels/weight_check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "formats/graph/weight_limit.h"

/* Fewer than 2^64 weights are added. Shares of a subnormal sum have no digits. */
#define MOST_ADDED 1e280
#define LEAST_ADDED DBL_MIN

/* A path has fewer edges than there are vertices, and its sum is to be less than UINT64_MAX or
 * infinity. */
struct qn_weight_limit qn_weight_limit_for(const struct qn_weight_demand *demand,
                                           uint64_t num_vertices) {
  uint64_t edges = num_vertices > 1 ? num_vertices - 1 : 1;
  struct qn_weight_limit limit = {INT64_MAX, INFINITY, 0};
  if (demand->sums && demand->all_meet) {
    limit.real = MOST_ADDED;
    limit.least = LEAST_ADDED;
  } else if (demand->sums) {
    limit.whole = (UINT64_MAX - 1) / edges < limit.whole ? (UINT64_MAX - 1) / edges : limit.whole;
    limit.real = 0x1.fffffffffffffp1023 / (double)edges / 2;
  }
  return limit;
}

enum qn_status qn_weight_refuse(const struct qn_weight_demand *demand, enum qn_weight_type type,
                                uint64_t bits, uint64_t edge, uint64_t num_vertices,
                                struct qn_error *error) {
  const struct qn_weight_limit limit = qn_weight_limit_for(demand, num_vertices);
  char text[QN_WEIGHT_TEXT], most[QN_WEIGHT_TEXT];
  qn_weight_text(type, bits, text);
  if (type == QN_WEIGHT_I64 ? (int64_t)bits < 0 : !(qn_weight_real(type, bits) >= 0))
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s needs weights that are not negative, but that of edge %llu is %s",
                   demand->program, (unsigned long long)edge, text);
  if (demand->all_meet)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s adds real weights of 0, or from %g to %g, so that sums stay doubles, but "
                   "that of edge %llu is %s",
                   demand->program, LEAST_ADDED, MOST_ADDED, (unsigned long long)edge, text);
  if (type == QN_WEIGHT_I64)
    snprintf(most, sizeof most, "%llu", (unsigned long long)limit.whole);
  else
    snprintf(most, sizeof most, "%g", limit.real);
  return qn_fail(error, QN_UNSUPPORTED,
                 "%s adds weights up to %s on this many vertices, so that no path's sum leaves 64 "
                 "bits, but that of edge %llu is %s%s",
                 demand->program, most, (unsigned long long)edge, text,
                 type == QN_WEIGHT_I64 ? "; quern-import --weights=f64 makes them real" : "");
}

enum qn_status qn_weights_suit(const struct qn_weight_demand *demand,
                               const struct qn_weights *weights, uint64_t num_edges,
                               uint64_t num_vertices, struct qn_error *error) {
  const struct qn_weight_limit limit = qn_weight_limit_for(demand, num_vertices);
  const enum qn_weight_type type = weights->type;
  const unsigned bytes = qn_weight_bytes(type);
  uint64_t bad = UINT64_MAX;
  if (!demand->non_negative || type == QN_WEIGHT_NONE || type == QN_WEIGHT_U32)
    return QN_OK;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t edge = 0; edge < num_edges; edge++)
    if (!qn_weight_is_within(type, qn_weight_load(weights->data, bytes, edge), &limit) &&
        edge < bad)
      bad = edge;
  if (bad == UINT64_MAX)
    return QN_OK;
  return qn_weight_refuse(demand, type, qn_weight_load(weights->data, bytes, bad), bad,
                          num_vertices, error);
}
