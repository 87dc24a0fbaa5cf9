/* What the tables of a graph of several types are: which files, and what their headers say. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/input/input.h"
#include "support/options.h"
#include <quern/error.h>

/* quern-import's options for graphs of several types. All zero: there is one type. */
struct qn_typed_options {
  bool types;                     /* headers say what inputs are */
  const char *vertex_type_column; /* NULL: none was named */
  const char *edge_type_column;
  char **vertex_tables, **edge_tables; /* as given: TYPE=FILE,..., NAME:SOURCE:TARGET=FILE,... */
  uint32_t num_vertex_tables, num_edge_tables;
};

/* For qn_setting_set; texts are borrowed. */
#define QN_TYPED_GROUP 13
extern const struct qn_setting qn_typed_settings[];
void qn_typed_options_release(struct qn_typed_options *options);

/* Is a graph of several types asked for? */
bool qn_typed_asked(const struct qn_typed_options *options);

/* A table: one or several files, of which the first has a header that is that of all. */
struct qn_typed_table {
  bool of_edges;
  bool by_option;          /* --vertex-table or --edge-table, which say its type */
  char *type, *ends[2];    /* as declared; NULL: the header or a column says it */
  char *space, *spaces[2]; /* of ids, as Neo4j's headers say; NULL: they say none */
  bool neo4j;              /* the header is such */
  bool says_type;          /* it has a column :LABEL or :TYPE */
  char *ldbc;              /* what LDBC's files are called, without numbers (ldbc.h); NULL: it is
                              none of them. Columns are between bars, and the header is: */
  char *header;
  uint32_t columns[2]; /* of ends, from 1 */
  bool quotes;         /* values may be in quotes, in which a backslash stands before quotes */
  char **files;
  uint32_t num_files;
};

struct qn_typed_tables {
  struct qn_typed_table *tables;
  uint32_t count;
  /* Inputs whose header is none of Neo4j's: all together are one graph. */
  char **others;
  uint32_t num_others;
};

/* The tables that options and inputs (files, and folders of files) name. QN_USAGE of an option that
 * is none; QN_INVALID of a folder with other files. Owned until release, also after a failure. */
enum qn_status qn_typed_tables_find(const struct qn_typed_options *options, char *const *inputs,
                                    int num_inputs, const struct qn_input_options *how,
                                    struct qn_typed_tables *tables, struct qn_error *error);
/* One more, without anything. */
enum qn_status qn_typed_tables_add(struct qn_typed_tables *tables, struct qn_typed_table **table,
                                   struct qn_error *error);
enum qn_status qn_typed_table_add_file(struct qn_typed_table *table, const char *path,
                                       struct qn_error *error);
/* The first line of a file, to be freed. */
enum qn_status qn_typed_header(const char *path, const struct qn_input_options *how, char **line,
                               struct qn_error *error);
void qn_typed_tables_release(struct qn_typed_tables *tables);
