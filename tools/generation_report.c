#include "tools/generation_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/container/text_table.h"
#include "support/json_text.h"
#include "support/sizes.h"
#include "support/text/terminal.h"
#include "support/tool.h"
#include "support/used_files.h"
#include <quern/metadata.h>

static json_t *describe_generation(const struct qn_set *set, uint64_t i, json_t *metadata) {
  const struct qn_set_generation *generation = &set->generations[i];
  return json_pack(
      "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o*}", "generation", (json_int_t)i + 1, "vertices",
      (json_int_t)generation->num_vertices, "edges", (json_int_t)generation->num_edges, "added",
      (json_int_t)generation->added, "removed", (json_int_t)generation->removed, "missing",
      (json_int_t)generation->missing, "new_vertices",
      (json_int_t)(set->ranges[i].end - set->ranges[i].begin), "bytes",
      (json_int_t)(set->ranges[i].file.bytes + set->parts[i].file.bytes), "metadata", metadata);
}

enum qn_status qn_set_log(const struct qn_set *set, json_t **log, struct qn_error *error) {
  enum qn_status status = QN_OK;
  *log = json_array();
  for (uint64_t i = 0; !status && i < set->num_generations; i++) {
    json_t *metadata = NULL;
    status = qn_container_metadata(set->ranges[i].container, &metadata, error);
    if (!status && json_array_append_new(*log, describe_generation(set, i, metadata)))
      status = qn_fail_memory(error, "a report", 0);
  }
  return status;
}

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
    qn_tool_print_json(json_pack("{s:{s:s, s:o}, s:O}", "base", "name", set->base.name, "identity",
                                 json_sprintf("%016" PRIx64, set->base.identity), "log", log));
  else if (!status)
    qn_set_log_print(log);
  json_decref(log);
  qn_set_close(set);
  return status;
}
