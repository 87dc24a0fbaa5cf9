/* The command line of quern-run: options of a run, and those that algorithms describe. */
#include "tools/run/options.h"

#include <stdlib.h>
#include <string.h>

#include "formats/container/stripes.h"
#include "kernels/ranks/ranks.h"
#include "support/memory.h"

/* Algorithms may look at all of it for every vertex. */
#define FEW_BYTES ((uint64_t)128 << 10)

enum key {
  KEY_PROGRAM = 0x100,
  KEY_DEVICE,
  KEY_DEVICE_MEMORY,
  KEY_MODE,
  KEY_DIRECTION,
  KEY_MOVE,
  KEY_PARALLELISM,
  KEY_DEVICES,
  KEY_STRATEGY,
  KEY_GRID,
  KEY_RANK_TIMEOUT,
  KEY_EDGE_TYPES,
  KEY_VERTEX_TYPES,
  KEY_BETWEEN,
  KEY_FROM,
  KEY_FROM_GENERATION,
  KEY_TIME,
  KEY_ALL_DEVICES,
  KEY_TOP,
  KEY_LIST,
  KEY_TRUST,
  KEY_CHECKPOINT,
  KEY_EVERY,
  KEY_RESUME,
  KEY_PARTS,
  KEY_NO_IDS,
  KEY_PARENTS,
  KEY_STREAMS,
  KEY_HOST_MEMORY,
  KEY_CACHE_MEMORY,
  KEY_TRACE,
  KEY_EXPLAIN,
  KEY_DERIVED, /* and those behind it: parameters and inputs of algorithms */
};

