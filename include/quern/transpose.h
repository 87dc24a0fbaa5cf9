/* Transposing CSR: in-edges from out-edges, and back. */
#ifndef QUERN_TRANSPOSE_H
#define QUERN_TRANSPOSE_H

#include "formats/graph/deal.h"
#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fill `arrays` (those of qn_graph_create for the same V, E and weight type) with the transpose of
 * `csr`, whose offsets and columns must have been checked. Rows ascend, and edges between
 * the same two vertices keep their order, so transposing twice gives the same CSR back.
 *
 * Parallel; the same result for any number of threads. Takes 4 bytes an edge (8 with weights),
 * which are given back as the result is written; with a limit of memory
 * (support/temp_file.h) they are in a temporary file. */
enum qn_status qn_csr_transpose(const struct qn_csr *csr, const struct qn_graph_arrays *arrays,
                                struct qn_error *error);

/* Make `graph` (zeroed, or to be overwritten) hold the transpose of `csr` as its out-edges, in
 * memory of its own. */
enum qn_status qn_graph_create_transpose(const struct qn_csr *csr, struct qn_graph *graph,
                                         struct qn_error *error);

/* ---- In two steps ---------------------------------------------------------- */

/* A transpose whose rows' lengths are known but whose edges are not sorted yet: for who decides by
 * the lengths where rows go, or looks at each row once. */
struct qn_transposition {
  struct qn_dealt_edges dealt;
  const uint64_t *row_offsets; /* [V + 1] the caller's */
};

/* The first step; fills `row_offsets` [V + 1], which must stay. Owned until
 * qn_transposition_destroy. */
enum qn_status qn_transposition_create(const struct qn_csr *csr, uint64_t *row_offsets,
                                       struct qn_transposition *work, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_transposition_destroy(struct qn_transposition *work);

/* Rows [first, last) of a CSR; `first` is a multiple of 1024, and so is `last`, or else V. */
struct qn_csr_rows {
  uint64_t first, last;
  const uint64_t *row_offsets; /* [V + 1] of the whole */
  const uint32_t *columns;     /* of the edges from row_offsets[first] on */
  const uint32_t *weights;     /* bits, beside the columns; NULL without */
};

typedef void qn_rows_visitor(const struct qn_csr_rows *rows, void *context);

/* The second: show all rows to the visitor, some at a time, by all threads and in any order; their
 * arrays are gone when it returns. With `is_last` the memory of edges is given back as
 * they have been shown: no other visit can follow.
 *
 * Takes for each thread 4 bytes (8 with weights) an edge of the rows that are shown together, a
 * thousandth of all or so; with a limit of memory what is much is in a temporary file. */
enum qn_status qn_transposition_visit(const struct qn_transposition *work, bool is_last,
                                      qn_rows_visitor *visitor, void *context,
                                      struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
