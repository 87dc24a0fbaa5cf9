/* quern-export: containers of any layout as text. */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "converters/export/export.h"
#include "converters/export/wide.h"
#include "converters/graph/graph_source.h"
#include "converters/typed/export.h"
#include "formats/container/stripes.h"
#include "formats/set/types.h"
#include "formats/wide/rows.h"
#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/output_stream.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include "tools/tables.h"

struct options {
  struct qn_tool_options shared;
  struct qn_export_options export;
  const char *input;
  const char *format; /* NULL: not named */
  bool list_formats;
  bool by_package; /* the format is of tables */
  struct qn_settings settings;
};

enum { KEY_FORMAT = 0x3301, KEY_FORMATS };

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0,
     "Write to FILE, - for standard output (required). Some formats, and --parts, make it a folder",
     1},
    {"format", KEY_FORMAT, "NAME", 0,
     "The format to write (default: by the ending of FILE, such as .mtx or .parquet; else edges)",
     1},
    {"formats", KEY_FORMATS, NULL, 0,
     "List every format, what is supported and what is lost (also with --json)", 1},
    {0}};

static enum qn_status choose_format(struct options *options, const char *name,
                                    struct qn_error *error) {
  options->by_package = qn_format_is_written_by_package(name);
  return options->by_package ? QN_OK
                             : qn_graph_writer_by_name(name, &options->export.writer, error);
}

