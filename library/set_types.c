/* Sets with types: which there are, and some of them as a graph. */
#include <jansson.h>

#include "formats/set/project.h"
#include "formats/set/types.h"
#include "library/call.h"
#include "library/options.h"
#include "library/outputs.h"
#include "library/session.h"
#include <quern/build.h>

/* ---- Which there are ------------------------------------------------------------ */

struct describing {
  const char *path;
  char **json;
};

static json_t *describe(const struct qn_set *set) {
  json_t *vertices = json_array(), *edges = json_array();
  for (uint64_t r = 0; set && qn_set_is_typed(set) && r < set->num_ranges; r++) {
    char file[32];
    qn_set_vertices_name(r, set->num_ranges, file);
    json_array_append_new(
        vertices, json_pack("{s:s, s:I, s:s}", "name", set->ranges[r].type, "vertices",
                            (json_int_t)(set->ranges[r].end - set->ranges[r].begin), "file", file));
  }
  for (uint64_t t = 0; set && t < set->num_edge_types; t++) {
    const struct qn_set_edge_type *type = &set->edge_types[t];
    json_array_append_new(edges, json_pack("{s:s, s:s, s:s, s:I, s:s}", "source",
                                           set->ranges[type->source].type, "name", type->name,
                                           "target", set->ranges[type->target].type, "edges",
                                           (json_int_t)type->num_edges, "weights",
                                           qn_weight_type_name(type->weight_type)));
  }
  return json_pack("{s:o, s:o}", "vertex_types", vertices, "edge_types", edges);
}

static enum qn_status describe_types(void *argument, struct qn_error *error) {
  const struct describing *describing = argument;
  struct qn_set *set = NULL;
  enum qn_status status =
      qn_set_recognise(describing->path) ? qn_set_open(describing->path, &set, error) : QN_OK;
  json_t *json = status ? NULL : describe(set);
  if (!status) {
    *describing->json = json ? json_dumps(json, JSON_COMPACT) : NULL;
    if (!*describing->json)
      status = qn_fail_memory(error, "the types of a set", 0);
  }
  json_decref(json);
  qn_set_close(set);
  return status;
}

enum qn_status qn_types_describe(const char *path, char **json, struct qn_error *error) {
  struct describing describing = {path, json};
  *json = NULL;
  return qn_call(NULL, describe_types, &describing, error);
}

/* ---- Some of them --------------------------------------------------------------- */

struct projecting {
  const char *set, *path;
  const struct qn_option *given;
  uint64_t num_given;
  bool replace;
  struct qn_session **out;
};

static const struct qn_setting output_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = offsetof(struct projecting, replace)}, {0}};

static enum qn_status project(void *argument, struct qn_error *error) {
  struct projecting *projecting = argument;
  struct qn_set_selection selection = {.properties = true};
  const struct qn_settings settings[] = {
      {qn_selection_settings, &selection}, {output_settings, projecting}, {0}};
  struct qn_container *container = NULL;
  enum qn_status status =
      qn_options_apply(projecting->given, projecting->num_given, settings, error);
  if (!status)
    status = qn_set_selection_settle(&selection, error);
  if (!status && !qn_set_recognise(projecting->set)) {
    qn_fail(error, QN_USAGE, "this is no set with types");
    status = qn_error_in_file(error, projecting->set);
  }
  if (!status)
    status = projecting->path ? qn_set_project(projecting->set, &selection, projecting->path,
                                               projecting->replace, &container, error)
                              : qn_set_project_nameless(projecting->set, &selection,
                                                        projecting->set, &container, error);
  return status ? status
                : qn_session_of_output(container, projecting->path, projecting->out, error);
}

enum qn_status qn_types_project(const char *set, const struct qn_option *options,
                                uint64_t num_options, const char *path, const struct qn_job *job,
                                struct qn_session **out, struct qn_error *error) {
  struct projecting projecting = {
      .set = set, .path = path, .given = options, .num_given = num_options, .out = out};
  enum qn_status status = qn_output_begin(path, out, error);
  return status ? status : qn_call(job, project, &projecting, error);
}
