/* quern-transform: graph containers into other graph containers. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>

#include "converters/changes/append.h"
#include "converters/graph/graph_source.h"
#include "converters/properties/arrays.h"
#include "converters/provenance.h"
#include "converters/transform/run.h"
#include "formats/container/figures.h"
#include "formats/set/project.h"
#include "formats/set/set.h"
#include "formats/temporal/between.h"
#include "formats/temporal/index_time.h"
#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/output_stream.h"
#include "support/sizes.h"
#include "support/text/fold.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include "tools/partitioning.h"
#include "tools/set_report.h"
#include "tools/striping.h"
#include "tools/tables.h"
#include <quern/open.h>

/* Of settings: for the part, the steps, a set, types of one, a partition, changes, times, arrays.
 */
enum { NUM_TABLES = 9, KEY_COMPACT = 0x500, KEY_PARTS_BY };

struct options {
  struct qn_tool_options shared;
  struct qn_transform_options transform;
  struct qn_memory_options memory;
  struct qn_striping_options stripes;
  struct qn_set_options set; /* no parts: one container */
  struct qn_set_selection types;
  struct qn_partition_options partition;
  struct qn_append_options append;
  struct qn_between between;
  struct qn_array_options arrays;
  struct qn_index_options index;
  bool compact;
  const char *cut_by; /* the column of --parts-by */
  const char *input;
  const char *output;
  struct qn_settings settings[NUM_TABLES];
};

/* ---- Command line --------------------------------------------------------- */

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0, "Write the container to FILE, - for standard output (required)", 1},
    {NULL, 0, NULL, 0,
     "A graph, without other steps, as a set of containers, or a set as one:", QN_SET_GROUP - 1},
    {"parts-by", KEY_PARTS_BY, "COLUMN", 0,
     "Make FILE a set whose parts are those that COLUMN says, a property of the vertices: a "
     "partition, such as --partition adds in the same run",
     QN_SET_GROUP},
    {NULL, 0, NULL, 0,
     "A column that divides the graph as it is into parts:", QN_PARTITION_GROUP - 1},
    {"compact", KEY_COMPACT, NULL, 0,
     "Make one container of a base and its generations: what an import of all edges gives",
     QN_APPEND_GROUP},
    {0}};

/* A generation is all that such a command makes. */
static void check_changes(struct argp_state *state, const struct options *options) {
  const bool others =
      qn_transform_options_are_any(&options->transform) || qn_between_is_asked(&options->between) ||
      qn_set_selection_is_any(&options->types) || qn_set_is_asked(&options->set) ||
      options->stripes.striping.num_folders || options->partition.num_parts || options->cut_by;
  const bool appends = qn_append_is_asked(&options->append);
  if ((appends || options->compact) && others)
    argp_error(state, "--append, --remove and --compact are steps by themselves: transform before "
                      "or after them");
  struct qn_error error;
  if (appends && qn_append_options_settle(&options->append, &error))
    argp_error(state, "%s", error.message);
  if (appends && options->compact)
    argp_error(state, "append first, then --compact");
  if (options->compact && !qn_set_recognise(options->input))
    argp_error(state, "--compact is for a set with generations, as --append makes them");
}

/* Columns are added to a container as it is. */
static void check_arrays(struct argp_state *state, const struct options *options) {
  if (options->arrays.count &&
      (qn_transform_options_are_any(&options->transform) ||
       qn_between_is_asked(&options->between) || qn_set_selection_is_any(&options->types) ||
       qn_set_is_asked(&options->set) || options->stripes.striping.num_folders ||
       options->partition.num_parts || options->cut_by || options->compact ||
       qn_append_is_asked(&options->append)))
    argp_error(state, "--vertex-array and --edge-array add columns to a container as it is: take "
                      "other steps before it or after it");
}

static void check_index(struct argp_state *state, const struct options *options) {
  if (options->index.property &&
      (qn_transform_options_are_any(&options->transform) ||
       qn_between_is_asked(&options->between) || qn_set_selection_is_any(&options->types) ||
       qn_set_is_asked(&options->set) || options->stripes.striping.num_folders ||
       options->partition.num_parts || options->cut_by || options->compact ||
       options->arrays.count || qn_append_is_asked(&options->append)))
    argp_error(state, "--index-time is of a container as it is: take other steps before it");
}