static const struct argp_option fixed_options[] = {
    {"list", KEY_LIST, NULL, 0, "Show the algorithms, layouts and devices of this build", 10},
    {"program", KEY_PROGRAM, "FILE", 0,
     "Run the program that the header FILE defines instead of an algorithm of this build "
     "(programs.md "
     "in the documentation describes how to write one). A C compiler compiles it for the CPU, or "
     "nvcc "
     "with --device cuda, once; the result is kept in the user's cache",
     10},
    {"parameter", 'p', "NAME=VALUE", 0,
     "Set a parameter by its name, also one that a --program declares; may be repeated", 10},
    {"edge-types", KEY_EDGE_TYPES, "TYPE,...", 0,
     "Of a set with types: run on the edges of these types, NAME or SOURCE-NAME-TARGET, and on the "
     "vertices of the types at their ends. Several types are put together in memory or temporary "
     "disk space first; vertices of two types that are called the same are then called TYPE:NAME",
     10},
    {"vertex-types", KEY_VERTEX_TYPES, "TYPE,...", 0,
     "Of a set with types: run on the vertices of these types and the edges between them", 10},
    {"between", KEY_BETWEEN, "FIRST,LAST", 0,
     "Run on the edges whose time is from FIRST to LAST, both included, such as "
     "2024-01-01,2024-06-30; without one of them, there is no such limit",
     10},
    {"time", KEY_TIME, "PROPERTY", 0,
     "The property of edges that --between is about: a date, a time or an integer (default: the "
     "only one that is a date or a time)",
     10},
    {"from", KEY_FROM, "RESULT", 0,
     "Of a set with generations: continue from what a run of cc, bfs, sssp or pagerank on an "
     "earlier "
     "generation has written by -o, if only edges and vertices were added since",
     10},
    {"from-generation", KEY_FROM_GENERATION, "G", 0,
     "The generation that --from is a result of (0: the base; default: the one before the last)",
     10},

    {NULL, 0, NULL, 0, "Results:", 20},
    {"output", 'o', "FILE", 0,
     "Write every vertex's value: lines \"id<TAB>value\" (- for standard output), lines "
     "\"id,value\" below a header if FILE ends in .csv, or an array if it ends in .npy",
     20},
    {"parents", KEY_PARENTS, "FILE", 0,
     "Write the parents of bfs or sssp as -o writes values: for each vertex that was reached the "
     "one "
     "before it on a shortest path; of several the first in original order of the nearest. The "
     "source "
     "is its own parent",
     20},
    {"parts", KEY_PARTS, "tsv|csv|npy", 0,
     "For a set: -o is a folder of files part-NNNNN of that kind, one for the vertices of each "
     "part",
     20},
    {"no-ids", KEY_NO_IDS, NULL, 0,
     "With -o or --parents NAME.npy: do not write the ids of the array's values to NAME.ids.npy "
     "(it is never written for vertices called 0, 1, ...)",
     20},
    {"top", KEY_TOP, "N", 0, "Show the N largest values (default: 10 for rankings)", 20},

    {NULL, 0, NULL, 0, "Where it runs:", 30},
    {"device", KEY_DEVICE, "auto|cpu|cuda[:N]|both[:N]", 0,
     "Run on CUDA device N (default 0), on the CPU, on both side by side (layout shards), or on "
     "the "
     "one expected to finish first (auto, the default)",
     30},
    {"device-memory", KEY_DEVICE_MEMORY, "SIZE", 0,
     "Use at most SIZE of the memory of each device (default: all that is free)", 30},
    {"devices", KEY_DEVICES, "N,N,...", 0,
     "Share the run among several CUDA devices (programs on slotted-pages and edge-partitions; "
     "cdlp, coloring, kcore, lcc, mis, scc and tc on plain rows: --list); one may be named twice",
     30},
    {"all-devices", KEY_ALL_DEVICES, NULL, 0,
     "Share the run among all of these, even where the first one alone is expected to finish first",
     30},
    {"strategy", KEY_STRATEGY, "performance|scalability", 0,
     "How several devices share the run: each has all values and walks a part of the graph, or has "
     "a "
     "part of the values and walks the whole graph (default: performance if the values fit)",
     30},
    {"grid", KEY_GRID, "auto|none|RxC", 0,
     "How processes that share a set divide its edges for an algorithm that recomputes all "
     "vertices: "
     "by whole rows (none, the default); in R rows and C columns of processes, each of which keeps "
     "its edges in memory; or whichever sends less (auto)",
     30},
    {"rank-timeout", KEY_RANK_TIMEOUT, "SECONDS", 0, QN_RANK_TIMEOUT_HELP, 30},
    {"mode", KEY_MODE, "synchronous|asynchronous", 0,
     "When new values become visible: after an iteration (the default) or within it. Asynchronous "
     "is for --device both, for cc and sssp on slotted-pages and edge-partitions on one CUDA "
     "device, and for pagerank, rwr and katz on shards on the CPU",
     30},
    {"direction", KEY_DIRECTION, "auto|push|pull", 0,
     "For blocked-csr: push along out-edges, pull through blocks, or choose in each iteration (the "
     "default for searches); others take push blocks, or pull blocks (the default). For shards on "
     "the CPU: active "
     "vertices notify (push), every vertex looks at its in-edges (pull), or whichever is less work "
     "(the default)",
     30},
    {"parallelism", KEY_PARALLELISM, "hybrid|vertex|edge", 0,
     "For slotted-pages on a CUDA device: how many threads a vertex gets: by the density of its "
     "page (default), one, or a warp",
     30},
    {"trust", KEY_TRUST, NULL, 0,
     "Skip verification. Unsafe for a file that anyone else may have made or changed: it "
     "could make this process do anything. For your own files, directly after quern-verify",
     30},

    {NULL, 0, NULL, 0, "Checkpoints:", 40},
    {"checkpoint", KEY_CHECKPOINT, "DIR", 0,
     "Keep a checkpoint in the folder DIR, from which an interrupted run can resume; it is removed "
     "when the results are written. SIGINT and SIGTERM write one and end the run (exit status 130)",
     40},
    {"every", KEY_EVERY, "N", 0,
     "Write a checkpoint after every N iterations (default 10; 0: only when interrupted)", 40},
    {"resume", KEY_RESUME, NULL, 0,
     "Resume from the checkpoint in DIR, or start if there is none; one of another container, "
     "algorithm or parameter is refused (--iterations and -T may differ)",
     40},

    {NULL, 0, NULL, 0, "Graphs larger than the device's memory are streamed:", 50},
    {"streams", KEY_STREAMS, "N", 0, "Use up to N streams at a time (default 16)", 50},
    {"move", KEY_MOVE, "active|partitions|all", 0,
     "What an iteration moves: what has an active vertex (the default), whole edge partitions that "
     "have one, or everything",
     50},
    {"host-memory", KEY_HOST_MEMORY, "SIZE", 0,
     "Pin at most SIZE of host memory: buffers, then parts of the container (default: 64 MiB or "
     "four "
     "buffers, and half of the free memory for the container). For shards on the CPU: read the "
     "edges "
     "from storage if they are more than SIZE (default: what is free). For a set of blocks on the "
     "CPU: keep values of vertices beyond SIZE in temporary files, and unpack rows beyond it for "
     "each walk (default: what is free); a set that has to be put together is refused if it takes "
     "more",
     50},
    {"cache-memory", KEY_CACHE_MEMORY, "SIZE", 0,
     "Keep at most SIZE of the graph on the device (default: what --device-memory leaves)", 50},
    {"explain", KEY_EXPLAIN, NULL, 0,
     "Measure the device's or the storage's rates and say what bounds the run (GTS's cost model)",
     50},
    {"trace", KEY_TRACE, "FILE", 0,
     "Write a timeline of iterations, copies and kernels for Perfetto or chrome://tracing", 50},
    {0}};

