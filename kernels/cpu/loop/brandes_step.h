/* A step of Brandes' algorithm (brandes.h): into[v], of every vertex v of level `to`, becomes the
 * sum of offer[u] over its edges with vertices u of level `from`: forwards along the edges into v,
 * backwards along those out of it. Of other vertices `into` stays, and offers are 0. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/cpu/loop/levels.h"

struct brandes_step {
  const struct qn_levels *levels;
  const uint32_t *hops; /* [V] each vertex's level */
  uint32_t from, to;
  bool is_forwards;
  const double *offer; /* [V] */
  double *into;        /* [V] */
};

/* Regions of a few vertices are not worth waking threads for: a path has 10^5 of them. */
#define FEW_VERTICES 256

static inline const uint32_t *brandes_level(const struct qn_levels *levels, uint64_t level,
                                            uint64_t *count) {
  *count = levels->offsets[level + 1] - levels->offsets[level];
  return levels->vertices + levels->offsets[level];
}
