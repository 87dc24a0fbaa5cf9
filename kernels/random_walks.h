/* Random walks: each step follows one of the edges that leave a vertex, all alike likely, or each
 * in proportion to its weight; a walk ends early where none leaves, or their weights are 0. A
 * walk's random numbers depend on the seed and its own number alone, so walks are the same on every
 * device. */
#pragma once

#include "kernels/kernel.h"
#include "support/random.h"
#include <quern/inline.h>
#include <quern/view.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_WALK_ENDED UINT32_MAX

/* Where walks go, and who they are; on a device its arrays are there. */
struct qn_walks {
  struct qn_csr csr;
  const uint32_t *sources;        /* NULL: all vertices, in original order */
  const uint32_t *order;          /* [V] vertices in original order; NULL: it is their own */
  const uint32_t *positions;      /* [V] in original order; NULL: the same */
  const double *cumulative;       /* [E] of the weights of a row; NULL: they do not count */
  uint64_t num_walks, walks_each; /* in all, and from each source */
  uint64_t length;                /* steps of a walk */
  uint64_t key;
};

/* The walks that are asked for, with arrays of their own of what must be made. */
enum qn_status qn_walks_create(const struct qn_run_request *request, struct qn_walks *walks,
                               struct qn_error *error);
void qn_walks_destroy(struct qn_walks *walks);

/* The first edge of [begin, end) whose cumulative weight is more than a random part of all. */
QN_INLINE uint64_t qn_walk_choose(const double *cumulative, uint64_t begin, uint64_t end,
                                  uint64_t random) {
  const double target = (double)(random >> 11) * 0x1p-53 * cumulative[end - 1];
  const uint64_t first = begin;
  uint64_t last = end - 1;
  while (begin < last) {
    const uint64_t middle = begin + (last - begin) / 2;
    if (cumulative[middle] > target)
      last = middle;
    else
      begin = middle + 1;
  }
  while (begin > first && cumulative[begin] == cumulative[begin - 1])
    begin--; /* rounding led to the end, where edges weigh nothing */
  return begin;
}

QN_INLINE uint32_t qn_walk_step(const struct qn_walks *walks, uint32_t vertex, uint64_t random) {
  const uint64_t begin = walks->csr.row_offsets[vertex], end = walks->csr.row_offsets[vertex + 1];
  const double *cumulative = walks->cumulative;
  if (begin == end || (cumulative && !(cumulative[end - 1] > 0)))
    return QN_WALK_ENDED;
  const uint64_t edge = cumulative ? qn_walk_choose(cumulative, begin, end, random)
                                   : begin + qn_random_below(random, end - begin);
  return walks->csr.column_indices[edge];
}

QN_INLINE uint32_t qn_walk_source(const struct qn_walks *walks, uint64_t walk) {
  const uint64_t index = walk / walks->walks_each;
  if (walks->sources)
    return walks->sources[index];
  return walks->order ? walks->order[index] : (uint32_t)index;
}

/* A walk, whose positions [length + 1] become `row`; returns the steps that were taken. */
QN_INLINE uint64_t qn_walk_once(const struct qn_walks *walks, uint64_t walk, uint32_t *row) {
  const uint64_t own = qn_random_at(walks->key, walk);
  uint32_t vertex = qn_walk_source(walks, walk);
  uint64_t steps = 0;
  for (uint64_t step = 0; step <= walks->length; step++) {
    const bool ended = vertex == QN_WALK_ENDED;
    row[step] = ended || !walks->positions ? vertex : walks->positions[vertex];
    steps += !ended && step > 0;
    if (!ended)
      vertex = qn_walk_step(walks, vertex, qn_random_at(own, step));
  }
  return steps;
}

#ifdef __cplusplus
}
#endif
