/* The blocked-csr layout: CSR cut into blocks whose vertex values fit the cache
 * (specs/blocked-csr.md). From Chen, GraphCage: Cache Aware Graph Processing on
 * GPUs, 2019, section 3.1 (TOCAB). */
#ifndef QUERN_BLOCKED_CSR_H
#define QUERN_BLOCKED_CSR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/graph.h>
#include <quern/ids.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Vertices of a range, the unit of the reduction. */
#define QN_RANGE_VERTICES 1024

/* Range starts at most (16 GiB of them): bounds blocks x ranges. */
#define QN_MAX_RANGE_STARTS ((uint64_t)1 << 32)

/* Header parameters */
enum qn_blocked_csr_parameter {
  QN_BLOCKED_BLOCK_VERTICES = 0, /* vertices of a block, at least 1, less than 2^32 */
  QN_BLOCKED_DIRECTIONS = 1,     /* set of enum qn_blocked_csr_directions, not empty */
  QN_BLOCKED_RANGE_VERTICES = 2, /* QN_RANGE_VERTICES */
};

enum qn_blocked_csr_directions { QN_BLOCKED_PULL = 1, QN_BLOCKED_PUSH = 2 };

/* All edges in one direction. Pull: a row is a destination, its columns are sources; push: a row is
 * a source, its columns are destinations. Block b holds the edges whose column lies in
 * [b x block_vertices, (b + 1) x block_vertices), and a row for each vertex that has one.
 * L is the number of rows of all blocks. */
struct qn_blocking {
  uint64_t num_blocks; /* B = ceil(V / block_vertices) */
  uint64_t num_ranges; /* R = ceil(V / QN_RANGE_VERTICES) */
  uint64_t num_rows;   /* L */
  uint64_t num_edges;  /* E */
  uint64_t block_vertices;
  const uint64_t *block_rows;   /* [B + 1] block b's rows are [block_rows[b], block_rows[b+1]) */
  const uint64_t *block_edges;  /* [B + 1] its edges [block_edges[b], block_edges[b+1]) */
  const uint32_t *id_map;       /* [L] the vertex of each row; ascends in a block */
  const uint32_t *row_offsets;  /* [L + B] see qn_block_offsets */
  const uint32_t *range_starts; /* [B x (R + 1)] see qn_block_ranges */
  const uint32_t *columns;      /* [E] ascending in a row */
  struct qn_weights weights;    /* [E] */
};

/* The row offsets of a block: local row i spans its edges [offsets[i], offsets[i+1]), counted from
 * block_edges[block]. One more than the block has rows. */
static inline const uint32_t *qn_block_offsets(const struct qn_blocking *blocking, uint64_t block) {
  return blocking->row_offsets + blocking->block_rows[block] + block;
}

/* The range starts of a block: the vertices [1024 r, 1024 (r+1)) have the local rows
 * [starts[r], starts[r+1]). R + 1 entries. */
static inline const uint32_t *qn_block_ranges(const struct qn_blocking *blocking, uint64_t block) {
  return blocking->range_starts + block * (blocking->num_ranges + 1);
}

struct qn_blocked_csr {
  struct qn_container *container; /* owned; NULL for borrowed containers */
  enum qn_directedness directedness;
  uint64_t num_vertices;
  uint64_t num_edges;
  const uint32_t *out_degrees; /* [V] */
  bool has_pull;
  bool has_push;
  bool has_out; /* the out-edges are stored as plain CSR too */
  struct qn_blocking pull;
  struct qn_blocking push;
  struct qn_csr out;
  struct qn_ids ids;
};

/* The out-degree of a vertex of the graph. */
static inline uint64_t qn_blocked_csr_out_degree(const struct qn_blocked_csr *blocked,
                                                 uint64_t vertex) {
  return blocked->out_degrees[vertex];
}

/* Structure: BC-1, sections, and the block bounds (BC-2, BC-3). Check: BC-4 to BC-8, G-1 to G-5 for
 * the plain out-edges, and the rules of ids. Content: BC-9 to BC-13. */
QN_DECLARE_LAYOUT(blocked_csr)

/* Put the rows of all blocks together again: `graph` becomes a graph in memory whose out-rows are
 * the rows of `blocking`. The blocking must have been checked. */
enum qn_status qn_blocking_unite(const struct qn_blocking *blocking, uint64_t num_vertices,
                                 struct qn_graph *graph, struct qn_error *error);

/* The edges of the rows of all ranges before `range`, which is at most R. */
uint64_t qn_blocking_edges_before(const struct qn_blocking *blocking, uint64_t range);

/* The rows of the ranges [begin, end) alone, `num_rows` with `num_edges` edges: into `offsets`
 * [num_rows + 1], which count from the first of these, and `columns` [num_edges]. Whatever the
 * bytes are, nothing else is written; false if there are not so many edges. */
bool qn_blocking_unite_between(const struct qn_blocking *blocking, uint64_t begin, uint64_t end,
                               uint64_t num_rows, uint64_t num_edges, uint64_t *offsets,
                               uint32_t *columns);

/* The out-edges as plain CSR, computed: unmap `graph` when done. */
enum qn_status qn_blocked_csr_out_edges(const struct qn_blocked_csr *blocked,
                                        struct qn_graph *graph, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
