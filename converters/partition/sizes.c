#include "converters/partition/sizes.h"

#include <string.h>

#include "support/memory.h"

/* A leaf without a part, which wins against nobody. */
#define NO_PART UINT32_MAX

static uint32_t winner_of(const struct qn_part_sizes *sizes, uint32_t a, uint32_t b) {
  if (a == NO_PART || b == NO_PART)
    return a == NO_PART ? b : a;
  return qn_part_is_less(sizes, a, b) ? a : b;
}

static void play(struct qn_part_sizes *sizes, uint64_t node) {
  sizes->winners[node] = winner_of(sizes, sizes->winners[2 * node], sizes->winners[2 * node + 1]);
}

enum qn_status qn_part_sizes_create(uint64_t num_parts, struct qn_part_sizes *sizes,
                                    struct qn_error *error) {
  *sizes = (struct qn_part_sizes){.num_parts = num_parts, .num_leaves = 2};
  while (sizes->num_leaves < num_parts)
    sizes->num_leaves *= 2;
  enum qn_status status =
      qn_pages_alloc(&sizes->of, num_parts, sizeof *sizes->of, "sizes of parts", error);
  if (!status)
    status = qn_pages_alloc(&sizes->winners, 2 * sizes->num_leaves, sizeof *sizes->winners,
                            "sizes of parts", error);
  if (status)
    qn_part_sizes_destroy(sizes);
  else
    qn_part_sizes_clear(sizes);
  return status;
}

void qn_part_sizes_destroy(struct qn_part_sizes *sizes) {
  qn_pages_free(sizes->of, sizes->num_parts, sizeof *sizes->of);
  qn_pages_free(sizes->winners, 2 * sizes->num_leaves, sizeof *sizes->winners);
  *sizes = (struct qn_part_sizes){0};
}

void qn_part_sizes_clear(struct qn_part_sizes *sizes) {
  memset(sizes->of, 0, sizes->num_parts * sizeof *sizes->of);
  sizes->most = 0;
  for (uint64_t leaf = 0; leaf < sizes->num_leaves; leaf++)
    sizes->winners[sizes->num_leaves + leaf] = leaf < sizes->num_parts ? (uint32_t)leaf : NO_PART;
  for (uint64_t node = sizes->num_leaves - 1; node > 0; node--)
    play(sizes, node);
}

/* Where the part has not won, it does not win with more. */
void qn_part_sizes_add(struct qn_part_sizes *sizes, uint32_t part, uint64_t amount) {
  sizes->of[part] += amount;
  if (sizes->of[part] > sizes->most)
    sizes->most = sizes->of[part];
  for (uint64_t node = (sizes->num_leaves + part) / 2; node > 0 && sizes->winners[node] == part;
       node /= 2)
    play(sizes, node);
}
