/* Graphs of the LDBC Graphalytics benchmark: NAME.v with a vertex a line, NAME.e with an edge a
 * line, and NAME.properties that describes them. Ids are numbers; an undirected edge is listed
 * once. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/output/edge_table.h"
#include "converters/output/output_folder.h"

/* ---- Properties ----------------------------------------------------------- */

/* Searches begin at the vertex that has most edges, the first of them. */
static uint64_t busiest_vertex(const struct qn_csr *csr) {
  uint64_t best = 0, most = 0;
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint64_t degree = csr->row_offsets[v + 1] - csr->row_offsets[v];
    best = degree > most ? v : best;
    most = degree > most ? degree : most;
  }
  return best;
}

static void print_parameters(FILE *text, const char *name, const struct qn_graph *graph) {
  uint64_t source =
      graph->out.num_vertices ? qn_listed_id(&graph->ids, busiest_vertex(&graph->out)) : 0;
  bool weighted = graph->out.weights.type != QN_WEIGHT_NONE;
  fprintf(text, "graph.%s.algorithms = bfs, cdlp, lcc, pr, wcc%s\n", name,
          weighted ? ", sssp" : "");
  fprintf(text, "graph.%s.bfs.source-vertex = %" PRIu64 "\n", name, source);
  fprintf(text, "graph.%s.cdlp.max-iterations = 10\n", name);
  fprintf(text, "graph.%s.pr.damping-factor = 0.85\n", name);
  fprintf(text, "graph.%s.pr.num-iterations = 10\n", name);
  if (!weighted)
    return;
  fprintf(text, "graph.%s.sssp.weight-property = weight\n", name);
  fprintf(text, "graph.%s.sssp.source-vertex = %" PRIu64 "\n", name, source);
}

struct listed_graph {
  const struct qn_graph *graph;
  uint64_t num_edges;
};

static void print_properties(FILE *text, const char *name, const void *context) {
  const struct listed_graph *listed = context;
  const struct qn_graph *graph = listed->graph;
  enum qn_weight_type weights = graph->out.weights.type;
  fprintf(text, "graph.%s.vertex-file = %s.v\n", name, name);
  fprintf(text, "graph.%s.edge-file = %s.e\n", name, name);
  fprintf(text, "graph.%s.meta.vertices = %" PRIu64 "\n", name, graph->out.num_vertices);
  fprintf(text, "graph.%s.meta.edges = %" PRIu64 "\n", name, listed->num_edges);
  fprintf(text, "graph.%s.directed = %s\n", name,
          graph->directedness == QN_UNDIRECTED ? "false" : "true");
  if (weights != QN_WEIGHT_NONE) {
    fprintf(text, "graph.%s.edge-properties.names = weight\n", name);
    fprintf(text, "graph.%s.edge-properties.types = %s\n", name,
            weights == QN_WEIGHT_F32 || weights == QN_WEIGHT_F64 ? "real" : "integer");
  }
  print_parameters(text, name, graph);
}

/* ---- Files ---------------------------------------------------------------- */

static enum qn_status write_graphalytics(const struct qn_graph *graph,
                                         const struct qn_write_options *options,
                                         struct qn_output_folder *folder, uint64_t *written,
                                         struct qn_error *error) {
  const struct qn_table_style style = {' ', "", NULL};
  struct qn_listed_edges listed = qn_listed_edges_of(graph, options);
  struct qn_text_output *output;
  enum qn_status status;
  if (graph->ids.kind == QN_IDS_STRINGS)
    return qn_fail(error, QN_UNSUPPORTED,
                   "ids in Graphalytics are numbers, and those of this graph are names");
  if (graph->directedness == QN_UNDIRECTED && options->both_directions)
    return qn_fail(error, QN_UNSUPPORTED,
                   "Graphalytics has undirected edges in one direction; leave --both-directions "
                   "out");
  if ((status = qn_output_folder_begin_own(folder, ".v", &output, error)) ||
      (status = qn_vertex_table_write(graph, &style, output, error)) ||
      (status = qn_output_folder_end(folder, output, "vertices", graph->out.num_vertices, error)) ||
      (status = qn_output_folder_begin_own(folder, ".e", &output, error)) ||
      (status = qn_edge_table_write(graph, &listed, &style, output, written, error)) ||
      (status = qn_output_folder_end(folder, output, "edges", *written, error)))
    return status;
  const struct listed_graph whole = {graph, *written};
  return qn_output_folder_describe(folder, ".properties", print_properties, &whole, error);
}

const struct qn_graph_writer qn_graph_writer_graphalytics = {
    .name = "graphalytics",
    .write_folder = write_graphalytics,
};
