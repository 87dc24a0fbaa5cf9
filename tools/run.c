/* quern-run: run an algorithm on a container. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/device/start.h"
#include "runtime/dispatch.h"
#include "runtime/joint_report.h"
#include "runtime/list.h"
#include "runtime/results/outputs.h"
#include "runtime/run_settings.h"
#include "runtime/sets/divide.h"
#include "runtime/sets/ranks.h"
#include "runtime/summary.h"
#include "runtime/values.h"
#include "runtime/watch.h"
#include "support/atomic_file.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"
#include "tools/graphalytics.h"
#include "tools/several.h"

struct options {
  struct qn_tool_options shared;
  struct qn_run_options run;
  struct qn_watch_options watch;
  const char *file;
  struct qn_output_options outputs;
  const char *special; /* an option given that is neither --device nor --output */
  int64_t top;
  bool list;
  bool trust;
};

enum key {
  KEY_PROGRAM = 0x100,
  KEY_SOURCE,
  KEY_SOURCES,
  KEY_TARGET,
  KEY_CUTOFF,
  KEY_UNWEIGHTED,
  KEY_WEIGHTED,
  KEY_VECTOR,
  KEY_DAMPING,
  KEY_TOLERANCE,
  KEY_ITERATIONS,
  KEY_HOPS,
  KEY_GROUPS,
  KEY_DELTA,
  KEY_RESOLUTION,
  KEY_SEED,
  KEY_ALPHA,
  KEY_SAMPLES,
  KEY_MEASURE,
  KEY_PAIRS,
  KEY_LENGTH,
  KEY_WALKS,
  KEY_FANOUTS,
  KEY_DEVICE,
  KEY_DEVICE_MEMORY,
  KEY_MODE,
  KEY_DIRECTION,
  KEY_MOVE,
  KEY_PARALLELISM,
  KEY_DEVICES,
  KEY_STRATEGY,
  KEY_GRID,
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
};

