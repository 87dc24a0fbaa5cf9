/* Sparse matrices as arrays of numbers, read as graphs: an entry at (row, column) is an edge from
 * the row's vertex to the column's. A matrix that is not square is a bipartite graph, in which row
 * i, from 0, is vertex L(i + 1) and column j vertex R(j + 1). */
#pragma once

#include "converters/parse/reader.h"
#include "formats/arrays/number_array.h"

/* Which entries of a symmetric or skew-symmetric matrix are there. */
enum qn_triangle { QN_TRIANGLE_NONE, QN_TRIANGLE_LOWER, QN_TRIANGLE_UPPER };

struct qn_sparse_matrix {
  const char *file;   /* for messages */
  const char *format; /* the same: "csr", "dcsr", "csc", "coo" */
  uint64_t rows, columns;
  /* Where each stored major line begins in `minor`, one more than there are lines; `data` NULL if
   * `major` names every entry's. */
  struct qn_number_array pointers;
  /* With `pointers` the lines that are stored, ascending; `data` NULL: all are. */
  struct qn_number_array major;
  struct qn_number_array minor;
  uint64_t base;   /* 1: all numbers of these three count from 1; else 0 */
  bool by_columns; /* major lines are columns */
  /* Entries' values; `data` NULL: none. `iso`: one value for all of them. */
  struct qn_number_array values;
  bool iso;
  enum qn_triangle triangle; /* the matrix is symmetric, and only this part is there */
  /* It is skew-symmetric instead: the entries that are not there have the negated values. */
  bool skew;
  /* The matrix is said to be that of an undirected graph, with both directions of each edge. */
  bool undirected;
  /* Unique names of the rows' vertices, kept unless options->compact; NULL: their numbers. For
   * square matrices. The reader releases them (qn_sparse_matrix_release). */
  uint64_t *names;
};

/* Check everything, push all edges and fill `result`. Takes `matrix->names`. */
enum qn_status qn_sparse_matrix_read(struct qn_sparse_matrix *matrix,
                                     const struct qn_read_options *options,
                                     struct qn_edge_list *list, uint64_t *sequence,
                                     struct qn_read_result *result, struct qn_error *error);

/* The release of readers that use it. */
void qn_sparse_matrix_release(struct qn_read_result *result);
