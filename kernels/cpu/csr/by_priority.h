/* Visit vertices one after another, in parallel: each after all its neighbours of higher priority,
 * whose outcome it may look at, and before those of lower. The outcome is that of one thread that
 * goes through all by falling priority (Jones, Plassmann: A Parallel Graph Coloring Heuristic,
 * 1993; Blelloch, Fineman, Shun: Greedy Sequential Maximal Independent Set and Matching are
 * Parallel on Average, 2012). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/graph.h>

struct qn_priorities {
  const struct qn_csr *csr; /* of an undirected graph */
  uint64_t *of;             /* [V] all different: a degree, and chance by original position */
};

/* The highest degrees first, or the lowest. `positions` [V] in original order; NULL: themselves.
 * Owned until destroyed. */
enum qn_status qn_priorities_create(const struct qn_csr *csr, const uint32_t *positions,
                                    bool high_degrees_first, struct qn_priorities *priorities,
                                    struct qn_error *error);
void qn_priorities_destroy(struct qn_priorities *priorities);

/* Is `other`, a neighbour of v or v itself, visited before v? */
static inline bool qn_comes_before(const struct qn_priorities *priorities, uint32_t other,
                                   uint32_t v) {
  return priorities->of[other] > priorities->of[v];
}

/* Call visit(user, v, thread) for every vertex. What it writes about v, those see that are visited
 * after v. */
enum qn_status qn_visit_by_priority(const struct qn_priorities *priorities,
                                    void (*visit)(void *user, uint32_t v, unsigned thread),
                                    void *user, struct qn_error *error);
