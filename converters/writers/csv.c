/* CSV with a header (RFC 4180, but for its line ends), by original ids: one file of edges for
 * cuGraph and pandas, edges and vertices for GraphFrames, nodes and relationships for Neo4j. */
#include <string.h>

#include "converters/output/edge_table.h"
#include "converters/output/output_folder.h"

static bool has_weights(const struct qn_graph *graph) {
  return graph->out.weights.type != QN_WEIGHT_NONE;
}

static enum qn_status write_header(struct qn_text_output *output, const char *header,
                                   struct qn_error *error) {
  return qn_text_output_write(output, header, strlen(header), error);
}

static enum qn_status write_edges(const struct qn_graph *graph,
                                  const struct qn_write_options *options, const char *header,
                                  const char *tail, struct qn_text_output *output,
                                  uint64_t *written, struct qn_error *error) {
  const struct qn_table_style style = {',', tail};
  struct qn_listed_edges listed = qn_listed_edges_of(graph, options);
  enum qn_status status = write_header(output, header, error);
  return status ? status : qn_edge_table_write(graph, &listed, &style, output, written, error);
}

/* A file of vertices and a file of edges. */
struct pair_of_files {
  const char *vertices_file, *vertices_header, *vertices_tail;
  const char *edges_file, *edges_header, *edges_tail;
};

static enum qn_status write_pair(const struct qn_graph *graph,
                                 const struct qn_write_options *options,
                                 const struct pair_of_files *files, struct qn_output_folder *folder,
                                 uint64_t *written, struct qn_error *error) {
  const struct qn_table_style style = {',', files->vertices_tail};
  struct qn_text_output *output;
  enum qn_status status;
  if ((status = qn_output_folder_begin(folder, files->vertices_file, &output, error)) ||
      (status = write_header(output, files->vertices_header, error)) ||
      (status = qn_vertex_table_write(graph, &style, output, error)) ||
      (status = qn_output_folder_end(folder, output, "vertices", graph->out.num_vertices, error)) ||
      (status = qn_output_folder_begin(folder, files->edges_file, &output, error)) ||
      (status = write_edges(graph, options, files->edges_header, files->edges_tail, output, written,
                            error)))
    return status;
  return qn_output_folder_end(folder, output, "edges", *written, error);
}

/* ---- Formats -------------------------------------------------------------- */

static enum qn_status write_csv(const struct qn_graph *graph,
                                const struct qn_write_options *options,
                                struct qn_text_output *output, uint64_t *written,
                                struct qn_error *error) {
  return write_edges(graph, options, has_weights(graph) ? "src,dst,weight\n" : "src,dst\n", "",
                     output, written, error);
}

static enum qn_status write_graphframes(const struct qn_graph *graph,
                                        const struct qn_write_options *options,
                                        struct qn_output_folder *folder, uint64_t *written,
                                        struct qn_error *error) {
  const struct pair_of_files files = {"vertices.csv",
                                      "id\n",
                                      "",
                                      "edges.csv",
                                      has_weights(graph) ? "src,dst,weight\n" : "src,dst\n",
                                      ""};
  return write_pair(graph, options, &files, folder, written, error);
}

/* Its columns say of what type they are; ids are of one space, as text. */
static enum qn_status write_neo4j(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_output_folder *folder, uint64_t *written,
                                  struct qn_error *error) {
  static const char *const headers[] = {[QN_WEIGHT_NONE] = ":START_ID,:END_ID,:TYPE\n",
                                        [QN_WEIGHT_U32] = ":START_ID,:END_ID,weight:long,:TYPE\n",
                                        [QN_WEIGHT_F32] = ":START_ID,:END_ID,weight:float,:TYPE\n",
                                        [QN_WEIGHT_I64] = ":START_ID,:END_ID,weight:long,:TYPE\n",
                                        [QN_WEIGHT_F64] =
                                            ":START_ID,:END_ID,weight:double,:TYPE\n"};
  const struct pair_of_files files = {"nodes.csv",
                                      "id:ID,:LABEL\n",
                                      ",Vertex",
                                      "relationships.csv",
                                      headers[graph->out.weights.type],
                                      ",EDGE"};
  return write_pair(graph, options, &files, folder, written, error);
}

const struct qn_graph_writer qn_graph_writer_csv = {
    .name = "csv",
    .losses = QN_LOSES_NUMBER_NAMES | QN_LOSES_UNDIRECTED | QN_LOSES_ISOLATED,
    .file_end = ".csv",
    .write = write_csv,
};

const struct qn_graph_writer qn_graph_writer_graphframes = {
    .name = "graphframes",
    .write_folder = write_graphframes,
};

const struct qn_graph_writer qn_graph_writer_neo4j = {
    .name = "neo4j",
    .write_folder = write_neo4j,
};
