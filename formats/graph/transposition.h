/* Transposing in two steps, for code that places rows by their lengths or looks at each row once.
 * quern/transpose.h does both steps at once. */
#pragma once

#include <quern/graph.h>

#include "formats/graph/bucket.h"

/* A transpose whose rows' lengths are known, but whose edges are not sorted yet. */
struct qn_transposition {
  struct qn_bucketed_edges bucketed;
  const uint64_t *row_offsets; /* [V + 1] the caller's */
  uint64_t *tables;            /* one for each of num_threads, too large for a stack */
  unsigned num_threads;
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
  const uint64_t *row_offsets; /* [last - first + 1] ascending, none more than E */
  const uint32_t *columns;     /* of the edges from row_offsets[0] on */
  const void *weights;         /* bits, beside the columns; NULL without */
  unsigned weight_bytes;       /* 0 without */
};

typedef void qn_rows_visitor(const struct qn_csr_rows *rows, void *context);

/* The second: show all rows to the visitor, some at a time, by all threads and in any order; their
 * arrays are gone when it returns. With `is_last` the memory of edges is given back as
 * they have been shown: no other visit can follow.
 *
 * Takes for each thread 4 bytes and those of a weight an edge of the rows that are shown together,
 * a thousandth of all or so; with a limit of memory what is much is in a temporary file. */
enum qn_status qn_transposition_visit(const struct qn_transposition *work, bool is_last,
                                      qn_rows_visitor *visitor, void *context,
                                      struct qn_error *error);
