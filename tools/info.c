/* quern-info: what a container holds, without reading it whole. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "converters/graph/graph_source.h"
#include "converters/partition/measure.h"
#include "formats/container/figures.h"
#include "formats/container/stripes.h"
#include "formats/container/text_table.h"
#include "formats/properties/report.h"
#include "formats/set/set.h"
#include "support/sizes.h"
#include "support/text/terminal.h"
#include "support/tool.h"
#include "support/used_files.h"
#include "tools/generation_report.h"
#include "tools/info/describe.h"
#include "tools/info/graph_statistics.h"
#include "tools/info/neighbors.h"
#include "tools/set_report.h"
#include <quern/layouts.h>
#include <quern/open.h>
#include <quern/remote.h>

struct options {
  struct qn_tool_options shared;
  const char *file;
  bool statistics;
  const char *partition; /* a column; NULL: none is asked for */
  const char *neighbors; /* of this vertex; NULL: of none */
  bool log;
  enum qn_description description;
  const char *about;
};

enum {
  KEY_STATS = 0x100,
  KEY_PARTITION,
  KEY_NEIGHBORS,
  KEY_LOG,
  KEY_RECIPE,
  KEY_CROISSANT,
  KEY_RO_CRATE,
  KEY_DATACITE,
  KEY_ABOUT
};

