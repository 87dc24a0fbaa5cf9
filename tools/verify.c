/* quern-verify: is a container whole, and does it keep its layout's rules? Or: does a result equal
 * a reference? Or: is it a tree of shortest paths? */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/graph/graph_source.h"
#include "converters/graph/tree_check.h"
#include "converters/result_match.h"
#include "formats/container/stripes.h"
#include "formats/set/set.h"
#include "formats/text/text_format.h"
#include "formats/vertices/parents_file.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include "tools/recipe/catalogue.h"
#include <quern/layouts.h>
#include <quern/open.h>
#include <quern/remote.h>

struct options {
  struct qn_tool_options shared;
  bool quick;
  const char *reference; /* --against */
  enum qn_match_rule rule;
  double epsilon;
  const char *tree; /* --tree: the graph's container */
  bool weighted;
  const char *recipe_name;        /* --recipe */
  const struct qn_recipe *recipe; /* which was read; NULL: none was asked for */
  char **files;
  int num_files;
};

enum {
  KEY_QUICK = 0x1001,
  KEY_AGAINST,
  KEY_MATCH,
  KEY_EPSILON,
  KEY_TREE,
  KEY_WEIGHTED,
  KEY_RECIPE
};

static const char *const rule_words[] = {"auto", "exact", "epsilon", "equivalence", NULL};