static const struct argp_option option_list[] = {
    {"program", KEY_PROGRAM, "FILE", 0,
     "Instead of an algorithm of this build, run the one that the header FILE says (programs.md "
     "in the documentation teaches how to write it): a C compiler makes it for the CPU, with "
     "--device cuda nvcc for the device, once, and it is kept in the user's cache",
     0},
    {"source", KEY_SOURCE, "ID", 0,
     "Source vertex, by its original id (default: the vertex of the largest out-degree); may be "
     "repeated for bc",
     0},
    {"sources", KEY_SOURCES, "FILE|ID,ID,...", 0,
     "Several sources, or a file that names one a line: bc adds them up, rwr restarts at them (by "
     "the weights that a second column says), bfs, sssp and others have a column for each",
     0},
    {"target", KEY_TARGET, "ID", 0, "Where path ends", 0},
    {"cutoff", KEY_CUTOFF, "D", 0, "Distances of sssp beyond D are of no interest", 0},
    {"unweighted", KEY_UNWEIGHTED, NULL, 0, "By hops, although the graph has weights (path)", 0},
    {"weighted", KEY_WEIGHTED, NULL, 0, "By weights (pagerank, walk)", 0},
    {"vector", KEY_VECTOR, "FILE", 0,
     "The vector of spmv: lines \"id number\" (the other vertices have 0), or an array (.npy) of V "
     "numbers in original order",
     0},
    {"damping", KEY_DAMPING, "D", 0, "Damping of PageRank and rwr (default 0.85)", 0},
    {"tolerance", KEY_TOLERANCE, "T", 0,
     "End when values change by less than T in sum (the default is the algorithm's; 0: never)", 0},
    {"iterations", KEY_ITERATIONS, "N", 0, "At most N iterations (the default is the algorithm's)",
     0},
    {"hops", KEY_HOPS, "K", 0, "How far neighborhood goes (default 1)", 0},
    {"groups", KEY_GROUPS, "FILE", 0,
     "Groups of vertices for cross-edges: lines \"id group\", such as -o of another run writes "
     "(default: every vertex is a group of its own)",
     0},
    {"resolution", KEY_RESOLUTION, "G", 0,
     "How small communities are: more than the default 1 means more and smaller ones", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of random choices (default 0): the same seed, the same result",
     0},
    {"alpha", KEY_ALPHA, "A", 0, "How much a walk counts less in katz with each edge (default 0.1)",
     0},
    {"samples", KEY_SAMPLES, "N|all", 0,
     "Vertices from whose distances closeness and harmonic are estimated, chosen by --seed "
     "(default "
     "256); all of them give the exact values",
     0},
    {"measure", KEY_MEASURE, "jaccard|overlap|cosine", 0,
     "What similarity divides the number of common neighbours by: that of all (the default), of "
     "the "
     "vertex with fewer, or the geometric mean",
     0},
    {"pairs", KEY_PAIRS, "FILE", 0,
     "Pairs of vertices for similarity, lines \"id id\" (default: the ends of every edge)", 0},
    {"length", KEY_LENGTH, "N", 0, "Steps of a walk (default 80)", 0},
    {"walks", KEY_WALKS, "N", 0, "Walks from each source (default 1)", 0},
    {"fanouts", KEY_FANOUTS, "N,N,...", 0,
     "Neighbours that sample takes of a vertex, hop by hop, or all (default 15,10)", 0},
    {"delta", KEY_DELTA, "W", 0, "Width of a bucket of sssp, in units of the weights", 0},
    {"device", KEY_DEVICE, "auto|cpu|cuda[:N]|both[:N]", 0,
     "Where to run: on CUDA device N (default 0), on the CPU, on both side by side (the layout "
     "shards), or auto (the default): on the CPU or a CUDA device, whichever is expected to be "
     "done sooner",
     1},
    {"mode", KEY_MODE, "synchronous|asynchronous", 0,
     "When the CPU and the device of --device both see each other's new values: after an "
     "iteration (the default), or within it, where the algorithm ends at one result either way; "
     "cc and sssp on slotted-pages and edge-partitions on one device: when vertices do; pagerank, "
     "rwr and katz on shards on the CPU: when pages have been worked on",
     1},
    {"direction", KEY_DIRECTION, "auto|push|pull", 0,
     "On blocked-csr on a CUDA device: searches push along out-edges, pull through blocks, or "
     "choose in each iteration (the default); others take push or pull blocks (default: pull). On "
     "shards on the CPU: active vertices notify (push), every vertex looks (pull), or what is less "
     "work (the default)",
     1},
    {"parallelism", KEY_PARALLELISM, "hybrid|vertex|edge", 0,
     "On slotted-pages on a CUDA device: threads that a vertex gets: as many as its page is dense "
     "(the default), one, or a warp",
     1},
    {"device-memory", KEY_DEVICE_MEMORY, "SIZE", 0,
     "Use at most SIZE of the device's memory, or of each device's (default: all that is free)", 1},
    {"devices", KEY_DEVICES, "N,N,...", 0,
     "Run on several CUDA devices, on slotted-pages and edge-partitions; one may be named twice",
     1},
    {"all-devices", KEY_ALL_DEVICES, NULL, 0,
     "All of these share the run, also where the first one is expected to be done sooner alone", 1},
    {"strategy", KEY_STRATEGY, "performance|scalability", 0,
     "How several devices share the run: all of them have the vertices' values and walk a part of "
     "the graph, "
     "or each has a part of the values and walks the whole graph (default: performance if the "
     "values fit)",
     1},
    {"grid", KEY_GRID, "auto|none|RxC", 0,
     "How processes that share a set divide its edges for an algorithm that recomputes all "
     "vertices: by whole rows (none, the default); in R rows and C columns of processes, each of "
     "which keeps its edges in memory; or as sends less (auto)",
     1},
    {"trust", KEY_TRUST, NULL, 0,
     "Neither verify nor check what the container holds. Unsafe for a file that anyone else may "
     "have made or changed: it can then do what it likes with this process. For your own, directly "
     "after quern-verify",
     1},
    {"checkpoint", KEY_CHECKPOINT, "DIR", 0,
     "Keep a checkpoint in the folder DIR, from which an interrupted run can go on; it is removed "
     "when the results are out. SIGINT and SIGTERM write one and end the run (exit status 130)",
     1},
    {"every", KEY_EVERY, "N", 0,
     "Write a checkpoint after every N iterations (default 10; 0: only when interrupted)", 1},
    {"resume", KEY_RESUME, NULL, 0,
     "Go on from the checkpoint in DIR, or begin if there is none; one of another container, "
     "algorithm or parameter is refused (--iterations and -T may differ)",
     1},
    {"output", 'o', "FILE", 0,
     "Write every vertex's value: lines \"id<TAB>value\" (- for standard output), lines "
     "\"id,value\" below a header if FILE ends in .csv, or an array if it ends in .npy",
     2},
    {"parents", KEY_PARENTS, "FILE", 0,
     "Write the parents of bfs or sssp as -o writes values: of each vertex that was reached the "
     "one "
     "before it on a shortest path, or where there are several the first in original order of "
     "those "
     "that are nearer; the source is its own",
     2},
    {"parts", KEY_PARTS, "tsv|csv|npy", 0,
     "Of a set: -o is a folder of files part-NNNNN of that kind, one for the vertices of each part",
     2},
    {"no-ids", KEY_NO_IDS, NULL, 0,
     "With -o or --parents NAME.npy: do not write the ids of the array's values to NAME.ids.npy "
     "(of vertices "
     "called 0, 1, ... it is never written)",
     2},
    {"top", KEY_TOP, "N", 0, "Show the N largest values (default: 10 for rankings)", 2},
    {"list", KEY_LIST, NULL, 0, "Show the algorithms, layouts and devices of this build", 3},
    {NULL, 0, NULL, 0, "Graphs larger than the device's memory are streamed:", 4},
    {"streams", KEY_STREAMS, "N", 0,
     "Walk parts of the graph on up to N streams at a time (default 16)", 4},
    {"move", KEY_MOVE, "active|partitions|all", 0,
     "What an iteration moves: what has an active vertex (the default), whole edge partitions that "
     "have one, or everything",
     4},
    {"host-memory", KEY_HOST_MEMORY, "SIZE", 0,
     "Pin at most SIZE of host memory: buffers, and what of the container they leave (default: 64 "
     "MiB or four buffers, and for the container half of what is free). On shards on the CPU: the "
     "edges are read from storage if they are more than SIZE (default: what is free), and its "
     "rates decide when active vertices notify",
     4},
    {"cache-memory", KEY_CACHE_MEMORY, "SIZE", 0,
     "Keep at most SIZE of the graph on the device (default: what --device-memory leaves)", 4},
    {"explain", KEY_EXPLAIN, NULL, 0,
     "Measure the device's rates and say what bounds the run (GTS's cost model), or say those of "
     "the storage",
     4},
    {"trace", KEY_TRACE, "FILE", 0,
     "Write a timeline of iterations, and of streams' copies and kernels, for Perfetto or "
     "chrome://tracing",
     4},
    {0}};

