/* Every edge of the simple undirected graph (loops, directions and multiplicities ignored) once, at
 * the end of lower degree: what algorithms on triangles walk.
 *
 * Vertices are renumbered by falling degree, and each edge is kept at its later end, so that a
 * triangle a < b < c is found once, at its edge (c, b), as a member of both ends' lists. Earlier
 * means higher degree, so lists are short: at most sqrt(2 E) (Schank, Wagner: Finding, Counting and
 * Listing All Triangles in Large Graphs, 2005). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_orientation {
  uint64_t num_vertices;
  uint32_t *old_vertex; /* [V] by new number */
  uint64_t *offsets;    /* [V + 1] where the list of a new number begins */
  uint64_t *counts;     /* [V] its length: lists do not fill the room up to the next */
  uint32_t *earlier;    /* neighbours with smaller new numbers, each once, in any order */
  uint8_t *ways;        /* beside `earlier`: an edge in one direction, 1, or in both, 2; NULL: not
                           asked for, or an undirected graph, where it is 2 everywhere */
  uint64_t room;        /* of both */
};

/* The neighbours of a vertex v in two parts: [offsets[v], offsets[v + 1]) of `columns`, and entry k
 * of ell[k x pitch + v], for k < width, up to one that is UINT32_MAX. */
struct qn_row_parts {
  const uint64_t *offsets; /* [V + 1] */
  const uint32_t *columns;
  const uint32_t *ell; /* [width x pitch]; NULL: width is 0 */
  uint64_t pitch, width;
};

/* Rows of the vertices [begin, end), counted from `begin`: out-edges and in-edges, or `has_in`
 * false where one direction will do or there is one alone, of whichever. */
struct qn_oriented_rows {
  uint64_t begin, end;
  struct qn_row_parts out, in;
  bool has_in;
};

/* Where they come from, band by band: `take` brings one of them, and the one before is gone. */
struct qn_oriented_source {
  uint64_t num_vertices, num_bands;
  enum qn_status (*take)(void *context, uint64_t band, struct qn_oriented_rows *rows,
                         struct qn_error *error);
  void *context;
  bool is_one_way; /* a directed graph's rows, in one direction alone */
  bool wants_ways; /* of a directed graph */
};

/* Each band is taken twice. Lists are the same for any number of threads, but for the order of
 * their vertices if that of the rows is not, or rows are of one direction. Owned until destroyed.
 */
enum qn_status qn_orientation_of_bands(const struct qn_oriented_source *source,
                                       struct qn_orientation *orientation, struct qn_error *error);

/* Of all rows as they lie: out-edges and in-edges, or `in` NULL where there is one direction alone,
 * of whichever. `wants_ways` asks for the ways of a directed graph. Owned until destroyed. */
enum qn_status qn_orientation_of_rows(uint64_t num_vertices, const struct qn_row_parts *out,
                                      const struct qn_row_parts *in, bool is_directed,
                                      bool wants_ways, struct qn_orientation *orientation,
                                      struct qn_error *error);

/* The same of a graph. */
enum qn_status qn_orientation_create(const struct qn_graph *graph, bool wants_ways,
                                     struct qn_orientation *orientation, struct qn_error *error);

/* Move lists together, so that offsets[c + 1] is where that of c ends. */
void qn_orientation_close_gaps(struct qn_orientation *orientation);

/* A zeroed struct is allowed. */
void qn_orientation_destroy(struct qn_orientation *orientation);

#ifdef __cplusplus
}
#endif
