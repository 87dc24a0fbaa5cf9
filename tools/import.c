/* quern-import: graphs from the outside world into graph containers. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "converters/build_settings.h"
#include "converters/format.h"
#include "converters/import/import.h"
#include "converters/provenance.h"
#include "converters/typed/import.h"
#include "formats/container/figures.h"
#include "formats/container/stripes.h"
#include "formats/set/files.h"
#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/output_stream.h"
#include "support/text/fold.h"
#include "support/text/terminal.h"
#include "support/tool.h"
#include "tools/builder.h"
#include "tools/layout/making.h"
#include "tools/set_making.h"
#include "tools/tables.h"

/* Of settings: for the import, how to build, for a set. */
enum { NUM_TABLES = 4 };

struct options {
  struct qn_tool_options shared;
  struct qn_import_options import;
  struct qn_memory_options memory;
  struct qn_set_making making;
  struct qn_typed_options typed;
  struct qn_layout_making layout;
  const char *output;
  char **inputs;
  int num_inputs;
  bool list_formats;
  struct qn_settings settings[NUM_TABLES];
};

/* ---- Command line --------------------------------------------------------- */

enum { KEY_FORMATS = 0x3001 };

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0, "Write the container to FILE, - for standard output (required)", 1},
    {"formats", KEY_FORMATS, NULL, 0,
     "List every format, what is supported and what is lost (also with --json)", 1},
    {0}};

/* "soc.qrn" for "FOLDER/soc.txt.gz". */
#define SUGGESTION_BYTES 80
static const char *suggest_output(const char *input, char text[SUGGESTION_BYTES]) {
  const char *slash = strrchr(input, '/'), *base = slash ? slash + 1 : input;
  const size_t length = strcspn(base, ".:");
  const bool fits = length && length + sizeof ".qrn" <= SUGGESTION_BYTES && strcmp(base, "-") != 0;
  snprintf(text, SUGGESTION_BYTES, "%.*s.qrn", fits ? (int)length : 5, fits ? base : "graph");
  return text;
}

