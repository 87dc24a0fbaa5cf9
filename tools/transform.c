/* quern-transform: graph containers into other graph containers. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "converters/build/build_estimate.h"
#include "converters/graph/graph_source.h"
#include "converters/graph/transform.h"
#include "converters/provenance.h"
#include "support/json_text.h"
#include "support/memory_plan.h"
#include "support/options.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include "tools/build_options.h"
#include "tools/part_options.h"
#include <quern/layouts.h>
#include <quern/metadata.h>
#include <quern/open.h>

enum in_edges { IN_EDGES_AS_IS, IN_EDGES_ALSO, IN_EDGES_NO };

struct options {
  struct qn_tool_options shared;
  struct qn_part_choice part;
  struct qn_transform transform;
  struct qn_memory_options memory;
  enum in_edges in_edges;
  bool seed_given;
  const char *input;
  const char *output;
};

/* ---- Command line --------------------------------------------------------- */

enum {
  KEY_TRANSPOSE = 0x3401,
  KEY_SYMMETRIZE,
  KEY_SELF_LOOPS,
  KEY_DUPLICATES,
  KEY_WEIGHTS,
  KEY_RELABEL,
  KEY_SEED,
  KEY_IN_EDGES,
};

/* A step is a group of its own, or argp would sort them by name; part_options.c has the first. */
static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0, "Write the container to FILE (required)", 1},
    {"transpose", KEY_TRANSPOSE, NULL, 0, "2. Turn every edge round", 4},
    {"remove-self-loops", KEY_SELF_LOOPS, NULL, 0, "3. Remove edges from a vertex to itself", 5},
    {"symmetrize", KEY_SYMMETRIZE, NULL, 0,
     "4. Add the reverse of every edge; mark the graph undirected", 6},
    {"remove-duplicates", KEY_DUPLICATES, NULL, 0, "5. Of edges with the same ends leave the first",
     7},
    {"random-weights", KEY_WEIGHTS, "LO,HI,SEED", 0,
     "6. Uniformly random weights: whole numbers from LO to HI, or reals if either has a point; "
     "both directions of an undirected edge get the same",
     8},
    {"relabel", KEY_RELABEL, "degree|random", 0,
     "7. Renumber the vertices, by descending degree or randomly; original ids are kept", 9},
    {"seed", KEY_SEED, "S", 0, "Choose another random numbering (default: 1)", 10},
    {"in-edges", KEY_IN_EDGES, "also|no", 0,
     "Store the in-edges of a directed graph as well, or not (default: as in the input)", 10},
    {0}};

static const char *const relabel_words[] = {"none", "degree", "random", NULL};
static const char *const in_edges_words[] = {"as-is", "also", "no", NULL};