static void finish_command_line(struct argp_state *state, struct options *options) {
  struct qn_error error;
  if (!options->input)
    argp_error(state, "name a container");
  if (!options->output)
    argp_error(state, "name the container to write with -o, such as -o graph.qrn");
  const bool in_place = qn_append_is_asked(&options->append) &&
                        qn_set_has_generations(options->input) &&
                        qn_outputs_are_one(options->input, options->output);
  if (!in_place)
    qn_tool_check_output(&options->shared, options->output, state);
  check_changes(state, options);
  check_arrays(state, options);
  check_index(state, options);
  const bool between = qn_between_is_asked(&options->between);
  const bool any = qn_transform_options_are_any(&options->transform) || between;
  const bool types = qn_set_selection_is_any(&options->types);
  if (qn_partition_options_settle(&options->partition, &error))
    argp_error(state, "%s", error.message);
  if (types && !qn_set_recognise(options->input))
    argp_error(state, "--project, --edge-types and --vertex-types are of a set with types");
  if (types && options->stripes.striping.num_folders)
    argp_error(state, "--stripe distributes a container as it is: transform it first");
  if (qn_set_is_asked(&options->set) && qn_transform_options_are_any(&options->transform))
    argp_error(state, "--parts cuts a graph as it is: transform it first, into a container");
  if (options->stripes.striping.num_folders && (any || qn_set_is_asked(&options->set)))
    argp_error(state, "--stripe distributes a container as it is: transform it first");
  if (options->cut_by && (any || qn_set_is_asked(&options->set) || options->set.balance_given ||
                          options->stripes.striping.num_folders))
    argp_error(state, "--parts-by cuts a graph as it is, into the parts that a column says");
  if (options->partition.num_parts &&
      (any || qn_set_is_asked(&options->set) || options->stripes.striping.num_folders))
    argp_error(state, "--partition divides a graph as it is, into a column of the same container: "
                      "take other steps before it or after it");
  if (!any && !options->partition.num_parts && !options->cut_by && !options->arrays.count &&
      !options->index.property && !qn_set_is_asked(&options->set) &&
      !options->stripes.striping.num_folders && !qn_append_is_asked(&options->append) &&
      !qn_set_recognise(options->input) && !qn_stripes_recognise(options->input))
    argp_error(state, "say what to do, for example --symmetrize");
  if ((!options->cut_by && qn_set_options_settle(&options->set, &error)) ||
      qn_transform_options_settle(&options->transform, &error) ||
      qn_set_selection_settle(&options->types, &error) ||
      qn_between_settle(&options->between, &error))
    argp_error(state, "%s", error.message);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    for (int i = 0; i < NUM_TABLES; i++)
      state->child_inputs[i] = &options->settings[i];
    state->child_inputs[NUM_TABLES] = &options->stripes;
    state->child_inputs[NUM_TABLES + 1] = &options->memory;
    state->child_inputs[NUM_TABLES + 2] = &options->shared;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case KEY_COMPACT:
    options->compact = true;
    return 0;
  case KEY_PARTS_BY:
    options->cut_by = argument;
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
    "Transform a graph: read a container of any layout (- is standard input) and write a graph "
    "container. Options with a number are steps, done in this order, whatever the order of the "
    "options.\v"
    "A set (its folder) is read wherever a container is; without any step it becomes one container "
    "again, the one that it was made from. So does a striped container, of any layout, and with "
    "--stripe alone a container of any layout is distributed over several files.\n\n"
    "With --memory edges are sorted in temporary files; --relabel keeps 48 bytes a vertex in "
    "memory, for llp, rcm and gorder the in-edges of a directed graph, too, and METIS some 20 for "
    "each endpoint of an edge.\n\n"
    "The ledger printed at the end accounts for every edge stored (an undirected edge is stored "
    "twice); the container's metadata keeps it, and the metadata of the input.\n\n"
    "Exit status: 0; 2 for a wrong command line or if FILE exists (see --force); 3 for an invalid "
    "container; 5 if reading, writing or memory fails.\n\n"
    "Example, for benchmarks on a skewed graph:\n"
    "  quern-transform web.qrn -o clean.qrn --symmetrize --remove-self-loops \\\n"
    "    --remove-duplicates --random-weights 1,255,7 --relabel degree\n"
    "The vertices within two hops of one, and the edges between them:\n"
    "  quern-transform web.qrn -o ego.qrn --egonet 42 --hops 2\n"
    "A set of 16 parts, for several machines, and back:\n"
    "  quern-transform web.qrn --parts 16 -o web\n"
    "  quern-transform web -o again.qrn\n"
    "Who knows whom, of a set with types:\n"
    "  quern-transform social --project person-knows-person -o knows.qrn\n"
    "A column \"part\" of 8 parts, for training or for several machines:\n"
    "  quern-transform web.qrn --partition 8 --by fennel -o parted.qrn\n"
    "Features from NumPy:\n"
    "  quern-transform web.qrn --vertex-array x=features.npy -o featured.qrn\n"
    "What is new today, in a set beside the container, then all of it in one container:\n"
    "  quern-transform web.qrn --append today.csv --remove gone.csv -o web-now\n"
    "  quern-transform web-now --compact -o now.qrn\n"
    "A container over two disks, and in one file again:\n"
    "  quern-transform web.qrn --stripe /disk1 --stripe /disk2 -o wide.qrn\n"
    "  quern-transform wide.qrn -o again.qrn";

/* ---- Transforming --------------------------------------------------------- */

struct report {
  struct qn_transform_report made;
  struct qn_memory_plan plan;
  double seconds;
};

/* The sizes are in the header, before the container is opened whole. */
static enum qn_status open_source(const struct options *options, struct qn_graph_source *source,
                                  struct qn_memory_plan *plan, struct qn_error *error) {
  struct qn_container *container;
  if (qn_set_selection_is_any(&options->types))
    qn_memory_keep_to(&options->memory);
  enum qn_status status = qn_set_selection_is_any(&options->types)
                              ? qn_set_project_nameless(options->input, &options->types,
                                                        options->input, &container, error)
                              : qn_container_open(options->input, 0, &container, error);
  if (!status)
    qn_index_time_note_lost(container);
  if (!status)
    status = qn_between_apply(&options->between, &container, true, error);
  if (!status)
    status = qn_transform_plan(&options->transform, container, &options->memory, options->output,
                               plan, error);
  if (!status)
    return qn_graph_source_take(container, source, error);
  qn_container_unmap(container);
  return status;
}

static enum qn_status transform_file(const struct options *options, struct report *report,
                                     struct qn_error *error) {
  struct qn_graph_source source = {0};
  double begun = qn_seconds();
  enum qn_status status = qn_input_kept(options->output, options->input, error);
  if (!status)
    status = qn_input_kept(options->output, options->transform.part.file, error);
  if (!status)
    status = qn_input_kept(options->output, options->transform.transform.relabel_file, error);
  if (!status)
    status = open_source(options, &source, &report->plan, error);
  if (!status)
    status =
        qn_transform_run(&options->transform, source.container, &source.graph, "quern-transform",
                         options->output, options->shared.force, &report->made, NULL, error);
  qn_graph_source_close(&source);
  report->seconds = qn_seconds() - begun;
  return status;
}

/* ---- Sets ----------------------------------------------------------------- */

static enum qn_status split_file(const struct options *options, struct qn_error *error) {
  struct qn_graph_source source = {0};
  struct qn_memory_plan plan;
  struct qn_set *set = NULL;
  double begun = qn_seconds();
  enum qn_status status = qn_input_kept(options->output, options->input, error);
  if (!status)
    status = open_source(options, &source, &plan, error);
  if (!status)
    status = qn_set_split(source.container, &source.graph, &options->set, "quern-transform",
                          options->output, options->shared.force, &set, error);
  qn_graph_source_close(&source);
  if (!status)
    qn_set_report(set, options->output, qn_seconds() - begun, &options->shared);
  qn_set_close(set);
  return status;
}

static void report_united(const struct options *options, const struct qn_container *container,
                          double seconds) {
  const struct qn_container_info *info = qn_container_info(container);
  char vertices[32], edges[QN_EDGES_TEXT];
  if (options->shared.json) {
    qn_tool_print_json(
        json_pack("{s:o, s:I, s:I, s:I, s:f}", "output", qn_json_text(options->output), "vertices",
                  (json_int_t)info->num_vertices, "edges", (json_int_t)info->num_edges, "bytes",
                  (json_int_t)info->file_bytes, "seconds", seconds));
  } else if (!options->shared.quiet) {
    fprintf(qn_beside_output(options->output), "%s: the graph of %s, %s vertices, %s, in %.2f s\n",
            options->output, options->input,
            qn_count_text(info->num_vertices, vertices, sizeof vertices),
            qn_edges_text(info->directedness, info->num_edges,
                          qn_undirected_edges(container, info->num_edges), edges),
            seconds);
  }
}

static enum qn_status unite_set(const struct options *options, struct qn_error *error) {
  struct qn_container *made = NULL;
  double begun = qn_seconds();
  enum qn_status status = qn_input_kept(options->output, options->input, error);
  qn_memory_keep_to(&options->memory);
  if (!status)
    status =
        qn_set_selection_is_any(&options->types)
            ? qn_set_project(options->input, &options->types, options->output,
                             options->shared.force, &made, error)
            : qn_set_unite(options->input, options->output, options->shared.force, &made, error);
  if (!status)
    report_united(options, made, qn_seconds() - begun);
  qn_container_unmap(made);
  return status;
}

/* ---- Changes -------------------------------------------------------------- */

static void report_appended(const struct options *options, const struct qn_append_report *report) {
  const struct qn_set *set = report->set;
  const struct qn_set_generation *last = &set->generations[set->num_generations - 1];
  char counts[6][32], bytes[32];
  fprintf(qn_beside_output(options->output),
          "%s: generation %" PRIu64 ", %s edges added, %s removed%s%s%s, %s new vertices; now %s "
          "vertices, %s edges; %s in %.2f s\n",
          options->output, set->num_generations,
          qn_count_text(last->added, counts[0], sizeof counts[0]),
          qn_count_text(last->removed, counts[1], sizeof counts[1]), last->missing ? " (" : "",
          last->missing ? qn_count_text(last->missing, counts[2], sizeof counts[2]) : "",
          last->missing ? " were not there)" : "",
          qn_count_text(report->new_vertices, counts[3], sizeof counts[3]),
          qn_count_text(set->num_vertices, counts[4], sizeof counts[4]),
          qn_count_text(set->num_edges, counts[5], sizeof counts[5]),
          qn_size_text(report->bytes, bytes, sizeof bytes), report->seconds);
}

/* The first input that the package reads; NULL: there is none. */
static const char *find_table(const struct qn_append_options *append) {
  const char *const *lists[] = {append->appended, append->removed};
  const uint64_t counts[] = {append->num_appended, append->num_removed};
  for (unsigned list = 0; list < 2; list++)
    for (uint64_t i = 0; i < counts[list]; i++)
      if (qn_tables_are_input("auto", (char *[]){(char *)lists[list][i]}, 1))
        return lists[list][i];
  return NULL;
}

static enum qn_status append_files(struct options *options, struct qn_error *error) {
  const struct qn_append_job job = {.options = &options->append,
                                    .memory = options->memory,
                                    .base = options->input,
                                    .output = options->output,
                                    .replace = options->shared.force,
                                    .strict = options->transform.strict,
                                    .tool = "quern-transform"};
  struct qn_append_report report;
  enum qn_status status = qn_append_run(&job, &report, error);
  if (!status && options->shared.json) {
    json_t *json = qn_append_describe(&report, options->output);
    if (json)
      qn_tool_print_json(json);
    else
      status = qn_fail_memory(error, "the report", 0);
  } else if (!status && !options->shared.quiet) {
    report_appended(options, &report);
  }
  qn_append_report_end(&report);
  qn_append_options_release(&options->append);
  return status;
}

/* ---- Stripes -------------------------------------------------------------- */

/* A container of any layout as it is: dealt out to several files, or in one again. */
static enum qn_status copy_file(const struct options *options, struct qn_error *error) {
  const struct qn_striping *striping = &options->stripes.striping;
  struct qn_container *container = NULL;
  double begun = qn_seconds();
  enum qn_status status = qn_input_kept(options->output, options->input, error);
  if (!status && striping->num_folders)
    status = qn_striping_check(striping, options->output, options->shared.force, error);
  if (!status)
    status = qn_container_open(options->input, QN_MAP_ARCHIVE, &container, error);
  if (!status)
    status = qn_container_verify(container, error);
  if (!status && striping->num_folders)
    status =
        qn_container_stripe(container, options->output, striping, options->shared.force, error);
  else if (!status)
    status = qn_container_copy(container, options->output, options->shared.force, error);
  if (!status)
    report_united(options, container, qn_seconds() - begun);
  qn_container_unmap(container);
  return status;
}

/* ---- Arrays --------------------------------------------------------------- */

static enum qn_status attach_arrays(struct options *options, struct qn_error *error) {
  struct qn_container *container = NULL, *made = NULL;
  double begun = qn_seconds();
  enum qn_status status = qn_input_kept(options->output, options->input, error);
  for (uint32_t i = 0; !status && i < options->arrays.count; i++)
    status = qn_input_kept(options->output, options->arrays.arrays[i].file, error);
  if (!status)
    status = qn_container_open(options->input, 0, &container, error);
  if (!status)
    status = qn_arrays_attach(&options->arrays, container, options->output, options->shared.force,
                              &made, error);
  if (!status)
    report_united(options, made, qn_seconds() - begun);
  qn_container_unmap(made);
  qn_container_unmap(container);
  qn_array_options_release(&options->arrays);
  return status;
}

static enum qn_status index_edges(struct options *options, struct qn_error *error) {
  struct qn_container *container = NULL, *made = NULL;
  double begun = qn_seconds();
  enum qn_status status = qn_input_kept(options->output, options->input, error);
  if (!status)
    status = qn_container_open(options->input, 0, &container, error);
  if (!status)
    status = qn_index_time(&options->index, container, options->output, options->shared.force,
                           &made, error);
  if (!status)
    report_united(options, made, qn_seconds() - begun);
  qn_container_unmap(made);
  qn_container_unmap(container);
  return status;
}

/* ---- Partitions ----------------------------------------------------------- */

static enum qn_status partition_file(const struct options *options, struct qn_error *error) {
  const struct qn_partitioning partitioning = {.options = &options->partition,
                                               .memory = &options->memory,
                                               .types = &options->types,
                                               .cut_by = options->cut_by,
                                               .set = &options->set,
                                               .shared = &options->shared,
                                               .input = options->input,
                                               .output = options->output};
  return qn_partitioning_run(&partitioning, error);
}

/* ---- Report --------------------------------------------------------------- */

static enum qn_status print_json(const struct options *options, const struct report *report,
                                 struct qn_error *error) {
  const struct qn_container_info *info = &report->made.info;
  json_t *json = json_pack(
      "{s:o, s:o, s:I, s:I, s:b, s:s, s:f}", "output", qn_json_text(options->output), "estimate",
      qn_memory_plan_json(&report->plan), "vertices", (json_int_t)info->num_vertices, "edges",
      (json_int_t)info->num_edges, "undirected", info->directedness == QN_UNDIRECTED, "weights",
      qn_weight_type_name(info->weight_type), "seconds", report->seconds);
  return qn_provenance_print(json, report->made.provenance, error);
}

static void print_summary(const struct options *options, const struct report *report) {
  char graph[QN_GRAPH_TEXT];
  struct qn_page page;
  FILE *stream = qn_page_begin(&page, qn_beside_output(options->output));
  fprintf(stream, "%s: %s, in %.2f s\n", options->output,
          qn_ledger_graph_text(&report->made.ledger, &report->made.info, graph), report->seconds);
  qn_ledger_print(&report->made.ledger, stream);
  qn_page_end(&page, 4);
}

int main(int argc, char **argv) {
  const struct argp part_argp = qn_settings_argp(qn_part_settings);
  const struct argp transform_argp = qn_settings_argp(qn_transform_settings);
  const struct argp set_argp = qn_settings_argp(qn_set_settings);
  const struct argp types_argp = qn_settings_argp(qn_selection_settings);
  const struct argp partition_argp = qn_settings_argp(qn_partition_settings);
  const struct argp append_argp = qn_settings_argp(qn_append_settings);
  const struct argp between_argp = qn_settings_argp(qn_between_settings);
  const struct argp index_argp = qn_settings_argp(qn_index_settings);
  const struct argp arrays_argp = qn_settings_argp(qn_array_settings);
  const struct argp_child children[] = {
      {&part_argp, 0, NULL, 0},
      {&transform_argp, 0, NULL, 0},
      {&set_argp, 0, NULL, 0},
      {&types_argp, 0, "Types of a set:", QN_SELECTION_GROUP - 1},
      {&partition_argp, 0, NULL, 0},
      {&append_argp, 0, "Changes to a graph, which is not written:", QN_APPEND_GROUP - 1},
      {&between_argp, 0, "Edges of a time, before all steps:", QN_BETWEEN_GROUP - 1},
      {&arrays_argp, 0,
       "Properties that are arrays, of a container as it is:", QN_ARRAYS_GROUP - 1},
      {&index_argp, 0, NULL, 0},
      {&qn_striping_argp, 13, NULL, 0},
      {&qn_memory_argp, 0, NULL, 0},
      {&qn_tool_output_argp, 0, NULL, 0},
      {0}};
  const struct argp argp = {argp_options, parse_option, "GRAPH.qrn", documentation,
                            children,     NULL,         NULL};
  struct options options = {.settings = {{qn_part_settings, &options.transform.part},
                                         {qn_transform_settings, &options.transform},
                                         {qn_set_settings, &options.set},
                                         {qn_selection_settings, &options.types},
                                         {qn_partition_settings, &options.partition},
                                         {qn_append_settings, &options.append},
                                         {qn_between_settings, &options.between},
                                         {qn_array_settings, &options.arrays},
                                         {qn_index_settings, &options.index}},
                            .types.properties = true,
                            .set.rows = QN_SET_ROWS_IN};
  struct report report = {0};
  struct qn_error error;
  qn_transform_options_begin(&options.transform);
  qn_tool_parse("quern-transform", &argp, argc, argv, &options, &options.shared);
  qn_outputs_hold();
  if (options.partition.num_parts || options.cut_by)
    return qn_tool_exit(partition_file(&options, &error), &error);
  if (options.arrays.count)
    return qn_tool_exit(attach_arrays(&options, &error), &error);
  if (options.index.property)
    return qn_tool_exit(index_edges(&options, &error), &error);
  const char *table = find_table(&options.append);
  if (table)
    return qn_tool_exit(qn_tables_hand_over("transform", table, argv, &error), &error);
  if (qn_append_is_asked(&options.append))
    return qn_tool_exit(append_files(&options, &error), &error);
  if (qn_set_is_asked(&options.set))
    return qn_tool_exit(split_file(&options, &error), &error);
  const bool any =
      qn_transform_options_are_any(&options.transform) || qn_between_is_asked(&options.between);
  if (options.stripes.striping.num_folders || qn_stripes_recognise(options.input))
    if (!any)
      return qn_tool_exit(copy_file(&options, &error), &error);
  if (!any)
    return qn_tool_exit(unite_set(&options, &error), &error);
  enum qn_status status = transform_file(&options, &report, &error);
  if (!status && options.shared.json)
    status = print_json(&options, &report, &error);
  else if (!status && !options.shared.quiet)
    print_summary(&options, &report);
  json_decref(report.made.provenance);
  return qn_tool_exit(status, &error);
}