static void finish_command_line(struct argp_state *state, struct options *options) {
  char suggestion[SUGGESTION_BYTES];
  struct qn_error error;
  if (options->list_formats)
    return;
  if (options->num_inputs == 0 && !qn_typed_asked(&options->typed))
    argp_error(state, "name an input (or - for standard input)");
  if (!options->output)
    argp_error(state, "name the container to write with -o, such as -o %s",
               options->num_inputs ? suggest_output(options->inputs[0], suggestion) : "graph");
  qn_tool_check_output(&options->shared, options->output, state);
  if (qn_import_options_settle(&options->import, &error))
    argp_error(state, "%s", error.message);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    for (int i = 0; i < NUM_TABLES; i++)
      state->child_inputs[i] = &options->settings[i];
    state->child_inputs[NUM_TABLES + 1] = &options->memory;
    state->child_inputs[NUM_TABLES + 2] = &options->layout;
    state->child_inputs[NUM_TABLES + 3] = &options->shared;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case KEY_FORMATS:
    options->list_formats = true;
    return 0;
  case ARGP_KEY_ARGS:
    options->inputs = state->argv + state->next;
    options->num_inputs = state->argc - state->next;
    return 0;
  case ARGP_KEY_END:
    finish_command_line(state, options);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "Import a graph: read INPUT (several are joined; - is standard input) and write a graph "
    "container.\v"
    "Inputs may be plain, gzip, bzip2, xz, zstd or lz4, or members of tar and zip archives "
    "(archive:member), or a folder that quern-export, Spark or KONECT wrote. Packing and format "
    "are recognised by "
    "content; what was found is printed, with the option that forces it.\n\n"
    "Formats:\n"
    "%s\n"
    "With --memory edges are sorted in temporary files. Ids (unless they are the vertices, by "
    "--ids=keep or by the format) and names (--ids=strings) stay in memory and must fit into "
    "it, unless --block-vertices makes a set, for which they are numbered on disk.\n\n"
    "Started by mpirun or srun as several ranks, which share a file system, the import is "
    "distributed: each rank reads a part of the inputs and writes parts of a set, the same files "
    "as with --parts alone. --memory applies to each rank.\n\n"
    "The ledger printed at the end accounts for every line and edge; the container's metadata "
    "keeps it.\n\n"
    "Exit status: 0; 2 for a wrong command line or if FILE exists (see --force); 3 for invalid "
    "input, with the place in the message and no FILE left behind; 5 if reading, writing or memory "
    "fails.\n\n"
    "Example, a clean undirected graph:\n"
    "  quern-import soc.txt.gz -o soc.qrn --undirected \\\n"
    "    --self-loops=remove --duplicates=remove\n"
    "Packed rows, in one step:\n"
    "  quern-import soc.txt.gz -o soc.qrn --layout packed\n"
    "A set of 64 parts, by 16 processes:\n"
    "  mpirun -n 16 quern-import edges.txt -o edges --parts 64\n"
    "A set with several types, of Neo4j's import files:\n"
    "  quern-import --types people.csv movies.csv acted-in.csv -o graph";

static char *help_filter(int key, const char *text, void *input) {
  (void)input;
  return qn_formats_help(false, key, text);
}

/* ---- Report --------------------------------------------------------------- */

static enum qn_status print_json(const struct options *options,
                                 const struct qn_import_report *report, json_t *layout,
                                 struct qn_error *error) {
  const struct qn_container_info *info = &report->info;
  json_t *json = json_pack(
      "{s:o, s:o, s:I, s:I, s:b, s:s, s:{s:f, s:f, s:f, s:f}}", "output",
      qn_json_text(options->output), "estimate", qn_memory_plan_json(&report->plan), "vertices",
      (json_int_t)info->num_vertices, "edges", (json_int_t)info->num_edges, "undirected",
      info->directedness == QN_UNDIRECTED, "weights", qn_weight_type_name(info->weight_type),
      "seconds", "read", report->read_seconds, "build", report->build_seconds, "write",
      report->write_seconds, "total", report->total_seconds);
  json_object_update(json, layout);
  qn_set_making_json(&options->making, report->set, json);
  return qn_provenance_print(json, report->provenance, error);
}

static void print_summary(const struct options *options, const struct qn_import_report *report,
                          const json_t *layout) {
  char graph[QN_GRAPH_TEXT];
  struct qn_page page;
  FILE *stream = qn_page_begin(&page, qn_beside_output(options->output));
  fprintf(stream, "%s: %s\n", options->output,
          qn_ledger_graph_text(&report->ledger, &report->info, graph));
  qn_set_making_print(&options->making, report->set, stream);
  qn_ledger_print(&report->ledger, stream);
  if (json_object_size(layout))
    qn_figures_print(layout, qn_terminal_width(), stream);
  qn_page_end(&page, 4);
}

/* A set, a container, or the graph of which a container of another layout is built. */
static enum qn_status import_or_build(struct options *options, struct qn_import_report *report,
                                      json_t *layout, struct qn_error *error) {
  const bool builds = options->layout.builder.tool;
  struct qn_part_building building = {options->layout.builder, options->memory};
  const struct qn_set_builder builder = {building.builder.tool, building.builder.layout,
                                         qn_build_part, &building};
  const struct qn_import_job job = {.options = &options->import,
                                    .memory = options->memory,
                                    .inputs = options->inputs,
                                    .num_inputs = options->num_inputs,
                                    .tool = "quern-import",
                                    .output = options->output,
                                    .replace = options->shared.force,
                                    .nameless = builds && !options->making.ranks,
                                    .ranks = options->making.ranks,
                                    .set = options->making.set,
                                    .builder = builds && options->making.ranks ? &builder : NULL};
  struct qn_container *graph = NULL;
  if (qn_typed_asked(&options->typed))
    return qn_typed_import_run(&job, &options->typed, report, error);
  enum qn_status status = qn_import_run(&job, report, job.nameless ? &graph : NULL, error);
  return status || !job.nameless
             ? status
             : qn_layout_making_build(&options->layout, &options->memory, graph, options->output,
                                      options->shared.force, layout, error);
}

static enum qn_status check_layout(const struct options *options, struct qn_error *error) {
  if (options->layout.builder.tool && qn_typed_asked(&options->typed))
    return qn_fail(error, QN_USAGE, "--layout is for one container: import the set, then %s it",
                   options->layout.builder.tool);
  return qn_layout_making_check(&options->layout, options->making.ranks, error);
}

static enum qn_status import(struct options *options, struct qn_error *error) {
  struct qn_import_report report = {0};
  json_t *layout = json_object();
  enum qn_status status = check_layout(options, error);
  if (!status)
    status = import_or_build(options, &report, layout, error);
  if (!status && options->shared.json)
    status = print_json(options, &report, layout, error);
  else if (!status && !options->shared.quiet && qn_set_making_tells(&options->making))
    print_summary(options, &report, layout);
  json_decref(layout);
  qn_import_report_end(&report);
  qn_typed_options_release(&options->typed);
  return status;
}

/* Is it a description of a graph (Graphalytics'), or the main file of a striped one? */
static bool names_others(const char *input) {
  static const char ending[] = ".properties";
  const size_t length = strlen(input), least = sizeof ending - 1;
  return (length >= least && strcmp(input + length - least, ending) == 0) ||
         qn_stripes_recognise(input);
}

int main(int argc, char **argv) {
  const struct argp import_argp = qn_settings_argp(qn_import_settings);
  const struct argp build_argp = qn_settings_argp(qn_build_settings);
  const struct argp set_argp = qn_settings_argp(qn_set_settings);
  const struct argp typed_argp = qn_settings_argp(qn_typed_settings);
  const struct argp_child children[] = {
      {&import_argp, 0, NULL, 0},
      {&build_argp, 0, NULL, 0},
      {&set_argp, 0, NULL, 0},
      {&typed_argp, 0, "Several types of vertices and edges, as a set:", QN_TYPED_GROUP},
      {&qn_set_making_argp, 0, NULL, 0},
      {&qn_memory_argp, 0, NULL, 0},
      {&qn_layout_making_argp, 0, NULL, 0},
      {&qn_tool_output_argp, 0, NULL, 0},
      {0}};
  const struct argp argp = {argp_options, parse_option, "INPUT...", documentation,
                            children,     help_filter,  NULL};
  struct options options = {.settings = {{qn_import_settings, &options.import},
                                         {qn_build_settings, &options.import.build},
                                         {qn_set_settings, &options.making.set},
                                         {qn_typed_settings, &options.typed}},
                            .making.set.rows = QN_SET_ROWS_IN};
  struct qn_error error;
  qn_import_options_begin(&options.import);
  qn_tool_parse("quern-import", &argp, argc, argv, &options, &options.shared);
  qn_tool_spare_threads(&options.shared, (const char *const *)options.inputs, options.num_inputs,
                        QN_FEW_BYTES, names_others);
  qn_outputs_hold();
  if (options.list_formats)
    return qn_tool_exit(qn_formats_print(options.shared.json, &error), &error);
  const struct qn_typed_options *typed = &options.typed;
  const bool tables =
      qn_tables_are_input(options.import.format, options.inputs, options.num_inputs) ||
      qn_tables_are_types(typed->vertex_tables, typed->num_vertex_tables) ||
      qn_tables_are_types(typed->edge_tables, typed->num_edge_tables);
  enum qn_status status = qn_set_making_begin(&options.making, &options.shared, &error);
  if (!status && tables && options.layout.builder.tool)
    status = qn_fail(&error, QN_UNSUPPORTED,
                     "tables become graph containers: import without --layout, then %s",
                     options.layout.builder.tool);
  if (!status && tables && !options.making.ranks)
    return qn_tool_exit(qn_tables_hand_over("import",
                                            options.num_inputs ? options.inputs[0] : options.output,
                                            argv, &error),
                        &error);
  if (!status)
    status = tables ? qn_fail(&error, QN_UNSUPPORTED,
                              "tables become containers, by one process: import without --parts "
                              "and mpirun, then quern-transform --parts")
                    : import(&options, &error);
  return qn_set_making_end(status, &error);
}
