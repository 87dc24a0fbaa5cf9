/* quern-import: graphs from the outside world into graph containers. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "converters/format.h"
#include "converters/import/import.h"
#include "converters/provenance.h"
#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/output_stream.h"
#include "support/tool.h"
#include "tools/build_options.h"
#include "tools/set_making.h"
#include "tools/tables.h"

struct options {
  struct qn_tool_options shared;
  struct qn_import_options import;
  struct qn_memory_options memory;
  struct qn_set_making making;
  const char *output;
  char **inputs;
  int num_inputs;
  bool list_formats;
};

/* ---- Command line --------------------------------------------------------- */

enum {
  KEY_FORMAT = 0x3001,
  KEY_FORMATS,
  KEY_WEIGHTS,
  KEY_IDS,
  KEY_MAX_BAD,
  KEY_COLUMNS,
  KEY_RECORD,
  KEY_VERTICES,
  KEY_PROPERTIES,
  KEY_BIPARTITE,
  KEY_DELIMITER,
  KEY_HEADER,
  KEY_QUOTES,
  KEY_ESCAPE,
  KEY_DECIMAL,
  KEY_COMMENTS,
  KEY_TRAILING_COMMENTS,
  KEY_MEMBER,
  KEY_MAX_BYTES,
  KEY_MAX_EXPANSION,
  KEY_NARROW_WEIGHTS,
  KEY_STRICT,
  KEY_DIRECTED,
};

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0, "Write the container to FILE, - for standard output (required)", 1},
    {"format", KEY_FORMAT, "NAME", 0, "What the input is; auto (default) looks at its content", 1},
    {"formats", KEY_FORMATS, NULL, 0,
     "List every format, what is supported and what is lost (also with --json)", 1},
    {"member", KEY_MEMBER, "NAME", 0, "The member of an archive to read, if it has several", 1},
    {"max-bytes", KEY_MAX_BYTES, "SIZE", 0,
     "Refuse packed inputs that hold more than SIZE (default: 1T)", 1},
    {"max-expansion", KEY_MAX_EXPANSION, "N", 0,
     "Refuse packed inputs that hold more than 256M and N times their size (default: 250)", 1},
    {"columns", KEY_COLUMNS, "S,D[,W]", 0,
     "Of edge lists: the columns of source, destination and weight, by number from 1 or by name in "
     "the header (default: those that the header calls source, src, from, u, start or :START_ID; "
     "target, dst, to, v, end or :END_ID; weight, w or value; else 1,2,3)",
     1},
    {"delimiter", KEY_DELIMITER, "auto|comma|semicolon|tab|bar|blank", 0,
     "Of edge lists: what separates columns. auto (default): what gives all of the first lines the "
     "same columns",
     1},
    {"header", KEY_HEADER, "auto|no|yes", 0,
     "Of edge lists: whether the first line names columns. auto (default): if it can be told", 1},
    {"quotes", KEY_QUOTES, "auto|no|yes", 0,
     "Of edge lists: yes: values in double quotes may break lines. no: quotes are text. auto "
     "(default): yes if one of the first values is in quotes",
     1},
    {"escape", KEY_ESCAPE, "quote|backslash", 0,
     "Of edge lists: what stands before a quote in a value in quotes: another one (default), or a "
     "backslash, as Spark writes it",
     1},
    {"decimal", KEY_DECIMAL, "point|comma", 0,
     "Of edge lists: what weights have before their fraction (default: point)", 1},
    {"comments", KEY_COMMENTS, "auto|none|#|%|#%", 0,
     "Of edge lists: the signs that lines of comments begin with. auto (default): # and %, but a "
     "line that may be an edge is refused",
     1},
    {"trailing-comments", KEY_TRAILING_COMMENTS, NULL, 0,
     "Of edge lists: # with a blank before it begins a comment", 1},
    {"record", KEY_RECORD, "IDS[,WEIGHT][,big]", 0,
     "Of pairs: what an edge is. Source and destination: u32, u64 or packed (Graph500's 48 bits); "
     "weight: u32, f32, i64 or f64; big-endian",
     1},
    {"vertices", KEY_VERTICES, "N|FILE", 0,
     "There are N vertices, 0 to N - 1, with edges or not (default: as many as the input says or "
     "ids need). FILE: those in this CSV file, or of tables in this Parquet or Arrow file, by its "
     "column id or :ID; its other columns become properties of vertices",
     1},
    {"properties", KEY_PROPERTIES, "all|NAME[:TYPE],...", 0,
     "Keep these columns of edge lists and tables as properties of edges, by name in the header or "
     "by number "
     "from 1, or these data of vertices and edges in GraphML, GEXF, GML, JSON and METIS; as u32, "
     "u64, i64, f32, f64, bool or string (default: what the file says, else the first that holds "
     "all values exactly). all,NAME:TYPE says the type of one",
     1},
    {"bipartite", KEY_BIPARTITE, "auto|no|yes", 0,
     "Of edge lists: sources and destinations are different things even where ids are equal; they "
     "are called L and R with the id behind it. auto (default): if a KONECT header says so",
     1},
    {"max-bad", KEY_MAX_BAD, "N", 0, "Skip, list and count up to N bad lines (default: 0)", 1},
    {"weights", KEY_WEIGHTS, "auto|none|u32|f32|i64|f64", 0,
     "auto (default): u32 or i64 if all weights are whole numbers that fit, else f32 or f64; none: "
     "drop them",
     2},
    {"narrow-weights", KEY_NARROW_WEIGHTS, NULL, 0,
     "Keep weights that are no u32 as f32 (with --weights=f64: as f64), round those that it cannot "
     "hold, and say by how much",
     2},
    {"ids", KEY_IDS, "keep|compact|strings", 0,
     "keep: vertex v is the one called v. compact: number the ids that occur in ascending order, "
     "and keep the map. strings: ids are any text. Default: keep if there are no gaps, else "
     "compact",
     2},
    {"directed", KEY_DIRECTED, NULL, 0,
     "Edges are directed (default, unless the format says otherwise); refuse an input that "
     "calls them undirected",
     2},
    {"strict", KEY_STRICT, NULL, 0,
     "Refuse, instead of warning, where something unclear changes what the graph means", 2},
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
  if (options->num_inputs == 0)
    argp_error(state, "name an input (or - for standard input)");
  if (!options->output)
    argp_error(state, "name the container to write with -o, such as -o %s",
               suggest_output(options->inputs[0], suggestion));
  qn_tool_check_output(&options->shared, options->output, state);
  if (qn_import_options_settle(&options->import, &error))
    argp_error(state, "%s", error.message);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->import.build;
    state->child_inputs[1] = &options->memory;
    state->child_inputs[2] = &options->making;
    state->child_inputs[3] = &options->shared;
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
    return qn_settings_parse(argp_options, qn_import_settings, key, argument, state,
                             &options->import);
  }
}

