/* CSV with a header (RFC 4180, but for its line ends), by original ids: one file of edges for
 * cuGraph and pandas, edges and vertices for GraphFrames, nodes and relationships for Neo4j. */
#include <stdio.h>
#include <string.h>

#include "converters/output/edge_table.h"
#include "converters/output/losses.h"
#include "converters/output/output_folder.h"
#include "converters/output/property_text.h"
#include "formats/text/quoted_names.h"

static bool has_weights(const struct qn_graph *graph) {
  return graph->out.weights.type != QN_WEIGHT_NONE;
}

/* What a file of edges or of vertices looks like: how its header begins, and of Neo4j's, whose
 * header says of what type properties are, the column of kinds, and that of all where they have
 * none. */
struct file_form {
  const char *name, *header, *kind, *all;
};

/* ---- Headers -------------------------------------------------------------- */

/* What Neo4j calls the type. */
static void name_type(const struct qn_property *column, char name[16]) {
  const enum qn_property_class kind = qn_property_class_of(column->type);
  const char *common = qn_property_common_type(column);
  const bool vector = qn_property_dimension(column->type) && strcmp(common, "string") != 0;
  if (kind == QN_PROPERTY_DAYS)
    common = "date";
  else if (kind == QN_PROPERTY_TIME)
    common = qn_property_is_utc(column->type) ? "datetime" : "localdatetime";
  snprintf(name, 16, "%s%s", common, vector ? "[]" : "");
}

static enum qn_status lose_types(const struct qn_property_table *table,
                                 const struct qn_write_options *options, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < table->count && !status; i++)
    if (!qn_property_fits_long(&table->columns[i]))
      status = qn_loses(options, error,
                        "the property '%s' is beyond Neo4j's integers and text in the output",
                        table->columns[i].name);
  return status;
}

static enum qn_status write_text(struct qn_text_output *output, const char *text,
                                 struct qn_error *error) {
  return qn_text_output_write(output, text, strlen(text), error);
}

/* The kinds of vertices (":LABEL") or edges (":TYPE"), as a property of theirs that is called so
 * says: what an import of such a table keeps. */
static bool is_kind(const struct qn_property *column, const char *kind) {
  return kind && column->type == QN_PROPERTY_STRING && strcmp(column->name, kind + 1) == 0;
}

static bool has_kinds(const struct qn_property_table *properties, const char *kind) {
  for (uint32_t i = 0; properties && i < properties->count; i++)
    if (is_kind(&properties->columns[i], kind))
      return true;
  return false;
}

/* A name of a property, in quotes if it needs them. */
static enum qn_status write_name(struct qn_text_output *output, const struct qn_property *column,
                                 bool typed, struct qn_error *error) {
  char name[QN_PROPERTY_NAME_BYTES + 16], text[QN_QUOTED_NAME_ROOM(sizeof name) + 1] = ",";
  char type[16];
  name_type(column, type);
  int length = snprintf(name, sizeof name, typed ? "%s:%s" : "%s", column->name, type);
  char *end = qn_put_quoted_name(text + 1, name, (uint64_t)length, ',');
  return qn_text_output_write(output, text, (uint64_t)(end - text), error);
}

static enum qn_status write_header(struct qn_text_output *output, const struct file_form *form,
                                   const struct qn_property_table *properties,
                                   struct qn_error *error) {
  enum qn_status status = write_text(output, form->header, error);
  for (uint32_t i = 0; properties && i < properties->count && !status; i++)
    if (!is_kind(&properties->columns[i], form->kind))
      status = write_name(output, &properties->columns[i], form->kind != NULL, error);
    else if (!(status = write_text(output, ",", error)))
      status = write_text(output, form->kind, error);
  if (!status && form->kind && !has_kinds(properties, form->kind) &&
      !(status = write_text(output, ",", error)))
    status = write_text(output, form->kind, error);
  return status ? status : write_text(output, "\n", error);
}

/* ---- Files ---------------------------------------------------------------- */

