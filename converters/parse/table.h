/* Tables of edges as text: what separates their columns, whether a header names them, and which are
 * the source, the destination and the weight. All of it is learned from the first lines, and every
 * line has to obey. */
#pragma once

#include "converters/parse/reader.h"
#include "converters/parse/text_lines.h"
#include "formats/text/delimited.h"

#define QN_NO_COLUMN UINT32_MAX

struct qn_table {
  struct qn_dialect dialect;
  uint32_t num_columns;
  uint32_t source, destination; /* columns from 0 */
  uint32_t weight;              /* or none */
  uint32_t weightless;          /* dictionaries without one, as the first line has it, or none */
  uint32_t type;                /* Gephi's "Directed" or "Undirected", or none */
  bool undirected;              /* what it says */
  bool has_id_space;            /* a header of Neo4j's says of which space ids are */
  char id_space[64];            /* "(Person)", or "" */
  bool names;                   /* ends are any text; else whole numbers */
  bool strings;                 /* even NULL: the user said so */
  bool ends_are_known;          /* something else than a header says that lines are edges */
  bool dictionary;              /* the weight is in a dictionary, as networkx writes it */
  bool decimal_comma;
  enum qn_weight_choice weights;
  const char *signs;       /* of comments, two */
  bool signs_said;         /* by the user: no such line is an edge */
  uint32_t header_columns; /* 0: there is no header */
  uint64_t header_line;
  uint64_t first_line; /* of data */
  bool others_wanted;  /* as in the options */
  char *header; /* with options->keep_header: the header's text, if there is one; whoever asks
                   for it gives it back to qn_free */
  uint64_t header_bytes;
  struct qn_dialect header_dialect;
  uint64_t vertices_said, edges_said; /* by the first line, if it is no edge but counts; or 0 */
};

/* What detection makes of a text. */
struct qn_table_guess {
  bool numbers; /* the first line is an edge between numbers */
  bool names;   /* every source is a name, or a good part of all lines has one: a few in a long list
                   of numbers are rather mistakes; or a number has leading zeros */
};

/* Look at the beginning of a text. */
void qn_table_guess(const char *head, uint64_t bytes, const struct qn_read_options *options,
                    struct qn_table_guess *guess);

/* Take comments and a header from the input, and learn from the first line of data, which is left
 * at the begin of `block`; that is empty if there is none. QN_INVALID, with the place, if it cannot
 * be told what the edges are. */
enum qn_status qn_table_begin(struct qn_input *input, const struct qn_read_options *options,
                              struct qn_table *table, struct qn_input_block *block,
                              struct qn_read_result *result, struct qn_error *error);

/* "3 columns separated by commas after a header; ids in columns 1 and 2, no weights" */
void qn_table_describe(const struct qn_table *table, const char *ends,
                       struct qn_read_result *result);

/* What a line says of an edge. */
struct qn_table_row {
  struct qn_column source, destination, weight, type;
};

/* Cut a line of data; rejects it and returns false if it has not the table's columns. */
bool qn_table_cut(struct qn_text_part *part, const struct qn_table *table, const char *line,
                  const char *end, struct qn_table_row *row);

/* The weight of a line, QN_WEIGHT_NONE if the table has none; rejects the line and returns false if
 * it is none. */
bool qn_table_weight(struct qn_text_part *part, const struct qn_table *table, const char *line,
                     const struct qn_table_row *row, enum qn_weight_type *type, uint64_t *bits);