static const char documentation[] =
    "Run an algorithm on a container of any layout and show what it found; or all of LDBC "
    "Graphalytics on one of its graphs.\v"
    "Several algorithms with commas between them run one after another on the graph, which stays "
    "on "
    "the device; -o FOLDER has their values in ALGORITHM.tsv, and each is told of the options that "
    "it has a use for.\n\n"
    "graphalytics imports the graph that NAME.properties in FOLDER describes, runs the algorithms "
    "that these list, with their parameters, and with -o FOLDER writes the outputs that the "
    "benchmark compares.\n\n"
    "The container may be BUNDLE.tar:MEMBER, which is restored to temporary disk space (TMPDIR) "
    "first.\n\n"
    "The result does not depend on the layout, the device or the number of threads, but for the "
    "last digits of sums of real numbers. Original ids and original order are those of the graph's "
    "input. An option that an algorithm has no use for is refused. Exit status: 0 done; 2 usage; 3 "
    "damaged input; 4 no kernel for this combination; 5 I/O or memory; 6 device; 130 interrupted.";

static int64_t parse_count(const char *option, const char *text, struct argp_state *state) {
  return (int64_t)qn_option_number(state, option, text, 0, UINT32_MAX);
}

static void parse_argument(struct options *options, char *argument, struct argp_state *state) {
  if (!options->run.algorithm)
    options->run.algorithm = argument;
  else if (!options->file)
    options->file = argument;
  else
    argp_error(state, "one container at a time");
}

/* With --program the only argument is the container. */
static void settle_program(struct options *options, struct argp_state *state) {
  if (!options->run.program)
    return;
  if (options->file)
    argp_error(state, "--program stands instead of an algorithm");
  options->file = options->run.algorithm;
  options->run.algorithm = NULL;
}

/* What makes -o a folder: a run of several algorithms. */
static bool is_graphalytics(const struct options *options) {
  return options->run.algorithm && strcmp(options->run.algorithm, "graphalytics") == 0;
}

static bool has_several(const struct options *options) {
  return options->run.algorithm && strchr(options->run.algorithm, ',');
}

static void check_outputs(const struct options *options, struct argp_state *state) {
  const struct qn_output_options *outputs = &options->outputs;
  struct qn_error error;
  if (qn_output_options_check(outputs, options->shared.force, options->watch.trace,
                              is_graphalytics(options) || has_several(options), &error))
    argp_error(state, "%s", error.message);
  if (outputs->values && !outputs->parts)
    qn_tool_check_output(&options->shared, outputs->values, state);
  if (outputs->parents)
    qn_tool_check_output(&options->shared, outputs->parents, state);
}