static void finish_command_line(struct argp_state *state, const struct options *options) {
  if (options->reference && options->num_files != 1)
    argp_error(state, "--against compares one result at a time");
  if (options->tree && options->num_files != 1)
    argp_error(state, "--tree checks one file of parents at a time");
  if (options->tree && options->reference)
    argp_error(state, "--tree does not go with --against");
  if ((options->reference || options->tree) && options->quick)
    argp_error(state, "--quick is of containers; it does not go with --against or --tree");
  if (options->recipe_name && (options->reference || options->tree))
    argp_error(state, "--recipe is of containers; it does not go with --against or --tree");
  if (options->weighted && !options->tree)
    argp_error(state, "--weighted is for --tree");
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->shared;
    return 0;
  case KEY_QUICK:
    options->quick = true;
    return 0;
  case KEY_AGAINST:
    options->reference = argument;
    return 0;
  case KEY_MATCH:
    options->rule = (enum qn_match_rule)qn_option_choice(state, "--match", rule_words, argument);
    return 0;
  case KEY_EPSILON:
    options->epsilon = qn_option_real(state, "--epsilon", argument);
    return 0;
  case KEY_TREE:
    options->tree = argument;
    return 0;
  case KEY_RECIPE:
    options->recipe_name = argument;
    return 0;
  case KEY_WEIGHTED:
    options->weighted = true;
    return 0;
  case ARGP_KEY_END:
    finish_command_line(state, options);
    return 0;
  case ARGP_KEY_ARGS:
    options->files = state->argv + state->next;
    options->num_files = state->argc - state->next;
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_error(state, "name at least one file");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "Check that containers are whole and valid; or, with --against, that a result equals a "
    "reference; or, with --tree, that parents are a tree of shortest paths.\v"
    "A file is a container, plain or in archive form, BUNDLE.tar:MEMBER, or the folder of a set. "
    "Without --quick every checksum and every numbered rule of the layout's specification is "
    "checked, and the first one broken is named with its place. With --quick only header, section "
    "table and footer are: enough to see that a file is complete.\n\n"
    "With --recipe a container must also be what the recipe makes, by its identity, or, made by "
    "another version of Quern, by what it holds but for its metadata.\n\n"
    "--against compares what quern-run has written, a vertex and its value a line, with another "
    "such file or a reference output of the LDBC Graphalytics benchmark, by its rules, compressed "
    "or not: exact (BFS, CDLP; also says 9223372036854775807 for inf), epsilon (PageRank, LCC, "
    "SSSP: at most 0.0001 of the reference's value apart) or equivalence (WCC: the same vertices "
    "are together, whatever their label). auto is epsilon if some value of the reference is "
    "written as a real number, else exact.\n\n"
    "--tree checks what quern-run --parents has written for a search in GRAPH, a container of any "
    "layout, by the rules of the Graph500 benchmark: (1) one vertex, the root, is its own parent, "
    "and the parents of all others lead to it, without a cycle; (2) a parent is one level above "
    "its child, counted along the tree; (3) no edge leads more than one level down; (4) all that "
    "can be reached from the root is in the tree; (5) tree edges are edges of the graph. With "
    "--weighted edges are as long as their weights say, for sssp.\n\n"
    "Exit status: 0 if all are valid, or equal; 1 if a container is not what the recipe makes, a "
    "result differs from its reference, or is not a tree of shortest paths; else that of the first "
    "that is not valid: 3 invalid or corrupt, "
    "4 of an unknown version or feature, 5 unreadable.\n\n"
    "Example:\n"
    "  quern-verify --against example-directed-WCC cc.tsv --match equivalence\n"
    "  quern-verify --tree g.qrn parents.tsv";

/* Of a set each part, and that the parts fit together. */
static enum qn_status verify_set(const char *path, bool quick, uint64_t *bytes,
                                 struct qn_error *error) {
  struct qn_set *set;
  enum qn_status status = qn_set_open(path, &set, error);
  if (status)
    return status;
  *bytes = 0;
  for (uint64_t i = 0; i < set->num_ranges; i++)
    *bytes += set->ranges[i].file.bytes;
  const bool is_changed = set->num_generations > 0;
  if (quick && is_changed)
    status = qn_set_check_files(set, error);
  for (uint64_t i = 0; !status && i < set->num_parts; i++) {
    struct qn_set_open_part part;
    *bytes += set->parts[i].file.bytes;
    if (quick && !is_changed) {
      status = qn_set_part_open(set, i, QN_SET_CHECK_FILE, &part, error);
      qn_set_part_close(&part);
    }
  }
  qn_set_close(set);
  return status || quick ? status : qn_set_check(path, error);
}

static enum qn_status compare(const struct qn_recipe *recipe, const struct qn_recipe_result *result,
                              struct qn_error *error) {
  bool known = false;
  enum qn_status status = qn_recipe_compare(recipe, result, &known, error);
  return status || known ? status
                         : qn_fail(error, QN_UNSUPPORTED,
                                   "the recipe %s does not say what must come out", recipe->name);
}

static enum qn_status compare_set(const char *path, const struct qn_recipe *recipe,
                                  struct qn_error *error) {
  struct qn_recipe_result result;
  enum qn_status status = qn_recipe_result_find(path, &result, error);
  return status ? status : compare(recipe, &result, error);
}

static enum qn_status verify_container(const char *path, const struct options *options,
                                       uint64_t *bytes, const char **layout,
                                       struct qn_error *error) {
  struct qn_recipe_result result;
  struct qn_container *container;
  enum qn_status status = qn_container_open(
      path, QN_MAP_ARCHIVE | QN_MAP_RECTANGULAR | QN_MAP_PARTS, &container, error);
  if (!status) {
    *bytes = qn_container_info(container)->file_bytes;
    *layout = qn_layout_name(qn_container_info(container)->layout);
    if (!options->quick)
      status = qn_container_check(container, error);
    if (!status && options->recipe)
      status = qn_recipe_result_of(container, &result, error);
    if (!status && options->recipe)
      status = compare(options->recipe, &result, error);
    if (!status)
      status = qn_used_files_check(error);
  }
  qn_container_unmap(container);
  return status;
}

static json_t *verify_file(const char *path, const struct options *options, enum qn_status *status,
                           struct qn_error *error) {
  double begun = qn_seconds();
  uint64_t bytes = 0;
  const char *layout = NULL;
  if (!qn_set_recognise(path)) {
    *status = verify_container(path, options, &bytes, &layout, error);
  } else {
    layout = "set";
    *status = verify_set(path, options->quick, &bytes, error);
    if (!*status && options->recipe)
      *status = compare_set(path, options->recipe, error);
  }
  return json_pack("{s:o, s:b, s:s?, s:o, s:I, s:f}", "file", qn_json_path(path), "valid",
                   *status == QN_OK, "layout", layout, "error",
                   *status ? qn_json_text(error->message) : json_null(), "bytes", (json_int_t)bytes,
                   "seconds", qn_seconds() - begun);
}

static void print_line(const json_t *report) {
  char size[16];
  double seconds = json_real_value(json_object_get(report, "seconds"));
  double bytes = (double)json_integer_value(json_object_get(report, "bytes"));
  const char *layout = json_string_value(json_object_get(report, "layout"));
  printf("%s: valid %s%s, %s, checked in %.3f s",
         json_string_value(json_object_get(report, "file")), layout,
         strcmp(layout, "set") == 0 ? "" : " container",
         qn_size_text((uint64_t)bytes, size, sizeof size), seconds);
  if (bytes >= 1e8) /* of less it says nothing */
    printf(" (%.2f GB/s)", bytes / seconds / 1e9);
  putchar('\n');
}

/* ---- Results -------------------------------------------------------------- */

static void print_mismatches(const struct qn_match_report *report) {
  for (uint64_t i = 0; i < report->num_listed; i++) {
    const struct qn_mismatch *mismatch = &report->listed[i];
    if (!mismatch->found[0])
      fprintf(stderr, "  vertex %s: expected %s; it is not in the result\n", mismatch->vertex,
              mismatch->expected);
    else if (!mismatch->expected[0])
      fprintf(stderr, "  vertex %s: found %s; it is not in the reference\n", mismatch->vertex,
              mismatch->found);
    else
      fprintf(stderr, "  vertex %s: expected %s; found %s\n", mismatch->vertex, mismatch->expected,
              mismatch->found);
  }
}

static json_t *text_or_null(const char *text) {
  return text[0] ? qn_json_text(text) : json_null();
}

static json_t *match_json(const struct options *options, const struct qn_match_report *report,
                          bool equal) {
  json_t *list = json_array();
  for (uint64_t i = 0; i < report->num_listed; i++) {
    const struct qn_mismatch *mismatch = &report->listed[i];
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:o}", "vertex", qn_json_text(mismatch->vertex), "expected",
                        text_or_null(mismatch->expected), "found", text_or_null(mismatch->found)));
  }
  return json_pack("{s:o, s:o, s:s, s:b, s:I, s:I, s:I, s:I, s:o}", "result",
                   qn_json_path(options->files[0]), "reference", qn_json_path(options->reference),
                   "match", rule_words[report->rule], "equal", equal, "vertices",
                   (json_int_t)report->num_vertices, "different", (json_int_t)report->num_different,
                   "missing", (json_int_t)report->num_missing, "unknown",
                   (json_int_t)report->num_unknown, "mismatches", list);
}

