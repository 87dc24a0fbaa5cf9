/* Lists of arcs as WebGraph's ArcListASCIIGraph has them: source<TAB>target, both vertex numbers
 * from 0, ascending. */
#include "converters/output/writer.h"
#include "formats/graph/csr_shares.h"
#include "formats/text/text_format.h"
#include "support/progress.h"

/* Some hundred KB of text. */
#define PART_EDGES ((uint64_t)32 << 10)

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = context;
  uint64_t edge = part * PART_EDGES;
  uint64_t last = edge + PART_EDGES < csr->num_edges ? edge + PART_EDGES : csr->num_edges;
  char *p = qn_text_buffer_reserve(buffer, (last - edge) * 2 * (QN_MAX_NUMBER_TEXT + 1));
  if (!p)
    return;
  for (uint64_t row = qn_row_of_edge(csr, edge); edge < last; row++) {
    for (; edge < last && edge < csr->row_offsets[row + 1]; edge++) {
      p = qn_put_u64(p, row);
      *p++ = '\t';
      p = qn_put_u64(p, csr->column_indices[edge]);
      *p++ = '\n';
    }
  }
  qn_text_buffer_advance(buffer, p);
  qn_progress_add(PART_EDGES);
}

static enum qn_status write_arcs(const struct qn_graph *graph,
                                 const struct qn_write_options *options,
                                 struct qn_text_output *output, uint64_t *written,
                                 struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  (void)options;
  *written = csr->num_edges;
  qn_progress_begin("writing", "edges", csr->num_edges);
  enum qn_status status = qn_text_output_parts(
      output, (csr->num_edges + PART_EDGES - 1) / PART_EDGES, format_part, csr, error);
  qn_progress_end();
  return status;
}

const struct qn_graph_writer qn_graph_writer_arcs = {
    .name = "arcs",
    .losses = QN_LOSES_IDS | QN_LOSES_WEIGHTS | QN_LOSES_ONE_WAY | QN_LOSES_ISOLATED,
    .write = write_arcs,
};
