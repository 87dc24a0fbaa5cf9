/* Text edge lists: source<TAB>destination[<TAB>weight], by original ids. An undirected edge
 * is written once. Tabs, because ids that are text may have spaces in them. No line but those of
 * edges, unless the user wants a header (parse/edges_header.h): other programs have no comments, or
 * others. */
#include "converters/output/edge_table.h"
#include "converters/parse/column_choice.h"
#include "converters/parse/edges_header.h"

static enum qn_status write_header(const struct qn_graph *graph,
                                   const struct qn_listed_edges *listed,
                                   struct qn_text_output *output, struct qn_error *error) {
  char text[QN_EDGES_HEADER_TEXT];
  const struct qn_edges_header header = {
      .undirected = graph->directedness == QN_UNDIRECTED,
      .both_ways = !listed->once,
      .ids = graph->ids.kind,
      .num_vertices = graph->out.num_vertices,
      .num_edges = qn_listed_edges_count(listed),
  };
  return qn_text_output_write(output, text, (uint64_t)qn_edges_header_text(&header, text), error);
}

/* An edge between names such as "source" and "target" that comes first is read as a header. */
static enum qn_status check_first(const struct qn_graph *graph,
                                  const struct qn_listed_edges *listed, struct qn_error *error) {
  struct qn_edge_runs runs = qn_edge_runs_of(listed, listed->begin, listed->end);
  char line[64], source_text[24], destination_text[24];
  uint64_t source_length, destination_length;
  if (graph->ids.kind != QN_IDS_STRINGS || !qn_edge_runs_next(&runs))
    return QN_OK;
  const char *source = qn_ids_text(&graph->ids, runs.row, source_text, &source_length);
  const char *destination = qn_ids_text(&graph->ids, listed->csr->column_indices[runs.first],
                                        destination_text, &destination_length);
  if (source_length + destination_length >= sizeof line)
    return QN_OK; /* no column is called so */
  int length = snprintf(line, sizeof line, "%.*s\t%.*s", (int)source_length, source,
                        (int)destination_length, destination);
  const struct qn_dialect tabs = {.delimiter = '\t', .quotes = true};
  if (!qn_column_header_is_sure(line, line + length, &tabs))
    return QN_OK;
  return qn_fail(
      error, QN_UNSUPPORTED,
      "the first edge, from '%.*s' to '%.*s', would be read as a header; --header writes "
      "one before it",
      (int)source_length, source, (int)destination_length, destination);
}

static enum qn_status write_edges(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_text_output *output, uint64_t *written,
                                  struct qn_error *error) {
  const struct qn_table_style style = {'\t', "", NULL};
  struct qn_listed_edges listed = qn_listed_edges_of(graph, options);
  enum qn_status status = options->header ? write_header(graph, &listed, output, error)
                                          : check_first(graph, &listed, error);
  return status ? status : qn_edge_table_write(graph, &listed, &style, output, written, error);
}

const struct qn_graph_writer qn_graph_writer_edges = {
    .name = "edges",
    .losses = QN_LOSES_NUMBER_NAMES | QN_LOSES_UNDIRECTED | QN_LOSES_ISOLATED,
    .file_end = ".txt",
    .write = write_edges,
};