/* ---- Options that algorithms describe ------------------------------------------------------- */

enum { MOST_DERIVED = 64, DOC_BYTES = 400, MOST_OPTIONS = MOST_DERIVED + 48 };

/* Each name once: the row of the algorithm that is asked for, or of the first that has it. */
struct derived {
  struct argp_option options[MOST_OPTIONS]; /* fixed ones, then these */
  const char *names[MOST_DERIVED];          /* [count] of the keys from KEY_DERIVED on */
  char docs[MOST_DERIVED][DOC_BYTES];
  char heading[96];
  unsigned count, num_options;
};

static unsigned find_name(const struct derived *derived, const char *name) {
  unsigned place = 0;
  while (place < derived->count && strcmp(derived->names[place], name) != 0)
    place++;
  return place;
}

static void add_option(struct derived *derived, const char *name, const char *unit,
                       const char *help, const char *value, bool is_shown) {
  const unsigned place = find_name(derived, name);
  if (place < derived->count || place == MOST_DERIVED)
    return;
  char *doc = derived->docs[derived->count];
  snprintf(doc, DOC_BYTES, *value ? "%s (default %s)" : "%s", help, value);
  derived->names[derived->count++] = name;
  derived->options[derived->num_options++] = (struct argp_option){
      name, KEY_DERIVED + (int)place, unit, is_shown ? 0 : OPTION_HIDDEN, doc, 1};
}

static void add_parameters(struct derived *derived, const struct qn_algorithm *algorithm,
                           bool is_shown) {
  for (uint32_t i = 0; i < algorithm->num_parameters; i++) {
    const struct qn_parameter *parameter = &algorithm->parameters[i];
    const bool is_flag = parameter->type == QN_PARAMETER_FLAG;
    char value[QN_PARAMETER_TEXT];
    add_option(derived, parameter->name,
               is_flag                                  ? NULL
               : parameter->type == QN_PARAMETER_CHOICE ? parameter->words
                                                        : parameter->unit,
               parameter->help, is_flag ? "" : qn_parameter_default(parameter, value), is_shown);
  }
}

static void add_inputs(struct derived *derived, const struct qn_algorithm *algorithm) {
  for (const struct qn_input_option *row = qn_input_options; row->name; row++)
    add_option(derived, row->name, row->unit, row->help, "",
               algorithm && row->inputs & algorithm->inputs);
}

/* The algorithm that the command line names first; NULL: none. */
static const struct qn_algorithm *find_algorithm(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const struct qn_algorithm *algorithm = argv[i][0] == '-' ? NULL : qn_algorithm_find(argv[i]);
    if (algorithm)
      return algorithm;
  }
  return NULL;
}

static void derive(const struct qn_algorithm *chosen, struct derived *derived) {
  for (const struct argp_option *row = fixed_options; row->name || row->doc; row++)
    if (row->name || !chosen) {
      derived->options[derived->num_options] = *row;
      derived->options[derived->num_options++].flags |= chosen ? OPTION_HIDDEN : 0;
    }
  if (chosen) {
    snprintf(derived->heading, sizeof derived->heading, "Options of %s:", chosen->name);
    derived->options[derived->num_options++] =
        (struct argp_option){NULL, 0, NULL, 0, derived->heading, 1};
    add_inputs(derived, chosen);
    add_parameters(derived, chosen, true);
  }
  for (const struct qn_algorithm *const *other = qn_algorithms(); *other; other++)
    add_parameters(derived, *other, false);
  add_inputs(derived, NULL);
}

static struct derived derived; /* as argp's options, for the whole of the process */

/* ---- Parsing ----------------------------------------------------------------------------------
 */

static int64_t parse_count(const char *option, const char *text, struct argp_state *state) {
  return (int64_t)qn_option_number(state, option, text, 0, UINT32_MAX);
}

