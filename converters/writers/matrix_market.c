/* Matrix Market coordinate files: a row and a column for every vertex, numbered from 1 in the
 * container's order; an entry for every edge; of undirected graphs the lower triangle. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/output/writer.h"
#include "formats/graph/csr_shares.h"
#include "formats/text/text_format.h"
#include "support/progress.h"
#include "support/search.h"

#define PART_EDGES ((uint64_t)32 << 10)
#define LINE_BYTES (3 * (QN_MAX_NUMBER_TEXT + 1))

struct job {
  const struct qn_csr *csr;
  bool symmetric;
};

/* Edges of `row` in [begin, end) that belong in the file: up to the diagonal if symmetric. */
static uint64_t entries_end(const struct job *job, uint64_t row, uint64_t begin, uint64_t end) {
  return job->symmetric ? qn_lower_bound_u32(job->csr->column_indices, begin, end, row + 1) : end;
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  const struct qn_csr *csr = job->csr;
  uint64_t edge = part * PART_EDGES;
  uint64_t last = edge + PART_EDGES < csr->num_edges ? edge + PART_EDGES : csr->num_edges;
  char *p = qn_text_buffer_reserve(buffer, (last - edge) * LINE_BYTES);
  if (!p)
    return;
  struct qn_weight_texts weights;
  qn_weight_texts_begin(&weights, &csr->weights, last);
  for (uint64_t row = qn_row_of_edge(csr, edge); edge < last; row++) {
    uint64_t row_end = csr->row_offsets[row + 1] < last ? csr->row_offsets[row + 1] : last;
    uint64_t end = entries_end(job, row, edge, row_end);
    for (; edge < end; edge++) {
      p = qn_put_u64(p, row + 1);
      *p++ = ' ';
      p = qn_put_u64(p, (uint64_t)csr->column_indices[edge] + 1);
      if (csr->weights.type != QN_WEIGHT_NONE) {
        *p++ = ' ';
        p = qn_put_weight(p, &weights, edge);
      }
      *p++ = '\n';
    }
    edge = row_end;
  }
  qn_text_buffer_advance(buffer, p);
  qn_progress_add(PART_EDGES);
}

/* The number of entries, which comes before them; `*repeated` if some are equal. */
static uint64_t count_entries(const struct job *job, bool *repeated) {
  const struct qn_csr *csr = job->csr;
  uint64_t count = 0, equal = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : count, equal)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
    count += entries_end(job, v, begin, end) - begin;
    for (uint64_t e = begin + 1; e < end; e++)
      equal += csr->column_indices[e] == csr->column_indices[e - 1];
  }
  *repeated = equal > 0;
  return count;
}

static enum qn_status write_head(const struct job *job, uint64_t entries,
                                 struct qn_text_output *output, struct qn_error *error) {
  static const char *const fields[] = {"pattern", "integer", "real", "integer", "real"};
  static const char *const types[] = {"bool", "uint32_t", "float", "int64_t", "double"};
  enum qn_weight_type type = job->csr->weights.type;
  char text[256];
  int length = snprintf(text, sizeof text,
                        "%%%%MatrixMarket matrix coordinate %s %s\n%%%%GraphBLAS type %s\n%" PRIu64
                        " %" PRIu64 " %" PRIu64 "\n",
                        fields[type], job->symmetric ? "symmetric" : "general", types[type],
                        job->csr->num_vertices, job->csr->num_vertices, entries);
  return qn_text_output_write(output, text, (uint64_t)length, error);
}

static enum qn_status write_matrix(const struct qn_graph *graph,
                                   const struct qn_write_options *options,
                                   struct qn_text_output *output, uint64_t *written,
                                   struct qn_error *error) {
  struct job job = {.csr = &graph->out,
                    .symmetric = graph->directedness == QN_UNDIRECTED && !options->both_directions};
  bool repeated;
  *written = count_entries(&job, &repeated);
  if (repeated)
    return qn_fail(error, QN_UNSUPPORTED,
                   "the graph has several edges with the same endpoints, which Matrix Market "
                   "forbids; quern-transform --remove-duplicates removes them");
  enum qn_status status = write_head(&job, *written, output, error);
  if (status)
    return status;
  uint64_t num_edges = graph->out.num_edges;
  qn_progress_begin("writing", "edges", num_edges);
  status = qn_text_output_parts(output, (num_edges + PART_EDGES - 1) / PART_EDGES, format_part,
                                &job, error);
  qn_progress_end();
  return status;
}

const struct qn_graph_writer qn_graph_writer_matrix_market = {
    .name = "matrix-market",
    .losses = QN_LOSES_IDS_FROM_ONE,
    .write = write_matrix,
};
