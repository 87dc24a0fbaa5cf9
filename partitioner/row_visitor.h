/* The rows that a layout is built from, its in-edges or its out-edges: those of the container, or,
 * for in-edges that it does not store, sorted out of the out-edges each time they are looked
 * at. Builders learn from the offsets how large their sections are and then fill them while
 * a visitor is shown the rows; nobody keeps a transpose. */
#pragma once

#include "formats/graph/transposition.h"

struct qn_rows {
  uint64_t num_vertices, num_edges;
  const uint64_t *row_offsets; /* [V + 1] */
  const struct qn_csr *stored; /* NULL: transposed */
  uint64_t *own_offsets;
  struct qn_transposition transposition;
};

/* `rows` is owned until qn_rows_close. In-edges that the graph does not store take 4 bytes an edge
 * and those of its weight, and 8 a vertex; in temporary files with --memory. */
enum qn_status qn_rows_open_in(const struct qn_graph *graph, struct qn_rows *rows,
                               struct qn_error *error);
void qn_rows_open_out(const struct qn_graph *graph, struct qn_rows *rows);
/* A zeroed struct is allowed. */
void qn_rows_close(struct qn_rows *rows);

/* As qn_transposition_visit. */
enum qn_status qn_rows_visit(const struct qn_rows *rows, bool is_last, qn_rows_visitor *visitor,
                             void *context, struct qn_error *error);
