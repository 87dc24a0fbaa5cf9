/* The upper triangle of an undirected graph as older archives hold it: columns row by row, where
 * rows begin only counting tells. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

/* Nothing of it is believed. */
struct qn_whole_triangle {
  uint64_t num_vertices, num_edges; /* of the graph */
  const uint64_t *row_offsets;      /* [V + 1] of the graph */
  uint64_t count;
  const uint32_t *columns; /* [count] in row order */
};

/* Find where its rows begin, `rows` [V + 1]: `*fits` is false if it does not fit the row offsets,
 * or an edge leads back or nowhere. Takes 5 bytes a vertex for each of up to 8 threads. */
enum qn_status qn_whole_triangle_rows(const struct qn_whole_triangle *triangle, uint64_t *rows,
                                      bool *fits, struct qn_error *error);