static error_t parse_setting(int key, char *argument, struct argp_state *state,
                             struct qn_run_options *run) {
  const error_t known = qn_settings_parse(option_list, qn_run_settings, key, argument, state, run);
  return known == ARGP_ERR_UNKNOWN
             ? qn_settings_parse(option_list, qn_place_settings, key, argument, state, run)
             : known;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  struct qn_error error;
  for (const struct argp_option *option = option_list; option->name || option->doc; option++)
    if (option->key == key && key && key != KEY_DEVICE && key != 'o')
      options->special = option->name;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->shared;
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
    if (qn_run_options_settle(&options->run, &error))
      argp_error(state, "%s", error.message);
    check_outputs(options, state);
    return 0;
  default:
    return parse_setting(key, argument, state, &options->run);
  }
}

static void list_kernels(bool json) {
  json_t *list = qn_kernel_list();
  if (json) {
    json_dumpf(list, stdout, JSON_INDENT(2));
    putchar('\n');
  } else {
    qn_kernel_list_print(list);
  }
  json_decref(list);
}

/* Seconds since the process began to work, split up. */
struct times {
  double begin;
  double write;
  double report;
};

/* How many of `things` (edges, bytes of the graph) were walked in a second of the kernels' time, if
 * all are walked once, or, by kernels that do so, once an iteration of this process. */
static double per_second(const struct qn_run *run, uint64_t things) {
  const struct qn_run_result *result = &run->result;
  if (run->kernel->traits & (QN_KERNEL_WALKS | QN_KERNEL_FANOUTS))
    return 0; /* they see some of the edges */
  uint64_t before = run->keeper ? qn_keeper_figures(run->keeper)->resumed : 0;
  bool all_active = run->kernel->traits & QN_KERNEL_ALL_ACTIVE;
  double walks = all_active ? (double)(result->iterations - before) : 1;
  double seconds =
      run->kernel->processor == QN_CPU ? result->kernel_seconds : result->device.kernel_seconds;
  return seconds > 0 ? (double)things * walks / seconds : 0;
}

/* What the accelerator did; NULL on the CPU. */
static json_t *device_json(const struct qn_run *run) {
  const struct qn_device_figures *device = &run->result.device;
  if (run->kernel->processor == QN_CPU)
    return NULL;
  return json_pack(
      "{s:s, s:f, s:I, s:I, s:f, s:I, s:f, s:f}", "name", device->name, "start_seconds",
      qn_cuda_start_seconds(), "memory_bytes", (json_int_t)device->memory_bytes, "copied_bytes",
      (json_int_t)device->copied_bytes, "copy_seconds", device->copy_seconds, "uploaded_bytes",
      (json_int_t)device->uploaded_bytes, "kernel_seconds", device->kernel_seconds,
      "bytes_per_second", per_second(run, device->uploaded_bytes));
}

/* How several devices shared the run; NULL where there was one. */
static json_t *devices_json(const struct qn_run *run) {
  const struct qn_run_result *result = &run->result;
  json_t *list = result->num_devices ? json_array() : NULL;
  for (unsigned i = 0; i < result->num_devices; i++) {
    const struct qn_device_share *share = &result->shares[i];
    const struct qn_stream_figures *moved = &share->moved;
    json_array_append_new(
        list,
        json_pack(
            "{s:i, s:s, s:I, s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "index",
            share->index, "name", share->figures.name, "memory_bytes",
            (json_int_t)share->figures.memory_bytes, "attribute_bytes",
            (json_int_t)share->plan.attribute_bytes, "topology_bytes",
            (json_int_t)share->plan.topology_bytes, "units", (json_int_t)share->plan.num_units,
            "streams", share->plan.streams, "cache_bytes", (json_int_t)share->plan.cache_bytes,
            "active_units", (json_int_t)moved->active_units, "cache_hits",
            (json_int_t)moved->cache_hits, "moved_units", (json_int_t)moved->moved_units,
            "moved_bytes", (json_int_t)moved->moved_bytes, "uploaded_bytes",
            (json_int_t)share->figures.uploaded_bytes, "merged_bytes",
            (json_int_t)share->merged_bytes, "kernel_seconds", share->figures.kernel_seconds));
  }
  return list;
}

/* The checkpoints of the run; NULL without. */
static json_t *checkpoint_json(const struct qn_run *run) {
  if (!run->keeper)
    return NULL;
  const struct qn_checkpoint_figures *figures = qn_keeper_figures(run->keeper);
  return json_pack("{s:I, s:I, s:I, s:f}", "resumed_after", (json_int_t)figures->resumed, "written",
                   (json_int_t)figures->written, "bytes", (json_int_t)figures->bytes, "seconds",
                   figures->seconds);
}

