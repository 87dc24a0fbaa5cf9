/* Bins: contributions on their way to vertices whose accumulators fit in a core's cache. A walk
 * first appends every contribution to the bin of its receiver, then adds up bin by bin, always in
 * the same order. (Beamer, Asanovic, Patterson: Reducing Pagerank Communication via Propagation
 * Blocking, IPDPS 2017.) Template: needs a completed program. */
#pragma once

#include "kernels/engine.h"

struct bin_entry {
  uint32_t vertex;
  program_stored lanes[PROGRAM_LANES];
};

static inline void bin_put(struct bin_entry *entry, uint32_t vertex,
                           program_accumulator contribution) {
  const program_lane *lanes = (const program_lane *)&contribution;
  entry->vertex = vertex;
  for (int lane = 0; lane < PROGRAM_LANES; lane++)
    entry->lanes[lane] = (program_stored)lanes[lane];
}

/* Add up the entries [entry, end); their vertices are marked in the bitmap `received`, unless it is
 * NULL. */
static inline void bin_add(const struct bin_entry *entry, const struct bin_entry *end,
                           program_accumulator *sums, uint64_t *received) {
  for (; entry < end; entry++) {
    program_lane *sum = (program_lane *)&sums[entry->vertex];
    for (int lane = 0; lane < PROGRAM_LANES; lane++)
      sum[lane] = program_combine_lane(sum[lane], (program_lane)entry->lanes[lane]);
    if (received)
      received[entry->vertex / 64] |= (uint64_t)1 << (entry->vertex % 64);
  }
}
