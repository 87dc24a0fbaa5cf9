/* Adjacency graphs of Ligra and GBBS (readers/adjacency.c describes them): the out-edges, every
 * number on a line of its own. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/output/writer.h"
#include "formats/text/text_format.h"
#include "support/progress.h"

/* Numbers of a part. */
#define PART ((uint64_t)64 << 10)

/* One of the three sequences. */
struct numbers {
  const struct qn_csr *csr;
  uint64_t count;
  char *(*put)(char *p, const struct qn_csr *csr, struct qn_weight_texts *weights, uint64_t i);
};

static char *put_offset(char *p, const struct qn_csr *csr, struct qn_weight_texts *weights,
                        uint64_t vertex) {
  (void)weights;
  return qn_put_u64(p, csr->row_offsets[vertex]);
}

static char *put_neighbor(char *p, const struct qn_csr *csr, struct qn_weight_texts *weights,
                          uint64_t edge) {
  (void)weights;
  return qn_put_u64(p, csr->column_indices[edge]);
}

static char *put_weight(char *p, const struct qn_csr *csr, struct qn_weight_texts *weights,
                        uint64_t edge) {
  (void)csr;
  return qn_put_weight(p, weights, edge);
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct numbers *numbers = context;
  uint64_t begin = part * PART;
  uint64_t end = begin + PART < numbers->count ? begin + PART : numbers->count;
  char *p = qn_text_buffer_reserve(buffer, (end - begin) * (QN_MAX_NUMBER_TEXT + 1));
  if (!p)
    return;
  struct qn_weight_texts weights;
  qn_weight_texts_begin(&weights, &numbers->csr->weights, end);
  for (uint64_t i = begin; i < end; i++) {
    p = numbers->put(p, numbers->csr, &weights, i);
    *p++ = '\n';
  }
  qn_text_buffer_advance(buffer, p);
  qn_progress_add(end - begin);
}

static enum qn_status write_numbers(struct qn_text_output *output, const struct numbers *numbers,
                                    struct qn_error *error) {
  return qn_text_output_parts(output, (numbers->count + PART - 1) / PART, format_part, numbers,
                              error);
}

static enum qn_status write_adjacency(const struct qn_graph *graph,
                                      const struct qn_write_options *options,
                                      struct qn_text_output *output, uint64_t *written,
                                      struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  const struct numbers offsets = {csr, csr->num_vertices, put_offset};
  const struct numbers neighbors = {csr, csr->num_edges, put_neighbor};
  const struct numbers weights = {csr, csr->num_edges, put_weight};
  bool weighted = csr->weights.type != QN_WEIGHT_NONE;
  char text[96];
  (void)options;
  *written = csr->num_edges;
  if (csr->weights.type == QN_WEIGHT_F32 || csr->weights.type == QN_WEIGHT_F64)
    qn_note(QN_NOTE_REFUSED_ELSEWHERE,
            "Ligra and most programs of GBBS read weights as integers, and these are real");
  int length = snprintf(text, sizeof text, "%sAdjacencyGraph\n%" PRIu64 "\n%" PRIu64 "\n",
                        weighted ? "Weighted" : "", csr->num_vertices, csr->num_edges);
  qn_progress_begin("writing", "numbers", csr->num_vertices + csr->num_edges * (weighted ? 2 : 1));
  enum qn_status status = qn_text_output_write(output, text, (uint64_t)length, error);
  if (!status)
    status = write_numbers(output, &offsets, error);
  if (!status)
    status = write_numbers(output, &neighbors, error);
  if (!status && weighted)
    status = write_numbers(output, &weights, error);
  qn_progress_end();
  return status;
}

const struct qn_graph_writer qn_graph_writer_adjacency = {
    .name = "adjacency",
    .losses = QN_LOSES_IDS | QN_LOSES_ONE_WAY,
    .write = write_adjacency,
};
