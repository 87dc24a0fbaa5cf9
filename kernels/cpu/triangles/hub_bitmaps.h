/* The lists of hubs, the vertices of the highest degrees, as bitmaps: one instruction compares 64
 * candidates for a common neighbour. */
#pragma once

#include "kernels/cpu/triangles/orientation.h"
#include <quern/error.h>

struct qn_hub_bitmaps {
  uint64_t num_hubs; /* vertices 0 to num_hubs - 1 of the orientation have a bitmap: 2^15 of them
                        take 64 MiB together */
  uint64_t *bits;    /* hub b has bits for 0 to b - 1, from word qn_hub_word(b) */
};

/* Owned until destroyed, also after a failure. */
enum qn_status qn_hub_bitmaps_create(const struct qn_orientation *edges,
                                     struct qn_hub_bitmaps *bitmaps, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_hub_bitmaps_destroy(struct qn_hub_bitmaps *bitmaps);

/* Where the bitmap of hub b begins: those of 0 to b - 1 have ceil(b / 64) words each. */
static inline uint64_t qn_hub_word(uint64_t b) {
  if (b == 0)
    return 0;
  const uint64_t full = (b - 1) / 64, rest = (b - 1) % 64; /* rows 1 to b - 1 */
  return 64 * (full * (full + 1) / 2) + rest * (full + 1);
}

/* Mark list members in a bitmap of all vertices, and take the marks away. */
static inline void qn_mark_list(const uint32_t *list, uint64_t count, uint64_t *bits) {
  for (uint64_t i = 0; i < count; i++)
    bits[list[i] / 64] |= (uint64_t)1 << (list[i] % 64);
}

static inline void qn_clear_list(const uint32_t *list, uint64_t count, uint64_t *bits) {
  for (uint64_t i = 0; i < count; i++)
    bits[list[i] / 64] = 0;
}

static inline uint64_t qn_is_marked(const uint64_t *bits, uint32_t vertex) {
  return bits[vertex / 64] >> (vertex % 64) & 1;
}
