#include "converters/export/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/output/edge_runs.h"
#include "converters/output/output_folder.h"
#include "support/memory.h"
#include <quern/properties.h>

/* More files in a folder are of no use. */
#define MAX_PARTS 100000

/* ---- Options --------------------------------------------------------------- */

static enum qn_status set_record(void *target, const char *text, struct qn_error *error) {
  struct qn_export_options *options = target;
  return qn_record_parse(text, &options->write.record, error);
}

#define FIELD(name) offsetof(struct qn_export_options, name)
const struct qn_setting qn_export_settings[] = {
    {"both-directions", QN_SETTING_SWITCH, FIELD(write.both_directions), .group = 1,
     .help = "List undirected edges in both directions (default: in one)"},
    {"header", QN_SETTING_SWITCH, FIELD(write.header), .group = 1,
     .help = "Of edges: begin with a comment line that describes the graph for quern-import; other "
             "readers may not accept comments"},
    {"strict", QN_SETTING_SWITCH, FIELD(write.strict), .group = 1,
     .help =
         "Write nothing if the format cannot keep all of the graph (default: say what is lost)"},
    {"record", QN_SETTING_OWN, .set = set_record, .argument = "IDS[,WEIGHT][,big]", .group = 1,
     .help = "Of pairs: ids as u32, u64 or packed (Graph500's 48 bits), weights as u32, f32, i64 "
             "or f64; big-endian (default: the smallest types that hold all values)"},
    {"parts", QN_SETTING_NUMBER, FIELD(num_parts), .least = 1, .most = MAX_PARTS, .argument = "N",
     .group = 1, .help = "Write a folder of N files with about equally many edges, and a manifest"},
    {"base", QN_SETTING_TEXT, FIELD(write.base), .argument = "IRI", .group = 1,
     .help = "Of n-triples and n-quads: put IRI before names that are no IRIs"},
    {"column", QN_SETTING_TEXT, FIELD(column), .argument = "NAME", .group = 1,
     .help = "Of metis-part and pyg-partition: the property that says the part of each vertex "
             "(default: part)"},
    {0}};

void qn_export_options_begin(struct qn_export_options *options) {
  *options = (struct qn_export_options){0};
  qn_graph_writer_by_name("edges", &options->writer, NULL);
}

enum qn_status qn_export_options_settle(const struct qn_export_options *options,
                                        struct qn_error *error) {
  if (options->write.header && (options->num_parts || strcmp(options->writer->name, "edges") != 0))
    return qn_fail(error, QN_USAGE, "--header works only with the format edges, in one file");
  if (options->num_parts && !options->writer->file_end)
    return qn_fail(
        error, QN_USAGE,
        "--parts works only with formats of edges, such as edges, csv or pairs, not with %s",
        options->writer->name);
  if (options->write.base && !options->writer->takes_base)
    return qn_fail(error, QN_USAGE, "--base works only with n-triples and n-quads");
  if (options->column)
    return qn_fail(error, QN_USAGE, "--column works only with metis-part and pyg-partition");
  return QN_OK;
}

/* ---- Writing --------------------------------------------------------------- */

static enum qn_status write_file(const struct qn_export_options *options,
                                 const struct qn_graph *graph, struct qn_export_report *report,
                                 struct qn_error *error) {
  struct qn_text_output *output;
  enum qn_status status = qn_text_output_create(options->path, options->replace, &output, error);
  if (status)
    return status;
  status = options->writer->write(graph, &options->write, output, &report->edges, error);
  if (status) {
    qn_text_output_abort(output);
    return status;
  }
  report->bytes = qn_text_output_bytes(output);
  return qn_text_output_commit(output, error);
}

/* One part of the edges as a file of the folder. */
static enum qn_status write_part(const struct qn_export_options *options,
                                 const struct qn_graph *graph, uint64_t part,
                                 const uint64_t cuts[2], struct qn_output_folder *folder,
                                 struct qn_export_report *report, struct qn_error *error) {
  struct qn_write_options write = options->write;
  struct qn_text_output *output;
  char name[64];
  uint64_t edges;
  write.in_part = true;
  write.part_begin = cuts[0];
  write.part_end = cuts[1];
  snprintf(name, sizeof name, "part-%05" PRIu64 "%s", part, options->writer->file_end);
  enum qn_status status = qn_output_folder_begin(folder, name, &output, error);
  if (!status)
    status = options->writer->write(graph, &write, output, &edges, error);
  if (status)
    return status;
  report->edges += edges;
  return qn_output_folder_end(folder, output, "edges", edges, error);
}

