/* Edges that come to a graph, or go from it, in the numbers of its vertices. */
#pragma once

#include <stdint.h>

#include "formats/set/changed.h"

#define QN_NO_VERTEX UINT32_MAX

/* The vertices that a graph has, by what they are called. */
struct qn_known_vertices {
  const struct qn_changed *changed;
  uint32_t **orders; /* [generations + 1] of the base and of the new vertices of each */
};

/* Owned until release, also after a failure. */
enum qn_status qn_known_vertices_make(const struct qn_changed *changed,
                                      struct qn_known_vertices *known, struct qn_error *error);
void qn_known_vertices_release(struct qn_known_vertices *known);
uint64_t qn_known_vertices_count(const struct qn_known_vertices *known);
/* map[v]: the vertex that is called as vertex v of `ids`; QN_NO_VERTEX: none is. */
void qn_known_vertices_find_all(const struct qn_known_vertices *known, const struct qn_ids *ids,
                                uint32_t *map);

/* Rows of edges, both in the order of vertices; parallel ones in that of the graph they are from.
 */
struct qn_delta {
  uint64_t num_rows;
  uint32_t *vertices;
  uint64_t *offsets; /* [num_rows + 1] */
  uint32_t *columns;
  uint64_t *edges; /* which they are in that graph */
};

/* The edges of `rows`, whose vertex d is vertex map[d]; those with an end of which there is none
 * are left out. Owned until release, which takes a zeroed one, too. */
enum qn_status qn_delta_make(const struct qn_csr *rows, const uint32_t *map, struct qn_delta *delta,
                             struct qn_error *error);
void qn_delta_release(struct qn_delta *delta);
