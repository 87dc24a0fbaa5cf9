/* How much each part has, and which has the least. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

struct qn_part_sizes {
  uint64_t num_parts; /* at least 1 */
  uint64_t most;      /* of a part */
  uint64_t *of;       /* [num_parts] */
  /* A tournament: node i has the winner of nodes 2i and 2i + 1, which is the part with the least,
   * of several the first. Node num_leaves + p is that of part p. */
  uint32_t *winners; /* [2 * num_leaves] */
  uint64_t num_leaves;
};

/* All have nothing. Owned until destroy, which takes zeroed ones, too. */
enum qn_status qn_part_sizes_create(uint64_t num_parts, struct qn_part_sizes *sizes,
                                    struct qn_error *error);
void qn_part_sizes_destroy(struct qn_part_sizes *sizes);
/* All have nothing again. */
void qn_part_sizes_clear(struct qn_part_sizes *sizes);

void qn_part_sizes_add(struct qn_part_sizes *sizes, uint32_t part, uint64_t amount);

static inline uint32_t qn_part_sizes_least(const struct qn_part_sizes *sizes) {
  return sizes->winners[1];
}

/* Has part `a` less than part `b`, or as much and comes before it? */
static inline int qn_part_is_less(const struct qn_part_sizes *sizes, uint32_t a, uint32_t b) {
  return sizes->of[a] < sizes->of[b] || (sizes->of[a] == sizes->of[b] && a < b);
}
