/* Properties from tables of text, for a graph that was built of the same tables: a line of edges or
 * of vertices is a record, numbered in the order of the input. */
#pragma once

#include "converters/edges/edge_list.h"
#include "converters/parse/reader.h"
#include "converters/properties/choice.h"
#include "converters/properties/text_column.h"
#include "support/input/input.h"
#include "support/ranks/collective.h"

/* The columns of one or several tables. */
struct qn_table_records {
  const struct qn_ids *ids; /* of the graph's vertices */
  const uint32_t *order;    /* qn_ids_original_order of them */
  uint64_t count;           /* records */
  uint64_t first;           /* the number of the first one, where several ranks have some */
  bool columns_only;        /* of the next table: others read its lines */
  bool begun;               /* the first table was read: the others have the same columns */
  struct qn_text_column *columns;
  uint32_t num_columns;
  char weight[QN_PROPERTY_NAME_BYTES + 1]; /* what the header calls the weights, or "" */
};

/* Add the edges of the input `path`, an edge list with the columns that --properties wants (NULL:
 * none), as vertices of the graph to `list`: the weight of each is the number of its record, as
 * i64. Of an input of which a part is wanted, the lines of that. QN_INVALID, with the place, for
 * what makes no sense. */
enum qn_status qn_edge_records_read(const char *path, const struct qn_input_options *how,
                                    const struct qn_read_options *options, const char *wanted,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    struct qn_table_records *records, struct qn_error *error);

/* The table of vertices `path` (readers/vertex_table.c): all its columns. `of_vertex` [V] gets the
 * record of each vertex, or QN_NO_RECORD. QN_INVALID if a vertex is in two of them. */
enum qn_status qn_vertex_records_read(const char *path, const struct qn_input_options *how,
                                      const struct qn_text_choice *choice, uint64_t *of_vertex,
                                      struct qn_table_records *records, struct qn_error *error);

/* Ranks that have read tables of the same columns agree on the types that are to be found. */
enum qn_status qn_table_records_agree(struct qn_table_records *records,
                                      const struct qn_collective *ranks, struct qn_error *error);

/* All tables are read: the columns as properties, `table->columns` in memory that is given back by
 * qn_free; their values live until the records end. */
enum qn_status qn_table_records_finish(struct qn_table_records *records,
                                       struct qn_property_table *table, struct qn_error *error);
/* Zeroed ones are allowed. */
void qn_table_records_end(struct qn_table_records *records);
