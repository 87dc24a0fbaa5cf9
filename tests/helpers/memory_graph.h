/* Graphs in memory, for tests of kernels: built the plain way from a list of edges. */
#ifndef QN_TESTS_HELPERS_MEMORY_GRAPH_H
#define QN_TESTS_HELPERS_MEMORY_GRAPH_H

#include <stdlib.h>
#include <string.h>

#include "formats/graph.h"

struct test_edge {
  uint32_t source, destination;
  uint32_t weight; /* u32, or 256 times the f32 */
};

struct test_edges {
  uint32_t num_vertices;
  uint64_t count, capacity;
  struct test_edge *list;
};

static inline uint64_t test_random(uint64_t *state) { /* xorshift64* */
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545F4914F6CDD1DULL;
}

static inline void test_edge_add(struct test_edges *edges, uint32_t source, uint32_t destination,
                                 uint32_t weight) {
  if (edges->count == edges->capacity) {
    edges->capacity = edges->capacity ? 2 * edges->capacity : 64;
    edges->list = realloc(edges->list, edges->capacity * sizeof *edges->list);
    if (!edges->list)
      abort();
  }
  edges->list[edges->count++] = (struct test_edge){source, destination, weight};
}

/* Uniform random edges with loops and parallel edges; `skewed` prefers small vertices. */
static inline struct test_edges test_random_edges(uint32_t num_vertices, uint64_t count,
                                                  bool skewed, uint64_t seed) {
  struct test_edges edges = {.num_vertices = num_vertices};
  uint64_t state = seed * 2 + 1;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t ends[2];
    for (int end = 0; end < 2; end++) {
      ends[end] = test_random(&state) % num_vertices;
      for (int bias = 0; skewed && bias < 3; bias++)
        ends[end] = test_random(&state) % (ends[end] + 1);
    }
    test_edge_add(&edges, (uint32_t)ends[0], (uint32_t)ends[1],
                  (uint32_t)(1 + test_random(&state) % 255));
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

static inline int test_compare_edges(const void *left, const void *right) {
  const struct test_edge *a = left, *b = right;
  if (a->source != b->source)
    return a->source < b->source ? -1 : 1;
  if (a->destination != b->destination)
    return a->destination < b->destination ? -1 : 1;
  return a->weight < b->weight ? -1 : a->weight > b->weight;
}

static inline struct qn_csr test_csr(const struct test_edges *edges, enum qn_weight_type type,
                                     bool transposed) {
  uint64_t V = edges->num_vertices, E = edges->count;
  struct test_edge *sorted = malloc((E ? E : 1) * sizeof *sorted);
  uint64_t *rows = calloc(V + 1, sizeof *rows);
  uint32_t *columns = malloc((E ? E : 1) * sizeof *columns);
  uint32_t *whole = malloc((E ? E : 1) * sizeof *whole);
  float *real = malloc((E ? E : 1) * sizeof *real);
  if (!sorted || !rows || !columns || !whole || !real)
    abort();
  for (uint64_t i = 0; i < E; i++) {
    sorted[i] = edges->list[i];
    if (transposed) {
      sorted[i].source = edges->list[i].destination;
      sorted[i].destination = edges->list[i].source;
    }
  }
  qsort(sorted, E, sizeof *sorted, test_compare_edges);
  for (uint64_t i = 0; i < E; i++) {
    rows[sorted[i].source + 1]++;
    columns[i] = sorted[i].destination;
    whole[i] = sorted[i].weight;
    real[i] = (float)sorted[i].weight / 256.0f;
  }
  for (uint64_t v = 0; v < V; v++)
    rows[v + 1] += rows[v];
  free(sorted);
  if (type != QN_WEIGHT_U32) {
    free(whole);
    whole = NULL;
  }
  if (type != QN_WEIGHT_F32) {
    free(real);
    real = NULL;
  }
  return (struct qn_csr){V, E, rows, columns, {type, whole, real}};
}

static inline void test_csr_free(struct qn_csr *csr) {
  free((void *)csr->row_offsets);
  free((void *)csr->column_indices);
  free((void *)csr->weights.u32);
  free((void *)csr->weights.f32);
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

#endif