static int verify_result(const struct options *options) {
  struct qn_match_report report;
  struct qn_error error;
  enum qn_status status = qn_result_match(options->reference, options->files[0], options->rule,
                                          options->epsilon, &report, &error);
  if (status)
    return qn_tool_exit(status, &error);
  bool equal = report.num_different == 0 && report.num_missing == 0 && report.num_unknown == 0;
  if (options->shared.json) {
    qn_tool_print_json(match_json(options, &report, equal));
  } else if (equal && !options->shared.quiet) {
    printf("%s: equal to %s: %" PRIu64 " vertices, %s match\n", options->files[0],
           options->reference, report.num_vertices, rule_words[report.rule]);
  } else if (!equal) {
    fprintf(stderr,
            "quern-verify: %s: not equal to %s (%s match): of %" PRIu64 " vertices %" PRIu64
            " differ, %" PRIu64 " are missing; %" PRIu64 " are unknown\n",
            options->files[0], options->reference, rule_words[report.rule], report.num_vertices,
            report.num_different, report.num_missing, report.num_unknown);
    print_mismatches(&report);
  }
  return qn_tool_exit((enum qn_status)0, NULL) ? QN_SYSTEM : equal ? QN_OK : QN_NEGATIVE;
}

/* ---- Trees ---------------------------------------------------------------- */

