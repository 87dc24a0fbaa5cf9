/* Weakly connected components on CSR: Afforest (Sutton, Ben-Nun, Barak: Optimizing Parallel Graph
 * Connectivity Computation via Subgraph Sampling, IPDPS 2018).
 *
 * After joining an edge or two of each vertex nearly all vertices of most graphs are in one
 * component, whose other edges need not be looked at. The first edge joined is that to the smallest
 * neighbor, with which a sorted row begins: no vertex has to wait for another then, because each
 * hangs below a smaller one or is a root. More edges are joined only if these do not bring most
 * vertices together.
 *
 * parent[v] <= v always holds, so a root is the smallest vertex of its tree. The outcome does not
 * depend on the order in which edges are joined. Trees only ever grow together, so parents at any
 * moment are a state to go on from. */
#pragma once

#include <stdbool.h>

#include <quern/error.h>
#include <quern/graph.h>

/* Fill `parent` [V]: join every vertex with its smallest neighbor. All threads. */
void qn_components_begin(const struct qn_graph *graph, uint32_t *parent);

/* Bring most vertices together, and tell the root of the largest tree. The edges of vertices that
 * hang below it need not be joined, if those of all others are, from both ends. All threads. */
uint32_t qn_components_find_largest(const struct qn_graph *graph, uint32_t *parent);

/* The root of the largest tree among a sample of the vertices that have edges, where every vertex
 * points at its root. */
typedef bool qn_has_edges(const void *context, uint64_t vertex);
uint32_t qn_components_elect(const uint32_t *parent, uint64_t num_vertices, qn_has_edges *has_edges,
                             const void *context);

/* Instead of a largest tree: the edges of all vertices are joined. */
#define QN_NO_LARGEST UINT32_MAX

/* Neighbors [begin, end) of a vertex; they count from `base`. */
struct qn_neighbors {
  const uint32_t *begin, *end;
  uint32_t base;
};

static inline struct qn_neighbors qn_neighbors_of(const struct qn_csr *csr, uint64_t vertex) {
  return (struct qn_neighbors){csr->column_indices + csr->row_offsets[vertex],
                               csr->column_indices + csr->row_offsets[vertex + 1], 0};
}

/* Join a vertex with those neighbors, as far as `largest` has it necessary; other threads may join
 * others. */
void qn_components_join(uint32_t *parent, uint32_t vertex, struct qn_neighbors neighbors,
                        uint32_t largest);

/* Where edges are there from one of their ends alone, both decide: a bit for each vertex that is
 * not known to be in the largest tree, of qn_components_outside_words. All threads. To be given
 * back by qn_pages_free. */
enum qn_status qn_components_find_outside(const uint32_t *parent, uint64_t num_vertices,
                                          uint32_t largest, uint64_t **outside,
                                          struct qn_error *error);
static inline uint64_t qn_components_outside_words(uint64_t num_vertices) {
  return (num_vertices + 63) / 64;
}
static inline bool qn_components_is_outside(const uint64_t *outside, uint32_t vertex) {
  return __atomic_load_n(&outside[vertex / 64], __ATOMIC_RELAXED) >> vertex % 64 & 1;
}
/* Join a vertex with those neighbors, unless both are in the largest tree; whoever comes into it
 * loses its bit. Other threads may join others. */
void qn_components_join_outside(uint32_t *parent, uint32_t vertex, struct qn_neighbors neighbors,
                                uint64_t *outside);

/* Join the ends of one edge; other threads may join others. */
void qn_components_join_ends(uint32_t *parent, uint32_t a, uint32_t b);

/* When the edges of all vertices are joined: let every vertex point at its root, the smallest
 * vertex of its component. All threads. */
void qn_components_end(uint32_t *parent, uint64_t num_vertices);
/* The same of the vertices [begin, end), while others may do it of theirs. */
void qn_components_end_some(uint32_t *parent, uint64_t begin, uint64_t end);

/* How many components there are, and the vertices of the largest, of labels that are vertices of
 * their component. */
struct qn_component_sizes {
  uint64_t count, largest;
};
enum qn_status qn_component_sizes(const uint32_t *labels, uint64_t num_vertices,
                                  struct qn_component_sizes *sizes, struct qn_error *error);
/* The same of labels of 64 bits, each the first member of its component. */
enum qn_status qn_component_sizes_wide(const uint64_t *labels, uint64_t num_vertices,
                                       struct qn_component_sizes *sizes, struct qn_error *error);