/* How the parents were found; NULL if nobody wanted them. */
static json_t *parents_json(const struct qn_run *run) {
  const struct qn_run_result *parents = &run->parents;
  if (!run->parents_kernel)
    return NULL;
  return json_pack("{s:s, s:s, s:b, s:I, s:f, s:f}", "device",
                   qn_processor_name(run->parents_kernel->processor), "kernel",
                   run->parents_kernel->name, "streamed", parents->plan.streams, "iterations",
                   (json_int_t)parents->iterations, "prepare_seconds", parents->prepare_seconds,
                   "kernel_seconds", parents->kernel_seconds);
}

static json_t *report_json(const struct qn_run_input *input, const struct qn_run *run,
                           const struct qn_watch *watch, const struct times *times,
                           json_t *summary) {
  json_t *seconds = json_pack(
      "{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "map", input->map_seconds, "validate",
      input->validate_seconds, "find", run->find_seconds, "device", run->device_seconds, "prepare",
      run->result.prepare_seconds, "kernel", run->result.kernel_seconds, "write", times->write,
      "report", times->report, "total", qn_seconds() - times->begin);
  json_t *report = json_pack(
      "{s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:b, s:o, s:f, s:O}", "algorithm",
      run->kernel->algorithm, "layout", qn_layout_name(run->kernel->layout), "device",
      qn_processor_name(run->kernel->processor), "kernel", run->kernel->name, "threads",
      (int)qn_threads(), "vertices", (json_int_t)input->info->num_vertices, "edges",
      (json_int_t)input->info->num_edges, "iterations", (json_int_t)run->result.iterations,
      "converged", run->result.converged, "seconds", seconds, "edges_per_second",
      per_second(run, input->info->num_edges), "result", summary);
  json_t *device = device_json(run), *streamed = qn_watch_json(watch);
  if (device)
    json_object_set_new(report, "accelerator", device);
  json_t *devices = devices_json(run);
  if (devices) {
    json_object_set_new(report, "strategy",
                        json_string(qn_strategy_name(run->result.plan.strategy)));
    json_object_set_new(report, "peer_to_peer", json_boolean(run->result.plan.peers));
    json_object_set_new(report, "devices", devices);
  }
  json_t *choice = qn_choice_json(&run->choice);
  if (choice)
    json_object_set_new(report, "choice", choice);
  json_t *sharing = qn_sharing_json(&run->sharing, run->num_devices);
  if (sharing)
    json_object_set_new(report, "sharing", sharing);
  json_t *checkpoint = checkpoint_json(run), *parents = parents_json(run);
  if (checkpoint)
    json_object_set_new(report, "checkpoint", checkpoint);
  if (parents)
    json_object_set_new(report, "parents", parents);
  if (streamed)
    json_object_set_new(report, "streaming", streamed);
  json_t *ranks = qn_ranks_json(input->set);
  if (ranks)
    json_object_set_new(report, "ranks", ranks);
  json_t *joint = qn_watch_joint_json(watch), *storage = qn_watch_storage_json(watch);
  if (joint)
    json_object_set_new(report, "joint", joint);
  if (storage)
    json_object_set_new(report, "storage", storage);
  json_t *sources = json_array();
  for (uint32_t i = 0; i < run->num_sources; i++)
    json_array_append_new(sources, qn_id_json(input, run->sources[i]));
  if (run->num_samples)
    json_object_set_new(report, "samples", json_integer(run->num_samples));
  if (run->num_sources && !(run->kernel->traits & (QN_KERNEL_WALKS | QN_KERNEL_FANOUTS)))
    json_object_set(report, "sources", sources);
  json_decref(sources);
  return report;
}

/* A number of iterations that was asked for is no failure to converge. */
static const char *convergence_note(const struct qn_run *run) {
  bool fixed = ((run->kernel->traits & QN_KERNEL_ALL_ACTIVE) && run->request.tolerance == 0) ||
               run->kernel->traits & QN_KERNEL_HOPS;
  return run->result.converged || fixed ? "" : " (not converged)";
}

static void print_checkpoint(const json_t *checkpoint, FILE *stream) {
  if (!checkpoint)
    return;
#define NUMBER(key) json_integer_value(json_object_get(checkpoint, key))
  fprintf(stream, "checkpoint %" JSON_INTEGER_FORMAT " written in %.3f s", NUMBER("written"),
          json_real_value(json_object_get(checkpoint, "seconds")));
  if (NUMBER("resumed_after"))
    fprintf(stream, "; went on after iteration %" JSON_INTEGER_FORMAT, NUMBER("resumed_after"));
  putc('\n', stream);
#undef NUMBER
}

