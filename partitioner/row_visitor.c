#include "partitioner/row_visitor.h"

#include "partitioner/build_common.h"
#include "support/memory.h"
#include "support/temp_file.h"

/* Rows that a visitor of a stored CSR is shown together. */
static const uint64_t STEP = 4096;

static void open_stored(const struct qn_csr *csr, struct qn_rows *rows) {
  *rows = (struct qn_rows){.num_vertices = csr->num_vertices,
                           .num_edges = csr->num_edges,
                           .row_offsets = csr->row_offsets,
                           .stored = csr};
}

void qn_rows_open_out(const struct qn_graph *graph, struct qn_rows *rows) {
  open_stored(&graph->out, rows);
}

enum qn_status qn_rows_open_in(const struct qn_graph *graph, struct qn_rows *rows,
                               struct qn_error *error) {
  const struct qn_csr *out = &graph->out;
  if (graph->has_transpose) {
    open_stored(&graph->in, rows);
    return QN_OK;
  }
  *rows = (struct qn_rows){.num_vertices = out->num_vertices, .num_edges = out->num_edges};
  enum qn_status status = qn_bulk_alloc(&rows->own_offsets, out->num_vertices + 1,
                                        sizeof *rows->own_offsets, "row offsets", error);
  if (!status)
    status = qn_transposition_create(out, rows->own_offsets, &rows->transposition, error);
  rows->row_offsets = rows->own_offsets;
  if (status)
    qn_rows_close(rows);
  return status;
}

void qn_rows_close(struct qn_rows *rows) {
  qn_transposition_destroy(&rows->transposition);
  qn_pages_free(rows->own_offsets, rows->num_vertices + 1, sizeof *rows->own_offsets);
  *rows = (struct qn_rows){0};
}

static void visit_stored(const struct qn_csr *csr, qn_rows_visitor *visitor, void *context) {
  const uint32_t *weights = qn_weight_bits(&csr->weights);
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t first = 0; first < csr->num_vertices; first += STEP) {
    uint64_t left = csr->num_vertices - first, begin = csr->row_offsets[first];
    visitor(&(struct qn_csr_rows){.first = first,
                                  .last = first + (left < STEP ? left : STEP),
                                  .row_offsets = csr->row_offsets,
                                  .columns = csr->column_indices + begin,
                                  .weights = weights ? weights + begin : NULL},
            context);
  }
}

enum qn_status qn_rows_visit(const struct qn_rows *rows, bool is_last, qn_rows_visitor *visitor,
                             void *context, struct qn_error *error) {
  if (!rows->stored)
    return qn_transposition_visit(&rows->transposition, is_last, visitor, context, error);
  visit_stored(rows->stored, visitor, context);
  return QN_OK;
}
