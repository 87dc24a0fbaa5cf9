/* Where vertices are in a list of sampled ones: a table of hashes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

struct qn_place {
  uint32_t vertex;
  uint32_t place; /* and one more; 0: there is none */
};

struct qn_places {
  struct qn_place *slots; /* [2^bits] */
  unsigned bits;
  uint64_t used;
};

enum qn_status qn_places_create(struct qn_places *places, struct qn_error *error);
void qn_places_release(struct qn_places *places);
void qn_places_clear(struct qn_places *places);
/* Before one more is added. `trees` as of qn_places_find. */
enum qn_status qn_places_grow(struct qn_places *places, const int64_t *trees,
                              struct qn_error *error);

static inline bool qn_places_are_full(const struct qn_places *places) {
  return places->used >= (uint64_t)1 << (places->bits - 1);
}

static inline uint64_t qn_places_slot(const struct qn_places *places, uint32_t vertex,
                                      int64_t tree) {
  const uint64_t key = (uint64_t)tree * UINT64_C(0xD1342543DE82EF95) + vertex;
  return (key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - places->bits);
}

static inline void qn_places_prefetch(const struct qn_places *places, uint32_t vertex,
                                      int64_t tree) {
  __builtin_prefetch(&places->slots[qn_places_slot(places, vertex, tree)]);
}

/* The slot of a vertex, or the empty one where it comes to be. `trees` [places] of those that are
 * there, where a vertex of another tree is another one; else NULL. */
static inline struct qn_place *qn_places_find(const struct qn_places *places, uint32_t vertex,
                                              int64_t tree, const int64_t *trees) {
  const uint64_t mask = ((uint64_t)1 << places->bits) - 1;
  uint64_t slot = qn_places_slot(places, vertex, tree);
  for (;; slot = (slot + 1) & mask) {
    struct qn_place *found = &places->slots[slot];
    if (!found->place || (found->vertex == vertex && (!trees || trees[found->place - 1] == tree)))
      return found;
  }
}
