/* quern-export: containers of any layout as text. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "converters/format.h"
#include "converters/graph/graph_source.h"
#include "converters/output/edge_runs.h"
#include "converters/output/losses.h"
#include "converters/output/output_folder.h"
#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/options.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"

struct options {
  struct qn_tool_options shared;
  struct qn_write_options write;
  struct qn_losses losses;
  const struct qn_graph_writer *writer;
  const char *input;
  const char *output;
  uint64_t num_parts; /* --parts; 0: one file */
  bool list_formats;
};

enum { KEY_FORMAT = 0x3301, KEY_FORMATS, KEY_BOTH, KEY_HEADER, KEY_RECORD, KEY_PARTS, KEY_STRICT };

/* More files in a folder are of no use. */
#define MAX_PARTS 100000

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0,
     "Write to FILE, - for standard output (required). Some formats, and --parts, make it a folder",
     1},
    {"format", KEY_FORMAT, "NAME", 0, "What to write (default: edges)", 1},
    {"formats", KEY_FORMATS, NULL, 0,
     "List every format, what is supported and what is lost (also with --json)", 1},
    {"both-directions", KEY_BOTH, NULL, 0,
     "List undirected edges in both directions (default: in one)", 1},
    {"header", KEY_HEADER, NULL, 0,
     "Of edges: begin with a line that says what the graph is, which quern-import heeds; others "
     "may "
     "not know comments",
     1},
    {"strict", KEY_STRICT, NULL, 0,
     "Write nothing if the format does not keep all of the graph (default: say what it loses)", 1},
    {"record", KEY_RECORD, "IDS[,WEIGHT][,big]", 0,
     "Of pairs: ids as u32, u64 or packed (Graph500's 48 bits), weights as u32 or f32; big-endian "
     "(default: the least that holds all)",
     1},
    {"parts", KEY_PARTS, "N", 0, "Write a folder of N files of equally many edges, and a manifest",
     1},
    {0}};

static void finish_command_line(struct argp_state *state, const struct options *options) {
  if (options->list_formats)
    return;
  if (!options->input)
    argp_error(state, "name a container");
  if (!options->output)
    argp_error(state, "name the file to write with -o");
  if (options->shared.json && qn_is_standard_output(options->output))
    argp_error(state, "--json and -o would both write to standard output");
  if (options->write.header && (options->num_parts || strcmp(options->writer->name, "edges") != 0))
    argp_error(state, "--header goes with the format edges, in one file");
  if (options->num_parts && !options->writer->file_end)
    argp_error(state,
               "--parts goes with formats of edges alone, such as edges, csv or pairs, not with %s",
               options->writer->name);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  struct qn_error error;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->shared;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case KEY_FORMAT:
    if (qn_graph_writer_by_name(argument, &options->writer, &error))
      argp_error(state, "%s", error.message);
    return 0;
  case KEY_FORMATS:
    options->list_formats = true;
    return 0;
  case KEY_BOTH:
    options->write.both_directions = true;
    return 0;
  case KEY_HEADER:
    options->write.header = true;
    return 0;
  case KEY_STRICT:
    options->losses.strict = true;
    return 0;
  case KEY_RECORD:
    if (qn_record_parse(argument, &options->write.record, &error))
      argp_error(state, "--record: %s", error.message);
    return 0;
  case KEY_PARTS:
    options->num_parts = qn_option_number(state, "--parts", argument, 1, MAX_PARTS);
    return 0;
  case ARGP_KEY_ARG:
    if (options->input)
      argp_error(state, "one container at a time; '%s' is too much", argument);
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
    "Export a graph: write the edges, weights and original ids of a container of any layout in "
    "a format of other systems.\v"
    "GRAPH.qrn may be BUNDLE.tar:MEMBER, which is restored to temporary disk space (TMPDIR) "
    "first.\n\n"
    "Formats:\n%s\n"
    "Reals are written with the fewest digits that read back exactly. --formats says what "
    "a format loses or refuses; notes say what is lost of this graph.\n\n"
    "A folder has _manifest.json, which names its files with sizes and checksums; --force "
    "replaces it only if it holds nothing else.\n\n"
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
  uint64_t edges, bytes;
  double open_seconds, write_seconds;
};

