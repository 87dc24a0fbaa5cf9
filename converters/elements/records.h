/* Properties of graphs whose files are read element after element: the graph is built first, then
 * the file is read once more, and every vertex and edge is a record of the values that it has. */
#pragma once

#include "converters/properties/tables.h"
#include "formats/text/text_fields.h"

/* Columns of vertices and edges, together: each takes three files while it is gathered. */
#define QN_MOST_ELEMENT_COLUMNS 250
/* A value, or what an element of JSON takes. */
#define QN_MOST_VALUE_BYTES ((uint64_t)16 << 20)
/* The column of what is not wanted. */
#define QN_NOT_WANTED UINT32_MAX

/* Who says of what type a column is: the later ones count. */
enum qn_said_type { QN_TYPE_FOUND, QN_TYPE_DECLARED, QN_TYPE_HINTED, QN_TYPE_ASKED };

struct qn_element_column {
  char key[QN_PROPERTY_NAME_BYTES + 1]; /* what the file calls it */
  enum qn_said_type said;
  char *fallback; /* the value of elements without one; NULL: they have a null */
  uint64_t fallback_length;
};

/* The columns of vertices, or those of edges. */
struct qn_element_table {
  struct qn_table_records *records;
  struct qn_element_column *columns; /* beside those of the records */
  uint32_t room;
  uint32_t last;     /* the column of the last value: the next one has often the next value */
  bool any;          /* the element has a value */
  bool any_fallback; /* some column has one */
};

struct qn_element_records {
  struct qn_wanted_properties wanted;
  struct qn_literals
      *literals;       /* that wait for all to be read (literals.h); NULL: there are none */
  uint64_t *of_vertex; /* [V]: the record of each, or QN_NO_RECORD */
  struct qn_element_table tables[2];
};

enum { QN_OF_VERTICES, QN_OF_EDGES };

/* `wanted` is "all" or NAME[:TYPE],...; records->ids and order of both tables are set. Owned until
 * end. */
enum qn_status qn_element_records_begin(struct qn_element_records *records, const char *wanted,
                                        struct qn_table_records *of_vertices,
                                        struct qn_table_records *of_edges, uint64_t *of_vertex,
                                        struct qn_error *error);
/* Another input begins, which may call columns otherwise. */
void qn_element_records_next(struct qn_element_records *records);
/* All inputs are read: what waits for that is given its place. QN_USAGE if something that is wanted
 * was in none. */
enum qn_status qn_element_records_check(struct qn_element_records *records, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_element_records_end(struct qn_element_records *records);

/* The column that the file calls `key`, a new one if it is new, or QN_NOT_WANTED. `type` 0: nobody
 * says. QN_INVALID for what is no name, for a second type and for too many columns. */
enum qn_status qn_element_column(struct qn_element_records *records, int which, const char *key,
                                 enum qn_property_type type, uint32_t *column,
                                 struct qn_error *error);

/* As qn_text_column_add of the element that is read. QN_INVALID if it has a value of the column. */
enum qn_status qn_element_value(struct qn_element_records *records, int which, uint32_t column,
                                const char *text, uint64_t length, bool quoted,
                                struct qn_error *error);

/* Both at once. */
enum qn_status qn_element_named_value(struct qn_element_records *records, int which,
                                      const char *key, const char *text, uint64_t length,
                                      bool quoted, struct qn_error *error);

/* What elements have that say nothing, before the first element. */
enum qn_status qn_element_fallback(struct qn_element_records *records, int which, uint32_t column,
                                   const char *text, uint64_t length, struct qn_error *error);

/* The vertex called so; QN_INVALID if there is none. */
enum qn_status qn_element_find_vertex(const struct qn_element_records *records, struct qn_text name,
                                      uint32_t *vertex, struct qn_error *error);

/* The element whose values came before is the vertex called so, or the edge between these; its
 * number among all edges is `*number`. */
enum qn_status qn_element_vertex(struct qn_element_records *records, struct qn_text name,
                                 struct qn_error *error);
enum qn_status qn_element_vertex_at(struct qn_element_records *records, uint32_t vertex,
                                    struct qn_error *error);
enum qn_status qn_element_edge(struct qn_element_records *records, struct qn_text source,
                               struct qn_text destination, uint32_t ends[2], uint64_t *number,
                               struct qn_error *error);

/* What Quern says of a graph's properties in a file that it wrote: an object of JSON with the
 * columns in their order (specs/properties.md). */
enum qn_status qn_element_hint(struct qn_element_records *records, const json_t *hint,
                               struct qn_error *error);
