/* The files of a set being made. */
#pragma once

#include "formats/set/set.h"

/* Who writes a set says that it was this tool, so that all ways of making one give the same files.
 */
#define QN_SET_TOOL "quern-transform"

/* Rows [begin, end) of a graph, as they lie in memory. */
struct qn_set_piece {
  uint64_t begin, end;
  const uint64_t *row_offsets; /* [end - begin + 1], from any number on */
  const uint32_t *columns;     /* from the first row's on */
  const void *weights;
  uint64_t first_column; /* columns count from there */
};

/* Where part `index` of `num_parts` begins, if rows cost so much in all: at the first vertex before
 * which as much lies. */
uint64_t qn_set_share(uint64_t cost, uint64_t index, uint64_t num_parts);

/* What rows before a vertex cost, before which so many edges are. */
uint64_t qn_set_cost(enum qn_set_balance balance, uint64_t vertex, uint64_t edges_before);

/* Whose columns of edges become those of a part: its edge e has the values of edge records[e]. */
struct qn_set_edge_values {
  const struct qn_properties *properties; /* of the graph */
  const uint64_t *records;
};

/* Write part `index` of `set`, which knows its ranges and identity, to `path`. The pieces make up
 * its rows, with the edges of its columns alone; `values` may be NULL: edges have no properties.
 * With `replace` it takes the place of a file that is there. Fills in what the manifest says of the
 * file. */
enum qn_status qn_set_write_part(struct qn_set *set, uint64_t index,
                                 const struct qn_set_piece *pieces, uint64_t num_pieces,
                                 const struct qn_set_edge_values *values, const char *tool,
                                 const char *path, bool replace, struct qn_error *error);

/* A part that is to become one of another layout: the container of its rows, in memory, or where
 * memory is limited in the temporary folder; then `path`, of it, which it owns from then on. */
struct qn_set_builder {
  const char *tool; /* that the manifest names */
  enum qn_layout layout;
  qn_set_build *build;
  void *user;
};
enum qn_status qn_set_make_part(const struct qn_set *set, uint64_t index,
                                const struct qn_set_piece *pieces, uint64_t num_pieces,
                                const char *tool, struct qn_container **out,
                                struct qn_error *error);
enum qn_status qn_set_build_part(struct qn_set *set, uint64_t index,
                                 const struct qn_set_builder *builder, struct qn_container *plain,
                                 const char *path, struct qn_error *error);

/* All of them: a file of a range has what is of its own. */
struct qn_set_vertices {
  const struct qn_ids *ids;
  const struct qn_properties *properties; /* of the graph; NULL: it has none */
  bool of_range; /* ids and properties are those of the range alone, as each type has its own */
  const uint64_t *of_vertex; /* [V]: vertex v has value of_vertex[v] of a column; NULL: value v */
  /* Of the vertices [begin, end). */
  void (*fill_degrees)(const void *context, uint64_t begin, uint64_t end, uint64_t *degrees);
  enum qn_status (*write_metadata)(const void *context, struct qn_writer *writer,
                                   struct qn_error *error);
  const void *context;
};

/* Write the vertices of range `index` of `set`, which knows its ranges, to `path`, and fill in what
 * the manifest says of the file. The first one has the metadata, and of generations each. */
enum qn_status qn_set_write_vertices(struct qn_set *set, uint64_t index,
                                     const struct qn_set_vertices *vertices, const char *path,
                                     struct qn_error *error);
/* The files of all ranges of `set`. */
enum qn_status qn_set_write_all_vertices(struct qn_set *set, const struct qn_set_vertices *vertices,
                                         struct qn_set_writer *writer, struct qn_error *error);
