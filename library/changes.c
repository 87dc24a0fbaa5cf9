/* Changes to graphs: generations, and one container of them. */
#include <quern/changes.h>

#include "converters/changes/append.h"
#include "formats/set/generations.h"
#include "library/call.h"
#include "library/options.h"
#include "library/outputs.h"
#include "library/session.h"
#include "support/used_files.h"

/* ---- One more ------------------------------------------------------------------- */

struct changing {
  const char *base, *path;
  const struct qn_option *given;
  uint64_t num_given;
  struct qn_memory_options memory;
  char **json;
  bool replace, strict;
  struct qn_append_options options;
};

static const struct qn_setting change_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = offsetof(struct changing, replace)},
    {"strict", QN_SETTING_SWITCH, .offset = offsetof(struct changing, strict)},
    {0}};

static enum qn_status append(void *argument, struct qn_error *error) {
  struct changing *changing = argument;
  const struct qn_settings settings[] = {
      {qn_append_settings, &changing->options}, {change_settings, changing}, {0}};
  struct qn_append_report report = {0};
  enum qn_status status = qn_options_apply(changing->given, changing->num_given, settings, error);
  if (!status)
    status = qn_append_options_settle(&changing->options, error);
  const struct qn_append_job job = {.options = &changing->options,
                                    .memory = changing->memory,
                                    .base = changing->base,
                                    .output = changing->path,
                                    .replace = changing->replace,
                                    .strict = changing->strict,
                                    .tool = "libquern"};
  if (!status)
    status = qn_append_run(&job, &report, error);
  if (!status && changing->json)
    status = qn_text_of_json(qn_append_describe(&report, changing->path), changing->json, error);
  qn_append_report_end(&report);
  qn_append_options_release(&changing->options);
  return status;
}

enum qn_status qn_changes_append(const char *base, const struct qn_option *options,
                                 uint64_t num_options, const char *path, const struct qn_job *job,
                                 char **json, struct qn_error *error) {
  struct changing changing = {.base = base,
                              .path = path,
                              .given = options,
                              .num_given = num_options,
                              .memory = qn_memory_options_of(job),
                              .json = json};
  if (json)
    *json = NULL;
  return qn_call(job, append, &changing, error);
}

/* ---- Which there are -------------------------------------------------------------- */

struct describing {
  const char *path;
  char **json;
};

static enum qn_status describe(void *argument, struct qn_error *error) {
  const struct describing *describing = argument;
  struct qn_set *set = NULL;
  json_t *log = NULL;
  if (!qn_set_has_generations(describing->path))
    return qn_text_of_json(json_pack("{s:[]}", "log"), describing->json, error);
  enum qn_status status = qn_set_open(describing->path, &set, error);
  if (!status)
    status = qn_set_log(set, &log, error);
  if (!status)
    status = qn_text_of_json(log, describing->json, error);
  qn_set_close(set);
  return status;
}

enum qn_status qn_changes_describe(const char *path, char **json, struct qn_error *error) {
  struct describing describing = {path, json};
  *json = NULL;
  return qn_call(NULL, describe, &describing, error);
}

/* ---- One container ---------------------------------------------------------------- */

struct compacting {
  const char *set, *path;
  const struct qn_option *given;
  uint64_t num_given;
  bool replace;
  struct qn_session **out;
};

static const struct qn_setting compact_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = offsetof(struct compacting, replace)}, {0}};

static enum qn_status compact(void *argument, struct qn_error *error) {
  struct compacting *compacting = argument;
  const struct qn_settings settings[] = {{compact_settings, compacting}, {0}};
  struct qn_container *container = NULL;
  enum qn_status status =
      qn_options_apply(compacting->given, compacting->num_given, settings, error);
  if (!status && !qn_set_has_generations(compacting->set)) {
    qn_fail(error, QN_USAGE, "this is no set with generations");
    status = qn_error_in_file(error, compacting->set);
  }
  if (!status && compacting->path)
    status = qn_input_kept(compacting->path, compacting->set, error);
  if (!status)
    status = compacting->path
                 ? qn_set_unite(compacting->set, compacting->path, compacting->replace, &container,
                                error)
                 : qn_set_unite_nameless(compacting->set, compacting->set, &container, error);
  return status ? status
                : qn_session_of_output(container, compacting->path, compacting->out, error);
}

enum qn_status qn_changes_compact(const char *set, const struct qn_option *options,
                                  uint64_t num_options, const char *path, const struct qn_job *job,
                                  struct qn_session **out, struct qn_error *error) {
  struct compacting compacting = {
      .set = set, .path = path, .given = options, .num_given = num_options, .out = out};
  enum qn_status status = qn_output_begin(path, out, error);
  return status ? status : qn_call(job, compact, &compacting, error);
}
