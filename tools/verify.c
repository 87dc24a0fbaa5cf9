/* quern-verify: is a container whole, and does it keep its layout's rules? Or: does a result equal
 * a reference? */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/result_match.h"
#include "support/json_text.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include <quern/layouts.h>
#include <quern/open.h>

struct options {
  struct qn_tool_options shared;
  bool quick;
  const char *reference; /* --against */
  enum qn_match_rule rule;
  double epsilon;
  char **files;
  int num_files;
};

enum { KEY_QUICK = 0x1001, KEY_AGAINST, KEY_MATCH, KEY_EPSILON };

static const char *const rule_words[] = {"auto", "exact", "epsilon", "equivalence", NULL};

static void finish_command_line(struct argp_state *state, const struct options *options) {
  if (options->reference && options->num_files != 1)
    argp_error(state, "--against compares one result at a time");
  if (options->reference && options->quick)
    argp_error(state, "--quick is of containers; it does not go with --against");
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
    "reference.\v"
    "A file is a container, plain or in archive form, or BUNDLE.tar:MEMBER. Without --quick every "
    "checksum and every numbered rule of the layout's specification is "
    "checked, and the first one broken is named with its place. With --quick only header, section "
    "table and footer are: enough to see that a file is complete.\n\n"
    "--against compares what quern-run has written, a vertex and its value a line, with another "
    "such "
    "file or a reference output of the LDBC Graphalytics benchmark, by its rules, packed as "
    "quern-import takes it or not: exact (BFS, CDLP; "
    "also says 9223372036854775807 for inf), epsilon (PageRank, LCC, SSSP: at most 0.0001 of the "
    "reference's value apart) or equivalence (WCC: the same vertices are together, whatever their "
    "label). auto is epsilon if some value of the reference is written as a real number, else "
    "exact.\n\n"
    "Exit status: 0 if all are valid, or equal; 1 if a result differs from its reference; else "
    "that "
    "of the first that is not valid: 3 invalid or corrupt, 4 of an unknown version or feature, 5 "
    "unreadable.\n\n"
    "Example:\n"
    "  quern-verify --against example-directed-WCC cc.tsv --match equivalence";

static json_t *verify_file(const char *path, bool quick, enum qn_status *status,
                           struct qn_error *error) {
  struct qn_container *container;
  double begun = qn_seconds();
  uint64_t bytes = 0;
  const char *layout = NULL;
  *status = qn_container_open(path, QN_MAP_ARCHIVE, &container, error);
  if (!*status) {
    bytes = qn_container_info(container)->file_bytes;
    layout = qn_layout_name(qn_container_info(container)->layout);
    if (!quick)
      *status = qn_container_check(container, error);
    if (!*status)
      *status = qn_used_files_check(error);
  }
  qn_container_unmap(container);
  return json_pack("{s:o, s:b, s:s?, s:o, s:I, s:f}", "file", qn_json_text(path), "valid",
                   *status == QN_OK, "layout", layout, "error",
                   *status ? qn_json_text(error->message) : json_null(), "bytes", (json_int_t)bytes,
                   "seconds", qn_seconds() - begun);
}

static void print_line(const json_t *report) {
  char size[16];
  double seconds = json_real_value(json_object_get(report, "seconds"));
  double bytes = (double)json_integer_value(json_object_get(report, "bytes"));
  printf("%s: valid %s container, %s, checked in %.3f s",
         json_string_value(json_object_get(report, "file")),
         json_string_value(json_object_get(report, "layout")),
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
                   qn_json_text(options->files[0]), "reference", qn_json_text(options->reference),
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
    json_t *object = match_json(options, &report, equal);
    json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(object);
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

int main(int argc, char **argv) {
  static const struct argp_option own[] = {
      {"quick", KEY_QUICK, NULL, 0, "Check header, section table and footer only", 0},
      {"against", KEY_AGAINST, "REFERENCE", 0,
       "Compare FILE, a vertex and its value a line, with REFERENCE", 0},
      {"match", KEY_MATCH, "auto|exact|epsilon|equivalence", 0,
       "What it is to be equal (default: auto)", 0},
      {"epsilon", KEY_EPSILON, "X", 0, "How far apart the epsilon match allows (default: 0.0001)",
       0},
      {0}};
  static const struct argp_child children[] = {{&qn_tool_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {own, parse, "FILE...", documentation, children, NULL, NULL};
  struct options options = {.epsilon = QN_MATCH_EPSILON_DEFAULT};
  qn_tool_parse("quern-verify", &argp, argc, argv, &options, &options.shared);
  if (options.reference)
    return verify_result(&options);

  int worst = QN_OK;
  json_t *reports = json_array();
  for (int i = 0; i < options.num_files; i++) {
    struct qn_error error;
    enum qn_status status;
    json_t *report = verify_file(options.files[i], options.quick, &status, &error);
    if (status)
      qn_tool_print_error(&error);
    else if (!options.shared.json && !options.shared.quiet)
      print_line(report);
    if (!worst)
      worst = status;
    json_array_append_new(reports, report);
  }
  if (options.shared.json) {
    json_t *object = json_pack("{s:o, s:b}", "files", reports, "valid", worst == QN_OK);
    json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(object);
  } else {
    json_decref(reports);
  }
  return qn_tool_exit((enum qn_status)0, NULL) ? QN_SYSTEM : worst;
}
