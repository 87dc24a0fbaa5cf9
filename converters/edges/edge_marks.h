/* Which ids occur in a list of edges in memory, noted while its blocks are in the cache. Internal
 * to the edge list and the builder.
 *
 * There is a bit for every number of 32 bits, touched where ids are. Blocks with ids that lie too
 * far apart for that are left out, and say so: whoever needs all ids looks at those again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct qn_edge_block;

#define QN_EDGE_MARKS_WORDS ((uint64_t)1 << 32 >> 6)

struct qn_edge_marks {
  uint64_t *bits;               /* [QN_EDGE_MARKS_WORDS]; NULL: nothing is noted */
  const uint64_t *num_vertices; /* as in qn_spill_options, looked at when the first edges come */
};

/* Nothing will be noted if there is no memory for it. */
void qn_edge_marks_create(struct qn_edge_marks *marks, const uint64_t *num_vertices);
void qn_edge_marks_drop(struct qn_edge_marks *marks);

/* Are ids up to `largest` to be marked, after so many edges? One thread at a time. */
bool qn_edge_marks_want(struct qn_edge_marks *marks, uint64_t largest, uint64_t num_edges);

/* Mark the ids of a block for which that was true. From any thread. */
void qn_edge_marks_add(const struct qn_edge_marks *marks, struct qn_edge_block *block);
