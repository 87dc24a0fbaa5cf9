/* A weighted undirected graph on its way through Leiden's levels: first the container's own, then
 * one whose vertices are communities of the level before. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/graph.h>

/* Row v spans entries [begins[v], ends[v]); each edge stands in both rows. An entry of a vertex
 * with itself counts in `degrees` alone: no move changes it. */
struct qn_level {
  uint32_t num_vertices;
  const uint64_t *begins, *ends;
  const uint32_t *neighbors;
  const double *weights; /* beside neighbors; NULL: all 1 */
  double *degrees;       /* [V] sum of the weights of a vertex's edge ends: a loop has two */
  double total;          /* of degrees */
  bool owns_arrays;
  uint64_t room; /* entries of the arrays that it owns */
};

/* The first level: a view of `graph`, undirected, whose weights become doubles. QN_INVALID if one
 * is negative. Owned until destroyed. */
enum qn_status qn_level_create(const struct qn_graph *graph, struct qn_level *level,
                               struct qn_error *error);

/* The level whose vertices are the groups of `group` [V], labels below `num_groups`, all of which
 * occur. The same for any number of threads. Owned until destroyed. */
enum qn_status qn_level_aggregate(const struct qn_level *level, const uint32_t *group,
                                  uint32_t num_groups, struct qn_level *coarse,
                                  struct qn_error *error);

/* A zeroed level is allowed. */
void qn_level_destroy(struct qn_level *level);

/* Modularity of the communities in `community` [V], labels < V (Newman, Girvan 2004):
 *
 *   sum over communities of  2 (weight inside) / total - resolution * (sum of degrees / total)^2
 *
 * 0 for a graph without edges. */
enum qn_status qn_level_modularity(const struct qn_level *level, const uint32_t *community,
                                   double resolution, double *modularity, struct qn_error *error);

static inline double qn_level_weight(const struct qn_level *level, uint64_t entry) {
  return level->weights ? level->weights[entry] : 1.0;
}

/* Number labels below `num_labels` anew in the order in which they occur, from 0; how many there
 * are. `numbers` is scratch, [num_labels]. */
uint32_t qn_labels_compact(uint32_t *labels, uint64_t count, uint32_t num_labels,
                           uint32_t *numbers);