static const char documentation[] =
    "Import a graph: read INPUT (several are joined; - is standard input) and write a graph "
    "container.\v"
    "Inputs may be plain, gzip, bzip2, xz, zstd or lz4, or members of tar and zip archives "
    "(archive:member), or a folder that quern-export wrote. Packing and format are "
    "recognised by content; what was found is printed, with the option that forces it.\n\n"
    "Formats:\n%s\n"
    "With --memory edges are sorted in temporary files; the ids that occur, unless they are the "
    "vertices (--ids=keep, or declared by the format), and names (--ids=strings) stay in memory, "
    "which they must fit into.\n\n"
    "Started by mpirun or srun as several ranks, which share a file system, the import is shared: "
    "each reads a part of the inputs and writes parts of a set, the same as with --parts alone. "
    "--memory holds for each rank.\n\n"
    "The ledger printed at the end accounts for every line and edge; the container's metadata "
    "keeps it.\n\n"
    "Exit status: 0; 2 for a wrong command line or if FILE exists (see --force); 3 for invalid "
    "input, with the place in the message and no FILE left behind; 5 if reading, writing or memory "
    "fails.\n\n"
    "Example, a clean undirected graph:\n"
    "  quern-import soc.txt.gz -o soc.qrn --undirected \\\n"
    "    --self-loops=remove --duplicates=remove\n"
    "A set of 64 parts, by 16 processes:\n"
    "  mpirun -n 16 quern-import edges.txt -o edges --parts 64";