static void print_parents(const json_t *parents, FILE *stream) {
  if (!parents)
    return;
  json_int_t sweeps = json_integer_value(json_object_get(parents, "iterations"));
  fprintf(stream, "parents    found in %" JSON_INTEGER_FORMAT " %s, %.3f s\n", sweeps,
          sweeps == 1 ? "sweep" : "sweeps",
          json_real_value(json_object_get(parents, "prepare_seconds")) +
              json_real_value(json_object_get(parents, "kernel_seconds")));
}

static void print_devices(const json_t *report, FILE *stream) {
  const json_t *devices = json_object_get(report, "devices"), *device;
  size_t i;
  json_array_foreach((json_t *)devices, i, device) {
    char moved[32], merged[32], attributes[32];
#define NUMBER(key) (uint64_t) json_integer_value(json_object_get(device, key))
    fprintf(stream,
            "  %zu. %-8" JSON_INTEGER_FORMAT " %" PRIu64 " units, %s of values, %s moved, %" PRIu64
            " of %" PRIu64 " active units in the cache, %s exchanged, kernels %.6f s\n",
            i + 1, json_integer_value(json_object_get(device, "index")), NUMBER("units"),
            qn_size_text(NUMBER("attribute_bytes"), attributes, sizeof attributes),
            qn_size_text(NUMBER("moved_bytes"), moved, sizeof moved), NUMBER("cache_hits"),
            NUMBER("active_units"), qn_size_text(NUMBER("merged_bytes"), merged, sizeof merged),
            json_real_value(json_object_get(device, "kernel_seconds")));
#undef NUMBER
  }
}

static void print_report(const struct qn_run *run, const json_t *report, bool explain,
                         FILE *stream) {
  char vertices[32], edges[32];
  const json_t *seconds = json_object_get(report, "seconds"), *sources;
#define TEXT(key) json_string_value(json_object_get(report, key))
#define COUNT(key, text)                                                                           \
  qn_count_text((uint64_t)json_integer_value(json_object_get(report, key)), text, sizeof text)
  fprintf(stream, "%s on %s (%s: %s), %s vertices, %s edges\n", TEXT("algorithm"), TEXT("layout"),
          TEXT("device"), TEXT("kernel"), COUNT("vertices", vertices), COUNT("edges", edges));
  if (explain && json_object_get(report, "choice"))
    qn_choice_print(json_object_get(report, "choice"), stream);
  const json_t *device = json_object_get(report, "accelerator");
  if (device) {
    char memory[32], copied[32];
#define SIZE(key, text)                                                                            \
  qn_size_text((uint64_t)json_integer_value(json_object_get(device, key)), text, sizeof text)
    fprintf(stream, "device     %s, %s in use, %s copied in %.3f s, kernels %.6f s\n",
            json_string_value(json_object_get(device, "name")), SIZE("memory_bytes", memory),
            SIZE("copied_bytes", copied), json_real_value(json_object_get(device, "copy_seconds")),
            json_real_value(json_object_get(device, "kernel_seconds")));
  }
  print_devices(report, stream);
  if (json_object_get(report, "streaming"))
    qn_watch_print(json_object_get(report, "streaming"), stream);
  if (json_object_get(report, "joint"))
    qn_joint_report_print(json_object_get(report, "joint"), stream);
  if (json_object_get(report, "storage"))
    qn_watch_print_storage(json_object_get(report, "storage"), stream);
  if ((sources = json_object_get(report, "sources")) && json_array_size(sources) == 1)
    fprintf(stream, "source     %s\n", json_string_value(json_array_get(sources, 0)));
  if (json_object_get(report, "samples"))
    fprintf(stream, "samples    %" JSON_INTEGER_FORMAT "\n",
            json_integer_value(json_object_get(report, "samples")));
  qn_summary_print(json_object_get(report, "result"), stream);
  fprintf(stream, "iterations %" JSON_INTEGER_FORMAT "%s\n",
          json_integer_value(json_object_get(report, "iterations")), convergence_note(run));
  print_parents(json_object_get(report, "parents"), stream);
  print_checkpoint(json_object_get(report, "checkpoint"), stream);
  const json_t *ranks = json_object_get(report, "ranks");
  qn_ranks_print(ranks, stream);
  if (explain && ranks)
    qn_division_print(json_object_get(ranks, "division"), stream);
#define SECONDS(key) json_real_value(json_object_get(seconds, key))
  fprintf(stream,
          "seconds    %.3f (map %.3f, validate %.3f, find %.3f, device %.3f, prepare %.3f, "
          "kernel %.3f, write %.3f, report %.3f)\n",
          SECONDS("total"), SECONDS("map"), SECONDS("validate"), SECONDS("find"), SECONDS("device"),
          SECONDS("prepare"), SECONDS("kernel"), SECONDS("write"), SECONDS("report"));
  const double rate = json_real_value(json_object_get(report, "edges_per_second"));
  if (rate > 0)
    fprintf(stream, "edges/s    %.*f million\n", rate < 1e8 ? 2 : 0, rate / 1e6);
}

