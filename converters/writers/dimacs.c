/* Shortest-path graphs of the 9th DIMACS challenge: an arc for every edge, vertices numbered from 1
 * in the container's order. The format has no graphs without weights: every arc then weighs 1. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/output/losses.h"
#include "formats/graph/csr_shares.h"
#include "formats/text/text_format.h"
#include "support/progress.h"

#define PART_EDGES ((uint64_t)32 << 10)
#define LINE_BYTES (3 * (QN_MAX_NUMBER_TEXT + 1) + 2)

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = context;
  uint64_t edge = part * PART_EDGES;
  uint64_t last = edge + PART_EDGES < csr->num_edges ? edge + PART_EDGES : csr->num_edges;
  char *p = qn_text_buffer_reserve(buffer, (last - edge) * LINE_BYTES);
  if (!p)
    return;
  struct qn_weight_texts weights;
  qn_weight_texts_begin(&weights, &csr->weights, last);
  for (uint64_t row = qn_row_of_edge(csr, edge); edge < last; row++) {
    uint64_t end = csr->row_offsets[row + 1] < last ? csr->row_offsets[row + 1] : last;
    for (; edge < end; edge++) {
      *p++ = 'a';
      *p++ = ' ';
      p = qn_put_u64(p, row + 1);
      *p++ = ' ';
      p = qn_put_u64(p, (uint64_t)csr->column_indices[edge] + 1);
      *p++ = ' ';
      if (csr->weights.type == QN_WEIGHT_NONE)
        *p++ = '1';
      else
        p = qn_put_weight(p, &weights, edge);
      *p++ = '\n';
    }
  }
  qn_text_buffer_advance(buffer, p);
  qn_progress_add(PART_EDGES);
}

static bool has_negative(const struct qn_csr *csr) {
  uint64_t negative = 0;
#pragma omp parallel for schedule(static) reduction(+ : negative)
  for (uint64_t e = 0; e < csr->num_edges; e++)
    negative += csr->weights.i64[e] < 0;
  return negative > 0;
}

static enum qn_status write_dimacs(const struct qn_graph *graph,
                                   const struct qn_write_options *options,
                                   struct qn_text_output *output, uint64_t *written,
                                   struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  char text[96];
  *written = csr->num_edges;
  enum qn_status status = QN_OK;
  if (csr->weights.type == QN_WEIGHT_NONE && csr->num_edges)
    status = qn_loses(options, error, "DIMACS graphs have weights; all are written as 1");
  if (status)
    return status;
  if (csr->weights.type == QN_WEIGHT_F32 || csr->weights.type == QN_WEIGHT_F64)
    qn_note(QN_NOTE_REFUSED_ELSEWHERE,
            "DIMACS weights are integers; other programs may not read real ones");
  else if (csr->weights.type == QN_WEIGHT_I64 && has_negative(csr))
    qn_note(QN_NOTE_REFUSED_ELSEWHERE,
            "DIMACS weights are not negative; other programs may not read those that are");
  int length = snprintf(text, sizeof text, "p sp %" PRIu64 " %" PRIu64 "\n", csr->num_vertices,
                        csr->num_edges);
  status = qn_text_output_write(output, text, (uint64_t)length, error);
  if (status)
    return status;
  qn_progress_begin("writing", "edges", csr->num_edges);
  status = qn_text_output_parts(output, (csr->num_edges + PART_EDGES - 1) / PART_EDGES, format_part,
                                csr, error);
  qn_progress_end();
  return status;
}

const struct qn_graph_writer qn_graph_writer_dimacs = {
    .name = "dimacs",
    .losses = QN_LOSES_IDS_FROM_ONE | QN_LOSES_ONE_WAY,
    .write = write_dimacs,
};
