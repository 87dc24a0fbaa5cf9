/* The neighbours of vertices, in both directions, as those who partition see them. */
#pragma once

#include <quern/graph.h>

struct qn_neighbors {
  const struct qn_csr *rows[2]; /* out, and of a directed graph in */
  unsigned num_rows;
  struct qn_graph transposed; /* where the in-edges are, if the graph stores none */
};

/* In-edges that the graph does not store take 4 bytes an edge and 8 a vertex; in temporary files
 * with --memory. Owned until close, which takes zeroed ones, too. */
enum qn_status qn_neighbors_open(const struct qn_graph *graph, struct qn_neighbors *neighbors,
                                 struct qn_error *error);
void qn_neighbors_close(struct qn_neighbors *neighbors);

/* The columns of row `v`. A file that is overwritten meanwhile may have any offsets: the end is
 * within the edges. */
static inline const uint32_t *qn_row_of(const struct qn_csr *csr, uint64_t v, uint64_t *count) {
  const uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
  const bool sound = begin <= end && end <= csr->num_edges;
  *count = sound ? end - begin : 0;
  return csr->column_indices + (sound ? begin : 0);
}

/* How many edges there are, each counted once. */
uint64_t qn_count_edges_once(const struct qn_graph *graph);