static const char *tail_of(const struct file_form *form,
                           const struct qn_property_table *properties) {
  return form->kind && !has_kinds(properties, form->kind) ? form->all : "";
}

static enum qn_status write_edges(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  const struct file_form *form, struct qn_text_output *output,
                                  uint64_t *written, struct qn_error *error) {
  const struct qn_property_table *properties =
      options->properties ? &options->properties->of_edges : NULL;
  const struct qn_table_style style = {',', tail_of(form, properties), properties};
  struct qn_listed_edges listed = qn_listed_edges_of(graph, options);
  enum qn_status status = write_header(output, form, properties, error);
  return status ? status : qn_edge_table_write(graph, &listed, &style, output, written, error);
}

static enum qn_status write_vertices(const struct qn_graph *graph,
                                     const struct qn_write_options *options,
                                     const struct file_form *form, struct qn_text_output *output,
                                     struct qn_error *error) {
  const struct qn_property_table *properties =
      options->properties ? &options->properties->of_vertices : NULL;
  const struct qn_table_style style = {',', tail_of(form, properties), properties};
  enum qn_status status = write_header(output, form, properties, error);
  return status ? status : qn_vertex_table_write(graph, &style, output, error);
}

static enum qn_status write_pair(const struct qn_graph *graph,
                                 const struct qn_write_options *options,
                                 const struct file_form *vertices, const struct file_form *edges,
                                 struct qn_output_folder *folder, uint64_t *written,
                                 struct qn_error *error) {
  struct qn_text_output *output;
  enum qn_status status;
  if ((status = qn_output_folder_begin(folder, vertices->name, &output, error)) ||
      (status = write_vertices(graph, options, vertices, output, error)) ||
      (status = qn_output_folder_end(folder, output, "vertices", graph->out.num_vertices, error)) ||
      (status = qn_output_folder_begin(folder, edges->name, &output, error)) ||
      (status = write_edges(graph, options, edges, output, written, error)))
    return status;
  return qn_output_folder_end(folder, output, "edges", *written, error);
}

/* ---- Formats -------------------------------------------------------------- */

static enum qn_status write_csv(const struct qn_graph *graph,
                                const struct qn_write_options *options,
                                struct qn_text_output *output, uint64_t *written,
                                struct qn_error *error) {
  const struct file_form form = {.header = has_weights(graph) ? "src,dst,weight" : "src,dst"};
  return write_edges(graph, options, &form, output, written, error);
}

static enum qn_status write_graphframes(const struct qn_graph *graph,
                                        const struct qn_write_options *options,
                                        struct qn_output_folder *folder, uint64_t *written,
                                        struct qn_error *error) {
  const struct file_form vertices = {"vertices.csv", "id", NULL, NULL};
  const struct file_form edges = {"edges.csv", has_weights(graph) ? "src,dst,weight" : "src,dst",
                                  NULL, NULL};
  return write_pair(graph, options, &vertices, &edges, folder, written, error);
}

/* Its columns say of what type they are; ids are of one space, as text. */
static enum qn_status write_neo4j(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_output_folder *folder, uint64_t *written,
                                  struct qn_error *error) {
  static const char *const headers[] = {[QN_WEIGHT_NONE] = ":START_ID,:END_ID",
                                        [QN_WEIGHT_U32] = ":START_ID,:END_ID,weight:long",
                                        [QN_WEIGHT_F32] = ":START_ID,:END_ID,weight:float",
                                        [QN_WEIGHT_I64] = ":START_ID,:END_ID,weight:long",
                                        [QN_WEIGHT_F64] = ":START_ID,:END_ID,weight:double"};
  const struct file_form vertices = {"nodes.csv", "id:ID", ":LABEL", ",Vertex"};
  const struct file_form edges = {"relationships.csv", headers[graph->out.weights.type], ":TYPE",
                                  ",EDGE"};
  enum qn_status status = QN_OK;
  if (options->properties)
    status = lose_types(&options->properties->of_vertices, options, error);
  if (options->properties && !status)
    status = lose_types(&options->properties->of_edges, options, error);
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
