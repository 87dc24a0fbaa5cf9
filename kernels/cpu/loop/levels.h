/* Vertices sorted by a small number: the level at which a search reaches them, the class of their
 * degree. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

/* Level l is vertices [offsets[l], offsets[l + 1]) of `vertices`, ascending. */
struct qn_levels {
  uint64_t num_vertices; /* V, reached or not */
  uint64_t num_levels;
  uint64_t *offsets;  /* [num_levels + 1] */
  uint32_t *vertices; /* [V] those that were reached */
};

enum qn_status qn_levels_create(struct qn_levels *levels, uint64_t num_vertices,
                                struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_levels_destroy(struct qn_levels *levels);

/* Sort by the level `of` [V] each vertex, UINT32_MAX for those not reached. What was there before
 * is forgotten. The same whatever the threads. */
enum qn_status qn_levels_sort(struct qn_levels *levels, const uint32_t *of, struct qn_error *error);
