/* CSV with a header (RFC 4180, but for its line ends), by original ids: one file of edges for
 * cuGraph and pandas, edges and vertices for GraphFrames, nodes and relationships for Neo4j. */
#include <stdio.h>

#include "converters/output/csv_table.h"
#include "converters/output/output_folder.h"

static bool has_weights(const struct qn_graph *graph) {
  return graph->out.weights.type != QN_WEIGHT_NONE;
}

static enum qn_status write_pair(const struct qn_graph *graph,
                                 const struct qn_write_options *options,
                                 const struct qn_csv_form *vertices,
                                 const struct qn_csv_form *edges, struct qn_output_folder *folder,
                                 uint64_t *written, struct qn_error *error) {
  struct qn_text_output *output;
  enum qn_status status;
  if ((status = qn_output_folder_begin(folder, vertices->name, &output, error)) ||
      (status = qn_csv_write_vertices(graph, options, vertices, output, error)) ||
      (status = qn_output_folder_end(folder, output, "vertices", graph->out.num_vertices, error)) ||
      (status = qn_output_folder_begin(folder, edges->name, &output, error)) ||
      (status = qn_csv_write_edges(graph, options, edges, output, written, error)))
    return status;
  return qn_output_folder_end(folder, output, "edges", *written, error);
}

/* ---- Formats -------------------------------------------------------------- */

static enum qn_status write_csv(const struct qn_graph *graph,
                                const struct qn_write_options *options,
                                struct qn_text_output *output, uint64_t *written,
                                struct qn_error *error) {
  const struct qn_csv_form form = {.header = has_weights(graph) ? "src,dst,weight" : "src,dst"};
  return qn_csv_write_edges(graph, options, &form, output, written, error);
}

static enum qn_status write_graphframes(const struct qn_graph *graph,
                                        const struct qn_write_options *options,
                                        struct qn_output_folder *folder, uint64_t *written,
                                        struct qn_error *error) {
  const struct qn_csv_form vertices = {"vertices.csv", "id", NULL, NULL, false};
  const struct qn_csv_form edges = {"edges.csv", has_weights(graph) ? "src,dst,weight" : "src,dst",
                                    NULL, NULL, false};
  return write_pair(graph, options, &vertices, &edges, folder, written, error);
}

/* Its columns say of what type they are; ids are of one space, as text. */
static enum qn_status write_neo4j(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_output_folder *folder, uint64_t *written,
                                  struct qn_error *error) {
  char header[64];
  snprintf(header, sizeof header, ":START_ID,:END_ID%s",
           qn_neo4j_weight_column(graph->out.weights.type));
  const struct qn_csv_form vertices = {"nodes.csv", "id:ID", ":LABEL", ",Vertex", false};
  const struct qn_csv_form edges = {"relationships.csv", header, ":TYPE", ",EDGE", false};
  enum qn_status status = QN_OK;
  if (options->properties)
    status = qn_neo4j_lose_types(&options->properties->of_vertices, options, error);
  if (options->properties && !status)
    status = qn_neo4j_lose_types(&options->properties->of_edges, options, error);
  return status ? status : write_pair(graph, options, &vertices, &edges, folder, written, error);
}

const struct qn_graph_writer qn_graph_writer_csv = {
    .name = "csv",
    .losses = QN_LOSES_NUMBER_NAMES | QN_LOSES_UNDIRECTED | QN_LOSES_ISOLATED,
    .file_end = ".csv",
    .keeps_edge_properties = true,
    .write = write_csv,
};

const struct qn_graph_writer qn_graph_writer_graphframes = {
    .name = "graphframes",
    .write_folder = write_graphframes,
    .keeps_edge_properties = true,
    .keeps_vertex_properties = true,
};

const struct qn_graph_writer qn_graph_writer_neo4j = {
    .name = "neo4j",
    .write_folder = write_neo4j,
    .keeps_edge_properties = true,
    .keeps_vertex_properties = true,
};
