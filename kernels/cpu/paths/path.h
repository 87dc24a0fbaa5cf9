/* One shortest path between two vertices, searched for from both its ends (Pohl: Bi-directional
 * Search, 1971): from the source along out-edges, from the target along in-edges if there are any
 * at hand, until the two searches have met. Few vertices are looked at in between.
 *
 * Of several shortest paths it is the one of the tree that kernels/programs/bfs_parents.h defines,
 * so it does not depend on who looks for it. The searches together know all vertices of all
 * shortest paths; on these alone the search from the source then goes on to the target. */
#pragma once

#include <stdbool.h>

#include <quern/graph.h>

struct qn_path_ends {
  const struct qn_csr *out, *in; /* in: NULL, there are none at hand */
  const uint32_t *positions;     /* in original order, of vertices; NULL: their numbers */
  uint32_t source, target;
};

/* From source to target; without vertices if there is none. */
struct qn_path {
  uint64_t num_vertices;
  uint32_t *vertices;
  uint64_t *distances; /* from the source: whole numbers, or the bits of real ones */
};

static inline uint32_t qn_path_position(const struct qn_path_ends *ends, uint32_t vertex) {
  return ends->positions ? ends->positions[vertex] : vertex;
}

/* Arrays of a path with so many vertices, of pages; what is made is the caller's. */
enum qn_status qn_path_create(struct qn_path *path, uint64_t num_vertices, struct qn_error *error);

/* By hops. */
enum qn_status qn_path_by_hops(const struct qn_path_ends *ends, struct qn_path *path,
                               struct qn_error *error);
/* By the weights of out-edges, and of in-edges, none of which is negative. QN_UNSUPPORTED if there
 * are paths, but the sums of their weights leave 64 bits. */
enum qn_status qn_path_by_weights(const struct qn_path_ends *ends, struct qn_path *path,
                                  struct qn_error *error);
