/* Figures of graphs that take a look at every edge. */
#pragma once

#include <quern/error.h>
#include <quern/graph.h>

/* Edges from a vertex to itself. Reads a few columns of every row. */
uint64_t qn_csr_count_loops(const struct qn_csr *csr);

/* Edges that have the ends of one before them; with `once` those of an undirected graph, each of
 * them stored both ways, that are. */
uint64_t qn_csr_count_parallel(const struct qn_csr *csr, bool once);

/* Vertices whose rows are empty; with `in_offsets` [V + 1], not NULL, those of in-edges too. */
uint64_t qn_csr_count_empty(const struct qn_csr *csr, const uint64_t *in_offsets);

/* Vertices that no edge begins or ends at. */
enum qn_status qn_graph_count_isolated(const struct qn_graph *graph, uint64_t *count,
                                       struct qn_error *error);