static void finish_command_line(struct argp_state *state, struct options *options) {
  const struct qn_transform *transform = &options->transform;
  bool something = transform->transpose || transform->remove_self_loops || transform->symmetrize ||
                   transform->remove_duplicates || transform->weights.type != QN_WEIGHT_NONE ||
                   transform->relabel != QN_RELABEL_NONE || options->in_edges != IN_EDGES_AS_IS ||
                   options->part.part != QN_PART_ALL;
  if (!options->input)
    argp_error(state, "name a container");
  if (!options->output)
    argp_error(state, "name the container to write with -o");
  if (!something)
    argp_error(state, "say what to do, for example --symmetrize");
  if (options->seed_given && transform->relabel != QN_RELABEL_RANDOM)
    argp_error(state, "--seed is for --relabel=random");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  struct qn_transform *transform = &options->transform;
  struct qn_error error;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->memory;
    state->child_inputs[1] = &options->shared;
    state->child_inputs[2] = &options->part;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case KEY_TRANSPOSE:
    transform->transpose = true;
    return 0;
  case KEY_SYMMETRIZE:
    transform->symmetrize = true;
    return 0;
  case KEY_SELF_LOOPS:
    transform->remove_self_loops = true;
    return 0;
  case KEY_DUPLICATES:
    transform->remove_duplicates = true;
    return 0;
  case KEY_WEIGHTS:
    if (qn_random_weights_parse(argument, true, &transform->weights, &error))
      argp_error(state, "--random-weights: %s", error.message);
    return 0;
  case KEY_RELABEL:
    transform->relabel =
        (enum qn_relabel)qn_option_choice(state, "--relabel", relabel_words, argument);
    return 0;
  case KEY_SEED:
    transform->relabel_seed = qn_option_number(state, "--seed", argument, 0, UINT64_MAX);
    options->seed_given = true;
    return 0;
  case KEY_IN_EDGES:
    options->in_edges =
        (enum in_edges)qn_option_choice(state, "--in-edges", in_edges_words, argument);
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
    "Transform a graph: read a container of any layout and write a graph container. Options with a "
    "number are steps, done in this order, whatever the order of the options.\v"
    "With --memory edges are sorted in temporary files; --relabel keeps 48 bytes a vertex in "
    "memory.\n\n"
    "The ledger printed at the end accounts for every edge stored (an undirected edge is stored "
    "twice); the container's metadata keeps it, and the metadata of the input.\n\n"
    "Exit status: 0; 2 for a wrong command line or if FILE exists (see --force); 3 for an invalid "
    "container; 5 if reading, writing or memory fails.\n\n"
    "Example, for benchmarks on a skewed graph:\n"
    "  quern-transform web.qrn -o clean.qrn --symmetrize --remove-self-loops \\\n"
    "    --remove-duplicates --random-weights 1,255,7 --relabel degree\n"
    "The vertices within two hops of one, and the edges between them:\n"
    "  quern-transform web.qrn -o ego.qrn --egonet 42 --hops 2";

/* ---- Transforming --------------------------------------------------------- */

struct report {
  struct qn_container_info info;
  struct qn_ledger ledger;
  struct qn_memory_plan plan;
  json_t *provenance;
  double seconds;
};

static enum qn_status record_weights(const struct qn_random_weights *weights, json_t *provenance,
                                     struct qn_error *error) {
  if (weights->type == QN_WEIGHT_NONE)
    return QN_OK;
  json_t *value = weights->type == QN_WEIGHT_U32
                      ? json_sprintf("%" PRIu32 ",%" PRIu32 ",%" PRIu64, weights->low_whole,
                                     weights->high_whole, weights->seed)
                      : json_sprintf("%.9g,%.9g,%" PRIu64, (double)weights->low,
                                     (double)weights->high, weights->seed);
  return qn_provenance_option(provenance, "random_weights", value, error);
}

static enum qn_status record_options(const struct qn_transform *transform, json_t *provenance,
                                     struct qn_error *error) {
  const struct {
    const char *key;
    bool value;
  } switches[] = {{"transpose", transform->transpose},
                  {"remove_self_loops", transform->remove_self_loops},
                  {"symmetrize", transform->symmetrize},
                  {"remove_duplicates", transform->remove_duplicates},
                  {"in_edges", transform->store_in_edges}};
  for (unsigned i = 0; i < sizeof switches / sizeof switches[0]; i++) {
    enum qn_status status =
        qn_provenance_option(provenance, switches[i].key, json_boolean(switches[i].value), error);
    if (status)
      return status;
  }
  enum qn_status status = record_weights(&transform->weights, provenance, error);
  if (!status)
    status = qn_provenance_option(provenance, "relabel",
                                  json_string(relabel_words[transform->relabel]), error);
  if (!status && transform->relabel == QN_RELABEL_RANDOM)
    status = qn_provenance_option(provenance, "seed",
                                  json_sprintf("%" PRIu64, transform->relabel_seed), error);
  return status;
}

/* What the input says of itself goes on into the output's metadata. */
static enum qn_status record_source(const struct qn_container *container, json_t *provenance,
                                    struct qn_error *error) {
  json_t *inherited;
  enum qn_status status = qn_container_metadata(container, &inherited, error);
  if (status)
    return status;
  char identity[20];
  snprintf(identity, sizeof identity, "%016" PRIx64, qn_container_info(container)->header_checksum);
  json_t *source = json_pack("{s:s, s:o*}", "identity", identity, "metadata", inherited);
  if (!source || json_object_set_new(provenance, "source", source))
    return qn_fail_memory(error, "metadata", 0);
  return QN_OK;
}

static enum qn_status write_container(const struct options *options,
                                      const struct qn_graph_source *source,
                                      struct qn_writer *writer, struct report *report,
                                      struct qn_error *error) {
  struct qn_transform transform = options->transform;
  struct qn_subgraph part = {0};
  const struct qn_graph *graph = &source->graph;
  bool had_in_edges = graph->has_transpose && graph->directedness == QN_DIRECTED;
  transform.store_in_edges =
      options->in_edges == IN_EDGES_AS_IS ? had_in_edges : options->in_edges == IN_EDGES_ALSO;
  enum qn_status status;
  if ((status = record_options(&transform, report->provenance, error)) ||
      (status = record_source(source->container, report->provenance, error)))
    return status;
  if (options->part.part != QN_PART_ALL) {
    status = qn_part_create(&options->part, graph, report->provenance, &part, error);
    graph = &part.graph;
  }
  report->ledger.edges_left_out = part.edges_left_out;
  if (!status)
    status = qn_transform_graph(graph, &transform, writer, &report->ledger, error);
  qn_subgraph_destroy(&part);
  if (!status)
    qn_ledger_note_parallel(&report->ledger, "--remove-duplicates");
  if (!status)
    status = qn_provenance_ledger(report->provenance, &report->ledger, error);
  report->info = *qn_writer_info(writer);
  return status ? status : qn_writer_metadata(writer, report->provenance, error);
}

/* The sizes are in the header, before the container is opened whole. */
static enum qn_status make_plan(const struct options *options, struct report *report,
                                struct qn_error *error) {
  const struct qn_transform *transform = &options->transform;
  struct qn_container *container;
  enum qn_status status = qn_container_open(options->input, QN_MAP_ARCHIVE, &container, error);
  if (status)
    return status;
  const struct qn_container_info *info = qn_container_info(container);
  bool weights = transform->weights.type != QN_WEIGHT_NONE || info->weight_type != QN_WEIGHT_NONE;
  struct qn_build build = {
      .undirected = transform->symmetrize && info->directedness == QN_DIRECTED,
      .transpose = options->in_edges != IN_EDGES_NO && info->directedness == QN_DIRECTED,
  };
  struct qn_expected_edges edges = {
      .num_edges = info->num_edges,
      .most_edges = info->num_edges,
      .num_vertices = info->num_vertices,
      .weighted = weights,
      .given_vertices = true,
  };
  struct qn_work_estimate estimate = qn_build_estimate(&build, &edges);
  /* Degrees, both numberings, ids, and sorting. */
  if (transform->relabel != QN_RELABEL_NONE)
    estimate.kept = 48 * info->num_vertices;
  bool restored = info->layout != QN_LAYOUT_GRAPH;
  uint64_t graph_bytes = 8 * info->num_vertices + (weights ? 8 : 4) * info->num_edges;
  estimate.usual += estimate.kept + (restored ? graph_bytes : 0);
  estimate.most += estimate.kept + (restored ? 2 * graph_bytes : 0);
  estimate.least += estimate.kept;
  if (options->part.part != QN_PART_ALL) { /* groups and numbers of vertices, and the part itself */
    estimate.usual += 12 * info->num_vertices;
    estimate.most += 12 * info->num_vertices + graph_bytes;
  }
  estimate.temporary += restored || transform->relabel == QN_RELABEL_DEGREE ? 2 * graph_bytes : 0;
  qn_container_unmap(container);
  return qn_memory_plan_make(&options->memory, options->output, &estimate, &report->plan, error);
}

static enum qn_status transform_file(const struct options *options, struct report *report,
                                     struct qn_error *error) {
  struct qn_graph_source source;
  struct qn_writer *writer = NULL;
  double begun = qn_seconds();
  source = (struct qn_graph_source){0};
  enum qn_status status = qn_input_kept(options->output, options->input, error);
  if (!status)
    status = qn_input_kept(options->output, options->part.file, error);
  if (!status)
    status = make_plan(options, report, error);
  if (!status)
    status = qn_graph_source_open(options->input, &source, error);
  if (!status)
    status = qn_provenance_create("quern-transform", &report->provenance, error);
  if (!status)
    status = qn_writer_create(options->output, options->shared.force, &writer, error);
  if (!status)
    status = write_container(options, &source, writer, report, error);
  if (!status) {
    status = qn_writer_commit(writer, error);
    writer = NULL;
  }
  qn_writer_abort(writer);
  qn_graph_source_close(&source);
  report->seconds = qn_seconds() - begun;
  return status;
}

/* ---- Report --------------------------------------------------------------- */

static enum qn_status print_json(const struct options *options, const struct report *report,
                                 struct qn_error *error) {
  const struct qn_container_info *info = &report->info;
  json_t *json = json_pack(
      "{s:o, s:o, s:I, s:I, s:b, s:s, s:f}", "output", qn_json_text(options->output), "estimate",
      qn_memory_plan_json(&report->plan), "vertices", (json_int_t)info->num_vertices, "edges",
      (json_int_t)info->num_edges, "undirected", info->directedness == QN_UNDIRECTED, "weights",
      qn_weight_type_name(info->weight_type), "seconds", report->seconds);
  return qn_provenance_print(json, report->provenance, error);
}

static void print_summary(const struct options *options, const struct report *report) {
  char graph[QN_GRAPH_TEXT];
  printf("%s: %s, in %.2f s\n", options->output,
         qn_ledger_graph_text(&report->ledger, &report->info, graph), report->seconds);
  qn_ledger_print(&report->ledger, stdout);
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_memory_argp, 0, NULL, 0},
                                               {&qn_tool_output_argp, 0, NULL, 0},
                                               {&qn_part_argp, 0, NULL, 0},
                                               {0}};
  static const struct argp argp = {argp_options, parse_option, "GRAPH.qrn", documentation,
                                   children,     NULL,         NULL};
  struct options options = {.transform.relabel_seed = 1};
  struct report report = {0};
  struct qn_error error;
  qn_tool_parse("quern-transform", &argp, argc, argv, &options, &options.shared);
  enum qn_status status = transform_file(&options, &report, &error);
  if (!status && options.shared.json)
    status = print_json(&options, &report, &error);
  else if (!status && !options.shared.quiet)
    print_summary(&options, &report);
  json_decref(report.provenance);
  return qn_tool_exit(status, &error);
}
