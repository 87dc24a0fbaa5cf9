/* Parts of a graph as graphs, whose vertices keep their original ids.
 *
 * The queries of GBASE (Kang, Tong, Sun, Lin, Faloutsos, KDD 2011) that GTS (Kim et al., SIGMOD
 * 2016, section 3.3) names beside searches: the egonet of k hops, the subgraph that is induced by
 * given vertices, and the cross-edges between groups of vertices. */
#pragma once

#include "converters/graph/relabel.h"
#include "formats/vertices/vertex_file.h"
#include <quern/graph.h>

/* Which edges are followed from a vertex. */
enum qn_along { QN_ALONG_OUT, QN_ALONG_IN, QN_ALONG_BOTH };

/* Put `center` and all vertices at most `hops` away from it into group 0 of `groups`, in which
 * nobody was. In-edges are made where the graph has none at hand. */
enum qn_status qn_mark_egonet(const struct qn_graph *graph, uint32_t center, uint64_t hops,
                              enum qn_along along, struct qn_vertex_groups *groups,
                              struct qn_error *error);

/* Put the vertices of the k-core into group 0 of `groups`, in which nobody was: the largest set of
 * vertices each of which has `core` edges or more to others of the set (Seidman 1983). Directions
 * are ignored: an edge of a directed graph counts at both its ends. Parallel edges count, a loop
 * does once. In-edges are made where the graph has none at hand. */
enum qn_status qn_mark_core(const struct qn_graph *graph, uint64_t core,
                            struct qn_vertex_groups *groups, struct qn_error *error);

struct qn_subgraph {
  struct qn_graph graph; /* in memory; as directed and as weighted as the whole */
  struct qn_relabeling relabeling;
  uint64_t edges_left_out;
};

/* The vertices that are in some group, in their order, and the edges between them; with `cross`
 * only those between vertices of different groups. `graph` has been checked. Takes 4 bytes a
 * vertex of the whole, and 4 bytes an edge of the part (8 with weights). Owned until destroy. */
enum qn_status qn_subgraph_create(const struct qn_graph *graph,
                                  const struct qn_vertex_groups *groups, bool cross,
                                  struct qn_subgraph *subgraph, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_subgraph_destroy(struct qn_subgraph *subgraph);