static enum qn_status check_tree(const struct options *options, const struct qn_graph *graph,
                                 struct qn_tree_report *report, struct qn_error *error) {
  uint64_t num_vertices = graph->out.num_vertices;
  uint32_t *parents;
  enum qn_status status =
      qn_pages_alloc(&parents, num_vertices, sizeof *parents, "parents of vertices", error);
  if (status)
    return status;
  status = qn_parents_read(options->files[0], &graph->ids, parents, error);
  if (!status)
    status = qn_tree_check(graph, parents, NULL, options->weighted, report, error);
  qn_pages_free(parents, num_vertices, sizeof *parents);
  return status;
}

static json_t *vertex_json(const struct qn_graph *graph, uint32_t vertex) {
  char buffer[QN_MAX_NUMBER_TEXT];
  uint64_t length;
  if (vertex >= graph->out.num_vertices)
    return json_null();
  const char *id = qn_ids_text(&graph->ids, vertex, buffer, &length);
  return qn_json_name(id, length);
}

/* The rules in words, of which one is broken at a vertex or an edge. */
static const char *const rule_texts[QN_TREE_RULES] = {
    [1] = "the parents of %s, from %s on, lead to no root",
    [2] = "the parent of %s, %s, is not one level above it",
    [3] = "the edge from %s to %s is shorter than the tree's way there",
    [4] = "the edge from %s leads to %s, which is not in the tree",
    [5] = "there is no edge to %s from its parent %s",
};

static char *rule_text(const struct qn_graph *graph, const struct qn_tree_report *report,
                       int rule) {
  const struct qn_tree_fault *fault = &report->faults[rule];
  char *text = NULL;
  json_t *vertex = vertex_json(graph, fault->vertex), *other = vertex_json(graph, fault->other);
  int length;
  if (rule == 1 && report->num_roots == 0)
    length = asprintf(&text, "no vertex is its own parent, as the root is");
  else if (rule == 1 && report->num_roots > 1)
    length = asprintf(&text, "%" PRIu64 " vertices are their own parents, and a tree has one root",
                      report->num_roots);
  else
    length = asprintf(&text, rule_texts[rule], json_string_value(vertex), json_string_value(other));
  json_decref(vertex);
  json_decref(other);
  return length < 0 ? NULL : text;
}

static json_t *faults_json(const struct qn_graph *graph, const struct qn_tree_report *report) {
  json_t *faults = json_array();
  for (int rule = 1; rule < QN_TREE_RULES; rule++) {
    if (report->faults[rule].count == 0)
      continue;
    char *text = rule_text(graph, report, rule);
    json_array_append_new(faults, json_pack("{s:i, s:I, s:s?}", "rule", rule, "count",
                                            (json_int_t)report->faults[rule].count, "first", text));
    free(text);
  }
  return faults;
}

static void print_faults(const char *file, const json_t *faults) {
  const json_t *fault;
  size_t i;
  json_array_foreach((json_t *)faults, i, fault)
      fprintf(stderr,
              "quern-verify: %s: not a tree of shortest paths by rule %" JSON_INTEGER_FORMAT
              " (%" JSON_INTEGER_FORMAT " times): %s\n",
              file, json_integer_value(json_object_get(fault, "rule")),
              json_integer_value(json_object_get(fault, "count")),
              json_string_value(json_object_get(fault, "first")));
}

