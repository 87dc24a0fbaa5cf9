/* The edge-partitions layout (specs/edge-partitions.md): Graphie's renamed edge list, cut
 * into partitions by source.
 *
 * Vertices have three numbers:
 *
 *   vertex  0 .. V-1    as in the graph
 *   dense   0 .. V-1    after the first renaming (Graphie, Algorithm 2): the S vertices with
 *                       out-edges first, then the others, each in vertex order
 *   id                  after the second (Algorithm 3): what sources and destinations hold. The
 *                       sources of partition p have the ids from p * range_size on, so that
 *                       id / range_size is a vertex's partition; vertices without out-edges
 *                       have the ids from P * range_size on.
 *
 *   dense = id - prefix_offsets[min(id / range_size, P)]        vertex = new_to_old[dense]
 */
#ifndef QUERN_EDGE_PARTITIONS_H
#define QUERN_EDGE_PARTITIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/graph.h>
#include <quern/ids.h>
#include <quern/inline.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Positions in the header's parameters. */
enum qn_edge_partitions_parameter {
  QN_EP_NUM_PARTITIONS = 0,
  QN_EP_RANGE_SIZE = 1,
  QN_EP_NUM_SOURCES = 2,
  QN_EP_CAPACITY = 3,
};

/* Ids end before this: it can stand for "none". */
#define QN_EP_MAX_IDS ((uint64_t)UINT32_MAX)

struct qn_edge_partitions {
  struct qn_container *container; /* owned; NULL for borrowed containers */
  enum qn_directedness directedness;
  uint64_t num_vertices;   /* V */
  uint64_t num_edges;      /* E */
  uint64_t num_sources;    /* S: vertices with out-edges */
  uint64_t num_partitions; /* P; 0 if and only if there are no edges */
  uint64_t range_size;     /* ids a partition spans, at least 1 */
  uint64_t capacity;       /* edges that a partition may hold, at least 1 */
  /* [P + 1] partition p is the edges [edge_offsets[p], edge_offsets[p + 1]) */
  const uint64_t *edge_offsets;
  /* [P + 1] ids left unused before partition p (the paper's pre_sum). If p's own are all unused, it
   * continues the single source of the partition before. */
  const uint32_t *prefix_offsets;
  const uint32_t *new_to_old;   /* [V] dense -> vertex */
  const uint32_t *sources;      /* [E] ids, ascending */
  const uint32_t *destinations; /* [E] ids, ascending within a source */
  struct qn_weights weights;    /* [E] */
  struct qn_ids ids;            /* by vertex */
};

/* Structure: EP-1, sections, types, counts. Check: EP-1 to EP-11 and ID-1 to ID-4. Afterwards every
 * source and destination is the id of a vertex. Content: EP-12 (finite weights) and EP-13 (symmetry
 * of undirected graphs). */
QN_DECLARE_LAYOUT(edge_partitions)

/* The dense number of the first source of partition p; for p = P, of the first vertex without
 * out-edges. A partition whose successor begins with the same source is continued. */
static inline uint64_t qn_ep_first_dense(const struct qn_edge_partitions *view, uint64_t p) {
  return p * view->range_size - view->prefix_offsets[p];
}

/* Sources that begin in partition p; 0: it continues the one before. */
static inline uint64_t qn_ep_num_sources(const struct qn_edge_partitions *view, uint64_t p) {
  return view->range_size - (view->prefix_offsets[p + 1] - view->prefix_offsets[p]);
}

/* The out-degree of a vertex of the graph, by binary search: the layout has no row offsets. */
uint64_t qn_edge_partitions_out_degree(const struct qn_edge_partitions *view, uint64_t vertex);

/* Division of 32-bit ids by range_size as a multiplication (Granlund and Montgomery, Division by
 * Invariant Integers using Multiplication, 1994): with l = ceil(log2 d), the quotient of n is the
 * high part of n * ceil(2^(32+l) / d), a product of up to 65 bits. */
struct qn_ep_divider {
  uint64_t multiplier; /* ceil(2^(32 + shift) / d) - 2^32 */
  unsigned shift;      /* ceil(log2 d) */
};

static inline struct qn_ep_divider qn_ep_divider(uint64_t range_size) {
  struct qn_ep_divider divider = {0, 0};
  while (((uint64_t)1 << divider.shift) < range_size)
    divider.shift++;
  divider.multiplier =
      (((((uint64_t)1 << divider.shift) - range_size) << 32) + range_size - 1) / range_size;
  return divider;
}

/* id / range_size */
QN_INLINE uint64_t qn_ep_divide(struct qn_ep_divider divider, uint32_t id) {
  return (((id * divider.multiplier) >> 32) + id) >> divider.shift;
}

/* The dense number of an id that is a vertex's. */
static inline uint32_t qn_ep_dense(const struct qn_edge_partitions *view,
                                   struct qn_ep_divider divider, uint32_t id) {
  uint64_t partition = qn_ep_divide(divider, id);
  if (partition > view->num_partitions)
    partition = view->num_partitions;
  return id - view->prefix_offsets[partition];
}

/* Add the sections of the layout to a writer, in the spec's order, for the counts in its info and
 * parameters. */
struct qn_edge_partitions_arrays {
  uint64_t *edge_offsets;
  uint32_t *prefix_offsets;
  uint32_t *new_to_old;
  uint32_t *sources;
  uint32_t *destinations;
  void *weights; /* as the header's type says; NULL without weights */
};
enum qn_status qn_edge_partitions_write(struct qn_writer *writer,
                                        struct qn_edge_partitions_arrays *arrays,
                                        struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
