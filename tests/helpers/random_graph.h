/* Random and extreme graphs in memory, and comparison of graphs. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include <quern/graph.h>

static inline uint64_t random_next(uint64_t *state) {
  *state += 0x9E3779B97F4A7C15u;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

struct test_edge {
  uint32_t source, destination, weight, order;
};

static inline int compare_test_edges(const void *a, const void *b) {
  const struct test_edge *x = a, *y = b;
  if (x->source != y->source)
    return x->source < y->source ? -1 : 1;
  if (x->destination != y->destination)
    return x->destination < y->destination ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* A number of 32 bits as a weight: itself, or with as many bits as the type has room for. */
static inline void set_test_weight(enum qn_weight_type type, void *weights, uint64_t i,
                                   uint32_t number) {
  if (type == QN_WEIGHT_U32)
    ((uint32_t *)weights)[i] = number;
  if (type == QN_WEIGHT_F32)
    ((float *)weights)[i] = (float)number;
  if (type == QN_WEIGHT_I64)
    ((int64_t *)weights)[i] = ((int64_t)number - 40) * 0x123456789abcd;
  if (type == QN_WEIGHT_F64)
    ((double *)weights)[i] = number / 7.0;
}

/* A graph from edges (which are sorted in place), without a transpose. Aborts if memory runs out.
 */
static inline struct qn_graph graph_from_edges(struct test_edge *edges, uint64_t num_edges,
                                               uint64_t num_vertices, enum qn_weight_type type) {
  struct qn_graph graph;
  struct qn_graph_arrays arrays;
  struct qn_error error;
  if (qn_graph_create(num_vertices, num_edges, type, &graph, &arrays, &error))
    abort();
  for (uint64_t i = 0; i < num_edges; i++)
    edges[i].order = (uint32_t)i;
  if (num_edges)
    qsort(edges, num_edges, sizeof *edges, compare_test_edges);
  memset(arrays.row_offsets, 0, 8 * (num_vertices + 1));
  for (uint64_t i = 0; i < num_edges; i++) {
    arrays.row_offsets[edges[i].source + 1]++;
    arrays.column_indices[i] = edges[i].destination;
    set_test_weight(type, arrays.weights, i, edges[i].weight);
  }
  for (uint64_t v = 0; v < num_vertices; v++)
    arrays.row_offsets[v + 1] += arrays.row_offsets[v];
  return graph;
}

/* `num_edges` random edges, loops and multi-edges among them; `skew` > 0 prefers small ids. */
static inline struct qn_graph random_graph(uint64_t num_vertices, uint64_t num_edges,
                                           enum qn_weight_type type, unsigned skew, uint64_t seed) {
  struct test_edge *edges = malloc((num_edges + 1) * sizeof *edges);
  if (!edges)
    abort();
  for (uint64_t i = 0; i < num_edges; i++) {
    uint64_t ends[2];
    for (int end = 0; end < 2; end++) {
      ends[end] = random_next(&seed) % num_vertices;
      for (unsigned s = 0; s < skew; s++) {
        uint64_t other = random_next(&seed) % num_vertices;
        ends[end] = other < ends[end] ? other : ends[end];
      }
    }
    edges[i] = (struct test_edge){.source = (uint32_t)ends[0],
                                  .destination = (uint32_t)ends[1],
                                  .weight = (uint32_t)(random_next(&seed) % 100)};
  }
  struct qn_graph graph = graph_from_edges(edges, num_edges, num_vertices, type);
  free(edges);
  return graph;
}

/* `num_edges` random pairs, each in both directions (loops once), marked undirected. */
static inline struct qn_graph random_undirected(uint64_t num_vertices, uint64_t num_pairs,
                                                enum qn_weight_type type, uint64_t seed) {
  struct test_edge *edges = malloc((2 * num_pairs + 1) * sizeof *edges);
  if (!edges)
    abort();
  uint64_t count = 0;
  for (uint64_t i = 0; i < num_pairs; i++) {
    struct test_edge edge = {.source = (uint32_t)(random_next(&seed) % num_vertices),
                             .destination = (uint32_t)(random_next(&seed) % num_vertices),
                             .weight = (uint32_t)(random_next(&seed) % 100)};
    edges[count++] = edge;
    if (edge.source != edge.destination)
      edges[count++] = (struct test_edge){
          .source = edge.destination, .destination = edge.source, .weight = edge.weight};
  }
  struct qn_graph graph = graph_from_edges(edges, count, num_vertices, type);
  free(edges);
  graph.directedness = QN_UNDIRECTED;
  graph.has_transpose = true;
  graph.in = graph.out;
  return graph;
}

static inline bool same_csr(const struct qn_csr *a, const struct qn_csr *b) {
  if (a->num_vertices != b->num_vertices || a->num_edges != b->num_edges ||
      a->weights.type != b->weights.type)
    return false;
  if (memcmp(a->row_offsets, b->row_offsets, 8 * (a->num_vertices + 1)) != 0)
    return false;
  if (a->num_edges == 0)
    return true;
  if (memcmp(a->column_indices, b->column_indices, 4 * a->num_edges) != 0)
    return false;
  return a->weights.type == QN_WEIGHT_NONE ||
         memcmp(a->weights.data, b->weights.data,
                qn_weight_bytes(a->weights.type) * a->num_edges) == 0;
}
