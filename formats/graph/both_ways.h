/* A directed graph with the reverse of each edge. */
#pragma once

#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Make `graph` (zeroed, or to be overwritten) the undirected graph in memory that quern-transform
 * --symmetrize makes of a directed one: every edge in both its rows, with its weight, so that one
 * that is there both ways is there twice; a loop once. Edges between the same two vertices have one
 * order in both rows. The ids are borrowed. The same for any number of threads. */
enum qn_status qn_graph_create_both_ways(const struct qn_graph *directed, struct qn_graph *graph,
                                         struct qn_error *error);

#ifdef __cplusplus
}
#endif
