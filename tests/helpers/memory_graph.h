/* Graphs in memory, for tests of kernels: built the plain way from a list of edges. */
#pragma once

#include "helpers/random_graph.h"

/* Weights of f32 graphs are 1/256 of the number. */
struct test_edges {
  uint32_t num_vertices;
  uint64_t count, capacity;
  struct test_edge *list;
};

static inline void test_edge_add(struct test_edges *edges, uint32_t source, uint32_t destination,
                                 uint32_t weight) {
  if (edges->count == edges->capacity) {
    edges->capacity = edges->capacity ? 2 * edges->capacity : 64;
    edges->list = realloc(edges->list, edges->capacity * sizeof *edges->list);
    if (!edges->list)
      abort();
  }
  edges->list[edges->count++] = (struct test_edge){source, destination, weight, 0};
}

/* Uniform random edges with loops and parallel edges; `skewed` prefers small vertices. */
static inline struct test_edges test_random_edges(uint32_t num_vertices, uint64_t count,
                                                  bool skewed, uint64_t seed) {
  struct test_edges edges = {.num_vertices = num_vertices};
  uint64_t state = seed * 2 + 1;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t ends[2];
    for (int end = 0; end < 2; end++) {
      ends[end] = random_next(&state) % num_vertices;
      for (int bias = 0; skewed && bias < 3; bias++)
        ends[end] = random_next(&state) % (ends[end] + 1);
    }
    test_edge_add(&edges, (uint32_t)ends[0], (uint32_t)ends[1],
                  (uint32_t)(1 + random_next(&state) % 255));
  }
  return edges;
}

/* Add the reverse of every edge that is no loop. */
static inline void test_symmetrize(struct test_edges *edges) {
  uint64_t count = edges->count;
  for (uint64_t i = 0; i < count; i++) {
    struct test_edge edge = edges->list[i];
    if (edge.source != edge.destination)
      test_edge_add(edges, edge.destination, edge.source, edge.weight);
  }
}

static inline struct qn_csr test_csr(const struct test_edges *edges, enum qn_weight_type type,
                                     bool transposed) {
  struct test_edge *sorted = malloc((edges->count + 1) * sizeof *sorted);
  if (!sorted)
    abort();
  for (uint64_t i = 0; i < edges->count; i++) {
    sorted[i] = edges->list[i];
    if (transposed) {
      sorted[i].source = edges->list[i].destination;
      sorted[i].destination = edges->list[i].source;
    }
  }
  struct qn_csr csr = graph_from_edges(sorted, edges->count, edges->num_vertices, type).out;
  for (uint64_t i = 0; type == QN_WEIGHT_F32 && i < edges->count; i++)
    ((float *)csr.weights.f32)[i] /= 256.0f;
  free(sorted);
  return csr;
}

static inline void test_csr_free(struct qn_csr *csr) {
  qn_graph_unmap(&(struct qn_graph){.owns_arrays = true, .out = *csr});
}

/* The edges as a graph. Undirected: they must be symmetric. */
static inline struct qn_graph test_graph(const struct test_edges *edges, enum qn_weight_type type,
                                         enum qn_directedness directedness, bool transpose) {
  struct qn_graph graph = {
      .directedness = directedness,
      .ids = {.kind = QN_IDS_DENSE, .num_vertices = edges->num_vertices, .ascending = true}};
  graph.out = test_csr(edges, type, false);
  graph.has_transpose = transpose || directedness == QN_UNDIRECTED;
  if (directedness == QN_UNDIRECTED)
    graph.in = graph.out;
  else if (transpose)
    graph.in = test_csr(edges, type, true);
  return graph;
}

static inline void test_graph_free(struct qn_graph *graph) {
  if (graph->has_transpose && graph->directedness != QN_UNDIRECTED)
    test_csr_free(&graph->in);
  test_csr_free(&graph->out);
}
