/* The algorithms in the plainest form that is still fast enough to check against. */
#pragma once

#include <math.h>

#include "tests/helpers/memory_graph.h"

static inline double naive_weight(const struct test_edge *edge, enum qn_weight_type type) {
  return type == QN_WEIGHT_NONE  ? 1
         : type == QN_WEIGHT_U32 ? (double)edge->weight
                                 : (double)((float)edge->weight / 256.0f);
}

/* Bellman and Ford, until nothing changes; whole numbers, exact in double. INFINITY: not reached.
 */
static inline double *naive_distances(const struct test_edges *edges, enum qn_weight_type type,
                                      uint32_t source, bool hops) {
  double *distance = malloc((edges->num_vertices + 1) * sizeof *distance);
  for (uint32_t v = 0; v < edges->num_vertices; v++)
    distance[v] = INFINITY;
  distance[source] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint64_t i = 0; i < edges->count; i++) {
      const struct test_edge *edge = &edges->list[i];
      double weight = hops ? 1 : naive_weight(edge, type);
      if (distance[edge->source] + weight < distance[edge->destination]) {
        distance[edge->destination] = distance[edge->source] + weight;
        changed = true;
      }
    }
  }
  return distance;
}

/* Parents by the rules of kernels/programs/bfs_parents.h, with vertices as positions; UINT32_MAX:
 * none. `distance` is what naive_distances gave. */
static inline uint32_t *naive_parents(const struct test_edges *edges, enum qn_weight_type type,
                                      uint32_t source, bool hops, const double *distance) {
  uint32_t V = edges->num_vertices, *parent = malloc((V + 1) * sizeof *parent);
  uint32_t *step = malloc((V + 1) * sizeof *step); /* edges of no length since a nearer vertex */
  for (uint32_t v = 0; v < V; v++)
    parent[v] = step[v] = v == source ? v : UINT32_MAX;
  step[source] = 0;
  bool changed = true;
  for (uint32_t round = 0; changed || round < 2; round++) {
    changed = false;
    for (uint64_t i = 0; i < edges->count; i++) {
      const struct test_edge *edge = &edges->list[i];
      uint32_t u = edge->source, v = edge->destination;
      double weight = hops ? 1 : naive_weight(edge, type);
      bool leads = round == 0 ? distance[u] < distance[v]
                              : distance[u] == distance[v] && step[u] == round - 1;
      if (isinf(distance[u]) || !leads || distance[u] + weight != distance[v] ||
          (parent[v] != UINT32_MAX && (step[v] != round || v == source)))
        continue;
      changed = true;
      step[v] = round;
      parent[v] = u < parent[v] ? u : parent[v];
    }
  }
  free(step);
  return parent;
}

static inline uint32_t *naive_components(const struct test_edges *edges) {
  uint32_t *label = malloc((edges->num_vertices + 1) * sizeof *label);
  for (uint32_t v = 0; v < edges->num_vertices; v++)
    label[v] = v;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint64_t i = 0; i < edges->count; i++) {
      uint32_t *a = &label[edges->list[i].source], *b = &label[edges->list[i].destination];
      if (*a != *b) {
        *a = *b = *a < *b ? *a : *b;
        changed = true;
      }
    }
  }
  return label;
}

static inline double *naive_pagerank(const struct test_edges *edges, double damping,
                                     int iterations) {
  uint32_t V = edges->num_vertices;
  double *rank = malloc((V + 1) * sizeof *rank), *next = malloc((V + 1) * sizeof *next);
  uint64_t *degree = calloc(V + 1, sizeof *degree);
  for (uint64_t i = 0; i < edges->count; i++)
    degree[edges->list[i].source]++;
  for (uint32_t v = 0; v < V; v++)
    rank[v] = 1.0 / V;
  for (int iteration = 0; iteration < iterations; iteration++) {
    double dangling = 0;
    for (uint32_t v = 0; v < V; v++) {
      dangling += degree[v] ? 0 : rank[v];
      next[v] = 0;
    }
    for (uint64_t i = 0; i < edges->count; i++)
      next[edges->list[i].destination] +=
          rank[edges->list[i].source] / (double)degree[edges->list[i].source];
    for (uint32_t v = 0; v < V; v++)
      rank[v] = (1 - damping + damping * dangling) / V + damping * next[v];
  }
  free(next);
  free(degree);
  return rank;
}

/* Triples of vertices, all pairs of which are joined in some direction. */
static inline uint64_t naive_triangles(const struct test_edges *edges) {
  uint64_t V = edges->num_vertices, triangles = 0;
  char *joined = calloc(V * V + 1, 1);
  for (uint64_t i = 0; i < edges->count; i++) {
    const struct test_edge *edge = &edges->list[i];
    if (edge->source != edge->destination)
      joined[edge->source * V + edge->destination] = joined[edge->destination * V + edge->source] =
          1;
  }
  for (uint64_t a = 0; a < V; a++)
    for (uint64_t b = a + 1; b < V; b++)
      for (uint64_t c = b + 1; joined[a * V + b] && c < V; c++)
        triangles += joined[a * V + c] && joined[b * V + c];
  free(joined);
  return triangles;
}

/* Brandes, level by level, over the list of edges; parallel edges are different paths. */
static inline void naive_betweenness(const struct test_edges *edges, uint32_t source,
                                     double *score) {
  uint32_t V = edges->num_vertices, depth = 0;
  double *level = naive_distances(edges, QN_WEIGHT_NONE, source, true);
  double *paths = calloc(V + 1, sizeof *paths), *share = calloc(V + 1, sizeof *share);
  for (uint32_t v = 0; v < V; v++)
    if (!isinf(level[v]) && level[v] > depth)
      depth = (uint32_t)level[v];
  paths[source] = 1;
  for (uint32_t d = 0; d < depth; d++)
    for (uint64_t i = 0; i < edges->count; i++)
      if (level[edges->list[i].source] == d && level[edges->list[i].destination] == d + 1)
        paths[edges->list[i].destination] += paths[edges->list[i].source];
  for (uint32_t d = depth; d-- > 0;)
    for (uint64_t i = 0; i < edges->count; i++) {
      uint32_t u = edges->list[i].source, v = edges->list[i].destination;
      if (level[u] == d && level[v] == d + 1)
        share[u] += paths[u] / paths[v] * (1 + share[v]);
    }
  for (uint32_t v = 0; v < V; v++)
    score[v] += v == source ? 0 : share[v];
  free(share);
  free(paths);
  free(level);
}
