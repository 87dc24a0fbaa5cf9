/* The edges of a graph of several types: sorted into types, each in rows. */
#pragma once

#include "converters/typed/vertices.h"

/* An edge where it came from: `pick` (formats/properties/gather.h) is of the sources of edges. */
struct qn_typed_edge {
  uint32_t source, destination; /* numbers of vertices */
  uint64_t pick;
};

/* A type, and its edges in the order of their sources and destinations, of parallel ones in that
 * of the input. */
struct qn_edge_type {
  char *name;
  uint32_t source, target; /* types of vertices */
  uint64_t count;
  struct qn_typed_edge *edges;
  enum qn_weight_type weight_type;
};

struct qn_typed_edges {
  struct qn_edge_type *types; /* [num_types] by name, source and target */
  uint32_t num_types;
  struct qn_typed_edge *edges; /* [count] of all types */
  uint64_t count;
};

/* QN_INVALID names an end that no vertex is called, or two sources of a type one of which has other
 * weights. Owned until destroy. */
enum qn_status qn_typed_edges_create(const struct qn_typed_sources *sources,
                                     const struct qn_typed_vertices *vertices,
                                     struct qn_typed_edges *out, struct qn_error *error);
/* Zeroed edges are allowed. */
void qn_typed_edges_destroy(struct qn_typed_edges *edges);