static enum qn_status show(const struct options *options, const struct qn_run_input *input,
                           const struct qn_run *run, const struct qn_watch *watch,
                           struct times *times, struct qn_error *error) {
  json_t *summary = NULL;
  const double begin = qn_seconds();
  enum qn_status status = qn_summary_create(input, run, options->top, &summary, error);
  times->report = qn_seconds() - begin;
  if (status)
    return status;
  json_t *report = report_json(input, run, watch, times, summary);
  if (options->shared.json) {
    json_dumpf(report, stdout, JSON_INDENT(2));
    putchar('\n');
  } else if (!qn_output_options_take_stdout(&options->outputs)) {
    print_report(run, report, options->watch.explain, stdout);
  } else if (!options->shared.quiet) {
    print_report(run, report, options->watch.explain, stderr);
  }
  json_decref(report);
  json_decref(summary);
  return QN_OK;
}

/* What the ranks of a run do beside the first one, which tells. */
static void keep_quiet(struct options *options) {
  options->watch.trace = NULL;
  options->watch.explain = false;
  options->shared.json = false;
  options->shared.quiet = true;
  qn_progress_show(true);
}

/* Begin to share the run with other processes, if a launcher has started several. */
static enum qn_status begin_ranks(struct options *options, const struct qn_exchange **exchange,
                                  struct qn_error *error) {
  enum qn_status status = qn_ranks_begin(exchange, error);
  if (status || !*exchange)
    return status;
  if ((*exchange)->rank != 0)
    keep_quiet(options);
  struct qn_run_options *run = &options->run;
  const bool on_device = run->device == QN_DEVICE_CUDA;
  status =
      qn_ranks_say_alike(2 * on_device + (on_device && run->device_numbered), "--device", error);
  if (!status)
    status = qn_ranks_say_alike((uint64_t)run->grid.num_rows << 32 | run->grid.num_columns,
                                "--grid", error);
  return !status && on_device && !run->device_numbered
             ? qn_ranks_choose_device(&run->device_index, &run->device_memory, error)
             : status;
}

/* Ranks that each did all of it would write the same files. */
static enum qn_status refuse_ranks(const char *what, struct qn_error *error) {
  const struct qn_exchange *exchange;
  enum qn_status status = qn_ranks_begin(&exchange, error);
  if (!status && exchange && exchange->num_ranks > 1)
    status =
        qn_fail(error, QN_UNSUPPORTED,
                "%s is not shared among ranks: start it without mpirun, or name its algorithms, "
                "as in bfs,cc",
                what);
  return qn_ranks_agree(status);
}

/* Not a part of main, whose frame would be a large one. */
__attribute__((noinline)) static enum qn_status run_file(struct options *options,
                                                         struct qn_error *error) {
  struct times times = {.begin = qn_seconds()};
  struct qn_run_input input = {0};
  struct qn_run run = {0};
  struct qn_outputs outputs = {0};
  struct qn_watch *watch = NULL;
  const struct qn_exchange *exchange = NULL;
  enum qn_status status = begin_ranks(options, &exchange, error);
  bool leads = !exchange || exchange->rank == 0;
  if (!exchange)
    options->run.start_device = qn_cuda_start;
  if (!status)
    status = qn_outputs_check_timeline(options->watch.trace, options->file, &options->run, error);
  if (!status)
    status = qn_run_input_open_for(options->file, &options->run, exchange, options->trust, &input,
                                   error);
  if (!status)
    status = qn_watch_create(&options->watch, options->shared.force, &watch, error);
  if (!status)
    status = qn_outputs_create(&options->outputs, options->shared.force, options->file,
                               &options->run, &input, &outputs, error);
  struct qn_run_options run_options = options->run;
  run_options.watch = watch;
  status = qn_ranks_agree(status);
  if (!status)
    status = qn_run_start(&input, &run_options, &run, error);
  if (!status && !run_options.program) /* whose object has a CUDA runtime of its own */
    qn_cuda_end();
  status = qn_ranks_agree(status);
  qn_progress_end();
  status = qn_outputs_commit_timeline(watch, status, error);
  status = qn_ranks_agree(status);
  if (!status) {
    double begin = qn_seconds();
    qn_outputs_hold();
    status = qn_ranks_agree(qn_outputs_commit(&outputs, &input, &run, error));
    times.write = qn_seconds() - begin;
  }
  if (!status && leads)
    status = show(options, &input, &run, watch, &times, error);
  /* Else the end of the tool says what failed, and drops the results. */
  bool shown = !status && fflush(stdout) == 0 && !ferror(stdout);
  if (shown)
    status = qn_outputs_release(true, error);
  if (shown && !status && run.keeper)
    status = qn_keeper_discard(run.keeper, error);
  qn_outputs_abort(&outputs);
  qn_watch_destroy(watch);
  qn_run_destroy(&run);
  qn_run_input_close(&input);
  return status;
}

