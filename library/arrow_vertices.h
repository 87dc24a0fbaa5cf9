/* The vertices of an import, from a stream of Arrow: what they are called, and their properties. */
#pragma once

#include "converters/parse/reader.h"
#include "library/arrow_properties.h"

struct qn_arrow_vertices {
  struct ArrowArrayStream stream; /* not released: there is one */
  const char *asked;              /* the column of ids, or NULL: by its name, else the first */
  bool by_row;                    /* ends of edges are rows of this table */
  struct ArrowSchema schema;
  bool has_ids; /* a table by rows may lack them */
  struct qn_arrow_property ids;
  struct qn_arrow_properties properties;
  uint64_t num_rows;
};

/* Read all rows. By ids they become vertices with or without edges: numbers in result->extra_ids,
 * texts, which `texts` says that edges have, in result->names_map. By rows they declare all
 * vertices, and their names. */
enum qn_status qn_arrow_vertices_read(struct qn_arrow_vertices *vertices, bool texts,
                                      struct qn_read_result *result, struct qn_error *error);

/* The columns of properties, and the row of each vertex of a graph with these ids, QN_NO_RECORD if
 * it has none. QN_INVALID if a vertex has two. */
enum qn_status qn_arrow_vertices_finish(struct qn_arrow_vertices *vertices,
                                        const struct qn_ids *ids, struct qn_property_table *table,
                                        uint64_t *of_vertex, struct qn_error *error);

/* Release the stream, if there is one, and all that was read. */
void qn_arrow_vertices_end(struct qn_arrow_vertices *vertices);

/* "the Arrow stream failed", by what it says of that. */
enum qn_status qn_arrow_stream_fail(struct ArrowArrayStream *stream, int code,
                                    struct qn_error *error);
/* The number, from 1, of the column that a name or, if none has it, a number from 1 means. */
enum qn_status qn_arrow_column_find(const struct ArrowSchema *schema, const char *asked,
                                    uint32_t *number, struct qn_error *error);
