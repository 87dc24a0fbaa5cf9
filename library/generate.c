/* Generated graphs. */
#include "converters/build_settings.h"
#include "converters/generate/run.h"
#include "library/call.h"
#include "library/options.h"
#include "library/outputs.h"
#include "library/session.h"
#include <quern/import.h>

struct generating {
  const char *model;
  const struct qn_option *given;
  uint64_t num_given;
  const char *path;
  struct qn_memory_options memory;
  struct qn_session **out;
  bool replace;
  struct qn_generate_options options;
};

static const struct qn_setting output_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = offsetof(struct generating, replace)}, {0}};

static enum qn_status prepare(struct generating *generating, struct qn_error *error) {
  struct qn_generate_options *options = &generating->options;
  const struct qn_settings settings[] = {{qn_generate_settings, options},
                                         {qn_build_settings, &options->build},
                                         {output_settings, generating},
                                         {0}};
  int model = 0;
  qn_generate_options_begin(options);
  enum qn_status status = qn_word_parse(qn_model_words, generating->model, &model, error);
  options->generator.model = (enum qn_model)model;
  if (!status)
    status = qn_options_apply(generating->given, generating->num_given, settings, error);
  return status ? status : qn_generate_options_settle(options, error);
}

static enum qn_status generate(void *argument, struct qn_error *error) {
  struct generating *generating = argument;
  struct qn_container *container = NULL;
  struct qn_generate_report report;
  bool wanted = generating->out || !generating->path;
  enum qn_status status = prepare(generating, error);
  if (status)
    return status;
  status = qn_generate_run(&generating->options, &generating->memory, "libquern", generating->path,
                           generating->replace, &report, wanted ? &container : NULL, error);
  json_decref(report.provenance);
  if (status || !wanted)
    return status;
  return qn_session_of_output(container, generating->path, generating->out, error);
}

enum qn_status qn_generate_graph(const char *model, const struct qn_option *options,
                                 uint64_t num_options, const char *path, const struct qn_job *job,
                                 struct qn_session **out, struct qn_error *error) {
  struct generating generating = {.model = model,
                                  .given = options,
                                  .num_given = num_options,
                                  .path = path,
                                  .memory = qn_memory_options_of(job),
                                  .out = out};
  enum qn_status status = qn_output_begin(path, out, error);
  return status ? status : qn_call(job, generate, &generating, error);
}
