/* What is told by looking at every edge from both ends: reciprocity and weak components. */
#pragma once

#include "formats/graph/components.h"

struct qn_both_ends {
  /* Of directed graphs; loops are left out, and parallel edges are one. */
  uint64_t distinct; /* pairs (u, v), u != v, with an edge from u to v */
  uint64_t mutual;   /* of these, pairs with one from v to u too */
  struct qn_component_sizes components;
};

/* Fill `in_offsets` [V + 1] of a directed graph, whose vertex v has in_offsets[v + 1] -
 * in_offsets[v] in-edges; for an undirected one it is NULL. Takes 4 bytes a vertex, and 4 an edge
 * where a directed graph has no transpose. */
enum qn_status qn_graph_both_ends(const struct qn_graph *graph, uint64_t *in_offsets,
                                  struct qn_both_ends *ends, struct qn_error *error);
