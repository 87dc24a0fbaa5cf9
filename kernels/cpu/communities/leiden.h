/* The Leiden algorithm (Traag, Waltman, van Eck: From Louvain to Leiden: guaranteeing
 * well-connected communities, Scientific Reports 9, 2019), for modularity with a resolution.
 *
 * In each level vertices move to the neighbouring community where modularity gains most, until none
 * gains (algorithm A.2, MoveNodesFast). Each community is then refined: its vertices begin alone
 * and join sub-communities, if both are well connected within it (MergeNodesSubset). The
 * sub-communities are the vertices of the next level, which begins with the communities. So no
 * community ever falls apart, as Louvain's may. On the first coarse level communities are also made
 * anew, and the better ones are kept. All of it is repeated from its own result until modularity
 * gains little more. */
#pragma once

#include "kernels/cpu/communities/level.h"

struct qn_leiden_options {
  double resolution;       /* > 0: more means smaller communities */
  uint64_t seed;           /* of the order of vertices and of refinement's choices */
  uint32_t max_iterations; /* of the whole */
};

struct qn_leiden_result {
  double modularity;
  uint64_t iterations;
  bool converged; /* the last iteration gained next to nothing */
};

/* Make `community` [V] of the graph's best communities, beginning with each vertex alone; labels
 * below V. The same for a seed, whatever the number of threads. */
enum qn_status qn_leiden(const struct qn_level *level, const struct qn_leiden_options *options,
                         uint32_t *community, struct qn_leiden_result *result,
                         struct qn_error *error);

/* ---- Its parts (move.c, refine.c)
 * ---------------------------------------------------------------*/

/* Weights from one vertex to communities, gathered and forgotten again. */
struct qn_gathered {
  double *weight;    /* [V] by community; 0: not among `touched` */
  uint32_t *touched; /* [V] communities with an edge from the vertex */
  uint32_t num_touched;
};

enum qn_status qn_gathered_create(struct qn_gathered *gathered, uint32_t num_vertices,
                                  struct qn_error *error);
void qn_gathered_destroy(struct qn_gathered *gathered, uint32_t num_vertices);

static inline void qn_gathered_add(struct qn_gathered *gathered, uint32_t community,
                                   double weight) {
  if (weight == 0)
    return;
  if (gathered->weight[community] == 0)
    gathered->touched[gathered->num_touched++] = community;
  gathered->weight[community] += weight;
}

static inline void qn_gathered_clear(struct qn_gathered *gathered) {
  while (gathered->num_touched > 0)
    gathered->weight[gathered->touched[--gathered->num_touched]] = 0;
}

/* A random order of [0, count). */
void qn_leiden_order(uint32_t *order, uint32_t count, uint64_t key);

/* Move vertices between the communities in `community`, labels < V, until none gains. */
enum qn_status qn_leiden_move(const struct qn_level *level, double resolution, uint64_t key,
                              uint32_t *community, struct qn_error *error);

/* Sub-communities of each community, in `refined` [V], labels < V. */
enum qn_status qn_leiden_refine(const struct qn_level *level, double resolution, uint64_t key,
                                const uint32_t *community, uint32_t *refined,
                                struct qn_error *error);
