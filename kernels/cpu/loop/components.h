/* Weakly connected components on layouts on which label propagation (kernels/programs/cc.h) would
 * walk every edge as often as the diameter is long, in a directed graph both ways: edges join the
 * trees of their ends (formats/graph/components.h), in any order, those of a directed graph in one
 * pass.
 *
 * Of an undirected graph the first two edges of each row are joined before; then nearly all
 * vertices of most graphs are in one tree. Their rows are passed over, as each edge that leads out
 * of the tree is in the row of its other end, too. */
#pragma once

#include "formats/graph/components.h"
#include "formats/graph/union_find.h"
#include "kernels/standalone_kernel.h"

struct qn_joining {
  uint32_t *parent; /* [V] by the layout's numbers */
  uint64_t num_vertices;
  bool is_undirected;
  uint64_t most; /* edges of a row, or of each piece of it, to look at; 0: before the first pass */
  uint32_t largest; /* rows of vertices in its tree are passed over; QN_NO_LARGEST: none are */
};

/* Is there another pass over all rows? All threads. */
bool qn_joining_next(struct qn_joining *joining);

/* In a pass: is the row of this vertex to be looked at? Any thread may call. */
static inline bool qn_joining_row(const struct qn_joining *joining, uint32_t vertex) {
  return joining->largest == QN_NO_LARGEST ||
         union_load(joining->parent, vertex) != joining->largest;
}

/* Join an edge of such a row; false: no other one of the row need be. Any thread may call. */
static inline bool qn_joining_edge(const struct qn_joining *joining, uint32_t vertex,
                                   uint32_t other) {
  union_join(joining->parent, vertex, other);
  return qn_joining_row(joining, vertex);
}

/* A row that lies in one piece. */
static inline void qn_joining_neighbors(const struct qn_joining *joining, uint32_t vertex,
                                        struct qn_neighbors neighbors) {
  const uint64_t count = (uint64_t)(neighbors.end - neighbors.begin);
  bool goes_on = qn_joining_row(joining, vertex);
  for (uint64_t i = 0; goes_on && i < count && i < joining->most; i++)
    goes_on = qn_joining_edge(joining, vertex, neighbors.base + neighbors.begin[i]);
}

/* A layout that is walked. */
struct qn_joined_layout {
  uint64_t num_vertices;
  enum qn_directedness directedness;
  const uint32_t *order; /* [V] the graph's number of each of its vertices; NULL: it is the same */
};

/* Go through all rows once for each pass, with all threads. */
typedef enum qn_status qn_join_edges(const void *view, struct qn_joining *joining,
                                     struct qn_error *error);

/* The whole run of such a kernel (struct qn_kernel's run). */
enum qn_status qn_components_run(const struct qn_run_request *request,
                                 const struct qn_joined_layout *layout, qn_join_edges *join_edges,
                                 struct qn_run_result *result, struct qn_error *error);
