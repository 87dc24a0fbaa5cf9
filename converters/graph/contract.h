/* The quotient of a graph: groups of vertices become vertices. */
#pragma once

#include "converters/graph/subgraph.h"

/* Every group becomes one vertex, called after the first of its vertices in original order;
 * vertices of no group go. All edges from one group to another become one, whose weight is the sum
 * of theirs: u32 or, where that is too little, i64, and f64 of real weights; where there are none
 * each counts 1. The edges within a group become a loop; of an undirected graph each counts once.
 * `graph` has been checked. QN_UNSUPPORTED if a sum leaves its type. Owned until
 * qn_subgraph_destroy. */
enum qn_status qn_contract(const struct qn_graph *graph, const struct qn_vertex_groups *groups,
                           struct qn_subgraph *quotient, struct qn_error *error);