static void show_tree(const struct options *options, const struct qn_graph *graph,
                      const struct qn_tree_report *report) {
  bool is_right = qn_tree_is_right(report);
  json_t *json = json_pack(
      "{s:o, s:o, s:b, s:b, s:o, s:I, s:I, s:o}", "parents", qn_json_path(options->files[0]),
      "graph", qn_json_path(options->tree), "weighted", options->weighted, "tree", is_right, "root",
      vertex_json(graph, report->root), "reached", (json_int_t)report->num_reached, "depth",
      (json_int_t)report->depth, "faults", faults_json(graph, report));
  if (options->shared.json) {
    qn_tool_print_json(json_incref(json));
  } else if (!is_right) {
    print_faults(options->files[0], json_object_get(json, "faults"));
  } else if (!options->shared.quiet) {
    printf("%s: a tree of shortest paths in %s: root %s, %" PRIu64 " vertices, depth %" PRIu64 "\n",
           options->files[0], options->tree, json_string_value(json_object_get(json, "root")),
           report->num_reached, report->depth);
  }
  json_decref(json);
}

static int verify_tree(const struct options *options) {
  struct qn_graph_source source;
  struct qn_tree_report report;
  struct qn_error error;
  enum qn_status status = qn_graph_source_open(options->tree, &source, &error);
  if (!status)
    status = check_tree(options, &source.graph, &report, &error);
  if (!status)
    status = qn_used_files_check(&error);
  if (!status)
    show_tree(options, &source.graph, &report);
  qn_graph_source_close(&source);
  if (status)
    return qn_tool_exit(status, &error);
  return qn_tool_exit((enum qn_status)0, NULL) ? QN_SYSTEM
         : qn_tree_is_right(&report)           ? QN_OK
                                               : QN_NEGATIVE;
}

int main(int argc, char **argv) {
  static const struct argp_option own[] = {
      {"quick", KEY_QUICK, NULL, 0, "Check header, section table and footer only", 0},
      {"against", KEY_AGAINST, "REFERENCE", 0,
       "Compare FILE, a vertex and its value a line, with REFERENCE", 0},
      {"match", KEY_MATCH, "auto|exact|epsilon|equivalence", 0,
       "How results must agree (default: auto)", 0},
      {"epsilon", KEY_EPSILON, "X", 0,
       "The largest difference that the epsilon match allows (default: 0.0001)", 0},
      {"tree", KEY_TREE, "GRAPH", 0,
       "Check that FILE has the parents of a search in GRAPH, a tree of shortest paths", 0},
      {"recipe", KEY_RECIPE, "RECIPE", 0,
       "Is FILE what this recipe makes? One of quern-fetch --list, or a file or URL that ends in "
       ".json",
       0},
      {"weighted", KEY_WEIGHTED, NULL, 0, "Of --tree: edges are as long as their weights say", 0},
      {0}};
  static const struct argp_child children[] = {{&qn_tool_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {own, parse, "FILE...", documentation, children, NULL, NULL};
  struct options options = {.epsilon = QN_MATCH_EPSILON_DEFAULT};
  qn_tool_parse("quern-verify", &argp, argc, argv, &options, &options.shared);
  qn_tool_spare_threads(&options.shared, (const char *const *)options.files, options.num_files,
                        QN_FEW_BYTES, qn_stripes_recognise);
  if (options.reference)
    return verify_result(&options);
  if (options.tree)
    return verify_tree(&options);

  struct qn_recipe recipe = {0};
  struct qn_error refused;
  if (options.recipe_name && qn_catalogue_open(options.recipe_name, &recipe, &refused))
    return qn_tool_exit(refused.status, &refused);
  options.recipe = options.recipe_name ? &recipe : NULL;
  int worst = QN_OK;
  json_t *reports = json_array();
  for (int i = 0; i < options.num_files; i++) {
    struct qn_error error;
    enum qn_status status;
    json_t *report = verify_file(options.files[i], &options, &status, &error);
    if (status)
      qn_tool_print_error(&error);
    else if (!options.shared.json && !options.shared.quiet)
      print_line(report);
    if (!worst)
      worst = status;
    json_array_append_new(reports, report);
  }
  if (options.shared.json) {
    qn_tool_print_json(json_pack("{s:o, s:b}", "files", reports, "valid", worst == QN_OK));
  } else {
    json_decref(reports);
  }
  qn_recipe_release(&recipe);
  return qn_tool_exit((enum qn_status)0, NULL) ? QN_SYSTEM : worst;
}
