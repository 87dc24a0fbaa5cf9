/* --columns: which columns of delimited text hold source, destination and weight. */
#pragma once

#include "converters/parse/reader.h"
#include "formats/text/delimited.h"
#include <quern/error.h>

/* Parse "S,D" or "S,D,W", each a column's number from 1 or its name in the header, into `options`,
 * which keeps pointers into `text`: its commas become NULs. QN_USAGE if it is neither. */
enum qn_status qn_column_choice_parse(char *text, struct qn_read_options *options,
                                      struct qn_error *error);

/* True if a column was chosen by name, and the header has not been seen. */
bool qn_column_choice_pending(const struct qn_read_options *options);

/* Turn chosen names into numbers: the header is [line, end). QN_INVALID, naming the columns, if one
 * is not there; or if the ends have ids of two spaces, as Neo4j's :START_ID(Person) and
 * :END_ID(City), and options->bipartite does not say what that means. */
enum qn_status qn_column_choice_resolve(struct qn_read_options *options, const char *line,
                                        const char *end, const struct qn_dialect *dialect,
                                        struct qn_error *error);

/* The space of ids that a header of Neo4j's gives the chosen source, "(Person)" or "", cut to fit
 * `space`; false if the header is no such one. */
#define QN_ID_SPACE_TEXT 64
bool qn_column_id_space(const struct qn_read_options *options, const char *line, const char *end,
                        const struct qn_dialect *dialect, char space[QN_ID_SPACE_TEXT]);

/* Equal ids of an input before may be those of another space: QN_INVALID if it was. */
enum qn_status qn_id_space_compare(const char *space, struct qn_read_result *result,
                                   struct qn_error *error);

/* Does this line name a source and a destination? Of names that could as well be those of vertices
 * (u and v, start and end) a header of numbers is sure, a line among names is not. */
bool qn_column_header_is_sure(const char *line, const char *end, const struct qn_dialect *dialect);

/* Has it a column ":ID", as Neo4j's tables of vertices have? */
bool qn_column_header_is_of_vertices(const char *line, const char *end,
                                     const struct qn_dialect *dialect);

/* How tables of vertices are written. */
struct qn_dialect qn_vertex_table_dialect(const struct qn_text_choice *choice);

/* The column that has the ids of vertices, "id", ":ID" or "name:ID", perhaps with the name of a
 * space of ids; numbered from 0. False if there is none. */
bool qn_column_of_ids(const char *line, const char *end, const struct qn_dialect *dialect,
                      uint32_t *number);

/* Are two columns called as ends of edges often are: gene_a and gene_b, parent and child,
 * "Source Name" and "Target Name"? They are numbered from 0. Vertices may be called so, too. */
bool qn_column_header_pair(const char *line, const char *end, const struct qn_dialect *dialect,
                           uint32_t *source, uint32_t *destination);

/* Is every column called as columns are, so that the line is hardly an edge? */
bool qn_column_header_is_known(const char *line, const char *end, const struct qn_dialect *dialect);

/* What a header says beside which columns are the ends and the weight. */
struct qn_header_says {
  uint32_t type;       /* the column, from 1, that says whether edges are directed; 0: none */
  bool third_is_other; /* the third column's name is that of no weight, as "time" */
  bool ends;           /* it names both */
};

/* Choose columns by what a header calls them, unless the user chose: source, src, from, u, start or
 * :START_ID, and the like, or a pair as above; weight, w or value; where it says nothing, the first
 * two of two, behind pandas's index, which has no name, unless a name describes one vertex
 * ("id", "label"). QN_INVALID if it says too much or too little. */
enum qn_status qn_column_choice_guess(struct qn_read_options *options, const char *line,
                                      const char *end, const struct qn_dialect *dialect,
                                      struct qn_header_says *says, struct qn_error *error);

/* The columns of a table with these names that are source, destination and weight, from 1: by the
 * same names, or the first two if there are no others and their names say nothing. The weight is 0
 * if none is called so. QN_INVALID if that leaves a doubt, or their ids are of two spaces. */
enum qn_status qn_column_choice_of_names(const char *const *names, uint64_t count,
                                         uint32_t numbers[3], struct qn_error *error);
