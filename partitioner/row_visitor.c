#include "partitioner/row_visitor.h"

#include <omp.h>

#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"

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

/* Offsets [first, first + count] as a visitor may rely on them, whatever the file has become. */
static void copy_offsets(const struct qn_csr *csr, uint64_t first, uint64_t count,
                         uint64_t *offsets) {
  uint64_t least = 0;
  for (uint64_t i = 0; i <= count; i++) {
    uint64_t offset = csr->row_offsets[first + i];
    offset = offset < least ? least : offset;
    least = offsets[i] = offset < csr->num_edges ? offset : csr->num_edges;
  }
}

static enum qn_status visit_stored(const struct qn_csr *csr, qn_rows_visitor *visitor,
                                   void *context, struct qn_error *error) {
  const char *weights = csr->weights.data;
  unsigned weight_bytes = qn_weight_bytes(csr->weights.type);
  uint64_t *offsets;
  enum qn_status status = qn_pages_alloc(&offsets, qn_threads() * (STEP + 1), sizeof *offsets,
                                         "offsets of rows", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t first = 0; first < csr->num_vertices; first += STEP) {
    uint64_t left = csr->num_vertices - first, count = left < STEP ? left : STEP;
    uint64_t *own = offsets + (uint64_t)omp_get_thread_num() * (STEP + 1);
    copy_offsets(csr, first, count, own);
    visitor(&(struct qn_csr_rows){.first = first,
                                  .last = first + count,
                                  .row_offsets = own,
                                  .columns = csr->column_indices + own[0],
                                  .weights = weights ? weights + own[0] * weight_bytes : NULL,
                                  .weight_bytes = weight_bytes},
            context);
  }
  qn_pages_free(offsets, qn_threads() * (STEP + 1), sizeof *offsets);
  return QN_OK;
}

enum qn_status qn_rows_visit(const struct qn_rows *rows, bool is_last, qn_rows_visitor *visitor,
                             void *context, struct qn_error *error) {
  if (!rows->stored)
    return qn_transposition_visit(&rows->transposition, is_last, visitor, context, error);
  return visit_stored(rows->stored, visitor, context, error);
}
