/* What a graph of several types is put together from: containers, each with vertices or edges of
 * one type, or with a property that says the type of each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>

/* What vertices are called that nobody gives a type. */
#define QN_UNTYPED_VERTEX "vertex"
#define QN_UNTYPED_EDGE "edge"

/* All vertices of a container. Ids of one space are different vertices, those of two spaces too. */
struct qn_typed_vertex_source {
  const struct qn_container *container; /* verified and checked, of the layout graph */
  const char *file;                     /* for messages */
  const char *space;                    /* "": the one without a name */
  const char *type;                     /* NULL: the column says it */
  const char *type_column; /* the property, a string, that says the type, or with `type` further
                              labels; NULL: there is none */
};

/* Whom the ends of edges are looked for among. */
struct qn_typed_end {
  const char *space; /* NULL: that of the vertices of the type */
  const char *type;  /* NULL: of any type. Where no vertices of the space are listed, those that
                        edges name are of this type */
  bool by_place;     /* else: vertex v of the container of edges is vertex v of that of `table` */
  uint32_t table;    /* of the sources of vertices */
};

/* All edges of a container. */
struct qn_typed_edge_source {
  const struct qn_container *container; /* the same */
  const char *file;
  bool bipartite; /* its vertices are called L and the id as sources, R and the id as destinations
                     (quern-import --bipartite) */
  struct qn_typed_end ends[2]; /* sources, destinations */
  const char *type;            /* NULL: the column says it */
  const char *type_column;     /* the property, a string, that says the type */
};

struct qn_typed_sources {
  const struct qn_typed_vertex_source *vertices;
  uint32_t num_vertices;
  const struct qn_typed_edge_source *edges;
  uint32_t num_edges;
};