static enum qn_status write_file(const struct options *options, const struct qn_graph *graph,
                                 struct report *report, struct qn_error *error) {
  struct qn_text_output *output;
  enum qn_status status =
      qn_text_output_create(options->output, options->shared.force, &output, error);
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
static enum qn_status write_part(const struct options *options, const struct qn_graph *graph,
                                 uint64_t part, const uint64_t cuts[2],
                                 struct qn_output_folder *folder, struct report *report,
                                 struct qn_error *error) {
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

static enum qn_status write_parts(const struct options *options, const struct qn_graph *graph,
                                  struct qn_output_folder *folder, struct report *report,
                                  struct qn_error *error) {
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

static enum qn_status write_folder(const struct options *options, const struct qn_graph *graph,
                                   struct report *report, struct qn_error *error) {
  struct qn_output_folder *folder;
  enum qn_status status =
      qn_output_folder_create(options->output, options->shared.force, &folder, error);
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
static unsigned losses_of(const struct options *options, const struct qn_graph *graph) {
  unsigned losses = options->writer->losses;
  if (options->write.header)
    losses &= ~(unsigned)(QN_LOSES_NUMBER_NAMES | QN_LOSES_UNDIRECTED);
  if (options->num_parts)
    losses &= ~(unsigned)QN_LOSES_UNDIRECTED;
  if ((options->write.header || options->num_parts) && graph->ids.kind == QN_IDS_DENSE)
    losses &= ~(unsigned)QN_LOSES_ISOLATED;
  return losses;
}

static enum qn_status write_graph(const struct options *options, const struct qn_graph *graph,
                                  struct report *report, struct qn_error *error) {
  enum qn_status status =
      qn_loses_of_graph(graph, losses_of(options, graph), &options->write, error);
  if (status)
    return status;
  return options->num_parts || options->writer->write_folder
             ? write_folder(options, graph, report, error)
             : write_file(options, graph, report, error);
}

static enum qn_status export_graph(const struct options *options, struct report *report,
                                   struct qn_error *error) {
  struct qn_graph_source source;
  double begun = qn_seconds();
  enum qn_status status = qn_input_kept(options->output, options->input, error);
  if (status)
    return status;
  status = qn_graph_source_open(options->input, &source, error);
  report->open_seconds = qn_seconds() - begun;
  begun = qn_seconds();
  if (!status)
    status = write_graph(options, &source.graph, report, error);
  if (status == QN_UNSUPPORTED && !error->file[0])
    qn_error_in_file(error, options->input);
  report->write_seconds = qn_seconds() - begun;
  qn_graph_source_close(&source);
  return status;
}

static enum qn_status print_json(const struct options *options, const struct report *report,
                                 struct qn_error *error) {
  json_t *json = json_pack("{s:o, s:o, s:s, s:I, s:I, s:O, s:{s:f, s:f, s:f}}", "input",
                           qn_json_text(options->input), "output", qn_json_text(options->output),
                           "format", options->writer->name, "edges", (json_int_t)report->edges,
                           "bytes", (json_int_t)report->bytes, "notes", options->losses.notes,
                           "seconds", "open", report->open_seconds, "write", report->write_seconds,
                           "total", report->open_seconds + report->write_seconds);
  if (!json)
    return qn_fail_memory(error, "the report", 0);
  json_dumpf(json, stdout, JSON_SORT_KEYS | JSON_INDENT(2) | JSON_REAL_PRECISION(6));
  putchar('\n');
  json_decref(json);
  return QN_OK;
}

static void print_summary(const struct options *options, const struct report *report) {
  char edges[32], bytes[32];
  FILE *stream = qn_is_standard_output(options->output) ? stderr : stdout;
  fprintf(stream, "%s: %s edges, %s, in %.2f s\n", options->output,
          qn_count_text(report->edges, edges, sizeof edges),
          qn_size_text(report->bytes, bytes, sizeof bytes),
          report->open_seconds + report->write_seconds);
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_tool_output_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {argp_options, parse_option, "GRAPH.qrn", documentation,
                                   children,     help_filter,  NULL};
  struct options options = {0};
  options.write.losses = &options.losses;
  qn_graph_writer_by_name("edges", &options.writer, NULL);
  struct report report = {0};
  struct qn_error error;
  qn_tool_parse("quern-export", &argp, argc, argv, &options, &options.shared);
  if (options.list_formats)
    return qn_tool_exit(qn_formats_print(options.shared.json, &error), &error);
  options.losses.notes = json_array();
  enum qn_status status = export_graph(&options, &report, &error);
  if (!status && options.shared.json)
    status = print_json(&options, &report, &error);
  else if (!status && !options.shared.quiet)
    print_summary(&options, &report);
  json_decref(options.losses.notes);
  return qn_tool_exit(status, &error);
}