static void finish_command_line(struct argp_state *state, struct options *options) {
  const char *format = options->format;
  struct qn_error error;
  if (options->list_formats)
    return;
  if (!options->input)
    argp_error(state, "name a container");
  if (!options->export.path)
    argp_error(state, "name the file to write with -o, such as -o graph.csv (or -o -)");
  if ((!format &&
       qn_format_of_output(options->export.path, options->export.num_parts > 0, &format, &error)) ||
      choose_format(options, format, &error))
    argp_error(state, "%s", error.message);
  qn_tool_check_output(&options->shared, options->export.path, state);
  if (!options->by_package && qn_export_options_settle(&options->export, &error))
    argp_error(state, "%s", error.message);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->settings;
    state->child_inputs[1] = &options->shared;
    return 0;
  case 'o':
    options->export.path = argument;
    return 0;
  case KEY_FORMAT:
    options->format = argument;
    return 0;
  case KEY_FORMATS:
    options->list_formats = true;
    return 0;
  case ARGP_KEY_ARG:
    if (options->input)
      argp_error(state, "one container at a time; -o %s writes to that file", argument);
    options->input = argument;
    return 0;
  case ARGP_KEY_END:
    finish_command_line(state, options);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "Export a graph: write the edges, weights and original ids of a container of any layout in the "
    "format of another system.\v"
    "GRAPH.qrn may be - for standard input, or BUNDLE.tar:MEMBER, which is restored to temporary "
    "disk space (TMPDIR) first.\n\n"
    "Formats:\n"
    "%s\n"
    "Reals are written with the fewest digits that read back exactly. --formats says what a format "
    "loses or refuses; notes say what is lost of this graph.\n\n"
    "A folder has _manifest.json, which names its files with sizes and checksums; --force replaces "
    "it only if it holds nothing else.\n\n"
    "Exit status: 0; 2 for a wrong command line or if FILE exists (see --force); 3 for an invalid "
    "container; 4 for a graph that the format cannot hold; 5 if reading, writing or memory "
    "fails.\n\n"
    "Example:\n"
    "  quern-export soc.qrn -o soc.txt\n"
    "  quern-export soc.qrn -o soc-parts --parts 16 --format csv";

static char *help_filter(int key, const char *text, void *input) {
  (void)input;
  return qn_formats_help(true, key, text);
}

struct report {
  struct qn_export_report written;
  double open_seconds, write_seconds;
};

/* A set with types: Neo4j's files keep them, formats with properties have them as such. One of more
 * vertices than a graph has is written where it lies. */
static enum qn_status look_at_set(const struct options *options, bool *by_types, bool *wide,
                                  struct qn_error *error) {
  const struct qn_graph_writer *writer = options->export.writer;
  struct qn_set *set = NULL;
  enum qn_status status =
      qn_set_recognise(options->input) ? qn_set_open(options->input, &set, error) : QN_OK;
  const bool is_typed = !status && set && qn_set_is_typed(set);
  *wide = !status && set && set->num_vertices > UINT32_MAX && qn_wide_takes(set);
  qn_set_close(set);
  *by_types = is_typed && strcmp(writer->name, "neo4j") == 0;
  return !status && is_typed && !(writer->keeps_edge_properties && writer->keeps_vertex_properties)
             ? qn_loses(&options->export.write, error,
                        "the types of %s are not in the output: neo4j keeps them, and "
                        "quern-transform --project makes a graph of one",
                        writer->keeps_edge_properties ? "vertices" : "vertices and edges")
             : status;
}

static enum qn_status export_file(const struct options *options, struct report *report,
                                  struct qn_error *error) {
  struct qn_graph_source source;
  bool by_types = false, wide = false;
  double begun = qn_seconds();
  enum qn_status status = qn_input_kept(options->export.path, options->input, error);
  if (!status)
    status = look_at_set(options, &by_types, &wide, error);
  if (!status && by_types) {
    status = qn_typed_export_neo4j(&options->export, options->input, &report->written, error);
    report->write_seconds = qn_seconds() - begun;
  }
  if (!status && wide) {
    status = qn_export_wide(&options->export, options->input, &report->written, error);
    report->write_seconds = qn_seconds() - begun;
  }
  if (status || by_types || wide)
    return status;
  status = qn_graph_source_open(options->input, &source, error);
  report->open_seconds = qn_seconds() - begun;
  begun = qn_seconds();
  if (!status)
    status =
        qn_export_graph(&options->export, &source.graph, source.container, &report->written, error);
  if (status == QN_UNSUPPORTED && !error->file[0])
    qn_error_in_file(error, options->input);
  report->write_seconds = qn_seconds() - begun;
  qn_graph_source_close(&source);
  return status;
}

static void print_json(const struct options *options, const struct report *report) {
  qn_tool_print_json(json_pack(
      "{s:o, s:o, s:s, s:I, s:I, s:{s:f, s:f, s:f}}", "input", qn_json_path(options->input),
      "output", qn_json_text(options->export.path), "format", options->export.writer->name, "edges",
      (json_int_t)report->written.edges, "bytes", (json_int_t)report->written.bytes, "seconds",
      "open", report->open_seconds, "write", report->write_seconds, "total",
      report->open_seconds + report->write_seconds));
}

static void print_summary(const struct options *options, const struct report *report) {
  char edges[32], bytes[32];
  fprintf(qn_beside_output(options->export.path), "%s: %s edges, %s, in %.2f s\n",
          options->export.path, qn_count_text(report->written.edges, edges, sizeof edges),
          qn_size_text(report->written.bytes, bytes, sizeof bytes),
          report->open_seconds + report->write_seconds);
}

int main(int argc, char **argv) {
  const struct argp export_argp = qn_settings_argp(qn_export_settings);
  const struct argp_child children[] = {
      {&export_argp, 0, NULL, 0}, {&qn_tool_output_argp, 0, NULL, 0}, {0}};
  const struct argp argp = {argp_options, parse_option, "GRAPH.qrn", documentation,
                            children,     help_filter,  NULL};
  struct options options = {.settings = {qn_export_settings, &options.export}};
  qn_export_options_begin(&options.export);
  struct report report = {0};
  struct qn_error error;
  qn_tool_parse("quern-export", &argp, argc, argv, &options, &options.shared);
  if (options.input)
    qn_tool_spare_threads(&options.shared, &options.input, 1, QN_FEW_BYTES, qn_stripes_recognise);
  qn_outputs_hold();
  if (options.by_package)
    return qn_tool_exit(qn_tables_hand_over("export", options.export.path, argv, &error), &error);
  options.export.replace = options.shared.force;
  enum qn_status status = options.list_formats ? qn_formats_print(options.shared.json, &error)
                                               : export_file(&options, &report, &error);
  if (!status && !options.list_formats && options.shared.json)
    print_json(&options, &report);
  else if (!status && !options.list_formats && !options.shared.quiet)
    print_summary(&options, &report);
  return qn_tool_exit(status, &error);
}
