#include "tools/generation_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/container/text_table.h"
#include "formats/set/generations.h"
#include "support/json_text.h"
#include "support/sizes.h"
#include "support/text/terminal.h"
#include "support/tool.h"
#include "support/used_files.h"

/* "today.csv, without gone.csv" */
static json_t *inputs_text(const json_t *generation) {
  const json_t *inputs = json_object_get(json_object_get(generation, "metadata"), "inputs"), *input;
  char *text = NULL;
  size_t length, i;
  FILE *stream = open_memstream(&text, &length);
  if (!stream)
    return json_string("");
  json_array_foreach(inputs, i, input) {
    const char *name = json_string_value(json_object_get(input, "name"));
    fprintf(stream, "%s%s%s", i ? ", " : "", json_object_get(input, "role") ? "without " : "",
            name ? name : "?");
  }
  fclose(stream);
  json_t *string = qn_json_text(text ? text : "");
  free(text);
  return string;
}

static json_t *count_of(const json_t *generation, const char *key) {
  char text[32];
  return json_string(qn_count_text((uint64_t)json_integer_value(json_object_get(generation, key)),
                                   text, sizeof text));
}

void qn_set_log_print(const json_t *log) {
  static const char *const keys[] = {"generation", "vertices", "edges",
                                     "added",      "removed",  "missing"};
  const json_t *generation;
  size_t i;
  json_t *rows = json_pack("[[s, s, s, s, s, s, s, s]]", "generation", "vertices", "edges", "added",
                           "removed", "not there", "size", "inputs");
  json_array_foreach(log, i, generation) {
    char size[32];
    json_t *row = json_array();
    for (size_t key = 0; key < sizeof keys / sizeof keys[0]; key++)
      json_array_append_new(row, count_of(generation, keys[key]));
    json_array_append_new(
        row,
        json_string(qn_size_text((uint64_t)json_integer_value(json_object_get(generation, "bytes")),
                                 size, sizeof size)));
    json_array_append_new(row, inputs_text(generation));
    json_array_append_new(rows, row);
  }
  qn_text_table_print(rows, "rrrrrrrl", qn_terminal_width(), stdout);
  json_decref(rows);
}

enum qn_status qn_set_show_log(const char *path, bool json, struct qn_error *error) {
  struct qn_set *set = NULL;
  json_t *log = NULL;
  enum qn_status status =
      qn_set_has_generations(path)
          ? qn_set_open(path, &set, error)
          : qn_fail(error, QN_USAGE, "%s has no generations: quern-transform --append makes them",
                    path);
  if (!status)
    status = qn_set_log(set, &log, error);
  if (!status)
    status = qn_used_files_check(error);
  if (!status && json)
    qn_tool_print_json(json_incref(log));
  else if (!status)
    qn_set_log_print(json_object_get(log, "log"));
  json_decref(log);
  qn_set_close(set);
  return status;
}