/* The benchmark takes all parameters from its properties. */
static enum qn_status run_graphalytics(const struct options *options, struct qn_error *error) {
  static const char *const devices[] = {[QN_DEVICE_AUTO] = "auto",
                                        [QN_DEVICE_CPU] = "cpu",
                                        [QN_DEVICE_CUDA] = "cuda",
                                        [QN_DEVICE_BOTH] = "both"};
  const struct qn_run_options *run = &options->run;
  char device[32];
  if (options->special)
    return qn_fail(error, QN_USAGE,
                   "graphalytics takes the parameters of algorithms from the graph's properties; "
                   "--device, --threads and -o FOLDER are for it, --%s is not",
                   options->special);
  if (run->device_index)
    snprintf(device, sizeof device, "%s:%d", devices[run->device], run->device_index);
  else
    snprintf(device, sizeof device, "%s", devices[run->device]);
  enum qn_status status = refuse_ranks("graphalytics", error);
  if (status)
    return status;
  const struct qn_graphalytics_options benchmark = {.path = options->file,
                                                    .output = options->outputs.values,
                                                    .device = device,
                                                    .force = options->shared.force,
                                                    .json = options->shared.json};
  return qn_graphalytics(&benchmark, error);
}

static enum qn_status run_several(struct options *options, struct qn_error *error) {
  const struct qn_run_options *run = &options->run;
  const struct qn_output_options *outputs = &options->outputs;
  if (outputs->parents || outputs->parts || outputs->no_ids || run->checkpoint.folder ||
      options->watch.trace || options->watch.explain)
    return qn_fail(error, QN_USAGE,
                   "--parents, --parts, --checkpoint, --trace, --explain and --no-ids are for one "
                   "algorithm at a time");
  if (options->top >= 0 && !options->shared.json)
    return qn_fail(error, QN_USAGE, "--top is for one algorithm at a time, or for --json");
  if (options->shared.force && outputs->values)
    return qn_fail(error, QN_USAGE, "--force replaces no folder: remove %s first, or name another",
                   outputs->values);
  const struct qn_exchange *exchange;
  enum qn_status status = begin_ranks(options, &exchange, error);
  if (!exchange)
    options->run.start_device = qn_cuda_start;
  options->run.wants_values = false; /* those that count have none */
  const struct qn_several_options several = {.algorithms = run->algorithm,
                                             .file = options->file,
                                             .output = options->outputs.values,
                                             .exchange = exchange,
                                             .run = &options->run,
                                             .top = options->top,
                                             .trust = options->trust,
                                             .json = options->shared.json,
                                             .quiet = options->shared.quiet};
  return status ? qn_ranks_agree(status) : qn_run_several(&several, error);
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_tool_output_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {option_list,
                                   parse,
                                   "ALGORITHM FILE\nALGORITHM,ALGORITHM,... FILE\n--program HEADER "
                                   "FILE\ngraphalytics FOLDER\n--list",
                                   documentation,
                                   children,
                                   NULL,
                                   NULL};
  struct options options = {.top = -1};
  struct qn_error error;
  enum qn_status status = QN_OK;
  qn_run_options_begin(&options.run);
  qn_tool_parse("quern-run", &argp, argc, argv, &options, &options.shared);
  if (options.list)
    list_kernels(options.shared.json);
  else if (is_graphalytics(&options))
    status = run_graphalytics(&options, &error);
  else if (has_several(&options))
    status = run_several(&options, &error);
  else
    status = run_file(&options, &error);
  qn_run_options_end(&options.run);
  int code = qn_tool_exit(status, qn_ranks_is_speaker() ? &error : NULL);
  qn_ranks_end(); /* the others wait here until what failed is told: a launcher ends all with one */
  qn_cuda_leave(code);
  return code;
}
