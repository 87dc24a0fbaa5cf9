/* Where to cut the edge list: partitions of at most `capacity` edges, between vertices wherever a
 * vertex's edges fit one partition. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/graph.h>

/* One partition: edges [begin, end). A continuation has no sources of its own. */
struct qn_edge_cut {
  uint64_t begin, end;
  uint64_t num_sources;
};

/* Goes through the partitions in order. */
struct qn_edge_cutter {
  const struct qn_csr *csr;
  const uint32_t *dense; /* [V] */
  uint64_t num_sources;  /* S */
  uint64_t capacity;     /* at least 1 */
  uint64_t row;          /* that holds the next edge; V at the end */
  uint64_t edge;         /* the next one */
};

/* `dense` numbers the rows that are not empty from 0 to num_sources - 1 in order; others are not
 * looked at. */
struct qn_edge_cutter qn_edge_cutter(const struct qn_csr *csr, const uint32_t *dense,
                                     uint64_t num_sources, uint64_t capacity);

/* The next partition; false at the end. Takes as many whole vertices as fit, or, of a vertex that
 * alone exceeds the capacity, as many edges. Constant time but for the logarithm of the vertices
 * taken. */
bool qn_edge_cutter_next(struct qn_edge_cutter *cutter, struct qn_edge_cut *cut);

/* How many partitions a capacity makes, and what ids they need. */
struct qn_edge_cut_size {
  uint64_t num_partitions;
  uint64_t range_size; /* at least 1 */
  uint64_t num_ids;    /* num_partitions x range_size + vertices without out-edges */
};

struct qn_edge_cut_size qn_edge_cut_size(const struct qn_csr *csr, const uint32_t *dense,
                                         uint64_t num_sources, uint64_t capacity);

/* A least capacity (up to where a smaller one happens to fit by chance) of at least `at_least` that
 * makes at most `max_partitions` and `max_ids`. One that holds all edges does. */
uint64_t qn_edge_cut_fit(const struct qn_csr *csr, const uint32_t *dense, uint64_t num_sources,
                         uint64_t at_least, uint64_t max_partitions, uint64_t max_ids);