static enum qn_status write_parts(const struct qn_export_options *options,
                                  const struct qn_graph *graph, struct qn_output_folder *folder,
                                  struct qn_export_report *report, struct qn_error *error) {
  struct qn_listed_edges listed = qn_listed_edges_of(graph, &options->write);
  uint64_t *cuts;
  enum qn_status status =
      qn_alloc(&cuts, options->num_parts + 1, sizeof *cuts, "where to cut the edges", error);
  if (status)
    return status;
  status = qn_listed_edges_cut(&listed, options->num_parts, cuts, error);
  for (uint64_t part = 0; part < options->num_parts && !status; part++)
    status = write_part(options, graph, part, &cuts[part], folder, report, error);
  qn_free(cuts);
  return status;
}

static enum qn_status write_folder(const struct qn_export_options *options,
                                   const struct qn_graph *graph, struct qn_export_report *report,
                                   struct qn_error *error) {
  struct qn_output_folder *folder;
  enum qn_status status = qn_output_folder_create(options->path, options->replace, &folder, error);
  if (status)
    return status;
  status = options->num_parts ? write_parts(options, graph, folder, report, error)
                              : options->writer->write_folder(graph, &options->write, folder,
                                                              &report->edges, error);
  if (status) {
    qn_output_folder_abort(folder);
    return status;
  }
  report->bytes = qn_output_folder_bytes(folder);
  return qn_output_folder_commit(folder, options->writer->name, graph, error);
}

/* What the format does not keep, unless a header or a manifest does. */
static unsigned losses_of(const struct qn_export_options *options, const struct qn_graph *graph) {
  unsigned losses = options->writer->losses;
  if (options->write.header)
    losses &= ~(unsigned)(QN_LOSES_NUMBER_NAMES | QN_LOSES_UNDIRECTED);
  if (options->num_parts)
    losses &= ~(unsigned)QN_LOSES_UNDIRECTED;
  if ((options->write.header || options->num_parts) && graph->ids.kind == QN_IDS_DENSE)
    losses &= ~(unsigned)QN_LOSES_ISOLATED;
  return losses;
}

static enum qn_status lose_properties(const struct qn_export_options *options,
                                      const struct qn_properties *properties,
                                      struct qn_error *error) {
  const struct qn_graph_writer *writer = options->writer;
  uint32_t vertices = writer->keeps_vertex_properties ? 0 : properties->of_vertices.count;
  uint32_t edges = writer->keeps_edge_properties ? 0 : properties->of_edges.count;
  enum qn_status status = QN_OK;
  if (vertices)
    status = qn_loses(&options->write, error,
                      "the properties of vertices, %" PRIu32 ", are not in the output", vertices);
  if (!status && edges)
    status = qn_loses(&options->write, error,
                      "the properties of edges, %" PRIu32 ", are not in the output", edges);
  return status;
}

static enum qn_status write_graph(const struct qn_export_options *options,
                                  const struct qn_graph *graph, struct qn_export_report *report,
                                  struct qn_error *error) {
  enum qn_status status =
      qn_loses_of_graph(graph, losses_of(options, graph), &options->write, error);
  if (!status)
    status = lose_properties(options, options->write.properties, error);
  if (status)
    return status;
  return options->num_parts || options->writer->write_folder
             ? write_folder(options, graph, report, error)
             : write_file(options, graph, report, error);
}

enum qn_status qn_export_graph(const struct qn_export_options *options,
                               const struct qn_graph *graph, const struct qn_container *container,
                               struct qn_export_report *report, struct qn_error *error) {
  struct qn_export_options with_properties = *options;
  struct qn_properties properties = {0};
  enum qn_status status = container ? qn_properties_view(container, &properties, error) : QN_OK;
  with_properties.write.properties = &properties;
  if (!status)
    status = write_graph(&with_properties, graph, report, error);
  qn_properties_release(&properties);
  return status;
}
