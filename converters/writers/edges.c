/* Text edge lists: source<TAB>destination[<TAB>weight], by original ids. An undirected edge
 * is written once. Tabs, because ids that are text may have spaces in them. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/output/edge_table.h"

static enum qn_status write_head(const struct qn_graph *graph, bool once,
                                 struct qn_text_output *output, struct qn_error *error) {
  char text[320];
  bool undirected = graph->directedness == QN_UNDIRECTED;
  int length = snprintf(
      text, sizeof text,
      "# %s graph: %" PRIu64 " vertices, %" PRIu64 " edges stored%s\n# source\tdestination%s\n",
      undirected ? "Undirected" : "Directed", graph->out.num_vertices, graph->out.num_edges,
      once ? "; each is listed once, import it with --undirected" : "",
      graph->out.weights.type == QN_WEIGHT_NONE ? "" : "\tweight");
  return qn_text_output_write(output, text, (uint64_t)length, error);
}

static enum qn_status write_edges(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_text_output *output, uint64_t *written,
                                  struct qn_error *error) {
  const struct qn_table_style style = {'\t', false, ""};
  struct qn_listed_edges listed = qn_listed_edges_of(graph, options);
  enum qn_status status = write_head(graph, listed.once, output, error);
  return status ? status : qn_edge_table_write(graph, &listed, &style, output, written, error);
}

const struct qn_graph_writer qn_graph_writer_edges = {
    .name = "edges",
    .file_end = ".txt",
    .write = write_edges,
};
