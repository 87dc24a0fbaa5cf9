/* quern-verify: is a container whole, and does it keep its layout's rules? */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "formats/layouts.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"

struct options {
  struct qn_tool_options shared;
  bool quick;
  char **files;
  int num_files;
};

enum { KEY_QUICK = 0x1001 };

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  (void)argument;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->shared;
    return 0;
  case KEY_QUICK:
    options->quick = true;
    return 0;
  case ARGP_KEY_ARGS:
    options->files = state->argv + state->next;
    options->num_files = state->argc - state->next;
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_error(state, "name at least one container");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "Check that containers are whole and valid.\v"
    "Without --quick every checksum and every numbered rule of the layout's specification is "
    "checked, and the first one broken is named with its place. With --quick only header, section "
    "table and footer are: enough to see that a file is complete.\n\n"
    "Exit status: 0 if all are valid; else that of the first that is not: 3 invalid or corrupt, 4 "
    "of an unknown version or feature, 5 unreadable.";

static json_t *verify_file(const char *path, bool quick, enum qn_status *status,
                           struct qn_error *error) {
  struct qn_container *container;
  double begun = qn_seconds();
  uint64_t bytes = 0;
  const char *layout = NULL;
  *status = qn_container_map(path, QN_MAP_ARCHIVE, &container, error);
  if (!*status) {
    bytes = qn_container_info(container)->file_bytes;
    layout = qn_layout_name(qn_container_info(container)->layout);
    if (!quick)
      *status = qn_container_check(container, error);
  }
  qn_container_unmap(container);
  return json_pack("{s:s, s:b, s:s?, s:s?, s:I, s:f}", "file", path, "valid", *status == QN_OK,
                   "layout", layout, "error", *status ? error->message : NULL, "bytes",
                   (json_int_t)bytes, "seconds", qn_seconds() - begun);
}

static void print_line(const json_t *report) {
  char size[16];
  double seconds = json_real_value(json_object_get(report, "seconds"));
  double bytes = (double)json_integer_value(json_object_get(report, "bytes"));
  printf("%s: valid %s container, %s, checked in %.3f s",
         json_string_value(json_object_get(report, "file")),
         json_string_value(json_object_get(report, "layout")),
         qn_size_text((uint64_t)bytes, size, sizeof size), seconds);
  if (seconds >= 0.01)
    printf(" (%.2f GB/s)", bytes / seconds / 1e9);
  putchar('\n');
}

int main(int argc, char **argv) {
  static const struct argp_option own[] = {
      {"quick", KEY_QUICK, NULL, 0, "Check header, section table and footer only", 0}, {0}};
  static const struct argp_child children[] = {{&qn_tool_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {own, parse, "FILE...", documentation, children, NULL, NULL};
  struct options options = {0};
  qn_tool_parse("quern-verify", &argp, argc, argv, &options, &options.shared);

  int worst = QN_OK;
  json_t *reports = json_array();
  for (int i = 0; i < options.num_files; i++) {
    struct qn_error error;
    enum qn_status status;
    json_t *report = verify_file(options.files[i], options.quick, &status, &error);
    if (status)
      qn_tool_exit(status, &error);
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
