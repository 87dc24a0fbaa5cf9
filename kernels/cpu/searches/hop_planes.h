/* Hops of 64 searches at once, in binary: for each place of the number a plane, which has of every
 * vertex a word with a bit for each search. So an arrival is noted by as many words as the level
 * has bits, whoever comes. At the end blocks of 64 words are turned about, and become columns. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

struct qn_hop_block;

struct qn_hop_planes {
  uint64_t num_vertices;
  uint32_t num_planes;
  uint64_t *words; /* [num_planes][V], all zero; memory is committed as levels come to need it */
  struct qn_hop_block *blocks; /* [threads] at hand */
};

/* For levels up to `most`. Owned until destroy. */
enum qn_status qn_hop_planes_create(struct qn_hop_planes *planes, uint64_t num_vertices,
                                    uint64_t most, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_hop_planes_destroy(struct qn_hop_planes *planes);

/* Some searches come to a vertex at a level, each for the first time. */
static inline void qn_hop_planes_note(const struct qn_hop_planes *planes, uint64_t vertex,
                                      uint64_t searches, uint32_t level) {
  for (; level; level &= level - 1)
    planes->words[(uint64_t)__builtin_ctz(level) * planes->num_vertices + vertex] |= searches;
}

/* Fill `columns` [num_searches][V] with the levels that were noted, and UINT32_MAX for the searches
 * that have not `seen` a vertex: [V] of it, one word in `stride`. No level was above `last`. All
 * planes are zero again. */
void qn_hop_planes_spread(struct qn_hop_planes *planes, uint32_t last, const uint64_t *seen,
                          uint64_t stride, uint32_t *columns, uint32_t num_searches);
