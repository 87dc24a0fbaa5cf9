#include "converters/changes/policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/build_settings.h"
#include "support/memory.h"
#include <quern/metadata.h>

/* Options of quern-import that say how inputs look, and how edges are built. What the graph itself
 * says (its direction, the type of its weights, what its ids are) is not among them. */
static const char *const honoured[] = {
    "columns",    "delimiter",         "header",         "quotes",    "escape",
    "decimal",    "comments",          "record",         "bipartite", "duplicates",
    "self_loops", "trailing_comments", "narrow_weights", NULL};

/* A setting of either table, by its name in metadata. */
static enum qn_status set_option(struct qn_import_options *options, const char *key,
                                 const json_t *value, struct qn_error *error) {
  char name[64];
  snprintf(name, sizeof name, "%s", key);
  for (char *at = name; *at; at++)
    *at = *at == '_' ? '-' : *at;
  const struct qn_setting *setting = qn_setting_find(qn_import_settings, name);
  if (setting)
    return qn_setting_set(setting, options,
                          json_is_string(value) ? json_string_value(value)
                          : json_is_true(value) ? "yes"
                                                : "no",
                          error);
  setting = qn_setting_find(qn_build_settings, name);
  return setting && json_is_string(value)
             ? qn_setting_set(setting, &options->build, json_string_value(value), error)
             : QN_OK;
}

static bool is_honoured(const char *key) {
  for (int i = 0; honoured[i]; i++)
    if (strcmp(honoured[i], key) == 0)
      return true;
  return false;
}

/* What quern-transform has removed is removed from what comes. */
static enum qn_status take_steps(struct qn_import_options *options, const json_t *steps,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (json_is_true(json_object_get(steps, "remove_self_loops")))
    status = qn_setting_set(qn_setting_find(qn_build_settings, "self-loops"), &options->build,
                            "remove", error);
  if (!status && json_is_true(json_object_get(steps, "remove_duplicates")))
    status = qn_setting_set(qn_setting_find(qn_build_settings, "duplicates"), &options->build,
                            "remove", error);
  return status;
}

/* Of whoever read the graph from files, or generated it. */
static enum qn_status take_first(struct qn_change_policy *policy, const json_t *options,
                                 struct qn_error *error) {
  const char *ids = json_string_value(json_object_get(options, "ids")), *key;
  const char *weights = json_string_value(json_object_get(options, "weights"));
  json_t *value;
  enum qn_status status = QN_OK;
  json_object_foreach((json_t *)options, key, value) {
    if (!status && is_honoured(key))
      status = set_option(&policy->added, key, value, error);
  }
  if (status || json_object_get(options, "model")) /* generated: it read nothing */
    return status;
  policy->keeps_ids = ids && strcmp(ids, "keep") == 0;
  policy->num_vertices = (uint64_t)json_integer_value(json_object_get(options, "vertices"));
  policy->drops_weights = weights && strcmp(weights, "none") == 0;
  return QN_OK;
}

/* The options of who made the graph, after those of whoever made that of which it was made. */
static enum qn_status take_options(struct qn_change_policy *policy, const json_t *about,
                                   struct qn_error *error) {
  static const char *const first[] = {"quern-import", "quern-generate", "libquern"};
  const char *tool = json_string_value(json_object_get(about, "tool"));
  const json_t *options = json_object_get(about, "options");
  const json_t *source = json_object_get(about, "source");
  const json_t *before =
      source ? json_object_get(source, "metadata") : json_object_get(about, "base");
  for (unsigned i = 0; tool && !before && i < sizeof first / sizeof *first; i++)
    if (strcmp(tool, first[i]) == 0)
      return take_first(policy, options, error);
  enum qn_status status = before ? take_options(policy, before, error) : QN_OK;
  return status ? status : take_steps(&policy->added, options, error);
}

/* NAME:TYPE,... of the columns that the graph has, so that what is added has the same ones. */
static enum qn_status choose_properties(const struct qn_property_table *table, char **text,
                                        struct qn_error *error) {
  char type[QN_PROPERTY_TYPE_BYTES];
  size_t length;
  FILE *stream = open_memstream(text, &length);
  if (!stream)
    return qn_fail_memory(error, "names of properties", 0);
  bool all = false;
  for (uint32_t i = 0; i < table->count; i++)
    all |= strchr(table->columns[i].name, ',') != NULL;
  if (all)
    fputs("all", stream);
  for (uint32_t i = 0; i < table->count && !all; i++) {
    const struct qn_property *column = &table->columns[i];
    fprintf(stream, "%s%s:%s", i ? "," : "", column->name,
            qn_property_type_name(column->type, type));
  }
  return fclose(stream) ? qn_fail_memory(error, "names of properties", 0) : QN_OK;
}

enum qn_status qn_change_policy_make(const struct qn_changed *changed,
                                     struct qn_change_policy *policy, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(changed->base);
  const bool texts = changed->graph.ids.kind == QN_IDS_STRINGS;
  struct qn_import_options *added = &policy->added;
  *policy = (struct qn_change_policy){0};
  qn_import_options_begin(added);
  enum qn_status status = qn_container_metadata(changed->base, &policy->metadata, error);
  if (!status)
    status = take_options(policy, policy->metadata, error);
  if (!status)
    status = qn_setting_set(qn_setting_find(qn_import_settings, "ids"), added,
                            texts ? "strings" : "compact", error);
  if (!status && info->weight_type != QN_WEIGHT_NONE)
    status = qn_setting_set(qn_setting_find(qn_import_settings, "weights"), added,
                            qn_weight_type_name(info->weight_type), error);
  if (status)
    return status;
  if (policy->num_vertices != info->num_vertices) /* some were left out since */
    policy->num_vertices = 0;
  if (policy->drops_weights && info->weight_type == QN_WEIGHT_NONE)
    added->read.weights = added->build.weights = QN_WEIGHTS_NONE;
  added->build.undirected = info->directedness == QN_UNDIRECTED;
  added->directed = !added->build.undirected;
  policy->removed = *added;
  if (changed->properties.of_edges.count) {
    status = choose_properties(&changed->properties.of_edges, &policy->properties, error);
    added->properties = policy->properties;
    added->read.others_wanted = true;
  }
  policy->removed.read.weights = policy->removed.build.weights = QN_WEIGHTS_NONE;
  policy->removed.build.duplicates = QN_DUPLICATES_REMOVE;
  policy->removed.build.self_loops = QN_SELF_LOOPS_KEEP;
  return status;
}

void qn_change_policy_release(struct qn_change_policy *policy) {
  json_decref(policy->metadata);
  free(policy->properties);
  *policy = (struct qn_change_policy){0};
}