static const struct argp_option option_list[] = {
    {"stats", KEY_STATS, NULL, 0,
     "Look at every edge: degrees and their histogram, isolated vertices, loops, parallel edges, "
     "reciprocity, components",
     0},
    {"partition", KEY_PARTITION, "COLUMN", 0,
     "Look at every edge: the cut, balance and replication of the partition that the property "
     "COLUMN says, of vertices or of edges",
     0},
    {"log", KEY_LOG, NULL, 0,
     "Of a set with generations: what each has changed, and where that came from", 0},
    {"neighbors", KEY_NEIGHBORS, "ID", 0,
     "List the vertices that the edges out of this one lead to, one a line, with their weights", 0},
    {"recipe", KEY_RECIPE, NULL, 0,
     "Print how the container was made as a recipe, which quern-fetch follows", 0},
    {"croissant", KEY_CROISSANT, NULL, 0,
     "Print a description of the container as Croissant, of MLCommons", 0},
    {"ro-crate", KEY_RO_CRATE, NULL, 0, "The same as ro-crate-metadata.json of an RO-Crate", 0},
    {"datacite", KEY_DATACITE, NULL, 0, "The same as DataCite's metadata; it needs --about", 0},
    {"about", KEY_ABOUT, "RECIPE", 0,
     "Take title, licence, citation, creators and publisher from this recipe: one of quern-fetch "
     "--list, or a file or URL that ends in .json",
     0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->shared;
    return 0;
  case KEY_STATS:
    options->statistics = true;
    return 0;
  case KEY_PARTITION:
    options->partition = argument;
    return 0;
  case KEY_NEIGHBORS:
    options->neighbors = argument;
    return 0;
  case KEY_LOG:
    options->log = true;
    return 0;
  case KEY_RECIPE:
  case KEY_CROISSANT:
  case KEY_RO_CRATE:
  case KEY_DATACITE:
    if (options->description)
      argp_error(state, "one description at a time");
    options->description = (enum qn_description)(key - KEY_RECIPE + QN_DESCRIBE_RECIPE);
    return 0;
  case KEY_ABOUT:
    options->about = argument;
    return 0;
  case ARGP_KEY_END:
    if (options->about && options->description < QN_DESCRIBE_CROISSANT)
      argp_error(state, "--about is for --croissant, --ro-crate and --datacite");
    return 0;
  case ARGP_KEY_ARG:
    if (options->file)
      argp_error(state, "one container at a time");
    options->file = argument;
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_error(state, "name a container");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "Show what a container holds: its header, its layout's figures, where it came from, and its "
    "sections.\v"
    "FILE is a container, plain or in archive form, its URL, BUNDLE.tar:MEMBER, or the folder of a "
    "set. "
    "Only header, section "
    "table, footer and small sections are read; contents are not checked (quern-verify does that). "
    "With --stats or --partition the graph is read and checked: a plain container, or a member of "
    "a bundle, which "
    "is restored to temporary disk space (TMPDIR). With --neighbors rows are read as they are; of "
    "a "
    "container on a server little more comes than one. Exit status: 0, or 3 for a damaged file, 4 "
    "for "
    "an unknown version or feature, 5 if it cannot be read.";

static void print_sections(const json_t *sections) {
  json_t *rows = json_pack("[[s, s, s, s, s]]", "section", "type", "elements", "size", "xxh3-64");
  size_t index;
  json_t *section;
  json_array_foreach(sections, index, section) {
    char type[32], count[32], size[16];
    snprintf(type, sizeof type, "%s x %" JSON_INTEGER_FORMAT,
             json_string_value(json_object_get(section, "type")),
             json_integer_value(json_object_get(section, "element_bytes")));
    qn_count_text((uint64_t)json_integer_value(json_object_get(section, "count")), count,
                  sizeof count);
    qn_size_text((uint64_t)json_integer_value(json_object_get(section, "stored_bytes")), size,
                 sizeof size);
    json_array_append_new(
        rows, json_pack("[s, s, s, s, s]", json_string_value(json_object_get(section, "name")),
                        type, count, size, json_string_value(json_object_get(section, "xxh3_64"))));
  }
  putchar('\n');
  qn_text_table_print(rows, "llrrl", qn_terminal_width(), stdout);
  json_decref(rows);
}

/* "edges" are those stored: of undirected graphs that is not what people count. */
static void explain_edges(const struct qn_container *container, json_t *description, bool json) {
  char text[160], edges[32], stored[32];
  uint64_t num_stored = (uint64_t)json_integer_value(json_object_get(description, "edges"));
  uint64_t num_edges = qn_undirected_edges(container, num_stored);
  const char *directedness = json_string_value(json_object_get(description, "directedness"));
  if (strcmp(directedness, "undirected") != 0)
    return;
  if (json && num_edges)
    json_object_set_new(description, "undirected_edges", json_integer((json_int_t)num_edges));
  if (json)
    return;
  qn_count_text(num_stored, stored, sizeof stored);
  if (num_edges)
    snprintf(text, sizeof text, "%s undirected (%s stored: both directions)",
             qn_count_text(num_edges, edges, sizeof edges), stored);
  else
    snprintf(text, sizeof text, "%s stored, both directions of undirected edges", stored);
  json_object_set_new(description, "edges", json_string(text));
}

static void print_text(json_t *description) {
  json_t *sections = json_incref(json_object_get(description, "sections"));
  json_object_del(description, "sections");
  json_t *statistics = json_incref(json_object_get(description, "statistics"));
  json_object_del(description, "statistics");
  json_t *properties = json_incref(json_object_get(description, "properties"));
  json_object_del(description, "properties");
  qn_figures_print(description, qn_terminal_width(), stdout);
  print_sections(sections);
  if (properties)
    qn_properties_print(properties, qn_terminal_width(), stdout);
  json_decref(properties);
  if (statistics)
    qn_graph_statistics_print(statistics, stdout);
  json_decref(statistics);
  json_decref(sections);
}

static enum qn_status add_statistics(struct qn_container *container, json_t *description,
                                     struct qn_error *error) {
  json_t *statistics;
  enum qn_status status = qn_graph_statistics(container, &statistics, error);
  if (!status)
    json_object_set_new(description, "statistics", statistics);
  return status;
}

static enum qn_status measure_partition(struct qn_container *container, const char *column,
                                        struct qn_partition_figures *figures,
                                        struct qn_error *error) {
  struct qn_graph graph = {0};
  enum qn_status status = qn_graph_source_view(container, &graph, error);
  if (!status)
    status = qn_partition_measure(container, &graph, column, figures, error);
  qn_graph_unmap(&graph);
  return status;
}

/* Is the graph read, not the header alone? */
static bool looks_at_edges(const struct options *options) {
  return options->statistics || options->partition;
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_tool_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {option_list, parse, "FILE", documentation, children, NULL, NULL};
  struct options options = {0};
  struct qn_error error;
  struct qn_container *container;
  json_t *description = NULL;
  struct qn_partition_figures figures;
  qn_tool_parse("quern-info", &argp, argc, argv, &options, &options.shared);
  qn_tool_spare_threads(&options.shared, &options.file, 1, QN_FEW_BYTES, qn_stripes_recognise);

  if (options.description)
    return qn_tool_exit(qn_describe(options.file, options.description, options.about, &error),
                        &error);
  if (options.log)
    return qn_tool_exit(qn_set_show_log(options.file, options.shared.json, &error), &error);
  if (options.neighbors)
    return qn_tool_exit(
        qn_neighbors_show(options.file, options.neighbors, options.shared.json, &error), &error);
  if (!looks_at_edges(&options) && qn_set_recognise(options.file))
    return qn_tool_exit(qn_set_show(options.file, options.shared.json, &error), &error);
  const unsigned flags =
      looks_at_edges(&options) ? 0 : QN_MAP_ARCHIVE | QN_MAP_PARTS | QN_MAP_RECTANGULAR;
  enum qn_status status = qn_container_open(options.file, flags, &container, &error);
  if (!status)
    status = qn_container_describe(container, &description, &error);
  if (!status)
    explain_edges(container, description, options.shared.json);
  if (!status && options.statistics)
    status = add_statistics(container, description, &error);
  if (!status && options.partition)
    status = measure_partition(container, options.partition, &figures, &error);
  if (!status && options.partition && options.shared.json)
    json_object_set_new(description, "partition", qn_partition_figures_json(&figures));
  if (!status)
    status = qn_used_files_check(&error);
  if (!status && options.shared.json)
    qn_tool_print_json(json_incref(description));
  else if (!status)
    print_text(description);
  if (!status && options.partition && !options.shared.json) {
    printf("\npartition %s:\n", options.partition);
    qn_partition_figures_print(&figures, stdout);
  }
  json_decref(description);
  qn_container_unmap(container);
  return qn_tool_exit(status, &error);
}