static void parse_argument(struct qn_run_command *options, char *argument,
                           struct argp_state *state) {
  if (!options->run.algorithm)
    options->run.algorithm = argument;
  else if (!options->file)
    options->file = argument;
  else
    argp_error(state, "one container at a time");
}

/* The algorithm comes first. */
static void check_order(const struct qn_run_command *options, struct argp_state *state) {
  const char *first = options->run.algorithm;
  if (first && options->file && !qn_algorithm_find(first) && qn_algorithm_find(options->file))
    argp_error(state, "the algorithm comes first: quern-run %s %s", options->file, first);
}

/* With --program the only argument is the container. */
static void settle_program(struct qn_run_command *options, struct argp_state *state) {
  if (!options->run.program)
    return;
  if (options->file)
    argp_error(state, "--program replaces the algorithm: give one of them");
  options->file = options->run.algorithm;
  options->run.algorithm = NULL;
}

/* What makes -o a folder: a run of several algorithms. */
bool qn_run_command_is_graphalytics(const struct qn_run_command *options) {
  return options->run.algorithm && strcmp(options->run.algorithm, "graphalytics") == 0;
}

bool qn_run_command_is_graph500(const struct qn_run_command *options) {
  return options->run.algorithm && strcmp(options->run.algorithm, "graph500") == 0;
}

bool qn_run_command_has_several(const struct qn_run_command *options) {
  return options->run.algorithm && strchr(options->run.algorithm, ',');
}

static void check_outputs(const struct qn_run_command *options, struct argp_state *state) {
  const struct qn_output_options *outputs = &options->outputs;
  struct qn_error error;
  if (qn_output_options_check(
          outputs, options->shared.force, options->watch.trace,
          qn_run_command_is_graphalytics(options) || qn_run_command_has_several(options), &error))
    argp_error(state, "%s", error.message);
  if (options->run.update.result && qn_run_command_has_several(options))
    argp_error(state, "--from is the result of one algorithm");
  if (outputs->values && !outputs->parts)
    qn_tool_check_output(&options->shared, outputs->values, state);
  if (outputs->parents)
    qn_tool_check_output(&options->shared, outputs->parents, state);
}

static void say(struct qn_run_command *options, const char *name, const char *value) {
  struct qn_error error;
  if (qn_run_options_say(&options->run, name, value, &error))
    exit(qn_tool_exit(QN_SYSTEM, &error));
}

/* NAME=VALUE, or the name of a flag. */
static void say_parameter(struct qn_run_command *options, char *argument) {
  char *equals = strchr(argument, '=');
  if (equals)
    *equals = '\0';
  say(options, argument, equals ? equals + 1 : NULL);
}

static error_t parse_setting(int key, char *argument, struct argp_state *state,
                             struct qn_run_options *run) {
  const error_t known =
      qn_settings_parse(fixed_options, qn_run_settings, key, argument, state, run);
  return known == ARGP_ERR_UNKNOWN
             ? qn_settings_parse(fixed_options, qn_place_settings, key, argument, state, run)
             : known;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct qn_run_command *options = state->input;
  struct qn_error error;
  for (const struct argp_option *option = fixed_options; option->name || option->doc; option++)
    if (option->key == key && key && key != KEY_DEVICE && key != 'o' && key != 'p' &&
        !options->special)
      options->special = option->name;
  if (key >= KEY_DERIVED && key < KEY_DERIVED + (int)derived.count)
    return say(options, derived.names[key - KEY_DERIVED], argument), 0;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->shared;
    return 0;
  case KEY_RANK_TIMEOUT:
    qn_ranks_set_timeout(qn_option_real(state, "--rank-timeout", argument));
    return 0;
  case 'p':
    say_parameter(options, argument);
    return 0;
  case KEY_EXPLAIN:
    options->watch.explain = true;
    return 0;
  case KEY_TRACE:
    options->watch.trace = argument;
    return 0;
  case KEY_TRUST:
    options->trust = true;
    return 0;
  case 'o':
    options->outputs.values = argument;
    options->run.wants_values = true;
    return 0;
  case KEY_EDGE_TYPES:
    options->run.edge_types = argument;
    return 0;
  case KEY_VERTEX_TYPES:
    options->run.vertex_types = argument;
    return 0;
  case KEY_FROM:
    options->run.update.result = argument;
    return 0;
  case KEY_FROM_GENERATION:
    options->run.update.generation = (uint64_t)parse_count("from-generation", argument, state);
    options->run.update.is_given = true;
    return 0;
  case KEY_BETWEEN:
    options->run.between.range = argument;
    return 0;
  case KEY_TIME:
    options->run.between.property = argument;
    return 0;
  case KEY_PARENTS:
    options->outputs.parents = argument;
    options->run.wants_parents = true;
    return 0;
  case KEY_PARTS:
    options->outputs.parts = argument;
    return 0;
  case KEY_NO_IDS:
    options->outputs.no_ids = true;
    return 0;
  case KEY_TOP:
    options->top = parse_count("--top", argument, state);
    return 0;
  case KEY_LIST:
    options->list = true;
    return 0;
  case ARGP_KEY_ARG:
    parse_argument(options, argument, state);
    return 0;
  case ARGP_KEY_END:
    settle_program(options, state);
    if (!options->list && !options->file)
      argp_error(state, "name an algorithm and a container (or --list)");
    check_order(options, state);
    if (qn_run_options_settle(&options->run, &error))
      argp_error(state, "%s", error.message);
    check_outputs(options, state);
    return 0;
  default:
    return parse_setting(key, argument, state, &options->run);
  }
}