static char *help_filter(int key, const char *text, void *input) {
  (void)input;
  return qn_formats_help(false, key, text);
}

/* ---- Report --------------------------------------------------------------- */

static enum qn_status print_json(const struct options *options,
                                 const struct qn_import_report *report, struct qn_error *error) {
  const struct qn_container_info *info = &report->info;
  json_t *json = json_pack(
      "{s:o, s:o, s:I, s:I, s:b, s:s, s:{s:f, s:f, s:f, s:f}}", "output",
      qn_json_text(options->output), "estimate", qn_memory_plan_json(&report->plan), "vertices",
      (json_int_t)info->num_vertices, "edges", (json_int_t)info->num_edges, "undirected",
      info->directedness == QN_UNDIRECTED, "weights", qn_weight_type_name(info->weight_type),
      "seconds", "read", report->read_seconds, "build", report->build_seconds, "write",
      report->write_seconds, "total", report->total_seconds);
  qn_set_making_json(&options->making, report->set, json);
  return qn_provenance_print(json, report->provenance, error);
}

static void print_summary(const struct options *options, const struct qn_import_report *report) {
  char graph[QN_GRAPH_TEXT];
  FILE *stream = qn_beside_output(options->output);
  fprintf(stream, "%s: %s\n", options->output,
          qn_ledger_graph_text(&report->ledger, &report->info, graph));
  qn_set_making_print(&options->making, report->set, stream);
  qn_ledger_print(&report->ledger, stream);
}

static enum qn_status import(const struct options *options, struct qn_error *error) {
  const struct qn_import_job job = {.options = &options->import,
                                    .memory = options->memory,
                                    .inputs = options->inputs,
                                    .num_inputs = options->num_inputs,
                                    .tool = "quern-import",
                                    .output = options->output,
                                    .replace = options->shared.force,
                                    .ranks = options->making.ranks,
                                    .set = options->making.set};
  struct qn_import_report report;
  enum qn_status status = qn_import_run(&job, &report, NULL, error);
  if (!status && options->shared.json)
    status = print_json(options, &report, error);
  else if (!status && !options->shared.quiet && qn_set_making_tells(&options->making))
    print_summary(options, &report);
  qn_import_report_end(&report);
  return status;
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_build_argp, 0, NULL, 0},
                                               {&qn_memory_argp, 0, NULL, 0},
                                               {&qn_set_making_argp, 0, NULL, 0},
                                               {&qn_tool_output_argp, 0, NULL, 0},
                                               {0}};
  static const struct argp argp = {argp_options, parse_option, "INPUT...", documentation,
                                   children,     help_filter,  NULL};
  struct options options = {0};
  struct qn_error error;
  qn_import_options_begin(&options.import);
  qn_tool_parse("quern-import", &argp, argc, argv, &options, &options.shared);
  qn_outputs_hold();
  if (options.list_formats)
    return qn_tool_exit(qn_formats_print(options.shared.json, &error), &error);
  const bool tables =
      qn_tables_are_input(options.import.format, options.inputs, options.num_inputs);
  enum qn_status status = qn_set_making_begin(&options.making, &options.shared, &error);
  if (!status && tables && !options.making.ranks)
    return qn_tool_exit(qn_tables_hand_over("import", options.inputs[0], argv, &error), &error);
  if (!status)
    status = tables ? qn_fail(&error, QN_UNSUPPORTED,
                              "tables become containers, by one process: import without --parts "
                              "and mpirun, then quern-transform --parts")
                    : import(&options, &error);
  return qn_set_making_end(status, &error);
}
