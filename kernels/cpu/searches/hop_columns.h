/* Hops of 64 searches at once, as a column for each. A level where many arrive is kept as it is
 * found, a word of searches for each vertex, and spread to the columns with others, which turns
 * blocks of 64 words about: to note each arrival by itself would take longer than the searches. */
#ifndef QN_KERNELS_CPU_SEARCHES_HOP_COLUMNS_H
#define QN_KERNELS_CPU_SEARCHES_HOP_COLUMNS_H

#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_SEARCHES 64
#define QN_KEPT_LEVELS 8

struct qn_hop_columns {
  uint64_t num_vertices;
  uint64_t *kept[QN_KEPT_LEVELS];  /* [V] each: the searches that came in a level */
  uint32_t levels[QN_KEPT_LEVELS]; /* 0: the columns have it */
  uint32_t num_kept;
  uint8_t *is_noted; /* [ceil(V / 64)] blocks of which the columns have something */
  uint32_t *columns; /* [num_searches][V], zero at first */
  uint32_t num_searches;
};

enum qn_status qn_hop_columns_create(struct qn_hop_columns *hops, uint64_t num_vertices,
                                     struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_hop_columns_destroy(struct qn_hop_columns *hops);

/* Fill `columns`, which are new pages and are borrowed. */
void qn_hop_columns_begin(struct qn_hop_columns *hops, uint32_t *columns, uint32_t num_searches);
/* [V] words for a level, to be written whole. What the call before gave stays as it is. */
uint64_t *qn_hop_columns_keep(struct qn_hop_columns *hops, uint32_t level);
/* All levels are there: those not `seen` [V], one word in `stride`, get UINT32_MAX. */
void qn_hop_columns_finish(struct qn_hop_columns *hops, const uint64_t *seen, uint64_t stride);

/* Some that come to a vertex in a level that is not kept. */
static inline void qn_hop_columns_note(const struct qn_hop_columns *hops, uint64_t vertex,
                                       uint64_t searches, uint32_t level) {
  if (searches)
    __atomic_store_n(&hops->is_noted[vertex / 64], 1, __ATOMIC_RELAXED);
  for (; searches; searches &= searches - 1)
    hops->columns[(uint64_t)__builtin_ctzll(searches) * hops->num_vertices + vertex] = level;
}

#ifdef __cplusplus
}
#endif
#endif