/* Text before the options, and behind them. */
static const char documentation[] =
    "Run an algorithm on a container of any layout and show what it found; or all of LDBC "
    "Graphalytics on one of its graphs, or the searches of Graph500.\v"
    "quern-run ALGORITHM --help shows the options of an algorithm, quern-run --list the "
    "algorithms.\n\n"
    "Several algorithms with commas between them run one after another on the graph, which stays "
    "on the device; -o FOLDER has their values in ALGORITHM.tsv, and each gets the options that "
    "apply to it.\n\n"
    "graphalytics imports the graph that NAME.properties in FOLDER describes, runs the algorithms "
    "that these list, with their parameters, and with -o FOLDER writes the outputs that the "
    "benchmark compares.\n\n"
    "graph500 searches FILE from 64 vertices, which --seed draws, by bfs and, if it has weights, "
    "sssp, validates each tree, and shows the fields of the benchmark's output. A directed FILE is "
    "the list of edges, of which the graph is constructed first.\n\n"
    "The container may be BUNDLE.tar:MEMBER, which is restored to temporary disk space (TMPDIR) "
    "first.\n\n"
    "The result does not depend on the layout, the device or the number of threads, except for the "
    "last digits of sums of real numbers. Original ids and original order are those of the graph's "
    "input. An option that does not apply to the algorithm is refused. Exit status: 0 done; 2 "
    "usage; 3 damaged input; 4 no kernel for this combination; 5 I/O or memory; 6 device; 130 "
    "interrupted.";

/* The help of an algorithm that there is not. */
_Noreturn static void refuse_help(const char *name) {
  const struct qn_run_options options = {.algorithm = name};
  const struct qn_algorithm *algorithm;
  struct qn_error error;
  qn_run_algorithm(&options, &algorithm, &error);
  fprintf(stderr, "quern-run: %s\n", error.message);
  exit(QN_USAGE);
}

void qn_run_command_parse(int argc, char **argv, struct qn_run_command *command) {
  static const struct argp_child children[] = {{&qn_tool_output_argp, 0, NULL, 0}, {0}};
  char usage[128];
  const struct qn_algorithm *algorithm = find_algorithm(argc, argv);
  char about[512];
  if (algorithm) {
    snprintf(usage, sizeof usage, "%s FILE", algorithm->name);
    snprintf(
        about, sizeof about,
        "%s: %s.%s%s\vquern-run --help shows the options that all algorithms share: where to run, "
        "results, checkpoints.",
        algorithm->name, algorithm->title, algorithm->aliases ? " Other names: " : "",
        algorithm->aliases ? algorithm->aliases : "");
  }
  if (!algorithm && argc == 3 && argv[1][0] != '-' && strcmp(argv[2], "--help") == 0)
    refuse_help(argv[1]);
  derive(algorithm, &derived);
  const struct argp argp = {
      derived.options,
      parse,
      algorithm ? usage
                : "ALGORITHM FILE\nALGORITHM,ALGORITHM,... FILE\n"
                  "--program HEADER FILE\ngraphalytics FOLDER\ngraph500 FILE\n--list",
      algorithm ? about : documentation,
      children,
      NULL,
      NULL};
  *command = (struct qn_run_command){.top = -1};
  qn_run_options_begin(&command->run);
  qn_tool_parse("quern-run", &argp, argc, argv, command, &command->shared);
  if (command->file)
    qn_tool_spare_threads(&command->shared, &command->file, 1, FEW_BYTES, qn_stripes_recognise);
}
